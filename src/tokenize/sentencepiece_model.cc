#include "tokenize/sentencepiece_model.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "tokenize/protobuf_reader.h"
#include "tokenize/sentencepiece_normalizer.h"
#include "tokenize/sp_bpe.h"
#include "tokenize/text_cursor.h"
#include "tokenize/unigram.h"
#include "trainsight/text/utf8.h"

namespace trainsight::tokenize {
namespace {

constexpr std::size_t kMostPieces = std::size_t{1} << 24;
// SentencePiece's trainer stops at 16 characters; users add longer ones.
constexpr std::size_t kLongestPiece = std::size_t{1} << 12;

// Values of the enumerations in sentencepiece_model.proto.
enum PieceType : std::uint64_t {
  kNormal = 1,
  kUnknown = 2,
  kControl = 3,
  kUserDefined = 4,
  kUnused = 5,
  kByte = 6,
};
enum ModelType : std::uint64_t { kUnigram = 1, kBpe = 2 };

struct Piece {
  std::string_view text;
  float score = 0.0F;
  std::uint64_t type = kNormal;
};

struct Model {
  std::vector<Piece> pieces;
  std::uint64_t type = kUnigram;
  bool byte_fallback = false;
  std::string_view charsmap;
  SentencePieceNormalizerSpec normalizer;
};

Error corrupt(std::string_view why) {
  return Error{ErrorKind::kCorrupt, fmt::format("SentencePiece model: {}", why),
               ""};
}
Error unsupported(std::string_view what) {
  return Error{ErrorKind::kUnsupported,
               fmt::format("SentencePiece model: {} is not supported", what),
               ""};
}

bool read_piece(std::string_view message, Piece& piece) {
  ProtobufReader reader(message);
  ProtobufField field;
  while (reader.next(field)) {
    if (field.number == 1) piece.text = field.bytes;
    if (field.number == 2) piece.score = field.as_float();
    if (field.number == 3) piece.type = field.varint;
  }
  return !reader.is_broken() && piece.text.size() <= kLongestPiece &&
         text::find_invalid_utf8(piece.text) == std::string_view::npos;
}

bool read_trainer(std::string_view message, Model& model) {
  ProtobufReader reader(message);
  ProtobufField field;
  while (reader.next(field)) {
    if (field.number == 3) model.type = field.varint;
    if (field.number == 24) {
      model.normalizer.whitespace_as_suffix = field.varint != 0;
    }
    if (field.number == 35) model.byte_fallback = field.varint != 0;
  }
  return !reader.is_broken();
}

bool read_normalizer(std::string_view message, Model& model) {
  ProtobufReader reader(message);
  ProtobufField field;
  SentencePieceNormalizerSpec& spec = model.normalizer;
  while (reader.next(field)) {
    if (field.number == 2) model.charsmap = field.bytes;
    if (field.number == 3) spec.add_dummy_prefix = field.varint != 0;
    if (field.number == 4) spec.remove_extra_whitespaces = field.varint != 0;
    if (field.number == 5) spec.escape_whitespaces = field.varint != 0;
  }
  return !reader.is_broken();
}

Result<Model> read_model(std::string_view bytes) {
  Model model;
  ProtobufReader reader(bytes);
  ProtobufField field;
  while (reader.next(field)) {
    if (field.number == 1) {
      if (model.pieces.size() == kMostPieces) {
        return Error{ErrorKind::kLimit,
                     "SentencePiece model: more than 2^24 pieces", ""};
      }
      Piece piece;
      if (!read_piece(field.bytes, piece)) {
        return corrupt(fmt::format("piece {} is broken", model.pieces.size()));
      }
      model.pieces.push_back(piece);
    } else if (field.number == 2 && !read_trainer(field.bytes, model)) {
      return corrupt("trainer_spec is broken");
    } else if (field.number == 3 && !read_normalizer(field.bytes, model)) {
      return corrupt("normalizer_spec is broken");
    }
  }
  if (reader.is_broken() || model.pieces.empty()) {
    return corrupt("not a model, or damaged");
  }
  Result<Charsmap> charsmap = Charsmap::parse(model.charsmap);
  if (!charsmap) return charsmap.error();
  model.normalizer.charsmap = std::move(*charsmap);
  return model;
}

// Ids of byte pieces and of the unknown one.
struct Reserved {
  std::array<std::uint32_t, 256> bytes;
  std::uint32_t unknown = Vocabulary::kNone;
};

Result<Reserved> reserved_ids(const Model& model) {
  Reserved reserved;
  reserved.bytes.fill(Vocabulary::kNone);
  for (std::uint32_t id = 0; id < model.pieces.size(); ++id) {
    const Piece& piece = model.pieces[id];
    if (piece.type == kUnknown) reserved.unknown = id;
    if (piece.type != kByte) continue;
    for (unsigned byte = 0; byte < 256; ++byte) {
      if (piece.text == fmt::format("<0x{:02X}>", byte)) {
        reserved.bytes[byte] = id;
      }
    }
  }
  if (reserved.unknown == Vocabulary::kNone) {
    return corrupt("no unknown piece");
  }
  const bool has_all =
      std::none_of(reserved.bytes.begin(), reserved.bytes.end(),
                   [](std::uint32_t id) { return id == Vocabulary::kNone; });
  if (model.byte_fallback && !has_all) {
    return corrupt("byte_fallback without a piece for every byte");
  }
  return reserved;
}

class BpeBuilder {
 public:
  explicit BpeBuilder(const Model& model) : model_(model) {}

