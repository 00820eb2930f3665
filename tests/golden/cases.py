"""The golden cases: a name, files to write first, and command lines.

Each case runs in a folder of its own that holds a copy of sample_data. A
command line is split at spaces; `< FILE` at its end gives standard input.
"""
import json
import pathlib

SETS = ("quadrant_clean", "quadrant_dual_failure", "quadrant_padding_waste",
        "quadrant_throughput_collapse", "sample_broken", "sample_dpo",
        "sample_grpo", "sample_gsm8k", "sample_pretrain", "sample_sft")

HAND_JOB = """{
  "apiVersion": "trainsight/v1",
  "kind": "DatasetManifest",
  "dataset": {"files": [{"path": "sample_data/sample_sft.jsonl"}]},
  "training": {"model": "llama-3.2-1b", "gpu": "a10g", "method": "qlora",
               "micro_batch": 2, "settings": {"lora_rank": "16"}}
}
"""
HAND_WRITTEN = """{
  "apiVersion": "trainsight/v1",
  "kind": "DatasetManifest",
  "name": "first lessons",
  "dataset": {"files": ["sample_data/sample_sft.jsonl"]},
  "training": {"max_seq_len": 64, "micro_batch": 4},
  "policy": {"max_waste_pct": 30, "max_truncated_pct": 10},
  "x-owner": "data team"
}
"""
UNKNOWN_LIMIT = HAND_WRITTEN.replace("max_waste_pct", "max_waste_pc")
OTHER_VERSION = HAND_WRITTEN.replace("trainsight/v1", "trainsight/v9")
POLICY = '{"max_p99": 60, "max_risk": "moderate", "max_cv": 0.4}\n'

# A vocabulary of our own, and a template that wants turns to alternate, prints
# the date in a form that nobody knows when told to, and drops what was thought once others follow.
TINY = (pathlib.Path(__file__).parent.parent /
        "reference/tiny/tokenizer.json").read_text()
TEMPLATE = """{%- for m in messages -%}
{%- if (m['role'] == 'user') != (loop.index0 % 2 == 0) -%}
{{- raise_exception('turns must alternate') -}}
{%- endif -%}
{{- '<|im_start|>' + m['role'] + '\n' -}}
{%- if 'today' in m['content'] -%}{{- strftime_now('%Q') -}}{%- endif -%}
{{- (m['content'] if loop.last else m['content'].split('</think>')[-1])
    + '<|im_end|>\n' -}}
{%- endfor -%}
"""
TINY_CONFIG = json.dumps({"bos_token": "<|bos|>", "eos_token": "<|im_end|>",
                          "chat_template": TEMPLATE})


def talk(*contents):
    """A row of user, assistant, …; two of the same role after None."""
    messages, roles = [], ("user", "assistant")
    for content in contents:
        if content is None:
            roles = roles[::-1]
            continue
        messages.append({"role": roles[len(messages) % 2],
                         "content": content})
    return json.dumps({"messages": messages}) + "\n"


TEMPLATED = (talk("What is it?", "A cat.") +
             talk("What is it?", None, "And that?", "A dog.") +
             talk("What is it today?", "Monday.") +
             talk("What is it?", "<think>Legs?</think>A cat.", "Sure?",
                  "<think>Count.</think>Yes."))

# One line that ends too early, and two answers that are missing.
SOUND = '{"instruction": "Name a town", "output": "Bath.", "input": ""}\n'
FAULTY = ('{"instruction": "Name a colour", "output": "Blue\n'
          '{"instruction": "Name a fruit", "output": "", "input": ""}\n'
          '{"instruction": "Name a river", "output": null, "input": ""}\n')

# What a format could trip over: markup, escapes, control characters.
HOSTILE = (
    '{"messages":[{"role":"<b>|`@a, %0A::error::x\\u0001","content":"Hi"},'
    '{"role":"assistant","content":"Hello"}]}\n')
# Rows of three sources: one with a field that is a list, one without any, an
# answer that is empty, a name that would turn a terminal around.
BY_SOURCE = """{"prompt":"a b c","completion":"d","meta":{"source":"web"}}
{"prompt":"a b c d e f g h","completion":"i","meta":{"source":"code"}}
{"prompt":"a","completion":"","meta":{"source":"web"}}
{"prompt":"a","completion":"b","meta":{"source":null}}
{"prompt":"a","completion":"b","meta":{"source":"null"}}
{"prompt":"a","completion":"b","meta":{"source":7}}
{"prompt":"a","completion":"b","meta":{"source":["web"]}}
{"prompt":"a","completion":"b","meta":{}}
{"prompt":"a b","completion":"c","meta":{"source":"\\u001b[31m\\u202exyz"}}
"""
# Trainers' files.
SNAPSHOT = """{
  "apiVersion": "trainsight/v1",
  "kind": "TrainingSnapshot",
  "training": {"model": "llama-3.2-1b", "method": "lora", "gpu": "a10g",
               "micro_batch": 4, "settings": {"lora_rank": "16"}},
  "measured": {"peak_allocated_bytes": 11811160064, "step_seconds": 1.5,
               "steps": 500, "largest_batch": {"sequences": 4, "length": 1024}}
}
"""

GRPO = """model_name_or_path: Qwen/Qwen2.5-1.5B
use_peft: true
lora_r: 32
per_device_train_batch_size: 8
gradient_accumulation_steps: 2
gradient_checkpointing: true
num_generations: 8
max_prompt_length: 256
max_completion_length: 512
use_vllm: true
vllm_gpu_memory_utilization: 0.25
vllm_tensor_parallel_size: 1
temperature: 0.9
beta: 0.04
"""

