#include "trainsight/records/dataset_info.h"

#include <algorithm>
#include <array>

#include "trainsight/scan/json_document.h"

namespace trainsight::records {
namespace {

using scan::JsonDocument;
using scan::RowView;
using scan::Value;
using scan::ValueKind;

constexpr std::array<std::string_view, 3> kHubs = {"hf_hub_url", "ms_hub_url",
                                                   "script_url"};

// Reads one registration; the first fault is kept.
class EntryReader {
 public:
  EntryReader(const JsonDocument& document, std::string_view file)
      : document_(document), file_(file) {}

  Result<Registration> read(const Value& entry);

 private:
  void fail(const Value& at, const std::string& what) {
    if (error_.message.empty()) {
      error_ = Error{ErrorKind::kUsage,
                     std::string(file_) + ":" + document_.place_of(at) +
                         ": \"" + std::string(at.key) + "\" " + what,
                     ""};
    }
  }
  std::string text(const Value& value) {
    if (!value.is(ValueKind::kText)) fail(value, "is no string");
    return scan::text_of(&value);
  }
  // The names of an object; null ones are left out.
  std::map<std::string, std::string> names(const Value& object) {
    std::map<std::string, std::string> all;
    if (!object.is(ValueKind::kObject)) {
      fail(object, "is no object");
      return all;
    }
    const RowView& view = document_.view();
    for (const Value* v = view.first_child(object); v != nullptr;
         v = view.next_child(object, *v)) {
      all.erase(std::string(v->key));
      if (v->is(ValueKind::kNull)) continue;
      all[std::string(v->key)] = text(*v);
    }
    return all;
  }

  const JsonDocument& document_;
  std::string_view file_;
  Error error_;
};

Result<Registration> EntryReader::read(const Value& entry) {
  Registration r;
  r.name = entry.key;
  if (!entry.is(ValueKind::kObject)) {
    fail(entry, "registers no data set: it is no object");
    return error_;
  }
  const RowView& view = document_.view();
  for (const Value* v = view.first_child(entry); v != nullptr;
       v = view.next_child(entry, *v)) {
    if (v->key == "file_name") {
      r.file_name = text(*v);
    } else if (v->key == "formatting") {
      r.formatting = text(*v);
    } else if (v->key == "ranking") {
      if (!v->is(ValueKind::kBool)) fail(*v, "is neither true nor false");
      r.ranking = v->is(ValueKind::kBool) && v->boolean;
    } else if (v->key == "columns") {
      r.columns = names(*v);
      r.has_columns = true;
    } else if (v->key == "tags") {
      r.tags = names(*v);
      r.has_tags = true;
    } else if (std::find(kHubs.begin(), kHubs.end(), v->key) != kHubs.end()) {
      r.elsewhere = std::string(v->key) + " " + text(*v);
    } else {
      r.ignored.emplace_back(v->key);
    }
  }
  if (!error_.message.empty()) return error_;
  return r;
}

struct Named {
  std::string_view listed;  // in dataset_info.json
  std::string_view key;     // of ours
  bool has_default = false;
};

constexpr Named kAlpaca[] = {{"prompt", "instruction", true},
                             {"query", "input", true},
                             {"response", "output", true},
                             {"history", "history"}};
constexpr Named kMessages = {"messages", "conversations", true};
constexpr Named kCommon[] = {{"system", "system"},     {"tools", "tools"},
                             {"images", "images"},     {"videos", "videos"},
                             {"audios", "audios"},     {"chosen", "chosen"},
                             {"rejected", "rejected"}, {"kto_tag", "kto_tag"}};

struct TagName {
  std::string_view name;
  std::string_view by_default;  // of the formatting sharegpt
};
constexpr TagName kTags[] = {{"role_tag", "from"},
                             {"content_tag", "value"},
                             {"user_tag", "human"},
                             {"assistant_tag", "gpt"},
                             {"observation_tag", "observation"},
                             {"function_tag", "function_call"},
                             {"system_tag", "system"}};

// Adds "key=column"; false for a column that a spec cannot hold.
bool add(std::string_view key, std::string_view column, std::string& spec) {
  if (column.find_first_of(",=") != std::string_view::npos) return false;
  if (!spec.empty()) spec += ',';
  spec.append(key).append("=").append(column);
  return true;
}

std::string_view listed(const std::map<std::string, std::string>& names,
                        std::string_view name) {
  const auto found = names.find(std::string(name));
  return found == names.end() ? std::string_view() : found->second;
}

}  // namespace

Result<std::vector<Registration>> parse_dataset_info(std::string_view json,
                                                     std::string_view name) {
  auto document = JsonDocument::parse(json, name);
  if (!document) return document.error();
  const RowView& view = document->view();
  if (view.root().count > kMostEntries) {
    return Error{ErrorKind::kLimit,
                 std::string(name) + ": more than " +
                     std::to_string(kMostEntries) + " registrations",
                 ""};
  }
  std::vector<Registration> all;
  for (const Value* v = view.first_child(view.root()); v != nullptr;
       v = view.next_child(view.root(), *v)) {
    auto entry = EntryReader(*document, name).read(*v);
    if (!entry) return entry.error();
    all.push_back(*std::move(entry));
  }
  return all;
}

Result<std::string> column_spec(const Registration& r) {
  const bool is_alpaca = r.formatting == "alpaca";
  const bool is_openai = r.formatting == "openai";
  if (!is_alpaca && !is_openai && r.formatting != "sharegpt") {
    return Error{
        ErrorKind::kUnsupported,
        "\"" + r.name + "\" has the formatting \"" + r.formatting + "\"",
        "one of alpaca, sharegpt, openai"};
  }
  std::string spec;
  bool fits = true;
  const auto add_column = [&](const Named& named, std::string_view key) {
    // The defaults are the names that rows are known by anyway.
    if (!r.has_columns) return;
    const std::string_view column = listed(r.columns, named.listed);
    // A default that is not listed is not read, whatever the rows have.
    if (!column.empty() || named.has_default) {
      fits = add(key, column, spec) && fits;
    }
  };
  if (is_alpaca) {
    // A prompt alone is a text to pretrain on.
    const bool is_text = r.has_columns && !r.ranking &&
                         listed(r.columns, "response").empty() &&
                         listed(r.columns, "kto_tag").empty() &&
                         !listed(r.columns, "prompt").empty();
    for (const Named& named : kAlpaca) {
      const bool is_prompt = named.listed == "prompt";
      add_column(named, is_text && is_prompt ? "text" : named.key);
    }
  } else {
    add_column(kMessages, is_openai ? "messages" : kMessages.key);
  }
  for (const Named& named : kCommon) {
    const bool is_side = named.listed == "chosen" || named.listed == "rejected";
    if (!is_side || r.ranking) add_column(named, named.key);
  }
  if (!is_alpaca) {
    for (const TagName& tag : kTags) {
      const std::string_view value = r.has_tags  ? listed(r.tags, tag.name)
                                     : is_openai ? std::string_view()
                                                 : tag.by_default;
      if (!value.empty()) fits = add(tag.name, value, spec) && fits;
    }
  }
  if (!fits) {
    return Error{ErrorKind::kUnsupported,
                 "\"" + r.name + "\" names a column with ',' or '='",
                 "rename the column"};
  }
  return spec;
}

}  // namespace trainsight::records