  Result<SpBpeSpec> build() {
    const Result<Reserved> reserved = reserved_ids(model_);
    if (!reserved) return reserved.error();
    spec_.byte_ids = reserved->bytes;
    spec_.unk_id = reserved->unknown;
    spec_.byte_fallback = model_.byte_fallback;
    spec_.fuse_unk = true;
    spec_.unknown_after_merges = true;
    spec_.first_extra = static_cast<std::uint32_t>(model_.pieces.size());
    spec_.piece_characters.assign(model_.pieces.size(), 0);
    std::vector<float> scores;
    for (std::uint32_t id = 0; id < model_.pieces.size(); ++id) {
      const Piece& piece = model_.pieces[id];
      if (piece.type == kUnused) return unsupported("a BPE's unused piece");
      if (piece.type != kNormal || piece.text.empty()) continue;
      spec_.pieces.set(piece.text, id);
      spec_.piece_characters[id] =
          static_cast<std::uint32_t>(text::count_code_points(piece.text));
      scores.push_back(piece.score);
    }
    // Higher scores merge first, equal ones from the left.
    std::sort(scores.begin(), scores.end(), std::greater<>());
    scores.erase(std::unique(scores.begin(), scores.end()), scores.end());
    collect_extra_characters();
    for (std::uint32_t id = 0; id < model_.pieces.size(); ++id) {
      const Piece& piece = model_.pieces[id];
      if (piece.type != kNormal || spec_.piece_characters[id] < 2) continue;
      const auto rank = static_cast<std::uint32_t>(
          std::lower_bound(scores.begin(), scores.end(), piece.score,
                           std::greater<>()) -
          scores.begin());
      add_merges(piece.text, rank, spec_.pieces.find(piece.text));
    }
    return std::move(spec_);
  }

 private:
  // Characters that stand in pieces without being pieces themselves.
  void collect_extra_characters() {
    std::vector<char32_t>& extra = spec_.extra_characters;
    for (std::size_t i = 0; i < spec_.pieces.size(); ++i) {
      const std::string_view text = spec_.pieces.text(i);
      for (std::size_t at = 0; at < text.size();) {
        const std::size_t next = next_code_point(text, at);
        if (spec_.pieces.find(text.substr(at, next - at)) ==
            Vocabulary::kNone) {
          extra.push_back(code_point_at(text, at));
        }
        at = next;
      }
    }
    std::sort(extra.begin(), extra.end());
    extra.erase(std::unique(extra.begin(), extra.end()), extra.end());
  }

  [[nodiscard]] std::uint32_t symbol_of(std::string_view text) const {
    const std::uint32_t id = spec_.pieces.find(text);
    if (id != Vocabulary::kNone || next_code_point(text, 0) != text.size()) {
      return id;
    }
    const auto& extra = spec_.extra_characters;
    const auto found =
        std::lower_bound(extra.begin(), extra.end(), code_point_at(text, 0));
    return spec_.first_extra +
           static_cast<std::uint32_t>(found - extra.begin());
  }

  // Every pair of symbols whose texts together are the piece.
  void add_merges(std::string_view text, std::uint32_t rank,
                  std::uint32_t result) {
    for (std::size_t at = next_code_point(text, 0); at < text.size();
         at = next_code_point(text, at)) {
      const std::uint32_t left = symbol_of(text.substr(0, at));
      const std::uint32_t right = symbol_of(text.substr(at));
      if (left != Vocabulary::kNone && right != Vocabulary::kNone) {
        spec_.merges.push_back(RankedMerge{left, right, rank, result});
      }
    }
  }

