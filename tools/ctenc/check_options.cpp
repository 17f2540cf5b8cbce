// SPDX-License-Identifier: BSD-3-Clause
#include "ctenc/check_options.h"

#include <algorithm>

#include "cli/messages.h"
#include "cli/names.h"
#include "cli/text.h"
#include "ctenc/report.h"
#include "io/channels.h"
#include "io/check_files.h"
#include "io/image_reader.h"

namespace ctv::tools {
namespace {

/// Names that other programs take by their ending for what they are not.
void check_output_name(const std::string& path) {
  const std::string ending = extension_of(path);
  for (const char* foreign : {"mp4", "m4v", "mov", "mkv", "webm", "avi", "264", "h264", "265",  "ivf", "y4m",
                              "yuv", "rgb", "png", "jpg", "jpeg", "ppm", "pgm", "bmp",  "json", "csv"}) {
    if (ending == foreign)
      throw Failure(Exit::kUsage, "'" + path + "': ctenc writes ctv streams and no ." + ending,
                    "name it .ctv");
  }
}

void check_input(const EncodeOptions& encode) {
  const auto needs_size = [&](const char* option) {
    if (encode.given.contains(option) && !encode.input.size)
      throw Failure(Exit::kUsage, std::string(option) + " is for raw video", "which needs --size WxH");
  };
  needs_size("--raw-format");
  exclude(encode.given, {"--generate", "--size"}, "a generated clip has its size");
  const bool sequence = Pattern(encode.input.path).numbered();
  if (encode.given.contains("--start-number") && !sequence)
    throw Failure(Exit::kUsage, "--start-number is for image sequences", "such as img_%05d.png");
  if (!encode.input.size) return;
  const std::string ending = extension_of(encode.input.path);
  if (ending == "y4m" || is_image_name(encode.input.path))
    throw Failure(Exit::kUsage, "--size is for raw video, and '" + encode.input.path + "' is ." + ending,
                  "leave it out");
}

}  // namespace

void check_encode_options(EncodeOptions& encode) {
  const char* const see = "see ctenc --help";
  if (!encode.generate.empty()) {
    if (!encode.input.path.empty())
      throw Failure(Exit::kUsage, "INPUT and --generate exclude each other", "choose one");
    encode.input.path = "generate:" + encode.generate;
  }
  if (encode.input.path.empty()) throw Failure(Exit::kUsage, "no input", see);
  if (encode.output.empty() && !encode.benchmark)
    throw Failure(Exit::kUsage, "no output: -o FILE is missing", see);
  if (encode.benchmark && (encode.psnr || encode.ssim || encode.verify))
    throw Failure(Exit::kUsage, "--benchmark measures speed alone", "leave out --psnr, --ssim and --verify");
  exclude(encode.given, {"--qp", "--step", "--crf", "--lossless"});
  exclude(encode.given, {"--crf", "--bitrate"}, "--crf with --max-frame limits packets");
  exclude(encode.given, {"--lossless", "--bitrate"}, "lossless has no quantiser to steer");
  for (const char* field : {"chroma_qp_offset", "rdoq"}) {
    if (encode.given.contains("--lossless") && encode.given_settings.contains(field))
      throw Failure(Exit::kUsage, text("--lossless and --set %s exclude each other", field),
                    "lossless has no quantiser");
  }
  exclude(encode.given, {"--scenecut", "--no-scenecut"});
  if (encode.given.contains("--buffer") && !encode.given.contains("--bitrate"))
    throw Failure(Exit::kUsage, "--buffer has no effect without --bitrate",
                  "give a bitrate, or leave it out");
  check_output_name(encode.output);
  check_files({encode.input.path}, {encode.output, encode.csv, encode.run.json});
  check_input(encode);
  check_run_options(encode.given, encode.run);
}

void check_config(const EncodeOptions& encode, const ctv_config& config) {
  if (encode.given_settings.contains("directional_lifting") && config.directional_lifting != 0 &&
      !lifts_along_contours(config))
    throw Failure(Exit::kUsage, "--set directional_lifting needs the 9/7 pyramid and picture prediction",
                  "leave it out, or --set pyramid=9/7 --set prediction=picture");
  const bool picture = config.prediction == CTV_PREDICTION_PICTURE;
  const auto without_effect = [&](const char* field, bool set, const char* needs) {
    if (set && encode.given_settings.contains(field))
      throw Failure(Exit::kUsage, text("--set %s has no effect here: it needs ", field) + needs,
                    "leave it out");
  };
  const bool macroblocks = picture && config.lossless == 0;
  const char* const needs_macroblocks = "picture prediction, and is not for lossless";
  without_effect("loop_filter", config.loop_filter != 0 && !macroblocks, needs_macroblocks);
  without_effect("error_resilient", config.error_resilient != 0 && !macroblocks, needs_macroblocks);
  if (encode.given.contains("--tune") && !macroblocks)
    throw Failure(Exit::kUsage, text("--tune has no effect here: it needs %s", needs_macroblocks),
                  "leave it out");
  const bool packed = config.format == CTV_FORMAT_YUY2 || config.format == CTV_FORMAT_UYVY;
  const bool subsampled = !is_rgb(config.format) && !packed && ctv_plane_rows(config.format, 2, 1) < 2;
  if (encode.given.contains("--chroma") && (subsampled || config.lossless != 0))
    throw Failure(Exit::kUsage,
                  text("--chroma has no effect on %s%s", config.lossless != 0 ? "lossless " : "",
                       name_of(kInputFormats, config.format)),
                  "leave it out");
  without_effect("far_range", config.far_range != 0 && !picture, "picture prediction");
  const int32_t scales = std::clamp(config.scales, 1, CTV_MAX_SCALES);
  if (encode.given_settings.contains("directions") &&
      std::any_of(config.directions + scales, std::end(config.directions), [](int32_t d) { return d != 0; }))
    throw Failure(Exit::kUsage, text("--set directions: more than the %d scales have", scales),
                  "leave out the last, or give --set scales=N");
}

void warn_about_input(const EncodeOptions& encode, const VideoFormat& video) {
  if (!video.dropped.empty()) warn(encode.input.path + ": the stream does not keep " + video.dropped);
}

}  // namespace ctv::tools
