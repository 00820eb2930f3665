#include "trainsight/facts/measure_rendered.h"

#include <algorithm>

namespace trainsight::facts {
namespace {

std::uint32_t clamped(std::uint64_t tokens) {
  return static_cast<std::uint32_t>(
      std::min<std::uint64_t>(tokens, kAbsent - 1));
}

// Whether `control` parts the texts around it: counted together they are the
// sum of what they are alone.
bool parts(tokenize::TokenCounter& counter, const std::string& control) {
  constexpr std::string_view kTexts[] = {
      "word", " word", "\nword", "word ",        "  two",
      "\n\n", "9",     ".",      "\xE2\x96\x81", "word\n"};
  const std::uint64_t alone = counter.count(control);
  if (alone != 1) return false;
  for (const std::string_view before : kTexts) {
    for (const std::string_view after : kTexts) {
      const std::string text =
          std::string(before) + control + std::string(after);
      if (counter.count(text) !=
          counter.count(before) + alone + counter.count(after)) {
        return false;
      }
    }
  }
  return true;
}

bool is_inside_character(std::string_view text, std::size_t at) {
  return at < text.size() &&
         (static_cast<unsigned char>(text[at]) & 0xC0) == 0x80;
}

}  // namespace

PrefixCounter::PrefixCounter(const tokenize::Tokenizer& tokenizer,
                             tokenize::TokenCounter& counter)
    : counter_(counter) {
  // Probing a few tells the tokenizer's rule; the rest follow it.
  constexpr std::size_t kProbes = 4;
  std::size_t probed = 0;
  bool all_part = true;
  for (const tokenize::SpecialToken& token : tokenizer.info().special_tokens) {
    if (!token.special || token.text.size() < 3) continue;
    if (probed < kProbes) {
      all_part = all_part && parts(counter, token.text);
      ++probed;
    }
    control_.push_back(token.text);
    bool& is_first = first_bytes_[static_cast<unsigned char>(token.text[0])];
    first_byte_count_ += is_first ? 0 : 1;
    is_first = true;
  }
  cuts_are_exact_ = probed > 0 && all_part;
  std::sort(control_.begin(), control_.end(),
            [](std::string_view a, std::string_view b) {
              return a.size() != b.size() ? a.size() > b.size() : a < b;
            });
}

// The next byte from `at` on that a control token begins with, or the end.
std::size_t PrefixCounter::next_first_byte(std::string_view text,
                                           std::size_t at) const {
  if (first_byte_count_ == 1) {
    return std::min(text.find(control_.front()[0], at), text.size());
  }
  while (at < text.size() &&
         !first_bytes_[static_cast<unsigned char>(text[at])]) {
    ++at;
  }
  return at;
}

// Ends of the control tokens in `text`, leftmost and longest first.
void PrefixCounter::find_cuts(std::string_view text) {
  cuts_.clear();
  for (std::size_t at = 0; (at = next_first_byte(text, at)) < text.size();) {
    const std::string_view rest = text.substr(at);
    const auto found = std::find_if(
        control_.begin(), control_.end(), [rest](std::string_view token) {
          return rest.substr(0, token.size()) == token;
        });
    if (found == control_.end()) {
      ++at;
      continue;
    }
    if (at > 0 && (cuts_.empty() || cuts_.back() != at)) cuts_.push_back(at);
    at += found->size();
    cuts_.push_back(at);
  }
}

// How many of the last tokens of text[0, at) are others once the text goes on.
std::uint64_t PrefixCounter::crossing(std::string_view text, std::size_t at) {
  constexpr std::size_t kWindow = 128;  // bytes on each side
  std::size_t from = at > kWindow ? at - kWindow : 0;
  while (from < at && is_inside_character(text, from)) ++from;
  std::size_t to = std::min(text.size(), at + kWindow);
  while (is_inside_character(text, to)) ++to;
  if (counter_.parts_at(text.substr(from, to - from), at - from)) return 0;
  ids_before_.clear();
  counter_.encode(text.substr(from, at - from), ids_before_);
  ids_.clear();
  counter_.encode(text.substr(from, to - from), ids_);
  const auto differs = std::mismatch(ids_before_.begin(), ids_before_.end(),
                                     ids_.begin(), ids_.end());
  return static_cast<std::uint64_t>(ids_before_.end() - differs.first);
}

void PrefixCounter::count(std::string_view text,
                          std::span<const std::uint64_t> ends,
                          std::span<const std::uint8_t> learnt_from,
                          std::vector<std::uint64_t>& tokens) {
  tokens.clear();
  cuts_.clear();
  if (cuts_are_exact_) find_cuts(text);
  if (cuts_.empty() || cuts_.back() != text.size()) {
    cuts_.push_back(text.size());
  }
  std::uint64_t before = 0;  // tokens before `begin`
  std::uint64_t begin = 0;
  std::size_t next = 0;
  for (const std::uint64_t cut : cuts_) {
    for (; next < ends.size() && ends[next] < cut; ++next) {
      std::uint64_t part =
          counter_.count(text.substr(begin, ends[next] - begin));
      if (learnt_from[next] != 0 && part > 0) {
        part -= std::min(part, crossing(text.substr(begin, cut - begin),
                                        ends[next] - begin));
      }
      tokens.push_back(before + part);
    }
    before += counter_.count(text.substr(begin, cut - begin));
    begin = cut;
    for (; next < ends.size() && ends[next] == cut; ++next) {
      tokens.push_back(before);
    }
  }
}

void measure_rendered(const chat::Rendered& rendered, std::size_t message_count,
                      LabelStart start, PrefixCounter& counter,
                      RenderedScratch& scratch, RenderedLengths& lengths) {
  lengths.tokens = lengths.label_end = lengths.label_tokens = 0;
  lengths.first_label = kAbsent;
  lengths.outside_messages = 0;
  lengths.has_trained_span = false;
  lengths.by_message.assign(message_count, 0);
  if (rendered.text.empty()) return;
  // Only ends where the message or the training changes matter.
  scratch.ends.clear();
  scratch.learnt_from.clear();
  for (std::size_t i = 0; i < rendered.spans.size(); ++i) {
    const chat::Span& span = rendered.spans[i];
    const bool last = i + 1 == rendered.spans.size();
    if (last || rendered.spans[i + 1].message != span.message ||
        rendered.spans[i + 1].trained != span.trained) {
      scratch.ends.push_back(span.end);
      const bool begins = start == LabelStart::kCrossing && !last &&
                          !span.trained && rendered.spans[i + 1].trained;
      scratch.learnt_from.push_back(begins ? 1 : 0);
    }
  }
  counter.count(rendered.text, scratch.ends, scratch.learnt_from,
                scratch.tokens);
  std::uint64_t before = 0;
  std::size_t next = 0;
  for (const chat::Span& span : rendered.spans) {
    if (next == scratch.ends.size() || span.end != scratch.ends[next]) continue;
    // A longer prefix can have fewer tokens; a length cannot be negative.
    const std::uint64_t here = std::max(before, scratch.tokens[next++]);
    const std::uint32_t tokens = clamped(here - before);
    const auto message = static_cast<std::size_t>(span.message);
    if (span.message >= 0 && message < message_count) {
      lengths.by_message[message] =
          clamped(std::uint64_t{lengths.by_message[message]} + tokens);
    } else {
      lengths.outside_messages =
          clamped(std::uint64_t{lengths.outside_messages} + tokens);
    }
    if (span.trained) {
      lengths.has_trained_span = true;
      if (lengths.first_label == kAbsent && tokens > 0) {
        lengths.first_label = clamped(before);
      }
      lengths.label_tokens =
          clamped(std::uint64_t{lengths.label_tokens} + tokens);
      if (tokens > 0) lengths.label_end = clamped(here);
    }
    before = here;
  }
  lengths.tokens = clamped(before);
}

}  // namespace trainsight::facts
