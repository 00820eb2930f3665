#include "scan/json_block.h"

#include <simdjson.h>

#include <algorithm>
#include <cstring>

#include "scan/json_number.h"
#include "scan/json_string_inl.h"

namespace trainsight::scan {

struct JsonBlock::Indexer {
  std::unique_ptr<simdjson::internal::dom_parser_implementation> parser;
};

namespace {

// Walks the structural indexes of one record. All bounds are checked against
// the record, never trusted from the indexes: the text may be a mapped file
// that someone writes to.
class Walk {
 public:
  Walk(const char* text, const std::uint32_t* next, const std::uint32_t* last,
       std::size_t end, const JsonLimits& limits, JsonTape& tape,
       std::vector<std::uint32_t>& open)
      : text_(text),
        next_(next),
        last_(last),
        end_(static_cast<std::uint32_t>(end)),
        limits_(limits),
        tape_(tape),
        open_(open) {}

  bool object() {
    open_.clear();
    if (text_[*next_] != '{' || !open_container({}, ValueKind::kObject)) {
      return false;
    }
    while (!open_.empty()) {
      if (!step()) return false;
    }
    return at_end();
  }

  [[nodiscard]] const std::uint32_t* next() const { return next_; }

 private:
  [[nodiscard]] bool at_end() const { return *next_ >= end_; }
  // The next structural byte; NUL at the end of the record.
  [[nodiscard]] char peek() const { return at_end() ? '\0' : text_[*next_]; }

  // The members or elements of the innermost container, up to the opening of
  // another one or its own end.
  bool step() {
    const std::uint32_t container = open_.back();
    return tape_[container].kind == ValueKind::kObject ? members(container)
                                                       : elements(container);
  }

  bool members(std::uint32_t container) {
    std::uint32_t count = tape_[container].count;
    for (;;) {
      char c = peek();
      if (c == '}') return close_container();
      if (count > 0) {
        if (c != ',') return false;
        ++next_;
        c = peek();
      }
      if (c != '"') return false;
      const char* key = nullptr;
      std::size_t key_bytes = 0;
      if (!string(key, key_bytes) || peek() != ':') return false;
      ++next_;
      std::string_view name(key, key_bytes);
      EscapeFacts facts;
      if (!check_escapes(key, key + key_bytes, facts)) return false;
      if (facts.any) name = tape_.unescaped_key(name);
      tape_[container].count = ++count;
      const std::size_t depth = open_.size();
      if (!value(name)) return false;
      if (open_.size() != depth) return true;
    }
  }

  bool elements(std::uint32_t container) {
    std::uint32_t count = tape_[container].count;
    for (;;) {
      const char c = peek();
      if (c == ']') return close_container();
      if (count > 0) {
        if (c != ',') return false;
        ++next_;
      }
      tape_[container].count = ++count;
      const std::size_t depth = open_.size();
      if (!value({})) return false;
      if (open_.size() != depth) return true;
    }
  }

  bool value(std::string_view name) {
    if (tape_.count() >= limits_.max_values) return false;
    switch (peek()) {
      case '"':
        return text_value(name);
      case '{':
        return open_container(name, ValueKind::kObject);
      case '[':
        return array(name);
      case 't':
        return literal(name, "true", ValueKind::kBool, true);
      case 'f':
        return literal(name, "false", ValueKind::kBool, false);
      case 'n':
        return literal(name, "null", ValueKind::kNull, false);
      default:
        return number(name);
    }
  }

  // Passes the string at next_. Its end is found backwards from the structural
  // after it, over white space: stage 1 does not keep closing quotes.
  bool string(const char*& begin, std::size_t& bytes) {
    const char* const open = text_ + *next_;
    ++next_;
    if (at_end()) return false;
    const char* close = text_ + *next_ - 1;
    while (close > open && *close != '"') {
      if (*close != ' ' && *close != '\n' && *close != '\r' && *close != '\t') {
        return false;
      }
      --close;
    }
    if (close == open) return false;
    begin = open + 1;
    bytes = static_cast<std::size_t>(close - begin);
    return true;
  }

  bool text_value(std::string_view name) {
    const char* begin = nullptr;
    std::size_t bytes = 0;
    EscapeFacts facts;
    if (!string(begin, bytes) || !check_escapes(begin, begin + bytes, facts)) {
      return false;
    }
    Value& value = tape_.push(name);
    value.kind = ValueKind::kText;
    value.data = begin;
    value.bytes = bytes;
    value.count = static_cast<std::uint32_t>(facts.saved_bytes);
    value.lone_surrogate = facts.lone_surrogate;
    if (facts.any) value.encoding = text::Encoding::kJsonEscaped;
    return true;
  }

