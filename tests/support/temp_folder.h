// TempFolder: a folder of its own for a test, gone afterwards.
#ifndef TRAINSIGHT_TESTS_SUPPORT_TEMP_FOLDER_H_
#define TRAINSIGHT_TESTS_SUPPORT_TEMP_FOLDER_H_

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <string_view>
#include <system_error>

namespace trainsight::tests {

class TempFolder {
 public:
  TempFolder() {
    std::error_code error;
    std::string name =
        (std::filesystem::temp_directory_path(error) / "trainsight-XXXXXX")
            .string();
    if (::mkdtemp(name.data()) != nullptr) path_ = name;
  }
  TempFolder(const TempFolder&) = delete;
  TempFolder& operator=(const TempFolder&) = delete;
  ~TempFolder() {
    std::error_code error;
    if (!path_.empty()) std::filesystem::remove_all(path_, error);
  }

  [[nodiscard]] const std::string& path() const { return path_; }
  [[nodiscard]] std::string operator/(std::string_view name) const {
    return path_ + "/" + std::string(name);
  }
  /// Writes a file, with the folders that it needs; its path.
  std::string write(std::string_view name, std::string_view bytes) const {
    const std::string path = *this / name;
    std::error_code error;
    std::filesystem::create_directories(
        std::filesystem::path(path).parent_path(), error);
    std::ofstream out(path, std::ios::binary);
    out.write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
    return path;
  }
  static std::string read(const std::string& path) {
    std::ifstream in(path, std::ios::binary);
    return std::string(std::istreambuf_iterator<char>(in), {});
  }

 private:
  std::string path_;
};

}  // namespace trainsight::tests

#endif  // TRAINSIGHT_TESTS_SUPPORT_TEMP_FOLDER_H_
