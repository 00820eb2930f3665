// The disk as the search for tokenizers and models sees it.
#ifndef TRAINSIGHT_CLI_DISK_FILES_H_
#define TRAINSIGHT_CLI_DISK_FILES_H_

#include <filesystem>
#include <optional>
#include <string>
#include <system_error>
#include <utility>

#include "trainsight/io/files.h"
#include "trainsight/tokenize/hub_cache.h"

namespace trainsight::cli {

class DiskFiles final : public tokenize::FileProvider {
 public:
  static constexpr std::uint64_t kMostSmallBytes = 4096;

  [[nodiscard]] bool is_file(const std::string& path) const override {
    std::error_code error;
    return std::filesystem::is_regular_file(path, error);
  }
  [[nodiscard]] bool is_directory(const std::string& path) const override {
    std::error_code error;
    return std::filesystem::is_directory(path, error);
  }
  [[nodiscard]] std::optional<std::string> read_small(
      const std::string& path) const override {
    auto bytes = io::read_file(path, kMostSmallBytes);
    if (!bytes) return std::nullopt;
    return *std::move(bytes);
  }
};

}  // namespace trainsight::cli

#endif  // TRAINSIGHT_CLI_DISK_FILES_H_