  bool array(std::string_view name) {
    const char first = text_[*(next_ + 1)];
    if (*(next_ + 1) >= end_ ||
        (first != '-' && (first < '0' || first > '9'))) {
      return open_container(name, ValueKind::kArray);
    }
    const NumberRun run = number_run(text_ + *(next_ + 1), text_ + end_);
    if (run.end == nullptr) return open_container(name, ValueKind::kArray);
    const char* const begin = text_ + *next_ + 1;
    Value& value = tape_.push(name);
    value.kind = ValueKind::kNumbers;
    value.data = begin;
    value.bytes = static_cast<std::uint64_t>(run.end - begin);
    value.count = run.count;
    value.has_reals = run.has_reals;
    // '[', then a number and a comma each but for the last number, then ']'.
    const auto close = static_cast<std::uint32_t>(run.end - text_);
    if (static_cast<std::uint64_t>(last_ - next_) / 2 < run.count) return false;
    next_ += 2 * static_cast<std::size_t>(run.count);
    if (*next_ != close) return false;
    ++next_;
    return true;
  }

  bool literal(std::string_view name, std::string_view word, ValueKind kind,
               bool boolean) {
    const char* const at = text_ + *next_;
    if (end_ - *next_ < word.size() ||
        std::memcmp(at, word.data(), word.size()) != 0 ||
        !is_after_scalar(at + word.size())) {
      return false;
    }
    Value& value = tape_.push(name);
    value.kind = kind;
    if (kind == ValueKind::kBool) value.boolean = boolean;
    ++next_;
    return true;
  }

  bool number(std::string_view name) {
    if (at_end()) return false;
    const char* const at = text_ + *next_;
    const NumberExtent extent = number_extent(at, text_ + end_);
    if (extent.end == nullptr || !is_after_scalar(extent.end)) return false;
    set_number(at, extent, tape_.push(name));
    ++next_;
    return true;
  }

  // A scalar ends where the next structural or white space begins.
  [[nodiscard]] bool is_after_scalar(const char* p) const {
    if (p >= text_ + end_) return true;
    return *p == ',' || *p == '}' || *p == ']' || *p == ' ' || *p == '\n' ||
           *p == '\r' || *p == '\t';
  }

  bool open_container(std::string_view name, ValueKind kind) {
    if (open_.size() >= limits_.max_depth) return false;
    open_.push_back(tape_.count());
    Value& value = tape_.push(name);
    value.kind = kind;
    value.data = text_ + *next_;
    ++next_;
    return true;
  }

  bool close_container() {
    const std::uint32_t container = open_.back();
    open_.pop_back();
    Value& value = tape_[container];
    value.bytes = static_cast<std::uint64_t>(text_ + *next_ + 1 - value.data);
    value.next = tape_.count();
    ++next_;
    return true;
  }

  const char* text_;
  const std::uint32_t* next_;  // never beyond last_
  const std::uint32_t* last_;  // stands for the end of the block
  std::uint32_t end_;
  const JsonLimits& limits_;
  JsonTape& tape_;
  std::vector<std::uint32_t>& open_;
};

}  // namespace

JsonBlock::JsonBlock() : indexer_(std::make_unique<Indexer>()) {}
JsonBlock::~JsonBlock() = default;

bool JsonBlock::index(std::string_view block) {
  text_ = block.data();
  next_ = nullptr;
  auto& parser = indexer_->parser;
  if (parser == nullptr || parser->capacity() < block.size()) {
    // Grows by doubling, up to kMaxBytes.
    std::size_t capacity = std::size_t{1} << 17;
    while (capacity < block.size()) capacity *= 2;
    if (simdjson::get_active_implementation()->create_dom_parser_implementation(
            capacity, 1, parser) != simdjson::SUCCESS) {
      parser.reset();
      return false;
    }
  }
  if (parser->stage1(reinterpret_cast<const std::uint8_t*>(block.data()),
                     block.size(),
                     simdjson::stage1_mode::regular) != simdjson::SUCCESS) {
    return false;
  }
  next_ = parser->structural_indexes.get();
  last_ = next_ + parser->n_structural_indexes;
  return true;
}

JsonBlock::Verdict JsonBlock::parse(std::size_t begin, std::size_t end,
                                    const JsonLimits& limits, JsonTape& tape) {
  // After a refused record the rest of its structurals is passed over.
  while (*next_ < begin) ++next_;
  if (*next_ >= end) return Verdict::kBlank;
  tape.clear();
  Walk walk(text_, next_, last_, end, limits, tape, open_);
  const bool accepted = walk.object();
  next_ = walk.next();
  return accepted ? Verdict::kObject : Verdict::kRefused;
}

}  // namespace trainsight::scan
