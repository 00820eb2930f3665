#include "trainsight/facts/conversations.h"

#include <algorithm>
#include <string_view>

#include "trainsight/text/json_text.h"

namespace trainsight::facts {
namespace {

using chat::Rendered;
using chat::Span;
using chat::SpanKind;
using records::Message;
using records::Sample;
using records::SampleType;

bool is_content_of(const Span& span, std::size_t message) {
  return span.kind == SpanKind::kContent &&
         span.message == static_cast<std::int32_t>(message);
}

bool ends_with(std::string_view text, std::string_view end) {
  return text.size() >= end.size() &&
         text.substr(text.size() - end.size()) == end;
}

// Cuts `out` to its first `size` bytes.
void cut_to(std::size_t size, Rendered& out) {
  out.text.resize(size);
  while (!out.spans.empty() && out.spans.back().begin >= size) {
    out.spans.pop_back();
  }
  if (!out.spans.empty()) out.spans.back().end = size;
}

// Adds `text` behind `out` as a part of the message's turn.
void add_answer(std::string_view text, std::int32_t message, Rendered& out) {
  if (text.empty()) return;
  Span span;
  span.begin = out.text.size();
  out.text += text;
  span.end = out.text.size();
  span.message = message;
  span.kind = SpanKind::kContent;
  out.spans.push_back(span);
}

// Puts `text` in front of `out`.
void add_front(std::string_view text, Rendered& out) {
  out.text.insert(0, text);
  for (Span& span : out.spans) {
    span.begin += text.size();
    span.end += text.size();
  }
  Span span;
  span.end = text.size();
  out.spans.insert(out.spans.begin(), span);
}

}  // namespace

void ConversationWriter::learn_contents(std::span<const Message> messages,
                                        Rendered& out) {
  out.mask_source = chat::MaskSource::kContents;
  for (std::size_t i = 0; i < messages.size(); ++i) {
    if (!messages[i].trained) continue;
    std::uint64_t begin = out.text.size();
    std::uint64_t end = 0;
    for (const Span& span : out.spans) {
      if (!is_content_of(span, i)) continue;
      begin = std::min(begin, span.begin);
      end = span.end;
    }
    if (begin >= end) continue;  // nothing of it was written
    chat::mark_trained(begin, end, out);
    if (info_.eos_token.empty()) continue;
    const std::size_t eos = out.text.find(info_.eos_token, end);
    if (eos == std::string::npos) continue;
    const std::string_view between =
        std::string_view(out.text).substr(end, eos - end);
    // No token is that long; further away it is another turn's.
    constexpr std::size_t kFar = 512;
    if (between.size() <= kFar &&
        counter_.count(between) <= Conversations::kMostBeforeEos) {
      chat::mark_trained(eos, eos + info_.eos_token.size(), out);
    }
  }
}

// The answer's text as axolotl finds it: where its content first stands in the
// rendering of a made-up question and the answer, wherever that is. Of an
// answer that the template rewrites (trims) the last character is left.
std::string_view ConversationWriter::find_answer(const Message& answer) {
  const std::string_view text = whole_.text;
  if (answer.content != nullptr && answer.content->is(scan::ValueKind::kText)) {
    const std::string_view content =
        text::as_utf8(answer.content->text(), scratch_);
    const std::size_t at = text.find(content);
    if (at != std::string_view::npos) return text.substr(at);
  }
  std::size_t last = text.empty() ? 0 : text.size() - 1;
  while (last > 0 && (static_cast<unsigned char>(text[last]) & 0xC0) == 0x80) {
    --last;
  }
  return text.substr(last);
}

Status ConversationWriter::write_pair(chat::TemplateRenderer& renderer,
                                      chat::Conversation conversation,
                                      Rendered& out) {
  const std::size_t last = conversation.messages.size() - 1;
  const std::span<const Message> prompt_messages =
      conversation.messages.first(last);
  scan::Value question;
  question.kind = scan::ValueKind::kText;
  constexpr std::string_view kQuestion = "[[dummy_message]]";
  question.data = kQuestion.data();
  question.bytes = kQuestion.size();
  Message asked;
  asked.role = records::Role::kUser;
  asked.role_name = "user";
  asked.content = &question;
  const Message pair[] = {asked, conversation.messages[last]};
  conversation.messages = pair;
  if (Status s = renderer.render(conversation, {}, whole_); !s) return s;
  conversation.messages = prompt_messages;
  chat::RenderOptions options;
  options.add_generation_prompt = true;
  if (Status s = renderer.render(conversation, options, out); !s) return s;
  const std::size_t prompt = out.text.size();
  add_answer(find_answer(pair[1]), static_cast<std::int32_t>(last), out);
  // White space as Python's str.rstrip() takes it for ASCII.
  const std::size_t kept =
      out.text.find_last_not_of(" \t\n\v\f\r\x1c\x1d\x1e\x1f");
  cut_to(
      std::max<std::size_t>(prompt, kept == std::string::npos ? 0 : kept + 1),
      out);
  if (!info_.eos_token.empty() &&
      !ends_with(std::string_view(out.text).substr(prompt), info_.eos_token)) {
    add_answer(info_.eos_token, static_cast<std::int32_t>(last), out);
  }
  out.mask_source = chat::MaskSource::kContents;
  chat::mark_trained(prompt, out.text.size(), out);
  if (info_.tokens_added_before > 0 && !info_.bos_token.empty()) {
    add_front(info_.bos_token, out);
  }
  return {};
}

Status ConversationWriter::write(chat::TemplateRenderer& renderer,
                                 const scan::RowView& row, const Sample& sample,
                                 std::span<const Message> messages,
                                 Rendered& out) {
  chat::Conversation conversation = chat::Conversation::of(row, sample);
  conversation.messages = messages;
  if (how_.pairs_as_texts && sample.type == SampleType::kDpo &&
      !messages.empty()) {
    return write_pair(renderer, conversation, out);
  }
  chat::RenderOptions options;
  options.add_generation_prompt =
      sample.type == SampleType::kGrpo || sample.ends_with_user;
  const bool learns = sample.type != SampleType::kGrpo;
  options.mask = learns && !how_.learns_contents;
  if (Status s = renderer.render(conversation, options, out); !s) return s;
  if (learns && how_.learns_contents) learn_contents(messages, out);
  return {};
}

}  // namespace trainsight::facts
