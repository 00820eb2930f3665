#include "tokenize/pcre2_split.h"

#include <fmt/format.h>
#include <pcre2.h>

#include <array>
#include <iterator>
#include <utility>

#include "tokenize/reference_classes.h"

namespace trainsight::tokenize {
namespace {

struct ClassRow {
  std::string_view name;
  std::string_view added;  // since Unicode 14, as items of a character class
};

// Unicode 15 and 16 took no code point out of these classes, so that a library
// of any version from 14 on and the additions together are Unicode 16.
// Source: Unicode 16.0 (see unicode_classes.h) without Unicode 14.0.
constexpr ClassRow kClasses[] = {
    {"L",
     R"(\x{1C89}-\x{1C8A}\x{A7CB}-\x{A7CD}\x{A7DA}-\x{A7DC})"
     R"(\x{105C0}-\x{105F3}\x{10D4A}-\x{10D65}\x{10D6F}-\x{10D85})"
     R"(\x{10EC2}-\x{10EC4}\x{1123F}-\x{11240}\x{11380}-\x{11389}\x{1138B})"
     R"(\x{1138E}\x{11390}-\x{113B5}\x{113B7}\x{113D1}\x{113D3})"
     R"(\x{11BC0}-\x{11BE0}\x{11F02}\x{11F04}-\x{11F10}\x{11F12}-\x{11F33})"
     R"(\x{1342F}\x{13441}-\x{13446}\x{13460}-\x{143FA}\x{16100}-\x{1611D})"
     R"(\x{16D40}-\x{16D6C}\x{18CFF}\x{1B132}\x{1B155}\x{1DF25}-\x{1DF2A})"
     R"(\x{1E030}-\x{1E06D}\x{1E4D0}-\x{1E4EB}\x{1E5D0}-\x{1E5ED}\x{1E5F0})"
     R"(\x{2B739}\x{2B739}\x{2EBF0}-\x{2EE5D}\x{31350}-\x{323AF})"},
    {"N", R"(\x{10D40}-\x{10D49}\x{116D0}-\x{116E3}\x{11BF0}-\x{11BF9})"
          R"(\x{11F50}-\x{11F59}\x{16130}-\x{16139}\x{16D70}-\x{16D79})"
          R"(\x{1CCF0}-\x{1CCF9}\x{1D2C0}-\x{1D2D3}\x{1E4F0}-\x{1E4F9})"
          R"(\x{1E5F1}-\x{1E5FA})"},
    {"M",
     R"(\x{897}\x{CF3}\x{ECE}\x{10D69}-\x{10D6D}\x{10EFC}-\x{10EFF})"
     R"(\x{11241}\x{113B8}-\x{113C0}\x{113C2}\x{113C5}\x{113C7}-\x{113CA})"
     R"(\x{113CC}-\x{113D0}\x{113D2}\x{113E1}-\x{113E2}\x{11F00}-\x{11F01})"
     R"(\x{11F03}\x{11F34}-\x{11F3A}\x{11F3E}-\x{11F42}\x{11F5A}\x{13440})"
     R"(\x{13447}-\x{13455}\x{1611E}-\x{1612F}\x{1E08F}\x{1E4EC}-\x{1E4EF})"
     R"(\x{1E5EE}-\x{1E5EF})"},
    {"P",
     R"(\x{1B4E}-\x{1B4F}\x{1B7F}\x{10D6E}\x{113D4}-\x{113D5})"
     R"(\x{113D7}-\x{113D8}\x{11B00}-\x{11B09}\x{11BE1}\x{11F43}-\x{11F4F})"
     R"(\x{16D6D}-\x{16D6F}\x{1E5FF})"},
    {"S",
     R"(\x{2427}-\x{2429}\x{2FFC}-\x{2FFF}\x{31E4}-\x{31E5}\x{31EF})"
     R"(\x{10D8E}-\x{10D8F}\x{1CC00}-\x{1CCEF}\x{1CD00}-\x{1CEB3}\x{1F6DC})"
     R"(\x{1F774}-\x{1F776}\x{1F77B}-\x{1F77F}\x{1F7D9}\x{1F8B2}-\x{1F8BB})"
     R"(\x{1F8C0}-\x{1F8C1}\x{1FA75}-\x{1FA77}\x{1FA87}-\x{1FA89}\x{1FA8F})"
     R"(\x{1FAAD}-\x{1FAAF}\x{1FABB}-\x{1FABF}\x{1FAC6}\x{1FACE}-\x{1FACF})"
     R"(\x{1FADA}-\x{1FADC}\x{1FADF}\x{1FAE8}-\x{1FAE9}\x{1FAF7}-\x{1FAF8})"
     R"(\x{1FBCB}-\x{1FBEF})"},
    {"Lu", R"(\x{1C89}\x{A7CB}-\x{A7CC}\x{A7DA}\x{A7DC}\x{10D50}-\x{10D65})"},
    {"Ll", R"(\x{1C8A}\x{A7CD}\x{A7DB}\x{10D70}-\x{10D85}\x{1DF25}-\x{1DF2A})"},
    {"Lm", R"(\x{10D4E}\x{10D6F}\x{16D40}-\x{16D42}\x{16D6B}-\x{16D6C})"
           R"(\x{1E030}-\x{1E06D}\x{1E4EB})"},
    {"Lo",
     R"(\x{105C0}-\x{105F3}\x{10D4A}-\x{10D4D}\x{10D4F}\x{10EC2}-\x{10EC4})"
     R"(\x{1123F}-\x{11240}\x{11380}-\x{11389}\x{1138B}\x{1138E})"
     R"(\x{11390}-\x{113B5}\x{113B7}\x{113D1}\x{113D3}\x{11BC0}-\x{11BE0})"
     R"(\x{11F02}\x{11F04}-\x{11F10}\x{11F12}-\x{11F33}\x{1342F})"
     R"(\x{13441}-\x{13446}\x{13460}-\x{143FA}\x{16100}-\x{1611D})"
     R"(\x{16D43}-\x{16D6A}\x{18CFF}\x{1B132}\x{1B155}\x{1E4D0}-\x{1E4EA})"
     R"(\x{1E5D0}-\x{1E5ED}\x{1E5F0}\x{2B739}\x{2EBF0}-\x{2EE5D})"
     R"(\x{31350}-\x{323AF})"},
    {"Nd",
     R"(\x{11F50}-\x{11F59}\x{1E4F0}-\x{1E4F9}\x{10D40}-\x{10D49})"
     R"(\x{11BF0}-\x{11BF9}\x{16130}-\x{16139}\x{16D70}-\x{16D79}\x{1CCF0}-\x{1CCF9})"
     R"(\x{116D0}-\x{116E3}\x{1E5F1}-\x{1E5FA})"},
    {"Han", R"(\x{2B739}\x{2EBF0}-\x{2EE5D}\x{31350}-\x{323AF})"},
    {"Lt", R"()"},
};

// \s is White_Space; PCRE2's own also has U+180E.
constexpr std::string_view kSpaces =
    R"(\x{9}-\x{D}\x{20}\x{85}\x{A0}\x{1680}\x{2000}-\x{200A}\x{2028}\x{2029})"
    R"(\x{202F}\x{205F}\x{3000})";
constexpr std::string_view kNotSpaces =
    R"(\x{0}-\x{8}\x{E}-\x{1F}\x{21}-\x{84}\x{86}-\x{9F}\x{A1}-\x{167F})"
    R"(\x{1681}-\x{1FFF}\x{200B}-\x{2027}\x{202A}-\x{202E}\x{2030}-\x{205E})"
    R"(\x{2060}-\x{2FFF}\x{3001}-\x{D7FF}\x{E000}-\x{10FFFF})";

// \w, as items of a character class. tokenizers 0.23.3 was asked for every code
// point: its two engines differ in joiners and in the digits of Latin-1.
std::string word_items(RegexSyntax syntax) {
  const auto is_in = [syntax](char32_t c) {
    if (syntax == RegexSyntax::kRust) return is_word(c);
    if (c == 0x200C || c == 0x200D) return false;
    return is_word(c) || c == 0xB2 || c == 0xB3 || c == 0xB9 ||
           (c >= 0xBC && c <= 0xBE);
  };
  std::string items;
  for (char32_t c = 0; c < 0x110000; ++c) {
    if (!is_in(c)) continue;
    const char32_t first = c;
    while (is_in(c + 1)) ++c;
    fmt::format_to(std::back_inserter(items), "\\x{{{:X}}}-\\x{{{:X}}}",
                   static_cast<std::uint32_t>(first),
                   static_cast<std::uint32_t>(c));
  }
  return items;
}

constexpr std::size_t kMaxRegexBytes = 64 * 1024;
constexpr std::size_t kJitStackBytes = std::size_t{4} << 20;

// A pattern as messages quote it: some have thousands of characters.
std::string shortened(std::string_view regex) {
  constexpr std::size_t kMostBytes = 160;
  if (regex.size() <= kMostBytes) return std::string(regex);
  std::size_t end = kMostBytes;
  while ((regex[end] & '\xC0') == '\x80') --end;
  return std::string(regex.substr(0, end)) + "\u2026";
}

// Rewrites a pattern so that PCRE2 reads it as the references read theirs, and
// refuses what the engines do not agree on.
class Translator {
 public:
  Translator(std::string_view source, RegexSyntax syntax)
      : source_(source), syntax_(syntax) {}

