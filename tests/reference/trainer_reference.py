#!/usr/bin/env python3
"""Puts 200 rows through TRL's own preparation of data sets and keeps figures.

Writes tests/reference/trainer_rows.jsonl (the rows, made from a seed, and how
each is trained on) and tests/reference/trainer_figures.jsonl: for every
vocabulary and row the number of ids, an XXH64 of them as little-endian 32-bit
numbers, and the runs of labels [begin, end). They come out of real SFTTrainers
and DPOTrainers with a tiny model. trainer_reference_test.cc holds trainsight
against them. Run once, by hand, with the versions that the figures then name:

    pip install trl transformers datasets torch xxhash
    python3 tests/reference/trainer_reference.py ../shared/tokenizers

Vocabularies and their chat templates are those of the shared folder; the
templates with generation blocks below are of this script. Nothing of the build
runs it.
"""

import gzip
import json
import os
import pathlib
import random
import struct
import sys
import tempfile

os.environ["HF_HUB_OFFLINE"] = "1"
os.environ["TOKENIZERS_PARALLELISM"] = "false"

import datasets
import torch
import transformers
import trl
import xxhash
from trl.chat_template_utils import get_training_chat_template

HERE = pathlib.Path(__file__).parent
IGNORED = -100  # PyTorch's ignore_index

WORDS = """the of and a to in is you that it he was for on are as with his they
at be this have from or one had by word but not what all were we when your can
said there use an each which she do how their if will up other about out many
then them these so some her would make like him into time has look two more
write go see number no way could people my than first water been call who oil
its now find long down day did get come made may part""".split()
PHRASES = ["你好，世界。", "今天的天气很好", "Привет, как дела?", "नमस्ते दुनिया",
           "مرحبا بالعالم", "日本語のテキスト", "안녕하세요", "é́ naïve café",
           "👩‍👩‍👧 🇩🇪 👍🏽", "3.14159, 1000000 and 2026-11-30", "it's we'LL I'd",
           "def f(x):\n    return x ** 2\n", "{\"key\": [1, 2, 3]}",
           "\ttabs\tand  spaces   run", "https://example.com/a?b=c#d",
           "`code` and **bold**\n\n- one\n- two\n", "100%!!! ... --- ###",
           "Ünïcödé ﬁ ½ ²", "a\u00a0b\u3000c", "x" * 30]

# The control strings of each vocabulary: before and after a role, and the end
# of a turn. Answers are learnt with their end.
GENERATION = {
    "qwen3": ("<|im_start|>", "\\n", "<|im_end|>", "\\n"),
    "llama3.1": ("<|start_header_id|>", "<|end_header_id|>\\n\\n", "<|eot_id|>",
                 ""),
    "gemma3": ("<start_of_turn>", "\\n", "<end_of_turn>", "\\n"),
}


def generation_template(name):
    """A template with generation blocks, in our own words."""
    head, tail, stop, gap = GENERATION[name]
    return (
        "{%- for message in messages -%}"
        f"{{{{- '{head}' + message['role'] + '{tail}' -}}}}"
        "{%- if message['role'] == 'assistant' -%}"
        f"{{%- generation -%}}{{{{- message['content'] + '{stop}' -}}}}"
        "{%- endgeneration -%}"
        f"{{%- else -%}}{{{{- message['content'] + '{stop}' -}}}}{{%- endif -%}}"
        f"{{{{- '{gap}' -}}}}"
        "{%- endfor -%}"
        "{%- if add_generation_prompt -%}"
        f"{{{{- '{head}assistant{tail}' -}}}}"
        "{%- endif -%}")


def text(rng, edges=True):
    """Some words and phrases; now and then with white space around."""
    parts = []
    for _ in range(rng.randint(1, 6)):
        if rng.random() < 0.35:
            parts.append(rng.choice(PHRASES))
        else:
            parts.append(" ".join(rng.choices(WORDS, k=rng.randint(1, 9))) +
                         rng.choice([".", "?", "", ":", "!"]))
    joined = rng.choice([" ", " ", "\n", "\n\n"]).join(parts)
    if edges and rng.random() < 0.15:
        joined = rng.choice([" ", "\n", "  "]) + joined
    if edges and rng.random() < 0.15:
        joined += rng.choice([" ", "\n", "\n\n"])
    return joined


def message(role, content):
    return {"role": role, "content": content}


def turns(rng, most):
    """user, assistant, …; half of them after a system message."""
    out = []
    if rng.random() < 0.5:
        out.append(message("system", text(rng)))
    for _ in range(rng.randint(1, most)):
        answer = text(rng)
        if rng.random() < 0.05:
            answer = "<think>\n" + text(rng, False) + "\n</think>\n\n" + answer
        out += [message("user", text(rng)), message("assistant", answer)]
    return out


def make_rows():
    """(kind, row) 200 times."""
    rng = random.Random(4)
    rows = []
    for _ in range(80):
        rows.append(("chat", {"messages": turns(rng, 4)}))
    for _ in range(35):
        talk = turns(rng, 3)
        rows.append(("answered", {"prompt": talk[:-1],
                                  "completion": talk[-1:]}))
    for _ in range(20):
        rows.append(("completed", {"prompt": text(rng),
                                   "completion": text(rng)}))
    for _ in range(15):
        rows.append(("text", {"text": text(rng) + text(rng)}))
    for _ in range(20):
        talk = turns(rng, 2)
        rows.append(("pair", {"prompt": talk[:-1], "chosen": talk[-1:],
                              "rejected": [message("assistant", text(rng))]}))
    for _ in range(15):
        talk = turns(rng, 2)
        rows.append(("whole_pair", {
            "chosen": talk,
            "rejected": talk[:-1] + [message("assistant", text(rng))]}))
    for _ in range(15):
        rows.append(("plain_pair", {"prompt": text(rng), "chosen": text(rng),
                                    "rejected": text(rng)}))
    return rows


