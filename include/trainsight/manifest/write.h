// The manifest as JSON text.
//
// Deterministic: the same manifest gives the same bytes. Two spaces of
// indentation, one line a member, members in the order of the published
// schema. Pure.
#ifndef TRAINSIGHT_MANIFEST_WRITE_H_
#define TRAINSIGHT_MANIFEST_WRITE_H_

#include <string>

#include "trainsight/manifest/manifest.h"

namespace trainsight::manifest {

/// The document, ended by a newline.
std::string to_json(const Manifest& manifest);

}  // namespace trainsight::manifest

#endif  // TRAINSIGHT_MANIFEST_WRITE_H_
