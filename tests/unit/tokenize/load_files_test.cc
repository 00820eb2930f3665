#include "trainsight/tokenize/load_files.h"

#include <catch2/catch.hpp>
#include <cstring>
#include <iterator>
#include <map>
#include <random>
#include <string>
#include <string_view>
#include <vector>

#include "trainsight/text/utf8.h"
#include "trainsight/tokenize/hub_cache.h"

namespace trainsight::tokenize {
namespace {

using Ids = std::vector<std::uint32_t>;

Result<std::unique_ptr<Tokenizer>> load_json(std::string_view json,
                                             std::string_view config = {}) {
  TokenizerFiles files;
  files.name = "tiny";
  files.tokenizer_json = json;
  if (!config.empty()) files.tokenizer_config_json = config;
  return load_tokenizer(files);
}

Ids encode(const Tokenizer& tokenizer, std::string_view text) {
  const auto counter = tokenizer.make_counter();
  Ids ids;
  counter->encode(text, ids);
  CHECK(counter->count(text) == ids.size());
  CHECK(counter->count(text) == ids.size());
  return ids;
}

std::string error_of(std::string_view json) {
  const auto loaded = load_json(json);
  return loaded ? "loaded" : loaded.error().message;
}

// A model over a few pieces, with what stands around it.
std::string tiny_json(const std::string& members, const std::string& model) {
  return "{" + members + (members.empty() ? "" : ",") + "\"model\":{" + model +
         "}}";
}

constexpr const char* kMarkBpe =
    R"("type":"BPE","unk_token":"<unk>","fuse_unk":true,
       "vocab":{"<unk>":0,"▁":1,"a":2,"b":3,"▁a":4,"ab":5},
       "merges":["▁ a",["a","b"]])";

TEST_CASE("both spellings of merges and a prepended mark are read") {
  const auto tokenizer = load_json(tiny_json(
      R"("normalizer":{"type":"Sequence","normalizers":[
           {"type":"Prepend","prepend":"▁"},
           {"type":"Replace","pattern":{"String":" "},"content":"▁"}]})",
      kMarkBpe));
  REQUIRE(tokenizer);
  CHECK(encode(**tokenizer, "ab b") == Ids{4, 3, 1, 3});
  CHECK(encode(**tokenizer, "xyb") == Ids{1, 0, 3});
  CHECK((*tokenizer)->info().kind == "BPE");
  CHECK((*tokenizer)->info().vocabulary_size == 6);
}

TEST_CASE("a normalized token is searched in the normalized text") {
  const auto tokenizer = load_json(tiny_json(
      R"("added_tokens":[{"id":6,"content":"<s>","normalized":true,
                          "special":true}],
         "normalizer":{"type":"Sequence","normalizers":[
           {"type":"Prepend","prepend":"▁"},
           {"type":"Replace","pattern":{"String":" "},"content":"▁"}]})",
      kMarkBpe));
  REQUIRE(tokenizer);
  // It is "▁<s>" there: after a space or at the beginning, not after a letter.
  CHECK(encode(**tokenizer, "<s>ab") == Ids{6, 5});
  CHECK(encode(**tokenizer, "a <s>b") == Ids{4, 6, 3});
  CHECK(encode(**tokenizer, "b<s>") == Ids{1, 3, 0});
}

TEST_CASE("Metaspace puts its mark before the first segment only") {
  const auto tokenizer = load_json(tiny_json(
      R"("added_tokens":[{"id":6,"content":"[X]","normalized":false}],
         "pre_tokenizer":{"type":"Metaspace","replacement":"▁",
                          "prepend_scheme":"first","split":false})",
      kMarkBpe));
  REQUIRE(tokenizer);
  CHECK(encode(**tokenizer, "a[X]a") == Ids{4, 6, 2});
  CHECK(encode(**tokenizer, "[X] a") == Ids{6, 4});
}

