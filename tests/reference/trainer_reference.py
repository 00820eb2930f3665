#!/usr/bin/env python3
"""Puts rows through trainers' own preparation of data sets and keeps figures.

Writes tests/reference/trainer_rows.jsonl (the rows, made from a seed, all our
own) and, of one trainer, for every vocabulary and row the number of ids, an
XXH64 of them as little-endian 32-bit numbers, and the runs of labels
[begin, end). trainer_reference_test.cc holds trainsight against them. Run once,
by hand, each with its own environment, whose versions the figures then name:

    pip install trl transformers datasets torch tokenizers xxhash
    python3 tests/reference/trainer_reference.py trl ../shared/tokenizers

    pip install axolotl xxhash       # or --no-deps and what its import misses
    python3 tests/reference/trainer_reference.py axolotl ../shared/tokenizers

TRL's figures (trl_figures.jsonl) come out of real SFTTrainers, DPOTrainers,
KTOTrainers and RewardTrainers with a tiny model, and of the code of GRPOTrainer
that tokenises prompts; axolotl's (axolotl_figures.jsonl) out of its prompt
strategies and its DPO trainer. Vocabularies and their chat templates are those
of the shared folder, and one of our own, trained on the words below
(tests/reference/tiny; made anew by `tiny`). The templates with generation
blocks are of this script. Nothing of the build runs it.
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
os.environ["AXOLOTL_DO_NOT_TRACK"] = "1"

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
    "tiny": ("<|im_start|>", "\\n", "<|im_end|>", "\\n"),
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
    return rows + more_rows()


def more_rows():
    """(kind, row) of the shapes that came later, from a seed of their own."""
    rng = random.Random(5)
    rows = []
    for end in ("<|im_end|>", "<|eot_id|>", "<end_of_turn>", "<|im_end|>\n"):
        rows.append(("completed", {"prompt": text(rng) + " ",
                                   "completion": text(rng) + end}))
        rows.append(("text", {"text": text(rng) + end}))
    for _ in range(12):
        start = text(rng)
        rows.append(("implicit_pair", {"chosen": start + " " + text(rng),
                                       "rejected": start + " " + text(rng)}))
    rows.append(("implicit_pair", {"chosen": "one two", "rejected": "one two"}))
    rows.append(("implicit_pair", {"chosen": "naïve é", "rejected": "naïve ü!"}))
    for _ in range(12):
        rows.append(("unpaired", {"prompt": text(rng), "completion": text(rng),
                                  "label": rng.random() < 0.5}))
    for _ in range(8):
        talk = turns(rng, 2)
        rows.append(("unpaired_chat", {
            "prompt": talk[:-1], "completion": talk[-1:],
            "label": rng.random() < 0.5}))
    for _ in range(8):
        rows.append(("prompt", {"prompt": text(rng)}))
        rows.append(("prompt_chat", {"prompt": turns(rng, 2)[:-1]}))
    for _ in range(12):
        rows.append(("segments", {"segments": [
            {"label": k % 2 == 1, "text": text(rng)}
            for k in range(rng.randint(1, 5))]}))
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
    import xxhash
    digest = xxhash.xxh64(struct.pack(f"<{len(ids)}I", *ids)).hexdigest()
    return {"tokens": len(ids), "ids": digest, "labels": runs_of(mask)}


def tiny_model(tokenizer, kind="CausalLM"):
    import transformers
    name = {"CausalLM": "LlamaForCausalLM",
            "Reward": "LlamaForSequenceClassification"}[kind]
    more = {"num_labels": 1} if kind == "Reward" else {}
    return getattr(transformers, name)(transformers.LlamaConfig(
        vocab_size=len(tokenizer) + 8, hidden_size=8, intermediate_size=8,
        num_hidden_layers=1, num_attention_heads=1,
        pad_token_id=tokenizer.eos_token_id,
        eos_token_id=tokenizer.eos_token_id, **more))


def common(folder):
    return {"output_dir": folder, "max_length": None, "report_to": [],
            "use_cpu": True, "bf16": False}


def data_set(rows):
    import datasets
    return datasets.Dataset.from_list(rows)


def sft(tokenizer, rows, folder, **options):
    """The figures of rows as an SFTTrainer holds them."""
    import trl
    trainer = trl.SFTTrainer(
        model=tiny_model(tokenizer), processing_class=tokenizer,
        args=trl.SFTConfig(**common(folder), **options),
        train_dataset=data_set(rows))
    return [figure(row["input_ids"],
                   [label != IGNORED for label in row["labels"]])
            for row in trainer.train_dataset]


def both_sides(trainer):
    """The figures of both sides of rows as a DPOTrainer collates them."""
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


def dpo(tokenizer, rows, folder, trainer_class=None):
    import trl
    return both_sides((trainer_class or trl.DPOTrainer)(
        model=tiny_model(tokenizer), ref_model=tiny_model(tokenizer),
        processing_class=tokenizer,
        args=trl.DPOConfig(**common(folder)),
        train_dataset=data_set(rows)))


def reward(tokenizer, rows, folder):
    """A RewardTrainer learns no tokens: lengths and ids alone."""
    import trl
    trainer = trl.RewardTrainer(
        model=tiny_model(tokenizer, "Reward"), processing_class=tokenizer,
        args=trl.RewardConfig(**common(folder)),
        train_dataset=data_set(rows))
    return [{name: figure(row[name + "_ids"], []) for name in
             ("chosen", "rejected")} for row in trainer.train_dataset]


def kto(tokenizer, rows, folder, trainer_class=None):
    import trl
    trainer = (trainer_class or trl.KTOTrainer)(
        model=tiny_model(tokenizer), ref_model=tiny_model(tokenizer),
        processing_class=tokenizer,
        args=trl.KTOConfig(**common(folder), per_device_train_batch_size=2),
        train_dataset=data_set(rows))
    return [figure(row["prompt_ids"] + row["completion_ids"],
                   [0] * len(row["prompt_ids"]) + [1] * len(row["completion_ids"]))
            for row in trainer.train_dataset]


def prompts(tokenizer, rows):
    """As GRPOTrainer._tokenize_prompts (1.16.0) does for texts and messages."""
    out = []
    for row in rows:
        prompt = row["prompt"]
        if isinstance(prompt, str):
            ids = tokenizer(text=[prompt])["input_ids"][0]
        else:
            ids = tokenizer.apply_chat_template(
                conversation=[prompt], add_generation_prompt=True,
                tokenize=True, return_dict=True)["input_ids"][0]
        out.append(figure(ids, []))
    return out


def load(folder, scratch):
    """The tokenizer of a shared folder, unpacked."""
    for file in folder.iterdir():
        data = file.read_bytes()
        if file.suffix == ".gz":
            data = gzip.decompress(data)
        (scratch / file.name.removesuffix(".gz")).write_bytes(data)
    import transformers
    return transformers.AutoTokenizer.from_pretrained(scratch)


class Picker:
    """Rows of a kind with their line numbers, and lines of figures."""

    def __init__(self, name, rows):
        self.name, self.rows = name, rows

    def __call__(self, kind, mode, figures):
        """figures: a function of rows."""
        picked = [(i, row) for i, (k, row) in enumerate(self.rows) if k == kind]
        values = figures([row for _, row in picked])
        for (line, _), one in zip(picked, values, strict=True):
            yield {"vocabulary": self.name, "line": line + 1, "mode": mode,
                   **one}


def trl_figures(name, tokenizer, rows, out):
    """A line a row and mode."""
    from trl.chat_template_utils import get_training_chat_template
    pick = Picker(name, rows)
    yield from pick("chat", "all", lambda r: sft(tokenizer, r, out))
    for kind in ("answered", "completed", "text"):
        yield from pick(kind, kind, lambda r: sft(tokenizer, r, out))
    for kind in ("pair", "whole_pair", "plain_pair", "implicit_pair"):
        yield from pick(kind, kind, lambda r: dpo(tokenizer, r, out))
    for kind in ("pair", "plain_pair"):
        yield from pick(kind, "reward", lambda r: reward(tokenizer, r, out))
    for kind in ("unpaired", "unpaired_chat"):
        yield from pick(kind, kind, lambda r: kto(tokenizer, r, out))
    for kind in ("prompt", "prompt_chat"):
        yield from pick(kind, kind, lambda r: prompts(tokenizer, r))
    own = tokenizer.chat_template
    try:
        get_training_chat_template(tokenizer)
    except ValueError as error:  # TRL knows no such template
        print(f"{name}: {error}", file=sys.stderr)
    else:
        yield from pick("chat", "answers", lambda r: sft(
            tokenizer, r, out, assistant_only_loss=True))
    tokenizer.chat_template = generation_template(name)
    yield from pick("chat", "generation", lambda r: sft(
        tokenizer, r, out, assistant_only_loss=True))
    tokenizer.chat_template = own


def axolotl_figures(name, tokenizer, rows, out):
    """A line a row and mode, as axolotl prepares them."""
    from axolotl.core.trainers.dpo.trainer import AxolotlDPOTrainer
    from axolotl.core.trainers.trl import AxolotlKTOTrainer
    from axolotl.prompt_strategies import (
        chat_template, completion, input_output, user_defined)
    from axolotl.prompt_strategies.dpo import chat_template as dpo_chat
    from axolotl.utils.dict import DictDefault
    pick = Picker(name, rows)
    cfg = DictDefault({"sequence_len": 1 << 20, "train_on_inputs": False,
                       "chat_template": "tokenizer_default"})

    def figures(strategy, picked):
        found = []
        for row in picked:
            made = strategy.tokenize_prompt(dict(row))
            found.append(figure(made["input_ids"],
                                [n != IGNORED for n in made["labels"]]))
        return found

    def completions(picked):
        strategy = completion.load(tokenizer, cfg)
        found = []
        for row in picked:
            made = strategy.tokenize_prompt({"text": [row["text"]]})
            found.append(figure(made["input_ids"][0],
                                [n != IGNORED for n in made["labels"][0]]))
        return found

    def chats(picked):
        return figures(chat_template.load(tokenizer, cfg, {}), picked)

    def pairs(transform, config, picked):
        strategy, _ = transform(DictDefault(cfg | {"datasets": [config]}))
        return dpo(tokenizer, [
            {side: made[side] for side in ("prompt", "chosen", "rejected")}
            for made in (strategy(row, tokenizer) for row in picked)],
            out, AxolotlDPOTrainer)

    yield from pick("chat", "chat", chats)
    yield from pick("text", "text", completions)
    # Prompts as they stand: the formats of a user-defined type say so.
    plain = user_defined.load(tokenizer, cfg,
        user_defined.UserDefinedDatasetConfig(
            field_instruction="prompt", field_output="completion",
            format="{instruction}", no_input_format="{instruction}"))
    yield from pick("completed", "completed", lambda r: figures(plain, r))
    segments = input_output.load(tokenizer, cfg)
    yield from pick("segments", "segments", lambda r: figures(segments, r))
    yield from pick("pair", "pair", lambda r: pairs(
        dpo_chat.default, {"field_messages": "prompt"}, r))
    yield from pick("whole_pair", "whole_pair", lambda r: pairs(
        dpo_chat.argilla_chat, {}, r))
    for kind in ("plain_pair", "implicit_pair"):
        yield from pick(kind, kind, lambda r: dpo(
            tokenizer, r, out, AxolotlDPOTrainer))
    yield from pick("unpaired", "unpaired", lambda r: kto(
        tokenizer, r, out, AxolotlKTOTrainer))
    own = tokenizer.chat_template
    tokenizer.chat_template = generation_template(name)
    yield from pick("chat", "generation", chats)
    tokenizer.chat_template = own


def make_tiny():
    """Trains the vocabulary of our own, with the reference library."""
    import tokenizers
    from tokenizers import decoders, models, pre_tokenizers, processors, trainers
    control = ["<|bos|>", "<|im_start|>", "<|im_end|>", "<|pad|>"]
    tiny = tokenizers.Tokenizer(models.BPE())
    tiny.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    tiny.decoder = decoders.ByteLevel()
    tiny.train_from_iterator(
        [json.dumps(row, ensure_ascii=False) for _, row in make_rows()],
        trainers.BpeTrainer(
            vocab_size=900, special_tokens=control, show_progress=False,
            initial_alphabet=pre_tokenizers.ByteLevel.alphabet()))
    tiny.post_processor = processors.TemplateProcessing(
        single="<|bos|> $A", special_tokens=[("<|bos|>", 0)])
    folder = HERE / "tiny"
    folder.mkdir(exist_ok=True)
    tiny.save(str(folder / "tokenizer.json"), pretty=False)
    (folder / "tokenizer_config.json").write_text(json.dumps({
        "tokenizer_class": "PreTrainedTokenizerFast", "bos_token": "<|bos|>",
        "eos_token": "<|im_end|>", "pad_token": "<|pad|>",
        "chat_template":
            "{{ bos_token }}{% for m in messages %}"
            "{{ '<|im_start|>' + m['role'] + '\n' + m['content']"
            " + '<|im_end|>\n' }}{% endfor %}{% if add_generation_prompt %}"
            "{{ '<|im_start|>assistant\n' }}{% endif %}"}) + "\n")


def main():
    trainer = sys.argv[1]
    if trainer == "tiny":
        make_tiny()
        return
    shared = pathlib.Path(sys.argv[2])
    import datasets
    import torch
    import transformers
    import trl
    modules = [trl, transformers, datasets, torch]
    figures = trl_figures
    versions = {}
    if trainer == "axolotl":
        import importlib.metadata
        versions["axolotl"] = importlib.metadata.version("axolotl")
        figures = axolotl_figures
    versions |= {m.__name__: m.__version__ for m in modules}
    datasets.disable_progress_bars()
    rows = make_rows()
    with (HERE / "trainer_rows.jsonl").open("w", encoding="utf-8") as out:
        for _, row in rows:
            out.write(json.dumps(row, ensure_ascii=False) + "\n")
    with (HERE / f"{trainer}_figures.jsonl").open("w", encoding="utf-8") as out:
        out.write(json.dumps({
            "versions": versions,
            "generation_templates": {name: generation_template(name)
                                     for name in GENERATION}}) + "\n")
        for name in GENERATION:
            folder = HERE / "tiny" if name == "tiny" else shared / name
            with tempfile.TemporaryDirectory() as scratch:
                scratch = pathlib.Path(scratch)
                tokenizer = load(folder, scratch)
                for line in figures(name, tokenizer, rows,
                                    str(scratch / "out")):
                    out.write(json.dumps(line) + "\n")


if __name__ == "__main__":
    main()
