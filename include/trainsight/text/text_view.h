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
  /// Of a kJsonEscaped text: how many bytes shorter its UTF-8 is; 0 when nobody
  /// has counted (an escape saves one at least). Of a mapped file the bytes can
  /// change under our hands: never size a buffer by it.
  std::uint32_t saved = 0;
};

}  // namespace trainsight::text

#endif  // TRAINSIGHT_TEXT_TEXT_VIEW_H_
