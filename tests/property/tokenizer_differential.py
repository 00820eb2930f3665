#!/usr/bin/env python3
"""Holds trainsight's token counts against the reference implementations.

Not a unit test: it runs for as long as the references need (some 2 MB/s each).
It makes documents with a fixed seed, writes them as JSON Lines in chunks of
--chunk megabytes, has both sides count each chunk, and prints every
difference. Counted and encoded lengths of trainsight, which take different
ways through its code, and the ids must all agree with the reference.

    pip install tokenizers==0.23.3 tiktoken==0.14.0 sentencepiece==0.2.3
                      (0.2.0 for Unigram: docs/benchmarks.md says why)
    tokenizer_differential.py --binary build/release/bin/trainsight \
        --folder /tmp/chunks --megabytes 100 --seconds 280 \
        --results /tmp/results.jsonl --tokenizers ../shared/tokenizers/* \
        --corpora ../shared/data/* ../shared/tokenizers/golden.jsonl

A tokenizer is a folder, or a file: tokenizer.json(.gz), tekken.json(.gz),
X.tiktoken or X.model; a folder stands for all of these in it. Of the corpora,
the texts of JSON and JSON Lines are taken (packed ones too), of other files
the lines. The documents depend on the corpora, the seed and the size alone:
the chunks of --folder are made once and read by later calls. A call ends after
--seconds, and the next one goes on after the chunks that --results has. Exit
code 1 when there are differences.
"""
import argparse
import base64
import gzip
import json
import os
import pathlib
import random
import subprocess
import sys
import tempfile
import time
from importlib.metadata import version

SPICE = ["<s>", "</s>", "<|endoftext|>", "<unk>", "[MASK]", " [MASK] ", "<pad>",
         "<|im_start|>", "<|eot_id|>", "<start_of_turn>", "[INST]", "<mask>",
         "\n\n\n", "\t\t", "   ", "\u2581", "\u2581\u2581", "\u00a0", "\u3000",
         "\r\n", "\r", " \n ", "\x0b", "\x0c", "\u200b", "\ufeff", "\u0301",
         "e\u0301", "'s", "'S", "\u2019s", "'LL", "'\u017f", "I'Ve", "can't",
         "\U0001f469\u200d\U0001f469\u200d\U0001f467", "\u0130", "\ufb01", "``",
         "''", "\u1100\u1161\u11a8", "\u0915\u094d\u0937", "0123456789" * 4,
         "a" * 40, "\u4f60\u597d", "\x00", "\x7f", "\u0085", "\u2028", "\u00ad",
         "CamelCaseWord", "HTTPServer2", "\u01c5", "\u02b0", "\u00b2\u00bd",
         "\u0663\u0664", "\u2167", "\U0001d7d8", "\u1e9b\u0323", "\uac00\u11a8",
         "\ud7a3", "\uffff", "\U0010ffff", "\ue000", "\u0344", "\u2126"]

# First and last code point of blocks whose letters, marks and digits are
# written in running text.
SCRIPTS = [(0x41, 0x7a), (0xc0, 0x24f), (0x370, 0x3ff), (0x400, 0x52f),
           (0x531, 0x586), (0x5d0, 0x5ea), (0x620, 0x6ff), (0x710, 0x74f),
           (0x780, 0x7b1), (0x900, 0x97f), (0x980, 0x9fe), (0xa05, 0xa75),
           (0xa85, 0xaff), (0xb05, 0xb77), (0xb85, 0xbfa), (0xc05, 0xc7f),
           (0xc85, 0xcef), (0xd05, 0xd7f), (0xd85, 0xdf4), (0xe01, 0xe5b),
           (0xe81, 0xedf), (0xf00, 0xfd4), (0x1000, 0x109f), (0x10a0, 0x10ff),
           (0x1100, 0x11ff), (0x1200, 0x137f), (0x13a0, 0x13fd),
           (0x1780, 0x17f9), (0x1820, 0x1878), (0x1e00, 0x1eff),
           (0x1f00, 0x1fff), (0x3041, 0x3096), (0x30a0, 0x30ff),
           (0x4e00, 0x9fff), (0xac00, 0xd7a3), (0xff01, 0xffdc),
           (0x10400, 0x1044f), (0x1d400, 0x1d7ff), (0x20000, 0x2a6df)]


