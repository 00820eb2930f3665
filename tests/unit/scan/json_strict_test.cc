#include "scan/json_strict.h"

#include <catch2/catch.hpp>
#include <string>

#include "scan/tape_finish.h"

namespace trainsight::scan {
namespace {

// A record with the readable bytes behind it that the parser asks for.
class Parsed {
 public:
  explicit Parsed(std::string_view record, const JsonLimits& limits = {})
      : text_(std::string(record) + std::string(64, '\0')) {
    ok = StrictJson().parse(std::string_view(text_).substr(0, record.size()),
                            limits, tape, fault);
    if (ok) skeleton = finish_tape(tape.values(), scratch_);
    row.values = tape.values();
  }
  [[nodiscard]] const Value& at(std::string_view name) const {
    const Value* const found = row.member(row.root(), name);
    REQUIRE(found != nullptr);
    return *found;
  }

  bool ok = false;
  JsonTape tape;
  JsonFault fault;
  RowView row;
  std::uint64_t skeleton = 0;

 private:
  std::string text_;
  FinishScratch scratch_;
};

TEST_CASE("scalars keep their kinds and values") {
  const Parsed p(
      R"({"a":-12,"b":1.5,"c":9223372036854775807,"d":9223372036854775808,)"
      R"("e":true,"f":false,"g":null,"h":1e400,"i":-1e400,"j":1e-400,"k":-0})");
  REQUIRE(p.ok);
  CHECK(p.at("a").kind == ValueKind::kInteger);
  CHECK(p.at("a").integer == -12);
  CHECK(p.at("b").kind == ValueKind::kReal);
  CHECK(p.at("b").real == 1.5);
  CHECK(p.at("c").integer == INT64_MAX);
  CHECK(p.at("d").kind == ValueKind::kReal);
  CHECK(p.at("d").real == 9223372036854775808.0);
  CHECK(p.at("e").boolean);
  CHECK_FALSE(p.at("f").boolean);
  CHECK(p.at("g").kind == ValueKind::kNull);
  CHECK(p.at("h").real == HUGE_VAL);
  CHECK(p.at("i").real == -HUGE_VAL);
  CHECK(p.at("j").real == 0.0);
  CHECK(p.at("k").kind == ValueKind::kInteger);
  CHECK(p.row.root().count == 11);
  CHECK(p.row.root().next == 12);
}

TEST_CASE("text stays escaped and knows its length in UTF-8") {
  // 4 ASCII; \n 1; \u00e9 2; \u4e2d 3; a pair 4; \/ 1; a raw U+00E9 2.
  const Parsed p(
      "{\"t\":\"abcd\\n\\u00e9\\u4e2d\\ud83d\\ude00\\/"
      "\xC3\xA9\",\"u\":\"ab\"}");
  REQUIRE(p.ok);
  CHECK(p.at("t").encoding == text::Encoding::kJsonEscaped);
  CHECK(p.at("t").utf8_bytes() == 4 + 1 + 2 + 3 + 4 + 1 + 2);
  CHECK(p.at("t").utf8_bytes() == text::utf8_bytes(p.at("t").text()));
  CHECK(p.at("u").encoding == text::Encoding::kUtf8);
  CHECK(p.at("u").utf8_bytes() == 2);
  CHECK(p.at("u").text().bytes == "ab");
}

TEST_CASE("an escaped surrogate without its half is accepted and marked") {
  for (const char* const text :
       {R"({"t":"smile \ud83d"})", R"({"t":"\ude00"})",
        R"({"t":"\ud83d\u0041"})", R"({"t":"\ud83d\ud83d\ude00"})"}) {
    const Parsed p(text);
    REQUIRE(p.ok);
    CHECK(p.at("t").lone_surrogate);
    CHECK(p.at("t").utf8_bytes() == text::utf8_bytes(p.at("t").text()));
  }
  CHECK_FALSE(Parsed(R"({"t":"\ud83d\ude00"})").at("t").lone_surrogate);
}

TEST_CASE("an array of numbers is one value with its text") {
  const Parsed p(R"({"ids":[ 1, 2 ,3 ],"r":[1,2.5],"m":[1,"x"],"e":[],)"
                 R"("n":[[1,2],[3]],"big":[1,9223372036854775808]})");
  REQUIRE(p.ok);
  CHECK(p.at("ids").kind == ValueKind::kNumbers);
  CHECK(p.at("ids").count == 3);
  CHECK(p.at("ids").text().bytes == " 1, 2 ,3 ");
  CHECK_FALSE(p.at("ids").has_reals);
  std::int64_t sum = 0;
  for_each_integer(p.at("ids"), [&sum](std::int64_t n) { sum += n; });
  CHECK(sum == 6);
  CHECK(p.at("r").kind == ValueKind::kNumbers);
  CHECK(p.at("r").has_reals);
  CHECK(p.at("m").kind == ValueKind::kArray);
  CHECK(p.at("m").count == 2);
  CHECK(p.at("e").kind == ValueKind::kArray);
  CHECK(p.at("e").count == 0);
  CHECK(p.at("n").kind == ValueKind::kArray);
  CHECK(p.row.first_child(p.at("n"))->kind == ValueKind::kNumbers);
  CHECK(p.at("big").has_reals);
}

TEST_CASE("containers give their JSON text") {
  const Parsed p(R"({"a": {"b": [ "c" ] } })");
  REQUIRE(p.ok);
  CHECK(p.at("a").raw() == R"({"b": [ "c" ] })");
  CHECK(p.row.member(p.at("a"), "b")->raw() == R"([ "c" ])");
  CHECK(p.row.root().raw() == R"({"a": {"b": [ "c" ] } })");
}

TEST_CASE("keys are unescaped, and of a duplicate the last one counts") {
  const Parsed p(R"({"a":1,"\u0061":2,"b":{"x":1,"y":2}})");
  REQUIRE(p.ok);
  CHECK(p.row.root().duplicate_keys);
  CHECK(p.at("a").integer == 2);
  CHECK_FALSE(p.at("b").duplicate_keys);
  std::string many = "{";
  for (int i = 0; i < 50; ++i) many += "\"k" + std::to_string(i) + "\":0,";
  CHECK_FALSE(Parsed(many + "\"z\":0}").row.root().duplicate_keys);
  CHECK(Parsed(many + "\"k7\":0}").row.root().duplicate_keys);
}

TEST_CASE("the skeleton is the shape: keys, kinds, and sets of elements") {
  const auto shape = [](const char* text) {
    const Parsed p(text);
    REQUIRE(p.ok);
    return p.skeleton;
  };
  const std::uint64_t chat =
      shape(R"({"m":[{"r":"a","c":"b"},{"r":"c","c":null}]})");
  // Other texts, more elements, another order of elements.
  CHECK(chat == shape(R"({"m":[{"r":"","c":null},{"r":"x","c":"yy"},)"
                      R"({"r":"q","c":"q"}]})"));
  // A kind of element less; another key; another kind; another order of keys.
  CHECK(chat != shape(R"({"m":[{"r":"a","c":"b"}]})"));
  CHECK(chat != shape(R"({"n":[{"r":"a","c":"b"},{"r":"c","c":null}]})"));
  CHECK(chat != shape(R"({"m":[{"r":"a","c":"b"},{"r":"c","c":1}]})"));
  CHECK(shape(R"({"a":1,"b":2})") != shape(R"({"b":2,"a":1})"));
  CHECK(shape(R"({"a":{}})") != shape(R"({"a":[]})"));
  CHECK(shape(R"({"a":[1]})") != shape(R"({"a":[1.5]})"));
  CHECK(shape(R"({"a":[1,2,3]})") == shape(R"({"a":[7]})"));
  CHECK(shape(R"({"abc":1})") != shape(R"({"acb":1})"));
}

struct FaultCase {
  std::string_view record;
  BadRecordKind kind;
  std::uint64_t byte;
  std::string_view pointer;
  std::string_view message;
};

// Offsets counted by hand in each record.
const FaultCase kFaults[] = {
    {"{\"text\":\"caf\xE9\"}", BadRecordKind::kNotUtf8, 12, "/text",
     "0xE9 is not UTF-8 (looks like Latin-1 or Windows-1252)"},
    {"{\"text\":\"\xC4\xE3\xBA\xC3\"}", BadRecordKind::kNotUtf8, 9, "/text",
     "0xC4 is not UTF-8 (perhaps GB18030 or another double-byte encoding)"},
    {"{\"a\":\"\xE9\",\"b\":\"\\x\"}", BadRecordKind::kNotUtf8, 6, "/a",
     "0xE9 is not UTF-8 (looks like Latin-1 or Windows-1252)"},
    {"{\"a\":\"\\x\",\"b\":\"\xE9\"}", BadRecordKind::kBadEscape, 6, "/a",
     "\\x is no JSON escape"},
    {"{\"a\":\"\xE9", BadRecordKind::kNotUtf8, 6, "/a",
     "0xE9 is not UTF-8 (looks like Latin-1 or Windows-1252)"},
    {R"({"completion":NaN})", BadRecordKind::kNotANumber, 14, "/completion",
     "NaN is not JSON; Python's json accepts it"},
    {R"({"s":[1,-Infinity]})", BadRecordKind::kNotANumber, 8, "/s/1",
     "-Infinity is not JSON; Python's json accepts it"},
    {R"({"s":nan})", BadRecordKind::kNotANumber, 5, "/s", "nan is not JSON"},
    {R"({"a":True})", BadRecordKind::kSyntax, 5, "/a",
     "True is Python, not JSON"},
    {R"({'a':1})", BadRecordKind::kSyntax, 1, "",
     "single quotes: Python writes them, JSON does not"},
    {R"({"a":'b'})", BadRecordKind::kSyntax, 5, "/a",
     "single quotes: Python writes them, JSON does not"},
    {R"({"a":1 /* c */})", BadRecordKind::kSyntax, 7, "",
     "a comma or '}' is missing here"},
    {R"({"a":// c)", BadRecordKind::kSyntax, 5, "/a", "JSON has no comments"},
    {R"({"a":1,})", BadRecordKind::kSyntax, 7, "", "a comma before '}'"},
    {R"({"a":[1,2,]})", BadRecordKind::kSyntax, 10, "/a", "a comma before ']'"},
    {R"({"a" 1})", BadRecordKind::kSyntax, 5, "",
     "':' is missing after a member name"},
    {R"({a:1})", BadRecordKind::kSyntax, 1, "",
     "a member name in double quotes is missing here"},
    {R"({"a":})", BadRecordKind::kSyntax, 5, "/a",
     "a JSON value is missing here"},
    {R"({"a":01})", BadRecordKind::kSyntax, 5, "/a",
     "a number with a leading zero"},
    {R"({"a":1.})", BadRecordKind::kSyntax, 7, "/a",
     "a digit is missing in a number"},
    {R"({"a":-})", BadRecordKind::kSyntax, 6, "/a",
     "a digit is missing in a number"},
    {R"({"a":+1})", BadRecordKind::kSyntax, 5, "/a",
     "a JSON value is missing here"},
    {R"({"a":truex})", BadRecordKind::kSyntax, 9, "",
     "a comma or '}' is missing here"},
    {R"({"a":tru})", BadRecordKind::kSyntax, 5, "/a",
     "a JSON value is missing here"},
    {R"({"a":"\u12G4"})", BadRecordKind::kBadEscape, 6, "/a",
     "\\u without four hexadecimal digits"},
    {R"({"a":"x\8"})", BadRecordKind::kBadEscape, 7, "/a",
     "\\8 is no JSON escape"},
    {"{\"a\":\"x\ty\"}", BadRecordKind::kControlChar, 7, "/a",
     "a raw control character 0x09 in a string; write \\t"},
    {"{\"a\":\"x\x01\"}", BadRecordKind::kControlChar, 7, "/a",
     "a raw control character 0x01 in a string"},
    {R"({"a":1}{"b":2})", BadRecordKind::kTrailing, 7, "",
     "two values in one record; JSON Lines wants a line for each"},
    {R"({"a":1},)", BadRecordKind::kTrailing, 7, "",
     "a comma after the value; JSON Lines has none between records"},
    {R"({"a":1} x)", BadRecordKind::kTrailing, 8, "",
     "something follows after the value"},
    {R"({"text":"b")", BadRecordKind::kTruncated, 11, "",
     "the record ends inside an object"},
    {R"({"text":"b)", BadRecordKind::kTruncated, 10, "/text",
     "the record ends inside the string that begins at byte 8"},
    {R"({"a":[1)", BadRecordKind::kTruncated, 7, "/a",
     "the record ends inside an array"},
    {R"({"a":"\)", BadRecordKind::kTruncated, 7, "/a",
     "the record ends inside an escape"},
    {R"({"a":-)", BadRecordKind::kTruncated, 6, "/a",
     "the record ends inside a number"},
    {R"([1,2])", BadRecordKind::kNotAnObject, 0, "", "an array, not an object"},
    {R"(  "x")", BadRecordKind::kNotAnObject, 2, "", "a string, not an object"},
    {R"(12)", BadRecordKind::kNotAnObject, 0, "", "a number, not an object"},
    {R"(null)", BadRecordKind::kNotAnObject, 0, "", "null, not an object"},
    {"\xEF\xBB\xBF{\"a\":1}", BadRecordKind::kByteOrderMark, 0, "",
     "a byte order mark inside the file, as joining files leaves"},
    {std::string_view("{\"a\":\"x\0\"}", 10), BadRecordKind::kNulByte, 7, "/a",
     "a NUL byte: a hole in the file, or text in UTF-16"},
    {std::string_view("{\0\"\0", 4), BadRecordKind::kNulByte, 1, "",
     "a NUL byte: a hole in the file, or text in UTF-16"},
    {R"({"a/b~c":{"d":[0,{"e":x}]}})", BadRecordKind::kSyntax, 22,
     "/a~1b~0c/d/1/e", "a JSON value is missing here"},
};

