// ObjectReader: the members of one JSON object, each asked for by name.
//
// Collects the first error; finish() reports members that nobody asked for.
#ifndef TRAINSIGHT_MANIFEST_OBJECT_READER_H_
#define TRAINSIGHT_MANIFEST_OBJECT_READER_H_

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "trainsight/core/result.h"
#include "trainsight/scan/json_document.h"

namespace trainsight::manifest {

class ObjectReader {
 public:
  /// `where` names the object in messages: "dataset.files[0]".
  /// A null `object` is an object without members.
  ObjectReader(const scan::JsonDocument& document, const scan::Value* object,
               std::string name, std::string where);

  std::optional<std::string> text(std::string_view member);
  std::optional<std::uint64_t> unsigned_integer(std::string_view member);
  std::optional<double> number(std::string_view member);
  std::optional<bool> boolean(std::string_view member);
  /// The member itself when it has that kind; nullptr when absent.
  const scan::Value* object(std::string_view member);
  const scan::Value* array(std::string_view member);
  /// Any kind; marks it as known.
  const scan::Value* any(std::string_view member);

  /// "name:3:14: where.member: message" of the given kind, kept if it is the
  /// first.
  void fail(ErrorKind kind, const scan::Value* at, std::string_view member,
            const std::string& message);
  [[nodiscard]] bool failed() const { return error_.has_value(); }

  /// The first error; otherwise one for a member that is not known, unless
  /// `lenient`. Members that begin with "x-" are always let pass.
  Status finish(bool lenient = false);

 private:
  const scan::Value* find(std::string_view member, scan::ValueKind kind,
                          std::string_view kind_name);

  const scan::JsonDocument& document_;
  const scan::Value* object_;
  std::string name_;
  std::string where_;
  std::vector<std::string_view> known_;
  std::optional<Error> error_;
};

}  // namespace trainsight::manifest

#endif  // TRAINSIGHT_MANIFEST_OBJECT_READER_H_
