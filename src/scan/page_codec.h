// Decompression of one block whose size is known, for columnar formats.
#ifndef TRAINSIGHT_SCAN_PAGE_CODEC_H_
#define TRAINSIGHT_SCAN_PAGE_CODEC_H_

#include <cstdint>
#include <memory>
#include <span>
#include <string_view>

namespace trainsight::scan {

enum class BlockCodec : std::uint8_t {
  kSnappy,
  kGzip,  ///< gzip or zlib framing
  kZstd,
  kLz4Raw,    ///< one LZ4 block
  kLz4Frame,  ///< LZ4 frames
};

/// Decompresses blocks, keeping the codec's own state between them.
/// Not thread-safe.
class BlockDecompressor {
 public:
  BlockDecompressor();
  ~BlockDecompressor();
  BlockDecompressor(BlockDecompressor&&) noexcept;
  BlockDecompressor& operator=(BlockDecompressor&&) noexcept;

  /// Fills `output` completely; false when `input` is damaged or holds another
  /// number of bytes.
  bool decompress(BlockCodec codec, std::string_view input,
                  std::span<char> output);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace trainsight::scan

#endif  // TRAINSIGHT_SCAN_PAGE_CODEC_H_