// tokenizers 0.23.3: what is left of " a" begins at offset 1, not at 0.
TEST_CASE("Metaspace puts no mark where the text's beginning is taken away") {
  const auto tokenizer = load_json(tiny_json(
      R"("normalizer":{"type":"Strip"},
         "pre_tokenizer":{"type":"Metaspace","replacement":"▁",
                          "prepend_scheme":"first"})",
      kMarkBpe));
  REQUIRE(tokenizer);
  CHECK(encode(**tokenizer, "a ") == Ids{4});
  CHECK(encode(**tokenizer, " a") == Ids{2});
}

// A byte-level vocabulary of all bytes and three merges.
std::string byte_level_json(const std::string& members) {
  std::string vocab;
  std::uint32_t id = 0;
  char32_t next = 0x100;
  for (unsigned byte = 0; byte < 256; ++byte) {
    const bool printable = (byte >= 0x21 && byte <= 0x7E) ||
                           (byte >= 0xA1 && byte <= 0xAC) || byte >= 0xAE;
    const char32_t c = printable ? byte : next++;
    std::string key;
    if (c == '"' || c == '\\') key += '\\';
    if (c < 0x80) {
      key += static_cast<char>(c);
    } else {
      key += static_cast<char>(0xC0 | c >> 6);
      key += static_cast<char>(0x80 | (c & 0x3F));
    }
    vocab += "\"" + key + "\":" + std::to_string(id++) + ",";
  }
  return tiny_json(members, "\"type\":\"BPE\",\"vocab\":{" + vocab +
                                R"("Ġa":256,"ab":257,"Ã©":258},
                                "merges":["Ġ a","a b","Ã ©"])");
}

TEST_CASE("byte-level BPE goes by its pre-tokenizer") {
  const auto tokenizer = load_json(byte_level_json(
      R"("pre_tokenizer":{"type":"ByteLevel","add_prefix_space":false,
                          "use_regex":true},
         "post_processor":{"type":"TemplateProcessing","single":[
           {"SpecialToken":{"id":"<s>","type_id":0}},
           {"Sequence":{"id":"A","type_id":0}}],
           "special_tokens":{"<s>":{"id":"<s>","ids":[0],"tokens":["<s>"]}}})"));
  REQUIRE(tokenizer);
  CHECK(encode(**tokenizer, "ab ab é") == Ids{257, 256, 'b', ' ', 258});
  CHECK((*tokenizer)->info().tokens_added_per_text == 1);
  CHECK((*tokenizer)->info().tokens_added_before == 1);
  CHECK((*tokenizer)->info().kind == "byte-level BPE");
}

TEST_CASE("a prefix space and a cut after ByteLevel go step by step") {
  const auto with_space = load_json(byte_level_json(
      R"("pre_tokenizer":{"type":"ByteLevel","add_prefix_space":true})"));
  REQUIRE(with_space);
  CHECK(encode(**with_space, "ab") == Ids{256, 'b'});
  const auto with_digits = load_json(byte_level_json(
      R"("pre_tokenizer":{"type":"Sequence","pretokenizers":[
           {"type":"ByteLevel","add_prefix_space":false,"use_regex":false},
           {"type":"Split","pattern":{"String":"b"},"behavior":"Isolated",
            "invert":false}]})"));
  REQUIRE(with_digits);
  CHECK(encode(**with_digits, "ab") == Ids{'a', 'b'});
}

TEST_CASE("WordPiece is found without a type and counts in chunks") {
  const auto tokenizer = load_json(tiny_json(
      R"("truncation":{"max_length":1},"padding":null,
         "normalizer":{"type":"BertNormalizer","lowercase":true},
         "pre_tokenizer":{"type":"BertPreTokenizer"})",
      R"("unk_token":"[UNK]","continuing_subword_prefix":"##",
         "max_input_chars_per_word":100,
         "vocab":{"[UNK]":0,"a":1,"##b":2,",":3,"你":4,"x":5})"));
  REQUIRE(tokenizer);
  CHECK(encode(**tokenizer, "Ab, aB x你a q\u0301 ") ==
        Ids{1, 2, 3, 1, 2, 5, 4, 1, 0});
  CHECK((*tokenizer)->info().notes ==
        std::vector<std::string>{"tokenizer.json: truncation is ignored"});
}

