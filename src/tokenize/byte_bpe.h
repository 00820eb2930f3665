// ByteBpe: byte-level BPE, exactly and at memory speed.
//
// A text is cut into words by the model's pattern, each word's number of
// tokens is looked up in a worker's cache, and only a word not seen before is
// merged. Counting therefore costs about a table look-up a word; encode() does
// the merges. Both give what the reference implementations give (Hugging Face
// tokenizers' BPE model, OpenAI's tiktoken).
//
// This is the engine only: added tokens, normalizers and files are above it,
// and give it the text between two added tokens.
// Thread-safety: a ByteBpe is immutable and shared; a Worker is one thread's.
#ifndef TRAINSIGHT_TOKENIZE_BYTE_BPE_H_
#define TRAINSIGHT_TOKENIZE_BYTE_BPE_H_

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "tokenize/pretokenize.h"
#include "trainsight/core/result.h"

namespace trainsight::tokenize {

/// The raw bytes of each token, by id, in one piece of memory.
class TokenBytes {
 public:
  void reserve(std::size_t tokens, std::size_t bytes) {
    ends_.reserve(tokens);
    bytes_.reserve(bytes);
  }
  /// Appends the token with id size(); an empty one is a hole in the ids.
  void add(std::string_view bytes) {
    bytes_.append(bytes);
    ends_.push_back(static_cast<std::uint32_t>(bytes_.size()));
  }
  [[nodiscard]] std::uint32_t size() const {
    return static_cast<std::uint32_t>(ends_.size());
  }
  [[nodiscard]] std::string_view operator[](std::uint32_t id) const {
    const std::uint32_t begin = id == 0 ? 0 : ends_[id - 1];
    return std::string_view(bytes_).substr(begin, ends_[id] - begin);
  }
  [[nodiscard]] std::size_t byte_count() const { return bytes_.size(); }

 private:
  std::string bytes_;
  std::vector<std::uint32_t> ends_;
};

/// tokens[left] followed by tokens[right] becomes tokens[result].
struct Merge {
  std::uint32_t left = 0;
  std::uint32_t right = 0;
  std::uint32_t result = 0;
};

/// A byte-level vocabulary with its rules, as the loaders hand it over.
struct ByteBpeSpec {
  /// Real bytes, not the printable alphabet that tokenizer.json spells them
  /// in. A byte without a token of its own is dropped from the text, as the
  /// reference does without an unknown token.
  TokenBytes tokens;

  /// Merges in order of rank; lowest rank first, then leftmost. Of two equal
  /// pairs the later one counts. Not looked at when `by_rank` is set.
  std::vector<Merge> merges;

  /// tiktoken's rule: the id is the rank, two neighbours merge whenever their
  /// bytes together are a token, and a word that is a token stays whole.
  bool by_rank = false;

  /// A word that is a token as a whole is not merged (Llama-3, gpt-oss).
  /// Implied by `by_rank`.
  bool ignore_merges = false;

  /// Added to every id that encode() gives (1,000 for Tekken).
  std::uint32_t id_offset = 0;

  Pattern pattern = Pattern::kNone;
  std::string regex;  ///< for Pattern::kRegex: PCRE2 with UTF and UCP
};

/// An immutable byte-level BPE; see the top of this file.
class ByteBpe {
 public:
  /// Checks the spec and builds the tables. Errors: kCorrupt for a merge whose
  /// ids do not exist or whose result is not the two put together, and for
  /// too many tokens; kUnsupported for a regular expression that PCRE2 refuses.
  static Result<std::unique_ptr<ByteBpe>> make(ByteBpeSpec spec);
  ~ByteBpe();
  ByteBpe(const ByteBpe&) = delete;
  ByteBpe& operator=(const ByteBpe&) = delete;

  /// One thread's caches (bounded: about 12 MiB) over a shared ByteBpe.
  class Worker {
   public:
    virtual ~Worker() = default;

    /// The number of tokens of `utf8`, cut by the pattern. Bytes that are not
    /// UTF-8 count as U+FFFD, one for each maximal ill-formed part.
    virtual std::uint64_t count(std::string_view utf8) = 0;

    /// Appends the ids of `utf8`, count(utf8) of them.
    virtual void encode(std::string_view utf8,
                        std::vector<std::uint32_t>& ids) = 0;

    /// The same for a text that is one word already: not cut by the pattern,
    /// and cached as words are.
    virtual std::uint64_t count_word(std::string_view utf8) = 0;
    virtual void encode_word(std::string_view utf8,
                             std::vector<std::uint32_t>& ids) = 0;

    /// TokenCounter::parts_at(), by where the pattern cuts.
    virtual bool parts_at(std::string_view utf8, std::size_t at) = 0;
  };

  /// Must not outlive this ByteBpe.
  [[nodiscard]] std::unique_ptr<Worker> make_worker() const;

  [[nodiscard]] const TokenBytes& tokens() const;

 private:
  struct Tables;
  explicit ByteBpe(std::unique_ptr<const Tables> tables);
  std::unique_ptr<const Tables> tables_;
};

}  // namespace trainsight::tokenize

#endif  // TRAINSIGHT_TOKENIZE_BYTE_BPE_H_
