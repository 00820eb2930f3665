// Megatron-LM indexed data sets: the lengths in a .idx, without its .bin.
//
// Every sequence is a row {"input_ids": numbers} of which only the number of
// elements is known (Value::data is null). The .bin is not needed and not
// looked for. `line` of a row is its number from 1, `offset` that of its length
// in the index.
//
// Layout, little-endian: "MMIDIDX\0\0" · version (uint64, 1) · type code
// (uint8) · sequences (uint64) · documents (uint64) · lengths (int32 each) ·
// positions in the .bin (int64 each) · first sequences of documents (int64
// each) · modes (int8 each, multimodal only).
// Source: NVIDIA Megatron-LM, megatron/core/datasets/indexed_dataset.py.
#ifndef TRAINSIGHT_SCAN_MEGATRON_READER_H_
#define TRAINSIGHT_SCAN_MEGATRON_READER_H_

#include <memory>

#include "trainsight/scan/format_table.h"

namespace trainsight::scan {

/// kCertain for the signature, and that of the old format (refused on open).
Likeness sniff_megatron(const FileHead& head);

/// Errors: kUnsupported for the old format "TNTIDX" and unknown versions and
/// types; kCorrupt for an index that is cut.
Result<std::unique_ptr<Reader>> open_megatron(
    std::unique_ptr<io::ByteSource> source, const ReadOptions& options);

}  // namespace trainsight::scan

#endif  // TRAINSIGHT_SCAN_MEGATRON_READER_H_
