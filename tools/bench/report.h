// SPDX-License-Identifier: BSD-3-Clause
// The Python programs of report/, which make tables and the page of documents.
#pragma once

#include <string>

#include "bench/machine.h"

namespace ctv::tools {

/// The document's tables as Markdown, by report/tables.py. Throws Failure, where there is no python3, say.
std::string tables_of(const Json& document);

}  // namespace ctv::tools
