#include "scan/page_codec.h"

#include <snappy.h>
#include <zlib.h>
#include <zstd.h>

#include <cstring>
#include <limits>
#include <optional>

#include "scan/lz4_block.h"

namespace trainsight::scan {
namespace {

bool unsnappy(std::string_view input, std::span<char> output) {
  std::size_t bytes = 0;
  return snappy::GetUncompressedLength(input.data(), input.size(), &bytes) &&
         bytes == output.size() &&
         snappy::RawUncompress(input.data(), input.size(), output.data());
}

bool unlz4(std::string_view input, std::span<char> output) {
  const std::optional<std::size_t> bytes =
      decompress_lz4_block(input, output, 0);
  return bytes == output.size();
}

std::uint32_t little32(std::string_view bytes, std::size_t at) {
  std::uint32_t value = 0;
  std::memcpy(&value, bytes.data() + at, 4);
  return value;
}

// LZ4 frames, one after the other. Checksums are passed over: the formats that
// hold these blocks check by sizes alone. Source: "LZ4 Frame Format
// Description", sections "General Structure" and "Frame Descriptor".
bool unlz4_frame(std::string_view input, std::span<char> output) {
  constexpr std::uint32_t kMagic = 0x184D2204;
  constexpr std::uint32_t kUncompressed = 0x80000000;
  std::size_t to = 0;
  std::size_t at = 0;
  while (at < input.size()) {
    if (input.size() - at < 7 || little32(input, at) != kMagic) return false;
    const auto flags = static_cast<std::uint8_t>(input[at + 4]);
    const bool block_checksum = (flags & 0x10) != 0;
    const bool content_size = (flags & 0x08) != 0;
    const bool content_checksum = (flags & 0x04) != 0;
    const bool dictionary = (flags & 0x01) != 0;
    if ((flags >> 6) != 1 || dictionary) return false;
    at += content_size ? 15 : 7;
    const std::size_t frame_begin = to;
    while (true) {
      if (at > input.size() || input.size() - at < 4) return false;
      const std::uint32_t header = little32(input, at);
      at += 4;
      if (header == 0) break;
      const std::size_t bytes = header & ~kUncompressed;
      if (bytes > input.size() - at) return false;
      const std::string_view block = input.substr(at, bytes);
      at += bytes + (block_checksum ? 4 : 0);
      if ((header & kUncompressed) != 0) {
        if (bytes > output.size() - to) return false;
        if (bytes > 0) std::memcpy(output.data() + to, block.data(), bytes);
        to += bytes;
      } else {
        const std::optional<std::size_t> written = decompress_lz4_block(
            block, output.subspan(frame_begin), to - frame_begin);
        if (!written) return false;
        to += *written;
      }
    }
    if (content_checksum) at += 4;
  }
  return at == input.size() && to == output.size();
}

}  // namespace

struct BlockDecompressor::State {
  State() = default;
  ~State() {
    ZSTD_freeDCtx(zstd);
    if (inflate_ready) inflateEnd(&inflate_stream);
  }
  State(const State&) = delete;
  State& operator=(const State&) = delete;

  bool unzstd(std::string_view input, std::span<char> output) {
    if (zstd == nullptr) zstd = ZSTD_createDCtx();
    if (zstd == nullptr) return false;
    const std::size_t bytes = ZSTD_decompressDCtx(
        zstd, output.data(), output.size(), input.data(), input.size());
    return ZSTD_isError(bytes) == 0 && bytes == output.size();
  }

  bool gunzip(std::string_view input, std::span<char> output) {
    constexpr int kGzipOrZlib = 15 + 32;
    if (!inflate_ready) {
      inflate_ready = inflateInit2(&inflate_stream, kGzipOrZlib) == Z_OK;
    }
    constexpr std::size_t kMost = std::numeric_limits<uInt>::max();
    if (!inflate_ready || inflateReset(&inflate_stream) != Z_OK ||
        input.size() > kMost || output.size() > kMost) {
      return false;
    }
    // zlib takes a pointer to non-const bytes, which it only reads.
    inflate_stream.next_in =
        reinterpret_cast<Bytef*>(const_cast<char*>(input.data()));
    inflate_stream.avail_in = static_cast<uInt>(input.size());
    inflate_stream.next_out = reinterpret_cast<Bytef*>(output.data());
    inflate_stream.avail_out = static_cast<uInt>(output.size());
    return inflate(&inflate_stream, Z_FINISH) == Z_STREAM_END &&
           inflate_stream.avail_out == 0;
  }

  ZSTD_DCtx* zstd = nullptr;
  z_stream inflate_stream{};
  bool inflate_ready = false;
};

BlockDecompressor::BlockDecompressor() : state_(std::make_unique<State>()) {}
BlockDecompressor::~BlockDecompressor() = default;
BlockDecompressor::BlockDecompressor(BlockDecompressor&&) noexcept = default;
BlockDecompressor& BlockDecompressor::operator=(BlockDecompressor&&) noexcept =
    default;

bool BlockDecompressor::decompress(BlockCodec codec, std::string_view input,
                                   std::span<char> output) {
  switch (codec) {
    case BlockCodec::kSnappy:
      return unsnappy(input, output);
    case BlockCodec::kGzip:
      return state_->gunzip(input, output);
    case BlockCodec::kZstd:
      return state_->unzstd(input, output);
    case BlockCodec::kLz4Raw:
      return unlz4(input, output);
    case BlockCodec::kLz4Frame:
      return unlz4_frame(input, output);
  }
  return false;
}

}  // namespace trainsight::scan
