#include "scan/decompressing_source.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <utility>

namespace trainsight::scan {
namespace {

// Input is taken in pieces of this size: small beside a batch, large beside a
// system call.
constexpr std::size_t kInputBytes = 256 * 1024;
constexpr std::size_t kMagicBytes = 4;

std::uint32_t little32(std::string_view bytes) {
  std::uint32_t value = 0;
  for (std::size_t i = 0; i < 4; ++i) {
    value |= static_cast<std::uint32_t>(static_cast<unsigned char>(bytes[i]))
             << (8 * i);
  }
  return value;
}

}  // namespace

Compression compression_of(std::string_view head) {
  // RFC 1952: ID1, ID2, and CM = 8 (deflate), the only method there is.
  if (head.substr(0, 3) == "\x1f\x8b\x08") return Compression::kGzip;
  if (head.size() < 4) return Compression::kNone;
  const std::uint32_t magic = little32(head);
  const bool skippable = (magic & 0xFFFFFFF0u) == 0x184D2A50u;
  if (magic == 0xFD2FB528u || skippable) return Compression::kZstd;
  return Compression::kNone;
}

std::unique_ptr<DecompressingSource> make_decompressing_source(
    std::unique_ptr<io::ByteSource> stored, Compression compression,
    const ReadOptions& options) {
  return std::make_unique<DecompressingSource>(std::move(stored),
                                               compression == Compression::kZstd
                                                   ? make_zstd_decoder()
                                                   : make_gzip_decoder(),
                                               options);
}

DecompressingSource::DecompressingSource(std::unique_ptr<io::ByteSource> stored,
                                         std::unique_ptr<StreamDecoder> decoder,
                                         const ReadOptions& options)
    : stored_(std::move(stored)),
      decoder_(std::move(decoder)),
      max_expansion_ratio_(options.max_expansion_ratio),
      expansion_floor_bytes_(options.expansion_floor_bytes) {}

DecompressingSource::~DecompressingSource() = default;

const std::string& DecompressingSource::name() const { return stored_->name(); }

Status DecompressingSource::check() const { return stored_->check(); }

// Makes `input_` hold at least `wanted` bytes, or all that are left.
Status DecompressingSource::fill(std::size_t wanted) {
  if (input_.size() >= wanted || stored_ended_) return {};
  if (stored_->is_mapped()) {
    // The mapping is contiguous, so a longer view holds the rest as well.
    const std::uint64_t start = fetched_ - input_.size();
    input_ = stored_->view(start, input_.size() + kInputBytes);
    fetched_ = start + input_.size();
    stored_ended_ = fetched_ >= stored_->size();
    stored_->release(released_, start);
    released_ = start;
    return {};
  }
  const std::size_t left = input_.size();
  if (buffer_.empty()) buffer_.resize(kInputBytes + kMagicBytes);
  if (left > 0) std::memmove(buffer_.data(), input_.data(), left);
  std::size_t end = left;
  while (end < std::max(wanted, left + 1)) {
    const Result<std::size_t> got =
        stored_->read(std::span<char>(buffer_).subspan(end));
    if (!got) return got.error();
    if (*got == 0) {
      stored_ended_ = true;
      break;
    }
    end += *got;
  }
  input_ = std::string_view(buffer_.data(), end);
  return {};
}

void DecompressingSource::consume(std::size_t bytes) {
  input_.remove_prefix(bytes);
  stored_bytes_ += bytes;
}

Error DecompressingSource::fault(ErrorKind kind, const std::string& what,
                                 std::string hint) const {
  return Error{kind, fmt::format("cannot read {}: {}", name(), what),
               std::move(hint)};
}

void DecompressingSource::end_with_garbage() {
  notes_.push_back({FileNote::Kind::kTrailingGarbage, 0, stored_bytes_,
                    fmt::format("bytes after the end of the {} stream that "
                                "are no {} data: they are not read",
                                decoder_->format(), decoder_->format())});
  ended_ = true;
}

// Between members: begins the next one or ends the stream.
Status DecompressingSource::begin_member() {
  Status filled = fill(kMagicBytes);
  if (!filled) return filled;
  // Tape blocks and some uploaders pad with NUL bytes, which gzip ignores.
  while (members_ > 0 && !input_.empty() && input_.front() == '\0') {
    const std::size_t other = input_.find_first_not_of('\0');
    consume(std::min(other, input_.size()));
    filled = fill(kMagicBytes);
    if (!filled) return filled;
  }
  if (input_.empty()) {
    ended_ = true;
    return {};
  }
  if (!decoder_->starts_member(input_)) {
    if (members_ == 0) {
      return fault(ErrorKind::kCorrupt,
                   fmt::format("it is no {} data", decoder_->format()), "");
    }
    end_with_garbage();
    return {};
  }
  if (++members_ == 2) {
    notes_.push_back(
        {FileNote::Kind::kSecondMember, 0, stored_bytes_,
         fmt::format("several {} streams one after the other: readers that "
                     "stop after the first lose rows",
                     decoder_->format())});
  }
  decoder_->start_member();
  in_member_ = true;
  return {};
}

Status DecompressingSource::step(std::span<char>& output) {
  if (!in_member_) return begin_member();
  Status filled = fill(1);
  if (!filled) return filled;
  if (input_.empty()) {
    return fault(
        ErrorKind::kCorrupt,
        fmt::format("the {} stream is cut after {} bytes ({} decompressed)",
                    decoder_->format(), stored_bytes_, produced_bytes_),
        "copy or download the file again: its end is missing");
  }
  const std::size_t input_before = input_.size();
  const std::size_t room_before = output.size();
  const DecodeOutcome outcome = decoder_->decode(input_, output);
  stored_bytes_ += input_before - input_.size();
  produced_bytes_ += room_before - output.size();
  if (outcome == DecodeOutcome::kMemberEnd) in_member_ = false;
  if (outcome == DecodeOutcome::kCorrupt) {
    return fault(
        ErrorKind::kCorrupt,
        fmt::format("damaged {} data before byte {}: {}", decoder_->format(),
                    stored_bytes_, decoder_->fault()),
        "copy or download the file again");
  }
  if (outcome == DecodeOutcome::kTooLarge) {
    return fault(
        ErrorKind::kLimit,
        fmt::format("its {} window is over 128 MiB", decoder_->format()),
        "compress it without --ultra and --long");
  }
  if (outcome == DecodeOutcome::kUnsupported) {
    return fault(
        ErrorKind::kUnsupported,
        fmt::format("its {} data need a preset dictionary", decoder_->format()),
        "decompress it with the tool and dictionary that wrote it");
  }
  if (produced_bytes_ > expansion_floor_bytes_ &&
      produced_bytes_ / max_expansion_ratio_ > stored_bytes_) {
    return fault(ErrorKind::kLimit,
                 fmt::format("{} stored bytes grew to over {} bytes, more "
                             "than {} times: a decompression bomb",
                             stored_bytes_, expansion_floor_bytes_,
                             max_expansion_ratio_),
                 "decompress it first if the file is meant to be like this");
  }
  return {};
}

Result<std::size_t> DecompressingSource::read(std::span<char> buffer) {
  if (error_) return *error_;
  std::span<char> output = buffer;
  while (!output.empty() && !ended_) {
    const Status status = step(output);
    if (status) continue;
    // A file that was cut while we read it is changed, not corrupt.
    const Status unchanged = stored_->check();
    error_ = unchanged ? status.error() : unchanged.error();
    const std::size_t before = buffer.size() - output.size();
    if (before > 0) return before;
    return *error_;
  }
  return buffer.size() - output.size();
}

}  // namespace trainsight::scan
