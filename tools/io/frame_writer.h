// SPDX-License-Identifier: BSD-3-Clause
// Pictures out, one after another. Each kind of output is one small class; open_output() chooses by name.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "io/frame.h"
#include "io/md5.h"

namespace ctv::tools {

class FrameWriter {
 public:
  virtual ~FrameWriter() = default;
  /// A picture in host memory. All have the first one's shape; throws Failure(kFile) otherwise.
  virtual void write(const ctv_picture& picture) = 0;
  /// All is written: gives files their names.
  virtual void finish() {}
  /// Bytes so far.
  virtual uint64_t size() const { return 0; }
};

enum class OutputKind { kAuto, kY4m, kRaw, kPng, kPpm, kNull };

struct OutputOptions {
  std::string path;  // "null" and "" discard, "-" is standard output
  OutputKind kind = OutputKind::kAuto;
  std::string kind_option;  // by which users of the tool choose the kind, for messages
  int32_t fps_num = 25, fps_den = 1;
  Description description{};
  int64_t start_number = 0;  // of an image sequence
};

/// Whether this kind of output takes RGB or grey only.
inline bool is_image(OutputKind kind) { return kind == OutputKind::kPng || kind == OutputKind::kPpm; }

/// What a path stands for, where the user did not say. Throws Failure(kUsage) if it cannot be told.
/// option: of the tool, by which the user could have said; for the message, "" if there is none.
OutputKind kind_of_output(const std::string& path, const std::string& option = "");
/// The sample format that the name of raw video tells: .rgb, .rgba, .nv12, .gray; NONE for other names.
ctv_format raw_format_of(const std::string& path);
/// Sets kind and format where the user did not say: by the name, images as RGB. Throws Failure(kUsage) if
/// the name and the format asked for exclude each other.
void complete_output(OutputOptions& output, ctv_format& format);

std::unique_ptr<FrameWriter> open_output(const OutputOptions& options);

/// The MD5 of all pictures' samples, row by row and plane by plane, as dav1d's and ffmpeg's.
class PictureMd5 {
 public:
  void add(const ctv_picture& picture);
  std::string finish() { return md5_.finish(); }

 private:
  Md5 md5_;
};

}  // namespace ctv::tools
