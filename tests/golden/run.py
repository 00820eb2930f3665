#!/usr/bin/env python3
"""Runs the real trainsight and compares all that it says.

    run.py BINARY SOURCE_FOLDER            compares with expected/
    run.py BINARY SOURCE_FOLDER --update   writes expected/ anew; read the diff

Complete stdout, stderr and exit code of every command of cases.py; JSON is
parsed strictly and held against docs/reference/manifest.schema.json, XML is
parsed, text is held against 80 columns. Then what holds of any output: one and
four threads give the same bytes, standard input gives what a file gives,
NO_COLOR is respected, and every format has the same exit code and is the same
bytes in a file.
Exit code 77 when the binary was built without the o200k_base ranks.
"""
import difflib
import gzip
import gzip
import json
import os
import pathlib
import pty
import re
import shutil
import subprocess
import sys
import tempfile
import xml.etree.ElementTree

from cases import CASES, MANIFESTS, SETS
from json_schema import Validator, parse_strictly

HERE = pathlib.Path(__file__).parent
COLUMNS = 80
FORMATS = ("text", "json", "sarif", "junit", "github", "markdown")


def environment(**more):
    kept = {k: v for k, v in os.environ.items() if k == "PATH"}
    kept["HOME"] = "/home/somebody"  # messages name it; nobody's files matter
    return {**kept, "SOURCE_DATE_EPOCH": "1767225600", "LC_ALL": "C", **more}


def normalised(text):
    """Without what differs from build to build and copy to copy."""
    text = re.sub(r'("version": )"(?!2\.1\.0")[^"]*"', r'\1"VERSION"', text)
    text = re.sub(r'("modified": )"[^"]*"', r'\1"TIME"', text)
    return text


