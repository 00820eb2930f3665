#include "tokenize/tokenizer_json.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <string>
#include <utility>

#include "tokenize/json_members.h"
#include "tokenize/tokenizer_json_model.h"
#include "tokenize/tokenizer_json_steps.h"

namespace trainsight::tokenize {
namespace {

constexpr std::string_view kFile = "tokenizer.json";
constexpr std::string_view kMark = "\xE2\x96\x81";  // U+2581
constexpr std::size_t kMostAddedTokens = std::size_t{1} << 20;
constexpr std::size_t kLongestAddedToken = std::size_t{1} << 12;

using NormalizerKind = NormalizerConfig::Kind;
using PreKind = PreTokenizerConfig::Kind;

// A Split whose words are its matches and what is between them.
bool isolates(const PreTokenizerConfig& config) {
  return config.kind == PreKind::kSplitRegex &&
         config.behavior == SplitBehavior::kIsolated && !config.invert;
}

// The same where the pattern leaves nothing between its matches: every known
// one ends with alternatives for all that is left.
bool keeps_matches(const PreTokenizerConfig& config) {
  return config.kind == PreKind::kSplitRegex &&
         (isolates(config) ||
          (config.behavior == SplitBehavior::kRemoved && config.invert));
}

// How ByteBpe cuts words itself; nothing where it cannot.
struct ByteBpeCut {
  Pattern pattern = Pattern::kNone;
  std::string regex;
};

std::optional<ByteBpeCut> byte_bpe_cut(
    const std::vector<PreTokenizerConfig>& configs) {
  if (configs.empty() || configs.back().kind != PreKind::kByteLevel ||
      configs.back().add_prefix_space) {
    return std::nullopt;
  }
  const bool regex = configs.back().use_regex;
  const std::size_t before = configs.size() - 1;
  ByteBpeCut cut;
  if (before == 0) {
    cut.pattern = regex ? Pattern::kGpt2 : Pattern::kNone;
    return cut;
  }
  if (before == 1 && regex) {
    if (configs[0].kind != PreKind::kDigits || !configs[0].individual_digits) {
      return std::nullopt;
    }
    cut.pattern = Pattern::kDigit1Gpt2;
    return cut;
  }
  if (before == 1) {
    if (!keeps_matches(configs[0])) return std::nullopt;
    cut.pattern = pattern_of_source(configs[0].text);
    if (cut.pattern == Pattern::kRegex) {
      if (!isolates(configs[0])) return std::nullopt;
      cut.regex = configs[0].text;
    }
    return cut;
  }
  const auto deepseek = sources_of_pattern(Pattern::kDeepSeekV3);
  if (before == deepseek.size() && !regex &&
      std::all_of(configs.begin(), configs.end() - 1, isolates) &&
      std::equal(deepseek.begin(), deepseek.end(), configs.begin(),
                 [](std::string_view source, const PreTokenizerConfig& config) {
                   return config.text == source;
                 })) {
    cut.pattern = Pattern::kDeepSeekV3;
    return cut;
  }
  return std::nullopt;
}

// Normalizers that only make spaces marks, perhaps with one before the text.
struct MarkRules {
  bool replaces_spaces = false;
  bool prepends = false;
};
std::optional<MarkRules> mark_rules(
    const std::vector<NormalizerConfig>& configs) {
  MarkRules rules;
  for (const NormalizerConfig& config : configs) {
    if (config.kind == NormalizerKind::kReplace && config.from == " " &&
        config.to == kMark && !rules.replaces_spaces) {
      rules.replaces_spaces = true;
    } else if (config.kind == NormalizerKind::kPrepend && config.to == kMark &&
               !rules.prepends) {
      rules.prepends = true;
    } else {
      return std::nullopt;
    }
  }
  if (rules.prepends && !rules.replaces_spaces) return std::nullopt;
  return rules;
}

// The mark of a Metaspace that does not split, where it is the only step.
std::optional<PrependMark> metaspace_mark(
    const std::vector<PreTokenizerConfig>& configs) {
  if (configs.size() != 1 || configs[0].kind != PreKind::kMetaspace ||
      configs[0].metaspace_split || configs[0].text != kMark) {
    return std::nullopt;
  }
  switch (configs[0].scheme) {
    case MetaspaceScheme::kAlways:
      return PrependMark::kUnlessMark;
    case MetaspaceScheme::kFirst:
      return PrependMark::kAtStartUnlessMark;
    case MetaspaceScheme::kNever:
      break;
  }
  return PrependMark::kNever;
}

// A cut at spaces, of which a text without spaces has none.
bool cuts_at_spaces_only(const std::vector<PreTokenizerConfig>& configs) {
  return std::all_of(configs.begin(), configs.end(),
                     [](const PreTokenizerConfig& config) {
                       return config.kind == PreKind::kSplitString &&
                              config.text == " " && !config.invert;
                     });
}

// Whether a raw segment may be cut at single spaces (make_chunked).
bool is_local(const std::vector<NormalizerConfig>& normalizers,
              const std::vector<PreTokenizerConfig>& pre_tokenizers) {
  if (pre_tokenizers.empty() ||
      (pre_tokenizers[0].kind != PreKind::kWhitespaceSplit &&
       pre_tokenizers[0].kind != PreKind::kBert)) {
    return false;
  }
  for (const PreTokenizerConfig& config : pre_tokenizers) {
    if (config.kind == PreKind::kMetaspace &&
        config.scheme == MetaspaceScheme::kFirst) {
      return false;
    }
  }
  for (const NormalizerConfig& config : normalizers) {
    const bool local_kind = config.kind != NormalizerKind::kPrepend &&
                            config.kind != NormalizerKind::kReplaceRegex &&
                            (config.kind != NormalizerKind::kReplace ||
                             config.from.find(' ') == std::string::npos);
    const bool runs_of_spaces =
        config.kind == NormalizerKind::kReplaceRegex && config.from == " {2,}";
    if (!local_kind && !runs_of_spaces) return false;
    if (config.kind == NormalizerKind::kPrecompiled) {
      const Result<Charsmap> map = Charsmap::parse(config.charsmap);
      if (!map) return false;
      const auto space = map->shortest(" ");
      if (space && space->replacement != " ") return false;
    }
  }
  return true;
}

bool is_bert_only(const std::vector<NormalizerConfig>& normalizers,
                  const std::vector<PreTokenizerConfig>& pre_tokenizers) {
  return pre_tokenizers.size() == 1 &&
         pre_tokenizers[0].kind == PreKind::kBert &&
         std::all_of(normalizers.begin(), normalizers.end(),
                     [](const NormalizerConfig& config) {
                       return config.kind == NormalizerKind::kBert;
                     });
}

Result<std::vector<AddedToken>> read_added_tokens(
    JsonElement root, const Vocabulary& pieces, std::size_t listed,
    const std::vector<AddedToken>& more_tokens) {
  std::vector<AddedToken> tokens;
  if (const auto list = array_member(root, "added_tokens")) {
    for (const JsonElement element : *list) {
      AddedToken token;
      token.content = string_member(element, "content");
      token.id = static_cast<std::uint32_t>(
          uint_member(element, "id").value_or(TextPart::kText));
      token.single_word = bool_member(element, "single_word", false);
      token.lstrip = bool_member(element, "lstrip", false);
      token.rstrip = bool_member(element, "rstrip", false);
      token.special = bool_member(element, "special", false);
      token.normalized = bool_member(element, "normalized", !token.special);
      tokens.push_back(std::move(token));
      if (tokens.size() > kMostAddedTokens) break;
    }
  }
  tokens.insert(tokens.end(), more_tokens.begin(), more_tokens.end());
  if (tokens.size() > kMostAddedTokens) {
    return Error{ErrorKind::kLimit, "more than 2^20 added tokens", ""};
  }
  // Ids: the model's where it has the token, else one after another above
  // the model's and those given before. The first of equal tokens counts.
  const auto first_free = static_cast<std::uint32_t>(listed);
  std::uint32_t next = first_free;
  Vocabulary seen(tokens.size(), 0);
  std::vector<AddedToken> kept;
  for (AddedToken& token : tokens) {
    if (token.content.size() > kLongestAddedToken) {
      return Error{ErrorKind::kLimit, "an added token of over 4096 bytes", ""};
    }
    if (token.content.empty() ||
        seen.find(token.content) != Vocabulary::kNone) {
      continue;
    }
    const std::uint32_t known = pieces.find(token.content);
    token.id = known != Vocabulary::kNone ? known : next;
    if (token.id >= first_free) next = std::max(next, token.id + 1);
    seen.set(token.content, token.id);
    kept.push_back(std::move(token));
  }
  return kept;
}

// Tokens that a post-processor puts around a single text.
struct AddedAround {
  std::uint32_t total = 0;
  std::uint32_t before = 0;
};

AddedAround tokens_of_post_processor(std::optional<JsonElement> element,
                                     int depth) {
  constexpr int kDeepest = 16;
  if (!element || depth == kDeepest) return {};
  const std::string_view type = string_member(*element, "type");
  if (type == "BertProcessing" || type == "RobertaProcessing") return {2, 1};
  AddedAround added;
  if (type == "Sequence") {
    if (const auto list = array_member(*element, "processors")) {
      for (const JsonElement one : *list) {
        const AddedAround more = tokens_of_post_processor(one, depth + 1);
        added.total += more.total;
        added.before += more.before;
      }
    }
  } else if (type == "TemplateProcessing") {
    const std::optional<JsonElement> known = member(*element, "special_tokens");
    bool is_before = true;
    if (const auto list = array_member(*element, "single")) {
      for (const JsonElement piece : *list) {
        const auto special = member(piece, "SpecialToken");
        if (!special) {
          is_before = false;  // the text itself
          continue;
        }
        const auto described =
            known ? member(*known, string_member(*special, "id"))
                  : std::nullopt;
        const auto ids =
            described ? array_member(*described, "ids") : std::nullopt;
        const std::uint32_t count =
            ids ? static_cast<std::uint32_t>(ids->size()) : 1;
        added.total += count;
        if (is_before) added.before += count;
      }
    }
  }
  return added;
}

// A byte that all patterns have and that no spelling of spaces has.
char common_mark(const std::vector<std::string>& patterns) {
  for (const char mark : {'<', '[', '|', '>', ']'}) {
    if (std::all_of(patterns.begin(), patterns.end(),
                    [&](const std::string& pattern) {
                      return pattern.find(mark) != std::string::npos;
                    })) {
      return mark;
    }
  }
  return 0;
}

class Loader {
 public:
  Loader(JsonElement root, const std::vector<AddedToken>& more_tokens)
      : root_(root), more_tokens_(more_tokens) {}

