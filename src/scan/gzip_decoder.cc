// gzip members through zlib, which checks each member's CRC and length.
#include <zlib.h>

#include <algorithm>
#include <limits>

#include "scan/decompressing_source.h"

namespace trainsight::scan {
namespace {

constexpr int kGzipWindowBits = 15 + 16;  // 32 KiB, with a gzip header

class GzipDecoder final : public StreamDecoder {
 public:
  GzipDecoder() : ready_(inflateInit2(&stream_, kGzipWindowBits) == Z_OK) {}
  ~GzipDecoder() override {
    if (ready_) inflateEnd(&stream_);
  }
  GzipDecoder(const GzipDecoder&) = delete;
  GzipDecoder& operator=(const GzipDecoder&) = delete;

  [[nodiscard]] const char* format() const override { return "gzip"; }

  [[nodiscard]] bool starts_member(std::string_view head) const override {
    return head.substr(0, 2) == "\x1f\x8b";
  }

  void start_member() override {
    if (ready_) inflateReset(&stream_);
  }

  DecodeOutcome decode(std::string_view& input,
                       std::span<char>& output) override {
    if (!ready_) return DecodeOutcome::kTooLarge;
    const std::size_t most = std::numeric_limits<uInt>::max();
    const std::size_t in_bytes = std::min(input.size(), most);
    const std::size_t out_bytes = std::min(output.size(), most);
    // zlib takes a pointer to non-const bytes, which it only reads.
    stream_.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(input.data()));
    stream_.avail_in = static_cast<uInt>(in_bytes);
    stream_.next_out = reinterpret_cast<Bytef*>(output.data());
    stream_.avail_out = static_cast<uInt>(out_bytes);
    const int code = inflate(&stream_, Z_NO_FLUSH);
    input.remove_prefix(in_bytes - stream_.avail_in);
    output = output.subspan(out_bytes - stream_.avail_out);
    switch (code) {
      case Z_OK:
      case Z_BUF_ERROR:  // no progress without more input or room
        return DecodeOutcome::kMore;
      case Z_STREAM_END:
        return DecodeOutcome::kMemberEnd;
      case Z_NEED_DICT:
        return DecodeOutcome::kUnsupported;
      case Z_MEM_ERROR:
        return DecodeOutcome::kTooLarge;
      default:
        return DecodeOutcome::kCorrupt;
    }
  }

  [[nodiscard]] std::string fault() const override {
    return stream_.msg == nullptr ? "unknown fault" : stream_.msg;
  }

 private:
  z_stream stream_{};
  bool ready_;
};

}  // namespace

std::unique_ptr<StreamDecoder> make_gzip_decoder() {
  return std::make_unique<GzipDecoder>();
}

}  // namespace trainsight::scan
