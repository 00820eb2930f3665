#!/usr/bin/env python3
"""Counts the same documents with trainsight and with other tokenizers.

    pip install tokenizers==0.23.3 tiktoken==0.14.0 gigatoken==0.10.0 \
        quicktok-v1==0.4.0
    tokenizer_peers.py --binary build/release/bin/trainsight \
        --vocabulary o200k_base.tiktoken --vocabulary qwen3/tokenizer.json \
        --text English=prose.txt --text code='/usr/lib/python3*/*.py' …

Of each text (a file or a quoted glob; tags of HTML and commands of man pages
are taken out) up to --megabytes are cut into documents of about 3 kB at line
ends. Every tool counts all of them once, which also warms it, and then --passes
times; figures are MB of text a second of processor time, of one thread, best
pass. trainsight reads them as JSON Lines with `tokens --field`, so that its
figure holds the JSON and the printing: the time of a file with the documents
many times less that of a file with them once, by the number of repetitions.
The program fails when any two totals differ.
"""
import argparse
import base64
import glob
import gzip
import html
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import time
from importlib.metadata import PackageNotFoundError, version

os.environ["TOKENIZERS_PARALLELISM"] = "false"
os.environ["RAYON_NUM_THREADS"] = "1"
REPEATS = 80


def text_of(pattern, size):
    """The first `size` bytes' worth of the files' text."""
    out, left = [], size
    for path in sorted(glob.glob(pattern, recursive=True)):
        data = open(path, "rb").read()
        if path.endswith(".gz"):
            data = gzip.decompress(data)
        text = data.decode("utf-8", "replace")
        if path.endswith(".html"):
            text = re.sub(r"(?s)<(script|style).*?</\1>|<[^>]*>", " ", text)
            text = re.sub(r"[ \t]*\n\s*", "\n", html.unescape(text))
        elif re.search(r"\.[1-8]\.gz$", path):
            text = re.sub(r"(?m)^[.'].*\n|\\f.|\\-", "", text)
        elif path.endswith(".jsonl"):
            text = "\n".join(
                m["content"] if isinstance(m, dict) and "content" in m else
                m.get("value", "") if isinstance(m, dict) else str(m)
                for line in text.splitlines() if line.strip()
                for value in json.loads(line).values()
                for m in (value if isinstance(value, list) else [value]))
        out.append(text)
        left -= len(text.encode())
        if left <= 0:
            break
    return "\n".join(out).encode()[:size].decode("utf-8", "ignore")


def documents_of(text):
    """Cut at the first line end after 3,000 bytes."""
    documents, lines, size = [], [], 0
    for line in text.splitlines(keepends=True):
        lines.append(line)
        size += len(line.encode())
        if size >= 3000:
            documents.append("".join(lines))
            lines, size = [], 0
    return documents + (["".join(lines)] if lines else [])


def library(name):
    try:
        return f"{name} {version(name)}"
    except PackageNotFoundError:
        return None


def peers_of(path):
    """(name and version, function from documents to a count) of each tool that
    can read the vocabulary."""
    file = pathlib.Path(path)
    is_ranks = file.suffix == ".tiktoken"
    if is_ranks and library("tiktoken"):
        import tiktoken
        from tiktoken_ext import openai_public
        ranks = {base64.b64decode(token): int(rank) for token, rank in
                 (line.split() for line in file.open("rb"))}
        openai_public.load_tiktoken_bpe = lambda *a, **k: ranks
        name = file.stem
        encoding = tiktoken.Encoding(
            name, pat_str=getattr(openai_public, name)()["pat_str"],
            mergeable_ranks=ranks, special_tokens={})
        yield library("tiktoken"), lambda documents: sum(
            len(encoding.encode_ordinary(d)) for d in documents)
    if not is_ranks and library("tokenizers"):
        import tokenizers
        hf = tokenizers.Tokenizer.from_file(str(file))
        hf.no_truncation()
        hf.no_padding()
        yield library("tokenizers"), lambda documents: sum(
            len(e.ids) for e in hf.encode_batch_fast(
                documents, add_special_tokens=False))
    if library("quicktok-v1") and is_ranks:
        import quicktok
        quick = quicktok.get_encoding(file.stem)
        yield library("quicktok-v1"), lambda documents: sum(
            quick.count(d) for d in documents)
    if library("gigatoken"):
        import awkward  # what it answers with
        import gigatoken
        try:
            giga = (gigatoken.Tokenizer.from_tiktoken(file, special_tokens=None)
                    if is_ranks else gigatoken.Tokenizer(file))
        except Exception as error:  # it refuses kinds that it does not have
            print(f"  gigatoken: {error}", file=sys.stderr)
        else:
            def count(documents):
                batch = giga.encode_batch(documents, parallel=False)
                return int(awkward.sum(awkward.num(batch)))
            yield library("gigatoken"), count


