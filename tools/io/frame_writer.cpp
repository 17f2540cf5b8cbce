// SPDX-License-Identifier: BSD-3-Clause
#include "io/frame_writer.h"

#include <numeric>

#include "cli/exit.h"
#include "cli/names.h"
#include "cli/text.h"
#include "io/channels.h"
#include "io/image_writer.h"
#include "io/output_file.h"
#include "io/pattern.h"

namespace ctv::tools {
namespace {

/// Calls f(row bytes) for every row of every plane.
template <class F>
void for_each_row(const ctv_picture& picture, F f) {
  for (int i = 0; i < 4; ++i) {
    const size_t bytes = ctv_plane_row_bytes(picture.format, picture.width, i);
    const size_t rows = ctv_plane_rows(picture.format, picture.height, i);
    if (bytes == 0 || rows == 0) continue;
    const auto* row = static_cast<const uint8_t*>(picture.data[i]);
    if (picture.stride[i] == static_cast<ptrdiff_t>(bytes)) {
      f(std::span(row, bytes * rows));  // without gaps: the whole plane
      continue;
    }
    for (size_t y = 0; y < rows; ++y, row += picture.stride[i]) f(std::span(row, bytes));
  }
}

const char* y4m_tag(ctv_format format, ctv_siting siting) {
  switch (format) {
    case CTV_FORMAT_GRAY8:
      return "mono";
    case CTV_FORMAT_I420:
      if (siting == CTV_SITING_LEFT) return "420mpeg2";
      if (siting == CTV_SITING_CENTRE) return "420jpeg";
      return siting == CTV_SITING_TOP_LEFT ? "420paldv" : "420";
    case CTV_FORMAT_I422:
      return "422";
    case CTV_FORMAT_I444:
      return "444";
    case CTV_FORMAT_GRAY10:
      return "mono10";
    case CTV_FORMAT_I420_10:
      return "420p10";
    case CTV_FORMAT_I422_10:
      return "422p10";
    case CTV_FORMAT_I444_10:
      return "444p10";
    case CTV_FORMAT_GRAY12:
      return "mono12";
    case CTV_FORMAT_I420_12:
      return "420p12";
    case CTV_FORMAT_I422_12:
      return "422p12";
    case CTV_FORMAT_I444_12:
      return "444p12";
    default:
      return nullptr;
  }
}

std::string y4m_header(const ctv_picture& picture, const OutputOptions& options, const char* tag) {
  constexpr char kInterlaced[] = {'p', 't', 'b'};
  constexpr const char* kRangeTags[] = {"", " XCOLORRANGE=LIMITED", " XCOLORRANGE=FULL"};
  const Description& d = options.description;
  const int32_t divisor = std::gcd(options.fps_num, options.fps_den);
  return text("YUV4MPEG2 W%d H%d F%d:%d I%c A%d:%d C%s%s\n", picture.width, picture.height,
              options.fps_num / divisor, options.fps_den / divisor, kInterlaced[d.interlace], d.aspect.first,
              d.aspect.second, tag, kRangeTags[d.range]);
}

class StreamWriter : public FrameWriter {
 public:
  StreamWriter(const OutputOptions& options, bool y4m) : options_(options), file_(options.path), y4m_(y4m) {}

  void write(const ctv_picture& picture) override {
    if (first_.format == CTV_FORMAT_NONE) begin(picture);
    if (picture.format != first_.format || picture.width != first_.width || picture.height != first_.height)
      throw Failure(Exit::kFile,
                    text("%s: the pictures change from %dx%d to %dx%d", options_.path.c_str(), first_.width,
                         first_.height, picture.width, picture.height),
                    "an image sequence can hold both");
    if (y4m_) file_.write("FRAME\n");
    // Rows with gaps are gathered: one system call per picture instead of one per row.
    buffer_.clear();
    for_each_row(picture, [&](std::span<const uint8_t> row) {
      buffer_.insert(buffer_.end(), row.begin(), row.end());
    });
    file_.write(std::span<const uint8_t>(buffer_));
    file_.mark();
  }
  void finish() override { file_.commit(); }
  std::string keep() override { return file_.commit_marked(); }
  uint64_t size() const override { return file_.size(); }

