#include "trainsight/models/safetensors.h"

#include <fmt/format.h>

#include "trainsight/scan/json_document.h"

namespace trainsight::models {
namespace {

using scan::Value;
using scan::ValueKind;

struct Dtype {
  std::string_view name;
  std::uint64_t bits;
};

// Source: huggingface/safetensors, safetensors/src/tensor.rs, enum Dtype.
constexpr Dtype kDtypes[] = {
    {"BOOL", 8},    {"U8", 8},      {"I8", 8},      {"F4", 4},
    {"F6_E2M3", 6}, {"F6_E3M2", 6}, {"F8_E5M2", 8}, {"F8_E4M3", 8},
    {"F8_E8M0", 8}, {"I16", 16},    {"U16", 16},    {"F16", 16},
    {"BF16", 16},   {"I32", 32},    {"U32", 32},    {"F32", 32},
    {"F64", 64},    {"I64", 64},    {"U64", 64},    {"C64", 64},
};

std::uint64_t bits_of(std::string_view dtype) {
  for (const Dtype& known : kDtypes) {
    if (known.name == dtype) return known.bits;
  }
  return 0;
}

Error corrupt(const scan::JsonDocument& document, std::string_view name,
              const Value& at, std::string_view why) {
  return Error{ErrorKind::kCorrupt,
               fmt::format("{}:{}: {}", name, document.place_of(at), why), ""};
}

// The product of a shape's sizes, or nothing when it is no list of such.
std::optional<std::uint64_t> elements_of(const Value* shape) {
  if (shape == nullptr) return std::nullopt;
  if (shape->is(ValueKind::kArray) && shape->count == 0) return 1;  // a scalar
  if (!shape->is(ValueKind::kNumbers) || shape->has_reals) return std::nullopt;
  constexpr std::uint64_t kMost = std::uint64_t{1} << 48;
  std::uint64_t product = 1;
  bool sound = true;
  scan::for_each_integer(*shape, [&](std::int64_t size) {
    if (size < 0 || (size > 0 && product > kMost / std::uint64_t(size))) {
      sound = false;
    } else {
      product *= static_cast<std::uint64_t>(size);
    }
  });
  if (!sound) return std::nullopt;
  return product;
}

// The two offsets of a tensor's data.
std::optional<std::uint64_t> data_bytes(const Value* offsets) {
  if (offsets == nullptr || !offsets->is(ValueKind::kNumbers) ||
      offsets->count != 2 || offsets->has_reals) {
    return std::nullopt;
  }
  std::int64_t ends[2] = {0, 0};
  std::size_t i = 0;
  scan::for_each_integer(*offsets, [&](std::int64_t end) {
    if (i < 2) ends[i++] = end;
  });
  if (ends[0] < 0 || ends[1] < ends[0]) return std::nullopt;
  return static_cast<std::uint64_t>(ends[1] - ends[0]);
}

bool is_head(std::string_view tensor) {
  return tensor == "lm_head.weight" || tensor == "embed_out.weight" ||
         tensor == "output.weight" ||
         tensor.ends_with("language_model.lm_head.weight");
}

}  // namespace

void TensorTotals::add(const TensorTotals& other) {
  parameters += other.parameters;
  bytes += other.bytes;
  tensors += other.tensors;
  head += other.head;
  for (const auto& [dtype, count] : other.by_dtype) by_dtype[dtype] += count;
}

Result<std::uint64_t> header_bytes(std::string_view first_bytes) {
  if (first_bytes.size() < 8) {
    return Error{ErrorKind::kCorrupt,
                 fmt::format("{} bytes are too few for a safetensors file",
                             first_bytes.size()),
                 ""};
  }
  std::uint64_t length = 0;
  for (int i = 7; i >= 0; --i) {
    length = length << 8 |
             static_cast<unsigned char>(first_bytes[static_cast<size_t>(i)]);
  }
  if (length > kMostHeaderBytes) {
    return Error{ErrorKind::kLimit,
                 fmt::format("its header would be {} bytes, the format allows "
                             "{}",
                             length, kMostHeaderBytes),
                 "the file may be no safetensors file, or a pointer to one"};
  }
  return length;
}

Result<TensorTotals> parse_safetensors_header(std::string_view json,
                                              std::string_view name) {
  if (json.size() > kMostHeaderBytes) {
    return Error{ErrorKind::kLimit, fmt::format("{}: header too long", name),
                 ""};
  }
  auto document = scan::JsonDocument::parse(json, name);
  if (!document) return document.error();
  const scan::RowView& view = document->view();
  TensorTotals totals;
  constexpr std::uint64_t kMost = std::uint64_t{1} << 56;
  for (const Value* tensor = view.first_child(view.root()); tensor != nullptr;
       tensor = view.next_child(view.root(), *tensor)) {
    if (tensor->key == "__metadata__") continue;
    const Value* dtype = view.member(*tensor, "dtype");
    if (dtype == nullptr || !dtype->is(ValueKind::kText)) {
      return corrupt(*document, name, *tensor, "a tensor without a dtype");
    }
    const std::string type = scan::text_of(dtype);
    const std::uint64_t bits = bits_of(type);
    if (bits == 0) return corrupt(*document, name, *dtype, "unknown dtype");
    const auto elements = elements_of(view.member(*tensor, "shape"));
    if (!elements) {
      return corrupt(*document, name, *tensor,
                     "a tensor without a sound shape");
    }
    const auto bytes = data_bytes(view.member(*tensor, "data_offsets"));
    if (!bytes || (*elements * bits + 7) / 8 != *bytes) {
      return corrupt(*document, name, *tensor,
                     "data_offsets that do not fit dtype and shape");
    }
    totals.parameters += *elements;
    totals.bytes += *bytes;
    if (totals.bytes > kMost || totals.parameters > kMost) {
      return corrupt(*document, name, *tensor, "absurdly many elements");
    }
    ++totals.tensors;
    totals.by_dtype[type] += *elements;
    if (is_head(tensor->key)) totals.head += *elements;
  }
  return totals;
}

Result<WeightIndex> parse_weight_index(std::string_view json,
                                       std::string_view name) {
  if (json.size() > kMostHeaderBytes) {
    return Error{ErrorKind::kLimit, fmt::format("{}: too long", name), ""};
  }
  auto document = scan::JsonDocument::parse(json, name);
  if (!document) return document.error();
  const scan::RowView& view = document->view();
  WeightIndex index;
  const auto unsigned_member =
      [&](const Value& of,
          std::string_view key) -> std::optional<std::uint64_t> {
    const Value* value = view.member(of, key);
    if (value == nullptr) return std::nullopt;
    if (value->is(ValueKind::kInteger) && value->integer >= 0) {
      return static_cast<std::uint64_t>(value->integer);
    }
    // Some writers print the size as a float: 16060522496.0.
    if (value->is(ValueKind::kReal) && value->real >= 0 && value->real < 1e18) {
      return static_cast<std::uint64_t>(value->real);
    }
    return std::nullopt;
  };
  if (const Value* metadata = view.member(view.root(), "metadata")) {
    index.total_bytes = unsigned_member(*metadata, "total_size");
    index.total_parameters = unsigned_member(*metadata, "total_parameters");
  }
  const Value* map = view.member(view.root(), "weight_map");
  if (map == nullptr || !map->is(ValueKind::kObject)) {
    return Error{ErrorKind::kCorrupt,
                 fmt::format("{}: no \"weight_map\" object", name), ""};
  }
  for (const Value* file = view.first_child(*map); file != nullptr;
       file = view.next_child(*map, *file)) {
    if (!file->is(ValueKind::kText)) {
      return corrupt(*document, name, *file, "a file that is no text");
    }
    index.files.insert(scan::text_of(file));
  }
  return index;
}

}  // namespace trainsight::models
