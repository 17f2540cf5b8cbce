// SPDX-License-Identifier: BSD-3-Clause
// ctgen: writes the synthetic clip of `ctenc --generate` as a file, for demonstrations and tests.
#include <cstdio>

#include "cli/exit.h"
#include "cli/names.h"
#include "cli/options.h"
#include "cli/signals.h"
#include "cli/text.h"
#include "io/clip_generator.h"
#include "io/frame_writer.h"

int main(int argc, char** argv) {
  using namespace ctv::tools;
  return run_tool("ctgen", [&] {
    ToolText about;
    about.name = "ctgen";
    about.summary = "write a synthetic video clip";
    about.description =
        "A textured ground that pans, turns and zooms, moving objects, text and grain; a seed gives the same "
        "samples on "
        "every machine. OUTPUT is .y4m, an image sequence such as img_%05d.png, raw samples (.yuv, .rgb) or "
        "- for y4m.";
    about.examples = {{"ctgen clip.y4m --size 640x360 --frames 100", "four seconds of video"}};
    Options options(about);
    ClipSpec clip;
    clip.video = {CTV_FORMAT_NONE, 640, 360, 25, 1};
    clip.frames = 100;
    OutputOptions output;
    options.positional("OUTPUT", "File to write; - is standard output",
                       [&](const std::string& s) { output.path = s; });
    options.section("Clip");
    options.value("--size", "WxH", "Picture size; 640x360 unless given", [&](const std::string& s) {
      const auto size = parse_size(s);
      if (!size) throw Failure(Exit::kUsage, "--size: '" + s + "' is not WIDTHxHEIGHT");
      clip.video.width = size->first;
      clip.video.height = size->second;
    });
    options.integer("--frames", "N", "Number of frames; 100 unless given", 1, int64_t{1} << 40,
                    [&](int64_t n) { clip.frames = n; });
    options.value("--fps", "RATE", "Frames per second; 25 unless given", [&](const std::string& s) {
      const auto rate = parse_rate(s);
      if (!rate) throw Failure(Exit::kUsage, "--fps: '" + s + "' is not a frame rate");
      clip.video.fps_num = rate->first;
      clip.video.fps_den = rate->second;
    });
    options.integer("--seed", "N", "Another clip for every number; 1 unless given", 0, UINT32_MAX,
                    [&](int64_t n) { clip.seed = static_cast<uint32_t>(n); });
    options.choice("--format", kFormats, "Sample format; i420 unless given, rgb for images",
                   [&](ctv_format f) { clip.video.format = f; });
    if (!options.parse(argc, argv)) return Exit::kOk;
    if (output.path.empty()) throw Failure(Exit::kUsage, "no output", "see ctgen --help");

    complete_output(output, clip.video.format);
    if (clip.video.format == CTV_FORMAT_NONE) clip.video.format = CTV_FORMAT_I420;
    output.fps_num = clip.video.fps_num;
    output.fps_den = clip.video.fps_den;
    GeneratedClip generator(clip);
    const std::unique_ptr<FrameWriter> writer = open_output(output);
    Frame frame;
    while (generator.read(frame)) {
      check_interrupted();
      writer->write(frame.picture());
    }
    writer->finish();
    return Exit::kOk;
  });
}
