#include "mixture_args.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <charconv>
#include <cmath>

#include "trainsight/io/files.h"
#include "trainsight/scan/json_document.h"

namespace trainsight::cli {
namespace {

using scan::Value;
using scan::ValueKind;

constexpr std::uint64_t kMostFileBytes = 1u << 20;
constexpr std::size_t kMostInputs = 256;

bool is_weight(double weight) { return std::isfinite(weight) && weight > 0; }

// A list of numbers rather than the name of a file.
bool is_list(std::string_view text) {
  return text.find_first_not_of("0123456789.,eE+- ") == std::string_view::npos;
}

Error bad_weight(std::string_view weight, std::string_view of) {
  return Error{ErrorKind::kUsage,
               fmt::format("weight \"{}\"{}{} is no number above 0", weight,
                           of.empty() ? "" : " of ", of),
               "only the ratios of weights count: 0.7,0.3 is as 7,3"};
}

}  // namespace

void add_mixture_options(CLI::App& command, MixtureArgs& args) {
  command
      .add_option("--weights", args.weights,
                  "The inputs are a mixture: a weight for each in their order "
                  "(0.7,0.3), or a JSON file of weights by input")
      ->type_name("LIST|FILE")
      ->group("Data");
  command
      .add_option("--token-budget", args.token_budget,
                  "With --weights: tokens of the run, for passes over each "
                  "input")
      ->type_name("N")
      ->check(CLI::Range(std::uint64_t{1}, std::uint64_t{1} << 60))
      ->group("Data");
}

Result<std::vector<double>> weights_of(std::string_view list,
                                       std::size_t inputs) {
  std::vector<double> weights;
  std::string_view rest = list;
  while (true) {
    std::string_view word = rest.substr(0, rest.find(','));
    const std::size_t taken = word.size();
    while (!word.empty() && word.front() == ' ') word.remove_prefix(1);
    while (!word.empty() && word.back() == ' ') word.remove_suffix(1);
    double weight = 0;
    const std::from_chars_result read =
        std::from_chars(word.data(), word.data() + word.size(), weight);
    if (read.ec != std::errc() || read.ptr != word.data() + word.size() ||
        !is_weight(weight)) {
      return bad_weight(word, "");
    }
    weights.push_back(weight);
    if (taken == rest.size()) break;
    rest.remove_prefix(taken + 1);
  }
  if (weights.size() != inputs) {
    return Error{ErrorKind::kUsage,
                 fmt::format("{} weight{} for {} input{}", weights.size(),
                             weights.size() == 1 ? "" : "s", inputs,
                             inputs == 1 ? "" : "s"),
                 "give one a PATH, in their order; a folder is one input"};
  }
  return weights;
}

Result<std::vector<double>> weights_of_file(
    std::string_view json, std::string_view name,
    const std::vector<std::string>& inputs) {
  auto document = scan::JsonDocument::parse(json, name);
  if (!document) return document.error();
  const scan::RowView& view = document->view();
  std::vector<double> weights(inputs.size(), 0.0);
  for (const Value* v = view.first_child(view.root()); v != nullptr;
       v = view.next_child(view.root(), *v)) {
    const auto input = std::find(inputs.begin(), inputs.end(), v->key);
    const std::string place =
        fmt::format("{}:{}", name, document->place_of(*v));
    if (input == inputs.end()) {
      return Error{
          ErrorKind::kUsage,
          fmt::format("{}: \"{}\" is none of the inputs", place, v->key),
          "write the paths as on the command line"};
    }
    const double weight = v->is(ValueKind::kInteger)
                              ? static_cast<double>(v->integer)
                          : v->is(ValueKind::kReal) ? v->real
                                                    : 0.0;
    if (!is_weight(weight)) {
      return Error{ErrorKind::kUsage,
                   fmt::format("{}: the weight of \"{}\" is no number above 0",
                               place, v->key),
                   ""};
    }
    weights[static_cast<std::size_t>(input - inputs.begin())] = weight;
  }
  const auto missing = std::find(weights.begin(), weights.end(), 0.0);
  if (missing != weights.end()) {
    return Error{
        ErrorKind::kUsage,
        fmt::format(
            "{}: no weight for {}", name,
            inputs[static_cast<std::size_t>(missing - weights.begin())]),
        "write the paths as on the command line"};
  }
  return weights;
}

Result<MixtureTally> MixtureTally::make(const MixtureArgs& args,
                                        const std::vector<std::string>& inputs,
                                        const ScanSettings& settings) {
  if (inputs.size() > kMostInputs) {
    return Error{ErrorKind::kUsage,
                 fmt::format("--weights takes at most {} inputs", kMostInputs),
                 "a folder or glob is one input"};
  }
  std::vector<std::string> sorted = inputs;
  std::sort(sorted.begin(), sorted.end());
  if (const auto twice = std::adjacent_find(sorted.begin(), sorted.end());
      twice != sorted.end()) {
    return Error{ErrorKind::kUsage,
                 fmt::format("{} is given twice, with two weights", *twice),
                 "add the weights up"};
  }
  auto weights = [&]() -> Result<std::vector<double>> {
    if (is_list(args.weights)) {
      return weights_of(args.weights, inputs.size());
    }
    auto bytes = io::read_file(args.weights, kMostFileBytes);
    if (!bytes) return bytes.error();
    return weights_of_file(*bytes, args.weights, inputs);
  }();
  if (!weights) return weights.error();
  MixtureTally tally;
  tally.mixture_.token_budget = args.token_budget;
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    tally.mixture_.sources.push_back({inputs[i], (*weights)[i], 0, 0});
  }
  tally.lengths_.resize(inputs.size());
  for (const pipeline::InputFile& file : settings.scan.files) {
    tally.input_of_file_.push_back(file.input);
  }
  return tally;
}

void MixtureTally::add(const std::vector<facts::RowFacts>& rows) {
  for (const facts::RowFacts& row : rows) {
    // Rows of no known shape have no length.
    if (row.schema >= 0) lengths_[input_of_file_[row.file]].add(row.tokens);
  }
}

manifest::MixtureProfile MixtureTally::finish() const {
  manifest::MixtureProfile mixture = mixture_;
  std::vector<stats::WeightedSource> sources;
  bool is_complete = true;
  for (std::size_t i = 0; i < lengths_.size(); ++i) {
    mixture.sources[i].records = lengths_[i].count();
    mixture.sources[i].tokens = lengths_[i].sum();
    is_complete = is_complete && lengths_[i].count() > 0;
    sources.push_back({mixture.sources[i].weight, &lengths_[i]});
  }
  if (is_complete) mixture.figures = stats::mix(sources);
  return mixture;
}

}  // namespace trainsight::cli
