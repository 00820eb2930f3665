#include "scan/arrow_reader.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <optional>
#include <utility>

#include "scan/arrow_array.h"
#include "scan/arrow_rows.h"
#include "scan/arrow_schema.h"
#include "scan/byte_window.h"
#include "scan/flatbuffer_view.h"
#include "scan/row_builder.h"

namespace trainsight::scan {
namespace {

constexpr std::string_view kMagic = "ARROW1";
constexpr std::size_t kMagicBytes = 8;  // with padding
constexpr std::uint32_t kContinuation = 0xFFFFFFFF;
constexpr std::uint64_t kMaxMetadataBytes = 256u << 20;
// Of a stream, whose body is held in memory; a mapped one is bounded by itself.
constexpr std::uint64_t kMaxStreamedBodyBytes = std::uint64_t{1} << 31;

// Dictionaries stay in memory as long as the file is read.
constexpr std::uint64_t kMaxDictionaryBytes = std::uint64_t{1} << 30;
constexpr std::uint64_t kMaxDictionaryParts = 10'000;

// Of the union MessageHeader.
enum MessageKind : std::uint8_t {
  kSchema = 1,
  kDictionaryBatch = 2,
  kRecordBatch = 3,
};

std::uint32_t little32(std::string_view bytes) {
  std::uint32_t value = 0;
  std::memcpy(&value, bytes.data(), 4);
  return value;
}

Error corrupt(const std::string& what) {
  return Error{ErrorKind::kCorrupt, what, "copy or download the file again"};
}

/// One message: its metadata and body, which keep what they point to.
struct Message {
  std::uint8_t kind = 0;
  ByteWindow::Piece metadata;
  ByteWindow::Piece body;
  std::optional<FlatTable> header;  ///< of the kind's own table
};

/// What the batches of one file share; does not change once they exist.
struct ArrowFile {
  std::string name;
  ReadOptions options;
  std::vector<arrow::Field> fields;
  const io::ByteSource* source = nullptr;

  [[nodiscard]] Error named(const Error& error) const {
    const Status unchanged = source->check();
    if (!unchanged) return unchanged.error();
    return error.with_context("cannot read " + name);
  }
  [[nodiscard]] std::vector<const arrow::Field*> columns() const {
    std::vector<const arrow::Field*> all;
    for (const arrow::Field& field : fields) all.push_back(&field);
    return all;
  }
  [[nodiscard]] bool is_bomb(std::uint64_t amount, std::uint64_t stored) const {
    return amount > options.expansion_floor_bytes &&
           amount / options.max_expansion_ratio > stored;
  }
};

class ArrowBatch final : public RowBatch {
 public:
  ArrowBatch(const ArrowFile& file, std::shared_ptr<const Message> message,
             std::shared_ptr<const arrow::Dictionaries> dictionaries,
             std::uint64_t begin, std::uint64_t end, std::uint64_t rows)
      : file_(file),
        message_(std::move(message)),
        dictionaries_(std::move(dictionaries)),
        begin_(begin),
        end_(end),
        rows_(rows) {}

  Result<BatchFacts> decode(DecodeScratch&, RowVisitor& visitor) override {
    BlockDecompressor decompressor;
    const Result<arrow::Arrays> arrays =
        arrow::make_arrays(*message_->header, message_->body.bytes,
                           file_.columns(), false, file_.options, decompressor);
    if (!arrays) return file_.named(arrays.error());
    arrow::RowReader reader(*arrays, *dictionaries_);
    RowBuilder builder(file_.options);
    const std::uint64_t stored = message_->body.bytes.size();
    std::uint64_t given = 0;
    for (std::uint64_t row = begin_; row < end_; ++row) {
      builder.clear();
      const Status status = reader.add_row(row, builder);
      if (!status) return file_.named(status.error());
      given += builder.bytes() + builder.values();
      if (file_.is_bomb(given, stored)) {
        return file_.named(
            Error{ErrorKind::kLimit,
                  fmt::format("a record batch of {} bytes holds over {}",
                              stored, given),
                  ""});
      }
      builder.give(row - begin_, message_->body.offset, visitor);
    }
    const Status unchanged = file_.source->check();
    if (!unchanged) return unchanged.error();
    BatchFacts facts;
    facts.lines = end_ - begin_;
    facts.bytes = part(end_) - part(begin_);
    if (file_.source->is_mapped() && end_ == rows_) {
      file_.source->release(message_->metadata.offset,
                            message_->body.offset + stored);
    }
    return facts;
  }

