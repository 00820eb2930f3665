// JsonDocument: a small JSON document of ours (a manifest, a policy, a config)
// on the same tape as a row.
//
// Strict RFC 8259; the fault is given with its line and column. For documents
// of people, not for data: the whole text is held.
// Thread-safety: const members may run side by side.
#ifndef TRAINSIGHT_SCAN_JSON_DOCUMENT_H_
#define TRAINSIGHT_SCAN_JSON_DOCUMENT_H_

#include <memory>
#include <string>
#include <string_view>

#include "trainsight/core/result.h"
#include "trainsight/scan/row_view.h"

namespace trainsight::scan {

class JsonDocument {
 public:
  /// Longer texts are refused before anything is allocated.
  static constexpr std::uint64_t kMaxBytes = 256u << 20;

  /// Parses one JSON object. `name` is put before the message of an error:
  /// "name:3:14: …". Errors: kCorrupt, kLimit.
  static Result<JsonDocument> parse(std::string_view json,
                                    std::string_view name);

  JsonDocument(JsonDocument&&) noexcept;
  JsonDocument& operator=(JsonDocument&&) noexcept;
  ~JsonDocument();

  /// The document; lives as long as this object.
  [[nodiscard]] const RowView& view() const;

  /// Where a value stands, for messages: "3:14" (line and column, from 1).
  [[nodiscard]] std::string place_of(const Value& value) const;

 private:
  struct State;
  explicit JsonDocument(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

/// A text value as UTF-8; empty when `value` is null or no text.
std::string text_of(const Value* value);

}  // namespace trainsight::scan

#endif  // TRAINSIGHT_SCAN_JSON_DOCUMENT_H_
