#include "unit/chat/conversation_builder.h"

#include "trainsight/text/json_text.h"

namespace trainsight::chat {
namespace {

using Json = nlohmann::ordered_json;

records::Role role_of(std::string_view name) {
  if (name == "system") return records::Role::kSystem;
  if (name == "user" || name == "human") return records::Role::kUser;
  if (name == "assistant" || name == "gpt") return records::Role::kAssistant;
  if (name == "tool") return records::Role::kTool;
  return records::Role::kUnknown;
}

}  // namespace

ConversationBuilder::ConversationBuilder(const Json& messages,
                                         const Json& tools) {
  add("", Json{{"messages", messages}, {"tools", tools}});
  // tape_ no longer moves: pointers into it are good from here on.
  const scan::Value& list = tape_[1];
  for (std::size_t at = 2; at < list.next; at = tape_[at].next) {
    records::Message message;
    message.value = &tape_[at];
    message.first_piece = static_cast<std::uint32_t>(pieces_.size());
    for (std::size_t m = at + 1; m < tape_[at].next; m = tape_[m].next) {
      const scan::Value& member = tape_[m];
      if (member.key == "role" || member.key == "from") {
        message.role_name = member.text().bytes;
        message.role = role_of(message.role_name);
        message.trained = message.role == records::Role::kAssistant;
      } else if (member.key == "content" || member.key == "value") {
        message.content = &member;
        if (member.is(scan::ValueKind::kText)) {
          pieces_.push_back({member.text()});
        }
        for (std::size_t p = m + 1; p < member.next; ++p) {
          if (tape_[p].key == "text") pieces_.push_back({tape_[p].text()});
        }
      } else if (member.key == "tool_calls") {
        message.has_tool_calls = member.is(scan::ValueKind::kArray);
      }
    }
    message.piece_count =
        static_cast<std::uint32_t>(pieces_.size()) - message.first_piece;
    messages_.push_back(message);
  }
  if (!tools.is_null()) tools_at_ = list.next;
}

Conversation ConversationBuilder::conversation() const {
  Conversation conversation;
  conversation.tape = tape_;
  conversation.messages = messages_;
  conversation.pieces = pieces_;
  if (tools_at_ != 0) conversation.tools = &tape_[tools_at_];
  return conversation;
}

std::string_view ConversationBuilder::keep(std::string text) {
  texts_.push_back(std::move(text));
  return texts_.back();
}

void ConversationBuilder::add(std::string_view key, const Json& json) {
  const std::size_t at = tape_.size();
  tape_.emplace_back();
  tape_[at].key = keep(std::string(key));
  if (json.is_boolean()) {
    tape_[at].kind = scan::ValueKind::kBool;
    tape_[at].boolean = json.get<bool>();
  } else if (json.is_number_integer()) {
    tape_[at].kind = scan::ValueKind::kInteger;
    tape_[at].integer = json.get<std::int64_t>();
  } else if (json.is_number()) {
    tape_[at].kind = scan::ValueKind::kReal;
    tape_[at].real = json.get<double>();
  } else if (json.is_string()) {
    std::string escaped;
    text::append_json_escaped(json.get<std::string>(), escaped);
    const std::string_view text = keep(std::move(escaped));
    tape_[at].kind = scan::ValueKind::kText;
    tape_[at].encoding = text::Encoding::kJsonEscaped;
    tape_[at].data = text.data();
    tape_[at].bytes = text.size();
  } else if (json.is_structured()) {
    tape_[at].kind =
        json.is_object() ? scan::ValueKind::kObject : scan::ValueKind::kArray;
    tape_[at].count = static_cast<std::uint32_t>(json.size());
    for (const auto& member : json.items()) {
      add(json.is_object() ? member.key() : "", member.value());
    }
  }
  tape_[at].next = static_cast<std::uint32_t>(tape_.size());
}

}  // namespace trainsight::chat