 private:
  // Of the message's bytes, the rows' share; the shares add up to the whole.
  [[nodiscard]] std::uint64_t part(std::uint64_t row) const {
    const std::size_t bytes =
        message_->metadata.bytes.size() + message_->body.bytes.size();
    return static_cast<std::uint64_t>(
        static_cast<double>(bytes) *
        (static_cast<double>(row) / static_cast<double>(rows_)));
  }

  const ArrowFile& file_;
  std::shared_ptr<const Message> message_;
  std::shared_ptr<const arrow::Dictionaries> dictionaries_;
  std::uint64_t begin_;
  std::uint64_t end_;
  std::uint64_t rows_;  // of the record batch
};

/// Takes messages off the front of a window.
class MessageStream {
 public:
  explicit MessageStream(ByteWindow& window) : window_(window) {}

  /// The next message; nullopt at the end of the stream.
  Result<std::optional<Message>> next() {
    Result<std::uint64_t> size = metadata_bytes();
    if (!size) return size.error();
    if (*size == 0) return std::optional<Message>();
    Message message;
    Status taken = take(*size, message.metadata);
    if (!taken) return taken.error();
    const std::optional<FlatTable> root =
        FlatTable::root(message.metadata.bytes);
    if (!root) return corrupt("a damaged message");
    message.kind = root->scalar<std::uint8_t>(1, 0);
    message.header = root->table(2);
    const auto body = root->scalar<std::int64_t>(3, 0);
    if (body < 0 || !message.header) return corrupt("a damaged message");
    const auto bytes = static_cast<std::uint64_t>(body);
    if (!window_.source().is_mapped() && bytes > kMaxStreamedBodyBytes) {
      return Error{ErrorKind::kLimit,
                   fmt::format("a record batch of {} bytes in a stream", bytes),
                   "write it to a file first"};
    }
    taken = take(bytes, message.body);
    if (!taken) return taken.error();
    return std::optional<Message>(std::move(message));
  }

 private:
  // 0 at the end: an end-of-stream mark, or no bytes any more.
  Result<std::uint64_t> metadata_bytes() {
    const Result<std::string_view> front = window_.peek(8);
    if (!front) return front.error();
    if (front->size() < 4) {
      if (!window_.fault()) return window_.fault().error();
      if (!front->empty()) return corrupt("it is cut in a message");
      return std::uint64_t{0};
    }
    std::uint32_t size = little32(*front);
    std::size_t prefix = 4;  // before 0.15 a message began with its size
    if (size == kContinuation) {
      if (front->size() < 8) return corrupt("it is cut in a message");
      size = little32(front->substr(4));
      prefix = 8;
    }
    if (size > kMaxMetadataBytes) return corrupt("a damaged message");
    window_.take(prefix);
    return std::uint64_t{size};
  }

  Status take(std::uint64_t bytes, ByteWindow::Piece& piece) {
    const Result<std::string_view> front = window_.peek(bytes);
    if (!front) return front.error();
    if (front->size() < bytes) {
      if (!window_.fault()) return window_.fault().error();
      return corrupt(fmt::format("it is cut: {} bytes of a message are missing",
                                 bytes - front->size()));
    }
    piece = window_.take(bytes);
    return {};
  }

  ByteWindow& window_;
};

class ArrowReader final : public Reader {
 public:
  ArrowReader(std::unique_ptr<io::ByteSource> source,
              const ReadOptions& options)
      : window_(std::move(source)),
        messages_(window_),
        dictionaries_(std::make_shared<const arrow::Dictionaries>()) {
    file_.name = window_.source().name();
    file_.options = options;
    file_.source = &window_.source();
  }

