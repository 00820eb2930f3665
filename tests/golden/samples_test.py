#!/usr/bin/env python3
"""Holds the real binary against expected_samples.json.

    samples_test.py BINARY SOURCE_FOLDER

Sums, counts and quantiles are equal; padding waste is within 0.3 points. The
numbers in sample_data/README.md are the same ones.
Exit code 77 when the binary was built without the o200k_base ranks.
"""
import json
import pathlib
import subprocess
import sys

WASTE_POINTS = 0.3


def profile(binary, path, tokenizer):
    done = subprocess.run([binary, "profile", str(path), "--format", "json",
                           "--tokenizer", tokenizer],
                          capture_output=True, text=True, timeout=120)
    if done.returncode != 0:
        return None, done.stderr
    return json.loads(done.stdout), ""


def differences(binary, path, expected):
    for tokenizer in ("bytes", "chars", "o200k_base"):
        found, why = profile(binary, path, tokenizer)
        if found is None:
            yield f"{tokenizer}: {why}"
            continue
        p, prediction = found["profile"], found["prediction"]
        for name, want in expected[tokenizer].items():
            got = (p[name[:-len("_sum")]]["sum"] if name.endswith("side_sum")
                   else p["tokens"][name])
            if got != want:
                yield f"{tokenizer} {name} is {got}, expected {want}"
        for name in ("records", "malformed", "blank_lines"):
            if p[name] != expected[name]:
                yield f"{name} is {p[name]}, expected {expected[name]}"
    # Of the last run: tokens.
    for name in ("regime", "in_transition", "risk"):
        if prediction[name] != expected[name]:
            yield f"{name} is {prediction[name]}, expected {expected[name]}"
    padding, waste = prediction["padding"], expected["waste_pct"]
    for name, got in (("random", padding["waste_ratio"]),
                      ("file_order", padding["file_order_waste_ratio"])):
        if abs(100 * got - waste[name]) > WASTE_POINTS:
            yield f"{name} waste is {100 * got}, expected {waste[name]}"


def readme_row(name, e):
    t = e["o200k_base"]
    cells = [f"`{name}`", e["records"], e["malformed"], e["bytes"]["sum"],
             e["bytes"]["max"], e["chars"]["sum"], e["chars"]["max"],
             t["sum"], f"{t['mean']:.2f}", t["p50"], t["p99"], t["max"],
             f"{t['cv']:.3f}",
             e["regime"] + (" (in transition)" if e["in_transition"] else ""),
             e["risk"], f"{e['waste_pct']['random']:.1f}"]
    return "| " + " | ".join(str(cell) for cell in cells) + " |"


def main():
    binary, source = sys.argv[1], pathlib.Path(sys.argv[2])
    expected = json.loads(
        (source / "tests/golden/expected_samples.json").read_text())
    samples = source / "sample_data"
    found, _ = profile(binary, samples / "sample_sft.jsonl", "o200k_base")
    if found is None or found["dataset"]["tokenizer"]["exactness"] != "exact":
        print("SKIPPED: samples: built without the o200k_base ranks")
        return 77
    failures = []
    names = {path.name for path in samples.glob("*.jsonl")}
    if names != set(expected):
        failures.append(f"expectations of {sorted(names ^ set(expected))}")
    readme = (samples / "README.md").read_text()
    for name in sorted(expected):
        failures += [f"{name}: {d}" for d in differences(
            binary, samples / name, expected[name])]
        if readme_row(name, expected[name]) not in readme.splitlines():
            failures.append(f"sample_data/README.md lacks the row\n"
                            + readme_row(name, expected[name]))
    for failure in failures:
        print("FAILED " + failure)
    print(f"{len(expected)} sets, {len(failures)} differences")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
