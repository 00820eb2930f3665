#!/usr/bin/env python3
"""Holds the real binary against the truths of ../shared/data.

    truth_test.py BINARY SHARED_FOLDER

Records, malformed and blank lines, and byte, code-point and o200k_base sums
must be equal; quantiles and padding within the stated bounds. Says loudly
which files it could not check, and why.
"""
import json
import pathlib
import subprocess
import sys

# How to read the files whose columns have no usual names.
OPTIONS = {
    "flan_cot_strategyqa_train.tsv":
        ["--columns", "question=column_1,answer=column_3,context=column_2"],
    "instructgpt_fr_to_en_samples.csv":
        ["--columns", "prompt=context,completion=ref_text"],
    "tinyshakespeare_input.txt": [],
}
# Files without records: what they must be refused for.
REFUSED = {
    "hh_rlhf_helpful_test.lfs_pointer.jsonl.gz": "Git LFS",
    "meg_gpt2_openwebtext.bin": None,
}
UNITS = {"bytes": "bytes", "codepoints": "chars", "o200k_base": "o200k_base"}


def profile(binary, path, tokenizer, extra):
    command = [binary, "profile", str(path), "--format", "json", "--progress",
               "never", "--tokenizer", tokenizer] + extra
    done = subprocess.run(command, capture_output=True, text=True, timeout=300)
    return done, json.loads(done.stdout) if done.stdout else None


class Checks:
    def __init__(self):
        self.count = 0
        self.failures = []

    def equal(self, what, got, want):
        self.count += 1
        if got != want:
            self.failures.append(f"{what}: {got}, truth {want}")

    def near(self, what, got, want, bound):
        self.count += 1
        if abs(got - want) > bound:
            self.failures.append(f"{what}: {got}, truth {want} +- {bound:g}")


def check_lengths(checks, what, ours, truth):
    checks.equal(f"{what} sum", ours["sum"], truth["sum"])
    checks.near(f"{what} mean", ours["mean"], truth["mean"], 2e-6)
    checks.near(f"{what} stddev", ours["stddev"], truth["std"], 2e-6)
    checks.equal(f"{what} min", ours["min"], truth["min"])
    checks.equal(f"{what} max", ours["max"], truth["max"])
    for p in ("p50", "p90", "p95"):
        checks.near(f"{what} {p}", ours[p], truth[p], max(1, 0.005 * truth[p]))
    checks.near(f"{what} p99", ours["p99"], truth["p99"], 0.01 * truth["p99"])


def check_padding(checks, what, binary, path, extra, truth):
    for batch in (4, 8, 32):
        for limit in ("none", "512", "2048"):
            flags = extra + ["--micro-batch", str(batch)]
            if limit != "none":
                flags += ["--max-seq-len", limit]
            _, ours = profile(binary, path, "o200k_base", flags)
            padding = ours["prediction"]["padding"]
            want = truth["shuffle_mean_seeds_1_to_200"][f"bs{batch}"][limit]
            checks.near(f"{what} random waste bs{batch} {limit}",
                        100 * padding["waste_ratio"], want, 0.3)
            if limit == "none" and "file_order_waste_ratio" in padding:
                checks.near(f"{what} file order bs{batch}",
                            100 * padding["file_order_waste_ratio"],
                            truth["file_order"][f"bs{batch}"]["none"], 1e-3)


def check_packing(checks, name, binary, path, extra, truth):
    """Best-fit decreasing at 2048: as many packs as the truth, or fewer."""
    series = [s for s in ("text", "input_ids") if s in truth["series"]]
    for s in series:
        want = truth["series"][s].get("packing_2048_o200k") or truth[
            "series"][s].get("packing_2048")
        if not want:
            continue
        command = [binary, "pack", str(path), "--max-seq-len", "2048",
                   "--dry-run", "--format", "json", "--progress", "never",
                   "--tokenizer", "o200k_base"] + extra
        done = subprocess.run(command, capture_output=True, text=True,
                              timeout=300)
        if done.returncode != 0:
            checks.failures.append(f"{name} pack: {done.stderr.strip()[:200]}")
            continue
        choices = {c["name"]: c for c in json.loads(done.stdout)["choices"]}
        for choice, policy in (("bfd", "truncate"), ("bfd_split", "split")):
            if choice not in choices:
                continue
            ours = choices[choice]
            checks.equal(f"{name} {choice} at most {want[policy]['sequences']}"
                         f" packs ({ours['sequences']})",
                         ours["sequences"] <= want[policy]["sequences"], True)
            checks.equal(f"{name} {choice} tokens", ours["tokens"],
                         want[policy]["tokens"])


def check_file(checks, binary, shared, name, truth):
    path = shared / "data" / name
    extra = OPTIONS.get(name, [])
    for unit, tokenizer in UNITS.items():
        done, ours = profile(binary, path, tokenizer, extra)
        if done.returncode != 0:
            checks.failures.append(f"{name}: exit {done.returncode}: "
                                   f"{done.stderr.strip()[:200]}")
            return
        p = ours["profile"]
        if unit == "bytes":
            checks.equal(f"{name} records", p["records"], truth["records"])
            checks.equal(f"{name} malformed", p["malformed"],
                         truth.get("malformed_lines") or 0)
            if truth.get("blank_lines") is not None:
                checks.equal(f"{name} blank lines", p["blank_lines"],
                             truth["blank_lines"])
        for series, figures in truth["series"].items():
            if series in ("text", "input_ids"):
                key = "content_tokens"
            elif series in ("chosen", "rejected"):
                key = series + "_side"
            else:
                continue
            figures = figures.get(unit) or (
                figures.get("tokens") if series == "input_ids" else None)
            if figures is not None:
                check_lengths(checks, f"{name} {series} {unit}", p[key],
                              figures)
    check_packing(checks, name, binary, path, extra, truth)
    # Pairs are padded together: the truth pads each side alone.
    one = [s for s in ("text", "input_ids") if s in truth["series"]]
    for series in one:
        waste = truth["series"][series].get(
            "padding_waste_percent_o200k") or truth["series"][series].get(
                "padding_waste_percent")
        if waste:
            check_padding(checks, name, binary, path, extra, waste)


def main():
    binary, shared = sys.argv[1], pathlib.Path(sys.argv[2])
    truth_file = shared / "data" / "truth.json"
    if not truth_file.exists():
        print(f"SKIPPED: no {truth_file.name} beside the checkout: "
              "the real data sets are not checked")
        return 0
    truths = json.loads(truth_file.read_text())["files"]
    checks = Checks()
    for name in sorted(truths):
        if name in REFUSED:
            done, _ = profile(binary, shared / "data" / name, "bytes", [])
            checks.equal(f"{name} exit code", done.returncode, 3)
            if REFUSED[name] is not None:
                checks.equal(f"{name} says what it is",
                             REFUSED[name] in done.stderr, True)
            continue
        check_file(checks, binary, shared, name, truths[name])
    for failure in checks.failures:
        print("FAILED " + failure)
    print(f"{checks.count} figures of {len(truths)} files, "
          f"{len(checks.failures)} differ")
    return 1 if checks.failures else 0


if __name__ == "__main__":
    sys.exit(main())
