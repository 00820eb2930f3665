#!/usr/bin/env python3
"""Holds trainsight's token counts against the reference implementations.

Not a unit test: it runs for as long as the references need (some 2 MB/s each).
It cuts the given corpora into documents of mixed sizes with a fixed seed,
disturbs some of them (special tokens, odd white space, random code points),
has both sides count them, and prints every difference.

    pip install tokenizers==0.23.3 tiktoken==0.14.0 sentencepiece==0.2.3
    tokenizer_differential.py --reference hf --tokenizer path/tokenizer.json \
        --command 'trainsight tokens --tokenizer {tokenizer} --field text {file}' \
        --megabytes 100 corpus.txt more/*.py

The command prints one line a record of {file} (JSONL with a member "text"):
a number, or an object with "tokens" and perhaps "ids". tests/bench's
token_counts_bench does so too. Exit code 1 when there are differences.
"""
import argparse
import json
import random
import shlex
import subprocess
import sys
import tempfile
import time
from importlib.metadata import version

SPICE = ["<s>", "</s>", "<|endoftext|>", "<unk>", "[MASK]", " [MASK] ", "<pad>",
         "\n\n\n", "\t\t", "   ", "\u2581", "\u2581\u2581", "\u00a0", "\u3000",
         "\r\n", "\u200b", "\ufeff", "\u0301", "e\u0301", "'s", "'S", "\u2019s",
         "\U0001f469\u200d\U0001f469\u200d\U0001f467", "\u0130", "\ufb01", "``",
         "''", "\u1100\u1161\u11a8", "\u0915\u094d\u0937", "0123456789" * 4,
         "a" * 40, "\u4f60\u597d", "\x00", "\x7f", "\u0085", "\u2028"]


def documents(paths, megabytes, seed):
    """Texts of 0 to some 20,000 characters, until `megabytes` are given out."""
    rng = random.Random(seed)
    corpora = [open(p, encoding="utf-8", errors="replace").read()
               for p in paths]
    left = int(megabytes * 1e6)
    while left > 0:
        corpus = rng.choice(corpora)
        size = int(rng.lognormvariate(6.5, 1.3)) % 20000
        begin = rng.randrange(max(1, len(corpus) - size))
        text = corpus[begin:begin + size]
        if rng.random() < 0.3:
            pieces = []
            for _ in range(rng.randrange(1, 6)):
                cut = rng.randrange(len(text) + 1)
                extra = rng.choice(SPICE) if rng.random() < 0.7 else "".join(
                    chr(rng.choice([rng.randrange(0x80, 0x3000),
                                    rng.randrange(0x3000, 0xD800),
                                    rng.randrange(0x10000, 0x20000)]))
                    for _ in range(rng.randrange(1, 8)))
                pieces += [text[:cut], extra]
                text = text[cut:]
            text = "".join(pieces) + text
        left -= len(text.encode("utf-8"))
        yield text


def reference(kind, path):
    """A function from texts to lists of ids, and the library's version."""
    if kind == "hf":
        import tokenizers
        tokenizer = tokenizers.Tokenizer.from_file(path)
        tokenizer.no_truncation()
        tokenizer.no_padding()

        def encode(texts):
            encodings = tokenizer.encode_batch(texts, add_special_tokens=False)
            return [e.ids for e in encodings]
        return encode, "tokenizers " + version("tokenizers")
    if kind == "sentencepiece":
        import sentencepiece
        processor = sentencepiece.SentencePieceProcessor(model_file=path)
        return processor.encode, "sentencepiece " + version("sentencepiece")
    import base64
    import tiktoken
    from tiktoken_ext import openai_public
    name = next(n for n in ("r50k_base", "cl100k_base", "o200k_base")
                if n in path)
    ranks = {}
    for line in open(path, "rb"):
        token, rank = line.split()
        ranks[base64.b64decode(token)] = int(rank)
    pattern = {"r50k_base": openai_public.r50k_pat_str,
               "o200k_base": None, "cl100k_base": None}[name]
    if pattern is None:
        # The published constructor holds the pattern; it needs no download
        # when the ranks are ours.
        loader = openai_public.load_tiktoken_bpe
        openai_public.load_tiktoken_bpe = lambda *a, **k: ranks
        pattern = getattr(openai_public, name)()["pat_str"]
        openai_public.load_tiktoken_bpe = loader
    encoding = tiktoken.Encoding(name, pat_str=pattern, mergeable_ranks=ranks,
                                 special_tokens={})
    return (lambda texts: [encoding.encode_ordinary(t) for t in texts],
            "tiktoken " + version("tiktoken"))


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--reference", required=True,
                        choices=["hf", "tiktoken", "sentencepiece"])
    parser.add_argument("--tokenizer", required=True)
    parser.add_argument("--command", required=True)
    parser.add_argument("--megabytes", type=float, default=100)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("corpora", nargs="+")
    args = parser.parse_args()

    encode, library = reference(args.reference, args.tokenizer)
    texts = list(documents(args.corpora, args.megabytes, args.seed))
    size = sum(len(t.encode("utf-8")) for t in texts)
    with tempfile.NamedTemporaryFile("w", suffix=".jsonl") as file:
        for text in texts:
            file.write(json.dumps({"text": text}) + "\n")
        file.flush()
        command = [part.format(tokenizer=args.tokenizer, file=file.name)
                   for part in shlex.split(args.command)]
        output = subprocess.run(command, check=True, capture_output=True,
                                text=True).stdout.split("\n")[:-1]
    if len(output) != len(texts):
        sys.exit(f"{len(texts)} records, but {len(output)} lines of output")
    begin = time.time()
    differences = tokens = 0
    for first in range(0, len(texts), 256):
        batch = texts[first:first + 256]
        for i, ids in enumerate(encode(batch)):
            ours = json.loads(output[first + i])
            count = ours if isinstance(ours, int) else ours["tokens"]
            tokens += len(ids)
            if count == len(ids) and (isinstance(ours, int) or
                                      ours.get("ids", ids) == ids):
                continue
            differences += 1
            if differences <= 20:
                print(f"record {first + i}: ours {count}, reference "
                      f"{len(ids)}: {batch[i][:2000]!r}")
    print(f"{args.tokenizer}: {library}, {len(texts)} documents, "
          f"{size / 1e6:.1f} MB, {tokens} tokens, {differences} differences "
          f"({time.time() - begin:.0f} s)")
    sys.exit(1 if differences else 0)


if __name__ == "__main__":
    main()