  Result<std::unique_ptr<RowBatch>> next() override {
    if (!started_) {
      started_ = true;
      const Status status = start();
      if (!status) return file_.named(status.error());
    }
    while (begin_ == rows_) {
      const Result<bool> more = next_message();
      if (!more) return file_.named(more.error());
      if (!*more) return std::unique_ptr<RowBatch>();
    }
    const std::uint64_t begin = begin_;
    begin_ = std::min(begin_ + step_, rows_);
    return std::unique_ptr<RowBatch>(std::make_unique<ArrowBatch>(
        file_, message_, dictionaries_, begin, begin_, rows_));
  }
  [[nodiscard]] const std::vector<FileNote>& notes() const override {
    return notes_;
  }
  [[nodiscard]] std::string_view format() const override { return "arrow"; }
  [[nodiscard]] std::uint64_t bytes_read() const override {
    return window_.offset();
  }

 private:
  Status start() {
    const Result<std::string_view> front = window_.peek(kMagicBytes);
    if (!front) return front.error();
    is_file_ = front->substr(0, kMagic.size()) == kMagic;
    if (is_file_ && front->size() == kMagicBytes) window_.take(kMagicBytes);
    Result<std::optional<Message>> message = messages_.next();
    if (!message) return message.error();
    if (!message->has_value() || (*message)->kind != kSchema) {
      return corrupt("it does not begin with a schema");
    }
    Result<std::vector<arrow::Field>> fields =
        arrow::parse_schema(*(*message)->header);
    if (!fields) return fields.error();
    file_.fields = *std::move(fields);
    if (!is_file_ || !window_.source().is_mapped()) return {};
    return collect_dictionaries();
  }

  // In a file they may come behind the record batches that use them.
  Status collect_dictionaries() {
    const bool any = std::any_of(
        file_.fields.begin(), file_.fields.end(),
        [](const arrow::Field& field) { return holds_dictionary(field); });
    if (!any) return {};
    collected_ = true;
    ByteWindow ahead = window_.look_ahead();
    MessageStream messages(ahead);
    while (true) {
      const Result<std::optional<Message>> message = messages.next();
      // A fault is met again, behind the rows before it.
      if (!message || !message->has_value()) return {};
      if ((*message)->kind != kDictionaryBatch) continue;
      const Status added = add_dictionary(**message);
      if (!added) return added;
    }
  }

  static bool holds_dictionary(const arrow::Field& field) {
    return field.dictionary.has_value() ||
           std::any_of(field.children.begin(), field.children.end(),
                       holds_dictionary);
  }

  static const arrow::Field* find_dictionary(
      const std::vector<arrow::Field>& fields, std::int64_t id) {
    for (const arrow::Field& field : fields) {
      if (field.dictionary == id) return &field;
      const arrow::Field* const below = find_dictionary(field.children, id);
      if (below != nullptr) return below;
    }
    return nullptr;
  }

  Status add_dictionary(const Message& message) {
    const auto id = message.header->scalar<std::int64_t>(0, 0);
    const std::optional<FlatTable> data = message.header->table(1);
    const bool is_delta = message.header->boolean(2, false);
    const arrow::Field* const field = find_dictionary(file_.fields, id);
    if (!data || field == nullptr) return corrupt("a damaged dictionary");
    BlockDecompressor decompressor;
    Result<arrow::Arrays> arrays = arrow::make_arrays(
        *data, message.body.bytes, {field}, true, file_.options, decompressor);
    if (!arrays) return arrays.error();
    if (message.body.owner != nullptr) {
      arrays->memory.push_back(message.body.owner);
    }
    dictionary_bytes_ += message.body.bytes.size() + arrays->inflated_bytes;
    if (++dictionary_parts_ > kMaxDictionaryParts ||
        dictionary_bytes_ > kMaxDictionaryBytes) {
      return Error{ErrorKind::kLimit,
                   fmt::format("its dictionaries are over the limit of {} "
                               "parts or {} bytes",
                               kMaxDictionaryParts, kMaxDictionaryBytes),
                   "write it again without dictionary encoding"};
    }
    // A copy, since batches that are being decoded look into the last one.
    arrow::Dictionaries next = *dictionaries_;
    std::vector<arrow::DictionaryPart>& parts = next[id];
    if (!is_delta) parts.clear();
    const std::uint64_t begin =
        parts.empty()
            ? 0
            : parts.back().begin + parts.back().arrays->columns[0].length;
    parts.push_back(
        {begin, std::make_shared<const arrow::Arrays>(*std::move(arrays))});
    dictionaries_ =
        std::make_shared<const arrow::Dictionaries>(std::move(next));
    return {};
  }

