// The gate: nanoseconds of a decision, and milliseconds of a whole process.
//
//   validate_bench TRAINSIGHT MANIFEST [RUNS]     RUNS of each process, 500
//
// MANIFEST holds a profile and a prediction (trainsight profile
// --manifest-out, lengths in tokens). A decision is gate::judge() with every
// limit set on the parsed manifest; reading and parsing are printed beside it.
// Processes run in turn, `trainsight validate --manifest` and an empty program
// linked the same way, so that what disturbs one disturbs the other; of their
// wall times the median and the least are printed. Answers are checked: each
// decision is the first one's, and each process ends with its exit code.
#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

#include "trainsight/gate/judge.h"
#include "trainsight/io/files.h"
#include "trainsight/manifest/read.h"

extern char** environ;

namespace {

using Clock = std::chrono::steady_clock;
using trainsight::gate::Verdict;
using trainsight::manifest::Manifest;
using trainsight::manifest::Policy;

double microseconds_since(Clock::time_point start) {
  return std::chrono::duration<double, std::micro>(Clock::now() - start)
      .count();
}

struct Times {
  double least = 0;
  double median = 0;
};

Times times_of(std::vector<double> all) {
  std::sort(all.begin(), all.end());
  return {all.front(), all[all.size() / 2]};
}

// Every limit that can be judged without a baseline.
Policy strict_policy() {
  Policy policy;
  policy.max_waste_pct = 60;
  policy.max_p99 = 1 << 20;
  policy.max_tokens = 1 << 20;
  policy.max_cv = 10;
  policy.max_risk = "critical";
  policy.max_truncated_pct = 100;
  policy.max_lost_tokens_pct = 100;
  policy.max_errors = 1 << 20;
  policy.max_malformed_pct = 100;
  policy.max_duplicate_pct = 100;
  policy.min_records = 1;
  return policy;
}

// Wall microseconds of one process; its exit code in `code`.
double run(const std::vector<std::string>& command, int& code) {
  std::vector<char*> arguments;
  for (const std::string& word : command) {
    arguments.push_back(const_cast<char*>(word.c_str()));
  }
  arguments.push_back(nullptr);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, 1, "/dev/null", O_WRONLY, 0);
  const auto start = Clock::now();
  pid_t child = 0;
  int status = 0;
  if (posix_spawn(&child, arguments[0], &actions, nullptr, arguments.data(),
                  environ) != 0 ||
      waitpid(child, &status, 0) != child) {
    std::fprintf(stderr, "cannot run %s\n", arguments[0]);
    std::exit(2);
  }
  const double took = microseconds_since(start);
  posix_spawn_file_actions_destroy(&actions);
  code = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  return took;
}

void print(const char* what, const Times& times, const char* unit) {
  std::printf("%-34s median %9.3f   least %9.3f   %s\n", what, times.median,
              times.least, unit);
}

bool bench_decision(const std::string& json, const std::string& path) {
  constexpr int kRounds = 200;
  constexpr int kDecisions = 100;
  std::vector<double> parse;
  std::vector<double> decide;
  const auto first = trainsight::manifest::parse_manifest(
      json, path, trainsight::manifest::Depth::kTokens);
  if (!first || !first->profile.has_value()) {
    std::fprintf(stderr, "%s holds no profile\n", path.c_str());
    return false;
  }
  if (!first->prediction.has_value()) {
    std::fprintf(stderr, "%s holds no prediction: the decision makes one\n",
                 path.c_str());
  }
  const Policy policy = strict_policy();
  const auto judge = [&policy](const Manifest& m) {
    trainsight::gate::Evidence evidence{*m.profile, m.training};
    evidence.prediction = m.prediction.has_value() ? &*m.prediction : nullptr;
    return trainsight::gate::judge(evidence, policy);
  };
  const Verdict expected = judge(*first);
  for (int round = 0; round < kRounds; ++round) {
    auto start = Clock::now();
    const auto m = trainsight::manifest::parse_manifest(
        json, path, trainsight::manifest::Depth::kTokens);
    parse.push_back(microseconds_since(start));
    start = Clock::now();
    bool same = true;
    for (int i = 0; i < kDecisions; ++i) {
      const Verdict verdict = judge(*m);
      same &= verdict.exit_code() == expected.exit_code() &&
              verdict.judgements.size() == expected.judgements.size();
    }
    decide.push_back(microseconds_since(start) / kDecisions);
    if (!same) {
      std::fprintf(stderr, "a decision differs from the first\n");
      return false;
    }
  }
  std::printf("%zu limits judged, exit code %d\n", expected.judgements.size(),
              static_cast<int>(expected.exit_code()));
  print("parse the manifest", times_of(parse), "µs");
  print("decide", times_of(decide), "µs");
  return true;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 3) {
    std::fprintf(stderr, "usage: validate_bench TRAINSIGHT MANIFEST [RUNS]\n");
    return 2;
  }
  const std::string program = argv[1];
  const std::string manifest = argv[2];
  const int runs = argc > 3 ? std::max(std::atoi(argv[3]), 1) : 500;
  const auto json = trainsight::io::read_file(manifest, 64u << 20);
  if (!json) {
    std::fprintf(stderr, "%s\n", json.error().message.c_str());
    return 2;
  }
  if (!bench_decision(*json, manifest)) return 1;

  std::string self(argv[0]);
  const std::size_t slash = self.rfind('/');
  self.resize(slash == std::string::npos ? 0 : slash + 1);
  const std::vector<std::string> empty = {(self.empty() ? "./" : self) +
                                          "empty_program"};
  const std::vector<std::string> validate = {program, "validate", "--manifest",
                                             manifest};
  int expected = 0;
  run(validate, expected);
  std::vector<double> validates;
  std::vector<double> empties;
  for (int i = 0; i < runs; ++i) {
    int code = 0;
    empties.push_back(run(empty, code) / 1000);
    validates.push_back(run(validate, code) / 1000);
    if (code != expected) {
      std::fprintf(stderr, "exit code %d, before %d\n", code, expected);
      return 1;
    }
  }
  const Times with = times_of(validates);
  const Times without = times_of(empties);
  print("an empty static program", without, "ms");
  print("trainsight validate --manifest", with, "ms");
  print("  over the empty one",
        {with.least - without.least, with.median - without.median}, "ms");
  return 0;
}