TEST_CASE("WordPiece counts ideographs, and what is beside them, in chunks") {
  // encode() goes through whole texts, count() through chunks.
  constexpr std::string_view kParts[] = {
      "你",     "好", "㐀", "䷀",      "中",     "豈",    "，",     "。",
      "a",      "B",  "é",  "e\u0301", "\u0301", " ",     "  ",     "\n",
      "\u00A0", ",",  "12", "한",      "か",     "𠀀",    "\u200d", " ж",
      "и ",     " क", "ि ", "\u037A",  "\u0E33", "\uFE70"};
  std::mt19937 random(3);  // the same texts on every run
  for (const char* chinese : {"true", "false"}) {
    for (const char* accents : {"true", "false"}) {
      const auto tokenizer = load_json(tiny_json(
          R"("normalizer":{"type":"BertNormalizer","lowercase":true,
             "strip_accents":)" +
              std::string(accents) + R"(,"handle_chinese_chars":)" + chinese +
              R"(},"pre_tokenizer":{"type":"BertPreTokenizer"})",
          R"("unk_token":"[UNK]","continuing_subword_prefix":"##",
             "max_input_chars_per_word":100,
             "vocab":{"[UNK]":0,"a":1,"##b":2,",":3,"你":4,"##好":5,"b":6,
                      "12":7,"e":8,"##中":9,"##a":10})"));
      INFO((tokenizer ? "" : tokenizer.error().message));
      REQUIRE(tokenizer);
      for (int i = 0; i < 300; ++i) {
        std::string text;
        const std::size_t parts = i < 290 ? random() % 40 : 4000;
        for (std::size_t part = 0; part < parts; ++part) {
          text += kParts[random() % std::size(kParts)];
        }
        CAPTURE(chinese, accents, text.substr(0, 200));
        encode(**tokenizer, text);  // checks the count
      }
    }
  }
}

TEST_CASE("Unigram with marks before words counts in chunks") {
  const auto tokenizer = load_json(tiny_json(
      R"("pre_tokenizer":{"type":"Sequence","pretokenizers":[
           {"type":"WhitespaceSplit"},
           {"type":"Metaspace","replacement":"▁","add_prefix_space":true}]})",
      R"("unk_id":0,"vocab":[["<unk>",0.0],["▁",-2.0],["a",-1.0],
                             ["▁a",-1.5],["b",-1.0]])"));
  REQUIRE(tokenizer);
  CHECK(encode(**tokenizer, "ab a  b xy") == Ids{3, 4, 3, 1, 4, 1, 0});
}

