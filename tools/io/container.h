// SPDX-License-Identifier: BSD-3-Clause
// Files of other programs: a ctv stream inside a container such as Matroska, and videos of other codecs. With
// CTV_LIBAV, tools/bindings/libav implements them; otherwise each function reports that it is missing.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "io/byte_source.h"
#include "io/frame_reader.h"

namespace ctv::tools {

/// The video track's codec tag in a container.
constexpr char kCodecTag[] = "CTV1";

/// Opens a ctv stream: a file, "-" for standard input, or a container with ctv video. Its bytes are those put
/// into the container, without the index. Containers cannot be seeked. Throws Failure.
std::unique_ptr<ByteSource> open_stream(const std::string& path);

/// Whether the bytes (16 suffice) begin a container of write_container().
bool begins_container(std::string_view bytes);
/// Whether the file is a video that only libavformat reads: neither y4m nor empty.
bool is_foreign_video(const std::string& path);
/// Reads its pictures with their times, as far as a stream supports both. Throws Failure.
std::unique_ptr<FrameReader> open_foreign_video(const InputOptions& options);

/// The name of a container for write_container(), by the path's extension; "" for other extensions.
std::string container_of(const std::string& path);
/// Puts a ctv stream into a container without coding it again; returns the number of frames. Throws Failure.
int64_t write_container(const std::string& stream, const std::string& container);

}  // namespace ctv::tools
