#include "trainsight/records/schema_table.h"

namespace trainsight::records {
namespace {

constexpr SampleType kPretrain = SampleType::kPretrain;
constexpr SampleType kSft = SampleType::kSft;
constexpr SampleType kDpo = SampleType::kDpo;
constexpr SampleType kKto = SampleType::kKto;
constexpr SampleType kGrpo = SampleType::kGrpo;

constexpr KindMask kSideMask = kTextMask | kNullMask | kArrayMask | kObjectMask;
constexpr KindMask kPromptMask = kTextMask | kNullMask | kArrayMask;
constexpr KindMask kListMask = kArrayMask | kNumbersMask;

constexpr FieldRule prompt_of(Key key) {
  return {key, Field::kPrompt, false, true};
}
constexpr FieldRule context_of(Key key) {
  return {key, Field::kContext, false, true};
}
constexpr FieldRule answer_of(Key key) {
  return {key, Field::kCompletion, true, true};
}
constexpr FieldRule text_of(Key key) { return {key, Field::kText, true, true}; }
constexpr FieldRule system_of() {
  return {Key::kSystem, Field::kSystem, false, true};
}

// A prompt and its answer under two names; both must be there, the answer may
// be null (a finding, not another schema).
constexpr Schema pair_schema(std::string_view name, Key prompt, Key answer) {
  return {name,
          kSft,
          Carrier::kFields,
          {{{prompt, kTextOrNull}, {answer, kTextOrNull}}},
          {{system_of(), prompt_of(prompt), answer_of(answer)}}};
}

// The same with a context between prompt and answer, which may be absent.
constexpr Schema context_schema(std::string_view name, Key prompt, Key context,
                                Key answer) {
  return {name,
          kSft,
          Carrier::kFields,
          {{{prompt, kTextOrNull}, {answer, kTextOrNull}}},
          {{system_of(), prompt_of(prompt), context_of(context),
            answer_of(answer)}}};
}

constexpr Schema preference_schema(std::string_view name, Key prompt,
                                   KindMask prompt_kinds, Key chosen,
                                   Key rejected) {
  return {
      name,
      kDpo,
      Carrier::kPreference,
      {{{prompt, prompt_kinds}, {chosen, kSideMask}, {rejected, kSideMask}}},
      {{prompt_of(prompt),
        {chosen, Field::kChosen, true, true},
        {rejected, Field::kRejected, true, true}}}};
}

constexpr Schema one_side_schema(std::string_view name, Key present,
                                 Field field) {
  return {name,
          kDpo,
          Carrier::kPreference,
          {{{present, kSideMask}}},
          {{prompt_of(Key::kPrompt), {present, field, true, true}}}};
}

constexpr Schema list_schema(std::string_view name, SampleType type, Key list) {
  return {name,
          type,
          Carrier::kMessages,
          {{{list, kArrayMask}}},
          {{prompt_of(list)}}};
}

constexpr Schema prompt_schema(std::string_view name, Key prompt) {
  return {name,
          kGrpo,
          Carrier::kFields,
          {{{prompt, kTextOrNull}}},
          {{system_of(), prompt_of(prompt), context_of(Key::kInput)}}};
}

constexpr Schema kSchemas[] = {
    // Preferences.
    {"openai-preference",
     kDpo,
     Carrier::kOpenAiPreference,
     {{{Key::kPreferredOutput, kArrayMask},
       {Key::kNonPreferredOutput, kArrayMask}}},
     {}},
    preference_schema("conversations-preference", Key::kConversations,
                      kArrayMask, Key::kChosen, Key::kRejected),
    preference_schema("instruction-preference", Key::kInstruction, kTextOrNull,
                      Key::kChosen, Key::kRejected),
    preference_schema("preference", Key::kPrompt, kPromptMask, Key::kChosen,
                      Key::kRejected),
    preference_schema("question-preference", Key::kQuestion, kTextOrNull,
                      Key::kChosen, Key::kRejected),
    preference_schema("response-preference", Key::kPrompt, kPromptMask,
                      Key::kChosenResponse, Key::kRejectedResponse),
    {"implicit-preference",
     kDpo,
     Carrier::kPreference,
     {{{Key::kChosen, kSideMask}, {Key::kRejected, kSideMask}}},
     {{prompt_of(Key::kPrompt),
       {Key::kChosen, Field::kChosen, true, true},
       {Key::kRejected, Field::kRejected, true, true}}}},
    {"messages-rejected-response",
     kDpo,
     Carrier::kRejectedMessages,
     {{{Key::kMessages, kArrayMask}, {Key::kRejectedResponse, kTextMask}}},
     {{prompt_of(Key::kMessages),
       {Key::kRejectedResponse, Field::kRejected, true, true}}}},
    {"messages-rejected-messages",
     kDpo,
     Carrier::kRejectedMessages,
     {{{Key::kMessages, kArrayMask}, {Key::kRejectedMessages, kArrayMask}}},
     {{prompt_of(Key::kMessages),
       {Key::kRejectedMessages, Field::kRejected, true, true}}}},
    {"ranked-answers",
     kDpo,
     Carrier::kRankedAnswers,
     {{{Key::kPrompt, kTextMask}, {Key::kAnswers, kArrayMask}}},
     {{prompt_of(Key::kPrompt)}}},
    one_side_schema("preference-without-rejected", Key::kChosen,
                    Field::kChosen),
    one_side_schema("preference-without-chosen", Key::kRejected,
                    Field::kRejected),

    // Unpaired preferences and steps.
    {"messages-kto-tag",
     kKto,
     Carrier::kMessages,
     {{{Key::kMessages, kArrayMask}, {Key::kKtoTag, kAnyMask}}},
     {{prompt_of(Key::kMessages)}}},
    {"conversations-kto-tag",
     kKto,
     Carrier::kMessages,
     {{{Key::kConversations, kArrayMask}, {Key::kKtoTag, kAnyMask}}},
     {{prompt_of(Key::kConversations)}}},
    {"messages-label",
     kKto,
     Carrier::kMessages,
     {{{Key::kMessages, kArrayMask}, {Key::kLabel, kBoolMask}}},
     {{prompt_of(Key::kMessages)}}},
    {"prompt-completion-label",
     kKto,
     Carrier::kPreference,
     {{{Key::kPrompt, kPromptMask},
       {Key::kCompletion, kSideMask},
       {Key::kLabel, kAnyMask}}},
     {{prompt_of(Key::kPrompt), answer_of(Key::kCompletion)}}},
    {"instruction-kto-tag",
     kKto,
     Carrier::kFields,
     {{{Key::kInstruction, kTextOrNull},
       {Key::kOutput, kTextOrNull},
       {Key::kKtoTag, kAnyMask}}},
     {{system_of(), prompt_of(Key::kInstruction), context_of(Key::kInput),
       answer_of(Key::kOutput)}}},
    {"steps",
     SampleType::kPrm,
     Carrier::kSteps,
     {{{Key::kCompletions, kArrayMask}, {Key::kLabels, kListMask}}},
     {{prompt_of(Key::kPrompt)}}},

    // Reinforcement learning with a reward table.
    {"verl",
     kGrpo,
     Carrier::kMessages,
     {{{Key::kDataSource, kAnyMask}, {Key::kPrompt, kArrayMask}}},
     {{prompt_of(Key::kPrompt)}}},

    // Tokenised rows.
    {"input-ids",
     kPretrain,
     Carrier::kIds,
     {{{Key::kInputIds, kListMask}}},
     {}},

    // Conversations.
    list_schema("messages", kSft, Key::kMessages),
    list_schema("conversations", kSft, Key::kConversations),
    list_schema("conversation", kSft, Key::kConversation),
    list_schema("interactions", kSft, Key::kInteractions),
    {"messages-as-text",
     kSft,
     Carrier::kMessagesText,
     {{{Key::kMessages, kTextMask}}},
     {{prompt_of(Key::kMessages)}}},
    {"conversations-as-text",
     kSft,
     Carrier::kMessagesText,
     {{{Key::kConversations, kTextMask}}},
     {{prompt_of(Key::kConversations)}}},
    {"segments",
     kSft,
     Carrier::kSegments,
     {{{Key::kSegments, kArrayMask}}},
     {}},

    // A prompt and its answer.
    {"prompt-completion",
     kSft,
     Carrier::kPreference,
     {{{Key::kPrompt, kPromptMask}, {Key::kCompletion, kSideMask}}},
     {{prompt_of(Key::kPrompt), answer_of(Key::kCompletion)}}},
    pair_schema("prompt-response", Key::kPrompt, Key::kResponse),
    pair_schema("prompt-generation", Key::kPrompt, Key::kGeneration),
    pair_schema("prompt-solution-code", Key::kPrompt, Key::kCanonicalSolution),
    context_schema("instruction-output", Key::kInstruction, Key::kInput,
                   Key::kOutput),
    context_schema("instruction-response", Key::kInstruction, Key::kContext,
                   Key::kResponse),
    context_schema("instruction-completion", Key::kInstruction, Key::kInput,
                   Key::kCompletion),
    context_schema("instruction-answer", Key::kInstruction, Key::kInput,
                   Key::kAnswer),
    context_schema("query-response", Key::kQuery, Key::kContext,
                   Key::kResponse),
    context_schema("query-answer", Key::kQuery, Key::kContext, Key::kAnswer),
    context_schema("question-answer", Key::kQuestion, Key::kContext,
                   Key::kAnswer),
    context_schema("question-response", Key::kQuestion, Key::kContext,
                   Key::kResponse),
    pair_schema("problem-solution", Key::kProblem, Key::kSolution),
    pair_schema("problem-answer", Key::kProblem, Key::kAnswer),
    pair_schema("input-output", Key::kInput, Key::kOutput),

    // Embeddings: recognised so that they are not taken for prompts.
    {"anchor-positive",
     SampleType::kEmbedding,
     Carrier::kNothing,
     {{{Key::kAnchor, kTextMask}, {Key::kPositive, kAnyMask}}},
     {}},
    {"query-positive",
     SampleType::kEmbedding,
     Carrier::kNothing,
     {{{Key::kQuery, kTextMask}, {Key::kPos, kAnyMask}}},
     {}},

    // Prompts alone.
    {"prompt-messages",
     kGrpo,
     Carrier::kMessages,
     {{{Key::kPrompt, kArrayMask}}},
     {{prompt_of(Key::kPrompt)}}},
    prompt_schema("prompt", Key::kPrompt),
    prompt_schema("instruction", Key::kInstruction),
    prompt_schema("question", Key::kQuestion),
    prompt_schema("query", Key::kQuery),
    prompt_schema("problem", Key::kProblem),

    // Text.
    {"text",
     kPretrain,
     Carrier::kFields,
     {{{Key::kText, kTextOrNull}}},
     {{text_of(Key::kText)}}},
    {"content",
     kPretrain,
     Carrier::kFields,
     {{{Key::kContent, kTextOrNull}}},
     {{text_of(Key::kContent)}}},
};

bool meets(const Schema& schema, const KnownMembers& members) {
  for (const Need& need : schema.needs) {
    if (need.kinds == 0) break;
    const scan::Value* value = members[need.key];
    if (value == nullptr || (mask_of(value->kind) & need.kinds) == 0) {
      return false;
    }
  }
  return true;
}

}  // namespace

std::span<const Schema> schemas() { return kSchemas; }

std::int16_t match_schema(const KnownMembers& members, SampleType stated_type) {
  std::int16_t first = -1;
  std::int16_t index = 0;
  for (const Schema& schema : kSchemas) {
    const bool as_stated =
        stated_type == SampleType::kUnknown || schema.type == stated_type;
    if ((as_stated || first < 0) && meets(schema, members)) {
      if (as_stated) return index;
      first = index;
    }
    ++index;
  }
  return first;
}

}  // namespace trainsight::records
