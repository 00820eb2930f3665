// The main of every fuzz target outside the fuzz preset.
//
// Runs LLVMFuzzerTestOneInput on the empty input, then on every file named or
// below the folders named on the command line, in the order of their names. A
// target fails by crashing; this program exits with 1 when a file cannot be
// read or when there was none, so that a lost corpus is no silent pass.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <system_error>
#include <vector>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data,
                                      std::size_t size);

namespace {

namespace fs = std::filesystem;

// Appends `path`, or the files below it; false when it cannot be listed.
bool collect(const fs::path& path, std::vector<fs::path>& files) {
  std::error_code error;
  if (fs::is_regular_file(path, error)) {
    files.push_back(path);
    return true;
  }
  fs::recursive_directory_iterator it(path, error);
  const fs::recursive_directory_iterator end;
  while (!error && it != end) {
    if (it->is_regular_file(error)) files.push_back(it->path());
    it.increment(error);
  }
  if (error) {
    std::fprintf(stderr, "cannot list %s: %s\n", path.c_str(),
                 error.message().c_str());
  }
  return !error;
}

bool read_file(const fs::path& path, std::vector<char>& bytes) {
  std::ifstream in(path, std::ios::binary);
  bytes.assign(std::istreambuf_iterator<char>(in),
               std::istreambuf_iterator<char>());
  return in.good() || (in.eof() && !in.bad());
}

}  // namespace

int main(int argc, char** argv) {
  std::vector<fs::path> files;
  for (int i = 1; i < argc; ++i) {
    if (!collect(argv[i], files)) return 1;
  }
  std::sort(files.begin(), files.end());

  LLVMFuzzerTestOneInput(nullptr, 0);
  std::vector<char> bytes;
  for (const fs::path& file : files) {
    // Before the run, so that the name stands above a crash's report.
    std::printf("%s\n", file.c_str());
    std::fflush(stdout);
    if (!read_file(file, bytes)) {
      std::fprintf(stderr, "cannot read %s\n", file.c_str());
      return 1;
    }
    // An allocation of its own size lets a sanitizer see a read past the end.
    const std::vector<std::uint8_t> input(bytes.begin(), bytes.end());
    LLVMFuzzerTestOneInput(input.data(), input.size());
  }
  std::printf("%zu inputs replayed\n", files.size());
  return files.empty() ? 1 : 0;
}
