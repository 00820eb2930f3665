#include "tokenize/tokenizer_json_model.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <string>
#include <utility>

#include "tokenize/pre_tokenizer.h"

namespace trainsight::tokenize {
namespace {

constexpr std::size_t kMostPieces = std::size_t{1} << 24;

Error corrupt(std::string message) {
  return Error{ErrorKind::kCorrupt, std::move(message), ""};
}

// Ids have holes in some files, but are never far above the pieces' number.
bool is_plausible(std::uint64_t id, std::size_t pieces) {
  return id < pieces * 4 + 4096;
}

std::string quoted(std::string_view token) {
  return fmt::format("\"{}\"", token.substr(0, 64));
}

Result<std::uint32_t> unknown_id(std::string_view token,
                                 const Vocabulary& pieces) {
  const std::uint32_t id = pieces.find(token);
  if (id == Vocabulary::kNone) {
    return corrupt("unk_token " + quoted(token) + " is not in the vocabulary");
  }
  return id;
}

// One merge, as two strings or as "left right".
bool read_pair(JsonElement merge, std::string_view& left,
               std::string_view& right) {
  std::string_view both;
  if (merge.get(both) == simdjson::SUCCESS) {
    const std::size_t space = both.find(' ');
    if (space == std::string_view::npos) return false;
    left = both.substr(0, space);
    right = both.substr(space + 1);
    return right.find(' ') == std::string_view::npos;
  }
  simdjson::dom::array pair;
  return merge.get(pair) == simdjson::SUCCESS && pair.size() == 2 &&
         pair.at(0).get(left) == simdjson::SUCCESS &&
         pair.at(1).get(right) == simdjson::SUCCESS;
}

// A few merges, looked up together.
struct MergeBatch {
  static constexpr std::size_t kMerges = 32;
  std::size_t size = 0;
  std::array<std::string_view, 3 * kMerges> texts;  // left, right, result
  std::array<std::string, kMerges> results;
  std::array<std::uint32_t, 3 * kMerges> ids;

  Status append_to(std::vector<Merge>& merges, const Vocabulary& pieces) {
    pieces.find_all(texts.data(), 3 * size, ids.data());
    for (std::size_t i = 0; i < 3 * size; ++i) {
      if (ids[i] == Vocabulary::kNone) {
        return corrupt(fmt::format("merge {} needs {}, not in the vocabulary",
                                   merges.size() + i / 3 + 1,
                                   quoted(texts[i])));
      }
    }
    for (std::size_t i = 0; i < size; ++i) {
      merges.push_back(Merge{ids[3 * i], ids[3 * i + 1], ids[3 * i + 2]});
    }
    size = 0;
    return {};
  }
};

// A number of a file as the reference reads it: serde_json, unless told to be
// exact, takes the digits for an integer, makes it a double and divides by the
// power of ten, each rounded, so that one value in four is a neighbour of the
// nearest one. Sums of scores that are equal but for that are then not equal.
// Source: serde-rs/json, src/de.rs, f64_from_parts (without float_roundtrip).
// The digits are those that writers give: the fewest that tell the number.
double as_reference_reads(double value) {
  const std::string text = fmt::format("{}", std::fabs(value));
  std::uint64_t digits = 0;
  int exponent = 0;
  bool after_point = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '.') {
      after_point = true;
    } else if (text[i] >= '0' && text[i] <= '9') {
      digits = digits * 10 + static_cast<std::uint64_t>(text[i] - '0');
      if (after_point) --exponent;
    } else {
      return value;  // with an exponent: far from any score
    }
  }
  // Powers of ten up to 22 are exact doubles.
  constexpr int kMostDigits = 19;
  if (exponent == 0 || exponent < -22 || text.size() > kMostDigits + 1) {
    return value;
  }
  double power = 1.0;
  for (int i = 0; i < -exponent; ++i) power *= 10.0;
  return std::copysign(static_cast<double>(digits) / power, value);
}

}  // namespace

Result<ModelKind> read_model_kind(JsonElement model) {
  const std::string_view type = string_member(model, "type");
  if (type == "BPE") return ModelKind::kBpe;
  if (type == "WordPiece") return ModelKind::kWordPiece;
  if (type == "WordLevel") return ModelKind::kWordLevel;
  if (type == "Unigram") return ModelKind::kUnigram;
  if (!type.empty()) {
    return Error{ErrorKind::kUnsupported,
                 fmt::format("model \"{}\" is not supported", type), ""};
  }
  if (member(model, "merges")) return ModelKind::kBpe;
  if (member(model, "max_input_chars_per_word")) return ModelKind::kWordPiece;
  if (array_member(model, "vocab")) return ModelKind::kUnigram;
  if (member(model, "vocab")) return ModelKind::kWordLevel;
  return corrupt("the model has no vocabulary");
}