 private:
  void begin(const ctv_picture& picture) {
    if (!y4m_ && extension_of(options_.path) == "yuv" && is_rgb(picture.format))
      throw Failure(Exit::kUsage, "'" + options_.path + "' means YCbCr, and the pictures are RGB",
                    "name it .rgb, or convert with --format i444");
    first_ = picture;
    if (!y4m_) return;
    const char* tag = y4m_tag(picture.format, options_.description.siting);
    if (tag == nullptr)
      throw Failure(Exit::kUsage,
                    "y4m holds planar YCbCr only, and the pictures are " +
                        std::string(is_rgb(picture.format) ? "RGB" : name_of(kFormats, picture.format)),
                    is_rgb(picture.format)
                        ? "write .ppm, .png or .rgb, or convert with --format i444"
                        : "write .nv12 or .p010, or convert with --format i420 or i420p10");
    file_.write(y4m_header(picture, options_, tag));
  }

  OutputOptions options_;
  OutputFile file_;
  bool y4m_;
  ctv_picture first_{};
  std::vector<uint8_t> buffer_;
};

class NullWriter : public FrameWriter {
 public:
  void write(const ctv_picture&) override {}
};

}  // namespace

OutputKind kind_of_output(const std::string& path, const std::string& option) {
  if (path.empty() || path == "null" || path == "/dev/null") return OutputKind::kNull;
  if (path == "-") return OutputKind::kY4m;
  const std::string ending = extension_of(path);
  if (ending == "y4m") return OutputKind::kY4m;
  if (ending == "png") return OutputKind::kPng;
  if (ending == "ppm" || ending == "pgm" || ending == "pnm") return OutputKind::kPpm;
  for (const char* raw : {"rgb", "rgba", "yuv", "raw", "nv12", "p010", "gray"})
    if (ending == raw) return OutputKind::kRaw;
  throw Failure(
      Exit::kUsage, "'" + path + "' does not tell what to write",
      std::string("name it .y4m, .png, .ppm, .yuv or .rgb") + (option.empty() ? "" : ", or give " + option));
}

ctv_format raw_format_of(const std::string& path) {
  const std::string ending = extension_of(path);
  if (ending == "rgb") return CTV_FORMAT_RGB8;
  if (ending == "rgba") return CTV_FORMAT_RGBA8;
  if (ending == "nv12") return CTV_FORMAT_NV12;
  if (ending == "p010") return CTV_FORMAT_P010;
  return ending == "gray" ? CTV_FORMAT_GRAY8 : CTV_FORMAT_NONE;
}

void complete_output(OutputOptions& output, ctv_format& format) {
  if (output.kind == OutputKind::kAuto) output.kind = kind_of_output(output.path, output.kind_option);
  ctv_format named = CTV_FORMAT_NONE;
  if (output.kind == OutputKind::kRaw) named = raw_format_of(output.path);
  if (named != CTV_FORMAT_NONE && format != CTV_FORMAT_NONE && named != format)
    throw Failure(Exit::kUsage,
                  "'" + output.path + "' means " + name_of(kFormats, named) + ", and --format says " +
                      name_of(kFormats, format),
                  "leave out --format, or name it .raw");
  if (format != CTV_FORMAT_NONE) return;
  format = is_image(output.kind) ? CTV_FORMAT_RGB8 : named;
}

std::unique_ptr<FrameWriter> open_output(const OutputOptions& options) {
  const OutputKind kind =
      options.kind == OutputKind::kAuto ? kind_of_output(options.path, options.kind_option) : options.kind;
  switch (kind) {
    case OutputKind::kY4m:
      return std::make_unique<StreamWriter>(options, true);
    case OutputKind::kRaw:
      return std::make_unique<StreamWriter>(options, false);
    case OutputKind::kPng:
    case OutputKind::kPpm:
      return std::make_unique<ImageWriter>(options, kind == OutputKind::kPng);
    default:
      return std::make_unique<NullWriter>();
  }
}

void PictureMd5::add(const ctv_picture& picture) {
  for_each_row(picture, [&](std::span<const uint8_t> row) { md5_.add(row); });
}

}  // namespace ctv::tools
