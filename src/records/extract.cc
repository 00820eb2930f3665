#include "trainsight/records/extract.h"

#include <algorithm>

#include "trainsight/text/json_text.h"

namespace trainsight::records {
namespace {

using scan::RowView;
using scan::Value;
using scan::ValueKind;

// Whether the messages of a list are learnt.
enum class Learn : std::uint8_t {
  kNone,       // a prompt
  kAssistant,  // the assistant's turns
  kLast,       // the last turn: a side of a preference
};

struct ListRules {
  Side side = Side::kBoth;
  Learn learn = Learn::kAssistant;
  Field last_field = Field::kText;  // of the last message when learn is kLast
};

Field field_of(Role role) {
  switch (role) {
    case Role::kSystem:
    case Role::kDeveloper:
      return Field::kSystem;
    case Role::kUser:
      return Field::kPrompt;
    case Role::kAssistant:
    case Role::kCall:
      return Field::kCompletion;
    case Role::kTool:
      return Field::kTool;
    case Role::kNone:
    case Role::kUnknown:
      return Field::kText;
  }
  return Field::kText;
}

// Fills one Sample from one row; lives for one row.
class Filler {
 public:
  /// `tags`: the user's names, or nullptr.
  Filler(const RowView& row, const KnownMembers& members, const ColumnMap* tags,
         Sample& sample)
      : row_(row), members_(members), tags_(tags), sample_(sample) {}

  void fill(const Schema& schema);

 private:
  void add_piece(const Value& text, Field field, Side side, bool trained,
                 std::int32_t message = -1);
  void add_value(const Value* value, const FieldRule& rule, Side side);
  void add_system(const Value& list);
  void add_list(const Value& list, const ListRules& rules);
  void add_pair_turns(const Value& turn, const ListRules& rules);
  void add_message(const Value& message, const ListRules& rules, bool is_last);
  void add_content(Message& message, Field field, std::int32_t index);
  void add_part(const Value& part, Field field, Side side, bool trained,
                std::int32_t message);
  void note_dialect(Dialect dialect);

  void fill_fields(const Schema& schema);
  void fill_preference(const Schema& schema);
  void fill_openai_preference();
  void fill_rejected_messages(const Schema& schema);
  void fill_ranked_answers();
  void fill_steps();
  void fill_segments();
  void fill_ids();
  void fill_label();
  void fill_media();

  const Value* role_member(const Value& message) const;
  const Value* content_member(const Value& message) const;
  Role role_named(std::string_view name) const;
  const Value* first_message(const Value* list) const;
  Role role_of_message(const Value& message) const;
  bool starts_a_conversation(const Value* side) const;

