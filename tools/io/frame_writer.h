// SPDX-License-Identifier: BSD-3-Clause
// Writers of pictures. Each kind of output has a small class; open_output() chooses by name.
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
  /// Writes a picture in host memory. All must have the format of the first; otherwise throws Failure(kFile).
  virtual void write(const ctv_picture& picture) = 0;
  /// Ends the output: gives files their names.
  virtual void finish() {}
  /// After a failure: keeps whole pictures. Returns the name of what holds them, "" if nothing does.
  virtual std::string keep() { return ""; }
  virtual uint64_t size() const { return 0; }
};

enum class OutputKind { kAuto, kY4m, kRaw, kPng, kPpm, kNull };

struct OutputOptions {
  std::string path;  // "null" and "" discard, "-" is standard output
  OutputKind kind = OutputKind::kAuto;
  std::string kind_option;  // the tool's option that chooses the kind, for messages
  int32_t fps_num = 25, fps_den = 1;
  Description description{};
  int64_t start_number = 0;  // of an image sequence
};

/// Whether this kind of output supports RGB and grey only.
inline bool is_image(OutputKind kind) { return kind == OutputKind::kPng || kind == OutputKind::kPpm; }

/// The kind of output for a path, if the user did not choose one. Throws Failure(kUsage) if it is unknown.
/// option: the tool's option that chooses it, for the message; "" if there is none.
OutputKind kind_of_output(const std::string& path, const std::string& option = "");
/// The sample format from the name of raw video: .rgb, .rgba, .nv12, .gray; NONE for other names.
ctv_format raw_format_of(const std::string& path);
/// Completes kind and format: by the name, images as RGB. Throws Failure(kUsage) if the name contradicts the
/// requested format.
void complete_output(OutputOptions& output, ctv_format& format);

std::unique_ptr<FrameWriter> open_output(const OutputOptions& options);

/// The MD5 of all pictures' samples, row by row and plane by plane, as in dav1d and ffmpeg.
class PictureMd5 {
 public:
  void add(const ctv_picture& picture);
  std::string finish() { return md5_.finish(); }

 private:
  Md5 md5_;
};

}  // namespace ctv::tools
