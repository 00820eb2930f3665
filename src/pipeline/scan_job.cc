#include "trainsight/pipeline/scan_job.h"

#include <algorithm>
#include <condition_variable>
#include <map>
#include <mutex>
#include <thread>

#include "file_queue.h"
#include "profile_builder.h"
#include "row_worker.h"
#include "trainsight/io/files.h"
#include "trainsight/text/xxhash64.h"

namespace trainsight::pipeline {
namespace {

BuilderOptions builder_options(const ScanOptions& options) {
  BuilderOptions builder;
  builder.stated_type = options.stated_type;
  builder.micro_batch = options.micro_batch;
  builder.longest_kept = options.longest_kept;
  builder.max_seq_len = options.max_seq_len;
  builder.drops_overlong = options.rules.overlong == targets::Overlong::kDrop;
  return builder;
}

void add_facts(scan::BatchFacts& total, const scan::BatchFacts& batch) {
  for (const std::uint64_t line : batch.first_blank_lines) {
    if (total.first_blank_lines.size() >= 8) break;
    total.first_blank_lines.push_back(total.lines + line);
  }
  // A later record turns blank lines at the end into blank lines inside.
  const bool all_blank = batch.blank_lines == batch.lines;
  total.trailing_blank_lines =
      all_blank ? total.trailing_blank_lines + batch.trailing_blank_lines
                : batch.trailing_blank_lines;
  total.lines += batch.lines;
  total.crlf_lines += batch.crlf_lines;
  total.blank_lines += batch.blank_lines;
  total.bytes += batch.bytes;
  total.ends_with_newline = batch.ends_with_newline;
}

// Consumes results in input order. Used by one thread at a time.
class Reducer {
 public:
  Reducer(const ScanOptions& options, ScanObserver& observer)
      : options_(options),
        observer_(observer),
        builder_options_(builder_options(options)),
        builder_(builder_options_),
        checker_(options.rules),
        survival_(options.survival.begin(), options.survival.end()) {
    if (!options.by.empty()) {
      groups_.emplace(options.by.name(), options.survival);
    }
    outcome_.files.resize(options.files.size());
    for (std::size_t i = 0; i < options.files.size(); ++i) {
      outcome_.files[i].path = options.files[i].shown;
      if (!options.files[i].glob.empty()) {
        outcome_.files[i].glob = options.files[i].glob;
      }
    }
  }

  void batch(BatchResult&& result, std::uint32_t file);
  void end_of_file(const QueueItem& item);
  ScanOutcome finish();
  [[nodiscard]] std::uint64_t records() const { return builder_.records(); }

 private:
  void describe_file(const QueueItem& item);