  const RowView& row_;
  const KnownMembers& members_;
  const ColumnMap* tags_;
  Sample& sample_;
};

const Value* Filler::role_member(const Value& message) const {
  if (tags_ != nullptr && !tags_->tag(Tag::kRole).empty()) {
    return row_.member(message, tags_->tag(Tag::kRole));
  }
  const Value* role = row_.member(message, "role");
  return role != nullptr ? role : row_.member(message, "from");
}

const Value* Filler::content_member(const Value& message) const {
  if (tags_ != nullptr && !tags_->tag(Tag::kContent).empty()) {
    return row_.member(message, tags_->tag(Tag::kContent));
  }
  const Value* content = row_.member(message, "content");
  return content != nullptr ? content : row_.member(message, "value");
}

Role Filler::role_named(std::string_view name) const {
  if (tags_ == nullptr || !tags_->has_role_values()) return role_of(name);
  constexpr std::pair<Tag, Role> kRoles[] = {
      {Tag::kUser, Role::kUser},
      {Tag::kAssistant, Role::kAssistant},
      {Tag::kSystem, Role::kSystem},
      {Tag::kObservation, Role::kTool},
      {Tag::kFunction, Role::kCall}};
  for (const auto& [tag, role] : kRoles) {
    if (!tags_->tag(tag).empty() && tags_->tag(tag) == name) return role;
  }
  return Role::kUnknown;
}

std::string_view text_or_empty(const Value* value) {
  return value != nullptr && value->is(ValueKind::kText) ? value->text().bytes
                                                         : std::string_view();
}

// A message can switch its own training off: weight 0 (OpenAI, Together),
// train or training false (axolotl), loss false (ms-swift).
bool is_switched_off(const RowView& row, const Value& message) {
  for (const Value* v = row.first_child(message); v != nullptr;
       v = row.next_child(message, *v)) {
    const bool is_false = v->is(ValueKind::kBool) && !v->boolean;
    const bool is_zero = (v->is(ValueKind::kInteger) && v->integer == 0) ||
                         (v->is(ValueKind::kReal) && v->real == 0.0);
    if ((is_false &&
         (v->key == "train" || v->key == "training" || v->key == "loss")) ||
        (is_zero && (v->key == "weight" || v->key == "loss_weight" ||
                     v->key == "loss_scale"))) {
      return true;
    }
  }
  return false;
}

void Filler::add_piece(const Value& text, Field field, Side side, bool trained,
                       std::int32_t message) {
  sample_.pieces.push_back(Piece{text.text(), field, side, message, trained});
}

void Filler::add_value(const Value* value, const FieldRule& rule, Side side) {
  if (value == nullptr || value->is(ValueKind::kNull)) {
    if (rule.trained) sample_.answer_is_null = true;
    return;
  }
  if (value->is(ValueKind::kText)) {
    add_piece(*value, rule.field, side, rule.trained);
  } else if (value->is(ValueKind::kArray)) {
    const Learn learn = !rule.trained                      ? Learn::kNone
                        : rule.field == Field::kCompletion ? Learn::kAssistant
                                                           : Learn::kLast;
    add_list(*value, ListRules{side, learn, rule.field});
  } else if (value->is(ValueKind::kObject)) {
    add_message(*value, ListRules{side, Learn::kLast, rule.field}, true);
  }
}

void Filler::note_dialect(Dialect dialect) {
  if (sample_.dialect == Dialect::kNone) sample_.dialect = dialect;
}

// A system prompt beside the conversation is its first turn, unless it has one
// of its own (as LLaMA-Factory and ms-swift take it).
void Filler::add_system(const Value& list) {
  const Value* system = members_[Key::kSystem];
  if (system == nullptr || !system->is(ValueKind::kText) ||
      text::is_blank(system->text())) {
    return;
  }
  const Value* first = first_message(&list);
  if (first != nullptr && role_of_message(*first) == Role::kSystem) return;
  Message message;
  message.role = Role::kSystem;
  message.role_name = "system";
  message.value = system;
  message.content = system;
  const auto index = static_cast<std::int32_t>(sample_.messages.size());
  add_content(message, Field::kSystem, index);
  sample_.messages.push_back(message);
}

void Filler::add_list(const Value& list, const ListRules& rules) {
  for (const Value* v = row_.first_child(list); v != nullptr;
       v = row_.next_child(list, *v)) {
    const bool is_last = v->next == list.next;
    if (v->is(ValueKind::kObject)) {
      if (role_member(*v) == nullptr && content_member(*v) == nullptr) {
        add_pair_turns(*v, rules);
      } else {
        add_message(*v, rules, is_last);
      }
    } else if (v->is(ValueKind::kText)) {
      // A list of strings: nobody says who speaks.
      const bool last_learnt = rules.learn == Learn::kLast && is_last;
      add_piece(*v, last_learnt ? rules.last_field : Field::kText, rules.side,
                last_learnt);
    }
  }
}

void Filler::add_pair_turns(const Value& turn, const ListRules& rules) {
  for (const Value* v = row_.first_child(turn); v != nullptr;
       v = row_.next_child(turn, *v)) {
    const Role role = role_of(v->key);
    if (role == Role::kUnknown || !v->is(ValueKind::kText)) continue;
    note_dialect(Dialect::kPairs);
    Message message;
    message.role = role;
    message.role_name = v->key;
    message.value = &turn;
    message.content = v;
    message.side = rules.side;
    message.trained = rules.learn != Learn::kNone && role == Role::kAssistant;
    const auto index = static_cast<std::int32_t>(sample_.messages.size());
    add_content(message, field_of(role), index);
    sample_.messages.push_back(message);
  }
}

void Filler::add_message(const Value& value, const ListRules& rules,
                         bool is_last) {
  Message message;
  message.value = &value;
  const Value* role = role_member(value);
  message.role_name = text_or_empty(role);
  message.role_value = role;
  message.role = role_named(message.role_name);
  message.content = content_member(value);
  message.side = rules.side;
  const Value* calls = row_.member(value, "tool_calls");
  const Value* call = row_.member(value, "function_call");
  message.has_tool_calls =
      (calls != nullptr && calls->is(ValueKind::kArray) && calls->count > 0) ||
      (call != nullptr && call->is(ValueKind::kObject));
  const bool is_answer =
      message.role == Role::kAssistant || message.role == Role::kCall;
  switch (rules.learn) {
    case Learn::kNone:
      break;
    case Learn::kAssistant:
      message.trained = is_answer && !is_switched_off(row_, value);
      break;
    case Learn::kLast:
      message.trained = is_last;
      break;
  }
  if (role != nullptr && role->key == "from") {
    note_dialect(message.role_name == "user" || message.role_name == "assistant"
                     ? Dialect::kFromUserAssistant
                     : Dialect::kFromHumanGpt);
  } else {
    note_dialect(Dialect::kRoleContent);
  }
  const bool is_side = rules.learn == Learn::kLast && is_last;
  const auto index = static_cast<std::int32_t>(sample_.messages.size());
  add_content(message, is_side ? rules.last_field : field_of(message.role),
              index);
  sample_.messages.push_back(message);
}

void Filler::add_content(Message& message, Field field, std::int32_t index) {
  message.first_piece = static_cast<std::uint32_t>(sample_.pieces.size());
  const Value* content = message.content;
  if (content != nullptr && content->is(ValueKind::kText)) {
    add_piece(*content, field, message.side, message.trained, index);
  } else if (content != nullptr && content->is(ValueKind::kArray)) {
    for (const Value* v = row_.first_child(*content); v != nullptr;
         v = row_.next_child(*content, *v)) {
      add_part(*v, field, message.side, message.trained, index);
    }
  }
  message.piece_count =
      static_cast<std::uint32_t>(sample_.pieces.size()) - message.first_piece;
}

void Filler::add_part(const Value& part, Field field, Side side, bool trained,
                      std::int32_t message) {
  if (part.is(ValueKind::kText)) {
    add_piece(part, field, side, trained, message);
    return;
  }
  if (!part.is(ValueKind::kObject)) return;
  const std::string_view type = text_or_empty(row_.member(part, "type"));
  if (is_media_part(type)) {
    std::uint32_t& counter =
        type.find("audio") != std::string_view::npos   ? sample_.audios
        : type.find("video") != std::string_view::npos ? sample_.videos
                                                       : sample_.images;
    ++counter;
    return;
  }
  const Value* text = row_.member(part, "text");
  if (text == nullptr || !text->is(ValueKind::kText)) {
    text = row_.member(part, "value");
  }
  if (text != nullptr && text->is(ValueKind::kText)) {
    add_piece(*text, field, side, trained, message);
  }
}

void Filler::fill_fields(const Schema& schema) {
  for (const FieldRule& rule : schema.fields) {
    if (!rule.used) break;
    const Value* value = members_[rule.key];
    if (value != nullptr && value->is(ValueKind::kArray)) continue;
    // The optional fields (system, context) may be absent.
    if (value == nullptr && !rule.trained) continue;
    add_value(value, rule, Side::kBoth);
  }
}

const Value* Filler::first_message(const Value* list) const {
  if (list == nullptr || !list->is(ValueKind::kArray)) return nullptr;
  const Value* first = row_.first_child(*list);
  return first != nullptr && first->is(ValueKind::kObject) ? first : nullptr;
}

Role Filler::role_of_message(const Value& message) const {
  return role_named(text_or_empty(role_member(message)));
}

// Whether a side is a whole conversation: it begins before the answer.
bool Filler::starts_a_conversation(const Value* side) const {
  const Value* first = first_message(side);
  if (first == nullptr) return false;
  const Role role = role_of_message(*first);
  return role == Role::kUser || role == Role::kSystem ||
         role == Role::kDeveloper;
}

void Filler::fill_preference(const Schema& schema) {
  const FieldRule& prompt_rule = schema.fields[0];
  const FieldRule& first_rule = schema.fields[1];
  const FieldRule& second_rule = schema.fields[2];
  const Value* prompt = members_[prompt_rule.key];
  const Value* first = members_[first_rule.key];
  const bool has_sides = first_rule.field != Field::kCompletion;
  const Value* second = second_rule.used ? members_[second_rule.key] : nullptr;
  sample_.sides_are_whole =
      has_sides && (prompt == nullptr || starts_a_conversation(first) ||
                    starts_a_conversation(second));
  if (!sample_.sides_are_whole && prompt != nullptr) {
    if (const Value* system = members_[Key::kSystem];
        system != nullptr && system->is(ValueKind::kText)) {
      add_piece(*system, Field::kSystem, Side::kBoth, false);
    }
    add_value(prompt, prompt_rule, Side::kBoth);
    const Value* context = members_[Key::kInput];
    if (prompt_rule.key == Key::kInstruction && context != nullptr &&
        context->is(ValueKind::kText)) {
      add_piece(*context, Field::kContext, Side::kBoth, false);
    }
  }
  const auto side_of = [](const FieldRule& rule) {
    return rule.field == Field::kChosen     ? Side::kChosen
           : rule.field == Field::kRejected ? Side::kRejected
                                            : Side::kBoth;
  };
  add_value(first, first_rule, side_of(first_rule));
  if (second_rule.used) add_value(second, second_rule, side_of(second_rule));
  if (schema.type == SampleType::kDpo && !second_rule.used) {
    sample_.answer_is_null = true;
  }
}

void Filler::fill_openai_preference() {
  const Value* input = members_[Key::kInput];
  const Value* messages =
      input == nullptr ? nullptr : row_.member(*input, "messages");
  if (messages != nullptr && messages->is(ValueKind::kArray)) {
    add_list(*messages, ListRules{Side::kBoth, Learn::kNone, Field::kText});
  }
  add_list(*members_[Key::kPreferredOutput],
           ListRules{Side::kChosen, Learn::kLast, Field::kChosen});
  add_list(*members_[Key::kNonPreferredOutput],
           ListRules{Side::kRejected, Learn::kLast, Field::kRejected});
}

void Filler::fill_rejected_messages(const Schema& schema) {
  const Value& messages = *members_[Key::kMessages];
  const FieldRule& rejected_rule = schema.fields[1];
  const Value* rejected = members_[rejected_rule.key];
  if (starts_a_conversation(rejected)) {
    sample_.sides_are_whole = true;
    add_list(messages, ListRules{Side::kChosen, Learn::kLast, Field::kChosen});
  } else {
    // All but the last turn is the prompt of both sides.
    for (const Value* v = row_.first_child(messages); v != nullptr;
         v = row_.next_child(messages, *v)) {
      if (!v->is(ValueKind::kObject)) continue;
      const bool is_last = v->next == messages.next;
      add_message(*v,
                  is_last
                      ? ListRules{Side::kChosen, Learn::kLast, Field::kChosen}
                      : ListRules{Side::kBoth, Learn::kNone, Field::kText},
                  is_last);
    }
  }
  add_value(rejected, rejected_rule, Side::kRejected);
}

void Filler::fill_ranked_answers() {
  add_value(members_[Key::kPrompt],
            FieldRule{Key::kPrompt, Field::kPrompt, false, true}, Side::kBoth);
  const Value& answers = *members_[Key::kAnswers];
  const Value* best = nullptr;
  const Value* worst = nullptr;
  double best_rank = 0;
  double worst_rank = 0;
  for (const Value* v = row_.first_child(answers); v != nullptr;
       v = row_.next_child(answers, *v)) {
    const Value* rank = row_.member(*v, "rank");
    const Value* answer = row_.member(*v, "answer");
    if (answer == nullptr) answer = row_.member(*v, "text");
    if (rank == nullptr || answer == nullptr || !answer->is(ValueKind::kText)) {
      continue;
    }
    const double place = rank->is(ValueKind::kInteger)
                             ? static_cast<double>(rank->integer)
                         : rank->is(ValueKind::kReal) ? rank->real
                                                      : 0.0;
    if (best == nullptr || place < best_rank) {
      best = answer;
      best_rank = place;
    }
    if (worst == nullptr || place > worst_rank) {
      worst = answer;
      worst_rank = place;
    }
  }
  add_value(best, FieldRule{Key::kAnswers, Field::kChosen, true, true},
            Side::kChosen);
  add_value(worst, FieldRule{Key::kAnswers, Field::kRejected, true, true},
            Side::kRejected);
}

void Filler::fill_steps() {
  add_value(members_[Key::kPrompt],
            FieldRule{Key::kPrompt, Field::kPrompt, false, true}, Side::kBoth);
  const Value& steps = *members_[Key::kCompletions];
  for (const Value* v = row_.first_child(steps); v != nullptr;
       v = row_.next_child(steps, *v)) {
    if (v->is(ValueKind::kText)) {
      add_piece(*v, Field::kCompletion, Side::kBoth, true);
    }
  }
}

void Filler::fill_segments() {
  const Value& segments = *members_[Key::kSegments];
  for (const Value* v = row_.first_child(segments); v != nullptr;
       v = row_.next_child(segments, *v)) {
    const Value* text = row_.member(*v, "text");
    const Value* label = row_.member(*v, "label");
    if (text == nullptr || !text->is(ValueKind::kText)) continue;
    const bool trained =
        label != nullptr && label->is(ValueKind::kBool) && label->boolean;
    add_piece(*text, trained ? Field::kCompletion : Field::kPrompt, Side::kBoth,
              trained);
  }
}

void Filler::fill_ids() {
  const auto numbers = [this](Key key) -> const Value* {
    const Value* value = members_[key];
    const bool is_list = value != nullptr &&
                         (value->is(ValueKind::kNumbers) ||
                          (value->is(ValueKind::kArray) && value->count == 0));
    return is_list ? value : nullptr;
  };
  sample_.ids.input_ids = numbers(Key::kInputIds);
  sample_.ids.labels = numbers(Key::kLabels);
  sample_.ids.attention_mask = numbers(Key::kAttentionMask);
  if (sample_.ids.labels != nullptr) sample_.type = SampleType::kSft;
}

void Filler::fill_label() {
  const Value* label = members_[Key::kKtoTag];
  if (label == nullptr) label = members_[Key::kLabel];
  sample_.has_label = label != nullptr && label->is(ValueKind::kBool);
  sample_.label = sample_.has_label && label->boolean;
}

void Filler::fill_media() {
  const auto add_entries = [this](Key key, std::uint32_t& counter) {
    const Value* entries = members_[key];
    if (entries != nullptr && entries->is(ValueKind::kArray)) {
      counter = std::max(counter, entries->count);
    }
  };
  sample_.image_parts = sample_.images;
  add_entries(Key::kImages, sample_.images);
  add_entries(Key::kVideos, sample_.videos);
  add_entries(Key::kAudios, sample_.audios);
}

void Filler::fill(const Schema& schema) {
  sample_.type = schema.type;
  switch (schema.carrier) {
    case Carrier::kNothing:
    case Carrier::kMessagesText:
      break;
    case Carrier::kFields:
      fill_fields(schema);
      break;
    case Carrier::kMessages: {
      const bool is_prompt = schema.type == SampleType::kGrpo;
      add_system(*members_[schema.fields[0].key]);
      add_list(
          *members_[schema.fields[0].key],
          ListRules{Side::kBoth, is_prompt ? Learn::kNone : Learn::kAssistant,
                    Field::kText});
      break;
    }
    case Carrier::kPreference:
      fill_preference(schema);
      break;
    case Carrier::kOpenAiPreference:
      fill_openai_preference();
      break;
    case Carrier::kRejectedMessages:
      fill_rejected_messages(schema);
      break;
    case Carrier::kRankedAnswers:
      fill_ranked_answers();
      break;
    case Carrier::kSteps:
      fill_steps();
      break;
    case Carrier::kSegments:
      fill_segments();
      break;
    case Carrier::kIds:
      fill_ids();
      break;
  }
  if (schema.type == SampleType::kKto) fill_label();
  fill_media();
  const Value* tools = members_[Key::kTools];
  sample_.tools = tools != nullptr ? tools : members_[Key::kFunctions];
  if (!sample_.messages.empty() && schema.carrier == Carrier::kMessages) {
    const Role last = sample_.messages.back().role;
    sample_.ends_with_user = last == Role::kUser || last == Role::kTool;
  }
}

}  // namespace

bool is_media_part(std::string_view part_type) {
  constexpr std::string_view kMedia[] = {
      "image_url", "image", "input_image", "video_url",
      "video",     "audio", "audio_url",   "input_audio"};
  return std::find(std::begin(kMedia), std::end(kMedia), part_type) !=
         std::end(kMedia);
}

// Members and schema of the row, from what is remembered of its skeleton.
std::int16_t Extractor::look_up(const RowView& row) {
  Remembered& slot = remembered_[row.skeleton % remembered_.size()];
  const bool known = slot.used && slot.skeleton == row.skeleton;
  if (!known) keys_of(row, slot.keys);
  members_.look_up(row, columns_, slot.keys);
  if (!known) {
    slot.skeleton = row.skeleton;
    slot.schema = match_schema(members_, stated_type_);
    slot.used = true;
  }
  return slot.schema;
}

void Extractor::extract(const RowView& row, Sample& sample) {
  sample.clear();
  const std::int16_t schema = look_up(row);
  sample.schema = schema;
  if (schema < 0) return;
  const Schema& fitting = schemas()[static_cast<std::size_t>(schema)];
  Filler(row, members_, columns_.has_tags() ? &columns_ : nullptr, sample)
      .fill(fitting);
  // A conversation is a prompt for RL, or plain text, when the user says so.
  if (fitting.type == SampleType::kSft &&
      fitting.carrier == Carrier::kMessages &&
      (stated_type_ == SampleType::kGrpo ||
       stated_type_ == SampleType::kPretrain)) {
    sample.type = stated_type_;
    if (stated_type_ == SampleType::kPretrain) {
      for (Piece& piece : sample.pieces) piece.trained = true;
    }
  }
}

}  // namespace trainsight::records
