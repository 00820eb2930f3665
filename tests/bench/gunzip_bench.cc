// Speed of decompressing gzip against zlib alone, one core.
//
//   gunzip_bench FILE.gz...
//
// Bytes of text per second of CPU time, best and median of seven runs each, in
// turns: zlib's inflate() over the whole file in memory into a buffer of 1 MiB,
// and DecompressingSource into one of the same size. The answer is checked:
// both give the same number of bytes.
#include <fmt/format.h>
#include <time.h>
#include <zlib.h>

#include <algorithm>
#include <cstdio>
#include <string>
#include <vector>

#include "scan/decompressing_source.h"
#include "support/memory_source.h"
#include "trainsight/io/files.h"

namespace {

using namespace trainsight;

constexpr std::size_t kBufferBytes = 1 << 20;

double cpu_seconds() {
  timespec now = {};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) +
         1e-9 * static_cast<double>(now.tv_nsec);
}

std::uint64_t with_zlib(std::string& stored) {
  std::vector<char> buffer(kBufferBytes);
  z_stream stream{};
  if (inflateInit2(&stream, 15 + 16) != Z_OK) return 0;
  stream.next_in = reinterpret_cast<Bytef*>(stored.data());
  stream.avail_in = static_cast<uInt>(stored.size());
  std::uint64_t bytes = 0;
  int code = Z_OK;
  while (code == Z_OK) {
    stream.next_out = reinterpret_cast<Bytef*>(buffer.data());
    stream.avail_out = static_cast<uInt>(buffer.size());
    code = inflate(&stream, Z_NO_FLUSH);
    bytes += buffer.size() - stream.avail_out;
  }
  inflateEnd(&stream);
  return code == Z_STREAM_END ? bytes : 0;
}

std::uint64_t with_source(io::ByteSource& source) {
  std::vector<char> buffer(kBufferBytes);
  std::uint64_t bytes = 0;
  while (true) {
    const Result<std::size_t> got = source.read(buffer);
    if (!got || *got == 0) return bytes;
    bytes += *got;
  }
}

void print(const char* what, std::vector<double> seconds, std::uint64_t bytes) {
  std::sort(seconds.begin(), seconds.end());
  const double megabytes = static_cast<double>(bytes) / 1e6;
  fmt::print("  {}: best {:.0f} MB/s, median {:.0f} MB/s\n", what,
             megabytes / seconds.front(),
             megabytes / seconds[seconds.size() / 2]);
}

int measure(const std::string& name, std::string& stored) {
  std::vector<double> zlib;
  std::vector<double> ours;
  std::uint64_t bytes = 0;
  for (int run = 0; run < 7; ++run) {
    double begin = cpu_seconds();
    bytes = with_zlib(stored);
    zlib.push_back(cpu_seconds() - begin);
    const auto source = scan::make_decompressing_source(
        std::make_unique<tests::MemorySource>(stored, 0, name),
        scan::Compression::kGzip, {});
    begin = cpu_seconds();
    const std::uint64_t same = with_source(*source);
    ours.push_back(cpu_seconds() - begin);
    if (bytes == 0 || same != bytes) {
      fmt::print(stderr, "{}: {} and {} bytes\n", name, bytes, same);
      return 1;
    }
  }
  fmt::print("{}: {} stored bytes, {} of text\n", name, stored.size(), bytes);
  print("zlib alone", zlib, bytes);
  print("DecompressingSource", ours, bytes);
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  for (int i = 1; i < argc; ++i) {
    trainsight::Result<std::string> stored =
        trainsight::io::read_file(argv[i], std::uint64_t{4} << 30);
    if (!stored) {
      fmt::print(stderr, "{}\n", stored.error().message);
      return 1;
    }
    if (measure(argv[i], *stored) != 0) return 1;
  }
  return 0;
}
