// What `trainsight pack` writes, and the proof that nothing is lost.
//
// Each writer writes atomically; each check reads the written file back.
#ifndef TRAINSIGHT_CLI_PACK_OUTPUT_H_
#define TRAINSIGHT_CLI_PACK_OUTPUT_H_

#include <span>
#include <string>

#include "pack_rows.h"
#include "trainsight/batching/npy.h"
#include "trainsight/batching/pack.h"
#include "trainsight/core/result.h"

namespace trainsight::cli {

/// One row a line, in this order of row ids.
Status write_reordered(const std::string& path,
                       std::span<const std::uint32_t> order,
                       const PackRows& rows, RowBytes& bytes);

/// Whether `path` holds every row exactly once: the rows of `order`, byte for
/// byte.
Status check_reordered(const std::string& path,
                       std::span<const std::uint32_t> order,
                       const PackRows& rows, RowBytes& bytes);

/// One pack a line. Rows of token ids are joined: input_ids, labels,
/// position_ids (from 0 in each segment) and segment_ids (from 1 in each
/// pack). Other rows are grouped whole: {"tokens": n, "rows": [...]}.
/// Error: kUnsupported when rows that are no ids would have to be cut.
Status write_packed(const std::string& path,
                    const batching::Assignment& assignment,
                    const batching::PackOptions& options, const PackRows& rows,
                    RowBytes& bytes);

/// Whether `path` holds exactly the packs of `assignment`: for grouped rows
/// each row's own bytes once, for ids each pack's tokens.
Status check_packed(const std::string& path,
                    const batching::Assignment& assignment,
                    const batching::PackOptions& options, const PackRows& rows,
                    RowBytes& bytes);

/// PREFIX.offsets.npy, PREFIX.rows.npy, where rows are cut PREFIX.begins.npy
/// and PREFIX.lengths.npy, and PREFIX.json.
Status write_index(const std::string& prefix,
                   const batching::Assignment& assignment,
                   const batching::PackIndexInfo& info);

/// Reads an index back and proves it with batching::verify().
Status check_index(const std::string& prefix, const PackRows& rows,
                   const batching::PackOptions& options);

}  // namespace trainsight::cli

#endif  // TRAINSIGHT_CLI_PACK_OUTPUT_H_