  Result<TokenizerParts> load() {
    const std::optional<JsonElement> model = member(root_, "model");
    if (!model) {
      return Error{ErrorKind::kCorrupt, "no model in it", ""};
    }
    model_ = *model;
    const Result<ModelKind> kind = read_model_kind(model_);
    if (!kind) return kind.error();
    Result<std::vector<NormalizerConfig>> normalizers =
        read_normalizer(member(root_, "normalizer"));
    if (!normalizers) return normalizers.error();
    normalizers_ = std::move(*normalizers);
    Result<std::vector<PreTokenizerConfig>> pre_tokenizers =
        read_pre_tokenizer(member(root_, "pre_tokenizer"));
    if (!pre_tokenizers) return pre_tokenizers.error();
    pre_tokenizers_ = std::move(*pre_tokenizers);
    Result<Normalizer> normalizer = build_normalizer(normalizers_);
    if (!normalizer) return normalizer.error();
    parts_.normalizer = std::move(*normalizer);

    if (const Status loaded = load_model(*kind); !loaded) {
      return loaded.error();
    }
    const AddedAround added =
        tokens_of_post_processor(member(root_, "post_processor"), 0);
    parts_.info.tokens_added_per_text = added.total;
    parts_.info.tokens_added_before = added.before;
    for (const std::string_view ignored : {"truncation", "padding"}) {
      if (member(root_, ignored)) {
        parts_.info.notes.push_back(
            fmt::format("{}: {} is ignored", kFile, ignored));
      }
    }
    return std::move(parts_);
  }

