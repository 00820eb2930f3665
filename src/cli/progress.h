// Progress of long work on stderr, and the interrupt that ends it.
#ifndef TRAINSIGHT_CLI_PROGRESS_H_
#define TRAINSIGHT_CLI_PROGRESS_H_

#include <chrono>
#include <cstdint>
#include <functional>
#include <string>

#include "environment.h"
#include "trainsight/pipeline/scan_job.h"

namespace trainsight::cli {

/// Makes SIGINT and SIGTERM end a scan in order (exit code 130); a second one
/// ends the process at once. Ignores SIGPIPE.
void install_signal_handlers();
/// Whether a signal has come.
bool interrupted();

/// "12.3 %  1.2 GB of 9.8 GB  1.05 GB/s  ETA 0:08", from values alone.
std::string progress_text(std::uint64_t bytes_done, std::uint64_t bytes_total,
                          std::uint64_t records, double seconds);

/// Shows a bar on a terminal, or a line every 10 s in a log, of anything that
/// takes over a second.
class Progress : public pipeline::ScanObserver {
 public:
  /// `mode` is --progress: auto, always, never.
  Progress(const std::string& mode, const Environment& environment);
  ~Progress() override;

  void progress(std::uint64_t bytes_done, std::uint64_t bytes_total,
                std::uint64_t records) override;
  bool cancelled() override { return interrupted(); }
  void rows(const std::vector<facts::RowFacts>& rows) override;

  /// Rows of the scan go here too, in input order.
  std::function<void(const std::vector<facts::RowFacts>&)> on_rows;

 private:
  using Clock = std::chrono::steady_clock;
  bool shown_;
  bool on_terminal_;
  bool line_is_open_ = false;
  Clock::time_point start_;
  Clock::time_point last_;
};

}  // namespace trainsight::cli

#endif  // TRAINSIGHT_CLI_PROGRESS_H_
