// The manifest from JSON text.
//
// An unknown member is an error with the nearest known name, so that a typing
// error never loosens a gate; below `profile`, `prediction` and `x-…` unknown
// members are passed over, so that an older gate reads a newer manifest.
// Pure; takes bytes.
#ifndef TRAINSIGHT_MANIFEST_READ_H_
#define TRAINSIGHT_MANIFEST_READ_H_

#include <string>
#include <string_view>

#include "trainsight/core/result.h"
#include "trainsight/manifest/manifest.h"

namespace trainsight::manifest {

/// How much of a stored profile is read.
enum class Depth : std::uint8_t {
  kAll,     ///< every sketch
  kTokens,  ///< what a gate needs: tokens, sides, labels; no fields
};

/// Reads a manifest. `name` stands before messages ("m.json:3:14: …").
/// Errors: kCorrupt for broken JSON and impossible values, kUnsupported for
/// another apiVersion or kind, kUsage for unknown members and wrong types.
Result<Manifest> parse_manifest(std::string_view json, std::string_view name,
                                Depth depth = Depth::kAll);

/// Reads a policy file: a JSON object with the members of `policy`.
Result<Policy> parse_policy(std::string_view json, std::string_view name);

/// The known name nearest to `name`; empty when none is near.
std::string_view nearest_name(std::string_view name,
                              const std::vector<std::string_view>& known);

}  // namespace trainsight::manifest

#endif  // TRAINSIGHT_MANIFEST_READ_H_