def code_point(rng):
    """Any scalar value, small ones more often."""
    limit = rng.choice([0x80, 0x250, 0x3000, 0x10000, 0x20000, 0x110000])
    c = rng.randrange(limit)
    return chr(c if not 0xD800 <= c < 0xE000 else c - 0x800)


def script_text(rng, size):
    """Words of one script, as an alphabet of 40 of its characters has them."""
    first, last = rng.choice(SCRIPTS)
    alphabet = [chr(rng.randint(first, last)) for _ in range(40)]
    words = ["".join(rng.choices(alphabet, k=rng.randint(1, 9)))
             for _ in range(60)]
    gaps = rng.choice([[" "], [" ", " ", ", ", ". ", "\n"], [""],
                       [" ", "  ", "\u00a0", "-", "12 ", "'s ", "\r\n\r\n"]])
    out = []
    while size > 0:
        out += [rng.choice(words), rng.choice(gaps)]
        size -= len(out[-2]) + len(out[-1])
    return "".join(out)


def run_text(rng, size):
    """Long runs: one thing many times, a few hundred characters each."""
    out = []
    while size > 0:
        kind = rng.randrange(7)
        n = int(rng.lognormvariate(3, 1.2)) + 1
        if kind == 0:
            piece = rng.choice(" \n\t\r\u00a0\u3000\u2003") * n
        elif kind == 1:
            piece = "".join(rng.choices(" \n\t\r", k=n))
        elif kind == 2:
            piece = "".join(rng.choices("0123456789", k=n))
        elif kind == 3:
            piece = rng.choice("aAZ.-=_#\u00e9\u4e00\u0e01\u0301") * n
        elif kind == 4:
            piece = "".join(rng.choices("abcdefghijklmnopqrstuvwxyz", k=n))
        elif kind == 5:
            piece = "".join(code_point(rng) for _ in range(min(n, 60)))
        else:
            piece = rng.choice(["it's ", "We'LL", "don't\n", "x'", "''s ",
                                " 'tis", "\U0001f600", "\U0001f1e9\U0001f1ea",
                                "\U0001f44d\U0001f3fd", "e\u0301\u0327", "/",
                                "://", "</", "();\n", "\t}\n"]) * min(n, 40)
        out.append(piece)
        size -= len(piece)
    return "".join(out)


def disturbed(rng, text):
    """`text` with a few odd strings in it."""
    out = []
    for _ in range(rng.randrange(1, 6)):
        cut = rng.randrange(len(text) + 1)
        extra = rng.choice(SPICE) if rng.random() < 0.8 else "".join(
            code_point(rng) for _ in range(rng.randrange(1, 8)))
        out += [text[:cut], extra]
        text = text[cut:]
    return "".join(out) + text


def strings_of(value):
    """The strings of a JSON value, none that are short."""
    if isinstance(value, str):
        if len(value) > 20:
            yield value
    elif isinstance(value, dict):
        for member in value.values():
            yield from strings_of(member)
    elif isinstance(value, list):
        for element in value:
            yield from strings_of(element)


def corpus_of(path):
    """The text of a file, "" where it is none."""
    data = path.read_bytes()
    try:
        if path.suffix == ".gz":
            data = gzip.decompress(data)
        text = data.decode("utf-8")
    except (OSError, UnicodeDecodeError):
        return ""
    if text.startswith("version https://git-lfs"):
        return ""
    for values in (lambda: [json.loads(text)],
                   lambda: [json.loads(line) for line in text.splitlines()
                            if line.strip()]):
        try:
            joined = "\n".join(strings_of(values()))
        except (ValueError, RecursionError):
            continue
        return joined.encode("utf-16", "surrogatepass").decode(
            "utf-16", "replace")
    return text