TEST_CASE("Unigram counts scripts and the marks beside spaces in chunks") {
  // Any character may be beside a space: one that joins it, composes with what
  // is behind the space, is taken away or becomes spaces itself.
  constexpr std::string_view kForms[] = {"NFC", "NFD", "NFKC", "NFKD"};
  std::mt19937 random(11);
  for (const std::string_view form : kForms) {
    for (const char* more :
         {R"(,{"type":"Lowercase"})", R"(,{"type":"StripAccents"})",
          R"(,{"type":"Nmt"})",
          R"(,{"type":"Replace","pattern":{"Regex":" {2,}"},"content":" "})"}) {
      const auto tokenizer = load_json(tiny_json(
          R"("normalizer":{"type":"Sequence","normalizers":[{"type":")" +
              std::string(form) + "\"}" + more +
              R"(]},"pre_tokenizer":{"type":"Sequence","pretokenizers":[
                 {"type":"WhitespaceSplit"},
                 {"type":"Metaspace","replacement":"▁"}]})",
          R"("unk_id":0,"vocab":[["<unk>",0.0],["▁",-2.0],["a",-1.0],
             ["▁a",-1.5],["▁▁",-3.0],["▁a▁",-0.5],["é",-1.0]])"));
      REQUIRE(tokenizer);
      for (int i = 0; i < 60; ++i) {
        std::string text;
        const std::size_t characters = i < 58 ? random() % 80 : 3000;
        for (std::size_t n = 0; n < characters; ++n) {
          constexpr char32_t kLimits[] = {0x80, 0x800, 0x3100, 0x20000,
                                          0x110000};
          char32_t c = static_cast<char32_t>(random() % kLimits[random() % 5]);
          if (c >= 0xD800 && c < 0xE000) c = U'a';
          switch (random() % 4) {
            case 0:
              text += random() % 4 == 0 ? "  " : " ";
              break;
            case 1:
              text += "a";
              break;
            default:
              text::append_utf8(text, c);
          }
        }
        CAPTURE(form, more, text.substr(0, 400));
        encode(**tokenizer, text);  // checks the count
      }
    }
  }
}

TEST_CASE("scores are what the reference makes of their digits") {
  // Read to the nearest double, W WW and WW W have the same sum behind these
  // two pieces, and the first found stays; tokenizers 0.23.3 has WW W.
  const auto tokenizer = load_json(tiny_json(
      "", R"("unk_id":0,"vocab":[["<unk>",0.0],["_",-2.1267833709716797],
               ["'",-4.6535563468933105],["W",-9.169524192810059],
               ["WW",-12.235376358032227]])"));
  REQUIRE(tokenizer);
  CHECK(encode(**tokenizer, "_'WWW'") == Ids{1, 2, 4, 3, 2});
}

TEST_CASE("what is not understood is refused by name") {
  CHECK(error_of("[]") == "tokenizer.json: not a JSON object");
  CHECK(error_of("{}") == "tokenizer.json: no model in it");
  CHECK(error_of(R"({"model":{"type":"Magic"}})") ==
        "tokenizer.json: model \"Magic\" is not supported");
  CHECK(error_of(tiny_json(R"("normalizer":{"type":"Rot13"})", kMarkBpe)) ==
        "tokenizer.json: normalizer \"Rot13\" is not supported");
  CHECK(error_of(tiny_json(R"("pre_tokenizer":{"type":"UnicodeScripts"})",
                           kMarkBpe)) ==
        "tokenizer.json: pre_tokenizer \"UnicodeScripts\" is not supported");
  CHECK(error_of(tiny_json("", R"("type":"BPE","dropout":0.1,"vocab":{"a":0},
                                  "merges":[])")) ==
        "tokenizer.json: BPE dropout gives another result each time");
  CHECK(error_of(tiny_json("", R"("type":"BPE","vocab":{"a":0},
                                  "merges":["a b"])")) ==
        "tokenizer.json: merge 1 needs \"b\", not in the vocabulary");
  CHECK(error_of(tiny_json("", R"("type":"BPE","vocab":{"a":99999999},
                                  "merges":[])")) ==
        "tokenizer.json: piece \"a\" has no sensible id");
}

TEST_CASE("files together: the config describes, the first file defines") {
  const std::string json = tiny_json("", kMarkBpe);
  TokenizerFiles files;
  files.name = "dir";
  files.tokenizer_json = json;
  files.tekken_json = "broken";
  // model_max_length as transformers writes "no limit".
  files.tokenizer_config_json =
      R"({"model_max_length":1000000000000000019884624838656,
          "bos_token":{"content":"<s>"},"eos_token":"</s>",
          "tokenizer_class":"LlamaTokenizerFast","add_bos_token":true,
          "chat_template":[{"name":"tool_use","template":"T"},
                           {"name":"default","template":"D"}]})";
  const auto tokenizer = load_tokenizer(files);
  REQUIRE(tokenizer);
  const TokenizerInfo& info = (*tokenizer)->info();
  CHECK(info.bos_token == "<s>");
  CHECK(info.eos_token == "</s>");
  CHECK(info.chat_template == "D");
  CHECK(info.tokens_added_per_text == 1);
  CHECK(info.notes.size() == 1);

  files.chat_template_jinja = "J";
  CHECK((*load_tokenizer(files))->info().chat_template == "J");
  const auto none =
      load_tokenizer(TokenizerFiles{"dir", {}, {}, {}, {}, {}, {}, {}, {}});
  REQUIRE_FALSE(none);
  CHECK(none.error().kind == ErrorKind::kNotFound);
}

TEST_CASE("tekken: ids are ranks above the special tokens") {
  std::string vocab;
  for (int byte = 0; byte < 256; ++byte) {
    constexpr std::string_view kDigits =
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    vocab += R"({"rank":)" + std::to_string(byte) + R"(,"token_bytes":")" +
             kDigits[static_cast<unsigned>(byte) / 4] +
             kDigits[static_cast<unsigned>(byte) % 4 * 16] + "==\"},";
  }
  vocab += R"({"rank":256,"token_bytes":"YWI="},)"  // ab
           R"({"rank":257,"token_bytes":"YWJi"})";  // abb, cut off
  TokenizerFiles files;
  const std::string json =
      R"json({"config":{"pattern":"[^\\p{N}]+|\\p{N}","default_vocab_size":260,)json"
      R"json("default_num_special_tokens":3},"vocab":[)json" +
      vocab + "]}";
  files.tekken_json = json;
  const auto tokenizer = load_tokenizer(files);
  REQUIRE(tokenizer);
  CHECK(encode(**tokenizer, "abb") == Ids{259, 'b' + 3});
  CHECK((*tokenizer)->info().vocabulary_size == 260);
}