  Result<std::string> run() {
    while (at_ < source_.size() && refused_.empty()) step();
    if (refused_.empty() && in_class_) refuse("an open character class");
    if (refused_.empty()) return std::move(result_);
    return Error{ErrorKind::kUnsupported,
                 fmt::format("regular expression {}: {} is not supported",
                             shortened(source_), refused_),
                 ""};
  }

 private:
  void refuse(std::string what) { refused_ = std::move(what); }

  [[nodiscard]] bool next_is(std::string_view text) const {
    return source_.substr(at_, text.size()) == text;
  }

  void copy(std::size_t bytes) {
    result_.append(source_.substr(at_, bytes));
    at_ += bytes;
  }

  void step() {
    const char c = source_[at_];
    if (c == '\\') return escape();
    if (in_class_) return step_in_class(c);
    if (c == '[') {
      in_class_ = true;
      class_is_empty_ = true;
      class_begin_ = result_.size();
      class_is_negated_ = next_is("[^");
      return copy(class_is_negated_ ? 2 : 1);
    }
    // Lines of Oniguruma end before "\n" and at the end; those of Rust are the
    // whole text.
    if (c == '^' || c == '$') {
      const bool whole = syntax_ == RegexSyntax::kRust;
      result_.append(c == '$' ? (whole ? "\\z" : "(?:\\z|(?=\n))")
                              : (whole ? "\\A" : "(?:\\A|(?<=\n)(?!\\z))"));
      ++at_;
      return;
    }
    if (next_is("(*")) return refuse("a control verb");
    if (next_is("(?")) {
      for (const std::string_view known :
           {"(?:", "(?i:", "(?=", "(?!", "(?<=", "(?<!", "(?>", "(?i)"}) {
        if (next_is(known)) return copy(known.size());
      }
      return refuse(std::string(source_.substr(at_, 4)));
    }
    copy(1);
  }