 private:
  Status load_model(ModelKind kind) {
    if (kind == ModelKind::kUnigram) {
      Result<UnigramModel> unigram = read_unigram(model_);
      if (!unigram) return unigram.error();
      // (Of equal pieces of a list each takes an id.)
      const std::size_t listed = unigram->spec.pieces.size();
      if (Status added = add_tokens(unigram->pieces, listed); !added) {
        return added;
      }
      parts_.info.kind = "Unigram";
      return compose(make_unigram(unigram->spec), true);
    }
    Result<Vocabulary> pieces = read_vocabulary(model_);
    if (!pieces) return pieces.error();
    if (Status added = add_tokens(*pieces, pieces->size()); !added) {
      return added;
    }
    if (kind == ModelKind::kBpe) return load_bpe(std::move(*pieces));
    Result<WordPieceSpec> spec =
        read_wordpiece(model_, kind, std::move(*pieces));
    if (!spec) return spec.error();
    parts_.info.kind =
        kind == ModelKind::kWordPiece ? "WordPiece" : "WordLevel";
    return compose(make_wordpiece(std::move(*spec)), true);
  }

  // `listed`: how many ids the model has given.
  Status add_tokens(const Vocabulary& pieces, std::size_t listed) {
    Result<std::vector<AddedToken>> tokens =
        read_added_tokens(root_, pieces, listed, more_tokens_);
    if (!tokens) return tokens.error();
    TokenizerInfo& info = parts_.info;
    info.vocabulary_size = pieces.id_limit();
    std::vector<AddedToken> raw, normalized;
    std::vector<std::string> raw_patterns, normalized_patterns;
    NormalizerScratch scratch;
    // Special tokens come first: of equal patterns the first one counts.
    for (const bool special : {true, false}) {
      for (const AddedToken& token : *tokens) {
        if (token.special != special) continue;
        info.vocabulary_size = std::max(info.vocabulary_size, token.id + 1);
        if (token.normalized) {
          normalized.push_back(token);
          normalized_patterns.emplace_back(
              parts_.normalizer.apply(token.content, scratch));
        } else {
          raw.push_back(token);
          raw_patterns.push_back(token.content);
        }
      }
    }
    for (const AddedToken& token : *tokens) {
      info.special_tokens.push_back(
          SpecialToken{token.content, token.id, token.special});
    }
    parts_.raw_tokens = AddedTokens(raw, raw_patterns);
    parts_.normalized_tokens = AddedTokens(normalized, normalized_patterns);
    parts_.normalized_mark = common_mark(normalized_patterns);
    return {};
  }

