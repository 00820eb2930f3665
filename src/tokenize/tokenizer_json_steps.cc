#include "tokenize/tokenizer_json_steps.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <utility>

#include "tokenize/text_cursor.h"
#include "tokenize/tiktoken.h"

namespace trainsight::tokenize {
namespace {

// Sequences may hold sequences; nobody nests them deeper.
constexpr int kDeepest = 16;

Error unsupported(std::string_view what, std::string_view name) {
  return Error{ErrorKind::kUnsupported,
               fmt::format("{} \"{}\" is not supported", what, name), ""};
}

Error corrupt(std::string_view what) {
  return Error{ErrorKind::kCorrupt, std::string(what), ""};
}

// {"String": "x"} or {"Regex": "x"}.
struct PatternText {
  std::string_view text;
  bool is_regex = false;
};

Result<PatternText> read_pattern(JsonElement from) {
  const std::optional<JsonElement> pattern = member(from, "pattern");
  PatternText result;
  std::string_view plain;
  if (!pattern) return corrupt("a pattern is missing");
  if (pattern->get(plain) == simdjson::SUCCESS) {
    result.text = plain;
  } else if (const auto regex = member(*pattern, "Regex"); regex) {
    result.text = string_member(*pattern, "Regex");
    result.is_regex = true;
  } else {
    result.text = string_member(*pattern, "String");
  }
  if (result.text.empty()) return corrupt("a pattern is empty");
  return result;
}

template <typename Kind>
struct KindRow {
  std::string_view name;
  Kind kind;
};

template <typename Kind, std::size_t N>
std::optional<Kind> find_kind(const KindRow<Kind> (&rows)[N],
                              std::string_view name) {
  const auto* row =
      std::find_if(std::begin(rows), std::end(rows),
                   [&](const KindRow<Kind>& r) { return r.name == name; });
  if (row == std::end(rows)) return std::nullopt;
  return row->kind;
}

using NormalizerKind = NormalizerConfig::Kind;
constexpr KindRow<NormalizerKind> kNormalizers[] = {
    {"BertNormalizer", NormalizerKind::kBert},
    {"NFC", NormalizerKind::kNfc},
    {"NFD", NormalizerKind::kNfd},
    {"NFKC", NormalizerKind::kNfkc},
    {"NFKD", NormalizerKind::kNfkd},
    {"Lowercase", NormalizerKind::kLowercase},
    {"Strip", NormalizerKind::kStrip},
    {"StripAccents", NormalizerKind::kStripAccents},
    {"Nmt", NormalizerKind::kNmt},
    {"Prepend", NormalizerKind::kPrepend},
    {"Replace", NormalizerKind::kReplace},
    {"Precompiled", NormalizerKind::kPrecompiled},
};

using PreKind = PreTokenizerConfig::Kind;
constexpr KindRow<PreKind> kPreTokenizers[] = {
    {"ByteLevel", PreKind::kByteLevel},
    {"BertPreTokenizer", PreKind::kBert},
    {"Whitespace", PreKind::kWhitespace},
    {"WhitespaceSplit", PreKind::kWhitespaceSplit},
    {"Punctuation", PreKind::kPunctuation},
    {"Digits", PreKind::kDigits},
    {"CharDelimiterSplit", PreKind::kCharDelimiter},
    {"Metaspace", PreKind::kMetaspace},
    {"Split", PreKind::kSplitString},
};

constexpr KindRow<SplitBehavior> kBehaviors[] = {
    {"Removed", SplitBehavior::kRemoved},
    {"Isolated", SplitBehavior::kIsolated},
    {"MergedWithPrevious", SplitBehavior::kMergedWithPrevious},
    {"MergedWithNext", SplitBehavior::kMergedWithNext},
    {"Contiguous", SplitBehavior::kContiguous},
};

constexpr KindRow<MetaspaceScheme> kSchemes[] = {
    {"always", MetaspaceScheme::kAlways},
    {"first", MetaspaceScheme::kFirst},
    {"never", MetaspaceScheme::kNever},
};

Status read_one(JsonElement from, NormalizerConfig& config) {
  switch (config.kind) {
    case NormalizerKind::kBert:
      config.bert.clean_text = bool_member(from, "clean_text", true);
      config.bert.handle_chinese_chars =
          bool_member(from, "handle_chinese_chars", true);
      config.bert.lowercase = bool_member(from, "lowercase", true);
      config.bert.strip_accents =
          bool_member(from, "strip_accents", config.bert.lowercase);
      return {};
    case NormalizerKind::kStrip:
      config.strip_left = bool_member(from, "strip_left", true);
      config.strip_right = bool_member(from, "strip_right", true);
      return {};
    case NormalizerKind::kPrepend:
      config.to = string_member(from, "prepend");
      return {};
    case NormalizerKind::kReplace: {
      const Result<PatternText> pattern = read_pattern(from);
      if (!pattern) return pattern.error().with_context("normalizer Replace");
      if (pattern->is_regex) config.kind = NormalizerKind::kReplaceRegex;
      config.from = pattern->text;
      config.to = string_member(from, "content");
      return {};
    }
    case NormalizerKind::kPrecompiled:
      if (!append_base64(string_member(from, "precompiled_charsmap"),
                         config.charsmap)) {
        return corrupt("precompiled_charsmap is not base64");
      }
      return {};
    default:
      return {};
  }
}

Status read_one(JsonElement from, PreTokenizerConfig& config) {
  const auto read_behavior = [&](std::string_view name) -> Status {
    const auto behavior = find_kind(kBehaviors, name);
    if (!behavior) return unsupported("split behavior", name);
    config.behavior = *behavior;
    return {};
  };
  switch (config.kind) {
    case PreKind::kByteLevel:
      config.add_prefix_space = bool_member(from, "add_prefix_space", true);
      config.use_regex = bool_member(from, "use_regex", true);
      return {};
    case PreKind::kPunctuation: {
      const std::string_view name = string_member(from, "behavior");
      return read_behavior(name.empty() ? "Isolated" : name);
    }
    case PreKind::kDigits:
      config.individual_digits = bool_member(from, "individual_digits", false);
      return {};
    case PreKind::kCharDelimiter:
      config.text = string_member(from, "delimiter");
      if (config.text.empty()) return corrupt("a delimiter is missing");
      return {};
    case PreKind::kMetaspace: {
      config.text = string_member(from, "replacement");
      if (config.text.empty()) config.text = "\xE2\x96\x81";
      // Old files know add_prefix_space only.
      const std::string_view scheme = string_member(from, "prepend_scheme");
      if (scheme.empty()) {
        config.scheme = bool_member(from, "add_prefix_space", true)
                            ? MetaspaceScheme::kAlways
                            : MetaspaceScheme::kNever;
      } else if (const auto known = find_kind(kSchemes, scheme); known) {
        config.scheme = *known;
      } else {
        return unsupported("Metaspace prepend_scheme", scheme);
      }
      config.metaspace_split = bool_member(from, "split", true);
      return {};
    }
    case PreKind::kSplitString: {
      const Result<PatternText> pattern = read_pattern(from);
      if (!pattern) return pattern.error().with_context("pre_tokenizer Split");
      if (pattern->is_regex) config.kind = PreKind::kSplitRegex;
      config.text = pattern->text;
      config.invert = bool_member(from, "invert", false);
      return read_behavior(string_member(from, "behavior"));
    }
    default:
      return {};
  }
}

template <typename Config, typename Rows>
Status read_into(JsonElement from, std::string_view what,
                 std::string_view list_name, const Rows& rows, int depth,
                 std::vector<Config>& configs) {
  const std::string_view type = string_member(from, "type");
  if (type == "Sequence") {
    const auto list = array_member(from, list_name);
    if (!list || depth == kDeepest) {
      return corrupt(fmt::format("{} Sequence without its list", what));
    }
    for (const JsonElement one : *list) {
      if (const Status read =
              read_into(one, what, list_name, rows, depth + 1, configs);
          !read) {
        return read;
      }
    }
    return {};
  }
  const auto kind = find_kind(rows, type);
  if (!kind) return unsupported(what, type);
  Config config;
  config.kind = *kind;
  if (const Status read = read_one(from, config); !read) return read;
  configs.push_back(std::move(config));
  return {};
}

// " {2,}", as converters write "runs of spaces".
bool is_runs_of_spaces(std::string_view regex) { return regex == " {2,}"; }

}  // namespace

Result<std::vector<NormalizerConfig>> read_normalizer(
    std::optional<JsonElement> element) {
  std::vector<NormalizerConfig> configs;
  if (!element) return configs;
  const Status read = read_into(*element, "normalizer", "normalizers",
                                kNormalizers, 0, configs);
  if (!read) return read.error();
  return configs;
}

Result<std::vector<PreTokenizerConfig>> read_pre_tokenizer(
    std::optional<JsonElement> element) {
  std::vector<PreTokenizerConfig> configs;
  if (!element) return configs;
  const Status read = read_into(*element, "pre_tokenizer", "pretokenizers",
                                kPreTokenizers, 0, configs);
  if (!read) return read.error();
  return configs;
}

Result<Normalizer> build_normalizer(
    const std::vector<NormalizerConfig>& configs) {
  Normalizer normalizer;
  for (const NormalizerConfig& config : configs) {
    switch (config.kind) {
      case NormalizerKind::kBert:
        normalizer.add(make_bert_step(config.bert));
        break;
      case NormalizerKind::kNfc:
        normalizer.add(make_normal_form_step(NormalForm::Kind::kNfc));
        break;
      case NormalizerKind::kNfd:
        normalizer.add(make_normal_form_step(NormalForm::Kind::kNfd));
        break;
      case NormalizerKind::kNfkc:
        normalizer.add(make_normal_form_step(NormalForm::Kind::kNfkc));
        break;
      case NormalizerKind::kNfkd:
        normalizer.add(make_normal_form_step(NormalForm::Kind::kNfkd));
        break;
      case NormalizerKind::kLowercase:
        normalizer.add(make_lowercase_step());
        break;
      case NormalizerKind::kStrip:
        normalizer.add(make_strip_step(config.strip_left, config.strip_right));
        break;
      case NormalizerKind::kStripAccents:
        normalizer.add(make_strip_accents_step());
        break;
      case NormalizerKind::kNmt:
        normalizer.add(make_nmt_step());
        break;
      case NormalizerKind::kPrepend:
        normalizer.add(make_prepend_step(config.to));
        break;
      case NormalizerKind::kReplace:
        normalizer.add(make_replace_step(config.from, config.to));
        break;
      case NormalizerKind::kReplaceRegex: {
        if (is_runs_of_spaces(config.from)) {
          normalizer.add(make_replace_spaces_step(config.to));
          break;
        }
        Result<StepPtr> step = make_replace_regex_step(config.from, config.to);
        if (!step) return step.error().with_context("normalizer Replace");
        normalizer.add(std::move(*step));
        break;
      }
      case NormalizerKind::kPrecompiled: {
        Result<Charsmap> map = Charsmap::parse(config.charsmap);
        if (!map) return map.error();
        normalizer.add(make_precompiled_step(std::move(*map)));
        break;
      }
    }
  }
  return normalizer;
}

Result<PreTokenizer> build_pre_tokenizer(
    const std::vector<PreTokenizerConfig>& configs) {
  PreTokenizer pre_tokenizer;
  for (const PreTokenizerConfig& config : configs) {
    switch (config.kind) {
      case PreKind::kByteLevel:
        pre_tokenizer.add(
            make_byte_level(config.add_prefix_space, config.use_regex, true));
        break;
      case PreKind::kBert:
        pre_tokenizer.add(make_bert_split());
        break;
      case PreKind::kWhitespace:
        pre_tokenizer.add(make_whitespace());
        break;
      case PreKind::kWhitespaceSplit:
        pre_tokenizer.add(make_whitespace_split());
        break;
      case PreKind::kPunctuation:
        pre_tokenizer.add(make_punctuation(config.behavior));
        break;
      case PreKind::kDigits:
        pre_tokenizer.add(make_digits(config.individual_digits));
        break;
      case PreKind::kCharDelimiter:
        pre_tokenizer.add(make_char_delimiter(code_point_at(config.text, 0)));
        break;
      case PreKind::kMetaspace:
        pre_tokenizer.add(
            make_metaspace(config.text, config.scheme, config.metaspace_split));
        break;
      case PreKind::kSplitString:
        pre_tokenizer.add(
            make_string_split(config.text, config.behavior, config.invert));
        break;
      case PreKind::kSplitRegex: {
        Result<PreStepPtr> step =
            make_regex_split(config.text, config.behavior, config.invert);
        if (!step) return step.error().with_context("pre_tokenizer Split");
        pre_tokenizer.add(std::move(*step));
        break;
      }
    }
  }
  return pre_tokenizer;
}

}  // namespace trainsight::tokenize
