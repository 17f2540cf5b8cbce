// SPDX-License-Identifier: BSD-3-Clause
#include "cli/commit.h"

#include "ctv_tools_commit.h"

namespace ctv::tools {

const char* built_commit() { return kCommit; }

}  // namespace ctv::tools
