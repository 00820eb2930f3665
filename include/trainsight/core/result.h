// Result<T>: a value or an Error, for operations that cannot go on.
//
// Shaped like std::expected (C++23), with the few members that trainsight
// uses. Errors are values: nothing in trainsight throws. Bad *data* is not an
// Error: it becomes a Finding and the scan goes on.
//
// The names of core live in namespace trainsight itself, since every module
// uses them. Thread-safety: plain values.
#ifndef TRAINSIGHT_CORE_RESULT_H_
#define TRAINSIGHT_CORE_RESULT_H_

#include <cassert>
#include <optional>
#include <string>
#include <utility>
#include <variant>

#include "trainsight/core/exit_code.h"

namespace trainsight {

/// What kind of thing went wrong; decides the process's exit code.
enum class ErrorKind {
  kUsage,        ///< wrong flags or configuration: exit 2
  kNotFound,     ///< a path, tokenizer or name does not exist: exit 3
  kUnreadable,   ///< permission, I/O error, a directory as a file: exit 3
  kUnsupported,  ///< understood as a format or feature we do not handle: 3
  kCorrupt,      ///< bytes that contradict their own format: exit 3
  kChanged,      ///< an input changed while, or since, it was read: exit 3
  kLimit,        ///< a limit was met before allocating: exit 3
  kInterrupted,  ///< SIGINT or SIGTERM: exit 130
  kInternal,     ///< a bug of ours: exit 4
};

/// What failed, on which object, why, and what to do next.
///
/// `message` is lower case without a full stop: "cannot read a.jsonl:
/// permission denied". `hint` is advice in a sentence of its own, or empty.
struct Error {
  ErrorKind kind = ErrorKind::kInternal;
  std::string message;
  std::string hint;

  /// The same error seen from a layer that knows more: "<context>: <message>".
  [[nodiscard]] Error with_context(const std::string& context) const {
    return Error{kind, context + ": " + message, hint};
  }
};

/// The exit code that an error of this kind ends the process with.
ExitCode exit_code_of(ErrorKind kind);

/// A T, or the Error that kept us from having one.
template <typename T>
class [[nodiscard]] Result {
 public:
  using value_type = T;

  Result(T value) : state_(std::in_place_index<0>, std::move(value)) {}
  Result(Error error) : state_(std::in_place_index<1>, std::move(error)) {}

  [[nodiscard]] bool has_value() const { return state_.index() == 0; }
  explicit operator bool() const { return has_value(); }

  /// REQUIRES: has_value().
  T& value() & {
    assert(has_value());
    return *std::get_if<0>(&state_);
  }
  const T& value() const& {
    assert(has_value());
    return *std::get_if<0>(&state_);
  }
  T&& value() && {
    assert(has_value());
    return std::move(*std::get_if<0>(&state_));
  }
  T& operator*() & { return value(); }
  const T& operator*() const& { return value(); }
  T&& operator*() && { return std::move(*this).value(); }
  T* operator->() { return &value(); }
  const T* operator->() const { return &value(); }

  /// REQUIRES: !has_value().
  [[nodiscard]] const Error& error() const {
    assert(!has_value());
    return *std::get_if<1>(&state_);
  }

  /// The value, or `fallback`.
  T value_or(T fallback) const {
    return has_value() ? value() : std::move(fallback);
  }

 private:
  std::variant<T, Error> state_;
};

/// Success without a value, or an Error.
template <>
class [[nodiscard]] Result<void> {
 public:
  Result() = default;
  Result(Error error) : error_(std::move(error)) {}

  [[nodiscard]] bool has_value() const { return !error_.has_value(); }
  explicit operator bool() const { return has_value(); }

  /// REQUIRES: !has_value().
  [[nodiscard]] const Error& error() const {
    assert(error_.has_value());
    return *error_;
  }

 private:
  std::optional<Error> error_;
};

using Status = Result<void>;

}  // namespace trainsight

#endif  // TRAINSIGHT_CORE_RESULT_H_