  void step_in_class(char c) {
    if (c == '[') return open_inner_class();
    if (next_is("&&")) return open_intersection();
    if (c != ']' || class_is_empty_) {
      class_is_empty_ = false;
      return copy(1);
    }
    if (inner_classes_ > 0) {
      // A hyphen at an edge would become one of a range.
      if (source_[at_ - 1] == '-' || source_.substr(at_ + 1, 1) == "-") {
        return refuse("a class inside a class");
      }
      --inner_classes_;
      ++at_;
      return;
    }
    in_class_ = false;
    copy(1);
    if (left_class_.empty()) return;
    result_.append(")").append(left_class_).append(")");
    left_class_.clear();
    if (source_.substr(at_, 1) != "]") {
      return refuse("an intersection of classes");
    }
    ++at_;
  }

  // [a[bc]] is [abc].
  void open_inner_class() {
    const std::string_view next = source_.substr(at_ + 1, 1);
    if (next.empty() || next == "^" || next == ":" || next == "-" ||
        next == "]" || source_[at_ - 1] == '-') {
      return refuse("a class inside a class");
    }
    class_is_empty_ = false;
    ++inner_classes_;
    ++at_;
  }

  // [ab&&[^b]] is (?:(?![b])[ab]): what follows the signs becomes a condition
  // before what stands before them.
  void open_intersection() {
    if (class_is_empty_ || class_is_negated_ || inner_classes_ > 0 ||
        !left_class_.empty() || source_.substr(at_ + 2, 1) != "[") {
      return refuse("an intersection of classes");
    }
    left_class_ = result_.substr(class_begin_) + "]";
    const bool without = source_.substr(at_ + 3, 1) == "^";
    result_.resize(class_begin_);
    result_.append(without ? "(?:(?![" : "(?:(?=[");
    at_ += without ? 4 : 3;
    class_is_empty_ = true;
  }