TEST_CASE("a fault is told by kind, byte, pointer and message") {
  for (const FaultCase& c : kFaults) {
    INFO(std::string(c.record));
    const Parsed p(c.record);
    REQUIRE_FALSE(p.ok);
    CHECK(p.fault.kind == c.kind);
    CHECK(p.fault.byte == c.byte);
    CHECK(p.fault.pointer == c.pointer);
    CHECK(p.fault.message == c.message);
  }
}

TEST_CASE("limits of depth and values make bad records, never a crash") {
  JsonLimits limits;
  limits.max_depth = 3;
  CHECK(Parsed(R"({"a":[[1]]})", limits).ok);
  const Parsed deep(R"({"a":[[["x"]]]})", limits);
  REQUIRE_FALSE(deep.ok);
  CHECK(deep.fault.kind == BadRecordKind::kTooDeep);
  CHECK(deep.fault.byte == 7);
  CHECK(deep.fault.message == "nested deeper than 3");

  const std::string hostile(1'000'000, '[');
  CHECK(Parsed(hostile).fault.kind == BadRecordKind::kTooDeep);

  limits.max_values = 4;
  CHECK(Parsed(R"({"a":1,"b":2,"c":3})", limits).ok);
  const Parsed many(R"({"a":1,"b":2,"c":3,"d":4})", limits);
  REQUIRE_FALSE(many.ok);
  CHECK(many.fault.kind == BadRecordKind::kTooManyValues);
  CHECK(many.fault.message == "more than 4 values");
  // Numbers of an array are one value.
  CHECK(Parsed(R"({"a":[1,2,3,4,5,6,7,8,9],"b":2})", limits).ok);
}

}  // namespace
}  // namespace trainsight::scan
