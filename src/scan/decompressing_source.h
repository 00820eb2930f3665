// DecompressingSource: the decompressed bytes of a gzip or zstd file, in order.
//
// A ByteSource over another one: it is never mapped, read() inflates straight
// into the caller's buffer, and memory stays at one input buffer plus what the
// format itself needs (32 KiB of window for gzip; up to 128 MiB for a zstd
// frame that asks for it, 8 MiB for what zstd -19 writes).
//
// Several members (gzip) or frames (zstd) one after the other are one stream,
// as in `cat a.gz b.gz` and in what pigz, bgzip and pzstd write. A fault in the
// middle is an error of the read() after the last good bytes, so that the rows
// before it are still given.
//
// Sources: RFC 1952 (gzip file format 4.3), section 2.2; RFC 8878 (Zstandard),
// sections 3 and 3.1. Thread-safety: one thread at a time.
#ifndef TRAINSIGHT_SCAN_DECOMPRESSING_SOURCE_H_
#define TRAINSIGHT_SCAN_DECOMPRESSING_SOURCE_H_

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "trainsight/core/result.h"
#include "trainsight/io/byte_source.h"
#include "trainsight/scan/reader.h"

namespace trainsight::scan {

enum class Compression : std::uint8_t { kNone, kGzip, kZstd };

/// The compression that the first bytes of a file tell; names do not count.
Compression compression_of(std::string_view head);

/// What one call of a StreamDecoder came to.
enum class DecodeOutcome : std::uint8_t {
  kMore,         ///< wants more input, or more room for output
  kMemberEnd,    ///< the member or frame is complete
  kCorrupt,      ///< bytes that contradict the format
  kTooLarge,     ///< asks for more memory than the limit
  kUnsupported,  ///< needs a preset dictionary, which no file carries
};

/// One compression format, member by member. Internal to this file pair.
class StreamDecoder {
 public:
  virtual ~StreamDecoder() = default;
  [[nodiscard]] virtual const char* format() const = 0;
  /// Whether `head` (at least 4 bytes, fewer at the end) begins a member.
  [[nodiscard]] virtual bool starts_member(std::string_view head) const = 0;
  virtual void start_member() = 0;
  /// Decodes from the front of `input` into `output`; both shrink by what was
  /// used.
  virtual DecodeOutcome decode(std::string_view& input,
                               std::span<char>& output) = 0;
  /// What was wrong, after kCorrupt; lower case.
  [[nodiscard]] virtual std::string fault() const = 0;
};

class DecompressingSource final : public io::ByteSource {
 public:
  DecompressingSource(std::unique_ptr<io::ByteSource> stored,
                      std::unique_ptr<StreamDecoder> decoder,
                      const ReadOptions& options);
  ~DecompressingSource() override;

  [[nodiscard]] const std::string& name() const override;
  [[nodiscard]] bool is_mapped() const override { return false; }
  [[nodiscard]] std::uint64_t size() const override { return 0; }
  [[nodiscard]] std::string_view view(std::uint64_t,
                                      std::uint64_t) const override {
    return {};
  }
  /// Errors: kCorrupt (cut or damaged), kLimit (a bomb, or a window over 128
  /// MiB), kUnsupported (preset dictionary), and those of the stored file. An
  /// error is final: every later read() gives it again.
  Result<std::size_t> read(std::span<char> buffer) override;
  void release(std::uint64_t, std::uint64_t) const override {}
  [[nodiscard]] Status check() const override;

  /// kSecondMember and kTrailingGarbage; complete after the end.
  [[nodiscard]] const std::vector<FileNote>& notes() const { return notes_; }
  /// Bytes of the stored file used so far.
  [[nodiscard]] std::uint64_t stored_bytes() const { return stored_bytes_; }

 private:
  Status fill(std::size_t wanted);
  Status begin_member();
  Status step(std::span<char>& output);
  Error fault(ErrorKind kind, const std::string& what, std::string hint) const;
  void consume(std::size_t bytes);
  void end_with_garbage();

  std::unique_ptr<io::ByteSource> stored_;
  std::unique_ptr<StreamDecoder> decoder_;
  std::uint64_t max_expansion_ratio_;
  std::uint64_t expansion_floor_bytes_;
  std::vector<char> buffer_;   // of a stored file that is not mapped
  std::string_view input_;     // not yet decoded
  std::uint64_t fetched_ = 0;  // of a mapped stored file
  std::uint64_t released_ = 0;
  std::uint64_t stored_bytes_ = 0;
  std::uint64_t produced_bytes_ = 0;
  std::uint64_t members_ = 0;
  bool in_member_ = false;
  bool stored_ended_ = false;
  bool ended_ = false;
  std::optional<Error> error_;
  std::vector<FileNote> notes_;
};

/// A source of the decompressed bytes of `stored`, which holds `compression`
/// (not kNone). Nothing is read yet.
std::unique_ptr<DecompressingSource> make_decompressing_source(
    std::unique_ptr<io::ByteSource> stored, Compression compression,
    const ReadOptions& options);

std::unique_ptr<StreamDecoder> make_gzip_decoder();
std::unique_ptr<StreamDecoder> make_zstd_decoder();

}  // namespace trainsight::scan

#endif  // TRAINSIGHT_SCAN_DECOMPRESSING_SOURCE_H_
