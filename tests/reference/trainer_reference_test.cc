// What trainers make of rows, and what we make of them: ids, lengths and
// labels. Rows and figures are written by trainer_reference.py, which names the
// versions. One vocabulary is our own; the others, with their templates, come
// from the shared folder, without which the test says so and goes on.
#include <zlib.h>

#include <catch2/catch.hpp>
#include <cstdlib>
#include <fstream>
#include <iostream>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "trainsight/chat/jinja_template.h"
#include "trainsight/facts/conversations.h"
#include "trainsight/facts/measure_conversation.h"
#include "trainsight/records/extract.h"
#include "trainsight/scan/json_document.h"
#include "trainsight/targets/target_table.h"
#include "trainsight/text/xxhash64.h"
#include "trainsight/tokenize/load_files.h"

namespace trainsight::facts {
namespace {

using Json = nlohmann::ordered_json;
using Runs = std::vector<std::pair<std::uint64_t, std::uint64_t>>;
using records::Message;
using records::Sample;
using records::Side;

// A file of the shared folder's vocabularies, unpacked when it ends in .gz.
std::optional<std::string> read_shared(const std::string& path) {
  const char* shared = std::getenv("TRAINSIGHT_SHARED");
  const std::string full =
      std::string(shared == nullptr ? "../shared" : shared) + "/tokenizers/" +
      path;
  gzFile file = gzopen(full.c_str(), "rb");  // reads plain files too
  if (file == nullptr) {
    std::cout << "SKIPPED: " << full << " is missing\n";
    return std::nullopt;
  }
  std::string bytes;
  std::string buffer(1 << 20, '\0');
  for (int n = 0; (n = gzread(file, buffer.data(), 1 << 20)) > 0;) {
    bytes.append(buffer, 0, static_cast<std::size_t>(n));
  }
  gzclose(file);
  return bytes;
}

// A file of this folder.
std::optional<std::string> read_ours(const std::string& name) {
  std::ifstream file(std::string(TRAINSIGHT_REFERENCE_DIR) + "/" + name);
  REQUIRE(file);
  return std::string(std::istreambuf_iterator<char>(file), {});
}

std::vector<std::string> lines_of(const std::string& name) {
  std::ifstream file(std::string(TRAINSIGHT_REFERENCE_DIR) + "/" + name);
  REQUIRE(file);
  std::vector<std::string> lines;
  for (std::string line; std::getline(file, line);) lines.push_back(line);
  return lines;
}

struct Vocabulary {
  std::unique_ptr<tokenize::Tokenizer> tokenizer;
  std::unique_ptr<chat::JinjaTemplate> own;
  std::unique_ptr<chat::JinjaTemplate> generation;
};

// The same template in any case: the rows decide what is rendered with it.
std::unique_ptr<chat::JinjaTemplate> compiled(
    const std::string& source, const tokenize::TokenizerInfo& info) {
  chat::TemplateVariables variables;
  variables.bos_token = info.bos_token;
  variables.eos_token = info.eos_token;
  auto made = chat::JinjaTemplate::compile(source, variables);
  REQUIRE(made);
  return *std::move(made);
}

std::optional<Vocabulary> load(const std::string& name,
                               const std::string& generation) {
  const bool is_ours = name == "tiny";
  const auto model = is_ours ? read_ours(name + "/tokenizer.json")
                             : read_shared(name + "/tokenizer.json.gz");
  const auto config = is_ours ? read_ours(name + "/tokenizer_config.json")
                              : read_shared(name + "/tokenizer_config.json");
  if (!model || !config) return std::nullopt;
  tokenize::TokenizerFiles files;
  files.name = name;
  files.tokenizer_json = *model;
  files.tokenizer_config_json = *config;
  auto loaded = tokenize::load_tokenizer(files);
  REQUIRE(loaded);
  Vocabulary vocabulary;
  vocabulary.tokenizer = *std::move(loaded);
  const tokenize::TokenizerInfo& info = vocabulary.tokenizer->info();
  vocabulary.own = compiled(info.chat_template, info);
  vocabulary.generation = compiled(generation, info);
  return vocabulary;
}

// As the script writes it: XXH64 of the ids as little-endian 32-bit numbers.
std::string hash_of(const std::vector<std::uint32_t>& ids) {
  std::string bytes;
  for (const std::uint32_t id : ids) {
    for (unsigned shift = 0; shift < 32; shift += 8) {
      bytes += static_cast<char>(id >> shift & 0xFFu);
    }
  }
  return text::hex64(text::xxh64(bytes));
}

Runs runs_of(const Json& figure) {
  Runs runs;
  for (const Json& run : figure.at("labels")) {
    runs.emplace_back(run.at(0), run.at(1));
  }
  return runs;
}

// One sequence as we see it.
struct Sequence {
  std::vector<std::uint32_t> ids;
  Runs labels;
};

// Renders the messages of a side and finds what of it is learnt.
Sequence rendered(const targets::Target& target,
                  const chat::ChatTemplate& chat_template,
                  const tokenize::Tokenizer& tokenizer,
                  const scan::RowView& row, const Sample& sample, Side side) {
  std::vector<Message> messages;
  for (const Message& message : sample.messages) {
    if (message.side == Side::kBoth || message.side == side) {
      messages.push_back(message);
    }
  }
  const auto counter = tokenizer.make_counter();
  chat::Rendered out;
  const auto renderer = chat_template.make_renderer();
  ConversationWriter writer(target.conversations, tokenizer, *counter);
  REQUIRE(writer.write(*renderer, row, sample, messages, out));
  const bool is_text = target.conversations.pairs_as_texts &&
                       sample.type == records::SampleType::kDpo;
  Sequence sequence;
  counter->encode(out.text, sequence.ids);
  if (is_text) {  // the prompt's own ids, whichever cross
    std::uint64_t prompt = 0;
    for (const chat::Span& span : out.spans) {
      if (!span.trained) prompt = span.end;
    }
    std::vector<std::uint32_t> ids;
    counter->encode(std::string_view(out.text).substr(0, prompt), ids);
    std::copy(ids.begin(), ids.end(), sequence.ids.begin());
  }
  PrefixCounter prefixes(tokenizer, *counter);
  std::vector<std::uint64_t> ends;
  std::vector<std::uint8_t> learnt_from;
  for (std::size_t i = 0; i < out.spans.size(); ++i) {
    const bool begins = !is_text && i + 1 < out.spans.size() &&
                        !out.spans[i].trained && out.spans[i + 1].trained;
    ends.push_back(out.spans[i].end);
    learnt_from.push_back(begins ? 1 : 0);
  }
  std::vector<std::uint64_t> tokens;
  prefixes.count(out.text, ends, learnt_from, tokens);
  std::uint64_t before = 0;
  for (std::size_t i = 0; i < out.spans.size(); ++i) {
    const std::uint64_t here = std::max(before, tokens[i]);
    if (out.spans[i].trained && here > before) {
      if (!sequence.labels.empty() && sequence.labels.back().second == before) {
        sequence.labels.back().second = here;
      } else {
        sequence.labels.emplace_back(before, here);
      }
    }
    before = here;
  }
  return sequence;
}

RowFacts measured(const Vocabulary& vocabulary, const targets::Target& target,
                  const chat::ChatTemplate* chat_template,
                  const scan::RowView& row, const Sample& sample) {
  MeasureOptions options;
  options.tokenizer = vocabulary.tokenizer.get();
  options.chat_template = chat_template;
  options.plain = target.plain;
  options.plain_preferences = target.plain_preferences;
  options.conversations = target.conversations;
  RowFacts facts;
  Measurer(options).measure(row, sample, facts);
  return facts;
}

std::uint64_t label_tokens(const Runs& runs) {
  std::uint64_t sum = 0;
  for (const auto& [begin, end] : runs) sum += end - begin;
  return sum;
}

// A conversation, or the two of a pair, is the same in every figure.
void check_rendered(const Vocabulary& vocabulary, const targets::Target& target,
                    const std::string& mode, const Json& figure,
                    const scan::RowView& row, const Sample& sample) {
  const chat::ChatTemplate& chat_template =
      mode == "generation" ? *vocabulary.generation : *vocabulary.own;
  const RowFacts facts =
      measured(vocabulary, target, &chat_template, row, sample);
  CHECK((facts.flags & kTemplateRefused) == 0);
  if (figure.contains("chosen")) {
    CHECK(facts.chosen_side_tokens == figure["chosen"]["tokens"]);
    CHECK(facts.rejected_side_tokens == figure["rejected"]["tokens"]);
    for (const auto& [name, side] : {std::pair{"chosen", Side::kChosen},
                                     std::pair{"rejected", Side::kRejected}}) {
      INFO(name);
      const Sequence ours = rendered(target, chat_template,
                                     *vocabulary.tokenizer, row, sample, side);
      CHECK(hash_of(ours.ids) == figure[name]["ids"]);
      if (mode != "reward") CHECK(ours.labels == runs_of(figure[name]));
    }
    return;
  }
  CHECK(facts.tokens == figure["tokens"]);
  const Sequence ours = rendered(target, chat_template, *vocabulary.tokenizer,
                                 row, sample, Side::kBoth);
  CHECK(hash_of(ours.ids) == figure["ids"]);
  // Everything is learnt, whatever the template, or nothing at all.
  if (mode == "all" || sample.type == records::SampleType::kGrpo) return;
  const Runs theirs = runs_of(figure);
  CHECK(ours.labels == theirs);
  CHECK(facts.label_tokens == label_tokens(theirs));
  CHECK(facts.first_label == theirs.front().first);
  CHECK(facts.label_end == theirs.back().second);
}

// The ids of a sequence of plain texts. A BOS is the only thing that these
// vocabularies add to a text.
std::vector<std::uint32_t> ids_of(const tokenize::Tokenizer& tokenizer,
                                  const PlainTexts& how,
                                  const PlainSequence& sequence) {
  std::vector<std::uint32_t> ids;
  const auto counter = tokenizer.make_counter();
  if (sequence.before > 0) counter->encode(tokenizer.info().bos_token, ids);
  const std::string_view text = sequence.text;
  const std::size_t added = ids.size();
  if (how.joined) counter->encode(text, ids);
  std::uint64_t begin = 0;
  for (const PlainSequence::Part& part : sequence.parts) {
    if (!how.joined) {
      counter->encode(text.substr(begin, part.end - begin), ids);
    } else if (how.label_start == LabelStart::kPromptTokens && !part.trained) {
      std::vector<std::uint32_t> prompt;  // its own ids, whichever cross
      counter->encode(text.substr(0, part.end), prompt);
      std::copy(prompt.begin(), prompt.end(),
                ids.begin() + static_cast<std::ptrdiff_t>(added));
    }
    begin = part.end;
  }
  return ids;
}

// Texts without a template, as the target makes a sequence of them.
void check_plain(const Vocabulary& vocabulary, const targets::Target& target,
                 const Json& figure, const scan::RowView& row,
                 const Sample& sample) {
  const tokenize::Tokenizer& tokenizer = *vocabulary.tokenizer;
  const auto counter = tokenizer.make_counter();
  PrefixCounter prefixes(tokenizer, *counter);
  const PlainTexts& how =
      is_preference(sample.type) ? target.plain_preferences : target.plain;
  PlainMeasurer plain(how, tokenizer, *counter, prefixes);
  const RowFacts facts = measured(vocabulary, target, nullptr, row, sample);
  PlainSequence sequence;
  if (figure.contains("chosen")) {
    CHECK(facts.chosen_side_tokens == figure["chosen"]["tokens"]);
    CHECK(facts.rejected_side_tokens == figure["rejected"]["tokens"]);
    for (const auto& [name, side] : {std::pair{"chosen", Side::kChosen},
                                     std::pair{"rejected", Side::kRejected}}) {
      INFO(name);
      plain.measure(sample, side, sequence);
      CHECK(hash_of(ids_of(tokenizer, how, sequence)) == figure[name]["ids"]);
    }
    const Runs theirs = runs_of(figure["chosen"]);
    if (!theirs.empty()) {  // a reward model learns no tokens
      CHECK(facts.first_label == theirs.front().first);
      CHECK(facts.first_label == runs_of(figure["rejected"]).front().first);
      CHECK(facts.label_end == theirs.back().second);
      CHECK(facts.label_tokens == label_tokens(theirs));
    }
    return;
  }
  CHECK(facts.tokens == figure["tokens"]);
  if (plain.applies_to(sample)) {
    plain.measure(sample, Side::kBoth, sequence);
    CHECK(hash_of(ids_of(tokenizer, how, sequence)) == figure["ids"]);
  }
  const Runs theirs = runs_of(figure);
  CHECK(facts.label_tokens == label_tokens(theirs));
  if (theirs.empty()) return;  // a prompt
  CHECK(facts.first_label == theirs.front().first);
  CHECK(facts.label_end == theirs.back().second);
}

// Every row and mode of one trainer's figures.
void check_figures(const std::string& file, const std::string& target_name) {
  const targets::Target* target = targets::find_target(target_name);
  REQUIRE(target != nullptr);
  const std::vector<std::string> rows = lines_of("trainer_rows.jsonl");
  const std::vector<std::string> figures = lines_of(file);
  REQUIRE(rows.size() > 200);
  REQUIRE(figures.size() > 3 * rows.size());
  const Json head = Json::parse(figures.front());
  std::map<std::string, std::optional<Vocabulary>> vocabularies;
  for (const auto& [name, source] : head.at("generation_templates").items()) {
    vocabularies[name] = load(name, source);
  }
  REQUIRE(vocabularies.at("tiny"));
  for (std::size_t i = 1; i < figures.size(); ++i) {
    const Json figure = Json::parse(figures[i]);
    const auto& vocabulary =
        vocabularies.at(figure.at("vocabulary").get<std::string>());
    if (!vocabulary) continue;
    const std::string& json = rows.at(figure.at("line").get<std::size_t>() - 1);
    const auto mode = figure.at("mode").get<std::string>();
    INFO("line " << i + 1 << " of " << file << ", " << mode << ": " << json);
    auto document = scan::JsonDocument::parse(json, "row");
    REQUIRE(document);
    records::Extractor extractor;
    Sample sample;
    extractor.extract(document->view(), sample);
    if (sample.messages.empty()) {
      check_plain(*vocabulary, *target, figure, document->view(), sample);
    } else {
      check_rendered(*vocabulary, *target, mode, figure, document->view(),
                     sample);
    }
  }
}

TEST_CASE("ids, lengths and labels are those of TRL", "[facts]") {
  check_figures("trl_figures.jsonl", "trl");
}

TEST_CASE("ids, lengths and labels are those of axolotl", "[facts]") {
  check_figures("axolotl_figures.jsonl", "axolotl");
}

}  // namespace
}  // namespace trainsight::facts
