#include "profile_builder.h"

#include <algorithm>

#include "trainsight/facts/measure.h"
#include "trainsight/records/schema_table.h"

namespace trainsight::pipeline {
namespace {

using facts::kAbsent;
using facts::RowFacts;
using records::SampleType;

std::size_t index_of(SampleType type) { return static_cast<std::size_t>(type); }

// "prompt ← question, completion ← answer": which member gives which field, of
// the fields that occur.
std::string mapping_of(const records::Schema& schema,
                       const manifest::Profile& profile) {
  std::string mapping;
  for (const records::FieldRule& rule : schema.fields) {
    if (!rule.used) break;
    // The optional system prompt says nothing about this set.
    if (rule.key == records::Key::kSystem) continue;
    // An optional field that no row has is no part of this set.
    const bool needed = &rule == schema.fields.data();
    const auto field = static_cast<std::size_t>(rule.field);
    if (!needed && profile.fields[field].sketch.count() == 0) continue;
    const bool is_list = schema.carrier == records::Carrier::kMessages;
    if (!mapping.empty()) mapping += ", ";
    mapping += is_list ? "messages" : records::name_of(rule.field);
    mapping += " ← ";
    mapping += records::name_of(rule.key);
  }
  return mapping;
}

bool is_conversation(const records::Schema& schema) {
  return schema.type == SampleType::kSft &&
         schema.carrier == records::Carrier::kMessages;
}

}  // namespace

bool is_usable(const RowFacts& row, const BuilderOptions& options) {
  const SampleType type = row.type;
  if (type == SampleType::kUnknown || type == SampleType::kEmbedding) {
    return false;
  }
  if (options.stated_type != SampleType::kUnknown &&
      type != options.stated_type) {
    return false;
  }
  if (row.tokens == 0 || (row.flags & facts::kSpoilt) != 0) return false;
  if (options.drops_overlong && options.max_seq_len > 0 &&
      row.tokens > options.max_seq_len) {
    return false;
  }
  if (type == SampleType::kGrpo) return true;
  // Calls of tools are learnt too; they have a length only with a template.
  if (row.label_tokens == 0) return (row.flags & facts::kHasToolCalls) != 0;
  if (options.max_seq_len > 0 &&
      !facts::keeps_labels(row, options.max_seq_len)) {
    return false;
  }
  if (type != SampleType::kDpo) return true;
  const auto has = [&row](records::Field field) {
    return row.field(field) != kAbsent && row.field(field) > 0;
  };
  return has(records::Field::kChosen) && has(records::Field::kRejected);
}

ProfileBuilder::ProfileBuilder(const BuilderOptions& options)
    : options_(options), votes_(records::schemas().size() + 1) {
  profile_.file_order_micro_batch = options_.micro_batch;
}

void ProfileBuilder::add(const RowFacts& row) {
  SchemaVotes& votes = votes_[static_cast<std::size_t>(row.schema + 1)];
  if (votes.records == 0) {
    votes.first_file = row.file;
    votes.first_line = row.line;
  }
  ++votes.records;
  if ((row.flags & facts::kEndsWithUser) != 0) {
    ++votes.ends_with_user;
    if (row.tokens > 0) ++prompts_with_text_;
  }
  ++row_types_[index_of(row.type)];
  ++profile_.records;
  if (is_usable(row, options_)) ++profile_.usable;
  // Rows of no known shape have no length: they would count as empty ones.
  if (row.schema < 0) return;
  add_lengths(row);
  add_to_batch(row);
  keep_if_long(row);
}

void ProfileBuilder::add_lines(std::uint64_t lines, std::uint64_t blank,
                               std::uint64_t malformed) {
  profile_.lines += lines;
  profile_.blank_lines += blank;
  profile_.malformed += malformed;
}

void ProfileBuilder::add_lengths(const RowFacts& row) {
  profile_.tokens.sketch.add(row.tokens);
  profile_.content_tokens.sketch.add(row.content_tokens);
  if (profile_.in_order.size() <= manifest::kMostInOrder) {
    profile_.in_order.push_back(row.tokens);
  }
  for (std::size_t i = 0; i < row.fields.size(); ++i) {
    if (row.fields[i] != kAbsent) {
      profile_.fields[i].sketch.add(row.fields[i]);
    }
  }
  if (row.is_pair()) {
    profile_.chosen_side.sketch.add(row.chosen_side_tokens);
    profile_.rejected_side.sketch.add(row.rejected_side_tokens);
  }
  if (row.type != SampleType::kGrpo) {
    if (row.first_label != kAbsent) {
      profile_.first_label.sketch.add(row.first_label);
    }
    profile_.label_tokens.sketch.add(row.label_tokens);
  }
}

void ProfileBuilder::add_to_batch(const RowFacts& row) {
  batch_longest_ = std::max<std::uint64_t>(batch_longest_, row.tokens);
  if (row.is_pair()) {
    batch_tokens_ +=
        std::uint64_t{row.chosen_side_tokens} + row.rejected_side_tokens;
    batch_sequences_ += 2;
  } else {
    batch_tokens_ += row.tokens;
    batch_sequences_ += 1;
  }
  if (++batch_rows_ == options_.micro_batch) close_batch();
}

void ProfileBuilder::close_batch() {
  profile_.file_order_slots += batch_longest_ * batch_sequences_;
  profile_.file_order_tokens += batch_tokens_;
  batch_rows_ = batch_longest_ = batch_tokens_ = batch_sequences_ = 0;
}

void ProfileBuilder::keep_if_long(const RowFacts& row) {
  auto& longest = profile_.longest;
  if (options_.longest_kept == 0) return;
  if (longest.size() == options_.longest_kept) {
    if (row.tokens <= longest.back().tokens) return;
    longest.pop_back();
  }
  const auto behind = std::upper_bound(
      longest.begin(), longest.end(), row.tokens,
      [](std::uint64_t tokens, const manifest::LongestRecord& record) {
        return tokens > record.tokens;
      });
  longest.insert(behind,
                 manifest::LongestRecord{row.file, row.line, row.tokens});
}

void ProfileBuilder::count_votes() {
  const auto schemas = records::schemas();
  std::uint64_t conversations = 0;
  std::uint64_t ends_with_user = 0;
  for (std::size_t i = 0; i < schemas.size(); ++i) {
    if (!is_conversation(schemas[i])) continue;
    conversations += votes_[i + 1].records;
    ends_with_user += votes_[i + 1].ends_with_user;
  }
  profile_.types = row_types_;
  // When most conversations stop at the user's turn the set is one of prompts;
  // a few that do in a set with answers are rows that lack theirs.
  const bool stated = options_.stated_type != SampleType::kUnknown;
  const bool prompts = !stated && ends_with_user * 2 > conversations;
  if (prompts) {
    profile_.types[index_of(SampleType::kSft)] -= ends_with_user;
    profile_.types[index_of(SampleType::kGrpo)] += ends_with_user;
    profile_.usable += prompts_with_text_;
  }
  profile_.type = options_.stated_type;
  if (!stated) {
    const auto most =
        std::max_element(profile_.types.begin() + 1, profile_.types.end());
    if (*most > 0) {
      profile_.type = static_cast<SampleType>(most - profile_.types.begin());
    }
  }
  for (std::size_t i = 0; i < votes_.size(); ++i) {
    const SchemaVotes& votes = votes_[i];
    if (votes.records == 0) continue;
    manifest::SchemaCount count;
    count.records = votes.records;
    count.first_file = votes.first_file;
    count.first_line = votes.first_line;
    if (i == 0) {
      count.schema = "unknown";
    } else {
      const records::Schema& schema = schemas[i - 1];
      count.schema = schema.name;
      count.type = schema.type;
      if (is_conversation(schema) && prompts) count.type = SampleType::kGrpo;
      count.mapping = mapping_of(schema, profile_);
    }
    profile_.schemas.push_back(std::move(count));
  }
  std::stable_sort(
      profile_.schemas.begin(), profile_.schemas.end(),
      [](const auto& a, const auto& b) { return a.records > b.records; });
}

manifest::Profile ProfileBuilder::finish() {
  if (batch_rows_ > 0) close_batch();
  if (profile_.in_order.size() > manifest::kMostInOrder) {
    profile_.in_order.clear();
  }
  count_votes();
  return std::move(profile_);
}

}  // namespace trainsight::pipeline
