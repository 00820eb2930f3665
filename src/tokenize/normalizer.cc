#include "tokenize/normalizer.h"

#include <utf8proc.h>

#include <utility>

#include "tokenize/pcre2_split.h"
#include "tokenize/reference_classes.h"
#include "tokenize/text_cursor.h"
#include "tokenize/unicode_classes.h"
#include "trainsight/text/utf8.h"

namespace trainsight::tokenize {
namespace {

// Rewrites a text code point by code point; `Rule` appends what one becomes.
template <typename Rule>
void map_code_points(std::string_view utf8, std::string& out, Rule rule) {
  out.clear();
  out.reserve(utf8.size() + utf8.size() / 8);
  for (std::size_t at = 0; at < utf8.size();) {
    const std::size_t next = next_code_point(utf8, at);
    rule(code_point_at(utf8, at), utf8.substr(at, next - at));
    at = next;
  }
}

void append_lower(char32_t c, std::string& out) {
  const LowerCase lower = to_lower(c);
  text::append_utf8(out, lower.first);
  if (lower.second != 0) text::append_utf8(out, lower.second);
}

class FormStep final : public NormalizerStep {
 public:
  explicit FormStep(NormalForm::Kind kind) : form_(kind) {}
  bool apply(std::string_view utf8, std::string& out) const override {
    return form_.apply(utf8, out);
  }

 private:
  NormalForm form_;
};

class BertStep final : public NormalizerStep {
 public:
  explicit BertStep(BertOptions options)
      : options_(options), nfd_(NormalForm::Kind::kNfd) {}

  bool apply(std::string_view utf8, std::string& out) const override {
    map_code_points(utf8, out, [&](char32_t c, std::string_view bytes) {
      if (options_.clean_text) {
        if (is_removed_by_bert(c)) return;
        if (is_space(c)) bytes = " ";
      }
      const bool spaced = options_.handle_chinese_chars && is_cjk_ideograph(c);
      if (spaced) out += ' ';
      out += bytes;
      if (spaced) out += ' ';
    });
    if (!options_.strip_accents && !options_.lowercase) return true;
    std::string before;
    if (!options_.strip_accents || !nfd_.apply(out, before)) before = out;
    map_code_points(before, out, [&](char32_t c, std::string_view bytes) {
      if (options_.strip_accents && is_nonspacing_mark(c)) return;
      if (options_.lowercase) {
        append_lower(c, out);
      } else {
        out += bytes;
      }
    });
    return true;
  }

 private:
  BertOptions options_;
  NormalForm nfd_;
};

class LowercaseStep final : public NormalizerStep {
 public:
  bool apply(std::string_view utf8, std::string& out) const override {
    map_code_points(
        utf8, out, [&](char32_t c, std::string_view) { append_lower(c, out); });
    return true;
  }
};

class StripAccentsStep final : public NormalizerStep {
 public:
  bool apply(std::string_view utf8, std::string& out) const override {
    std::size_t done = 0;  // written to `out`, but for marks
    for (std::size_t at = 0; at < utf8.size();) {
      const char32_t c = code_point_at(utf8, at);
      const std::size_t next = next_code_point(utf8, at);
      if (c >= 0x80 && !is_ideograph(c) && is_combining_mark(c)) {
        if (done == 0) out.clear();
        out.append(utf8, done, at - done);
        done = next;
      }
      at = next;
    }
    if (done == 0) return false;
    out.append(utf8, done);
    return true;
  }

 private:
  // The commonest that are no marks.
  static bool is_ideograph(char32_t c) { return c >= 0x3400 && c <= 0x9FFF; }
};

class StripStep final : public NormalizerStep {
 public:
  StripStep(bool left, bool right) : left_(left), right_(right) {}
  bool apply(std::string_view utf8, std::string& out) const override {
    std::size_t begin = 0;
    std::size_t end = utf8.size();
    while (left_ && begin < end && is_space(code_point_at(utf8, begin))) {
      begin = next_code_point(utf8, begin);
    }
    while (right_ && end > begin && is_space(code_point_before(utf8, end))) {
      end = previous_code_point(utf8, end);
    }
    if (begin == 0 && end == utf8.size()) return false;
    out.assign(utf8, begin, end - begin);
    return true;
  }