  const Model& model_;
  SpBpeSpec spec_;
};

Result<UnigramSpec> build_unigram(const Model& model) {
  const Result<Reserved> reserved = reserved_ids(model);
  if (!reserved) return reserved.error();
  UnigramSpec spec;
  spec.byte_ids = reserved->bytes;
  spec.unk_id = reserved->unknown;
  spec.byte_fallback = model.byte_fallback;
  spec.single_precision = true;
  float lowest = std::numeric_limits<float>::max();
  // The reference begins with the smallest positive float, so that the highest
  // of negative scores is about zero.
  float highest = std::numeric_limits<float>::min();
  for (std::uint32_t id = 0; id < model.pieces.size(); ++id) {
    const Piece& piece = model.pieces[id];
    if (piece.type == kNormal) {
      lowest = std::min(lowest, piece.score);
      highest = std::max(highest, piece.score);
    } else if (piece.type != kUserDefined) {
      continue;
    }
    spec.pieces.push_back(UnigramPiece{std::string(piece.text),
                                       static_cast<double>(piece.score), id,
                                       piece.type == kUserDefined});
  }
  spec.min_score = static_cast<double>(lowest);
  spec.max_score = static_cast<double>(highest);
  return spec;
}

// User-defined pieces, which a BPE finds before it merges; as all are found in
// the normalized text, their own spaces are marks already.
std::vector<AddedToken> user_defined_tokens(const Model& model) {
  std::vector<AddedToken> tokens;
  for (std::uint32_t id = 0; id < model.pieces.size(); ++id) {
    const Piece& piece = model.pieces[id];
    if (piece.type != kUserDefined) continue;
    AddedToken token;
    token.content = piece.text;
    token.id = id;
    tokens.push_back(std::move(token));
  }
  return tokens;
}

void fill_info(const Model& model, TokenizerInfo& info) {
  info.vocabulary_size = static_cast<std::uint32_t>(model.pieces.size());
  for (std::uint32_t id = 0; id < model.pieces.size(); ++id) {
    const Piece& piece = model.pieces[id];
    if (piece.type != kControl && piece.type != kUserDefined) continue;
    info.special_tokens.push_back(
        SpecialToken{std::string(piece.text), id, piece.type == kControl});
    if (piece.text == "<s>") info.bos_token = piece.text;
    if (piece.text == "</s>") info.eos_token = piece.text;
  }
}

}  // namespace

Result<TokenizerParts> parse_sentencepiece_model(std::string_view bytes) {
  Result<Model> read = read_model(bytes);
  if (!read) return read.error();
  Model& model = *read;
  TokenizerParts parts;
  fill_info(model, parts.info);
  const std::vector<AddedToken> tokens = user_defined_tokens(model);
  for (const AddedToken& token : tokens) {
    model.normalizer.user_defined.push_back(token.content);
  }
  if (model.type == kUnigram) {
    const Result<UnigramSpec> spec = build_unigram(model);
    if (!spec) return spec.error();
    parts.info.kind = "Unigram";
    parts.normalizer.add(make_sentencepiece_step(std::move(model.normalizer)));
    parts.model = make_unigram(*spec);
    return parts;
  }
  if (model.type != kBpe) return unsupported("a word or character model");

  Result<SpBpeSpec> spec = BpeBuilder(model).build();
  if (!spec) return spec.error();
  parts.info.kind = model.byte_fallback ? "BPE with byte fallback" : "BPE";
  const SentencePieceNormalizerSpec& rules = model.normalizer;
  const bool only_spaces =
      rules.charsmap.empty() && tokens.empty() &&
      !rules.remove_extra_whitespaces && rules.escape_whitespaces &&
      !(rules.whitespace_as_suffix && rules.add_dummy_prefix);
  spec->space_is_mark = rules.escape_whitespaces;
  spec->prepend = only_spaces && rules.add_dummy_prefix ? PrependMark::kAtStart
                                                        : PrependMark::kNever;
  Result<std::unique_ptr<SpBpe>> bpe = SpBpe::make(std::move(*spec));
  if (!bpe) return bpe.error();
  parts.model = std::move(*bpe);
  if (!only_spaces) {
    std::vector<std::string> patterns;
    for (const AddedToken& token : tokens) patterns.push_back(token.content);
    parts.normalized_tokens = AddedTokens(tokens, patterns);
    parts.normalizer.add(make_sentencepiece_step(std::move(model.normalizer)));
  }
  return parts;
}

}  // namespace trainsight::tokenize
