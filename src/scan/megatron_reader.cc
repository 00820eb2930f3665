#include "scan/megatron_reader.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <optional>
#include <utility>

#include "scan/byte_window.h"
#include "scan/tape_finish.h"

namespace trainsight::scan {
namespace {

constexpr std::string_view kMagic("MMIDIDX\0\0", 9);
constexpr std::string_view kOldMagic("TNTIDX\0\0", 8);
constexpr std::size_t kHeaderBytes = 34;
constexpr std::size_t kLengthBytes = 4;
constexpr std::size_t kPositionBytes = 8;
// Keeps what a batch's rows come to small, whatever the chunk size.
constexpr std::uint64_t kMaxBatchRows = 1 << 18;

std::uint64_t little64(std::string_view bytes, std::size_t at) {
  std::uint64_t value = 0;
  std::memcpy(&value, bytes.data() + at, 8);
  return value;
}

// By the index's type codes.
std::optional<NumberStorage> storage_of(std::uint8_t code) {
  switch (code) {
    case 1:
      return NumberStorage::kUint8;
    case 2:
      return NumberStorage::kInt8;
    case 3:
      return NumberStorage::kInt16;
    case 4:
      return NumberStorage::kInt32;
    case 5:
      return NumberStorage::kInt64;
    case 6:
      return NumberStorage::kDouble;
    case 7:
      return NumberStorage::kFloat;
    case 8:
      return NumberStorage::kUint16;
    default:
      return std::nullopt;
  }
}

class MegatronBatch final : public RowBatch {
 public:
  MegatronBatch(ByteWindow::Piece lengths, NumberStorage storage,
                const io::ByteSource& source)
      : lengths_(std::move(lengths)), source_(source) {
    tape_[0].kind = ValueKind::kObject;
    tape_[0].count = 1;
    tape_[0].next = 2;
    tape_[1].key = "input_ids";
    tape_[1].kind = ValueKind::kNumbers;
    tape_[1].storage = storage;
    tape_[1].next = 2;
    FinishScratch scratch;
    view_.skeleton = finish_tape(tape_, scratch);
    view_.values = tape_;
  }

  Result<BatchFacts> decode(DecodeScratch&, RowVisitor& visitor) override {
    const std::uint64_t rows = lengths_.bytes.size() / kLengthBytes;
    for (std::uint64_t row = 0; row < rows; ++row) {
      std::int32_t length = 0;
      std::memcpy(&length, lengths_.bytes.data() + row * kLengthBytes,
                  kLengthBytes);
      const std::uint64_t offset = lengths_.offset + row * kLengthBytes;
      if (length < 0) {
        BadRecord bad;
        bad.line = row + 1;
        bad.offset = offset;
        bad.bytes = kLengthBytes;
        bad.message = fmt::format("a sequence of {} tokens", length);
        visitor.bad_record(bad);
        continue;
      }
      tape_[1].count = static_cast<std::uint32_t>(length);
      view_.line = row + 1;
      view_.row = row;
      view_.offset = offset;
      visitor.row(view_);
    }
    const Status unchanged = source_.check();
    if (!unchanged) return unchanged.error();
    BatchFacts facts;
    facts.lines = rows;
    facts.bytes = lengths_.bytes.size();
    return facts;
  }

 private:
  ByteWindow::Piece lengths_;
  const io::ByteSource& source_;
  Value tape_[2];
  RowView view_;
};

class MegatronReader final : public Reader {
 public:
  MegatronReader(std::unique_ptr<io::ByteSource> source,
                 const ReadOptions& options)
      : window_(std::move(source)),
        batch_rows_(std::clamp<std::uint64_t>(
            options.chunk_bytes / (kLengthBytes + kPositionBytes), 1,
            kMaxBatchRows)) {}

  Status start() {
    const Result<std::string_view> front = window_.peek(kHeaderBytes);
    if (!front) return front.error();
    if (front->substr(0, kOldMagic.size()) == kOldMagic) {
      return fault(ErrorKind::kUnsupported,
                   "an index of the old format TNTIDX, which does not hold "
                   "lengths of sequences",
                   "convert the data with Megatron-LM's preprocess_data.py");
    }
    if (front->size() < kHeaderBytes) return cut();
    const std::uint64_t version = little64(*front, kMagic.size());
    if (version != 1) {
      return fault(ErrorKind::kUnsupported,
                   fmt::format("an index of version {}", version), "");
    }
    const auto code = static_cast<std::uint8_t>((*front)[17]);
    const std::optional<NumberStorage> storage = storage_of(code);
    if (!storage) {
      return fault(ErrorKind::kUnsupported,
                   fmt::format("an index of type code {}", code), "");
    }
    storage_ = *storage;
    left_ = little64(*front, 18);
    const std::uint64_t documents = little64(*front, 26);
    window_.take(kHeaderBytes);
    const io::ByteSource& source = window_.source();
    if (!source.is_mapped()) return {};
    const std::uint64_t room = source.size() - kHeaderBytes;
    const std::uint64_t a_sequence = kLengthBytes + kPositionBytes;
    if (left_ > room / a_sequence ||
        documents > (room - left_ * a_sequence) / kPositionBytes) {
      return cut();
    }
    return {};
  }

  Result<std::unique_ptr<RowBatch>> next() override {
    if (!started_) {
      started_ = true;
      const Status status = start();
      if (!status) return status.error();
    }
    if (left_ == 0) return std::unique_ptr<RowBatch>();
    const std::uint64_t rows = std::min(left_, batch_rows_);
    const auto bytes = static_cast<std::size_t>(rows * kLengthBytes);
    const Result<std::string_view> front = window_.peek(bytes);
    if (!front) return front.error();
    if (front->size() < bytes) {
      if (!window_.fault()) return window_.fault().error();
      return cut();
    }
    left_ -= rows;
    return std::unique_ptr<RowBatch>(std::make_unique<MegatronBatch>(
        window_.take(bytes), storage_, window_.source()));
  }
  [[nodiscard]] const std::vector<FileNote>& notes() const override {
    return notes_;
  }
  [[nodiscard]] std::string_view format() const override { return "megatron"; }
  [[nodiscard]] std::uint64_t bytes_read() const override {
    return window_.offset();
  }

 private:
  [[nodiscard]] Error fault(ErrorKind kind, const std::string& what,
                            std::string hint) const {
    return Error{
        kind, fmt::format("cannot read {}: {}", window_.source().name(), what),
        std::move(hint)};
  }
  [[nodiscard]] Error cut() const {
    return fault(ErrorKind::kCorrupt,
                 "the index is shorter than its header says",
                 "copy or download the file again");
  }

  ByteWindow window_;
  std::uint64_t batch_rows_;
  NumberStorage storage_ = NumberStorage::kUint16;
  std::uint64_t left_ = 0;  // sequences
  bool started_ = false;
  std::vector<FileNote> notes_;
};

}  // namespace

Likeness sniff_megatron(const FileHead& head) {
  return head.bytes.substr(0, kMagic.size()) == kMagic ||
                 head.bytes.substr(0, kOldMagic.size()) == kOldMagic
             ? Likeness::kCertain
             : Likeness::kNo;
}

Result<std::unique_ptr<Reader>> open_megatron(
    std::unique_ptr<io::ByteSource> source, const ReadOptions& options) {
  return std::unique_ptr<Reader>(
      std::make_unique<MegatronReader>(std::move(source), options));
}

}  // namespace trainsight::scan