Result<Vocabulary> read_vocabulary(JsonElement model) {
  simdjson::dom::object object;
  const std::optional<JsonElement> vocab = member(model, "vocab");
  if (!vocab || vocab->get(object) != simdjson::SUCCESS) {
    return corrupt("the model has no vocabulary");
  }
  // The object's own size() saturates at 2^24 - 1.
  std::size_t count = 0;
  std::size_t bytes = 0;
  for (const auto& field : object) {
    ++count;
    bytes += field.key.size();
  }
  if (count > kMostPieces ||
      bytes > std::numeric_limits<std::uint32_t>::max()) {
    return Error{ErrorKind::kLimit, "more than 2^24 pieces or 4 GiB of them",
                 ""};
  }
  Vocabulary pieces(count, bytes);
  for (const auto& field : object) {
    std::uint64_t id = 0;
    if (field.value.get(id) != simdjson::SUCCESS || !is_plausible(id, count)) {
      return corrupt("piece " + quoted(field.key) + " has no sensible id");
    }
    pieces.set(field.key, static_cast<std::uint32_t>(id));
  }
  return pieces;
}

Result<BpeFlags> read_bpe_flags(JsonElement model) {
  if (const std::optional<JsonElement> dropout = member(model, "dropout")) {
    double rate = 0.0;
    if (dropout->get(rate) != simdjson::SUCCESS || rate != 0.0) {
      return Error{ErrorKind::kUnsupported,
                   "BPE dropout gives another result each time", ""};
    }
  }
  BpeFlags flags;
  flags.unk_token = string_member(model, "unk_token");
  flags.continuing_prefix = string_member(model, "continuing_subword_prefix");
  flags.end_suffix = string_member(model, "end_of_word_suffix");
  flags.fuse_unk = bool_member(model, "fuse_unk", false);
  flags.byte_fallback = bool_member(model, "byte_fallback", false);
  flags.ignore_merges = bool_member(model, "ignore_merges", false);
  return flags;
}

Result<std::vector<Merge>> read_merges(JsonElement model, const BpeFlags& flags,
                                       const Vocabulary& pieces) {
  const auto list = array_member(model, "merges");
  if (!list) return corrupt("the BPE model has no merges");
  std::vector<Merge> merges;
  merges.reserve(list->size());
  MergeBatch batch;
  for (const JsonElement element : *list) {
    std::string_view left, right;
    const std::size_t number = merges.size() + batch.size + 1;
    if (!read_pair(element, left, right)) {
      return corrupt(fmt::format("merge {} is not a pair", number));
    }
    if (right.size() < flags.continuing_prefix.size()) {
      return corrupt(
          fmt::format("merge {} lacks the prefix of what follows", number));
    }
    std::string& result = batch.results[batch.size];
    result.assign(left);
    result += right.substr(flags.continuing_prefix.size());
    batch.texts[3 * batch.size] = left;
    batch.texts[3 * batch.size + 1] = right;
    batch.texts[3 * batch.size + 2] = result;
    if (++batch.size < MergeBatch::kMerges) continue;
    if (const Status added = batch.append_to(merges, pieces); !added) {
      return added.error();
    }
  }
  if (const Status added = batch.append_to(merges, pieces); !added) {
    return added.error();
  }
  return merges;
}

std::optional<TokenBytes> byte_tokens(const BpeFlags& flags,
                                      const Vocabulary& pieces) {
  if (!flags.continuing_prefix.empty() || !flags.end_suffix.empty() ||
      flags.byte_fallback) {
    return std::nullopt;
  }
  std::vector<std::uint32_t> piece_of_id(pieces.id_limit(), Vocabulary::kNone);
  std::size_t bytes = 0;
  for (std::size_t i = 0; i < pieces.size(); ++i) {
    piece_of_id[pieces.id(i)] = static_cast<std::uint32_t>(i);
    bytes += pieces.text(i).size();
  }
  TokenBytes tokens;
  tokens.reserve(piece_of_id.size(), bytes);
  std::array<bool, 256> known{};
  std::string token;
  for (const std::uint32_t piece : piece_of_id) {
    token.clear();
    // A piece outside the alphabet (a special token) is never merged to.
    if (piece != Vocabulary::kNone) unspell_bytes(pieces.text(piece), token);
    if (token.size() == 1) known[static_cast<unsigned char>(token[0])] = true;
    tokens.add(token);
  }
  const bool complete =
      std::all_of(known.begin(), known.end(), [](bool k) { return k; });
  if (!complete) return std::nullopt;
  return tokens;
}

