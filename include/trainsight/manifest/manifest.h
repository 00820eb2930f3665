// Manifest: the one document of trainsight (apiVersion trainsight/v1).
//
// Three uses: what to check (written by hand), what was found (written by
// `profile --manifest-out`), what to expect (read by `pulse`). These are its
// plain values; read.h and write.h turn them into JSON and back. The published
// form is docs/reference/manifest.schema.json.
//
// Ratios are 0…1; sizes say their unit in the name; lengths are in tokens of
// dataset.tokenizer. An absent optional is "not given" or "not known", never 0.
#ifndef TRAINSIGHT_MANIFEST_MANIFEST_H_
#define TRAINSIGHT_MANIFEST_MANIFEST_H_

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "trainsight/records/group_path.h"
#include "trainsight/records/sample.h"
#include "trainsight/rules/finding.h"
#include "trainsight/stats/length_sketch.h"
#include "trainsight/stats/mixture.h"

namespace trainsight::manifest {

inline constexpr std::string_view kApiVersion = "trainsight/v1";
inline constexpr std::string_view kKind = "DatasetManifest";

/// One input file. A hand-written manifest may give only the path or glob.
struct DatasetFile {
  std::string path;  ///< relative to the manifest, or a glob
  std::optional<std::uint64_t> bytes;
  std::optional<std::string> modified;  ///< RFC 3339, nanoseconds, UTC
  std::optional<std::string> xxh64;     ///< 16 hex digits
  std::optional<std::uint64_t> records;
  std::optional<std::uint64_t> malformed;  ///< records that were refused
  std::optional<std::uint64_t> usable;  ///< that something can be learnt from
  std::string role;    ///< "eval" for evaluation data; empty: training data
  std::string format;  ///< "jsonl", "parquet", …; empty when not read yet
  std::optional<std::string> glob;  ///< the pattern or folder it came from
};

struct TokenizerRef {
  std::string name;
  std::string xxh64;
  std::string kind;
  std::string exactness;  ///< "exact" or "estimated"
};

struct TemplateRef {
  std::string name;  ///< "none", a preset's name, or "model"
  std::string xxh64;
};

struct Dataset {
  std::string type = "auto";  ///< as asked for: auto, sft, dpo, …
  std::vector<DatasetFile> files;
  std::map<std::string, std::string> columns;  ///< field → column
  std::optional<TokenizerRef> tokenizer;
  std::optional<TemplateRef> chat_template;
};

/// How the data set will be trained on. Absent members take the defaults that
/// reference/manifest.md lists.
struct Training {
  std::optional<std::string> target;
  std::optional<std::uint64_t> max_seq_len;
  std::optional<std::string> overlong;  ///< truncate, drop, split, error
  std::optional<std::uint64_t> pad_to_multiple_of;
  std::optional<std::uint64_t> micro_batch;
  std::optional<std::uint64_t> accumulation;
  std::optional<std::uint64_t> world_size;
  std::optional<std::string> sampler;
  std::optional<std::string> packing;
  std::optional<bool> drop_last;
  std::optional<double> epochs;
  std::optional<std::uint64_t> seed;
  std::optional<std::string> model;  ///< a name or path, as --model
  std::optional<std::string> method;
  std::optional<std::string> gpu;
  std::optional<std::string> precision;
  /// Every other flag of the job that was given, by its name: lora_rank → 32.
  std::map<std::string, std::string> settings;
  /// Sizes of a model that is no built-in one (models/shape_sizes.h), and
  /// figures of a GPU out of a table (hardware/gpu_table.h), so that the job
  /// can be judged where their files are not. Empty: not stored.
  std::map<std::string, std::uint64_t> model_shape;
  std::map<std::string, double> gpu_figures;