// A SentencePiece model, field by field.
class ModelWriter {
 public:
  void piece(std::string_view text, float score, int type) {
    std::string message = field(1, 2) + bytes(text) + field(2, 5);
    char raw[4];
    std::memcpy(raw, &score, 4);
    message.append(raw, 4);
    message += field(3, 0) + static_cast<char>(type);
    model_ += field(1, 2) + bytes(message);
  }
  void trainer(int model_type) {
    model_ += field(2, 2) + bytes(field(3, 0) + static_cast<char>(model_type));
  }
  void normalizer(bool dummy_prefix, bool remove_extra) {
    model_ +=
        field(3, 2) + bytes(field(3, 0) + static_cast<char>(dummy_prefix) +
                            field(4, 0) + static_cast<char>(remove_extra));
  }
  [[nodiscard]] const std::string& model() const { return model_; }

 private:
  static std::string field(int number, int wire) {
    return std::string(1, static_cast<char>(number << 3 | wire));
  }
  static std::string bytes(std::string_view text) {
    return static_cast<char>(text.size()) + std::string(text);
  }
  std::string model_;
};

Result<std::unique_ptr<Tokenizer>> load_model(std::string_view model) {
  TokenizerFiles files;
  files.sentencepiece_model = model;
  return load_tokenizer(files);
}

TEST_CASE("a SentencePiece BPE merges by score") {
  ModelWriter writer;
  writer.piece("<unk>", 0, 2);
  writer.piece("<s>", 0, 3);
  writer.piece("▁", -9, 1);
  writer.piece("a", -9, 1);
  writer.piece("b", -9, 1);
  writer.piece("ab", -1, 1);
  writer.piece("▁a", -2, 1);
  writer.piece("[T]", 0, 4);
  writer.trainer(2);
  writer.normalizer(true, false);
  const auto tokenizer = load_model(writer.model());
  REQUIRE(tokenizer);
  CHECK(encode(**tokenizer, "ab a") == Ids{2, 5, 6});
  CHECK(encode(**tokenizer, "a[T]xyb") == Ids{6, 7, 0, 4});
  CHECK(encode(**tokenizer, "").empty());
  // Control pieces are plain text.
  CHECK(encode(**tokenizer, "<s>") == Ids{2, 0});
}

