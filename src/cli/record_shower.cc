#include "record_shower.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "trainsight/records/schema_table.h"
#include "trainsight/targets/survival.h"
#include "trainsight/text/json_text.h"
#include "trainsight/text/utf8.h"

namespace trainsight::cli {
namespace {

using records::Message;
using records::Sample;
using records::SampleType;
using records::Side;

// "prompt (string), n (number)": what a row of no known shape has.
std::string members_of(const scan::RowView& row) {
  constexpr std::size_t kMostMembers = 12;
  constexpr std::string_view kKinds[] = {"null",   "boolean", "number",
                                         "number", "string",  "list",
                                         "list",   "object"};
  std::string all;
  std::size_t count = 0;
  const scan::Value& root = row.root();
  for (const scan::Value* v = row.first_child(root); v != nullptr;
       v = row.next_child(root, *v)) {
    if (++count > kMostMembers) return all + ", …";
    if (!all.empty()) all += ", ";
    std::string key(v->key.substr(0, 40));
    all +=
        fmt::format("{} ({})", key, kKinds[static_cast<std::size_t>(v->kind)]);
  }
  return all;
}

// The label of what stands around a text by the tokenizer's own rule.
constexpr std::string_view kAdded = "added";

}  // namespace

report::RecordSequence RecordShower::of_pieces(const Sample& sample,
                                               Side side) {
  report::RecordSequence sequence;
  std::string scratch;
  for (const records::Piece& piece : sample.pieces) {
    if (piece.side != Side::kBoth && piece.side != side) continue;
    report::RecordSpan span;
    span.text = text::as_utf8(piece.text, scratch);
    span.label = records::name_of(piece.field);
    span.trained = piece.trained;
    span.tokens = counter_->count(span.text);
    sequence.tokens += span.tokens;
    if (span.trained) sequence.trained_tokens += span.tokens;
    sequence.spans.push_back(std::move(span));
  }
  return sequence;
}

// Plain texts as the target makes a sequence of them; of_pieces() where it does
// nothing with them.
report::RecordSequence RecordShower::of_plain(const Sample& sample, Side side) {
  const bool preference = facts::is_preference(sample.type);
  facts::PlainMeasurer& plain = preference ? plain_preferences_ : plain_;
  if (!plain.applies_to(sample)) return of_pieces(sample, side);
  const tokenize::TokenizerInfo& info = settings_.tokenizer->info();
  facts::PlainSequence made;
  plain.measure(sample, side, made);
  report::RecordSequence sequence;
  const auto add_around = [&sequence](std::uint32_t tokens,
                                      const std::string& text, bool trained) {
    if (tokens == 0) return;
    sequence.spans.push_back({text, std::string(kAdded), trained, tokens});
  };
  add_around(made.before, info.bos_token, made.first_label == 0);
  std::uint64_t begin = 0;
  for (const facts::PlainSequence::Part& part : made.parts) {
    const records::Piece& piece = sample.pieces[part.piece];
    // Of texts without a prompt, what both sides begin with is it.
    const bool is_answer = part.trained || piece.side == Side::kBoth;
    sequence.spans.push_back(
        {made.text.substr(begin, part.end - begin),
         std::string(records::name_of(is_answer ? piece.field
                                                : records::Field::kPrompt)),
         part.trained, part.tokens});
    begin = part.end;
  }
  add_around(made.behind, info.eos_token, made.label_tokens > 0);
  sequence.tokens = made.tokens;
  sequence.trained_tokens = made.label_tokens;
  is_one_text_ = plain.joins();
  return sequence;
}

report::RecordSequence RecordShower::of_rendered(
    const Sample& sample, const std::vector<Message>& messages) {
  report::RecordSequence sequence;
  std::vector<std::uint64_t> ends;
  std::vector<std::uint8_t> learnt_from;
  const bool is_text =
      writer_.how().pairs_as_texts && sample.type == SampleType::kDpo;
  for (std::size_t i = 0; i < rendered_.spans.size(); ++i) {
    const bool begins = !is_text && i + 1 < rendered_.spans.size() &&
                        !rendered_.spans[i].trained &&
                        rendered_.spans[i + 1].trained;
    ends.push_back(rendered_.spans[i].end);
    learnt_from.push_back(begins ? 1 : 0);
  }
  if (ends.empty()) return sequence;
  std::vector<std::uint64_t> tokens;
  prefixes_.count(rendered_.text, ends, learnt_from, tokens);
  std::uint64_t before = 0;
  for (std::size_t i = 0; i < rendered_.spans.size(); ++i) {
    const chat::Span& from = rendered_.spans[i];
    report::RecordSpan span;
    span.text = rendered_.text.substr(from.begin, from.end - from.begin);
    const auto message = static_cast<std::size_t>(from.message);
    span.label = from.kind == chat::SpanKind::kContent && from.message >= 0 &&
                         message < messages.size()
                     ? std::string(messages[message].role_name)
                     : "template";
    span.trained = from.trained && sample.type != SampleType::kGrpo;
    const std::uint64_t here = std::max(before, tokens[i]);
    span.tokens = here - before;
    if (span.trained) sequence.trained_tokens += span.tokens;
    before = here;
    sequence.spans.push_back(std::move(span));
  }
  sequence.tokens = before;
  return sequence;
}

// The ids in runs of learnt and masked ones; -100 is PyTorch's ignore_index.
report::RecordSequence RecordShower::of_ids(const Sample& sample,
                                            report::RecordView& view) const {
  constexpr std::int64_t kMasked = -100;
  report::RecordSequence sequence;
  sequence.name = "sequence";
  std::vector<std::int64_t> labels;
  const bool has_labels = sample.ids.labels != nullptr;
  if (has_labels && sample.ids.labels->is(scan::ValueKind::kNumbers)) {
    scan::for_each_integer(*sample.ids.labels,
                           [&](std::int64_t n) { labels.push_back(n); });
  }
  if (sample.ids.input_ids->is(scan::ValueKind::kNumbers)) {
    scan::for_each_integer(*sample.ids.input_ids, [&](std::int64_t id) {
      const std::size_t at = sequence.tokens++;
      const bool trained =
          !has_labels || (at < labels.size() && labels[at] != kMasked);
      if (sequence.spans.empty() || sequence.spans.back().trained != trained) {
        report::RecordSpan& span = sequence.spans.emplace_back();
        span.label = "ids";
        span.trained = trained;
      }
      report::RecordSpan& span = sequence.spans.back();
      if (!span.text.empty()) span.text += ' ';
      span.text += std::to_string(id);
      ++span.tokens;
      if (trained) ++sequence.trained_tokens;
    });
  }
  if (sequence.tokens < sample.ids.input_ids->count) {
    sequence.tokens = sample.ids.input_ids->count;
    view.notes.emplace_back("only the number of its ids is stored here");
  }
  if (has_labels && sample.ids.labels->count != sample.ids.input_ids->count) {
    view.notes.push_back(fmt::format("{} labels for {} ids",
                                     sample.ids.labels->count,
                                     sample.ids.input_ids->count));
  }
  return sequence;
}

// What a trainer learns, where it is more than the answers.
void RecordShower::learn_as_target(const Sample& sample,
                                   report::RecordView& view) const {
  const targets::Target* target = settings_.scan.rules.target;
  if (target == nullptr || sample.type == SampleType::kGrpo ||
      sample.type == SampleType::kDpo) {
    return;
  }
  const bool is_chat = sample.dialect != records::Dialect::kNone &&
                       sample.type == SampleType::kSft;
  if (target->learns != targets::Learns::kAll &&
      !(target->learns == targets::Learns::kAllOfChats && is_chat)) {
    return;
  }
  for (report::RecordSequence& sequence : view.sequences) {
    for (report::RecordSpan& span : sequence.spans) span.trained = true;
    sequence.trained_tokens = sequence.tokens;
  }
}

// Tokens of the sequence up to a byte of a span.
std::uint64_t RecordShower::tokens_before(
    const report::RecordSequence& sequence, std::size_t span,
    std::size_t byte) {
  std::string text;  // what is counted as one
  std::uint64_t tokens = 0;
  for (std::size_t i = 0; i < span; ++i) {
    if (is_one_text_ && sequence.spans[i].label != kAdded) {
      text += sequence.spans[i].text;
    } else {
      tokens += sequence.spans[i].tokens;
    }
  }
  const std::string_view part =
      std::string_view(sequence.spans[span].text).substr(0, byte);
  if (sequence.spans[span].label == "ids") {
    return tokens + (part.empty() ? 0
                                  : static_cast<std::uint64_t>(std::count(
                                        part.begin(), part.end(), ' ')) +
                                        1);
  }
  text += part;
  return tokens + (text.empty() ? 0 : counter_->count(text));
}

// Where the limit falls: the longest beginning of no more tokens than are kept
// (or, when the end is kept, than are cut).
void RecordShower::cut(const Sample& sample, report::RecordView& view) {
  if (settings_.scan.survival.empty()) return;
  const targets::SurvivalOptions& options = settings_.scan.survival.front();
  const targets::Overlong policy =
      sample.type == SampleType::kDpo    ? options.pairs
      : sample.type == SampleType::kGrpo ? options.prompts
                                         : options.overlong;
  view.max_seq_len = options.max_seq_len;
  view.overlong = targets::name_of(policy);
  const bool keeps_end = policy == targets::Overlong::kTruncateEnd;
  if (!keeps_end && policy != targets::Overlong::kTruncateStart &&
      policy != targets::Overlong::kSplit) {
    return;
  }
  for (report::RecordSequence& sequence : view.sequences) {
    if (sequence.tokens <= options.max_seq_len || sequence.spans.empty()) {
      continue;
    }
    const std::uint64_t before =
        keeps_end ? sequence.tokens - options.max_seq_len : options.max_seq_len;
    std::size_t span = 0;
    while (span + 1 < sequence.spans.size() &&
           tokens_before(sequence, span + 1, 0) <= before) {
      ++span;
    }
    const std::string& text = sequence.spans[span].text;
    const bool is_ids = sequence.spans[span].label == "ids";
    std::vector<std::size_t> ends = {0};  // of characters, or of ids
    for (std::size_t at = 0; at < text.size();) {
      if (is_ids) {
        at = std::min(text.find(' ', at + 1), text.size());
      } else {
        text::decode_utf8(text, at);
      }
      ends.push_back(at);
    }
    auto past = std::partition_point(
        ends.begin() + 1, ends.end(), [&](std::size_t end) {
          return tokens_before(sequence, span, end) <= before;
        });
    // Half a word may take more tokens than the whole: look a little further.
    constexpr std::ptrdiff_t kLongestToken = 128;
    const auto last =
        ends.end() - past > kLongestToken ? past + kLongestToken : ends.end();
    for (auto end = past; end != last; ++end) {
      if (tokens_before(sequence, span, *end) <= before) past = end + 1;
    }
    sequence.cut = report::RecordCut{span, *(past - 1)};
  }
}

bool RecordShower::rendered_sequences(const scan::RowView& row,
                                      const Sample& sample,
                                      report::RecordView& view) {
  if (settings_.chat_template == nullptr || sample.messages.empty()) {
    return false;
  }
  const chat::SelectedTemplate& selected = *settings_.chat_template;
  const auto renderer = selected.chat_template->make_renderer();
  const auto fallback = selected.fallback == nullptr
                            ? nullptr
                            : selected.fallback->make_renderer();
  const bool pairs = sample.type == SampleType::kDpo;
  const std::vector<Side> sides =
      pairs ? std::vector<Side>{Side::kChosen, Side::kRejected}
            : std::vector<Side>{Side::kBoth};
  for (const Side side : sides) {
    std::vector<Message> messages;
    for (const Message& message : sample.messages) {
      if (!pairs || message.side == Side::kBoth || message.side == side) {
        messages.push_back(message);
      }
    }
    Status status = writer_.write(*renderer, row, sample, messages, rendered_);
    if (!status && fallback != nullptr &&
        status.error().kind == ErrorKind::kUnsupported) {
      const std::string note =
          fmt::format("written by {}, since the template is not understood: {}",
                      selected.fallback->name(), status.error().message);
      if (view.notes.empty() || view.notes.back() != note) {
        view.notes.push_back(note);
      }
      status = writer_.write(*fallback, row, sample, messages, rendered_);
    }
    if (!status) {
      view.refusal = status.error().message;
      view.sequences.clear();
      return false;
    }
    view.sequences.push_back(of_rendered(sample, messages));
    view.sequences.back().name = side == Side::kChosen     ? "chosen"
                                 : side == Side::kRejected ? "rejected"
                                                           : "sequence";
  }
  return true;
}

report::RecordView RecordShower::show(const scan::RowView& row,
                                      const Sample& sample) {
  report::RecordView view;
  view.type = records::name_of(sample.type);
  view.schema =
      sample.schema < 0
          ? std::string("unknown shape")
          : std::string(
                records::schemas()[static_cast<std::size_t>(sample.schema)]
                    .name);
  view.tokenizer = settings_.tokenizer->info().name;
  view.chat_template = settings_.dataset.chat_template->name;
  if (settings_.scan.rules.target != nullptr) {
    view.target = settings_.scan.rules.target->name;
  }
  if (sample.schema < 0) {
    view.notes.push_back("it has: " + members_of(row));
    view.notes.emplace_back(
        "say which of them is what: --columns prompt=NAME,completion=NAME");
    return view;
  }
  is_one_text_ = false;
  const bool is_rendered = rendered_sequences(row, sample, view);
  if (is_rendered) {
    is_one_text_ = true;
  } else {
    if (sample.ids.input_ids != nullptr) {
      view.sequences.push_back(of_ids(sample, view));
    } else if (sample.type == SampleType::kDpo) {
      view.sequences.push_back(of_plain(sample, Side::kChosen));
      view.sequences.back().name = "chosen";
      view.sequences.push_back(of_plain(sample, Side::kRejected));
      view.sequences.back().name = "rejected";
    } else {
      view.sequences.push_back(of_plain(sample, Side::kBoth));
      view.sequences.back().name = "sequence";
    }
    const bool has_calls = std::any_of(
        sample.messages.begin(), sample.messages.end(),
        [](const Message& message) { return message.has_tool_calls; });
    if (has_calls) {
      view.notes.emplace_back(
          "its tool calls are not shown: only a chat template writes them");
    }
  }
  if (sample.images + sample.videos + sample.audios > 0) {
    const chat::MediaAllowance& media = settings_.scan.measure.media;
    std::string note =
        fmt::format("images {}, videos {}, audio clips {}: ", sample.images,
                    sample.videos, sample.audios);
    if (const std::uint64_t tokens = media.tokens(sample); tokens > 0) {
      note += fmt::format("{} tokens more than the text below ({})", tokens,
                          media.words);
    } else {
      note += "not in the text or its tokens (--image-tokens, --audio-tokens)";
    }
    view.notes.push_back(std::move(note));
  }
  learn_as_target(sample, view);
  cut(sample, view);
  return view;
}

}  // namespace trainsight::cli