def chunks(corpora, folder, megabytes, chunk, seed):
    """Files of documents of 0 to some 20,000 characters, made when missing."""
    folder.mkdir(parents=True, exist_ok=True)
    texts = None
    for number in range(max(1, round(megabytes / chunk))):
        file = folder / f"{seed}-{chunk:g}-{number:03}.jsonl"
        if not file.exists():
            if texts is None:
                read = (corpus_of(pathlib.Path(p)) for p in sorted(corpora)
                        if os.path.isfile(p))
                texts = [text for text in read if text]
            write_chunk(random.Random(f"{seed}/{number}"), texts, file, chunk)
        yield number, file


def write_chunk(rng, texts, file, chunk):
    left = int(chunk * 1e6)
    part = file.with_suffix(".part")
    with part.open("w", encoding="utf-8") as out:
        while left > 0:
            size = int(rng.lognormvariate(6.5, 1.3)) % 20000
            kind = rng.random()
            if kind < 0.60:
                corpus = rng.choice(texts)
                begin = rng.randrange(max(1, len(corpus) - size))
                text = corpus[begin:begin + size]
            elif kind < 0.85:
                text = script_text(rng, size)
            else:
                text = run_text(rng, size)
            if rng.random() < 0.4:
                text = disturbed(rng, text)
            left -= len(text.encode("utf-8"))
            out.write(json.dumps({"text": text},
                                 ensure_ascii=rng.random() < 0.5) + "\n")
    part.rename(file)


def vocabularies(paths):
    """(name, kind, path) of each vocabulary file."""
    for given in map(pathlib.Path, sorted(paths)):
        files = sorted(given.iterdir()) if given.is_dir() else [given]
        for file in files:
            stem = file.name.removesuffix(".gz")
            name = f"{file.parent.name}/{stem}"
            if stem == "tokenizer.json":
                yield name, "hf", file
            elif stem == "tekken.json":
                yield name, "tekken", file
            elif stem.endswith(".tiktoken"):
                yield name, "tiktoken", file
            elif stem.endswith(".model"):
                yield name, "sentencepiece", file


def reference(kind, path):
    """A function from texts to lists of ids, and the library's version."""
    path = str(path)
    if kind == "hf":
        import tokenizers
        tokenizer = tokenizers.Tokenizer.from_file(path)
        tokenizer.no_truncation()
        tokenizer.no_padding()

        def encode(texts):
            # "fast" is without offsets.
            return [e.ids for e in tokenizer.encode_batch_fast(
                texts, add_special_tokens=False)]
        return encode, "tokenizers " + version("tokenizers")
    if kind == "sentencepiece":
        import sentencepiece
        processor = sentencepiece.SentencePieceProcessor(model_file=path)
        return processor.encode, "sentencepiece " + version("sentencepiece")
    import tiktoken
    ranks, offset = {}, 0
    if kind == "tekken":
        model = json.load(open(path, encoding="utf-8"))
        pattern = model["config"]["pattern"]
        offset = model["config"]["default_num_special_tokens"]
        for entry in model["vocab"][:model["config"]["default_vocab_size"]
                                    - offset]:
            ranks[base64.b64decode(entry["token_bytes"])] = entry["rank"]
    else:
        for line in open(path, "rb"):
            token, rank = line.split()
            ranks[base64.b64decode(token)] = int(rank)
        from tiktoken_ext import openai_public
        # The published constructors hold the patterns; they need no download
        # when the ranks are ours.
        openai_public.load_tiktoken_bpe = lambda *a, **k: ranks
        openai_public.data_gym_to_mergeable_bpe_ranks = lambda *a, **k: ranks
        name = pathlib.Path(path).name.removesuffix(".tiktoken")
        pattern = getattr(openai_public, name)()["pat_str"]
    encoding = tiktoken.Encoding("ours", pat_str=pattern, mergeable_ranks=ranks,
                                 special_tokens={})
    return (lambda texts: [[i + offset for i in encoding.encode_ordinary(t)]
                           for t in texts],
            "tiktoken " + version("tiktoken"))


def ours(binary, vocabulary, file, *flags):
    """The values of each line that `trainsight tokens` prints."""
    run = subprocess.run([binary, "tokens", "--tokenizer", str(vocabulary),
                          "--field", "text", *flags, str(file)],
                         check=True, capture_output=True)
    return [json.loads(line) for line in run.stdout.splitlines()]


