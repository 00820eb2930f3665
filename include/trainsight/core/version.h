// Which trainsight this is: the release and the commit it was built from.
//
// Library trainsight_version; nothing else is rebuilt when the commit changes.
// Thread-safety: constant data.
#ifndef TRAINSIGHT_CORE_VERSION_H_
#define TRAINSIGHT_CORE_VERSION_H_

#include <string_view>

namespace trainsight {

/// The release as MAJOR.MINOR.PATCH, "0.1.0".
[[nodiscard]] std::string_view version();

/// The first 12 hex digits of the commit; "unknown" when it was built outside
/// a git checkout and no commit was given.
[[nodiscard]] std::string_view commit();

}  // namespace trainsight

#endif  // TRAINSIGHT_CORE_VERSION_H_
