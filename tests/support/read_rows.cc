#include "support/read_rows.h"

#include <cmath>
#include <cstdio>
#include <utility>

#include "trainsight/text/json_text.h"

namespace trainsight::tests {
namespace {

std::string real_text(double real) {
  char buffer[40];
  std::snprintf(buffer, sizeof(buffer), "%.17g", real);
  return buffer;
}

template <typename Stored>
void append_reals(const scan::Value& numbers, std::string& out) {
  for (std::uint32_t i = 0; i < numbers.count; ++i) {
    Stored element;
    std::memcpy(&element, numbers.data + i * sizeof(Stored), sizeof(Stored));
    if (i > 0) out += ',';
    out += real_text(static_cast<double>(element));
  }
}

std::string numbers_json(const scan::Value& numbers) {
  if (numbers.data == nullptr && numbers.count > 0) {
    return "\"<" + std::to_string(numbers.count) + " numbers>\"";
  }
  std::string out = "[";
  if (numbers.storage == scan::NumberStorage::kFloat) {
    append_reals<float>(numbers, out);
  } else if (numbers.storage == scan::NumberStorage::kDouble) {
    append_reals<double>(numbers, out);
  } else {
    bool first = true;
    for_each_integer(numbers, [&](std::int64_t value) {
      if (!first) out += ',';
      first = false;
      out += std::to_string(value);
    });
  }
  return out + "]";
}

void append_text(text::TextView view, std::string& out) {
  std::string scratch;
  out += '"';
  text::append_json_escaped(text::as_utf8(view, scratch), out);
  out += '"';
}

class Collector final : public scan::RowVisitor {
 public:
  Collector(ReadResult& result, std::uint64_t lines)
      : result_(result), lines_(lines) {}
  void row(const scan::RowView& row) override {
    result_.rows.push_back({to_json(row, row.root()), lines_ + row.line,
                            row.offset, row.skeleton});
  }
  void bad_record(const scan::BadRecord& bad) override {
    result_.bad.push_back(bad);
    result_.bad.back().line += lines_;
  }

 private:
  ReadResult& result_;
  std::uint64_t lines_;
};

void add_facts(const scan::BatchFacts& batch, scan::BatchFacts& sum) {
  for (const std::uint64_t line : batch.first_blank_lines) {
    if (sum.first_blank_lines.size() < 8) {
      sum.first_blank_lines.push_back(sum.lines + line);
    }
  }
  sum.lines += batch.lines;
  sum.crlf_lines += batch.crlf_lines;
  sum.blank_lines += batch.blank_lines;
  sum.trailing_blank_lines =
      batch.trailing_blank_lines == batch.lines
          ? sum.trailing_blank_lines + batch.trailing_blank_lines
          : batch.trailing_blank_lines;
  sum.ends_with_newline = batch.ends_with_newline;
  sum.bytes += batch.bytes;
}

class Summer final : public scan::RowVisitor {
 public:
  void row(const scan::RowView& row) override {
    ++rows;
    for (const scan::Value& value : row.values) {
      sum += value.key.size() + value.next;
      if (value.kind == scan::ValueKind::kText) {
        for (const char c : value.text().bytes) {
          sum += static_cast<unsigned char>(c);
        }
      } else if (value.kind == scan::ValueKind::kNumbers) {
        for_each_integer(value, [this](std::int64_t number) {
          sum += static_cast<std::uint64_t>(number);
        });
      }
    }
  }
  void bad_record(const scan::BadRecord& bad) override {
    ++rows;
    sum += bad.message.size();
  }
  std::uint64_t rows = 0;
  std::uint64_t sum = 0;
};

}  // namespace

std::string to_json(const scan::RowView& row, const scan::Value& value) {
  using scan::ValueKind;
  switch (value.kind) {
    case ValueKind::kNull:
      return "null";
    case ValueKind::kBool:
      return value.boolean ? "true" : "false";
    case ValueKind::kInteger:
      return std::to_string(value.integer);
    case ValueKind::kReal:
      return real_text(value.real);
    case ValueKind::kNumbers:
      return numbers_json(value);
    case ValueKind::kText: {
      std::string out;
      append_text(value.text(), out);
      return out;
    }
    case ValueKind::kArray:
    case ValueKind::kObject:
      break;
  }
  const bool object = value.kind == ValueKind::kObject;
  std::string out(1, object ? '{' : '[');
  for (const scan::Value* child = row.first_child(value); child != nullptr;
       child = row.next_child(value, *child)) {
    if (out.size() > 1) out += ',';
    if (object) {
      append_text({child->key, text::Encoding::kUtf8}, out);
      out += ':';
    }
    out += to_json(row, *child);
  }
  return out + (object ? '}' : ']');
}

std::string ReadResult::json_lines() const {
  std::string out;
  for (const ReadRow& row : rows) out += row.json + "\n";
  return out;
}

ReadResult read_all(scan::Reader& reader) {
  ReadResult result;
  scan::ScratchPointer scratch = scan::make_scratch();
  while (true) {
    Result<std::unique_ptr<scan::RowBatch>> batch = reader.next();
    if (!batch) {
      result.error = batch.error();
      break;
    }
    if (*batch == nullptr) break;
    ++result.batches;
    Collector collector(result, result.facts.lines);
    const Result<scan::BatchFacts> facts =
        (*batch)->decode(*scratch, collector);
    if (!facts) {
      result.error = facts.error();
      break;
    }
    add_facts(*facts, result.facts);
  }
  result.notes = reader.notes();
  return result;
}

ReadResult read_all(Result<std::unique_ptr<scan::Reader>> reader) {
  if (reader) return read_all(**reader);
  ReadResult result;
  result.error = reader.error();
  return result;
}

std::uint64_t visit_all(scan::Reader& reader, std::uint64_t max_rows) {
  scan::ScratchPointer scratch = scan::make_scratch();
  Summer summer;
  while (summer.rows < max_rows) {
    Result<std::unique_ptr<scan::RowBatch>> batch = reader.next();
    if (!batch || *batch == nullptr) break;
    const Result<scan::BatchFacts> facts = (*batch)->decode(*scratch, summer);
    if (!facts) break;
    summer.sum += facts->lines;
  }
  return summer.sum + reader.notes().size();
}

}  // namespace trainsight::tests