def compare(binary, vocabulary, encode, file):
    """The sums of one chunk. "lengths": of the differences, those in which the
    number of tokens differs, not ids alone."""
    texts = [json.loads(line)["text"] for line in file.open(encoding="utf-8")]
    counted = ours(binary, vocabulary, file)
    encoded = ours(binary, vocabulary, file, "--ids")
    if not len(counted) == len(encoded) == len(texts):
        sys.exit(f"{len(texts)} records, but {len(counted)} and "
                 f"{len(encoded)} lines of output")
    size = tokens = differences = lengths = 0
    for i, text in enumerate(texts):
        if i % 64 == 0:
            batch = encode(texts[i:i + 64])
        ids = batch[i % 64]
        size += len(text.encode("utf-8"))
        tokens += len(ids)
        if counted[i]["tokens"] == len(ids) and encoded[i]["ids"] == ids:
            continue
        differences += 1
        lengths += not (counted[i]["tokens"] == len(encoded[i]["ids"]) ==
                        len(ids))
        if differences <= 5:
            print(f"  {file.name} line {i + 1}: counted "
                  f"{counted[i]['tokens']}, encoded "
                  f"{len(encoded[i]['ids'])}, reference {len(ids)}")
    return {"documents": len(texts), "bytes": size, "tokens": tokens,
            "differences": differences, "lengths": lengths}


def done_before(results):
    """The chunks that each vocabulary was compared on."""
    done = {}
    if results.exists():
        for line in results.open():
            entry = json.loads(line)
            done.setdefault(entry["vocabulary"], []).append(entry)
    return done


def summary(results):
    """A line a vocabulary; the number of differences."""
    total = 0
    for name, entries in sorted(done_before(results).items()):
        sums = {key: sum(e[key] for e in entries)
                for key in ("documents", "bytes", "tokens", "differences",
                            "lengths")}
        total += sums["differences"]
        print(f"{name:34} {entries[0]['reference']:20} "
              f"{sums['bytes'] / 1e6:7.1f} MB {sums['documents']:7} documents "
              f"{sums['tokens']:10} tokens {sums['differences']} differences, "
              f"{sums['lengths']} of them in length")
    return total


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--binary", required=True)
    parser.add_argument("--folder", type=pathlib.Path, required=True)
    parser.add_argument("--results", type=pathlib.Path, required=True)
    parser.add_argument("--tokenizers", nargs="+", required=True)
    parser.add_argument("--corpora", nargs="+", required=True)
    parser.add_argument("--megabytes", type=float, default=100)
    parser.add_argument("--chunk", type=float, default=5)
    parser.add_argument("--seconds", type=float, default=1e9)
    parser.add_argument("--seed", type=int, default=1)
    args = parser.parse_args()

    end = time.monotonic() + args.seconds
    os.environ["TOKENIZERS_PARALLELISM"] = "false"
    done = done_before(args.results)
    files = list(chunks(args.corpora, args.folder, args.megabytes, args.chunk,
                        args.seed))
    for name, kind, path in vocabularies(args.tokenizers):
        left = [(n, f) for n, f in files if n not in
                [entry["chunk"] for entry in done.get(name, [])]]
        if not left or time.monotonic() > end:
            continue
        with tempfile.TemporaryDirectory() as unpacked:
            if path.suffix == ".gz":
                # The name says what it is: tokenizer.json, tekken.json.
                copy = pathlib.Path(unpacked) / path.name.removesuffix(".gz")
                copy.write_bytes(gzip.decompress(path.read_bytes()))
                path = copy
            encode, library = reference(kind, path)
            for number, file in left:
                if time.monotonic() > end:
                    break
                begin = time.monotonic()
                sums = compare(args.binary, path, encode, file)
                with args.results.open("a") as out:
                    out.write(json.dumps({
                        "vocabulary": name, "chunk": number,
                        "reference": library, **sums,
                        "seconds": round(time.monotonic() - begin, 2)}) + "\n")
    sys.exit(1 if summary(args.results) else 0)


if __name__ == "__main__":
    main()
