// Conversations for tests, made of JSON as it stands in a data file.
#ifndef TRAINSIGHT_TESTS_UNIT_CHAT_CONVERSATION_BUILDER_H_
#define TRAINSIGHT_TESTS_UNIT_CHAT_CONVERSATION_BUILDER_H_

#include <deque>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "trainsight/chat/chat_template.h"

namespace trainsight::chat {

/// Owns the tape and texts that a Conversation points into. Texts are stored
/// as escaped JSON, as a JSONL reader gives them.
class ConversationBuilder {
 public:
  /// `messages`: array of {role, content, …}; `tools`: array or null.
  explicit ConversationBuilder(const nlohmann::ordered_json& messages,
                               const nlohmann::ordered_json& tools = nullptr);
  ConversationBuilder(const ConversationBuilder&) = delete;
  ConversationBuilder& operator=(const ConversationBuilder&) = delete;

  [[nodiscard]] Conversation conversation() const;
  std::vector<records::Message>& messages() { return messages_; }

 private:
  void add(std::string_view key, const nlohmann::ordered_json& json);
  std::string_view keep(std::string text);

  std::deque<std::string> texts_;
  std::vector<scan::Value> tape_;
  std::vector<records::Message> messages_;
  std::vector<records::Piece> pieces_;
  std::size_t tools_at_ = 0;  ///< in tape_; 0: none
};

}  // namespace trainsight::chat

#endif  // TRAINSIGHT_TESTS_UNIT_CHAT_CONVERSATION_BUILDER_H_