  friend bool operator==(const Training&, const Training&) = default;
};

/// Limits of a gate, named as the flags. Absent: not judged.
struct Policy {
  std::optional<double> max_waste_pct;
  std::optional<std::uint64_t> max_p99;     ///< tokens
  std::optional<std::uint64_t> max_tokens;  ///< longest record, tokens
  std::optional<double> max_cv;
  std::optional<std::string> max_risk;        ///< low, moderate, high, critical
  std::optional<double> max_truncated_pct;    ///< of records
  std::optional<double> max_lost_tokens_pct;  ///< of tokens
  std::optional<std::uint64_t> max_errors;    ///< ERROR findings; default 0
  std::optional<double> max_malformed_pct;    ///< of lines
  std::optional<double> max_duplicate_pct;    ///< of records
  std::optional<std::uint64_t> min_records;
  std::optional<double> max_drift_pct;  ///< of any length figure, to a baseline
};

/// A length distribution with the sketch that it can be judged again from.
struct Lengths {
  stats::LengthSketch sketch;
};

struct LongestRecord {
  std::uint32_t file = 0;  ///< index into Dataset::files
  std::uint64_t line = 0;
  std::uint64_t tokens = 0;
};

/// What a limit on the sequence length leaves, for one target.
struct Survival {
  struct Part {
    std::uint64_t records = 0;
    std::uint64_t tokens = 0;
  };
  std::string target;
  std::uint64_t max_seq_len = 0;
  std::string overlong;
  Part kept, truncated, dropped, unlabelled;
};

/// Lengths, survival and findings by a field of the rows: `--by source`.
struct Breakdown {
  /// The rows with one value of the field. Their figures are those of the
  /// profile, of these rows alone.
  struct Group {
    records::GroupKey value;
    std::uint64_t records = 0;
    std::uint64_t tokens = 0;  ///< of the rendered sequences
    double tokens_ratio = 0;   ///< of all tokens of the set
    double mean = 0;           ///< as the following, of rows with a length
    std::uint64_t p50 = 0, p95 = 0, p99 = 0, max = 0;
    std::vector<Survival> survival;
    /// Findings of rows by rule; those of files and of the set have no row.
    std::map<std::string, std::uint64_t, std::less<>> findings;
  };
  std::string field;           ///< as asked for
  std::vector<Group> groups;   ///< most tokens first; ties by value
  std::optional<Group> other;  ///< the rest together; its `value` says nothing
  std::uint64_t other_values = 0;  ///< different values in it
  /// Whether there were more than are told apart, so that `other_values` is a
  /// lower bound and the rest may hold values with many tokens.
  bool too_many_values = false;
};

/// The inputs as a mixture by weights: `--weights 0.7,0.3`. See
/// stats/mixture.h for what each figure means.
struct MixtureProfile {
  struct Source {
    std::string path;  ///< as it was given: a file, folder, glob
    double weight = 0;
    std::uint64_t records = 0;  ///< rows with a length
    std::uint64_t tokens = 0;   ///< of these
  };
  std::vector<Source> sources;                ///< in the order of the inputs
  std::optional<std::uint64_t> token_budget;  ///< tokens of the whole run
  /// Absent when a source has no row with a length: nothing can be drawn.
  std::optional<stats::Mixture> figures;
};

/// A schema met in the rows.
struct SchemaCount {
  std::string schema;  ///< "question-answer"; "unknown"
  records::SampleType type = records::SampleType::kUnknown;
  std::uint64_t records = 0;
  std::uint32_t first_file = 0;
  std::uint64_t first_line = 0;
  std::string mapping;  ///< "prompt ← question, completion ← answer"
};

/// Sets of at most this many rows keep their lengths in file order: below 50
/// batches the padding of random batches is simulated from that order.
inline constexpr std::size_t kMostInOrder = 2048;

/// What was found in the data set; everything that does not depend on how it
/// will be trained on, but for `survival`.
struct Profile {
  std::uint64_t records = 0;
  std::uint64_t malformed = 0;  ///< records that could not be read
  std::uint64_t blank_lines = 0;
  std::uint64_t lines = 0;
  std::uint64_t bytes = 0;   ///< of the stored files
  std::uint64_t usable = 0;  ///< records that something can be learnt from
  /// Records that repeat an earlier one; absent: not looked for.
  std::optional<std::uint64_t> duplicates;
  std::array<std::uint64_t, records::kSampleTypeCount> types{};
  /// The type that the run is about: as stated, or by the votes of all rows.
  records::SampleType type = records::SampleType::kUnknown;
  std::vector<SchemaCount> schemas;