class Runner:
    def __init__(self, binary, source):
        self.binary, self.source = binary, source
        self.schema = Validator(json.loads(
            (source / "docs/reference/manifest.schema.json").read_text()))
        self.failures = []
        self.checks = 0

    def check(self, holds, message):
        self.checks += 1
        if not holds:
            self.failures.append(message)

    def folder(self):
        return tempfile.TemporaryDirectory(prefix="trainsight-golden-")

    def fill(self, folder, files):
        # The modification time is one of the things that a manifest keeps.
        shutil.copytree(self.source / "sample_data", folder / "sample_data")
        for name, content in files.items():
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            (folder / name).write_text(content)

    def run(self, folder, command, **env):
        words = command.split()
        stdin = subprocess.DEVNULL
        if "<" in words:
            at = words.index("<")
            stdin = open(folder / words[at + 1], "rb")
            words = words[:at]
        try:
            return subprocess.run([self.binary] + words, cwd=folder,
                                  stdin=stdin, capture_output=True,
                                  env=environment(**env), timeout=120)
        finally:
            if stdin is not subprocess.DEVNULL:
                stdin.close()

    def judge_output(self, command, out):
        """What must hold of stdout besides being as expected."""
        form = re.search("--format ([a-z]+)", command)
        form = form.group(1) if form and out else "text"
        if form in ("json", "sarif"):
            try:
                documents = [parse_strictly(line) for line in out.splitlines()
                             ] if command.startswith("tokens") else [
                                 parse_strictly(out)]
            except ValueError as error:
                self.check(False, f"{command}: not JSON: {error}")
                return
            if command.startswith("profile") and form == "json":
                errors = self.schema.errors(documents[0])
                self.check(not errors, f"{command}: {errors[:3]}")
            return
        if form == "junit":
            self.judge_junit(command, out)
        if form == "github":
            for line in out.splitlines():
                self.check(re.match("::(error|warning|notice) [^:]*::", line),
                           f"{command}: no workflow command: {line!r}")
        if form != "text":
            return
        for line in out.splitlines():
            self.check(len(line) <= COLUMNS and line == line.rstrip(),
                       f"{command}: too wide, or spaces at the end: {line!r}")

    def judge_junit(self, command, out):
        """The counts are those of the elements."""
        root = xml.etree.ElementTree.fromstring(out)
        for node in [root, *root.findall("testsuite")]:
            for name, path in (("tests", ".//testcase"),
                               ("failures", ".//failure"),
                               ("errors", ".//error")):
                self.check(int(node.get(name)) == len(node.findall(path)),
                           f"{command}: {name} of {node.tag}")

    def transcript(self, commands, files):
        text = ""
        with self.folder() as name:
            folder = pathlib.Path(name)
            self.fill(folder, files)
            for command in commands:
                if command.startswith("!cat "):
                    path = folder / command.split()[1]
                    text += f"$ cat {path.name}\n" + (
                        normalised(path.read_text()) if path.exists()
                        else "(none)\n")
                    text += "\n"
                    continue
                if command.startswith("!arrow "):
                    to, fixture = command.split()[1:]
                    (folder / to).write_bytes(
                        (self.source / "tests/unit/scan/data" / fixture)
                        .read_bytes())
                    continue
                if command.startswith("!gzip "):
                    path = folder / command.split()[1]
                    (folder / (path.name + ".gz")).write_bytes(
                        gzip.compress(path.read_bytes(), mtime=0))
                    text += f"$ gzip -k {path.name}\n\n"
                    continue
                if command.startswith("!append "):
                    with open(folder / command.split()[1], "a") as file:
                        file.write("{}\n")
                    text += f"$ echo '{{}}' >> {command.split()[1]}\n\n"
                    continue
                if command.startswith("!rm "):
                    (folder / command.split()[1]).unlink()
                    text += f"$ rm {command.split()[1]}\n\n"
                    continue
                if command.startswith("!cp "):
                    _, source, target = command.split()
                    shutil.copyfile(folder / source, folder / target)
                    text += f"$ cp {source} {target}\n\n"
                    continue
                done = self.run(folder, command)
                out = done.stdout.decode()
                self.judge_output(command, out)
                text += f"$ trainsight {command}\n" + normalised(out)
                if done.stderr:
                    text += "--- stderr\n" + normalised(done.stderr.decode())
                text += f"--- exit {done.returncode}\n\n"
        return text

    def golden(self, update):
        expected = HERE / "expected"
        expected.mkdir(exist_ok=True)
        for name, commands, files in CASES:
            path = expected / f"{name}.txt"
            text = self.transcript(commands, files)
            before = path.read_text() if path.exists() else ""
            if update:
                path.write_text(text)
                continue
            self.check(text == before, "\n".join(difflib.unified_diff(
                before.splitlines(), text.splitlines(),
                f"expected/{name}.txt", "found", lineterm="")))
        names = {f"{name}.txt" for name, _, _ in CASES}
        for path in sorted(expected.iterdir()):
            if path.name in names:
                continue
            if update:
                path.unlink()
            self.check(update, f"no case writes {path.name}")

    def threads(self):
        with self.folder() as name:
            folder = pathlib.Path(name)
            self.fill(folder, {})
            paths = " ".join(f"sample_data/{s}.jsonl" for s in SETS)
            for what in (paths, "sample_data"):
                for form in ("text", "json"):
                    one, four = (self.run(
                        folder, f"profile {what} --format {form} --threads {n}")
                        for n in (1, 4))
                    self.check(one.returncode == 0 and
                               one.stdout == four.stdout and
                               one.stderr == four.stderr,
                               f"threads change profile {what} as {form}")

    def standard_input(self):
        """All but the file's identity is the same."""
        def rest(document, path):
            del document["dataset"]["files"]
            text = json.dumps(document, ensure_ascii=False)
            return text.replace(json.dumps(path), '"FILE"')

        with self.folder() as name:
            folder = pathlib.Path(name)
            self.fill(folder, {})
            for each in SETS:
                path = f"sample_data/{each}.jsonl"
                file = self.run(folder, f"profile {path} --format json")
                piped = self.run(folder, f"profile - --format json < {path}")
                self.check(rest(json.loads(file.stdout), path) ==
                           rest(json.loads(piped.stdout), "<stdin>"),
                           f"{path} differs on standard input")

    def on_terminal(self, folder, command, **env):
        """Stdout of a run that writes to a terminal."""
        master, slave = pty.openpty()
        process = subprocess.Popen([self.binary] + command.split(), cwd=folder,
                                   stdin=subprocess.DEVNULL, stdout=slave,
                                   stderr=subprocess.DEVNULL,
                                   env=environment(**env))
        os.close(slave)
        out = b""
        while True:
            try:
                part = os.read(master, 65536)
            except OSError:  # Linux says so when the other end is closed
                break
            if not part:
                break
            out += part
        os.close(master)
        process.wait(timeout=60)
        return out.decode().replace("\r\n", "\n")

    def formats(self):
        """One exit code, and the same bytes on stdout and in a file."""
        with self.folder() as name:
            folder = pathlib.Path(name)
            self.fill(folder, {"cut.jsonl.gz": ""})
            (folder / "cut.jsonl.gz").write_bytes(
                gzip.compress(b'{"text":"a"}\n' * 50)[:-12])
            for command, code in (
                    ("profile sample_data/sample_broken.jsonl", 0),
                    ("profile cut.jsonl.gz", 3),
                    ("profile missing.jsonl", 3),
                    ("profile sample_data/sample_sft.jsonl --type sftt", 2),
                    ("validate --dataset cut.jsonl.gz --max-errors 9", 3),
                    ("validate --dataset sample_data/sample_gsm8k.jsonl", 0),
                    ("validate --dataset sample_data/sample_broken.jsonl", 1),
                    ("validate --dataset sample_data/sample_sft.jsonl "
                     "--max-drift-pct 1", 3)):
                for form in FORMATS:
                    done = self.run(folder, f"{command} --format {form} "
                                    f"--report {form}=out")
                    self.check(done.returncode == code,
                               f"{command} as {form}: {done.returncode}")
                    said = done.stdout.decode()
                    self.check(code == 0 or not re.search(
                        r'\bPASS\b|"pass"|"exit_code": 0', said),
                               f"{command} as {form} passes: {said[:99]}")
                    tells = code in (0, 1) or "cut" in command or \
                        "drift" in command or form not in ("text", "json")
                    self.check(tells == (done.stdout != b""),
                               f"{command} as {form}: {done.stdout!r}")
                    if tells:
                        self.check((folder / "out").read_bytes() == done.stdout,
                                   f"{command} as {form}: another file")

    def colour(self):
        with self.folder() as name:
            folder = pathlib.Path(name)
            self.fill(folder, {})
            command = "profile sample_data/sample_broken.jsonl"
            plain = self.run(folder, command).stdout.decode()
            self.check("\x1b" not in plain, "colour in a log")
            shown = self.on_terminal(folder, command)
            self.check("\x1b[" in shown, "no colour on a terminal")
            self.check(re.sub(r"\x1b\[[0-9;]*m", "", shown) == plain,
                       "colour changes more than colour")
            self.check(self.on_terminal(folder, command, NO_COLOR="1") == plain,
                       "NO_COLOR is not respected")
            always = self.run(folder, command + " --color always", NO_COLOR="1")
            self.check(b"\x1b[" in always.stdout, "--color always is not")

    def manifests(self):
        """The reader and the published schema accept the same documents."""
        for name, (text, accepted) in MANIFESTS.items():
            errors = self.schema.errors(json.loads(text))
            self.check(accepted == (not errors), f"schema on {name}: {errors}")
            with self.folder() as folder_name:
                folder = pathlib.Path(folder_name)
                self.fill(folder, {"m.json": text})
                done = self.run(folder, "validate --manifest m.json")
                # Limits may be violated or unchecked; nothing is an error.
                self.check((done.stderr == b"") == accepted,
                           f"reader on {name}: exit {done.returncode}: "
                           f"{done.stderr.decode()}")

    def stored_manifest(self):
        with self.folder() as name:
            folder = pathlib.Path(name)
            self.fill(folder, {})
            for each in SETS:
                self.run(folder, f"profile sample_data/{each}.jsonl "
                         "--max-seq-len 50 --manifest-out m.json")
                errors = self.schema.errors(
                    parse_strictly((folder / "m.json").read_text()))
                self.check(not errors, f"manifest of {each}: {errors[:3]}")


def main():
    binary, source = str(pathlib.Path(sys.argv[1]).resolve()), pathlib.Path(
        sys.argv[2]).resolve()
    runner = Runner(binary, source)
    with runner.folder() as name:
        probe = runner.run(pathlib.Path(name), "profile - --format json")
        if probe.returncode != 0 or (json.loads(probe.stdout)["dataset"]
                                     ["tokenizer"]["exactness"] != "exact"):
            print("SKIPPED: golden: built without the o200k_base ranks")
            return 77
    runner.golden("--update" in sys.argv)
    runner.threads()
    runner.standard_input()
    runner.formats()
    runner.colour()
    runner.manifests()
    runner.stored_manifest()
    for failure in runner.failures:
        print("FAILED " + failure)
    print(f"{len(CASES)} golden files, {runner.checks} checks, "
          f"{len(runner.failures)} failed")
    return 1 if runner.failures else 0


if __name__ == "__main__":
    sys.exit(main())
