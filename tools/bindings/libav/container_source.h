// SPDX-License-Identifier: BSD-3-Clause
// A ctv stream inside a container.
#pragma once

#include <memory>
#include <string>

#include "io/byte_source.h"

namespace ctv::tools {

/// Reads the header from the track's private data, then the units of each packet. Throws Failure(kFile) if
/// the container has no ctv track; read() throws CutUnit where it is truncated.
std::unique_ptr<ByteSource> open_container_source(const std::string& path);

}  // namespace ctv::tools
