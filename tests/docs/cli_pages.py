#!/usr/bin/env python3
"""docs/reference/cli.md is what `--help` prints.

    cli_pages.py BINARY SOURCE_FOLDER            compares
    cli_pages.py BINARY SOURCE_FOLDER --update   writes the page anew
"""
import difflib
import pathlib
import re
import subprocess
import sys

HEAD = """# Command line

What `trainsight --help` and `trainsight COMMAND --help` print; written by
`tests/docs/cli_pages.py`. Data go to stdout, everything else to stderr. A path
is literal; `-` is standard input; after `--` nothing is a flag. The exit codes
are in [exit-codes.md](exit-codes.md).
"""


def help_of(binary, *command):
    done = subprocess.run([binary, *command, "--help"], capture_output=True,
                          text=True, timeout=60)
    if done.returncode != 0 or done.stderr:
        sys.exit(f"{command}: --help ended with {done.returncode}: "
                 f"{done.stderr}")
    return "\n".join(line.rstrip() for line in
                     done.stdout.strip("\n").split("\n")) + "\n"


def commands(text):
    listed = text.split("Subcommands:\n", 1)[1]
    return re.findall(r"^  (\w+) ", listed, re.MULTILINE)


def main():
    binary, source = sys.argv[1], pathlib.Path(sys.argv[2])
    path = source / "docs/reference/cli.md"
    top = help_of(binary)
    page = HEAD + f"\n## trainsight\n\n```text\n{top}```\n"
    for command in commands(top):
        page += (f"\n## trainsight {command}\n\n"
                 f"```text\n{help_of(binary, command)}```\n")
    if "--update" in sys.argv:
        path.write_text(page)
        return 0
    found = path.read_text()
    if found != page:
        print("\n".join(difflib.unified_diff(
            found.splitlines(), page.splitlines(), str(path), "--help",
            lineterm="")))
        print("FAILED: run cli_pages.py with --update and read the diff")
        return 1
    print(f"cli.md shows {len(commands(top))} commands as --help does")
    return 0


if __name__ == "__main__":
    sys.exit(main())
