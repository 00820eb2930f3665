// A LengthSketch as a short line of text, for the manifest.
//
// The text is "1:" (the version) and unpadded base64 (RFC 4648, section 4) of
// a sequence of LEB128 numbers: the counts that are not zero, neighbours
// without their distance, and for lengths above 16,384 the bucket sums, the
// exact moments and the digest. Without a tail nothing but counts is needed:
// the moments follow from them, and the digest is built anew when asked for,
// since no quantile is read from it there.
//
// The form is canonical: each sketch has one text, and any text that is read
// is written again unchanged. Size: about 1 byte for each distinct length of a
// dense range plus 33 %; 0.3 to 4 KiB for most data sets.
#ifndef TRAINSIGHT_STATS_SKETCH_CODEC_H_
#define TRAINSIGHT_STATS_SKETCH_CODEC_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "trainsight/core/result.h"
#include "trainsight/stats/length_sketch.h"

namespace trainsight::stats {

class SketchCodec {
 public:
  /// Longer texts are refused before anything is allocated.
  static constexpr std::size_t kMaxTextBytes = std::size_t{1} << 20;
  /// A sketch of more records is refused, so that sums of a few thousand
  /// sketches cannot overflow, and doubles count records exactly.
  static constexpr std::uint64_t kMaxRecords = std::uint64_t{1} << 53;

  [[nodiscard]] static std::string to_text(const LengthSketch& sketch);

  /// Reads what to_text() wrote. Errors: kUnsupported for another version,
  /// kLimit for a text over kMaxTextBytes, kCorrupt for anything that no
  /// sketch would have written (numbers that contradict each other included).
  [[nodiscard]] static Result<LengthSketch> parse(std::string_view text);
};

}  // namespace trainsight::stats

#endif  // TRAINSIGHT_STATS_SKETCH_CODEC_H_
