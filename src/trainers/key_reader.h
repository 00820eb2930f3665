// KeyReader: the keys of a trainer's file, one by one, by the table of keys.
#ifndef TRAINSIGHT_TRAINERS_KEY_READER_H_
#define TRAINSIGHT_TRAINERS_KEY_READER_H_

#include <fmt/format.h>

#include <string>
#include <string_view>

#include "trainers/flat_file.h"
#include "trainers/key_table.h"
#include "trainsight/core/result.h"
#include "trainsight/trainers/config.h"

namespace trainsight::trainers {

class KeyReader {
 public:
  KeyReader(Trainer trainer, std::string_view name, bool generates,
            TrainerConfig& config)
      : trainer_(trainer),
        name_(name),
        generates_(generates),
        config_(config) {}

  /// Puts what a key says into the configuration; keys that no row of the
  /// table names are listed as ignored. Errors: kUsage for a value that its
  /// key cannot have.
  Status read(const FlatValue& value);

 private:
  Status apply(const KeyRow& row, const FlatValue& value);
  Status set(const KeyRow& row, const FlatValue& value, std::string word);
  Error bad(const FlatValue& value, std::string_view expected) const {
    return Error{ErrorKind::kUsage,
                 fmt::format("{}: {}: \"{}\" is no {}", name_, value.key,
                             value.value.substr(0, 80), expected),
                 ""};
  }

  Trainer trainer_;
  std::string_view name_;
  bool generates_;  ///< the file has keys of generation
  TrainerConfig& config_;
};

}  // namespace trainsight::trainers

#endif  // TRAINSIGHT_TRAINERS_KEY_READER_H_
