// SPDX-License-Identifier: BSD-3-Clause
// A ctv stream into a container: the header becomes the track's private data, each packet a packet with its
// time. Later headers precede the packet that follows them, and the index is left out.
#pragma once

#include <cstdint>
#include <string>

namespace ctv::tools {

/// format: matroska, nut or mov. Returns the number of frames. Throws Failure, and then leaves no file.
int64_t mux_stream(const std::string& stream, const std::string& container, const std::string& format);

}  // namespace ctv::tools