  // A class of characters: `items` as they stand in brackets.
  void put_class(std::string_view items, bool negated) {
    class_is_empty_ = false;
    if (in_class_) {
      result_.append(items);
    } else {
      result_.append(negated ? "[^" : "[").append(items).append("]");
    }
  }

  void escape() {
    if (at_ + 1 >= source_.size()) return refuse("a backslash at the end");
    const char c = source_[at_ + 1];
    switch (c) {
      case 's':
        at_ += 2;
        return put_class(kSpaces, false);
      case 'S':
        at_ += 2;
        return in_class_ ? put_class(kNotSpaces, false)
                         : put_class(kSpaces, true);
      case 'w':
      case 'W':
        if (c == 'W' && in_class_) return refuse("\\W in a class");
        at_ += 2;
        return put_class(word_items(syntax_), c == 'W');
      case 'd':
      case 'D':
        at_ += 2;
        return property("Nd", c == 'D');
      case 'p':
      case 'P': {
        const bool braces = source_.substr(at_ + 2, 1) == "{";
        const std::size_t end = braces ? source_.find('}', at_) : at_ + 2;
        if (end == std::string_view::npos || end >= source_.size()) {
          return refuse("an open property");
        }
        std::string_view name = braces ? source_.substr(at_ + 3, end - at_ - 3)
                                       : source_.substr(at_ + 2, 1);
        const bool caret = !name.empty() && name.front() == '^';
        if (caret) name.remove_prefix(1);
        at_ = end + 1;
        return property(name, (c == 'P') != caret);
      }
      case 'x':
      case 't':
      case 'n':
      case 'r':
      case 'f':
      case 'v':
        // \v is a class in PCRE2 and U+000B elsewhere.
        class_is_empty_ = false;
        if (c != 'v') return copy(2);
        result_.append(R"(\x{B})");
        at_ += 2;
        return;
      default:
        break;
    }
    const bool letter_or_digit =
        (c >= '0' && c <= '9') || ((c | 0x20) >= 'a' && (c | 0x20) <= 'z');
    if (letter_or_digit) return refuse(std::string{'\\', c});
    class_is_empty_ = false;
    copy(2);
  }

  void property(std::string_view name, bool negated) {
    if (negated && in_class_) return refuse("a negated property in a class");
    for (const ClassRow& row : kClasses) {
      if (row.name != name) continue;
      // A script alone; \p{Han} means the extended one in PCRE2 from 10.40 on.
      const std::string_view script = name == "Han" ? "sc:" : "";
      put_class(fmt::format("\\p{{{}{}}}{}", script, name, row.added), negated);
      return;
    }
    refuse(fmt::format("\\p{{{}}}", name));
  }

