#include "file_queue.h"

#include "trainsight/io/open_source.h"
#include "trainsight/scan/format_table.h"

namespace trainsight::pipeline {
namespace {

// The reader owns its source; the queue keeps a hand on it, to ask at the end
// whether the file is still the one that was opened.
class SharedSource final : public io::ByteSource {
 public:
  explicit SharedSource(std::shared_ptr<io::ByteSource> source)
      : source_(std::move(source)) {}
  [[nodiscard]] const std::string& name() const override {
    return source_->name();
  }
  [[nodiscard]] bool is_mapped() const override { return source_->is_mapped(); }
  [[nodiscard]] std::uint64_t size() const override { return source_->size(); }
  [[nodiscard]] std::string_view view(std::uint64_t offset,
                                      std::uint64_t length) const override {
    return source_->view(offset, length);
  }
  Result<std::size_t> read(std::span<char> buffer) override {
    return source_->read(buffer);
  }
  void release(std::uint64_t begin, std::uint64_t end) const override {
    source_->release(begin, end);
  }
  [[nodiscard]] Status check() const override { return source_->check(); }

 private:
  std::shared_ptr<io::ByteSource> source_;
};

Result<std::shared_ptr<OpenFile>> open_file(const InputFile& input,
                                            const scan::ReadOptions& options) {
  auto source = io::open_source(input.path);
  if (!source) return source.error();
  auto file = std::make_shared<OpenFile>();
  file->source = *std::move(source);
  auto reader =
      scan::open_reader(std::make_unique<SharedSource>(file->source), options);
  if (!reader) return reader.error();
  file->reader = *std::move(reader);
  return file;
}

}  // namespace

QueueItem FileQueue::make_item(std::uint32_t file) {
  QueueItem item;
  item.sequence = next_sequence_++;
  item.file = file;
  item.open = current_;
  return item;
}

std::optional<QueueItem> FileQueue::next() {
  if (current_ == nullptr) {
    if (next_file_ == options_.files.size()) return std::nullopt;
    const std::uint32_t file = next_file_++;
    auto opened = open_file(options_.files[file], options_.read);
    if (!opened) {
      QueueItem item = make_item(file);
      item.error = opened.error();
      return item;
    }
    current_ = *std::move(opened);
  }
  QueueItem item = make_item(next_file_ - 1);
  auto batch = current_->reader->next();
  if (batch && *batch != nullptr) {
    item.batch = *std::move(batch);
    return item;
  }
  if (!batch) item.error = batch.error();
  bytes_of_done_files_ += current_->reader->bytes_read();
  current_ = nullptr;
  return item;
}

std::uint64_t FileQueue::bytes_read() const {
  return bytes_of_done_files_ +
         (current_ == nullptr ? 0 : current_->reader->bytes_read());
}

}  // namespace trainsight::pipeline