AXOLOTL = """base_model: mistralai/Mistral-7B-v0.1
load_in_4bit: true
adapter: qlora
lora_r: 32
lora_alpha: 16
lora_target_linear: true
sequence_len: 8192
micro_batch_size: 8
gradient_accumulation_steps: 2
num_epochs: 3
optimizer: adamw_bnb_8bit
gradient_checkpointing: true
flash_attention: true
datasets:
  - path: sample_data/quadrant_throughput_collapse.jsonl
    type: chat_template
wandb_project: x
"""
TRL = """model_name_or_path: Qwen/Qwen2.5-7B
dataset_name: someone/somewhere
max_length: 4096
per_device_train_batch_size: 2
gradient_checkpointing: true
torch_dtype: bfloat16
use_liger_kernel: true
"""
ACCELERATE = """compute_environment: LOCAL_MACHINE
distributed_type: FSDP
fsdp_config:
  fsdp_sharding_strategy: FULL_SHARD
num_processes: 8
mixed_precision: bf16
"""
MEGATRON = """ARGS=(
  --num-layers 32 --hidden-size 4096 --num-attention-heads 32
  --ffn-hidden-size 11008 --swiglu --vocab-size 32000
  --untie-embeddings-and-output-weights
  --seq-length 4096 --micro-batch-size 1
  --tensor-model-parallel-size 2 --pipeline-model-parallel-size 2
  --use-distributed-optimizer --bf16
)
"""
# A model and a GPU of one's own.
OWN_CONFIG = """{"model_type": "llama", "hidden_size": 512,
 "num_hidden_layers": 8, "num_attention_heads": 8, "num_key_value_heads": 4,
 "intermediate_size": 1536, "vocab_size": 32000,
 "tie_word_embeddings": true}
"""
OWN_GPUS = """{"mine": {"usable_gib": 5.8, "tflops_16bit": 20,
 "memory_tb_per_second": 0.3, "price": 0.1}, "t4": {"price": 0.3}}
"""
BY_CSV = "prompt,completion,lang\na b c,d,en\ne,f,de\ng h,i,en\n"
# 100 sources of one row each, the longer the later.
BY_MANY = "".join('{"text":"%s","id":"s%d"}\n' % ("w " * i, i)
                  for i in range(1, 101))
# Lengths in bytes: 10 and 30; 100.
MIX_A = '{"text":"0123456789"}\n{"text":"%s"}\n' % ("x" * 30)
MIX_B = '{"text":"%s"}\n' % ("y" * 100)

# Every fault that fix repairs, and one that it does not.
FIXABLE = (
    '\ufeff{"prompt":"one","completion":"1"}\n'
    '\n'
    '{"prompt":"two","completion":"2"}{"prompt":"three","completion":"3"}\n'
    '{"prompt":"four","completion":"4"},\n'
    '[{"prompt":"five","completion":"5"},{"prompt":"six","completion":"6"}]\n'
    '{"messages":"[{\\"role\\":\\"user\\",\\"content\\":\\"7?\\"},'
    '{\\"role\\":\\"assistant\\",\\"content\\":\\"7\\"}]"}\n'
    '{"prompt":"one","completion":"1"}\r\n'
    '{"prompt":"ten","completion":\n'
    '{"prompt":"eight","completion":"8"}')
FIX_ARRAY = ('[\n  {"instruction": "i", "input": "",\n   "output": "o"},\n'
             '  {"instruction": "j", "input": "", "output": "p"}\n]\n')
FIX_CHAT = '{"messages":"[{\\"role\\":\\"user\\",\\"content\\":\\"Hi\\"}]"}\n'

# A row of each kind that show shows, line 4 broken, line 5 blank.
SHOW_ROWS = (
    '{"messages":[{"role":"system","content":"Be brief."},{"role":"user",'
    '"content":"What is the capital\\nof France? Ignore <|im_end|> here"},'
    '{"role":"assistant","content":"Paris, of course. It has been the capital '
    'for many centuries, with a few breaks, and it still is the one today. "'
    '}]}\n'
    '{"prompt":"2+2?","chosen":"4","rejected":"5, I think; or is it '
    '\\u001b[31msix\\u202e or seven"}\n'
    '{"input_ids":[1,2,3,4,5,6,7,8],"labels":[-100,-100,3,4,-100,6,7,8]}\n'
    '{"prompt": bad}\n'
    '\n'
    '{"messages":[{"role":"user","content":"w?"},{"role":"assistant",'
    '"content":null,"tool_calls":[{"id":"c1","type":"function","function":'
    '{"name":"w","arguments":"{}"}}]},{"role":"tool","tool_call_id":"c1",'
    '"content":"rain"},{"role":"assistant","content":"Rain."}]}\n'
    '{"foo":"q","bar":"a"}\n'
    '{"prompt":[{"role":"user","content":"only a question"}]}\n')

# Data sets as LLaMA-Factory is told of them. The answers of the second are
# misspelt; the second row of the first has a speaker that nobody named.
DATASET_INFO = """{
  "chat": {"file_name": "chat.jsonl", "formatting": "sharegpt",
           "columns": {"messages": "dialog"},
           "tags": {"role_tag": "speaker", "content_tag": "said",
                    "user_tag": "USR", "assistant_tag": "BOT"},
           "num_samples": 100},
  "alpaca": {"file_name": "alpaca.jsonl",
             "columns": {"prompt": "q", "response": "answr"}},
  "hub": {"hf_hub_url": "org/set"}
}
"""
TAGGED_CHAT = (
    '{"dialog":[{"speaker":"USR","said":"hi"},{"speaker":"BOT","said":"yo"}]}\n'
    '{"dialog":[{"speaker":"user","said":"hi"},'
    '{"speaker":"BOT","said":"yo"}]}\n')

