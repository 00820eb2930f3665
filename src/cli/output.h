// What the process says: data to stdout, messages to stderr.
#ifndef TRAINSIGHT_CLI_OUTPUT_H_
#define TRAINSIGHT_CLI_OUTPUT_H_

#include <string_view>

#include "trainsight/core/exit_code.h"
#include "trainsight/core/result.h"

namespace trainsight::cli {

/// Writes all of `text` to stdout. A closed pipe (`| head`) ends quietly; a
/// full disk is an error.
Status write_stdout(std::string_view text);

/// Writes all of `text` to stderr, if anybody listens.
void write_stderr(std::string_view text);

/// "trainsight: error: …" and, when there is one, "hint: …" on stderr.
void print_error(const Error& error);
/// "trainsight: …" on stderr.
void print_note(std::string_view message);
/// "trainsight: warning: …" on stderr.
void print_warning(std::string_view message);

/// Prints the error and gives its exit code.
ExitCode fail(const Error& error);

}  // namespace trainsight::cli

#endif  // TRAINSIGHT_CLI_OUTPUT_H_