  Status load_bpe(Vocabulary pieces) {
    const Result<BpeFlags> flags = read_bpe_flags(model_);
    if (!flags) return flags.error();
    if (std::optional<ByteBpeCut> cut = byte_bpe_cut(pre_tokenizers_)) {
      if (std::optional<TokenBytes> tokens = byte_tokens(*flags, pieces)) {
        return load_byte_bpe(*flags, pieces, std::move(*cut),
                             std::move(*tokens));
      }
    }
    Result<SpBpeSpec> spec = read_character_bpe(model_, std::move(pieces));
    if (!spec) return spec.error();
    const bool has_bytes =
        std::any_of(pre_tokenizers_.begin(), pre_tokenizers_.end(),
                    [](const PreTokenizerConfig& config) {
                      return config.kind == PreKind::kByteLevel;
                    });
    parts_.info.kind = has_bytes              ? "byte-level BPE"
                       : flags->byte_fallback ? "BPE with byte fallback"
                                              : "BPE";
    return load_character_bpe(std::move(*spec));
  }

  Status load_byte_bpe(const BpeFlags& flags, const Vocabulary& pieces,
                       ByteBpeCut cut, TokenBytes tokens) {
    Result<std::vector<Merge>> merges = read_merges(model_, flags, pieces);
    if (!merges) return merges.error();
    ByteBpeSpec spec;
    spec.tokens = std::move(tokens);
    spec.merges = std::move(*merges);
    spec.ignore_merges = flags.ignore_merges;
    spec.pattern = cut.pattern;
    spec.regex = std::move(cut.regex);
    Result<std::unique_ptr<ByteBpe>> bpe = ByteBpe::make(std::move(spec));
    if (!bpe) return bpe.error();
    parts_.info.kind = "byte-level BPE";
    parts_.model = make_byte_bpe_segments(std::move(*bpe));
    return {};
  }