# Manifests on which the reader and the published schema must agree: by name,
# whether both accept them.
MANIFESTS = {
    "hand written": (HAND_WRITTEN, True),
    "a glob": ('{"apiVersion":"trainsight/v1","kind":"DatasetManifest",'
               '"dataset":{"files":[{"glob":"sample_data/sample_s*.jsonl"}]}}',
               True),
    "unknown limit": (UNKNOWN_LIMIT, False),
    "other version": (OTHER_VERSION, False),
    "no file": (HAND_WRITTEN.replace('"sample_data/sample_sft.jsonl"', ""),
                False),
    "a file without a path": (HAND_WRITTEN.replace(
        '"sample_data/sample_sft.jsonl"', '{"bytes": 3}'), False),
    "no rows in a batch": (HAND_WRITTEN.replace('"micro_batch": 4',
                                                '"micro_batch": 0'), False),
    "half a token": (HAND_WRITTEN.replace('"max_seq_len": 64',
                                          '"max_seq_len": 63.5'), False),
    "a word for a number": (HAND_WRITTEN.replace('"max_waste_pct": 30',
                                                 '"max_waste_pct": "30"'),
                            False),
    "more than all": (HAND_WRITTEN.replace('"max_waste_pct": 30',
                                           '"max_waste_pct": 130'), False),
    "an unknown grade": (HAND_WRITTEN.replace(
        '"max_waste_pct": 30', '"max_risk": "medium"'), False),
    "an unknown policy": (HAND_WRITTEN.replace(
        '"max_seq_len": 64', '"max_seq_len": 64, "overlong": "shorten"'),
                          False),
}


def case(name, *commands, **files):
    return name, commands, {k.replace("__", "."): v for k, v in files.items()}


CASES = [case(f"profile_{name}", f"profile sample_data/{name}.jsonl")
         for name in SETS]
CASES += [case(f"profile_{name}_json",
               f"profile sample_data/{name}.jsonl --format json")
          for name in SETS]
CASES += [case(f"format_{form}",
               f"profile sample_data/sample_gsm8k.jsonl --format {form} "
               "--select TS4,TS8",
               f"profile sample_data/sample_broken.jsonl --format {form} "
               "--select TS3",
               "validate --dataset sample_data/sample_gsm8k.jsonl "
               f"--max-waste-pct 20 --format {form}",
               "validate --dataset sample_data/sample_broken.jsonl "
               f"hostile.jsonl --max-malformed-pct 10 --format {form}",
               "validate --dataset sample_data/sample_sft.jsonl "
               f"--max-drift-pct 5 --format {form}",
               f"validate --dataset missing.jsonl --format {form}",
               hostile__jsonl=HOSTILE)
          for form in ("sarif", "junit", "github", "markdown")]
