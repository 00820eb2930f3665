// JsonBlock: many JSON records at once, at the speed of simdjson's first stage.
//
// simdjson's stage 1 finds all structural bytes of a block of lines in one
// vectorised pass and proves that it is UTF-8 without raw control characters in
// strings, hence without a line end in one. parse() then walks the structural
// indexes of one record after the other and fills the tape, checking all that
// stage 1 does not: the grammar, numbers, literals and escapes.
//
// It accepts exactly the records that StrictJson accepts (with an object at the
// top); it says nothing of the others.
// Source: G. Langdale, D. Lemire, "Parsing Gigabytes of JSON per Second",
// VLDB Journal 28(6), 2019, section 3.1.
#ifndef TRAINSIGHT_SCAN_JSON_BLOCK_H_
#define TRAINSIGHT_SCAN_JSON_BLOCK_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string_view>
#include <vector>

#include "scan/json_tape.h"

namespace trainsight::scan {

class JsonBlock {
 public:
  /// Blocks are at most this long: their indexes take up to 4 bytes a byte.
  static constexpr std::size_t kMaxBytes = std::size_t{1} << 20;

  JsonBlock();
  JsonBlock(const JsonBlock&) = delete;
  JsonBlock& operator=(const JsonBlock&) = delete;
  ~JsonBlock();

  /// Indexes `block`. False when something in it is not clean: its records
  /// must then be looked at one by one.
  /// REQUIRES: at most kMaxBytes; 64 readable bytes after it.
  bool index(std::string_view block);

  /// What a record turned out to be.
  enum class Verdict : std::uint8_t {
    kObject,   ///< the tape holds it
    kBlank,    ///< white space only
    kRefused,  ///< not accepted; StrictJson says why
  };

  /// Parses the next record, [begin, end) of the indexed block, in order.
  Verdict parse(std::size_t begin, std::size_t end, const JsonLimits& limits,
                JsonTape& tape);

 private:
  struct Indexer;
  std::unique_ptr<Indexer> indexer_;
  const char* text_ = nullptr;
  const std::uint32_t* next_ = nullptr;  // first structural not yet passed
  const std::uint32_t* last_ = nullptr;  // one past the last: the block's end
  std::vector<std::uint32_t> open_;      // containers: index in the tape
};

}  // namespace trainsight::scan

#endif  // TRAINSIGHT_SCAN_JSON_BLOCK_H_
