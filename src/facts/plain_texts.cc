#include "trainsight/facts/plain_texts.h"

#include <algorithm>

#include "trainsight/records/schema_table.h"
#include "trainsight/text/json_text.h"

namespace trainsight::facts {
namespace {

using records::Piece;
using records::Sample;
using records::SampleType;
using records::Side;

std::uint32_t clamped(std::uint64_t tokens) {
  return static_cast<std::uint32_t>(
      std::min<std::uint64_t>(tokens, kAbsent - 1));
}

bool ends_with(std::string_view text, std::string_view end) {
  return text.size() >= end.size() &&
         text.substr(text.size() - end.size()) == end;
}

bool is_inside_character(std::string_view text, std::size_t at) {
  return at < text.size() &&
         (static_cast<unsigned char>(text[at]) & 0xC0) == 0x80;
}

bool are_segments(const Sample& sample) {
  return sample.schema >= 0 &&
         records::schemas()[static_cast<std::size_t>(sample.schema)].carrier ==
             records::Carrier::kSegments;
}

}  // namespace

PlainMeasurer::PlainMeasurer(const PlainTexts& how,
                             const tokenize::Tokenizer& tokenizer,
                             tokenize::TokenCounter& counter,
                             PrefixCounter& prefixes)
    : how_(how),
      info_(tokenizer.info()),
      counter_(counter),
      prefixes_(prefixes) {
  how_.appends_eos = how.appends_eos && !info_.eos_token.empty();
  eos_is_text_ = how_.appends_eos && counter_.count(info_.eos_token) == 1;
}

bool PlainMeasurer::applies_to(const Sample& sample) const {
  const bool acts =
      (how_.adds_special_tokens && info_.tokens_added_per_text > 0) ||
      how_.appends_eos || how_.joined;
  return acts && sample.messages.empty() && sample.ids.input_ids == nullptr &&
         !sample.pieces.empty() && sample.type != SampleType::kPrm &&
         sample.type != SampleType::kEmbedding && !are_segments(sample);
}

// How many bytes of the first learnt text of both sides are the prompt: as
// trl.data_utils.extract_prompt (1.16.0) finds it, by characters and without
// the space in front of the first that differs. Texts of which one is the
// other's beginning part before the shorter one's last character.
std::size_t PlainMeasurer::shared_beginning(const Sample& sample) {
  if (!how_.finds_prompt || sample.type != SampleType::kDpo ||
      sample.pieces.size() != 2 || sample.pieces[0].side != Side::kChosen ||
      sample.pieces[1].side != Side::kRejected) {
    return 0;
  }
  const std::string_view a = text::as_utf8(sample.pieces[0].text, scratch_);
  const std::string_view b = text::as_utf8(sample.pieces[1].text, other_);
  const std::size_t most = std::min(a.size(), b.size());
  std::size_t at = static_cast<std::size_t>(
      std::mismatch(a.begin(), a.begin() + static_cast<std::ptrdiff_t>(most),
                    b.begin())
          .first -
      a.begin());
  const bool differs = at < most;
  if (!differs && at > 0) --at;
  while (at > 0 && is_inside_character(a, at)) --at;
  if (differs && at > 0 && a[at - 1] == ' ') --at;
  return at;
}

void PlainMeasurer::write(const Sample& sample, Side side,
                          PlainSequence& sequence) {
  sequence.text.clear();
  sequence.parts.clear();
  const std::size_t shared = shared_beginning(sample);
  for (std::size_t i = 0; i < sample.pieces.size(); ++i) {
    const Piece& piece = sample.pieces[i];
    if (piece.side != Side::kBoth && side != Side::kBoth &&
        piece.side != side) {
      continue;
    }
    const std::size_t begin = sequence.text.size();
    sequence.text += text::as_utf8(piece.text, scratch_);
    if (shared > 0) {
      sequence.parts.push_back({i, begin + shared, 0, false});
    }
    // Of a preference's own side the answer is learnt, whichever it is.
    const bool trained = piece.trained || piece.side != Side::kBoth;
    sequence.parts.push_back({i, sequence.text.size(), 0, trained});
  }
}

// Behind the last text, when it is an answer (or plain text) that is learnt.
void PlainMeasurer::add_eos(PlainSequence& sequence) {
  eos_behind_ = 0;
  if (!how_.appends_eos || sequence.parts.empty() ||
      !sequence.parts.back().trained) {
    return;
  }
  const std::uint64_t begin =
      sequence.parts.size() == 1
          ? 0
          : sequence.parts[sequence.parts.size() - 2].end;
  const std::string_view last = std::string_view(sequence.text).substr(begin);
  // Apart, an empty answer stays empty.
  if (ends_with(last, info_.eos_token) || (!how_.joined && last.empty())) {
    return;
  }
  if (!eos_is_text_) {
    eos_behind_ = 1;
    return;
  }
  sequence.text += info_.eos_token;
  sequence.parts.back().end = sequence.text.size();
}

void PlainMeasurer::count_joined(PlainSequence& sequence) {
  ends_.clear();
  learnt_from_.clear();
  for (std::size_t i = 0; i < sequence.parts.size(); ++i) {
    ends_.push_back(sequence.parts[i].end);
    const bool begins = how_.label_start == LabelStart::kCrossing &&
                        i + 1 < sequence.parts.size() &&
                        !sequence.parts[i].trained &&
                        sequence.parts[i + 1].trained;
    learnt_from_.push_back(begins ? 1 : 0);
  }
  if (sequence.text.empty()) {
    tokens_.assign(ends_.size(), 0);
  } else {
    prefixes_.count(sequence.text, ends_, learnt_from_, tokens_);
  }
  std::uint64_t before = 0;
  for (std::size_t i = 0; i < sequence.parts.size(); ++i) {
    const std::uint64_t here = std::max(before, tokens_[i]);
    sequence.parts[i].tokens = clamped(here - before);
    before = here;
  }
}

void PlainMeasurer::count_apart(PlainSequence& sequence) {
  const std::string_view text = sequence.text;
  std::uint64_t begin = 0;
  for (PlainSequence::Part& part : sequence.parts) {
    part.tokens = clamped(counter_.count(text.substr(begin, part.end - begin)));
    begin = part.end;
  }
}

void PlainMeasurer::measure(const Sample& sample, Side side,
                            PlainSequence& sequence) {
  write(sample, side, sequence);
  add_eos(sequence);
  if (how_.joined) {
    count_joined(sequence);
  } else {
    count_apart(sequence);
  }
  // Apart, nothing stands in front of an empty text.
  const bool is_empty =
      sequence.parts.empty() || sequence.parts.front().end == 0;
  sequence.before = how_.adds_special_tokens && (how_.joined || !is_empty)
                        ? info_.tokens_added_before
                        : 0;
  sequence.behind = how_.adds_special_tokens ? info_.tokens_added_per_text -
                                                   info_.tokens_added_before
                                             : 0;
  sequence.first_label = kAbsent;
  sequence.label_end = sequence.label_tokens = 0;
  std::uint64_t position = 0;
  for (std::size_t i = 0; i < sequence.parts.size(); ++i) {
    PlainSequence::Part& part = sequence.parts[i];
    const bool last = i + 1 == sequence.parts.size();
    if (last) part.tokens = clamped(std::uint64_t{part.tokens} + eos_behind_);
    // What stands around an answer is learnt with it.
    const std::uint64_t tokens = std::uint64_t{part.tokens} +
                                 (i == 0 ? sequence.before : 0) +
                                 (last ? sequence.behind : 0);
    if (part.trained && tokens > 0) {
      if (sequence.first_label == kAbsent) {
        sequence.first_label = clamped(position);
      }
      sequence.label_tokens =
          clamped(std::uint64_t{sequence.label_tokens} + tokens);
      sequence.label_end = clamped(position + tokens);
    }
    position += tokens;
  }
  sequence.tokens = clamped(position);
}

}  // namespace trainsight::facts