CASES += [
    case("pack_dry_run",
         "pack sample_data/sample_gsm8k.jsonl --max-seq-len 128 --dry-run",
         "pack sample_data/sample_gsm8k.jsonl --max-seq-len 128 --dry-run "
         "--format json"),
    case("pack_pairs",
         "pack sample_data/sample_dpo.jsonl --micro-batch 2 --dry-run",
         "pack sample_data/sample_dpo.jsonl --micro-batch 2 --dry-run "
         "--format json",
         "pack sample_data/sample_dpo.jsonl --generations 4"),
    case("pack_rollouts",
         "pack sample_data/sample_grpo.jsonl --micro-batch 2 --dry-run",
         "pack sample_data/sample_grpo.jsonl --micro-batch 2 --dry-run "
         "--generations 8 --completion-budget 512 "
         "--completion-tokens 200,450",
         "pack sample_data/sample_grpo.jsonl --micro-batch 2 --dry-run "
         "--generations 8 --completion-budget 512 "
         "--completion-tokens 200,450 --format json",
         "pack sample_data/sample_grpo.jsonl --completion-tokens 9"),
    case("tokens", "tokens < sample_data/sample_gsm8k.jsonl",
         "tokens --format json < sample_data/sample_gsm8k.jsonl",
         "tokens --ids short.txt", "tokens --field question "
         "sample_data/sample_gsm8k.jsonl", short__txt="Hello world\n"),
    case("explain", "explain TS302", "explain empty-answer"),
    case("known_findings",
         "profile a.jsonl --write-known-findings known.json --format github",
         "!cat known.json",
         "validate --dataset a.jsonl",
         "validate --dataset a.jsonl --known-findings known.json",
         "!cp moved.jsonl a.jsonl",
         "validate --dataset a.jsonl --known-findings known.json",
         "!cp grown.jsonl a.jsonl",
         "validate --dataset a.jsonl --known-findings known.json",
         "validate --dataset a.jsonl --known-findings known.json "
         "--format github",
         "!cp fixed.jsonl a.jsonl",
         "validate --dataset a.jsonl --known-findings known.json",
         "profile a.jsonl --known-findings known.json --manifest-out m.json "
         "--format markdown",
         "validate --manifest m.json",
         "validate --manifest m.json --known-findings known.json",
         "validate --dataset a.jsonl --known-findings m.json",
         "validate --dataset a.jsonl --known-findings missing.json",
         a__jsonl=FAULTY, moved__jsonl=SOUND + FAULTY,
         grown__jsonl=SOUND + FAULTY + FAULTY.replace("fruit", "tree"),
         fixed__jsonl=FAULTY.replace('"Blue', '"Blue."}').replace(
             ': "",', ': "An apple.",')),
    case("profile_options",
         "profile sample_data/sample_sft.jsonl --tokenizer bytes",
         "profile sample_data/sample_sft.jsonl --tokenizer chars "
         "--micro-batch 2 --pad-to-multiple-of 16",
         "profile sample_data/sample_sft.jsonl --max-seq-len 32",
         "profile sample_data/sample_sft.jsonl --max-seq-len 32 "
         "--overlong drop",
         "profile sample_data/sample_sft.jsonl --max-seq-len 32 "
         "--overlong split"),
    case("profile_columns",
         "profile sample_data/sample_gsm8k.jsonl --columns "
         "prompt=answer,completion=question --type sft",
         "profile sample_data/sample_grpo.jsonl --type sft"),
    case("profile_unknown", "profile rows.jsonl --tokenizer bytes",
         "profile rows.jsonl --tokenizer bytes --columns "
         "prompt=ask,completion=say",
         rows__jsonl='{"ask": "a", "say": "b"}\n'
                     '{"a": 1, "b": 2, "c": 3, "d": 4, "e": 5, "f": 6, '
                     '"g": 7, "h": 8, "i": 9}\n'
                     '{"name longer than is told, with an Ä at the cut": 1}\n'
                     '{}\n'),
    case("profile_many",
         "profile sample_data/sample_sft.jsonl sample_data/sample_dpo.jsonl",
         "profile sample_data/sample_*.jsonl --tokenizer bytes"),
    case("profile_stdin", "profile - < sample_data/sample_sft.jsonl"),
    case("profile_nothing", "profile empty.jsonl", "profile blank.jsonl",
         "profile dashes.jsonl",
         empty__jsonl="", blank__jsonl="\n \n\n", dashes__jsonl="--\n"),

    case("profile_by",
         "profile by.jsonl --by meta.source --tokenizer bytes "
         "--max-seq-len 12",
         "profile by.jsonl --by /meta/source --tokenizer bytes "
         "--max-seq-len 12 --overlong drop --format json",
         "profile by.csv --by lang --tokenizer bytes",
         "profile many.jsonl --by id --tokenizer bytes",
         "profile by.jsonl --by nothing --tokenizer bytes",
         "profile by.jsonl --by meta..source", "profile by.jsonl --by /a~2",
         by__jsonl=BY_SOURCE, by__csv=BY_CSV, many__jsonl=BY_MANY),
    case("profile_weights",
         "profile a.jsonl b.jsonl --tokenizer bytes --weights 3,1",
         "profile a.jsonl b.jsonl --tokenizer bytes --weights 3,1 "
         "--token-budget 4000",
         "profile a.jsonl b.jsonl --tokenizer bytes --weights w.json "
         "--token-budget 4000 --format json",
         "profile a.jsonl c.jsonl --tokenizer bytes --weights 1,1",
         "profile a.jsonl b.jsonl --weights 1", "profile a.jsonl --weights 0",
         "profile a.jsonl b.jsonl --weights 1,x", "profile a.jsonl a.jsonl "
         "--weights 1,2", "profile a.jsonl b.jsonl --weights v.json",
         "profile a.jsonl b.jsonl --weights u.json",
         "profile a.jsonl b.jsonl --weights none.json",
         "profile a.jsonl --token-budget 5",
         a__jsonl=MIX_A, b__jsonl=MIX_B, c__jsonl="",
         w__json='{"b.jsonl": 0.25, "a.jsonl": 0.75}\n',
         v__json='{"a.jsonl": 1, "other.jsonl": 2}\n',
         u__json='{"a.jsonl": 1}\n'),

    case("validate_pass",
         "validate --dataset sample_data/sample_gsm8k.jsonl "
         "--max-waste-pct 20 --max-p99 80 --max-risk low --min-records 8"),
    case("validate_fail",
         "validate --dataset sample_data/sample_sft.jsonl --max-waste-pct 30 "
         "--max-p99 60 --max-tokens 60 --max-cv 0.4 --max-risk moderate "
         "--min-records 100 --max-seq-len 32 --max-truncated-pct 10 "
         "--max-lost-tokens-pct 5"),
    case("validate_broken", "validate --dataset sample_data/sample_broken.jsonl "
         "--max-malformed-pct 10"),
    case("validate_unchecked",
         "validate --dataset sample_data/sample_sft.jsonl "
         "--max-duplicate-pct 1",
         "validate --dataset sample_data/sample_sft.jsonl "
         "--max-truncated-pct 1 --max-drift-pct 5 --max-p99 10",
         "validate --dataset sample_data/sample_grpo.jsonl "
         "--max-waste-pct 50"),
    case("validate_nothing_usable",
         "validate --dataset empty.jsonl",
         "validate --dataset blank.jsonl --max-errors 99",
         "validate --dataset sample_data/sample_sft.jsonl --max-seq-len 1",
         empty__jsonl="", blank__jsonl="\n \n\n"),
    case("validate_json",
         "validate --dataset sample_data/sample_sft.jsonl --max-waste-pct 30 "
         "--max-duplicate-pct 1 --format json"),
    case("validate_manifest",
         "profile sample_data/sample_gsm8k.jsonl --name lessons "
         "--manifest-out m.json --format json",
         "validate --manifest m.json",
         "validate --manifest m.json --max-waste-pct 30",
         "validate --manifest m.json --max-waste-pct 10",
         "validate --manifest m.json --max-waste-pct 10 --micro-batch 2",
         "validate --manifest m.json --verify --max-p99 80",
         "validate --manifest m.json --tokenizer bytes",
         "validate --manifest m.json --type dpo",
         "validate --manifest m.json --max-seq-len 10 --max-truncated-pct 0"),
    case("validate_manifest_elsewhere",
         "profile sample_data/sample_broken.jsonl --select TS3 "
         "--manifest-out sample_data/m.json --format github",
         "validate --manifest sample_data/m.json --format github",
         "validate --manifest sample_data/m.json --format json"),
    case("validate_changed",
         "profile a.jsonl --manifest-out m.json --format json",
         "!append a.jsonl",
         "validate --manifest m.json",
         a__jsonl='{"prompt":"one","completion":"two"}\n'),
    case("validate_fit",
         "validate --dataset sample_data/quadrant_throughput_collapse.jsonl "
         "--require-fit --model llama-3.1-8b --gpu a10g --micro-batch 4",
         "validate --dataset sample_data/quadrant_throughput_collapse.jsonl "
         "--require-fit --min-headroom-pct 20 --model llama-3.2-1b --gpu h100 "
         "--micro-batch 2",
         "validate --dataset sample_data/quadrant_throughput_collapse.jsonl "
         "--require-fit --allow-tight --min-headroom-pct 40 --model "
         "llama-3.2-1b --gpu a10g --micro-batch 4",
         "validate --dataset sample_data/sample_sft.jsonl --require-fit",
         "validate --dataset sample_data/sample_sft.jsonl --require-fit "
         "--model llama-3.2-1b",
         "validate --dataset sample_data/quadrant_throughput_collapse.jsonl "
         "--require-fit --config axolotl.yml --gpu t4",
         axolotl__yml=AXOLOTL),
    case("profile_memory",
         "profile sample_data/quadrant_throughput_collapse.jsonl "
         "--model llama-3.2-1b --gpu a10g",
         "profile sample_data/quadrant_throughput_collapse.jsonl "
         "--model llama-3.1-8b --gpu h100 --gpus 8 --method full "
         "--micro-batch 2 --format json "
         "--manifest-out m.json",
         "validate --manifest m.json --require-fit",
         "validate --manifest m.json --require-fit --micro-batch 64",
         "validate --manifest m.json --require-fit --gpu t4",
         "validate --manifest m.json --require-fit --model llama-3.2-1b",
         "profile sample_data/sample_sft.jsonl --model llama-3.1-8b",
         "profile sample_data/sample_sft.jsonl --gpu h100",
         "profile sample_data/quadrant_throughput_collapse.jsonl "
         "--config axolotl.yml --gpu a10g --tokenizer bytes",
         "validate --manifest hand.json --require-fit",
         "validate --manifest range.json --require-fit",
         "validate --manifest typo.json --require-fit",
         axolotl__yml=AXOLOTL, hand__json=HAND_JOB,
         typo__json=HAND_JOB.replace("lora_rank", "lora_rnk"),
         range__json=HAND_JOB.replace('"16"', '"0"')),
    case("validate_hand_written", "validate --manifest m.json",
         "validate --manifest m.json --max-waste-pct 60 "
         "--max-truncated-pct 20", m__json=HAND_WRITTEN),
    case("validate_policy",
         "validate --dataset sample_data/sample_sft.jsonl --policy p.json",
         "validate --dataset sample_data/sample_sft.jsonl --policy p.json "
         "--max-p99 68 --max-risk high --max-cv 0.5",
         "validate --dataset sample_data/sample_sft.jsonl --policy q.json",
         p__json=POLICY, q__json=POLICY.replace("max_cv", "maxcv")),
    case("validate_baseline",
         "profile sample_data/sample_sft.jsonl --manifest-out last.json "
         "--format json",
         "validate --dataset sample_data/sample_sft.jsonl "
         "--baseline last.json --max-drift-pct 5",
         "validate --dataset sample_data/sample_gsm8k.jsonl "
         "--baseline last.json --max-drift-pct 5"),

    case("fix", "fix in.jsonl -o out.jsonl", "!cat out.jsonl",
         "fix in.jsonl -o out2.jsonl --drop-duplicates --format json",
         "!cat out2.jsonl", "fix out2.jsonl -o out3.jsonl --drop-duplicates",
         "validate --dataset in.jsonl", "validate --dataset out2.jsonl",
         in__jsonl=FIXABLE),
    case("fix_sources", "fix array.json -o array.jsonl", "!cat array.jsonl",
         "!gzip chat.jsonl", "fix chat.jsonl.gz -o chat2.jsonl",
         "!cat chat2.jsonl", "fix - -o - < chat.jsonl",
         "fix - -o /dev/stdout < array.json", "fix empty.jsonl -o e.jsonl",
         "fix map.json -o map.jsonl", "!cat map.jsonl",
         array__json=FIX_ARRAY, chat__jsonl=FIX_CHAT, empty__jsonl="",
         map__json='{"r1":{"text":"a"},"r2":{"text":"b"}}'),
    case("fix_refused", "fix in.jsonl -o in.jsonl",
         "fix in.jsonl -o ./in.jsonl", "fix - -o in.jsonl < in.jsonl",
         "fix missing.jsonl -o out.jsonl", "fix in.jsonl -o no/folder.jsonl",
         "fix in.jsonl -o sample_data", "fix in.jsonl",
         "fix rows.csv -o out.jsonl", "fix two.json -o out.jsonl",
         "!cat out.jsonl", in__jsonl=FIX_CHAT, rows__csv="text\na\n",
         two__json='[\n{"text":"a"}\n]\n{"text":"b"}\n'),

    case("eval_repeated",
         "profile --eval held.jsonl train.jsonl --select TS804",
         "profile train.jsonl --eval held.jsonl --eval other.jsonl "
         "--select TS804", "profile --eval held.jsonl",
         train__jsonl='{"text":"one"}\n{"text":"two"}\n',
         held__jsonl='{"text":"two"}\n', other__jsonl='{"text":"one"}\n'),

    case("media",
         "profile rows.jsonl --select TS324 --image-tokens 100",
         "profile rows.jsonl --select TS324",
         "show rows.jsonl:1 --image-tokens 100", "show rows.jsonl:1",
         rows__jsonl=json.dumps({"messages": [
             {"role": "user", "content": [
                 {"type": "image", "image": "a.png"},
                 {"type": "text", "text": "What is it?"}]},
             {"role": "assistant", "content": "A cat."}]}) + "\n"),
    case("tokens_two_files",
         "tokens --field text a.jsonl b.jsonl --tokenizer bytes",
         "tokens --field text a.jsonl --tokenizer bytes --ids",
         a__jsonl='{"text":"abc"}\n{"n":1}\n', b__jsonl='{"text":"é"}\n'),

    case("templates",
         "profile rows.jsonl --tokenizer tiny",
         "profile rows.jsonl --tokenizer tiny --target axolotl",
         "validate rows.jsonl --tokenizer tiny --select TS33 --format json",
         "show rows.jsonl:2 --tokenizer tiny",
         "show rows.jsonl:3 --tokenizer tiny",
         "show rows.jsonl:4 --tokenizer tiny",
         "show rows.jsonl:4 --tokenizer tiny --target axolotl",
         "show plain.jsonl:1 --tokenizer tiny --target trl --max-seq-len 8",
         "show plain.jsonl:2 --tokenizer tiny --target trl",
         "show plain.jsonl:1 --tokenizer tiny --target axolotl",
         "show rows.jsonl:1 --chat-template gemma",
         rows__jsonl=TEMPLATED,
         plain__jsonl='{"prompt":"How many legs?","completion":" Four."}\n'
         '{"chosen":"The sky is blue","rejected":"The sky is red"}\n',
         **{"tiny/tokenizer__json": TINY,
            "tiny/tokenizer_config__json": TINY_CONFIG}),

    case("template_date",
         "show rows.jsonl:1 --tokenizer tiny",
         rows__jsonl=talk("What day is it?", "Thursday."),
         **{"tiny/tokenizer__json": TINY,
            "tiny/tokenizer_config__json": json.dumps({"chat_template":
                "{{ 'It is ' + strftime_now('%d %b %Y') + '. ' }}"
                "{% for m in messages %}{{ m['content'] }}{% endfor %}"})}),

    case("show",
         "show rows.jsonl:1", "show rows.jsonl:1 --max-seq-len 12",
         "show rows.jsonl:1 --max-seq-len 12 --overlong drop",
         "show rows.jsonl:1 --target trl --max-seq-len 12",
         "show rows.jsonl:1 --target llama-factory --max-seq-len 12",
         "show rows.jsonl:1 --target axolotl --max-seq-len 12",
         "show rows.jsonl:1 --chat-template chatml --max-seq-len 30",
         "show rows.jsonl:1 --chat-template chatml --format json",
         "show rows.jsonl:2 --max-seq-len 12",
         "show rows.jsonl:3 --max-seq-len 5",
         "show rows.jsonl:3 --max-seq-len 5 --format json",
         "show rows.jsonl:6", "show rows.jsonl:7", "show rows.jsonl:7 "
         "--columns prompt=foo,completion=bar", "show rows.jsonl:8",
         "!gzip rows.jsonl", "show rows.jsonl.gz:2",
         rows__jsonl=SHOW_ROWS),
    case("show_refused", "show rows.jsonl:4", "show rows.jsonl:5",
         "show rows.jsonl:9", "show rows.jsonl", "show rows.jsonl:0",
         "show missing.jsonl:1", "show sample_data:1",
         "show rows.jsonl:1 --target all", "show rows.jsonl:1 --target trll",
         "!gzip rows.jsonl", "show rows.jsonl.gz:4", "show rows.jsonl.gz:9",
         rows__jsonl=SHOW_ROWS),
    case("plan_text",
         "plan --model llama-3.2-1b --gpu a10g "
         "sample_data/quadrant_throughput_collapse.jsonl --micro-batch 4",
         "plan --model llama-3.1-8b --gpu h100 --gpus 8 --method full "
         "--checkpointing full --micro-batch 4 --accumulation 2 --epochs 3 "
         "--max-seq-len 4096 sample_data/quadrant_throughput_collapse.jsonl",
         "plan --model mistral-7b --gpu rtx4090 --method qlora "
         "--max-seq-len 8192 --micro-batch 2 --framework unsloth --price 0.4 "
         "--require-fit",
         "plan --model llama-3.1-8b --gpu a10g --max-seq-len 2048 "
         "--require-fit", "plan --model llama-3.1-8b --gpu a10g --method "
         "qlora --max-seq-len 2048 --why"),
    case("plan_manifest",
         "profile sample_data/sample_dpo.jsonl --manifest-out m.json "
         "--format json",
         "plan --model own.json --gpu t4 m.json --gpu-table gpus.json "
         "--method full --measured-peak 900MiB --at 1x64 --measured-step 0.2",
         "plan --model own.json --gpu mine --gpu-table gpus.json "
         "--method lora --format json m.json",
         own__json=OWN_CONFIG, gpus__json=OWN_GPUS),
    case("plan_stored_job",
         "profile sample_data/quadrant_throughput_collapse.jsonl "
         "--config axolotl.yml --gpu a10g --manifest-out m.json",
         "plan m.json", "plan m.json --method lora --gpu t4 --rows 3",
         "profile data.jsonl --config megatron.sh --gpu h100 --gpus 8 "
         "--manifest-out n.json", "!rm data.jsonl", "!rm megatron.sh",
         "plan n.json --rows 3", "plan n.json --require-fit",
         "plan hand.json", "plan hand.json --micro-batch 4 --rows 3 --gpu t4",
         "plan typo.json", "plan range.json",
         axolotl__yml=AXOLOTL, megatron__sh=MEGATRON, hand__json=HAND_JOB,
         typo__json=HAND_JOB.replace("lora_rank", "lora_rnk"),
         range__json=HAND_JOB.replace('"16"', '"0"'),
         data__jsonl='{"text": "the data of a run"}\n' * 3),
    case("plan_megatron",
         "plan --config megatron.sh --gpu h100 --gpus 16 --rows 3 data.jsonl",
         "plan --config interleaved.sh --gpu h100 --gpus 16 --rows 3 data.jsonl",
         "plan --config megatron.sh --gpu h100 data.jsonl",
         "plan --model llama-3.1-8b --gpu h100 --gpus 3 --pp 3 --rows 3 "
         "--max-seq-len 2048",
         "plan --config axolotl.yml --gpu a100 --optimizer sophia data.jsonl",
         "plan --config axolotl.yml --gpu rtx3090 --rows 3 data.jsonl",
         megatron__sh=MEGATRON.rstrip("\n") +
         " --sequence-parallel --global-batch-size 64\n",
         interleaved__sh=MEGATRON.rstrip("\n") +
         " --sequence-parallel --global-batch-size 64 "
         "--num-layers-per-virtual-pipeline-stage 4\n",
         axolotl__yml="base_model: Qwen/Qwen3-30B-A3B-Instruct-2507\n"
         "optimizer: sophia\nsequence_len: 2048\nmicro_batch_size: 1\n",
         data__jsonl='{"text": "the data of a run"}\n' * 3),
    case("plan_snapshot",
         "plan --model llama-3.2-1b --gpu a10g --micro-batch 4 "
         "--checkpointing full --calibrate-from s.json "
         "sample_data/quadrant_throughput_collapse.jsonl",
         "plan --model llama-3.2-1b --gpu h100 --max-seq-len 1024 "
         "--calibrate-from s.json --measured-peak 5GiB --rows 3",
         "plan --model llama-3.2-3b --gpu a10g --max-seq-len 1024 "
         "--calibrate-from s.json",
         "plan --model llama-3.2-1b --gpu a10g --max-seq-len 1024 "
         "--calibrate-from first.json",
         "plan --model llama-3.2-1b --gpu a10g --max-seq-len 1024 "
         "--calibrate-from rank.json",
         "plan --model llama-3.2-1b --gpu a10g --max-seq-len 1024 "
         "--calibrate-from missing.json",
         s__json=SNAPSHOT, first__json=SNAPSHOT.replace("500", "1"),
         rank__json=SNAPSHOT.replace('"16"', '"many"')),
    case("plan_grpo",
         "plan --model llama-3.2-1b --gpu a10g --micro-batch 4 "
         "--accumulation 4 --completion-budget 256 --generations 8 "
         "sample_data/sample_grpo.jsonl",
         "plan --config grpo.yaml --gpu a100 --gpus 4 sample_data/sample_grpo.jsonl --why",
         "plan --config grpo.yaml --gpu a100 --method full --engine-memory "
         "2GiB --completion-tokens 200,600 sample_data/sample_grpo.jsonl --format json",
         "plan --model llama-3.2-1b --gpu a10g --engine elsewhere "
         "--max-seq-len 512 --completion-budget 1024",
         "plan --model llama-3.2-1b --gpu a10g --generations 4 "
         "sample_data/sample_sft.jsonl --reference model --method full",
         "plan --model llama-3.2-1b --gpu a10g --objective sft --engine "
         "trainer --max-seq-len 512",
         "plan --model llama-3.2-1b --gpu a10g --engine-memory 1.5 "
         "--max-seq-len 512",
         "plan --model llama-3.2-1b --gpu a10g --completion-tokens 300 "
         "--max-seq-len 512",
         "plan --model llama-3.2-1b --gpu a10g --engine vllm "
         "--max-seq-len 512",
         "plan --model llama-3.2-1b --gpu a10g --gpus 4 --engine-tp 3 "
         "--max-seq-len 512",
         "profile sample_data/sample_grpo.jsonl --config grpo.yaml --gpu a100 "
         "--manifest-out m.json --format json",
         "validate --manifest m.json --require-fit",
         grpo__yaml=GRPO),
    case("plan_config",
         "plan --config axolotl.yml --gpu a10g",
         "plan --config axolotl.yml --gpu a10g --micro-batch 1 --why",
         "plan --config trl.yaml --config accelerate.yaml --gpu a100",
         "plan --config megatron.sh --gpu h100 --gpus 8 --accumulation 32",
         "plan --config other.yml --gpu h100",
         "plan --config broken.yml --gpu h100",
         axolotl__yml=AXOLOTL, trl__yaml=TRL, accelerate__yaml=ACCELERATE,
         megatron__sh=MEGATRON, other__yml="hello: 1\n",
         broken__yml="base_model: x\nmicro_batch_size: two\n"),
    case("error_plan", "plan", "plan --model lama-3.1-8b --gpu h100",
         "plan --model llama-3.1-8b --gpu h1000 --max-seq-len 64",
         "plan --model llama-3.1-8b --gpu h100",
         "plan --model llama-3.1-8b --gpu h100 --packing packed "
         "sample_data/sample_sft.jsonl",
         "plan --model llama-3.1-8b --gpu h100 --max-seq-len 64 "
         "--method laura", "plan --model llama-3.1-8b --gpu h100 "
         "--max-seq-len 64 --framework keras",
         "plan --model llama-3.1-8b --gpu h100 --max-seq-len 64 "
         "--lora-targets q_proj,x", "plan --model llama-3.1-8b --gpu h100 "
         "--max-seq-len 64 --gpus 6 --tp 4",
         "plan --model llama-3.1-8b --gpu h100 --max-seq-len 64 --gpus 7 --tp 7",
         "plan --model gpt2 --gpu h100 --max-seq-len 64 --gpus 16 --pp 16",
         "plan --model gpt2 --gpu h100 --max-seq-len 64 --gpus 2 --ep 2",
         "plan --model mixtral-8x7b --gpu h100 --max-seq-len 64 --gpus 3 --ep 3",
         "plan --model llama-3.1-8b --gpu h100 --max-seq-len 64 "
         "--measured-peak 41GiG", "plan --model llama-3.1-8b --gpu h100 "
         "--max-seq-len 64 --measured-peak 41GiB --at 4*2",
         "plan --model broken.json --gpu h100 --max-seq-len 64",
         "plan --model t5.json --gpu h100 --max-seq-len 64",
         "plan --model llama-3.1-8b --gpu h100 --max-seq-len 64 "
         "--gpu-table prize.json",
         broken__json="{", t5__json='{"model_type":"t5"}\n',
         prize__json='{"h100": {"prize": 1}}\n'),

    case("dataset_info",
         "profile chat.jsonl --dataset-info dataset_info.json "
         "--tokenizer bytes",
         "profile --dataset-info dataset_info.json:alpaca --tokenizer bytes",
         "profile alpaca.jsonl --target llama-factory --tokenizer bytes "
         "--format json",
         "profile chat.jsonl --tokenizer bytes --columns conversations=dialog,"
         "role_tag=speaker,content_tag=said",
         "show chat.jsonl:1 --dataset-info dataset_info.json:chat "
         "--tokenizer bytes",
         "profile --dataset-info dataset_info.json",
         "profile --dataset-info dataset_info.json:hub",
         "profile --dataset-info dataset_info.json:other",
         "profile sample_data --dataset-info dataset_info.json",
         "profile chat.jsonl --dataset-info broken.json",
         "profile chat.jsonl --dataset-info missing.json",
         dataset_info__json=DATASET_INFO, broken__json='{"a":{"columns":[]}}',
         chat__jsonl=TAGGED_CHAT,
         alpaca__jsonl='{"q":"1+1","input":"sum","answer":"2"}\n'),

    case("error_usage", "", "profle", "profile", "profile --no-such-flag",
         "profile sample_data/sample_sft.jsonl --type sftt",
         "profile sample_data/sample_sft.jsonl --max-seq-len 0",
         "profile sample_data/sample_sft.jsonl --overlong shorten",
         "profile sample_data/sample_sft.jsonl --columns prompt",
         "profile sample_data/sample_sft.jsonl --format yaml",
         "profile sample_data/sample_sft.jsonl --report yaml=out",
         "profile sample_data/sample_sft.jsonl --report sarif",
         "profile sample_data/sample_sft.jsonl --report sarif=no/folder/out "
         "--format github",
         "validate",
         "validate --dataset sample_data/sample_sft.jsonl --manifest m.json",
         "validate --dataset sample_data/sample_sft.jsonl --max-risk medium",
         "validate --dataset sample_data/sample_sft.jsonl "
         "--max-waste-pct nan",
         "validate --dataset sample_data/sample_sft.jsonl "
         "--max-waste-pct 101",
         "explain TS999", "explain empty-anser"),
    case("error_missing", "profile missing.jsonl", "profile no/such/folder",
         "validate --manifest missing.json",
         "validate --dataset missing.jsonl",
         "validate --manifest m.json",
         "profile sample_data/sample_sft.jsonl --tokenizer nothing",
         "profile sample_data/sample_sft.jsonl --tokenizer missing.tiktoken",
         "profile missing.jsonl sample_data/sample_sft.jsonl "
         "--manifest-out out.json",
         m__json=HAND_WRITTEN.replace("sample_sft", "sample_gone")),
    case("error_manifest", "validate --manifest broken.json",
         "validate --manifest unknown.json", "validate --manifest other.json",
         "validate --manifest empty.json",
         broken__json=HAND_WRITTEN[:-4], unknown__json=UNKNOWN_LIMIT,
         other__json=OTHER_VERSION, empty__json=""),
]

