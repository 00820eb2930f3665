// TextView: bytes of text with the way they are written down.
//
// JSON text stays as it stands in the file until something needs it; most
// texts hold no backslash and are UTF-8 as they are.
#ifndef TRAINSIGHT_TEXT_TEXT_VIEW_H_
#define TRAINSIGHT_TEXT_TEXT_VIEW_H_

#include <cstdint>
#include <string_view>

namespace trainsight::text {

enum class Encoding : std::uint8_t {
  kUtf8,         ///< valid UTF-8, as it is
  kJsonEscaped,  ///< valid UTF-8 with JSON escapes in it
};

/// A view; valid as long as what it looks into.
struct TextView {
  std::string_view bytes;
  Encoding encoding = Encoding::kUtf8;
};

}  // namespace trainsight::text

#endif  // TRAINSIGHT_TEXT_TEXT_VIEW_H_