  // Takes the next message; false at the end.
  Result<bool> next_message() {
    Result<std::optional<Message>> message = messages_.next();
    if (!message) return message.error();
    begin_ = 0;
    rows_ = 0;
    if (!message->has_value()) return end();
    if ((*message)->kind == kDictionaryBatch) {
      if (collected_) return true;
      const Status added = add_dictionary(**message);
      if (!added) return added.error();
      return true;
    }
    if ((*message)->kind != kRecordBatch) return true;  // kinds to come
    const auto rows = (*message)->header->scalar<std::int64_t>(0, 0);
    const std::uint64_t stored = (*message)->body.bytes.size();
    if (rows < 0) return corrupt("a damaged record batch");
    if (file_.is_bomb(static_cast<std::uint64_t>(rows), stored)) {
      return Error{
          ErrorKind::kLimit,
          fmt::format("a record batch of {} bytes with {} rows", stored, rows),
          ""};
    }
    message_ = std::make_shared<const Message>(*std::move(*message));
    rows_ = static_cast<std::uint64_t>(rows);
    step_ = rows_;
    const bool compressed = message_->header->table(3).has_value();
    const std::uint64_t pieces =
        stored / std::max<std::uint64_t>(file_.options.chunk_bytes, 1);
    if (!compressed && pieces > 1) {
      step_ = std::max<std::uint64_t>((rows_ + pieces - 1) / pieces, 1);
    }
    return true;
  }

  Result<bool> end() {
    if (!is_file_ || !window_.source().is_mapped()) return false;
    const std::uint64_t size = window_.source().size();
    const std::string_view tail =
        window_.source().view(size - kMagic.size(), kMagic.size());
    if (tail == kMagic) return false;
    return corrupt("it is cut: an Arrow file ends with its signature");
  }

  ByteWindow window_;
  MessageStream messages_;
  ArrowFile file_;
  std::shared_ptr<const arrow::Dictionaries> dictionaries_;
  std::shared_ptr<const Message> message_;
  std::uint64_t begin_ = 0;  // of the next range in message_
  std::uint64_t rows_ = 0;
  std::uint64_t step_ = 1;
  std::uint64_t dictionary_bytes_ = 0;
  std::uint64_t dictionary_parts_ = 0;
  bool started_ = false;
  bool is_file_ = false;
  bool collected_ = false;
  std::vector<FileNote> notes_;
};

}  // namespace

Likeness sniff_arrow(const FileHead& head) {
  if (head.bytes.substr(0, kMagic.size()) == kMagic) return Likeness::kCertain;
  // A stream: a message of some size whose table says that it is a schema.
  if (head.bytes.size() < 16 || little32(head.bytes) != kContinuation) {
    return Likeness::kNo;
  }
  const std::uint32_t size = little32(head.bytes.substr(4));
  return size >= 16 && size <= kMaxMetadataBytes ? Likeness::kCertain
                                                 : Likeness::kNo;
}

Result<std::unique_ptr<Reader>> open_arrow(
    std::unique_ptr<io::ByteSource> source, const ReadOptions& options) {
  return std::unique_ptr<Reader>(
      std::make_unique<ArrowReader>(std::move(source), options));
}

}  // namespace trainsight::scan
