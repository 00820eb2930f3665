// Zstandard frames through libzstd, which skips skippable frames and checks
// content checksums where a frame has one.
#include <zstd.h>
#include <zstd_errors.h>

#include "scan/decompressing_source.h"

namespace trainsight::scan {
namespace {

// 128 MiB, what `zstd --long` writes by default; larger windows need flags on
// the command line of zstd itself.
constexpr int kWindowLogMax = 27;

class ZstdDecoder final : public StreamDecoder {
 public:
  ZstdDecoder() : stream_(ZSTD_createDStream()) {
    if (stream_ != nullptr) {
      ZSTD_DCtx_setParameter(stream_, ZSTD_d_windowLogMax, kWindowLogMax);
    }
  }
  ~ZstdDecoder() override { ZSTD_freeDStream(stream_); }
  ZstdDecoder(const ZstdDecoder&) = delete;
  ZstdDecoder& operator=(const ZstdDecoder&) = delete;

  [[nodiscard]] const char* format() const override { return "zstd"; }

  [[nodiscard]] bool starts_member(std::string_view head) const override {
    return compression_of(head) == Compression::kZstd;
  }

  void start_member() override {
    if (stream_ != nullptr) {
      ZSTD_DCtx_reset(stream_, ZSTD_reset_session_only);
    }
  }

  DecodeOutcome decode(std::string_view& input,
                       std::span<char>& output) override {
    if (stream_ == nullptr) return DecodeOutcome::kTooLarge;
    ZSTD_inBuffer in{input.data(), input.size(), 0};
    ZSTD_outBuffer out{output.data(), output.size(), 0};
    const std::size_t code = ZSTD_decompressStream(stream_, &out, &in);
    input.remove_prefix(in.pos);
    output = output.subspan(out.pos);
    if (ZSTD_isError(code) == 0) {
      return code == 0 ? DecodeOutcome::kMemberEnd : DecodeOutcome::kMore;
    }
    fault_ = code;
    switch (ZSTD_getErrorCode(code)) {
      case ZSTD_error_frameParameter_windowTooLarge:
      case ZSTD_error_memory_allocation:
        return DecodeOutcome::kTooLarge;
      case ZSTD_error_dictionary_wrong:
        return DecodeOutcome::kUnsupported;
      default:
        return DecodeOutcome::kCorrupt;
    }
  }

  [[nodiscard]] std::string fault() const override {
    return ZSTD_getErrorName(fault_);
  }

 private:
  ZSTD_DStream* stream_;
  std::size_t fault_ = 0;
};

}  // namespace

std::unique_ptr<StreamDecoder> make_zstd_decoder() {
  return std::make_unique<ZstdDecoder>();
}

}  // namespace trainsight::scan
