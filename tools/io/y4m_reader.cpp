// SPDX-License-Identifier: BSD-3-Clause
#include "io/y4m_reader.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <string>

#include "cli/exit.h"
#include "cli/messages.h"
#include "cli/text.h"

namespace ctv::tools {
namespace {

constexpr std::string_view kMagic = "YUV4MPEG2";
constexpr std::string_view kFrameMagic = "FRAME";
constexpr size_t kMaxLine = 4096;  // longer than any writer's; stops at files without newlines

ctv_format format_of(std::string_view colour, const std::string& name) {
  struct Row {
    std::string_view tag;
    ctv_format format;
  };
  static constexpr Row kRows[] = {
      {"420", CTV_FORMAT_I420},       {"420jpeg", CTV_FORMAT_I420},   {"420mpeg2", CTV_FORMAT_I420},
      {"420paldv", CTV_FORMAT_I420},  {"422", CTV_FORMAT_I422},       {"444", CTV_FORMAT_I444},
      {"mono", CTV_FORMAT_GRAY8},     {"420p10", CTV_FORMAT_I420_10}, {"422p10", CTV_FORMAT_I422_10},
      {"444p10", CTV_FORMAT_I444_10}, {"mono10", CTV_FORMAT_GRAY10},  {"420p12", CTV_FORMAT_I420_12},
      {"422p12", CTV_FORMAT_I422_12}, {"444p12", CTV_FORMAT_I444_12}, {"mono12", CTV_FORMAT_GRAY12},
  };
  // "420p8", "422p10", "mono16": the depth follows the layout.
  const size_t end = colour.find_last_not_of("0123456789") + 1;
  const bool deep_tag =
      end > 0 && end < colour.size() && (colour[end - 1] == 'p' || colour.starts_with("mono"));
  const auto depth = deep_tag ? parse_integer(colour.substr(end), 1, 64) : std::nullopt;
  const std::string_view layout =
      depth == 8 ? colour.substr(0, end - (colour[end - 1] == 'p' ? 1 : 0)) : colour;
  for (const Row& row : kRows)
    if (row.tag == layout) return row.format;
  const std::string tag = printable(colour.substr(0, 32));
  if (depth > 8)
    throw Failure(Exit::kFile,
                  name + ": y4m colour space C" + tag + " is not supported: samples have 8, 10 or 12 bits",
                  "convert it first, for example with ffmpeg -pix_fmt yuv420p10");
  throw Failure(Exit::kFile, name + ": y4m colour space C" + tag + " is not supported",
                "420, 420jpeg, 420mpeg2, 420paldv, 422, 444 and mono are; also 420p10, mono10 and so on");
}

ctv_siting siting_of(std::string_view colour) {
  if (colour == "420mpeg2") return CTV_SITING_LEFT;
  if (colour == "420jpeg") return CTV_SITING_CENTRE;
  return colour == "420paldv" ? CTV_SITING_TOP_LEFT : CTV_SITING_UNSPECIFIED;
}

/// Records a property that a stream cannot hold.
void drop(VideoFormat& video, const char* what, std::string_view value) {
  video.dropped +=
      (video.dropped.empty() ? "" : ", ") + std::string(what) + " (" + printable(value.substr(0, 32)) + ")";
}

/// Reads up to the newline, which is removed; nothing at a clean end.
std::optional<std::string> read_line(ByteSource& source, std::string line, const char* what) {
  const bool fresh = line.empty();
  while (line.size() <= kMaxLine) {
    uint8_t byte = 0;
    if (source.read({&byte, 1}) == 0) {
      if (fresh && line.empty()) return std::nullopt;
      throw Failure(Exit::kFile, source.name() + ": the file ends inside " + what);
    }
    if (byte == '\n') return line;
    line.push_back(static_cast<char>(byte));
  }
  throw Failure(Exit::kFile, source.name() + text(": %s has no end within %zu bytes", what, kMaxLine));
}

}  // namespace

VideoFormat parse_y4m_header(std::string_view line, const std::string& name, uint64_t max_pixels) {
  if (!line.starts_with(kMagic) || (line.size() > kMagic.size() && line[kMagic.size()] != ' ')) {
    throw Failure(
        Exit::kFile, name + ": this is not a y4m file (YUV4MPEG2)",
        "ffmpeg -i FILE -f yuv4mpegpipe - | ctenc - reads other videos; raw video needs --size WxH");
  }
  VideoFormat video;
  video.format = CTV_FORMAT_I420;  // the format's default
  int64_t width = 0;
  int64_t height = 0;
  bool has_width = false;
  bool has_height = false;
  for (const std::string& word : split(line.substr(kMagic.size()), ' ')) {
    if (word.empty()) continue;
    const std::string_view value = std::string_view(word).substr(1);
    switch (word[0]) {
      case 'W':
      case 'H': {
        const auto extent = parse_integer(value, 0, INT64_MAX);
        if (!extent) throw Failure(Exit::kFile, name + ": bad y4m parameter " + word.substr(0, 32));
        (word[0] == 'W' ? width : height) = *extent;
        (word[0] == 'W' ? has_width : has_height) = true;
        break;
      }
      case 'F':
        if (const auto rate = parse_rate(value)) {
          video.fps_num = rate->first;
          video.fps_den = rate->second;
        } else if (value != "0" && !value.starts_with("0:")) {  // "unknown": the default rate stays
          drop(video, "its frame rate", value);
        }
        break;
      case 'C':
        video.format = format_of(value, name);
        video.description.siting = siting_of(value);
        break;
      case 'A':
        if (const auto aspect = parse_aspect(value)) {
          video.description.aspect = *aspect;
        } else {
          drop(video, "its sample aspect", value);
        }
        break;
      case 'I':
        if (value == "t") video.description.interlace = CTV_INTERLACE_TOP_FIRST;
        if (value == "b") video.description.interlace = CTV_INTERLACE_BOTTOM_FIRST;
        if (value == "m") drop(video, "its mixed interlacing", value);
        break;
      case 'X':
        if (value == "COLORRANGE=FULL") video.description.range = CTV_RANGE_FULL;
        if (value == "COLORRANGE=LIMITED") video.description.range = CTV_RANGE_LIMITED;
        break;
      default:
        break;
    }
  }
  if (!has_width || !has_height)
    throw Failure(Exit::kFile, name + ": the y4m header gives no " + (has_width ? "height" : "width"));
  check_extent(name, width, height, max_pixels);
  video.width = static_cast<int32_t>(width);
  video.height = static_cast<int32_t>(height);
  return video;
}

Y4mReader::Y4mReader(std::unique_ptr<ByteSource> source, uint64_t max_pixels) : source_(std::move(source)) {
  // First only the magic, so that a large binary file is not searched for a newline.
  std::array<uint8_t, kMagic.size()> magic{};
  const size_t got = read_fully(*source_, magic);
  if (got == 0) throw Failure(Exit::kFile, source_->name() + " is empty");
  std::string line(magic.begin(), magic.begin() + static_cast<ptrdiff_t>(got));
  if (line == kMagic) line = *read_line(*source_, line, "the y4m header");
  video_ = parse_y4m_header(line, source_->name(), max_pixels);
  header_bytes_ = line.size() + 1;
}

bool Y4mReader::read_frame_header() {
  std::array<uint8_t, kFrameMagic.size() + 1> head{};
  const size_t got = read_fully(*source_, head);
  if (got == 0) return false;
  const std::string frame = text("frame %lld", static_cast<long long>(next_frame_));
  if (got < head.size())
    throw Failure(Exit::kFile, source_->name() + ": the file ends inside the header of " + frame);
  if (std::memcmp(head.data(), kFrameMagic.data(), kFrameMagic.size()) != 0 ||
      (head.back() != '\n' && head.back() != ' '))
    throw Failure(Exit::kFile, source_->name() + ": " + frame + " does not begin with FRAME");
  if (head.back() == ' ') read_line(*source_, "FRAME ", "a frame's header");
  return true;
}

void Y4mReader::throw_cut(uint64_t got) const {
  throw Failure(Exit::kFile, text("%s: frame %lld is cut: %llu of %zu bytes", source_->name().c_str(),
                                  static_cast<long long>(next_frame_), static_cast<unsigned long long>(got),
                                  video_.frame_bytes()));
}

bool Y4mReader::read(Frame& frame) {
  if (!read_frame_header()) return false;
  const size_t bytes = video_.frame_bytes();
  frame.describe(video_);
  const size_t got = read_growing(*source_, frame.bytes(), bytes);
  if (got < bytes) throw_cut(got);
  ++next_frame_;
  return true;
}

void Y4mReader::skip(int64_t n) {
  for (; n > 0 && read_frame_header(); --n, ++next_frame_)
    if (const uint64_t got = source_->skip(video_.frame_bytes()); got < video_.frame_bytes()) throw_cut(got);
}

std::optional<int64_t> Y4mReader::count() const {
  const auto size = source_->size();
  if (!size || *size < header_bytes_) return std::nullopt;
  return static_cast<int64_t>((*size - header_bytes_) / (video_.frame_bytes() + kFrameMagic.size() + 1));
}

}  // namespace ctv::tools
