#include "trainsight/records/sample.h"

namespace trainsight::records {

std::string_view name_of(SampleType type) {
  constexpr std::string_view kNames[kSampleTypeCount] = {
      "unknown", "pretrain", "sft", "dpo", "kto", "grpo", "prm", "embedding"};
  return kNames[static_cast<std::size_t>(type)];
}

std::string_view name_of(Field field) {
  constexpr std::string_view kNames[kFieldCount] = {
      "text", "system", "prompt",   "context", "completion",
      "tool", "chosen", "rejected", "template"};
  return kNames[static_cast<std::size_t>(field)];
}

void Sample::clear() {
  pieces.clear();
  messages.clear();
  type = SampleType::kUnknown;
  schema = -1;
  dialect = Dialect::kNone;
  ids = {};
  tools = nullptr;
  images = videos = audios = image_parts = 0;
  sides_are_whole = ends_with_user = answer_is_null = false;
  has_label = label = false;
}

}  // namespace trainsight::records