  Status load_character_bpe(SpBpeSpec spec) {
    const std::optional<MarkRules> rules = mark_rules(normalizers_);
    const std::optional<PrependMark> metaspace =
        metaspace_mark(pre_tokenizers_);
    // Spaces are marks: by a Metaspace alone, or by the normalizer.
    const bool by_metaspace = normalizers_.empty() && metaspace.has_value();
    const bool by_normalizer =
        rules && rules->replaces_spaces && cuts_at_spaces_only(pre_tokenizers_);
    spec.space_is_mark = by_metaspace || by_normalizer;
    Result<std::unique_ptr<SpBpe>> bpe = SpBpe::make(std::move(spec));
    if (!bpe) return bpe.error();
    if (by_metaspace) {
      parts_.model = (*bpe)->with_prepend(*metaspace);
      return {};
    }
    if (by_normalizer) {
      parts_.fused = (*bpe)->with_prepend(
          rules->prepends ? PrependMark::kAlways : PrependMark::kNever);
      parts_.model = std::move(*bpe);
      return {};
    }
    return compose(std::move(*bpe), false);
  }

  // Step by step: normalizer, words, model; in chunks where that is right, with
  // one cache for words or for chunks.
  Status compose(SegmentModelPtr model, bool cached) {
    const bool chunked = parts_.normalized_tokens.empty() &&
                         is_local(normalizers_, pre_tokenizers_);
    parts_.begin_matters =
        !normalizers_.empty() &&
        std::any_of(pre_tokenizers_.begin(), pre_tokenizers_.end(),
                    [](const PreTokenizerConfig& config) {
                      return config.kind == PreKind::kMetaspace &&
                             config.scheme == MetaspaceScheme::kFirst;
                    });
    if (!pre_tokenizers_.empty()) {
      Result<PreTokenizer> pre_tokenizer = build_pre_tokenizer(pre_tokenizers_);
      if (!pre_tokenizer) return pre_tokenizer.error();
      model = make_word_by_word(std::move(*pre_tokenizer), std::move(model),
                                cached && !chunked);
    }
    if (chunked) {
      ChunkRule rule;
      rule.at_punctuation = is_bert_only(normalizers_, pre_tokenizers_);
      rule.at_ideographs =
          rule.at_punctuation &&
          std::any_of(normalizers_.begin(), normalizers_.end(),
                      [](const NormalizerConfig& config) {
                        return config.bert.handle_chinese_chars;
                      });
      model = make_chunked(
          make_normalizing(std::move(parts_.normalizer), std::move(model)),
          rule);
      parts_.normalizer = Normalizer();
    }
    parts_.model = std::move(model);
    return {};
  }

  JsonElement root_, model_;
  const std::vector<AddedToken>& more_tokens_;
  std::vector<NormalizerConfig> normalizers_;
  std::vector<PreTokenizerConfig> pre_tokenizers_;
  TokenizerParts parts_;
};

}  // namespace

Result<TokenizerParts> parse_tokenizer_json(
    std::string_view json, const std::vector<AddedToken>& more_tokens) {
  JsonDocument document;
  const Result<JsonElement> root = document.parse(kFile, json);
  if (!root) return root.error();
  Result<TokenizerParts> parts = Loader(*root, more_tokens).load();
  if (!parts) return parts.error().with_context(std::string(kFile));
  return parts;
}

}  // namespace trainsight::tokenize
