#include "scan/csv_splitter.h"

#include <algorithm>

namespace trainsight::scan {
namespace {

class CsvSplitter final : public RecordSplitter {
 public:
  explicit CsvSplitter(const CsvDialect& dialect) : dialect_(dialect) {}

  void restart() override { state_ = State::kFieldStart; }
  std::size_t last_end(std::string_view bytes) override {
    return scan(bytes, false);
  }
  std::size_t first_end(std::string_view bytes) override {
    return scan(bytes, true);
  }

 private:
  enum class State {
    kFieldStart,     // a quote here opens a quoted field
    kPlain,          // a quote here is a byte like any other
    kQuoted,         // inside quotes
    kQuoteInQuoted,  // behind a quote that closes, or is the first of two
  };

  std::size_t scan(std::string_view bytes, bool first_only) {
    std::size_t last = 0;
    std::size_t at = 0;
    std::size_t quote = 0;    // the next one at or after `at`, once looked up
    std::size_t newline = 0;  // likewise
    bool looked = false;
    while (at < bytes.size()) {
      switch (state_) {
        case State::kFieldStart:
          if (bytes[at] == '"') {
            state_ = State::kQuoted;
            ++at;
            break;
          }
          state_ = State::kPlain;
          [[fallthrough]];
        case State::kPlain: {
          if (!looked || quote < at) quote = find(bytes, '"', at);
          if (!looked || newline < at) {
            newline = find(bytes, dialect_.terminator, at);
          }
          looked = true;
          const std::size_t stop = std::min(quote, newline);
          if (stop == bytes.size()) {
            if (bytes.back() == dialect_.delimiter) {
              state_ = State::kFieldStart;
            }
            return last;
          }
          if (stop == newline) {
            last = stop + 1;
            state_ = State::kFieldStart;
            if (first_only) return last;
          } else if (stop > at && bytes[stop - 1] == dialect_.delimiter) {
            state_ = State::kQuoted;
          }
          at = stop + 1;
          break;
        }
        case State::kQuoted:
          at = find(bytes, '"', at);
          if (at == bytes.size()) return last;
          ++at;
          state_ = State::kQuoteInQuoted;
          break;
        case State::kQuoteInQuoted:
          if (bytes[at] == '"') {
            state_ = State::kQuoted;
            ++at;
          } else if (bytes[at] == dialect_.delimiter) {
            state_ = State::kFieldStart;
            ++at;
          } else {
            // Nothing but a delimiter opens another quoted field.
            state_ = State::kPlain;
          }
          break;
      }
    }
    return last;
  }

  static std::size_t find(std::string_view bytes, char byte, std::size_t at) {
    return std::min(bytes.find(byte, at), bytes.size());
  }

  CsvDialect dialect_;
  State state_ = State::kFieldStart;
};

}  // namespace

std::unique_ptr<RecordSplitter> make_csv_splitter(const CsvDialect& dialect) {
  return std::make_unique<CsvSplitter>(dialect);
}

}  // namespace trainsight::scan
