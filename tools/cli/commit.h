// SPDX-License-Identifier: BSD-3-Clause
// The commit that a tool was built from.
#pragma once

namespace ctv::tools {

/// Its abbreviated hash, with "-dirty" if files differ; "unknown" without a history.
const char* built_commit();

}  // namespace ctv::tools
