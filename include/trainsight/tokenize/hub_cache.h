// Where a tokenizer's files are: a file, a folder, or a model's name that the
// local Hugging Face cache holds. Nothing is downloaded.
//
// Source of the cache's layout: huggingface_hub documentation, "Understand
// caching" (models--ORG--NAME/refs/REVISION and snapshots/COMMIT).
// Thread-safety: pure but for what the given FileProvider does.
#ifndef TRAINSIGHT_TOKENIZE_HUB_CACHE_H_
#define TRAINSIGHT_TOKENIZE_HUB_CACHE_H_

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "trainsight/core/result.h"

namespace trainsight::tokenize {

/// What the search asks of a file system; paths use '/'.
class FileProvider {
 public:
  virtual ~FileProvider() = default;
  [[nodiscard]] virtual bool is_file(const std::string& path) const = 0;
  [[nodiscard]] virtual bool is_directory(const std::string& path) const = 0;
  /// The first bytes of a small file, or nothing where it cannot be read.
  [[nodiscard]] virtual std::optional<std::string> read_small(
      const std::string& path) const = 0;
};

/// Environment variables that say where the cache is; empty when unset.
struct HubEnvironment {
  std::string hf_hub_cache;    ///< HF_HUB_CACHE
  std::string hf_home;         ///< HF_HOME
  std::string xdg_cache_home;  ///< XDG_CACHE_HOME
  std::string home;            ///< HOME
};

/// The cache's folder; empty when no variable tells.
std::string hub_cache_folder(const HubEnvironment& environment);

/// A path that exists, or the folder of the snapshot of "ORG/NAME" or
/// "ORG/NAME@REVISION" (revision "main" by default; a commit is its own
/// revision). A path that exists comes first.
///
/// Errors: kNotFound, saying what was looked for and where.
Result<std::string> find_tokenizer(std::string_view name_or_path,
                                   const HubEnvironment& environment,
                                   const FileProvider& files);

}  // namespace trainsight::tokenize

#endif  // TRAINSIGHT_TOKENIZE_HUB_CACHE_H_