 private:
  bool left_, right_;
};

class NmtStep final : public NormalizerStep {
 public:
  bool apply(std::string_view utf8, std::string& out) const override {
    map_code_points(utf8, out, [&](char32_t c, std::string_view bytes) {
      if ((c >= 0x01 && c <= 0x08) || c == 0x0B || (c >= 0x0E && c <= 0x1F) ||
          c == 0x7F || c == 0x8F || c == 0x9F) {
        return;
      }
      const bool is_blank = c == 0x09 || c == 0x0A || c == 0x0C || c == 0x0D ||
                            c == 0x1680 || (c >= 0x200B && c <= 0x200F) ||
                            c == 0x2028 || c == 0x2029 || c == 0x2581 ||
                            c == 0xFEFF || c == 0xFFFD;
      out += is_blank ? std::string_view(" ") : bytes;
    });
    return true;
  }
};

class PrependStep final : public NormalizerStep {
 public:
  explicit PrependStep(std::string prefix) : prefix_(std::move(prefix)) {}
  bool apply(std::string_view utf8, std::string& out) const override {
    if (utf8.empty()) return false;
    out.assign(prefix_);
    out += utf8;
    return true;
  }

 private:
  std::string prefix_;
};

class ReplaceStep final : public NormalizerStep {
 public:
  ReplaceStep(std::string from, std::string to)
      : from_(std::move(from)), to_(std::move(to)) {}
  bool apply(std::string_view utf8, std::string& out) const override {
    std::size_t at = utf8.find(from_);
    if (at == std::string_view::npos) return false;
    out.clear();
    std::size_t done = 0;
    for (; at != std::string_view::npos; at = utf8.find(from_, done)) {
      out.append(utf8, done, at - done);
      out += to_;
      done = at + from_.size();
    }
    out.append(utf8, done);
    return true;
  }

 private:
  std::string from_, to_;
};

class ReplaceSpacesStep final : public NormalizerStep {
 public:
  explicit ReplaceSpacesStep(std::string to) : to_(std::move(to)) {}
  bool apply(std::string_view utf8, std::string& out) const override {
    std::size_t at = utf8.find("  ");
    if (at == std::string_view::npos) return false;
    out.clear();
    std::size_t done = 0;
    for (; at != std::string_view::npos; at = utf8.find("  ", done)) {
      out.append(utf8, done, at - done);
      out += to_;
      done = utf8.find_first_not_of(' ', at);
      if (done == std::string_view::npos) return true;
    }
    out.append(utf8, done);
    return true;
  }

 private:
  std::string to_;
};

class ReplaceRegexStep final : public NormalizerStep {
 public:
  ReplaceRegexStep(std::unique_ptr<RegexSplitter> regex, std::string to)
      : regex_(std::move(regex)), to_(std::move(to)) {}
  bool apply(std::string_view utf8, std::string& out) const override {
    const auto matcher = regex_->make_matcher();
    Span match;
    if (!matcher->next(utf8, 0, match)) return false;
    out.clear();
    std::size_t done = 0;
    do {
      out.append(utf8, done, match.begin - done);
      out += to_;
      done = match.end;
    } while (matcher->next(utf8, done, match));
    out.append(utf8, done);
    return true;
  }

 private:
  std::unique_ptr<RegexSplitter> regex_;
  std::string to_;
};

// Code points that extend a grapheme in the reference (Unicode 17) and not in
// utf8proc 2.8 (Unicode 15): tokenizers 0.23.3 was asked for every one.
struct CodePoints {
  char32_t first, last;
};
constexpr CodePoints kYoungerMarks[] = {
    {0x897, 0x897},     {0x1ACF, 0x1ADD},   {0x1AE0, 0x1AEB},
    {0x10D69, 0x10D6D}, {0x10EFA, 0x10EFC}, {0x113B8, 0x113C0},
    {0x113C2, 0x113C2}, {0x113C5, 0x113C5}, {0x113C7, 0x113CA},
    {0x113CC, 0x113D0}, {0x113D2, 0x113D2}, {0x113E1, 0x113E2},
    {0x11B60, 0x11B67}, {0x11F5A, 0x11F5A}, {0x1611E, 0x1612F},
    {0x1E5EE, 0x1E5EF}, {0x1E6E3, 0x1E6E3}, {0x1E6E6, 0x1E6E6},
    {0x1E6EE, 0x1E6EF}, {0x1E6F5, 0x1E6F5}};

// A code point that utf8proc knows and treats as the reference treats `c`.
utf8proc_int32_t like_in_utf8proc(char32_t c) {
  constexpr char32_t kMark = 0x301;
  constexpr char32_t kPrefix = 0xD4E;  // joins the character behind it
  constexpr char32_t kLetter = 0x11A50;
  if (c >= kYoungerMarks[0].first) {
    if (c == 0x113D1) return kPrefix;
    if (c == 0x11A3A) return kLetter;
    for (const CodePoints& range : kYoungerMarks) {
      if (c >= range.first && c <= range.last) return kMark;
    }
  }
  return static_cast<utf8proc_int32_t>(c);
}

// The reference goes through grapheme clusters: a cluster of fewer than six
// bytes is replaced as a whole by the rule of its *shortest* prefix; without
// one, and in longer clusters, each code point is looked up by itself.
class PrecompiledStep final : public NormalizerStep {
 public:
  explicit PrecompiledStep(Charsmap map)
      : map_(std::move(map)), stays_(0x10000, false) {
    for (char32_t c = 0; c < 0x80; ++c) {
      stays_[c] = map_.is_plain_ascii(static_cast<unsigned char>(c)) &&
                  c != '\r' && c != '\n';
    }
    std::string bytes;
    for (char32_t c = 0x80; c < 0x10000; ++c) {
      if (!stands_apart(c)) continue;
      bytes.clear();
      text::append_utf8(bytes, c);
      stays_[c] = !map_.begins_key(bytes);
    }
  }

