#include "trainsight/batching/npy.h"

#include <catch2/catch.hpp>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

namespace trainsight::batching {
namespace {

TEST_CASE("an array of two values is written byte for byte as NumPy does") {
  // What numpy.save writes for np.array([1, 258], dtype=np.int64).
  std::string expected("\x93NUMPY\x01\x00\x76\x00", 10);
  expected += "{'descr': '<i8', 'fortran_order': False, 'shape': (2,), }";
  expected.append(127 - expected.size(), ' ');
  expected += '\n';
  expected += std::string("\x01\0\0\0\0\0\0\0\x02\x01\0\0\0\0\0\0", 16);
  std::string bytes = npy_header(2);
  append_int64(std::vector<std::uint32_t>{1, 258}, bytes);
  CHECK(bytes == expected);
}

TEST_CASE("an array is read back as it was written") {
  const std::vector<std::uint64_t> values = {0, 7, 4294967296U,
                                             (std::uint64_t{1} << 63) - 1};
  std::string bytes = npy_header(values.size());
  append_int64(values, bytes);
  CHECK(bytes.size() == 128 + 32);
  CHECK(*parse_npy(bytes) == values);
  CHECK(parse_npy(npy_header(0))->empty());
  const std::string largest =
      npy_header(std::numeric_limits<std::uint64_t>::max());
  CHECK(largest.size() == 128);
}

TEST_CASE("bytes that are no such array are refused with the reason") {
  const auto complaint = [](const std::string& bytes) {
    const auto values = parse_npy(bytes);
    return values ? std::string("accepted") : values.error().message;
  };
  std::string good = npy_header(1);
  append_int64(std::vector<std::uint32_t>{5}, good);
  CHECK(complaint(good) == "accepted");
  CHECK(complaint("") == "not a .npy file");
  CHECK(complaint(good.substr(0, 60)) == ".npy header is cut off");
  CHECK(complaint(good.substr(0, 130)) == ".npy array of 1 values has 2 bytes");
  CHECK(complaint(good + "x") == ".npy array of 1 values has 9 bytes");
  CHECK(complaint(npy_header(std::uint64_t{1} << 61)) ==
        ".npy array of 2305843009213693952 values has 0 bytes");
  std::string other = good;
  other[6] = '\x04';
  CHECK(complaint(other) == ".npy version 4");
  other = good;
  other.replace(other.find("<i8"), 3, "<f8");
  CHECK(complaint(other) == ".npy array is not little-endian int64");
  other = good;
  other.replace(other.find("(1,)"), 4, "(1 )");
  CHECK(complaint(other) == ".npy array has not one dimension");
  other = good;
  other.back() = '\xFF';
  CHECK(complaint(other) == ".npy value is negative");
}

TEST_CASE("a pack index says how it was made") {
  const std::vector<std::uint32_t> lengths = {6, 4, 7, 30};
  PackOptions how;
  how.pack_length = 10;
  how.overlong = Overlong::kSplit;
  Assignment assignment;
  const Result<PackingFigures> figures = pack(lengths, how, {}, &assignment);
  const PackIndexInfo info = index_info(*figures, how, assignment);
  CHECK(info.strategy == "bfd");
  CHECK(info.overlong == "split");
  CHECK(info.packs == 5);
  CHECK(info.segments == 6);
  CHECK(info.rows_in == 4);
  CHECK(info.tokens == 47);
  CHECK(info.rows_are_cut);
}

}  // namespace
}  // namespace trainsight::batching