std::array<std::uint32_t, 256> byte_piece_ids(const Vocabulary& pieces) {
  std::array<std::uint32_t, 256> ids;
  for (unsigned byte = 0; byte < 256; ++byte) {
    ids[byte] = pieces.find(fmt::format("<0x{:02X}>", byte));
  }
  return ids;
}

Result<SpBpeSpec> read_character_bpe(JsonElement model, Vocabulary pieces) {
  const Result<BpeFlags> flags = read_bpe_flags(model);
  if (!flags) return flags.error();
  Result<std::vector<Merge>> merges = read_merges(model, *flags, pieces);
  if (!merges) return merges.error();
  SpBpeSpec spec;
  spec.merges.reserve(merges->size());
  for (const Merge& merge : *merges) {
    spec.merges.push_back(RankedMerge{
        merge.left, merge.right, static_cast<std::uint32_t>(spec.merges.size()),
        merge.result});
  }
  spec.byte_ids = byte_piece_ids(pieces);
  spec.byte_fallback = flags->byte_fallback;
  if (!flags->unk_token.empty()) {
    const Result<std::uint32_t> unknown = unknown_id(flags->unk_token, pieces);
    if (!unknown) return unknown.error();
    spec.unk_id = *unknown;
  }
  spec.fuse_unk = flags->fuse_unk;
  spec.ignore_merges = flags->ignore_merges;
  spec.continuing_prefix = flags->continuing_prefix;
  spec.end_suffix = flags->end_suffix;
  spec.first_extra = pieces.id_limit();
  spec.pieces = std::move(pieces);
  return spec;
}

Result<WordPieceSpec> read_wordpiece(JsonElement model, ModelKind kind,
                                     Vocabulary pieces) {
  WordPieceSpec spec;
  const std::string_view unknown_token = string_member(model, "unk_token");
  const Result<std::uint32_t> unknown = unknown_id(unknown_token, pieces);
  if (!unknown) return unknown.error();
  spec.unk_id = *unknown;
  spec.whole_words = kind == ModelKind::kWordLevel;
  if (!spec.whole_words) {
    spec.continuing_prefix = string_member(model, "continuing_subword_prefix");
    spec.max_characters =
        uint_member(model, "max_input_chars_per_word").value_or(100);
  }
  spec.pieces = std::move(pieces);
  return spec;
}

Result<UnigramModel> read_unigram(JsonElement model) {
  const auto list = array_member(model, "vocab");
  if (!list) return corrupt("the Unigram model has no vocabulary");
  UnigramModel unigram;
  UnigramSpec& spec = unigram.spec;
  spec.min_score = std::numeric_limits<double>::infinity();
  for (const JsonElement element : *list) {
    if (spec.pieces.size() == kMostPieces) {
      return Error{ErrorKind::kLimit, "more than 2^24 pieces", ""};
    }
    const auto id = static_cast<std::uint32_t>(spec.pieces.size());
    simdjson::dom::array pair;
    std::string_view text;
    double score = 0.0;
    if (element.get(pair) != simdjson::SUCCESS ||
        pair.at(0).get(text) != simdjson::SUCCESS ||
        pair.at(1).get(score) != simdjson::SUCCESS) {
      return corrupt(fmt::format("piece {} is not a text and a score", id));
    }
    score = as_reference_reads(score);
    spec.min_score = std::min(spec.min_score, score);
    spec.pieces.push_back(UnigramPiece{std::string(text), score, id, false});
    unigram.pieces.set(text, id);
  }
  const std::optional<std::uint64_t> unknown = uint_member(model, "unk_id");
  if (!unknown || *unknown >= spec.pieces.size()) {
    return corrupt("the Unigram model has no unk_id in its vocabulary");
  }
  spec.unk_id = static_cast<std::uint32_t>(*unknown);
  spec.byte_fallback = bool_member(model, "byte_fallback", false);
  spec.byte_ids = byte_piece_ids(unigram.pieces);
  return unigram;
}

}  // namespace trainsight::tokenize
