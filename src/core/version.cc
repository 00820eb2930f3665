#include "trainsight/core/version.h"

// Generated in the build folder by cmake/write_commit.cmake.
#include "trainsight_commit.h"

namespace trainsight {

std::string_view version() { return TRAINSIGHT_VERSION; }

std::string_view commit() { return TRAINSIGHT_COMMIT; }

}  // namespace trainsight
