// The files that carry packs to a trainer: .npy arrays and their side data.
//
// A pack index is `offsets` (packs + 1 values) and `rows` (one a segment),
// both int64 .npy; where rows are cut, also `begins` and `lengths`. Pack p is
// rows[offsets[p]:offsets[p + 1]], which a PyTorch batch sampler can yield as
// it is. Pure: bytes out, written elsewhere.
#ifndef TRAINSIGHT_BATCHING_NPY_H_
#define TRAINSIGHT_BATCHING_NPY_H_

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "trainsight/batching/pack.h"
#include "trainsight/core/result.h"

namespace trainsight::batching {

/// The bytes before the numbers of a one-dimensional little-endian int64 array
/// of `count` values; 8·count bytes follow. 128 bytes long.
///
/// Source: NumPy documentation, numpy.lib.format, "Format Version 1.0".
std::string npy_header(std::uint64_t count);

/// Appends `values` as little-endian int64 to `bytes`.
void append_int64(std::span<const std::uint32_t> values, std::string& bytes);
void append_int64(std::span<const std::uint64_t> values, std::string& bytes);

/// The values of such an array, for reading back what was written. Takes
/// versions 1.0 to 3.0, one dimension, '<i8', values of 0 … 2^63 − 1.
/// Error: kCorrupt with what is wrong.
Result<std::vector<std::uint64_t>> parse_npy(std::string_view bytes);

/// What a pack index's JSON side file says; the names are its keys.
struct PackIndexInfo {
  std::string strategy;  ///< name_of()
  std::uint32_t pack_length = 0;
  std::string overlong;  ///< name_of()
  std::uint32_t window_rows = 0;
  std::uint64_t seed = 0;     ///< of the packs' order
  std::uint64_t rows_in = 0;  ///< of the data set indexed
  std::uint64_t packs = 0;
  std::uint64_t segments = 0;
  std::uint64_t tokens = 0;
  std::uint64_t tokens_lost = 0;
  double efficiency_ratio = 0;
  bool rows_are_cut = false;  ///< begins and lengths are there
};

PackIndexInfo index_info(const PackingFigures& figures,
                         const PackOptions& options,
                         const Assignment& assignment);

}  // namespace trainsight::batching

#endif  // TRAINSIGHT_BATCHING_NPY_H_
