#include "tokenize/pre_tokenizer.h"

#include <algorithm>
#include <utility>

#include "tokenize/byte_alphabet.h"
#include "tokenize/pcre2_split.h"
#include "tokenize/pretokenize.h"
#include "tokenize/reference_classes.h"
#include "tokenize/text_cursor.h"
#include "trainsight/text/utf8.h"

namespace trainsight::tokenize {
namespace {

// A stretch of a word: a delimiter, or what is between two.
struct Stretch {
  std::size_t begin, end;
  bool is_match;
};

// Appends the words that `stretches`, which cover `word`, make.
void apply_behavior(Word word, std::vector<Stretch>& stretches,
                    SplitBehavior behavior, std::vector<Word>& words) {
  std::vector<Stretch>& kept = stretches;
  std::size_t size = 0;
  bool before = false;
  switch (behavior) {
    case SplitBehavior::kIsolated:
      size = kept.size();
      break;
    case SplitBehavior::kRemoved:
      for (const Stretch& stretch : stretches) {
        if (!stretch.is_match) kept[size++] = stretch;
      }
      break;
    case SplitBehavior::kContiguous:
      for (const Stretch stretch : stretches) {
        if (size > 0 && stretch.is_match == before) {
          kept[size - 1].end = stretch.end;
        } else {
          kept[size++] = stretch;
        }
        before = stretch.is_match;
      }
      break;
    case SplitBehavior::kMergedWithPrevious:
      for (const Stretch stretch : stretches) {
        if (size > 0 && stretch.is_match && !before) {
          kept[size - 1].end = stretch.end;
        } else {
          kept[size++] = stretch;
        }
        before = stretch.is_match;
      }
      break;
    case SplitBehavior::kMergedWithNext:
      std::reverse(stretches.begin(), stretches.end());
      for (const Stretch stretch : stretches) {
        if (size > 0 && stretch.is_match && !before) {
          kept[size - 1].begin = stretch.begin;
        } else {
          kept[size++] = stretch;
        }
        before = stretch.is_match;
      }
      std::reverse(stretches.begin(),
                   stretches.begin() + static_cast<std::ptrdiff_t>(size));
      break;
  }
  for (std::size_t i = 0; i < size; ++i) {
    const Stretch& stretch = kept[i];
    if (stretch.begin == stretch.end) continue;
    words.push_back(
        Word{word.text.substr(stretch.begin, stretch.end - stretch.begin),
             word.at_start && stretch.begin == 0});
  }
}

// A step without state: one object is both the step and everyone's worker.
template <typename Split>
class StatelessStep final : public PreTokenizerStep {
 public:
  explicit StatelessStep(Split split) : split_(std::move(split)) {}
  [[nodiscard]] std::unique_ptr<PreTokenizerStepWorker> make_worker()
      const override {
    return std::make_unique<Worker>(split_);
  }

 private:
  class Worker final : public PreTokenizerStepWorker {
   public:
    explicit Worker(const Split& split) : split_(split) {}
    void split(Word word, WordStore& store, std::vector<Word>& words) override {
      split_(word, store, words);
    }

   private:
    Split split_;
  };
  Split split_;
};

template <typename Split>
PreStepPtr make_step(Split split) {
  return std::make_unique<StatelessStep<Split>>(std::move(split));
}

// Cuts at characters of a class; each is a delimiter by itself.
template <typename IsDelimiter>
void split_at_characters(Word word, IsDelimiter is_delimiter,
                         SplitBehavior behavior, std::vector<Word>& words) {
  std::vector<Stretch> stretches;
  std::size_t begin = 0;
  for (std::size_t at = 0; at < word.text.size();) {
    const std::size_t next = next_code_point(word.text, at);
    if (is_delimiter(code_point_at(word.text, at))) {
      if (begin < at) stretches.push_back(Stretch{begin, at, false});
      stretches.push_back(Stretch{at, next, true});
      begin = next;
    }
    at = next;
  }
  if (begin < word.text.size()) {
    stretches.push_back(Stretch{begin, word.text.size(), false});
  }
  apply_behavior(word, stretches, behavior, words);
}

// Collects what a finder of delimiters gives: find(from, span) says whether
// there is another one.
template <typename Find>
void split_at_matches(Word word, Find find, SplitBehavior behavior, bool invert,
                      std::vector<Word>& words) {
  std::vector<Stretch> stretches;
  std::size_t done = 0;
  Span match;
  while (done < word.text.size() && find(done, match)) {
    if (done < match.begin) {
      stretches.push_back(Stretch{done, match.begin, invert});
    }
    stretches.push_back(Stretch{match.begin, match.end, !invert});
    done = match.end;
  }
  if (done < word.text.size()) {
    stretches.push_back(Stretch{done, word.text.size(), invert});
  }
  apply_behavior(word, stretches, behavior, words);
}

class RegexStep final : public PreTokenizerStep {
 public:
  RegexStep(std::unique_ptr<RegexSplitter> regex, SplitBehavior behavior,
            bool invert)
      : regex_(std::move(regex)), behavior_(behavior), invert_(invert) {}
  [[nodiscard]] std::unique_ptr<PreTokenizerStepWorker> make_worker()
      const override {
    return std::make_unique<Worker>(*this);
  }

