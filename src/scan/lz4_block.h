// The LZ4 block format, which Parquet's LZ4_RAW pages and Arrow's LZ4 frames
// hold. No packaged static library of it is linked, and a safe decoder is
// short.
//
// Source: Y. Collet, "LZ4 Block Format Description" (doc/lz4_Block_format.md).
#ifndef TRAINSIGHT_SCAN_LZ4_BLOCK_H_
#define TRAINSIGHT_SCAN_LZ4_BLOCK_H_

#include <cstddef>
#include <optional>
#include <span>
#include <string_view>

namespace trainsight::scan {

/// Decompresses one block to output[begin, ...); matches may reach back to
/// output[0]. The number of bytes written, or nullopt for a damaged block or
/// one that does not fit.
std::optional<std::size_t> decompress_lz4_block(std::string_view block,
                                                std::span<char> output,
                                                std::size_t begin);

}  // namespace trainsight::scan

#endif  // TRAINSIGHT_SCAN_LZ4_BLOCK_H_