  std::string_view source_;
  std::size_t at_ = 0;
  std::string result_ = "(*LF)";  // what . does not match
  std::string refused_;
  RegexSyntax syntax_;
  bool in_class_ = false;
  bool class_is_empty_ = false;
  bool class_is_negated_ = false;
  std::size_t class_begin_ = 0;  // in result_
  int inner_classes_ = 0;        // that are open
  std::string left_class_;       // of an intersection that is open
};

template <typename T, void (*kFree)(T*)>
struct Freed {
  void operator()(T* object) const { kFree(object); }
};
using CodePointer =
    std::unique_ptr<pcre2_code, Freed<pcre2_code, pcre2_code_free>>;
using MatchPointer =
    std::unique_ptr<pcre2_match_data,
                    Freed<pcre2_match_data, pcre2_match_data_free>>;
using ContextPointer =
    std::unique_ptr<pcre2_match_context,
                    Freed<pcre2_match_context, pcre2_match_context_free>>;
using StackPointer =
    std::unique_ptr<pcre2_jit_stack,
                    Freed<pcre2_jit_stack, pcre2_jit_stack_free>>;

}  // namespace

struct RegexSplitter::Code {
  CodePointer code;
};

struct RegexSplitter::Matcher::State {
  const pcre2_code* code = nullptr;
  MatchPointer match;
  ContextPointer context;
  StackPointer stack;
};

RegexSplitter::RegexSplitter(std::unique_ptr<Code> code)
    : code_(std::move(code)) {}
RegexSplitter::~RegexSplitter() = default;
RegexSplitter::Matcher::Matcher(std::unique_ptr<State> state)
    : state_(std::move(state)) {}
RegexSplitter::Matcher::~Matcher() = default;

Result<std::unique_ptr<RegexSplitter>> RegexSplitter::make(
    std::string_view regex, RegexSyntax syntax) {
  if (regex.size() > kMaxRegexBytes) {
    return Error{ErrorKind::kLimit, "regular expression of more than 64 KiB",
                 ""};
  }
  const Result<std::string> source = Translator(regex, syntax).run();
  if (!source) return source.error();
  int error = 0;
  PCRE2_SIZE where = 0;
  auto code = std::make_unique<Code>();
  code->code.reset(pcre2_compile(
      reinterpret_cast<PCRE2_SPTR>(source->data()), source->size(),
      PCRE2_UTF | PCRE2_UCP | PCRE2_NEVER_BACKSLASH_C, &error, &where,
      nullptr));
  if (code->code == nullptr) {
    std::array<PCRE2_UCHAR, 256> message{};
    pcre2_get_error_message(error, message.data(), message.size());
    return Error{ErrorKind::kUnsupported,
                 fmt::format("regular expression {}: {}", shortened(regex),
                             reinterpret_cast<const char*>(message.data())),
                 ""};
  }
  // At such a match the references cut as well, or put in what replaces it.
  std::uint32_t matches_nothing = 0;
  pcre2_pattern_info(code->code.get(), PCRE2_INFO_MATCHEMPTY, &matches_nothing);
  if (matches_nothing != 0) {
    return Error{
        ErrorKind::kUnsupported,
        fmt::format("regular expression {}: a match of no characters is not "
                    "supported",
                    shortened(regex)),
        ""};
  }
  // Without the compiler for this processor it is interpreted.
  static_cast<void>(pcre2_jit_compile(code->code.get(), PCRE2_JIT_COMPLETE));
  return std::unique_ptr<RegexSplitter>(new RegexSplitter(std::move(code)));
}

std::unique_ptr<RegexSplitter::Matcher> RegexSplitter::make_matcher() const {
  auto state = std::make_unique<Matcher::State>();
  state->code = code_->code.get();
  state->match.reset(
      pcre2_match_data_create_from_pattern(code_->code.get(), nullptr));
  state->context.reset(pcre2_match_context_create(nullptr));
  state->stack.reset(
      pcre2_jit_stack_create(32 * 1024, kJitStackBytes, nullptr));
  if (state->context != nullptr && state->stack != nullptr) {
    pcre2_jit_stack_assign(state->context.get(), nullptr, state->stack.get());
  }
  return std::unique_ptr<Matcher>(new Matcher(std::move(state)));
}

bool RegexSplitter::Matcher::next(std::string_view utf8, std::size_t from,
                                  Span& match) {
  if (state_->match == nullptr) return false;
  const auto* text = reinterpret_cast<PCRE2_SPTR>(utf8.data());
  while (from <= utf8.size()) {
    int found =
        pcre2_match(state_->code, text, utf8.size(), from, PCRE2_NO_UTF_CHECK,
                    state_->match.get(), state_->context.get());
    if (found == PCRE2_ERROR_JIT_STACKLIMIT) {
      found = pcre2_match(state_->code, text, utf8.size(), from,
                          PCRE2_NO_UTF_CHECK | PCRE2_NO_JIT,
                          state_->match.get(), state_->context.get());
    }
    if (found < 0) return false;
    const PCRE2_SIZE* ends = pcre2_get_ovector_pointer(state_->match.get());
    if (ends[1] > ends[0]) {
      match = Span{ends[0], ends[1]};
      return true;
    }
    // After an empty match the search goes on at the next character.
    from = ends[1] + 1;
    while (from < utf8.size() && (utf8[from] & 0xC0) == 0x80) ++from;
  }
  return false;
}

}  // namespace trainsight::tokenize