  const ScanOptions& options_;
  ScanObserver& observer_;
  BuilderOptions builder_options_;
  ProfileBuilder builder_;
  rules::SetChecker checker_;
  std::vector<targets::SurvivalCounter> survival_;
  std::optional<GroupTally> groups_;  // with --by
  ScanOutcome outcome_;
  rules::FileSummary summary_;  // of the file being read
  std::uint64_t usable_ = 0;    // of its rows
  // Conversations that stop at the user's turn: usable when the votes of all
  // rows make them prompts.
  std::uint64_t prompts_of_file_ = 0;
  std::vector<std::pair<std::uint32_t, std::uint64_t>> prompts_;  // by file
  std::optional<Error> file_error_;
};

void Reducer::batch(BatchResult&& result, std::uint32_t file) {
  if (file_error_.has_value()) return;  // what follows a fault is not counted
  const std::uint64_t line_base = summary_.facts.lines;
  // Evaluation data is checked, and is no part of the profile.
  const bool is_eval = options_.rules.eval(file);
  for (facts::RowFacts& row : result.rows) {
    row.line += line_base;
    if ((row.flags & facts::kEndsWithUser) != 0 && row.tokens > 0) {
      ++prompts_of_file_;
    }
    if (is_usable(row, builder_options_)) {
      row.flags |= facts::kUsable;
      ++usable_;
    }
    if (is_eval) continue;
    builder_.add(row);
    for (targets::SurvivalCounter& counter : survival_) counter.add(row);
  }
  if (groups_.has_value() && !is_eval) groups_->add(result.groups, result.rows);
  checker_.batch(std::move(result.findings), result.rows, file, line_base);
  summary_.records += result.rows.size();
  summary_.malformed += result.malformed;
  if (!result.facts) {
    file_error_ = result.facts.error();
    if (!is_eval) builder_.add_lines(0, 0, result.malformed);
  } else {
    add_facts(summary_.facts, *result.facts);
    if (!is_eval) {
      builder_.add_lines(result.facts->lines, result.facts->blank_lines,
                         result.malformed);
    }
  }
  if (!is_eval) observer_.rows(result.rows);
}

// What the manifest keeps of the file: identity for later runs.
void Reducer::describe_file(const QueueItem& item) {
  manifest::DatasetFile& file = outcome_.files[item.file];
  file.records = summary_.records;
  file.malformed = summary_.malformed;
  file.usable = usable_;
  prompts_.push_back({item.file, prompts_of_file_});
  if (options_.rules.eval(item.file)) file.role = "eval";
  file.format = item.open->reader->format();
  outcome_.profile.bytes += item.open->reader->bytes_read();
  const std::string& path = options_.files[item.file].path;
  if (path == "-") return;
  const auto info = io::file_info(path);
  if (!info) return;  // a pipe or a device has no identity to keep
  file.bytes = info->bytes;
  file.modified = io::rfc3339_from_ns(info->modified_ns);
  if (!options_.hash_files) return;
  if (const auto hash = io::hash_file(path)) file.xxh64 = text::hex64(*hash);
}

void Reducer::end_of_file(const QueueItem& item) {
  if (!file_error_.has_value()) file_error_ = item.error;
  if (item.open != nullptr) {
    if (!file_error_.has_value()) {
      if (Status status = item.open->source->check(); !status) {
        file_error_ = status.error();
      }
    }
    describe_file(item);
    summary_.notes = item.open->reader->notes();
    summary_.format = item.open->reader->format();
    summary_.bytes = item.open->reader->bytes_read();
  }
  summary_.file = item.file;
  summary_.name = options_.files[item.file].shown;
  if (file_error_.has_value()) summary_.failure = file_error_->message;
  checker_.file(summary_);
  if (file_error_.has_value()) {
    outcome_.failures.push_back(FileFailure{item.file, *file_error_});
  }
  summary_ = {};
  usable_ = 0;
  prompts_of_file_ = 0;
  file_error_.reset();
}

ScanOutcome Reducer::finish() {
  const std::uint64_t bytes = outcome_.profile.bytes;
  outcome_.profile = builder_.finish();
  outcome_.profile.bytes = bytes;
  if (outcome_.profile.type == records::SampleType::kGrpo &&
      options_.stated_type == records::SampleType::kUnknown) {
    for (const auto& [file, prompts] : prompts_) {
      auto& usable = outcome_.files[file].usable;
      if (usable.has_value()) *usable += prompts;
    }
  }
  rules::SetResult checked = checker_.finish(outcome_.profile.type);
  outcome_.profile.findings = std::move(checked.log).take_groups();
  outcome_.profile.duplicates = checked.duplicates;
  outcome_.found = std::move(checked.found);
  outcome_.stale = std::move(checked.stale);
  for (const targets::SurvivalCounter& counter : survival_) {
    outcome_.profile.survival.push_back(
        survival_of(counter.options(), counter.figures()));
  }
  if (groups_.has_value()) outcome_.profile.by = groups_->finish();
  return std::move(outcome_);
}

// The workers' meeting point. Two locks: one for taking work, one for handing
// results to the reducer in order.
class Scheduler {
 public:
  Scheduler(const ScanOptions& options, ScanObserver& observer)
      : options_(options),
        observer_(observer),
        queue_(options),
        reducer_(options, observer),
        bytes_total_(total_bytes(options)) {}

  Result<ScanOutcome> run();

 private:
  struct Done {
    QueueItem item;
    BatchResult result;
  };

