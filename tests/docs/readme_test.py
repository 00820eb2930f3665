#!/usr/bin/env python3
"""The commands that README.md, the guide and docs/ci.md show do what they show.

    readme_test.py BINARY SOURCE_FOLDER            runs and compares
    readme_test.py BINARY SOURCE_FOLDER --update   writes the outputs anew

A block after <!-- run --> is run, all blocks of a page in one folder that holds
a copy of sample_data, and must end with 0, or as <!-- run exit=N --> says. A
block after <!-- output --> is the stdout of the block before it.
Also: every link to a file of the checkout leads to one.
Exit code 77 when the binary was built without the o200k_base ranks.
"""
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

PAGES = ("README.md", "docs/guide.md", "docs/ci.md")
MARK = re.compile(r"<!-- (run|output)(?: exit=(\d+))? -->\n"
                  r"```\w*\n(.*?)```\n", re.DOTALL)
LINK = re.compile(r"\]\(([^)#:]+)(?:#[^)]*)?\)")


def run(folder, script):
    env = {"PATH": f"{folder}/.bin:{os.environ['PATH']}", "LC_ALL": "C.UTF-8"}
    return subprocess.run(["bash", "-euc", script], cwd=folder, env=env,
                          stdin=subprocess.DEVNULL, capture_output=True,
                          timeout=120)


def check_page(binary, source, page, update):
    path = source / page
    text = path.read_text()
    failures, blocks, last = [], 0, None
    with tempfile.TemporaryDirectory(prefix="trainsight-docs-") as name:
        folder = pathlib.Path(name)
        shutil.copytree(source / "sample_data", folder / "sample_data")
        (folder / ".bin").mkdir()
        (folder / ".bin/trainsight").symlink_to(binary)

        def replace(match):
            nonlocal last, blocks
            kind, code, body = match.groups()
            if kind == "run":
                blocks += 1
                last = run(name, body)
                if last.returncode != int(code or 0):
                    failures.append(f"{page}: exit {last.returncode}:\n{body}"
                                    f"{last.stderr.decode()}")
                return match.group()
            out = last.stdout.decode()
            if out != body and not update:
                failures.append(f"{page}: shows\n{body}but the output is\n{out}")
            at, end = (match.start(3) - match.start(), match.end(3) -
                       match.start())
            return match.group()[:at] + out + match.group()[end:]

        new = MARK.sub(replace, text)
    if update:
        path.write_text(new)
    if blocks == 0:
        failures.append(f"{page}: no block is marked to run")
    return failures


def check_links(source):
    pages = [p for p in source.rglob("*.md")
             if not any(part.startswith((".", "build")) for part in
                        p.relative_to(source).parts)]
    return [f"{p.relative_to(source)}: no file {target}"
            for p in pages for target in LINK.findall(p.read_text())
            if not (p.parent / target).exists()]


def main():
    binary = str(pathlib.Path(sys.argv[1]).resolve())
    source = pathlib.Path(sys.argv[2]).resolve()
    probe = subprocess.run([binary, "profile", "-", "--format", "json"],
                           stdin=subprocess.DEVNULL, capture_output=True,
                           timeout=60)
    if probe.returncode != 0 or json.loads(
            probe.stdout)["dataset"]["tokenizer"]["exactness"] != "exact":
        print("SKIPPED: docs: built without the o200k_base ranks")
        return 77
    failures = check_links(source)
    for page in PAGES:
        failures += check_page(binary, source, page, "--update" in sys.argv)
    for failure in failures:
        print("FAILED " + failure)
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
