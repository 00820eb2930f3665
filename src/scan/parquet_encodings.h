// The encodings of Parquet pages, as decoders that give a block at a time.
//
// Each is a cursor over bytes that it does not own; read() gives fewer values
// than asked for when the bytes end or are damaged, and never reads outside.
//
// Source: parquet-format Encodings.md: "Run Length Encoding / Bit-Packing
// Hybrid (RLE = 3)", "Delta Encoding (DELTA_BINARY_PACKED = 5)".
// Thread-safety: plain values.
#ifndef TRAINSIGHT_SCAN_PARQUET_ENCODINGS_H_
#define TRAINSIGHT_SCAN_PARQUET_ENCODINGS_H_

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

namespace trainsight::scan::parquet {

/// The RLE / bit-packing hybrid: levels, dictionary indexes, booleans.
class RleDecoder {
 public:
  RleDecoder() = default;
  /// REQUIRES: 0 <= bit_width <= 32.
  RleDecoder(std::string_view bytes, int bit_width)
      : bytes_(bytes), bit_width_(bit_width) {}

  /// Up to `count` values into `out`; the number given. A width of 0 bits needs
  /// no bytes at all: every value is 0.
  std::size_t read(std::uint32_t* out, std::size_t count);

 private:
  bool next_run();

  std::string_view bytes_;
  int bit_width_ = 0;
  std::uint64_t repeats_ = 0;  // left of a run of one value
  std::uint32_t repeated_ = 0;
  std::uint64_t packed_ = 0;  // left of a bit-packed run
  std::uint64_t bit_at_ = 0;  // in `run_`
  std::string_view run_;      // the bit-packed run
};

/// DELTA_BINARY_PACKED integers.
class DeltaDecoder {
 public:
  DeltaDecoder() = default;
  /// False when the header is damaged.
  bool start(std::string_view bytes);
  std::size_t read(std::int64_t* out, std::size_t count);
  /// How many values there are, by the header.
  [[nodiscard]] std::uint64_t total() const { return total_; }
  /// Bytes from the beginning to the end of the last block, found without
  /// decoding. 0 when the blocks are damaged.
  [[nodiscard]] std::size_t encoded_bytes() const;

 private:
  bool next_miniblock();

  std::string_view bytes_;
  std::size_t at_ = 0;
  std::uint64_t total_ = 0;
  std::uint64_t given_ = 0;
  std::uint32_t miniblocks_ = 0;  // in a block
  std::uint32_t miniblock_values_ = 0;
  std::uint64_t last_ = 0;  // modulo 2^64, as deltas may overflow
  std::uint64_t min_delta_ = 0;
  std::string_view widths_;           // of the current block
  std::uint32_t next_miniblock_ = 0;  // in the current block
  std::size_t first_block_ = 0;
  std::vector<std::uint64_t> deltas_;  // of the current miniblock
  std::size_t delta_at_ = 0;
};

/// Bits that values up to `max` need.
int bit_width_of(std::uint32_t max);

/// An unsigned LEB128 number at `at`, which moves past it; false when cut.
bool read_varint(std::string_view bytes, std::size_t& at, std::uint64_t& value);

}  // namespace trainsight::scan::parquet

#endif  // TRAINSIGHT_SCAN_PARQUET_ENCODINGS_H_