TEST_CASE("a SentencePiece Unigram drops extra white space") {
  ModelWriter writer;
  writer.piece("<unk>", 0, 2);
  writer.piece("▁a", -1, 1);
  writer.piece("▁", -3, 1);
  writer.piece("a", -3, 1);
  writer.trainer(1);
  writer.normalizer(true, true);
  const auto tokenizer = load_model(writer.model());
  REQUIRE(tokenizer);
  CHECK(encode(**tokenizer, "  a   aa ") == Ids{1, 1, 3});
  CHECK(encode(**tokenizer, "   ").empty());
}

TEST_CASE("damaged and unknown SentencePiece models are refused") {
  const auto broken = load_model("\x0A\xFF\xFF");
  REQUIRE_FALSE(broken);
  CHECK(broken.error().message ==
        "SentencePiece model: not a model, or damaged");
  ModelWriter words;
  words.piece("<unk>", 0, 2);
  words.trainer(3);
  const auto word_model = load_model(words.model());
  REQUIRE_FALSE(word_model);
  CHECK(word_model.error().kind == ErrorKind::kUnsupported);
}

// A file system of names.
class NamedFiles final : public FileProvider {
 public:
  std::map<std::string, std::string> files;
  [[nodiscard]] bool is_file(const std::string& path) const override {
    return files.count(path) > 0;
  }
  [[nodiscard]] bool is_directory(const std::string& path) const override {
    const auto next = files.lower_bound(path + "/");
    return next != files.end() &&
           next->first.compare(0, path.size() + 1, path + "/") == 0;
  }
  [[nodiscard]] std::optional<std::string> read_small(
      const std::string& path) const override {
    const auto found = files.find(path);
    if (found == files.end()) return std::nullopt;
    return found->second;
  }
};

TEST_CASE("a model's name is looked up in the local cache") {
  NamedFiles files;
  const std::string model = "/h/.cache/huggingface/hub/models--Org--Name";
  files.files[model + "/refs/main"] = "abc123\n";
  files.files[model + "/snapshots/abc123/tokenizer.json"] = "{}";
  files.files["dir/tokenizer.json"] = "{}";
  HubEnvironment environment;
  environment.home = "/h";
  CHECK(*find_tokenizer("dir", environment, files) == "dir");
  CHECK(*find_tokenizer("Org/Name", environment, files) ==
        model + "/snapshots/abc123");
  CHECK(*find_tokenizer("Org/Name@abc123", environment, files) ==
        model + "/snapshots/abc123");

  const auto revision = find_tokenizer("Org/Name@v2", environment, files);
  REQUIRE_FALSE(revision);
  CHECK(revision.error().message ==
        "tokenizer Org/Name@v2: the cache has no revision v2");
  const auto escape = find_tokenizer("../../etc", environment, files);
  REQUIRE_FALSE(escape);
  CHECK(escape.error().message ==
        "tokenizer ../../etc: no such file or folder");
  const auto missing = find_tokenizer("Org/Other", environment, files);
  REQUIRE_FALSE(missing);
  CHECK(missing.error().hint ==
        "give a file or folder, or fetch it with: hf download Org/Other");
}

TEST_CASE("the cache's folder is what the environment says") {
  CHECK(hub_cache_folder({"/c", "/f", "/x", "/h"}) == "/c");
  CHECK(hub_cache_folder({"", "/f", "/x", "/h"}) == "/f/hub");
  CHECK(hub_cache_folder({"", "", "/x", "/h"}) == "/x/huggingface/hub");
  CHECK(hub_cache_folder({}) == "");
}

}  // namespace
}  // namespace trainsight::tokenize
