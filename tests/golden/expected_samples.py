#!/usr/bin/env python3
"""Works out what each set of sample_data must give, without trainsight.

    expected_samples.py SAMPLE_FOLDER [RANK_FILE]          prints the JSON
    expected_samples.py SAMPLE_FOLDER [RANK_FILE] --check FILE
                                                  compares it with FILE

RANK_FILE is o200k_base.tiktoken; else the environment's TRAINSIGHT_O200K_FILE.
Nothing but the standard library: json for the rows, byte pair encoding as its
definition says (merge the pair of least rank until none is left), means and
quantiles by their definitions, and for padding 200 shuffled epochs.
Exit code 77 when there is no rank file.
"""
import base64
import json
import math
import os
import pathlib
import re
import sys
import unicodedata

BATCH = 8
SHUFFLES = 200
MASK = (1 << 64) - 1

# --- o200k_base -------------------------------------------------------------


def char_class(holds):
    """The characters for which holds(c), as the inside of a [...]."""
    out, begin = [], None
    for point in range(0x110000 + 1):
        inside = point < 0x110000 and holds(chr(point))
        if inside and begin is None:
            begin = point
        if not inside and begin is not None:
            out.append(f"\\U{begin:08x}-\\U{point - 1:08x}")
            begin = None
    return "".join(out)


def o200k_pattern():
    """The published pattern; Python's re has no \\p{...}, so spelt out."""
    category = [unicodedata.category(chr(i)) for i in range(0x110000)]

    def of(*names):
        return char_class(lambda c: category[ord(c)] in names)

    upper = of("Lu", "Lt", "Lm", "Lo", "Mn", "Mc", "Me")
    lower = of("Ll", "Lm", "Lo", "Mn", "Mc", "Me")
    letter = of("Lu", "Ll", "Lt", "Lm", "Lo")
    number = of("Nd", "Nl", "No")
    # White_Space: Python's str.isspace() less the four separators of ASCII.
    space = char_class(lambda c: c.isspace() and not "\x1c" <= c <= "\x1f")
    suffix = "(?:'(?:[sS]|[tT]|[rR][eE]|[vV][eE]|[mM]|[lL][lL]|[dD]))?"
    return re.compile("|".join([
        f"[^\\r\\n{letter}{number}]?[{upper}]*[{lower}]+{suffix}",
        f"[^\\r\\n{letter}{number}]?[{upper}]+[{lower}]*{suffix}",
        f"[{number}]{{1,3}}",
        f" ?[^{space}{letter}{number}]+[\\r\\n/]*",
        f"[{space}]*[\\r\\n]+",
        f"[{space}]+(?![^{space}])",
        f"[{space}]+",
    ]))


class Tokenizer:
    def __init__(self, rank_file):
        self.ranks = {}
        for line in pathlib.Path(rank_file).read_bytes().splitlines():
            token, rank = line.split()
            self.ranks[base64.b64decode(token)] = int(rank)
        self.pattern = o200k_pattern()
        self.known = {}

    def count_word(self, word):
        parts = [word[i:i + 1] for i in range(len(word))]
        while len(parts) > 1:
            ranks = [self.ranks.get(a + b, math.inf)
                     for a, b in zip(parts, parts[1:])]
            least = min(ranks)
            if least == math.inf:
                break
            at = ranks.index(least)
            parts[at:at + 2] = [parts[at] + parts[at + 1]]
        return len(parts)

    def count(self, text):
        total = 0
        for match in self.pattern.finditer(text):
            word = match.group().encode()
            if word not in self.known:
                self.known[word] = self.count_word(word)
            total += self.known[word]
        return total


# --- rows -------------------------------------------------------------------


def no_constant(name):
    raise ValueError(f"{name} is not JSON")


def read_rows(path):
    """The objects of a JSON Lines file, malformed lines and blank lines."""
    rows, malformed, blank = [], 0, 0
    data = path.read_bytes()
    lines = data.split(b"\n")
    if lines[-1] == b"":
        lines.pop()
    for line in lines:
        if not line.strip(b" \t\r"):
            blank += 1
            continue
        try:
            row = json.loads(line.decode("utf-8"), parse_constant=no_constant)
        except ValueError:
            row = None
        if isinstance(row, dict):
            rows.append(row)
        else:
            malformed += 1
    return rows, malformed, blank


def sequences(row):
    """The texts of a row's training sequences: one list, or two of a pair."""
    if "messages" in row:
        return [[m["content"] for m in row["messages"]]]
    if "chosen" in row:
        return [[row["prompt"], row["chosen"]], [row["prompt"], row["rejected"]]]
    for names in (("instruction", "input", "output"), ("prompt", "completion"),
                  ("question", "answer"), ("text",), ("prompt",)):
        if all(name in row for name in names):
            return [[row[name] for name in names if row[name] is not None]]
    raise ValueError(f"a row of no known shape: {sorted(row)}")