  static std::uint64_t total_bytes(const ScanOptions& options);
  void work();
  std::optional<QueueItem> take();
  void hand_in(Done done);
  void reduce(Done done);

  const ScanOptions& options_;
  ScanObserver& observer_;

  std::mutex queue_mutex_;
  FileQueue queue_;               // under queue_mutex_
  std::uint64_t bytes_read_ = 0;  // under results_mutex_

  std::mutex results_mutex_;
  std::condition_variable room_;
  std::map<std::uint64_t, Done> results_;  // under results_mutex_
  std::uint64_t next_to_reduce_ = 0;       // under results_mutex_
  std::uint64_t taken_ = 0;                // under results_mutex_
  bool reducing_ = false;                  // under results_mutex_
  bool cancelled_ = false;                 // under results_mutex_

  Reducer reducer_;  // by the thread that set reducing_
  std::uint64_t bytes_total_;
};

std::uint64_t Scheduler::total_bytes(const ScanOptions& options) {
  std::uint64_t total = 0;
  for (const InputFile& file : options.files) {
    if (file.path == "-") continue;
    if (const auto info = io::file_info(file.path)) total += info->bytes;
  }
  return total;
}

std::optional<QueueItem> Scheduler::take() {
  {
    // Bounded memory: a worker that is far ahead waits for the reducer. The
    // batch that is reduced next is in some worker's hands, so this ends.
    std::unique_lock lock(results_mutex_);
    const std::uint64_t most = 2 * std::uint64_t{options_.threads} + 2;
    room_.wait(lock,
               [&] { return cancelled_ || taken_ - next_to_reduce_ < most; });
    if (cancelled_) return std::nullopt;
    ++taken_;
  }
  std::uint64_t bytes_read = 0;
  std::optional<QueueItem> item;
  {
    const std::scoped_lock lock(queue_mutex_);
    item = queue_.next();
    bytes_read = queue_.bytes_read();
  }
  const std::scoped_lock lock(results_mutex_);
  bytes_read_ = std::max(bytes_read_, bytes_read);
  if (!item.has_value()) {
    --taken_;
    room_.notify_all();
  }
  return item;
}

void Scheduler::reduce(Done done) {
  if (done.item.batch == nullptr) {
    reducer_.end_of_file(done.item);
  } else {
    reducer_.batch(std::move(done.result), done.item.file);
  }
}

void Scheduler::hand_in(Done done) {
  std::unique_lock lock(results_mutex_);
  const std::uint64_t sequence = done.item.sequence;
  results_.emplace(sequence, std::move(done));
  if (reducing_) return;  // that thread will come to it
  reducing_ = true;
  while (!results_.empty() && results_.begin()->first == next_to_reduce_) {
    Done next = std::move(results_.begin()->second);
    results_.erase(results_.begin());
    const std::uint64_t bytes_read = bytes_read_;
    lock.unlock();
    reduce(std::move(next));
    observer_.progress(bytes_read, bytes_total_, reducer_.records());
    const bool cancelled = observer_.cancelled();
    lock.lock();
    ++next_to_reduce_;
    cancelled_ = cancelled_ || cancelled;
    room_.notify_all();
  }
  reducing_ = false;
}

void Scheduler::work() {
  RowWorker worker(options_);
  while (std::optional<QueueItem> item = take()) {
    Done done;
    if (item->batch != nullptr) {
      done.result = worker.process(*item->batch, item->file);
    }
    done.item = *std::move(item);
    hand_in(std::move(done));
  }
}

Result<ScanOutcome> Scheduler::run() {
  std::vector<std::thread> others;
  for (std::uint32_t i = 1; i < options_.threads; ++i) {
    others.emplace_back([this] { work(); });
  }
  work();
  for (std::thread& other : others) other.join();
  if (cancelled_) {
    return Error{ErrorKind::kInterrupted, "interrupted", ""};
  }
  return reducer_.finish();
}

}  // namespace

Result<ScanOutcome> scan_files(const ScanOptions& options,
                               ScanObserver& observer) {
  return Scheduler(options, observer).run();
}

}  // namespace trainsight::pipeline
