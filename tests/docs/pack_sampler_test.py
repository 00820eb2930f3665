#!/usr/bin/env python3
"""Runs the guide's batch sampler on an index that the real program writes.

    pack_sampler_test.py BINARY SOURCE_FOLDER

Every row must be in one pack. Exit code 77 (skipped) without NumPy.
"""
import pathlib
import re
import subprocess
import sys
import tempfile


def main():
    binary, source = sys.argv[1], pathlib.Path(sys.argv[2])
    try:
        import numpy  # noqa: F401
    except ImportError:
        print("SKIPPED: pack sampler: numpy is not installed")
        return 77
    guide = (source / "docs" / "guide.md").read_text()
    code = re.search(r"<!-- pack-index-sampler -->\n```python\n(.*?)```", guide,
                     re.S).group(1)
    scope = {}
    exec(compile(code, "docs/guide.md", "exec"), scope)
    data = source / "sample_data" / "quadrant_clean.jsonl"
    rows = len(data.read_text().splitlines())
    with tempfile.TemporaryDirectory() as folder:
        prefix = str(pathlib.Path(folder) / "packs")
        subprocess.run([binary, "pack", str(data), "--tokenizer", "bytes",
                        "--max-seq-len", "2048", "--index", prefix],
                       check=True, capture_output=True)
        packs = list(scope["PackSampler"](prefix))
    seen = sorted(row for pack in packs for row in pack)
    assert seen == list(range(rows)), "not every row is there once"
    assert len(packs) < rows, "nothing was packed"
    print(f"{rows} rows in {len(packs)} packs")
    return 0


if __name__ == "__main__":
    sys.exit(main())