# --- figures ----------------------------------------------------------------


def quantile(ordered, p):
    return ordered[max(1, math.ceil(p * len(ordered))) - 1]


def lengths_of(values):
    ordered = sorted(values)
    n, total = len(values), sum(values)
    mean = total / n
    deviation = math.sqrt(n * sum(v * v for v in values) - total * total) / n
    return {"sum": total, "mean": round(mean, 6),
            "cv": round(deviation / mean, 6) if mean else 0.0,
            "p50": quantile(ordered, 0.50), "p90": quantile(ordered, 0.90),
            "p99": quantile(ordered, 0.99), "max": ordered[-1]}


def shuffled(items, seed):
    """Fisher-Yates by SplitMix64: the rule of the padding truths."""
    items, state = list(items), seed
    for i in range(len(items) - 1, 0, -1):
        state = (state + 0x9E3779B97F4A7C15) & MASK
        z = state
        z = ((z ^ (z >> 30)) * 0xBF58476D1CE4E5B9) & MASK
        z = ((z ^ (z >> 27)) * 0x94D049BB133111EB) & MASK
        j = (z ^ (z >> 31)) % (i + 1)
        items[i], items[j] = items[j], items[i]
    return items


def waste(rows):
    """Per cent of slots without a token; a row is its sequences' lengths."""
    used = slots = 0
    for begin in range(0, len(rows), BATCH):
        batch = rows[begin:begin + BATCH]
        width = max(max(row) for row in batch)
        slots += width * sum(len(row) for row in batch)
        used += sum(sum(row) for row in batch)
    return 100 * (slots - used) / slots


def regime(cv, p99):
    """Quadrant, whether a factor is in transition, and risk grade."""
    spread, tail = cv > 0.75, p99 > 1000
    name = {(False, False): "clean execution",
            (True, False): "padding memory waste",
            (False, True): "throughput collapse & entropy inflation",
            (True, True): "dual catastrophic failure"}[spread, tail]
    grade = ("low" if cv < 0.25 else "moderate" if cv < 0.40
             else "high" if cv <= 0.75 else "critical")
    return name, 0.40 <= cv <= 0.75 or 500 <= p99 <= 1000, grade


def figures(path, tokenizer):
    rows, malformed, blank = read_rows(path)
    result = {"records": len(rows), "malformed": malformed,
              "blank_lines": blank}
    for unit, count in (("bytes", lambda t: len(t.encode())), ("chars", len),
                        ("o200k_base", tokenizer.count)):
        counted = [[sum(count(text) for text in side)
                    for side in sequences(row)] for row in rows]
        result[unit] = lengths_of([max(row) for row in counted])
        if any(len(row) == 2 for row in counted):
            for side, name in enumerate(("chosen_side", "rejected_side")):
                result[unit][name + "_sum"] = sum(r[side] for r in counted)
    tokens = result["o200k_base"]
    result["regime"], result["in_transition"], result["risk"] = regime(
        tokens["cv"], tokens["p99"])
    result["waste_pct"] = {
        "micro_batch": BATCH,
        "random": round(sum(waste(shuffled(counted, seed))
                            for seed in range(1, SHUFFLES + 1)) / SHUFFLES, 4),
        "file_order": round(waste(counted), 4)}
    return result


def main():
    arguments = sys.argv[1:]
    expected = None
    if "--check" in arguments:
        at = arguments.index("--check")
        expected = json.loads(pathlib.Path(arguments[at + 1]).read_text())
        del arguments[at:at + 2]
    rank_file = (arguments[1:] or [os.environ.get("TRAINSIGHT_O200K_FILE", "")])[0]
    if not rank_file or not pathlib.Path(rank_file).exists():
        print("SKIPPED: no o200k_base.tiktoken: expectations not derived anew")
        return 77
    tokenizer = Tokenizer(rank_file)
    found = {path.name: figures(path, tokenizer)
             for path in sorted(pathlib.Path(arguments[0]).glob("*.jsonl"))}
    if expected is None:
        print(json.dumps(found, indent=2))
        return 0
    wrong = [name for name in sorted(set(found) | set(expected))
             if found.get(name) != expected.get(name)]
    for name in wrong:
        print(f"{name}: worked out {found.get(name)}\n"
              f"  but written {expected.get(name)}")
    print(f"{len(found)} sets worked out anew, {len(wrong)} differ")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
