// Values of trainers' files as this program's words; an empty word where
// nothing like the value is known. Pure.
#ifndef TRAINSIGHT_TRAINERS_WORDS_H_
#define TRAINSIGHT_TRAINERS_WORDS_H_

#include <optional>
#include <string>
#include <string_view>

namespace trainsight::trainers {

/// ASCII letters in lower case.
std::string lower(std::string_view text);
bool contains(std::string_view text, std::string_view word);

/// "true", "yes", "on", "1", in any case; and their opposites.
bool is_true(std::string_view value);
bool is_false(std::string_view value);

/// The whole value as a number.
std::optional<double> number_of(std::string_view value);

std::string_view optimizer_word(std::string_view value);
std::string_view attention_word(std::string_view value);
/// The modules that adapters are put on.
std::string targets_word(std::string_view value);
std::string_view objective_word(std::string_view value);
/// DeepSpeed's stage.
std::string_view stage_word(std::string_view value);

/// What torchtune.models.llama3_1.qlora_llama3_1_8b names.
struct Component {
  std::string model;
  std::string method;
};
Component component_of(std::string_view value);

}  // namespace trainsight::trainers

#endif  // TRAINSIGHT_TRAINERS_WORDS_H_