def runs_of(mask):
    """[[begin, end], …] of what is true."""
    runs = []
    for i, bit in enumerate(mask):
        if not bit:
            continue
        if runs and runs[-1][1] == i:
            runs[-1][1] = i + 1
        else:
            runs.append([i, i + 1])
    return runs


def figure(ids, mask):
    digest = xxhash.xxh64(struct.pack(f"<{len(ids)}I", *ids)).hexdigest()
    return {"tokens": len(ids), "ids": digest, "labels": runs_of(mask)}


def tiny_model(tokenizer):
    return transformers.LlamaForCausalLM(transformers.LlamaConfig(
        vocab_size=len(tokenizer) + 8, hidden_size=8, intermediate_size=8,
        num_hidden_layers=1, num_attention_heads=1,
        eos_token_id=tokenizer.eos_token_id))


def common(folder):
    return {"output_dir": folder, "max_length": None, "report_to": [],
            "use_cpu": True, "bf16": False}


def sft(tokenizer, rows, folder, **options):
    """The figures of rows as an SFTTrainer holds them."""
    trainer = trl.SFTTrainer(
        model=tiny_model(tokenizer), processing_class=tokenizer,
        args=trl.SFTConfig(**common(folder), **options),
        train_dataset=datasets.Dataset.from_list(rows))
    return [figure(row["input_ids"],
                   [label != IGNORED for label in row["labels"]])
            for row in trainer.train_dataset]


def dpo(tokenizer, rows, folder):
    """The figures of both sides of rows as a DPOTrainer collates them."""
    trainer = trl.DPOTrainer(
        model=tiny_model(tokenizer), ref_model=tiny_model(tokenizer),
        processing_class=tokenizer,
        args=trl.DPOConfig(**common(folder)),
        train_dataset=datasets.Dataset.from_list(rows))
    figures = []
    for row in trainer.train_dataset:
        batch = trainer.data_collator([row])
        sides = {}
        for side, name in enumerate(("chosen", "rejected")):
            size = int(batch["attention_mask"][side].sum())
            sides[name] = figure(batch["input_ids"][side][:size].tolist(),
                                 batch["completion_mask"][side][:size].tolist())
        figures.append(sides)
    return figures


def load(folder, scratch):
    """The tokenizer of a shared folder, unpacked."""
    for file in folder.iterdir():
        data = file.read_bytes()
        if file.suffix == ".gz":
            data = gzip.decompress(data)
        (scratch / file.name.removesuffix(".gz")).write_bytes(data)
    return transformers.AutoTokenizer.from_pretrained(scratch)


def figures_of(name, folder, rows):
    """A line a row and mode."""
    with tempfile.TemporaryDirectory() as scratch:
        scratch = pathlib.Path(scratch)
        tokenizer = load(folder, scratch)

        def of_kind(kind):
            picked = [(i, row) for i, (k, row) in enumerate(rows) if k == kind]
            return [i for i, _ in picked], [row for _, row in picked]

        def write(mode, lines, figures):
            for line, values in zip(lines, figures, strict=True):
                yield {"vocabulary": name, "line": line + 1, "mode": mode,
                       **values}

        out = str(scratch / "out")
        lines, chats = of_kind("chat")
        yield from write("all", lines, sft(tokenizer, chats, out))
        for kind in ("answered", "completed", "text"):
            these, picked = of_kind(kind)
            yield from write(kind, these, sft(tokenizer, picked, out))
        for kind in ("pair", "whole_pair", "plain_pair"):
            these, picked = of_kind(kind)
            yield from write(kind, these, dpo(tokenizer, picked, out))
        own = tokenizer.chat_template
        try:
            get_training_chat_template(tokenizer)
        except ValueError as error:  # TRL knows no such template
            print(f"{name}: {error}", file=sys.stderr)
        else:
            yield from write("answers", lines,
                             sft(tokenizer, chats, out,
                                 assistant_only_loss=True))
        tokenizer.chat_template = generation_template(name)
        yield from write("generation", lines,
                         sft(tokenizer, chats, out, assistant_only_loss=True))
        tokenizer.chat_template = own


def main():
    shared = pathlib.Path(sys.argv[1])
    datasets.disable_progress_bars()
    rows = make_rows()
    with (HERE / "trainer_rows.jsonl").open("w", encoding="utf-8") as out:
        for _, row in rows:
            out.write(json.dumps(row, ensure_ascii=False) + "\n")
    with (HERE / "trainer_figures.jsonl").open("w", encoding="utf-8") as out:
        out.write(json.dumps({
            "versions": {m.__name__: m.__version__
                         for m in (trl, transformers, datasets, torch)},
            "generation_templates": {name: generation_template(name)
                                     for name in GENERATION}}) + "\n")
        for name in GENERATION:
            for line in figures_of(name, shared / name, rows):
                out.write(json.dumps(line) + "\n")


if __name__ == "__main__":
    main()
