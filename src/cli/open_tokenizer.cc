#include "open_tokenizer.h"

#include <algorithm>
#include <filesystem>
#include <map>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "disk_files.h"
#include "trainsight/io/files.h"
#include "trainsight/io/open_source.h"
#include "trainsight/scan/read_whole.h"
#include "trainsight/tokenize/hub_cache.h"
#include "trainsight/tokenize/load.h"
#include "trainsight/tokenize/load_files.h"

namespace trainsight::cli {
namespace {

namespace fs = std::filesystem;

// The largest vocabulary file in use is under 40 MB.
constexpr std::uint64_t kMostTokenizerBytes = 256u << 20;

using Opened = Result<std::shared_ptr<const tokenize::Tokenizer>>;

Opened shared(Result<std::unique_ptr<tokenize::Tokenizer>> tokenizer) {
  if (!tokenizer) return tokenizer.error();
  return std::shared_ptr<const tokenize::Tokenizer>(*std::move(tokenizer));
}

// The files of one folder, read when asked for; holds their bytes.
class FolderFiles {
 public:
  explicit FolderFiles(fs::path folder) : folder_(std::move(folder)) {}

  // Reads `name`, or `name`.gz, where it exists, into `target`.
  Status read(std::string_view name, std::optional<std::string_view>& target) {
    if (target.has_value()) return {};
    for (const char* ending : {"", ".gz", ".zst"}) {
      const fs::path path = folder_ / (std::string(name) + ending);
      std::error_code error;
      if (fs::is_regular_file(path, error)) return read_path(path, target);
    }
    return {};
  }

  Status read_path(const fs::path& path,
                   std::optional<std::string_view>& target) {
    auto source = io::open_source(path.string());
    if (!source) return source.error();
    auto bytes = scan::read_whole(*std::move(source), kMostTokenizerBytes);
    if (!bytes) return bytes.error();
    target = bytes_[path.string()] = *std::move(bytes);
    return {};
  }

 private:
  fs::path folder_;
  std::map<std::string, std::string> bytes_;
};

std::string without_compression(const std::string& name) {
  for (const std::string_view ending : {".gz", ".zst"}) {
    if (name.size() > ending.size() &&
        name.compare(name.size() - ending.size(), ending.size(), ending) == 0) {
      return name.substr(0, name.size() - ending.size());
    }
  }
  return name;
}

bool ends_with(const std::string& text, std::string_view end) {
  return text.size() >= end.size() &&
         text.compare(text.size() - end.size(), end.size(), end) == 0;
}

// Which of the files a path is, by its name.
std::optional<std::string_view>* slot_of(const std::string& name,
                                         tokenize::TokenizerFiles& files) {
  if (name == "tekken.json") return &files.tekken_json;
  if (ends_with(name, ".json")) return &files.tokenizer_json;
  if (ends_with(name, ".model")) return &files.sentencepiece_model;
  if (ends_with(name, ".tiktoken")) return &files.tiktoken;
  return nullptr;
}

Status read_vocabulary(FolderFiles& folder, tokenize::TokenizerFiles& files) {
  const auto read_first = [&folder](std::span<const std::string_view> names,
                                    std::optional<std::string_view>& target) {
    for (const std::string_view name : names) {
      if (Status status = folder.read(name, target); !status) return status;
    }
    return Status();
  };
  if (Status s =
          read_first(tokenize::kTokenizerJsonNames, files.tokenizer_json);
      !s) {
    return s;
  }
  if (files.tokenizer_json.has_value()) return {};
  if (Status s = read_first(tokenize::kTekkenNames, files.tekken_json); !s) {
    return s;
  }
  if (files.tekken_json.has_value()) return {};
  return read_first(tokenize::kSentencePieceNames, files.sentencepiece_model);
}

// A rank file has any name: the first of the folder, sorted.
Status read_rank_file(const fs::path& path, FolderFiles& folder,
                      tokenize::TokenizerFiles& files) {
  std::error_code error;
  std::vector<fs::path> ranks;
  for (fs::directory_iterator entry(path, error), end; entry != end;
       entry.increment(error)) {
    if (error) break;
    if (ends_with(entry->path().filename().string(), ".tiktoken")) {
      ranks.push_back(entry->path());
    }
  }
  if (ranks.empty()) return {};
  std::sort(ranks.begin(), ranks.end());
  files.name = ranks.front().string();  // the name tells the pattern
  return folder.read_path(ranks.front(), files.tiktoken);
}

Opened open_path(const std::string& name, const std::string& found) {
  std::error_code error;
  const bool is_folder = fs::is_directory(found, error);
  const fs::path path(found);
  FolderFiles folder(is_folder ? path : path.parent_path());
  tokenize::TokenizerFiles files;
  files.name = name;
  if (is_folder) {
    if (Status status = read_vocabulary(folder, files); !status) {
      return status.error();
    }
    if (!files.tokenizer_json.has_value() && !files.tekken_json.has_value() &&
        !files.sentencepiece_model.has_value()) {
      if (Status status = read_rank_file(path, folder, files); !status) {
        return status.error();
      }
    }
  } else {
    auto* slot = slot_of(without_compression(path.filename().string()), files);
    if (slot == nullptr) {
      return Error{ErrorKind::kUnsupported,
                   name + " is no vocabulary file by its name",
                   "expected tokenizer.json, tekken.json, *.model or "
                   "*.tiktoken"};
    }
    if (Status status = folder.read_path(path, *slot); !status) {
      return status.error();
    }
  }
  for (const auto& [file, target] :
       {std::pair(tokenize::kTokenizerConfigName, &files.tokenizer_config_json),
        std::pair(tokenize::kSpecialTokensMapName,
                  &files.special_tokens_map_json),
        std::pair(tokenize::kChatTemplateName, &files.chat_template_jinja)}) {
    if (Status status = folder.read(file, *target); !status) {
      return status.error();
    }
  }
  auto loaded = tokenize::load_tokenizer(files);
  if (!loaded && loaded.error().message.find(files.name) == std::string::npos) {
    return loaded.error().with_context("tokenizer " + files.name);
  }
  return shared(std::move(loaded));
}

}  // namespace

Opened open_tokenizer(const std::string& name, const Environment& environment) {
  if (auto builtin = tokenize::open_builtin(name)) {
    return shared(std::move(builtin));
  }
  auto found = tokenize::find_tokenizer(name, environment.hub, DiskFiles());
  if (!found) {
    Error error = found.error();
    if (error.hint.empty()) {
      error.hint =
          "one of bytes, chars, o200k_base, a vocabulary file or folder, or a "
          "model of the local Hugging Face cache (ORG/NAME)";
    }
    return error;
  }
  return open_path(name, *found);
}

}  // namespace trainsight::cli