def best(count, documents, passes):
    """(total, best processor seconds) of a warm pass."""
    total = count(documents)
    seconds = []
    for _ in range(passes):
        begin = time.process_time()
        if count(documents) != total:
            sys.exit("a second pass counts otherwise")
        seconds.append(time.process_time() - begin)
    return total, min(seconds)


def child_seconds(command):
    """(its output, its processor seconds)."""
    with tempfile.TemporaryFile() as out:
        child = subprocess.Popen(command, stdout=out)
        _, status, usage = os.wait4(child.pid, 0)
        if status != 0:
            sys.exit(f"{command} failed")
        out.seek(0)
        return out.read(), usage.ru_utime + usage.ru_stime


def ours(binary, vocabulary, documents, passes):
    """(total, processor seconds a pass) of trainsight."""
    rows = "".join(json.dumps({"text": d}, ensure_ascii=False) + "\n"
                   for d in documents)
    with tempfile.TemporaryDirectory() as folder:
        once, often = (os.path.join(folder, name) for name in ("1", "n"))
        pathlib.Path(once).write_text(rows, encoding="utf-8")
        pathlib.Path(often).write_text(rows * (1 + REPEATS), encoding="utf-8")
        seconds = []
        for _ in range(passes):
            command = [binary, "tokens", "--tokenizer", vocabulary, "--field",
                       "text"]
            out, short = child_seconds(command + [once])
            _, long = child_seconds(command + [often])
            seconds.append((long - short) / REPEATS)
    total = sum(json.loads(line)["tokens"] for line in out.splitlines())
    return total, min(seconds)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--binary", required=True)
    parser.add_argument("--vocabulary", action="append", required=True)
    parser.add_argument("--text", action="append", required=True,
                        metavar="NAME=GLOB")
    parser.add_argument("--megabytes", type=float, default=2)
    parser.add_argument("--passes", type=int, default=3)
    args = parser.parse_args()

    texts = {}
    for given in args.text:
        name, pattern = given.split("=", 1)
        texts[name] = documents_of(text_of(pattern, int(args.megabytes * 1e6)))
    wrong = False
    for vocabulary in args.vocabulary:
        path = pathlib.Path(vocabulary)
        peers = list(peers_of(path))
        print(f"\n{path.parent.name}/{path.name}: MB/s (times less than "
              f"trainsight)  load {os.getloadavg()[0]:.1f}")
        for name, documents in texts.items():
            size = sum(len(d.encode()) for d in documents)
            total, seconds = ours(args.binary, vocabulary, documents,
                                  args.passes)
            cells = [f"trainsight {size / 1e6 / seconds:.0f}"]
            for peer, count in peers:
                theirs, spent = best(count, documents, args.passes)
                cells.append(f"{peer} {size / 1e6 / spent:.1f} "
                             f"({spent / seconds:.1f})")
                if theirs != total:
                    wrong = True
                    cells[-1] += f" WRONG: {theirs} tokens, ours {total}"
            print(f"  {name:8} {size / 1e6:.2f} MB {total:8} tokens  " +
                  "  ".join(cells), flush=True)
    sys.exit(1 if wrong else 0)


if __name__ == "__main__":
    main()
