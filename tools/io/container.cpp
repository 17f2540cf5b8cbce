// SPDX-License-Identifier: BSD-3-Clause
// The functions that do not need libavformat: detection of containers, and messages without it.
#include "io/container.h"

#include <array>

#include "cli/exit.h"
#include "io/channels.h"
#include "io/file_status.h"
#include "io/image_reader.h"

#ifdef CTV_LIBAV
#include "bindings/libav/container_source.h"
#include "bindings/libav/muxer.h"
#include "bindings/libav/video_reader.h"
#endif

namespace ctv::tools {
namespace {

/// The first bytes of a regular file; "" for others, which must not be opened twice.
std::string beginning(const std::string& path) {
  const std::optional<FileStatus> status = path == "-" ? std::nullopt : status_of(path);
  if (!status || !status->regular) return "";
  std::array<uint8_t, 16> bytes{};
  const size_t got = read_fully(*open_source(path), bytes);
  return {bytes.begin(), bytes.begin() + static_cast<ptrdiff_t>(got)};
}

#ifndef CTV_LIBAV
[[noreturn]] void fail_without(Exit code, const std::string& what, const std::string& or_else) {
  throw Failure(code, what + ", which needs libavformat, and this build has none",
                "build with -DCTV_LIBAV=ON" + or_else);
}
#endif

}  // namespace

bool begins_container(std::string_view bytes) {
  return bytes.starts_with("\x1A\x45\xDF\xA3") || bytes.starts_with("nut/multimedia") ||
         bytes.substr(std::min<size_t>(4, bytes.size())).starts_with("ftyp");
}

bool is_foreign_video(const std::string& path) {
  const std::string bytes = beginning(path);
  if (bytes.empty() || bytes.starts_with("YUV4MPEG2")) return false;
#ifdef CTV_LIBAV
  return true;
#else
  return begins_container(bytes);
#endif
}

std::string container_of(const std::string& path) {
  const std::string ending = extension_of(path);
  if (ending == "mkv") return "matroska";
  return ending == "nut" || ending == "mov" ? ending : "";
}

std::unique_ptr<ByteSource> open_stream(const std::string& path) {
  if (!begins_container(beginning(path))) return open_source(path);
#ifdef CTV_LIBAV
  return open_container_source(path);
#else
  fail_without(Exit::kFile, path + " is a container", "");
#endif
}

std::unique_ptr<FrameReader> open_foreign_video(const InputOptions& options) {
#ifdef CTV_LIBAV
  return open_video_reader(options);
#else
  fail_without(Exit::kFile, options.path + " is a container",
               ", or ffmpeg -i FILE -f yuv4mpegpipe - | ctenc -");
#endif
}

int64_t write_container(const std::string& stream, const std::string& container) {
#ifdef CTV_LIBAV
  return mux_stream(stream, container, container_of(container));
#else
  (void)stream;
  fail_without(Exit::kUsage, "--mux writes " + container, "");
#endif
}

}  // namespace ctv::tools
