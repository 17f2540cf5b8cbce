// SPDX-License-Identifier: BSD-3-Clause
// ctgen: writes the synthetic clip of `ctenc --generate` as a file, for demonstrations and tests.
#include <cstdio>

#include "cli/exit.h"
#include "cli/names.h"
#include "cli/options.h"
#include "cli/progress.h"
#include "cli/signals.h"
#include "cli/text.h"
#include "io/clip_generator.h"
#include "io/cloth_clip.h"
#include "io/frame_writer.h"
#include "io/landscape_clip.h"

namespace ctv::tools {
namespace {

enum class Scene { kObjects, kLandscape, kCloth };
constexpr Name<Scene> kScenes[] = {
    {"objects", Scene::kObjects}, {"landscape", Scene::kLandscape}, {"cloth", Scene::kCloth}};

std::unique_ptr<FrameReader> make_clip(Scene scene, const ClipSpec& clip) {
  if (scene == Scene::kLandscape) return std::make_unique<LandscapeClip>(clip);
  if (scene == Scene::kObjects) return std::make_unique<GeneratedClip>(clip);
  if (clip.video.format != CTV_FORMAT_I420)
    throw Failure(Exit::kUsage, "cloth is I420", "leave out --format");
  return std::make_unique<ClothClip>(clip);
}

}  // namespace
}  // namespace ctv::tools

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
    Scene scene = Scene::kObjects;
    OutputOptions output;
    options.positional("OUTPUT", "File to write; - is standard output",
                       [&](const std::string& s) { output.path = s; });
    options.section("Clip");
    options.value("--size", "WxH", "Picture size", [&](const std::string& s) {
      const auto size = parse_size(s);
      if (!size) throw Failure(Exit::kUsage, "--size: '" + s + "' is not WIDTHxHEIGHT");
      clip.video.width = size->first;
      clip.video.height = size->second;
    });
    options.initially("640x360");
    options.integer("--frames", "N", "Number of frames", 1, int64_t{1} << 40,
                    [&](int64_t n) { clip.frames = n; });
    options.initially("100");
    options.value("--fps", "RATE", "Frames per second", [&](const std::string& s) {
      const auto rate = parse_rate(s);
      if (!rate) throw Failure(Exit::kUsage, "--fps: '" + s + "' is not a frame rate");
      clip.video.fps_num = rate->first;
      clip.video.fps_den = rate->second;
    });
    options.initially("25");
    options.integer("--seed", "N", "Another clip for every number", 0, UINT32_MAX,
                    [&](int64_t n) { clip.seed = static_cast<uint32_t>(n); });
    options.initially("1");
    options.choice(
        "--scene", kScenes,
        "Objects: hard edges, text, grain and scene cuts; landscape: as in photographs; cloth: stripes",
        [&](Scene s) { scene = s; });
    options.initially("objects");
    options.choice("--format", kFormats, "Sample format", [&](ctv_format f) { clip.video.format = f; });
    options.initially("i420, rgb for images, or as the name of raw video tells");
    if (!options.parse(argc, argv)) return Exit::kOk;
    if (output.path.empty()) throw Failure(Exit::kUsage, "no output", "see ctgen --help");

    complete_output(output, clip.video.format);
    if (clip.video.format == CTV_FORMAT_NONE) clip.video.format = CTV_FORMAT_I420;
    output.fps_num = clip.video.fps_num;
    output.fps_den = clip.video.fps_den;
    const std::unique_ptr<FrameReader> generator = make_clip(scene, clip);
    Progress progress(true, clip.frames, clip.video.rate());
    int64_t frames = 0;
    const std::unique_ptr<FrameWriter> writer = open_output(output);
    Frame frame;
    while (generator->read(frame)) {
      check_interrupted();
      writer->write(frame.picture());
      progress.update(++frames, writer->size());
    }
    writer->finish();
    return Exit::kOk;
  });
}