  bool apply(std::string_view utf8, std::string& out) const override {
    std::size_t begin = run_end(utf8, 0);
    if (begin == utf8.size()) return false;
    out.assign(utf8, 0, begin);
    while (begin < utf8.size()) {
      const std::size_t end = grapheme_end(utf8, begin);
      append_grapheme(utf8.substr(begin, end - begin), out);
      begin = run_end(utf8, end);
      out.append(utf8, end, begin - end);
    }
    return true;
  }

 private:
  // The end of the run of characters from `begin` on that stay what they are.
  // The last one belongs to it at the end of the text only: what follows may be
  // part of its grapheme.
  [[nodiscard]] std::size_t run_end(std::string_view utf8,
                                    std::size_t begin) const {
    std::size_t last = begin;
    std::size_t at = begin;
    while (at < utf8.size()) {
      const char32_t c = code_point_at(utf8, at);
      if (c >= stays_.size() || !stays_[c]) return last;
      last = at;
      at = next_code_point(utf8, at);
    }
    return at;
  }

  void append_grapheme(std::string_view grapheme, std::string& out) const {
    if (grapheme.size() < 6) {
      if (const auto match = map_.shortest(grapheme)) {
        out += match->replacement;
        return;
      }
    }
    for (std::size_t at = 0; at < grapheme.size();) {
      const std::size_t next = next_code_point(grapheme, at);
      const std::string_view one = grapheme.substr(at, next - at);
      const auto match = map_.shortest(one);
      out += match ? match->replacement : one;
      at = next;
    }
  }

  // Unicode's extended grapheme clusters (UAX #29).
  static std::size_t grapheme_end(std::string_view utf8, std::size_t begin) {
    std::size_t end = next_code_point(utf8, begin);
    utf8proc_int32_t state = 0;
    auto before = like_in_utf8proc(code_point_at(utf8, begin));
    while (end < utf8.size()) {
      const auto after = like_in_utf8proc(code_point_at(utf8, end));
      if (before < 0x80 && after < 0x80) {
        if (before != '\r' || after != '\n') break;
      } else if (utf8proc_grapheme_break_stateful(before, after, &state)) {
        break;
      }
      before = after;
      end = next_code_point(utf8, end);
    }
    return end;
  }

  Charsmap map_;
  // By code point: a grapheme by itself beside any other of these, and the
  // beginning of no key; ASCII, of no key of ASCII.
  std::vector<bool> stays_;
};

}  // namespace

std::string_view Normalizer::apply(std::string_view utf8,
                                   NormalizerScratch& scratch) const {
  for (const auto& step : steps_) {
    if (step->apply(utf8, scratch.back)) {
      std::swap(scratch.front, scratch.back);
      utf8 = scratch.front;
    }
  }
  return utf8;
}

StepPtr make_normal_form_step(NormalForm::Kind kind) {
  return std::make_unique<FormStep>(kind);
}
StepPtr make_bert_step(BertOptions options) {
  return std::make_unique<BertStep>(options);
}
StepPtr make_lowercase_step() { return std::make_unique<LowercaseStep>(); }
StepPtr make_strip_accents_step() {
  return std::make_unique<StripAccentsStep>();
}
StepPtr make_strip_step(bool left, bool right) {
  return std::make_unique<StripStep>(left, right);
}
StepPtr make_nmt_step() { return std::make_unique<NmtStep>(); }
StepPtr make_prepend_step(std::string prefix) {
  return std::make_unique<PrependStep>(std::move(prefix));
}
StepPtr make_replace_step(std::string from, std::string to) {
  return std::make_unique<ReplaceStep>(std::move(from), std::move(to));
}
StepPtr make_replace_spaces_step(std::string to) {
  return std::make_unique<ReplaceSpacesStep>(std::move(to));
}
Result<StepPtr> make_replace_regex_step(std::string_view regex,
                                        std::string to) {
  Result<std::unique_ptr<RegexSplitter>> splitter = RegexSplitter::make(regex);
  if (!splitter) return splitter.error();
  return StepPtr(
      std::make_unique<ReplaceRegexStep>(std::move(*splitter), std::move(to)));
}
StepPtr make_precompiled_step(Charsmap charsmap) {
  return std::make_unique<PrecompiledStep>(std::move(charsmap));
}

}  // namespace trainsight::tokenize
