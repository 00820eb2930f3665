// Tokens that images and audio add to a row, which no text shows.
//
// How many there are depends on the processor's resizing and on each file, so
// a family's figure is an estimate at its usual resolution and the report says
// so; `--image-tokens N` replaces it.
#ifndef TRAINSIGHT_CHAT_MEDIA_ALLOWANCE_H_
#define TRAINSIGHT_CHAT_MEDIA_ALLOWANCE_H_

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "trainsight/records/sample.h"

namespace trainsight::chat {

/// A family's tokens for one part, on top of the text.
struct MediaFamily {
  std::string_view name;  ///< as in model names: "qwen2-vl"
  std::uint32_t image_tokens = 0;
  std::uint32_t audio_tokens = 0;  ///< 0: the family has no audio
  std::string_view basis;          ///< what the figures are computed from
};

std::span<const MediaFamily> media_families();

/// The family whose name is in `model_name`, whatever its case and whether
/// '-', '_', '.' or nothing stands between words; nullptr when none is.
const MediaFamily* find_media_family(std::string_view model_name);

/// What each part of a row counts. `estimated` is false only for figures that
/// the user gave.
struct MediaAllowance {
  std::uint32_t image_tokens = 0;
  std::uint32_t audio_tokens = 0;
  bool estimated = false;
  /// For the report: "an image counts as 1369 tokens, estimated for qwen2-vl
  /// (1036 x 1036 pixels, 28 x 28 a token)"; empty when nothing counts.
  std::string words;

  /// Tokens that the images and audio of `sample` add.
  [[nodiscard]] std::uint64_t tokens(const records::Sample& sample) const {
    return std::uint64_t{sample.images} * image_tokens +
           std::uint64_t{sample.audios} * audio_tokens;
  }
};

/// The user's figures where given, otherwise the family's; without a family,
/// 0, estimated.
MediaAllowance make_allowance(const MediaFamily* family,
                              std::optional<std::uint32_t> image_tokens,
                              std::optional<std::uint32_t> audio_tokens);

}  // namespace trainsight::chat

#endif  // TRAINSIGHT_CHAT_MEDIA_ALLOWANCE_H_
