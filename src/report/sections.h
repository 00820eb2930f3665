// Sections that several reports share.
#ifndef TRAINSIGHT_REPORT_SECTIONS_H_
#define TRAINSIGHT_REPORT_SECTIONS_H_

#include <string>

#include "layout.h"
#include "trainsight/manifest/manifest.h"

namespace trainsight::report {

/// What the data set is called: its file, or how many and the first; at most
/// `width` columns, at least 40.
std::string data_name(const manifest::Manifest& manifest, std::size_t width);

/// "Findings", with counts, the first places and a hint for each rule. Starts
/// with an empty line. REQUIRES: manifest.profile is there.
std::string findings_section(const manifest::Manifest& manifest,
                             const Style& style);

/// "By source": a row a group. Starts with an empty line; empty when the
/// profile was not broken down. REQUIRES: manifest.profile is there.
std::string breakdown_section(const manifest::Manifest& manifest,
                              const Style& style);

/// "Mixture": the inputs by weights. As breakdown_section().
std::string mixture_section(const manifest::Manifest& manifest,
                            const Style& style);

}  // namespace trainsight::report

#endif  // TRAINSIGHT_REPORT_SECTIONS_H_