  /// `tokens` of each row in input order; empty in larger sets.
  std::vector<std::uint64_t> in_order;
  Lengths tokens;          ///< rendered sequence; pairs: the longer side
  Lengths content_tokens;  ///< without template
  std::array<Lengths, records::kFieldCount> fields;
  Lengths chosen_side, rejected_side;  ///< preferences: prompt + side
  Lengths first_label;                 ///< tokens before the first learnt one
  Lengths label_tokens;                ///< learnt tokens a record
  /// File-order batches of the run's micro-batch, exact: slots of a full pass.
  std::uint64_t file_order_slots = 0;
  std::uint64_t file_order_tokens = 0;
  std::uint64_t file_order_micro_batch = 0;

  std::vector<Survival> survival;
  std::optional<Breakdown> by;            ///< absent: not asked for
  std::optional<MixtureProfile> mixture;  ///< absent: not asked for
  std::map<rules::FindingLog::Key, rules::FindingGroup> findings;
  std::vector<LongestRecord> longest;  ///< longest first; ties in input order
};

/// A figure, or the reason why none is given.
struct Estimate {
  std::optional<double> value;
  double low = 0, high = 0;  ///< the interval that the model claims
  std::string reason;        ///< when there is no value
};

/// Peak of GPU memory of the largest batch that the data can make, on one GPU
/// (memory/peak.h); sizes in bytes.
struct MemoryFigure {
  std::string verdict;  ///< "fits", "tight", "does not fit"
  std::uint64_t peak_bytes = 0, low_bytes = 0, high_bytes = 0;
  std::uint64_t usable_bytes = 0;  ///< of the GPU
  std::string phase;               ///< of the step, that has the peak
  std::string model, method, gpu;
  std::uint64_t gpus = 1;
  std::uint64_t micro_batch = 0;  ///< sequences of the largest batch
  std::uint64_t length = 0;       ///< its longest row, or its packs; tokens
  std::uint64_t tokens = 0;       ///< all of its slots
  /// The largest micro-batch at this length, and the largest length at this
  /// micro-batch, that fit for certain; 0: none.
  std::uint64_t safe_micro_batch = 0, safe_length = 0;
  std::vector<std::string> defaults;  ///< what no flag gave: "micro-batch 8"
  std::vector<std::string> notes;     ///< a sentence each
};

struct Prediction {
  /// The training section that it was made for: it answers for no other.
  Training made_for;
  std::string regime;  ///< "padding memory waste"
  bool in_transition = false;
  std::string risk;  ///< low, moderate, high, critical
  struct Padding {
    std::uint64_t micro_batch = 0;
    std::string sampler;
    double waste_ratio = 0;
    std::string method;  ///< "closed form", "simulated"
    double expected_longest = 0;
    std::optional<double> file_order_waste_ratio;
    /// False when the figure is about prompts only (RL).
    bool whole_step = true;
  };
  std::optional<Padding> padding;
  std::optional<MemoryFigure> memory;  ///< absent: no model was named
  Estimate throughput;        ///< tokens/s of the reference calibration
  Estimate throughput_index;  ///< 1: as fast as its fastest published run
  Estimate entropy;  ///< attention entropy of the reference calibration
};

struct Manifest {
  std::string name;
  std::string created;  ///< RFC 3339; empty when not stated
  std::string tool_name, tool_version;
  Dataset dataset;
  Training training;
  Policy policy;
  std::optional<Profile> profile;
  std::optional<Prediction> prediction;
};

}  // namespace trainsight::manifest

#endif  // TRAINSIGHT_MANIFEST_MANIFEST_H_