 private:
  class Worker final : public PreTokenizerStepWorker {
   public:
    explicit Worker(const RegexStep& step)
        : step_(step), matcher_(step.regex_->make_matcher()) {}
    void split(Word word, WordStore&, std::vector<Word>& words) override {
      split_at_matches(
          word,
          [&](std::size_t from, Span& match) {
            return matcher_->next(word.text, from, match);
          },
          step_.behavior_, step_.invert_, words);
    }

   private:
    const RegexStep& step_;
    std::unique_ptr<RegexSplitter::Matcher> matcher_;
  };
  std::unique_ptr<RegexSplitter> regex_;
  SplitBehavior behavior_;
  bool invert_;
};

void spell_bytes(std::string_view bytes, std::string& word) {
  for (const char c : bytes) {
    text::append_utf8(
        word, kByteAlphabet.character_of[static_cast<unsigned char>(c)]);
  }
}

}  // namespace

bool unspell_bytes(std::string_view word, std::string& bytes) {
  const std::size_t size_before = bytes.size();
  for (std::size_t at = 0; at < word.size(); at = next_code_point(word, at)) {
    const char32_t c = code_point_at(word, at);
    const std::uint16_t byte =
        c < kByteAlphabet.byte_of.size() ? kByteAlphabet.byte_of[c] : kNoByte;
    if (byte == kNoByte) {
      bytes.resize(size_before);
      return false;
    }
    bytes.push_back(static_cast<char>(static_cast<unsigned char>(byte)));
  }
  return true;
}

PreTokenizer::Worker::Worker(const PreTokenizer& owner) {
  for (const PreStepPtr& step : owner.steps_) {
    steps_.push_back(step->make_worker());
  }
}

const std::vector<Word>& PreTokenizer::Worker::split(std::string_view segment,
                                                     bool at_start) {
  store_.clear();
  words_.clear();
  if (!segment.empty()) words_.push_back(Word{segment, at_start});
  for (const auto& step : steps_) {
    next_.clear();
    for (const Word& word : words_) step->split(word, store_, next_);
    words_.swap(next_);
  }
  return words_;
}

PreStepPtr make_whitespace_split() {
  return make_step([](Word word, WordStore&, std::vector<Word>& words) {
    split_at_characters(word, is_space, SplitBehavior::kRemoved, words);
  });
}

PreStepPtr make_whitespace() {
  return make_step([](Word word, WordStore&, std::vector<Word>& words) {
    const auto kind_of = [&](std::size_t at) {
      const char32_t c = code_point_at(word.text, at);
      return is_space(c) ? 0 : is_word(c) ? 1 : 2;
    };
    for (std::size_t at = 0; at < word.text.size();) {
      const int kind = kind_of(at);
      std::size_t end = next_code_point(word.text, at);
      while (end < word.text.size() && kind_of(end) == kind) {
        end = next_code_point(word.text, end);
      }
      if (kind != 0) {
        words.push_back(
            Word{word.text.substr(at, end - at), word.at_start && at == 0});
      }
      at = end;
    }
  });
}

PreStepPtr make_bert_split() {
  return make_step([](Word word, WordStore&, std::vector<Word>& words) {
    std::size_t begin = 0;
    const auto flush = [&](std::size_t end) {
      if (begin < end) {
        words.push_back(Word{word.text.substr(begin, end - begin),
                             word.at_start && begin == 0});
      }
    };
    for (std::size_t at = 0; at < word.text.size();) {
      const char32_t c = code_point_at(word.text, at);
      const std::size_t next = next_code_point(word.text, at);
      const bool punctuation = is_punctuation(c);
      if (punctuation || is_space(c)) {
        flush(at);
        begin = at;
        if (punctuation) flush(next);
        begin = next;
      }
      at = next;
    }
    flush(word.text.size());
  });
}

PreStepPtr make_punctuation(SplitBehavior behavior) {
  return make_step([behavior](Word word, WordStore&, std::vector<Word>& words) {
    split_at_characters(word, is_punctuation, behavior, words);
  });
}

PreStepPtr make_digits(bool individual) {
  const SplitBehavior behavior =
      individual ? SplitBehavior::kIsolated : SplitBehavior::kContiguous;
  return make_step([behavior](Word word, WordStore&, std::vector<Word>& words) {
    split_at_characters(word, is_numeric, behavior, words);
  });
}

PreStepPtr make_char_delimiter(char32_t delimiter) {
  return make_step(
      [delimiter](Word word, WordStore&, std::vector<Word>& words) {
        split_at_characters(
            word, [delimiter](char32_t c) { return c == delimiter; },
            SplitBehavior::kRemoved, words);
      });
}

PreStepPtr make_string_split(std::string text, SplitBehavior behavior,
                             bool invert) {
  return make_step([text = std::move(text), behavior, invert](
                       Word word, WordStore&, std::vector<Word>& words) {
    split_at_matches(
        word,
        [&](std::size_t from, Span& match) {
          match.begin = word.text.find(text, from);
          match.end = match.begin + text.size();
          return match.begin != std::string_view::npos;
        },
        behavior, invert, words);
  });
}

Result<PreStepPtr> make_regex_split(std::string_view regex,
                                    SplitBehavior behavior, bool invert) {
  Result<std::unique_ptr<RegexSplitter>> splitter = RegexSplitter::make(regex);
  if (!splitter) return splitter.error();
  return PreStepPtr(
      std::make_unique<RegexStep>(std::move(*splitter), behavior, invert));
}

PreStepPtr make_metaspace(std::string mark, MetaspaceScheme scheme,
                          bool split) {
  return make_step([mark = std::move(mark), scheme, split](
                       Word word, WordStore& store, std::vector<Word>& words) {
    std::string& text = store.add();
    const bool has_mark = word.text.substr(0, mark.size()) == mark ||
                          (!word.text.empty() && word.text[0] == ' ');
    if (!has_mark && (scheme == MetaspaceScheme::kAlways ||
                      (scheme == MetaspaceScheme::kFirst && word.at_start))) {
      text += mark;
    }
    for (const char c : word.text) {
      if (c == ' ') {
        text += mark;
      } else {
        text += c;
      }
    }
    const Word whole{text, word.at_start};
    if (!split) {
      words.push_back(whole);
      return;
    }
    split_at_matches(
        whole,
        [&](std::size_t from, Span& match) {
          match.begin = text.find(mark, from);
          match.end = match.begin + mark.size();
          return match.begin != std::string::npos;
        },
        SplitBehavior::kMergedWithNext, false, words);
  });
}

PreStepPtr make_byte_level(bool add_prefix_space, bool use_regex, bool spell) {
  return make_step([=](Word word, WordStore& store, std::vector<Word>& words) {
    if (add_prefix_space && word.text[0] != ' ') {
      std::string& text = store.add();
      text += ' ';
      text += word.text;
      word.text = text;
    }
    const Pattern pattern = use_regex ? Pattern::kGpt2 : Pattern::kNone;
    for (std::size_t at = 0; at < word.text.size();) {
      const std::size_t end =
          use_regex ? word_end(pattern, word.text, at) : word.text.size();
      std::string_view part = word.text.substr(at, end - at);
      if (spell) {
        std::string& spelled = store.add();
        spell_bytes(part, spelled);
        part = spelled;
      }
      words.push_back(Word{part, word.at_start && at == 0});
      at = end;
    }
  });
}

}  // namespace trainsight::tokenize