# Folders as datasets' save_to_disk() writes them: data files in the order of
# state.json, a cache of map() that is no data, and a data set of two splits.
STATE = ('{"_data_files": [{"filename": "data-00001-of-00002.arrow"}, '
         '{"filename": "data-00000-of-00002.arrow"}]}\n')
ONE_STATE = '{"_data_files": [{"filename": "data-00000-of-00001.arrow"}]}\n'
CASES.append((
    "saved_dataset",
    ("!arrow set/data-00000-of-00002.arrow chat.arrows",
     "!arrow set/data-00001-of-00002.arrow chat_zstd.arrow",
     "!arrow set/cache-1234.arrow chat.arrow",
     "profile set --tokenizer bytes --manifest-out m.json --format json",
     "validate --manifest m.json --max-errors 1000",
     "!arrow dict/test/data-00000-of-00001.arrow chat.arrow",
     "!arrow dict/train/data-00000-of-00001.arrow chat.arrow",
     "profile dict --tokenizer bytes --no-duplicates",
     "profile torn", "profile empty"),
    {"set/state.json": STATE, "set/dataset_info.json": "{}\n",
     "dict/dataset_dict.json": '{"splits": ["train", "test"]}\n',
     "dict/train/state.json": ONE_STATE, "dict/test/state.json": ONE_STATE,
     "torn/state.json": STATE, "torn/cache-1.arrow": "",
     "empty/state.json": "{}", "empty/a.arrow": ""}))
