// JsonTape: the values of one JSON record while a parser fills them in.
//
// Memory is kept from record to record. A tape belongs to one worker.
#ifndef TRAINSIGHT_SCAN_JSON_TAPE_H_
#define TRAINSIGHT_SCAN_JSON_TAPE_H_

#include <cstddef>
#include <cstdint>
#include <deque>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "trainsight/scan/row_view.h"
#include "trainsight/text/json_text.h"

namespace trainsight::scan {

/// Limits of a record; beyond them it is a bad record, not an allocation.
struct JsonLimits {
  std::uint32_t max_depth = 128;
  std::uint32_t max_values = 400'000;
};

class JsonTape {
 public:
  void clear() {
    count_ = 0;
    if (!keys_.empty()) keys_.clear();
  }
  [[nodiscard]] std::uint32_t count() const { return count_; }
  [[nodiscard]] Value& operator[](std::uint32_t i) { return values_[i]; }
  [[nodiscard]] std::span<Value> values() { return {values_.data(), count_}; }

  /// Appends a value of one slot and returns it; others may have moved.
  Value& push(std::string_view key) {
    if (count_ == values_.size()) values_.resize(values_.size() * 2 + 64);
    Value& value = values_[count_++];
    value = Value{};
    value.key = key;
    value.next = count_;
    return value;
  }

  /// The key whose JSON text is `escaped`, as UTF-8 that lives until clear().
  std::string_view unescaped_key(std::string_view escaped) {
    std::string& key = keys_.emplace_back();
    text::append_unescaped({escaped, text::Encoding::kJsonEscaped}, key);
    return key;
  }

 private:
  std::vector<Value> values_;  // the first count_ are in use
  std::uint32_t count_ = 0;
  std::deque<std::string> keys_;  // does not move its strings
};

}  // namespace trainsight::scan

#endif  // TRAINSIGHT_SCAN_JSON_TAPE_H_
