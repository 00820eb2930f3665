#include "open_model.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <optional>
#include <span>
#include <utility>

#include "disk_files.h"
#include "trainsight/io/files.h"
#include "trainsight/io/open_source.h"
#include "trainsight/models/config_json.h"
#include "trainsight/models/model_table.h"
#include "trainsight/models/safetensors.h"
#include "trainsight/tokenize/hub_cache.h"

namespace trainsight::cli {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kMostShards = 4096;
constexpr std::uint64_t kPiece = 1u << 20;

// The first bytes of a file; fewer when it is shorter.
Result<std::string> read_start(const std::string& path, std::uint64_t bytes) {
  auto source = io::open_source(path);
  if (!source) return source.error();
  std::string start;
  while (start.size() < bytes) {
    // In pieces: a header that claims 100 MB need not be that long.
    const std::size_t before = start.size();
    start.resize(before + std::min<std::uint64_t>(kPiece, bytes - before));
    auto read = (*source)->read(std::span(start).subspan(before));
    if (!read) return read.error();
    start.resize(before + *read);
    if (*read == 0) break;
  }
  return start;
}

Result<models::TensorTotals> totals_of_file(const std::string& path) {
  auto first = read_start(path, 8);
  if (!first) return first.error();
  auto length = models::header_bytes(*first);
  if (!length) return length.error().with_context(path);
  auto start = read_start(path, 8 + *length);
  if (!start) return start.error();
  const std::string_view json =
      std::string_view(*start).substr(std::min<std::size_t>(8, start->size()));
  return models::parse_safetensors_header(json, path);
}

// All weights of a folder; nothing when it has none.
Result<std::optional<models::TensorTotals>> totals_of_folder(
    const fs::path& folder) {
  std::error_code error;
  const fs::path single = folder / "model.safetensors";
  if (fs::is_regular_file(single, error)) {
    auto totals = totals_of_file(single.string());
    if (!totals) return totals.error();
    return std::optional<models::TensorTotals>(*std::move(totals));
  }
  const fs::path index = folder / "model.safetensors.index.json";
  if (!fs::is_regular_file(index, error)) {
    return std::optional<models::TensorTotals>();
  }
  auto bytes = io::read_file(index.string(), models::kMostHeaderBytes);
  if (!bytes) return bytes.error();
  auto parsed = models::parse_weight_index(*bytes, index.string());
  if (!parsed) return parsed.error();
  models::TensorTotals sum;
  if (parsed->files.size() > kMostShards) {
    return std::optional<models::TensorTotals>();
  }
  for (const std::string& name : parsed->files) {
    const fs::path shard = folder / name;
    // A shard is a file beside its index; only some may be in the cache.
    if (name.find('/') != std::string::npos ||
        !fs::is_regular_file(shard, error)) {
      return std::optional<models::TensorTotals>();
    }
    auto totals = totals_of_file(shard.string());
    if (!totals) return totals.error();
    sum.add(*totals);
  }
  return std::optional<models::TensorTotals>(std::move(sum));
}

bool is_packed(const models::TensorTotals& totals) {
  std::uint64_t integers = 0;
  for (const auto& [dtype, count] : totals.by_dtype) {
    if (dtype[0] == 'U' || dtype[0] == 'I' || dtype == "F4") integers += count;
  }
  return integers * 10 > totals.parameters;
}

// Lets the weights correct what the configuration makes us count.
void compare(const models::TensorTotals& totals, OpenedModel& model) {
  if (is_packed(totals)) {
    model.notes.emplace_back(
        "the weights are packed: parameters are counted from config.json");
    return;
  }
  const std::uint64_t counted = models::count_parameters(model.shape).total;
  std::uint64_t stored = totals.parameters;
  if (model.shape.tied_head && stored == counted + totals.head) return;
  if (stored == counted) return;
  model.notes.push_back(
      fmt::format("the weights hold {} parameters, config.json makes {}: {}",
                  stored, counted,
                  stored > counted ? "the rest is counted as other parameters"
                                   : "the larger number is used"));
  if (stored > counted) model.shape.extra_parameters += stored - counted;
}

Result<OpenedModel> open_path(const fs::path& path) {
  std::error_code error;
  const bool is_folder = fs::is_directory(path, error);
  const fs::path config = is_folder ? path / "config.json" : path;
  auto bytes = io::read_file(config.string(), models::kMostConfigBytes);
  if (!bytes) return bytes.error();
  auto parsed = models::parse_config_json(*bytes, config.string());
  if (!parsed) return parsed.error();
  OpenedModel model;
  model.shape = std::move(parsed->shape);
  model.notes = std::move(parsed->notes);
  const fs::path folder = is_folder ? path : config.parent_path();
  model.folder = folder.string();
  if (config.filename() == "config.json") {
    const std::string name = folder.filename().string();
    if (!name.empty() && name != ".") model.shape.name = name;
    auto totals = totals_of_folder(folder);
    if (!totals) return totals.error();
    if (totals->has_value()) compare(**totals, model);
  }
  return model;
}

}  // namespace

Result<OpenedModel> open_model(const std::string& name,
                               const Environment& environment) {
  std::error_code error;
  if (fs::exists(name, error)) return open_path(name);
  if (auto builtin = models::find_builtin_model(name)) {
    OpenedModel model;
    model.shape = std::move(builtin->shape);
    return model;
  }
  auto found = tokenize::find_tokenizer(name, environment.hub, DiskFiles());
  if (found) {
    auto model = open_path(*found);
    if (model) model->shape.name = name;
    return model;
  }
  const std::string nearest = models::nearest_builtin_model(name);
  return Error{
      ErrorKind::kNotFound,
      fmt::format("model {}: no such file, folder or built-in name, and not in "
                  "the local Hugging Face cache",
                  name),
      nearest.empty() ? "give a config.json, a folder with one, or a name like "
                        "llama-3.1-8b"
                      : fmt::format("did you mean \"{}\"?", nearest)};
}

}  // namespace trainsight::cli
