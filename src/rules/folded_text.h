// FoldedText: texts without what near-duplicates differ in.
//
// ASCII letters in lower case, and each run of ASCII white space as one space;
// none at the beginning or after another. JSON escapes are undone on the way,
// so that a text folds alike whatever file it stands in. About 16 bytes in five
// cycles of plain text. Internal to rules.
#ifndef TRAINSIGHT_RULES_FOLDED_TEXT_H_
#define TRAINSIGHT_RULES_FOLDED_TEXT_H_

#include <cstddef>
#include <string_view>
#include <vector>

#include "trainsight/text/text_view.h"

namespace trainsight::rules {

class FoldedText {
 public:
  FoldedText();
  void clear() { size_ = 0; }
  void append(text::TextView text);
  /// Takes the space off the end, if there is one, and adds `mark` and a
  /// space: what follows begins as a text of its own. REQUIRES: `mark` is no
  /// byte of UTF-8.
  void end_piece(char mark);
  /// Valid until the next change.
  [[nodiscard]] std::string_view view() const { return {bytes_.data(), size_}; }

 private:
  // Room for `bytes` more, and for a block that is written beyond them.
  char* room_for(std::size_t bytes);

  std::vector<char> bytes_;  // its size is the room, of which size_ is used
  std::size_t size_ = 0;
  bool is_wide_ = false;  // this processor has AVX-512 with VBMI2
};

}  // namespace trainsight::rules

#endif  // TRAINSIGHT_RULES_FOLDED_TEXT_H_
