#include "trainsight/chat/media_allowance.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>

namespace trainsight::chat {
namespace {

// Patches of an image of the usual size, merged as the model merges them.
// Narrower names stand before the wider ones that they contain.
constexpr MediaFamily kFamilies[] = {
    {"qwen2-audio", 0, 750, "25 tokens a second, clips of 30 s"},
    {"qwen2-vl", 1369, 0, "1036 x 1036 pixels, 28 x 28 a token"},
    {"qwen2.5-vl", 1369, 0, "1036 x 1036 pixels, 28 x 28 a token"},
    {"qwen3-vl", 1024, 0, "1024 x 1024 pixels, 32 x 32 a token"},
    {"gemma-3", 256, 0, "896 x 896 pixels, always 256 tokens"},
    {"paligemma", 256, 0, "224 x 224 pixels, 14 x 14 a token"},
    {"llava-1.5", 576, 0, "336 x 336 pixels, 14 x 14 a token"},
    {"llava", 2880, 0, "five tiles of 336 x 336 pixels, 576 tokens each"},
    {"pixtral", 4096, 0, "1024 x 1024 pixels, 16 x 16 a token"},
    {"internvl", 1792, 0, "six tiles and a thumbnail, 256 tokens each"},
    {"phi-3-vision", 1921, 0,
     "1344 x 1008 pixels: twelve crops and a thumbnail"},
};

// Lower case, letters and digits only.
std::string folded(std::string_view name) {
  std::string out;
  for (const char c : name) {
    if (c >= 'A' && c <= 'Z') {
      out += static_cast<char>(c - 'A' + 'a');
    } else if ((c >= 'a' && c <= 'z') || (c >= '0' && c <= '9')) {
      out += c;
    }
  }
  return out;
}

}  // namespace

std::span<const MediaFamily> media_families() { return kFamilies; }

const MediaFamily* find_media_family(std::string_view model_name) {
  const std::string model = folded(model_name);
  const MediaFamily* const found = std::find_if(
      std::begin(kFamilies), std::end(kFamilies), [&](const MediaFamily& f) {
        return model.find(folded(f.name)) != std::string::npos;
      });
  return found == std::end(kFamilies) ? nullptr : found;
}

MediaAllowance make_allowance(const MediaFamily* family,
                              std::optional<std::uint32_t> image_tokens,
                              std::optional<std::uint32_t> audio_tokens) {
  MediaAllowance allowance;
  allowance.estimated = !image_tokens.has_value() || !audio_tokens.has_value();
  if (family != nullptr) {
    allowance.image_tokens = family->image_tokens;
    allowance.audio_tokens = family->audio_tokens;
  }
  allowance.image_tokens = image_tokens.value_or(allowance.image_tokens);
  allowance.audio_tokens = audio_tokens.value_or(allowance.audio_tokens);
  const auto add = [&](const char* part, std::uint32_t tokens, bool given) {
    if (tokens == 0) return;
    allowance.words += fmt::format("{}{} counts as {} token{}",
                                   allowance.words.empty() ? "" : "; ", part,
                                   tokens, tokens == 1 ? "" : "s");
    if (!given && family != nullptr) {
      allowance.words +=
          fmt::format(", estimated for {} ({})", family->name, family->basis);
    }
  };
  add("an image", allowance.image_tokens, image_tokens.has_value());
  add("an audio clip", allowance.audio_tokens, audio_tokens.has_value());
  return allowance;
}

}  // namespace trainsight::chat
