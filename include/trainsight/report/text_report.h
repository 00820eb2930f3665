// The profile and the verdict as a screen of text.
//
// At most 80 columns, readable without colour and in a log; one screen for an
// ordinary data set. Colour only underlines what the words say. Pure: the same
// manifest gives the same bytes.
#ifndef TRAINSIGHT_REPORT_TEXT_REPORT_H_
#define TRAINSIGHT_REPORT_TEXT_REPORT_H_

#include <string>
#include <vector>

#include "trainsight/gate/judge.h"
#include "trainsight/manifest/manifest.h"

namespace trainsight::report {

struct TextOptions {
  bool color = false;
};

/// One change that would help, with what it gains and what it costs.
struct Advice {
  std::string change;  ///< "pack to 512 tokens"
  std::string gain;    ///< "padding 37.3 % → 0.6 %"
};

/// The one or two changes of batching that would help most on these lengths,
/// from the profile's counts; none where nothing would.
/// REQUIRES: manifest.profile is there.
std::vector<Advice> advise(const manifest::Manifest& manifest);

/// The report of `trainsight profile`.
/// REQUIRES: manifest.profile and manifest.prediction are there.
std::string profile_report(const manifest::Manifest& manifest,
                           const std::vector<Advice>& advice,
                           const TextOptions& options);

/// The report of `trainsight validate`. `unread_files` could not be read to
/// their end: then no verdict is a pass.
std::string verdict_report(const manifest::Manifest& manifest,
                           const gate::Verdict& verdict,
                           const TextOptions& options,
                           std::size_t unread_files = 0);

/// The verdict as JSON: limits with measured, allowed, outcome, fix.
std::string verdict_json(const manifest::Manifest& manifest,
                         const gate::Verdict& verdict,
                         std::size_t unread_files = 0);

}  // namespace trainsight::report

#endif  // TRAINSIGHT_REPORT_TEXT_REPORT_H_
