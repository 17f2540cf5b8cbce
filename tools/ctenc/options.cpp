// SPDX-License-Identifier: BSD-3-Clause
#include "ctenc/options.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <tuple>

#include "cli/names.h"
#include "cli/parameters.h"
#include "cli/text.h"
#include "ctenc/check_options.h"
#include "ctenc/settings.h"

namespace ctv::tools {
namespace {

using Edit = std::function<void(ctv_config&)>;

/// What holds unless --preset says otherwise.
const Config& defaults() {
  static const Config config;
  return config;
}

/// An integer option that sets one field of the configuration.
void field(Options& options, EncodeOptions& encode, const char* name, const char* help, int64_t minimum,
           int64_t maximum, int32_t ctv_config::*member) {
  options.integer(name, "N", help, minimum, maximum, [&encode, member](int64_t n) {
    encode.edits.push_back([=](ctv_config& c) { c.*member = static_cast<int32_t>(n); });
  });
  options.initially(std::to_string(defaults().*member));
}

/// An integer option that sets a stream parameter, within the range that the library tells.
void parameter(Options& options, EncodeOptions& encode, const char* name, const char* help,
               const char* member) {
  const ctv_parameter_info info = parameter_named(member);
  options.integer(name, "N", help, info.minimum, info.maximum, [&encode, info](int64_t n) {
    encode.edits.push_back([=](ctv_config& c) {
      const auto value = static_cast<int32_t>(n);
      std::memcpy(reinterpret_cast<char*>(&c) + info.config_offset, &value, sizeof value);
    });
  });
  options.initially(std::to_string(value_of(info, defaults())));
}

/// An option that sets one enumerator of the configuration.
template <class Table, class E>
void enumerated(Options& options, EncodeOptions& encode, const char* name, const Table& table,
                const char* help, E ctv_config::*member) {
  options.choice(name, table, help, [&encode, member](E value) {
    encode.edits.push_back([=](ctv_config& c) { c.*member = value; });
  });
  options.initially(name_of(table, defaults().*member));
}

/// A code point of ITU-T H.273: one of the usual names, or a number.
template <class Table>
void code_point(Options& options, EncodeOptions& encode, const char* name, const char* help,
                const Table& table, const char* member, int32_t ctv_config::*field) {
  std::string names;
  for (const auto& row : table) names += (names.empty() ? "" : ", ") + std::string(row.name);
  const ctv_parameter_info info = parameter_named(member);
  const auto set = [&encode, &table, name, info, names, field](const std::string& s) {
    std::optional<int64_t> value = parse_integer(s, info.minimum, info.maximum);
    for (const auto& row : table)
      if (s == row.name) value = row.value;
    if (!value) throw Failure(Exit::kUsage, std::string(name) + ": '" + s + "' is unknown", names);
    encode.edits.push_back([=](ctv_config& c) { c.*field = static_cast<int32_t>(*value); });
  };
  options.value(name, "NAME|N", std::string(help) + ": " + names + ", or its number in ITU-T H.273", set);
}

/// The `count` numbers of a list such as 1000,400.
std::vector<int32_t> numbers_of(const char* name, const std::string& s, size_t count) {
  std::vector<int32_t> numbers;
  for (const std::string& word : split(s, ',')) {
    const auto n = parse_integer(word, 0, INT32_MAX);
    if (n) numbers.push_back(static_cast<int32_t>(*n));
  }
  if (numbers.size() != count || split(s, ',').size() != count)
    throw Failure(Exit::kUsage, text("%s: '%s' is not %zu numbers", name, s.c_str(), count));
  return numbers;
}

void switched(Options& options, EncodeOptions& encode, const char* name, const char* help,
              int32_t ctv_config::*member, int32_t value) {
  options.flag(name, help, [&encode, member, value] {
    encode.edits.push_back([=](ctv_config& c) { c.*member = value; });
  });
  if (defaults().*member == value) options.initially("so");
}

void add_input_options(Options& options, EncodeOptions& encode) {
  options.section("Input");
  options.value("--generate", "WxH@FPS:N[:SEED]", "Instead of INPUT: a synthetic clip of N frames",
                [&](const std::string& s) { encode.generate = s; });
  options.value("--size", "WxH", "INPUT is raw video of this size", [&](const std::string& s) {
    encode.input.size = parse_size(s);
    if (!encode.input.size)
      throw Failure(Exit::kUsage, "--size: '" + s + "' is not WIDTHxHEIGHT", "1 to 65535 each");
  });
  options.choice("--raw-format", kInputFormats, "Sample format of raw video",
                 [&](ctv_format f) { encode.input.raw_format = f; });
  options.initially("as .rgb, .rgba, .nv12, .gray tell, else i420");
  options.value("--fps", "RATE", "Frames per second: 25, 29.97, 30000/1001; overrides the input's",
                [&](const std::string& s) {
                  encode.input.rate = parse_rate(s);
                  if (!encode.input.rate)
                    throw Failure(Exit::kUsage, "--fps: '" + s + "' is not a frame rate");
                });
  options.initially("the input's, 25 where it has none");
  options.integer("--start-number", "N", "First number of an image sequence", 0, INT32_MAX,
                  [&](int64_t n) { encode.input.start_number = n; });
  options.initially("0 or 1, the first there");
  options.integer("--seek", "N", "Leave out the first N frames", 0, INT64_MAX,
                  [&](int64_t n) { encode.seek = n; });
  options.initially("0");
  options.integer("--frames", "N", "Encode at most N frames", 1, INT64_MAX,
                  [&](int64_t n) { encode.frames = n; });
  options.initially("all");
  options.value("--max-pixels", "N", "Refuse larger pictures (width x height)", [&](const std::string& s) {
    const auto n = parse_bytes(s);
    if (!n) throw Failure(Exit::kUsage, "--max-pixels: '" + s + "' is not a number");
    encode.input.max_pixels = *n;
  });
  options.initially("256M");
}

/// What the stream says of the pictures; the input's own words hold where an option is not given.
void add_description_options(Options& options, EncodeOptions& encode) {
  options.section("Description of the pictures");
  const auto choice = [&](const char* name, const auto& table, const char* help, auto member) {
    options.choice(name, table, help, [&encode, member](auto value) {
      encode.edits.push_back([=](ctv_config& c) { c.*member = value; });
    });
  };
  options.value("--aspect", "W:H", "Shape of a sample; 0:0 for unspecified", [&](const std::string& s) {
    const auto aspect = parse_aspect(s);
    if (!aspect)
      throw Failure(Exit::kUsage, "--aspect: '" + s + "' is not WIDTH:HEIGHT",
                    "0 to 65535 each, such as 4:3");
    encode.edits.push_back(
        [=](ctv_config& c) { c.aspect_width = aspect->first, c.aspect_height = aspect->second; });
  });
  choice("--range", kRanges, "Range of the samples", &ctv_config::range);
  code_point(options, encode, "--primaries", "Colour primaries", kPrimaries, "primaries",
             &ctv_config::primaries);
  code_point(options, encode, "--transfer", "Transfer characteristics", kTransfers, "transfer",
             &ctv_config::transfer);
  code_point(options, encode, "--matrix", "Matrix between RGB and YCbCr", kMatrices, "matrix",
             &ctv_config::matrix);
  options.value(
      "--mastering-display", "N,...",
      "Of SMPTE ST 2086: x and y of red, green, blue and white in 50000ths, then the largest and the "
      "least luminance in 10000ths of a cd/m2",
      [&](const std::string& s) {
        const auto n = numbers_of("--mastering-display", s, 10);
        encode.edits.push_back([=](ctv_config& c) {
          std::copy_n(n.begin(), 8, c.mastering_primaries);
          std::copy_n(n.begin() + 8, 2, c.mastering_luminance);
        });
      });
  options.value(
      "--content-light", "MAX,MEAN",
      "Of CTA-861.3: the largest light level of a sample, and the largest mean of a picture, in cd/m2",
      [&](const std::string& s) {
        const auto n = numbers_of("--content-light", s, 2);
        encode.edits.push_back([=](ctv_config& c) { std::copy_n(n.begin(), 2, c.content_light); });
      });
  choice("--siting", kSitings, "Place of 4:2:0 chroma samples", &ctv_config::siting);
  choice("--interlace", kInterlaces, "Fields in the rows of a picture; they are coded together",
         &ctv_config::interlace);
}

void add_coding_options(Options& options, EncodeOptions& encode) {
  options.section("Coding");
  std::vector<std::string> presets;
  std::string presets_help = "Starting point for all options below. ";
  for (int i = 0; ctv_preset_name(i) != nullptr; ++i) {
    presets.emplace_back(ctv_preset_name(i));
    const char* what = ctv_preset_description(i);
    presets_help +=
        std::string(i > 0 ? "; " : "") + ctv_preset_name(i) + ": " + (what != nullptr ? what : "");
  }
  options.named("--preset", presets, presets_help,
                [&encode, presets](size_t i) { encode.preset = presets[i]; });
  options.initially(encode.preset);
  options.integer("--qp", "N", "Quantiser on H.264's scale: 0 fine to 51 coarse", 0, 51, [&](int64_t n) {
    encode.edits.push_back([=](ctv_config& c) { c.qp = static_cast<int32_t>(n), c.lossless = 0; });
  });
  options.initially(text("%d", defaults().qp));
  options.value("--step", "STEP", "Quantiser step in sample units, 0.0625 to 4095, instead of --qp",
                [&](const std::string& s) {
                  const auto step = parse_real(s);
                  if (!step || *step < 0.0625 || *step > 4095)
                    throw Failure(Exit::kUsage, "--step: '" + s + "' is not a step", "0.0625 to 4095");
                  encode.edits.push_back([=](ctv_config& c) { c.step = *step, c.qp = -1, c.lossless = 0; });
                });
  options.value(
      "--crf", "N",
      "Constant quality, 0 fine to 51 coarse: luma's PSNR is held near 55 - 5 N / 8 dB whatever the "
      "content, instead of --qp",
      [&](const std::string& s) {
        const auto crf = parse_real(s);
        if (!crf || *crf < 0 || *crf > 51)
          throw Failure(Exit::kUsage, "--crf: '" + s + "' is not a quality", "0 to 51");
        encode.edits.push_back([=](ctv_config& c) { c.crf = *crf, c.lossless = 0; });
      });
  options.flag("--lossless", "Every sample comes back; no quantiser",
               [&] { encode.edits.push_back([](ctv_config& c) { c.lossless = 1; }); });
  options.value("--keyint", "N", "Frames from key frame to key frame; 0 or inf: the first only",
                [&](const std::string& s) {
                  const auto n = s == "inf" || s == "infinite" ? 0 : parse_integer(s, 0, int64_t{1} << 30);
                  if (!n) throw Failure(Exit::kUsage, "--keyint: '" + s + "' is not a number of frames");
                  encode.edits.push_back([=](ctv_config& c) { c.key_interval = static_cast<int32_t>(*n); });
                });
  options.initially(text("%d", defaults().key_interval));
  options.value("--bitrate", "KBPS",
                "Aim at this many kilobits a second (also 800k, 2M); --qp or --step only begin",
                [&](const std::string& s) {
                  const auto kbps = parse_kilobits(s);
                  if (!kbps || *kbps < 0.001 || *kbps > 1e9)
                    throw Failure(Exit::kUsage, "--bitrate: '" + s + "' is not a rate",
                                  "kilobits a second, such as 800 or 2M");
                  encode.edits.push_back([=](ctv_config& c) { c.bitrate = std::llround(*kbps * 1000); });
                });
  options.value(
      "--max-frame", "BYTES", "Make no packet larger: codes a frame again, coarser, until it fits",
      [&](const std::string& s) {
        const auto bytes = parse_bytes(s);
        if (!bytes || *bytes == 0)
          throw Failure(Exit::kUsage, "--max-frame: '" + s + "' is not a size", "for example 100k");
        encode.edits.push_back([=](ctv_config& c) { c.max_frame_bytes = static_cast<int64_t>(*bytes); });
      });
  field(options, encode, "--buffer", "With --bitrate: what a receiver's buffer holds, in milliseconds", 100,
        60000, &ctv_config::buffer_ms);
  switched(options, encode, "--scenecut", "A key frame at scene cuts", &ctv_config::scene_cut, 1);
  switched(options, encode, "--no-scenecut", "No key frame at scene cuts", &ctv_config::scene_cut, 0);
  enumerated(options, encode, "--tune", kTunes,
             "What bits are spent for: what is seen, or the least squared error", &ctv_config::tune);
  enumerated(options, encode, "--chroma", kChromas,
             "Chroma of RGB, 4:4:4 and 4:2:2: kept, or a quarter of the samples", &ctv_config::chroma);
  field(options, encode, "--temporal-layers", "Layers of frames, of which the highest can be discarded", 1, 3,
        &ctv_config::temporal_layers);
  parameter(options, encode, "--slots", "Pictures that later frames may refer to, 1 to 8", "slots");
  options.repeated("--set", "NAME=VALUE",
                   "A field of ctv_config that chooses a coding tool, over the preset; --set help lists them",
                   [&](const std::string& s) {
                     if (s == "help") {
                       encode.list_settings = true;
                       return;
                     }
                     const Setting setting = parse_setting(s);
                     encode.given_settings.insert(setting.name);
                     encode.edits.push_back(setting.edit);
                   });
}

}  // namespace

ToolText ctenc_text() {
  ToolText text;
  text.name = "ctenc";
  text.summary = "encode video with the ctv contourlet codec";
  text.description =
      "INPUT is a y4m file, - for y4m on standard input, an image sequence such as img_%05d.png (png, jpg, "
      "ppm, pgm, bmp), raw video with --size, or a synthetic clip with --generate. The output appears under "
      "its name when it is complete, or when the input ends early: by Ctrl-C, or where it cannot be read any "
      "further. Defaults are those of the default preset; other presets have their own, shown at the end of "
      "each run.";
  text.examples = {
      {"ctenc in.y4m -o out.ctv --qp 28", "encode a file"},
      {"ffmpeg -i in.mp4 -f yuv4mpegpipe - | ctenc - -o out.ctv", "encode what ffmpeg decodes"},
      {"ctenc --generate 1280x720@25:100 --benchmark", "measure speed without any file"},
  };
  return text;
}

void add_encode_options(Options& options, EncodeOptions& encode) {
  options.positional("INPUT", "Video to encode; - is standard input",
                     [&](const std::string& s) { encode.input.path = s; });
  options.section("Output");
  options.value(
      "-o,--output", "FILE", "Stream to write; - is standard output",
      [&](const std::string& s) { encode.output = s; }, ValueKind::kFile);
  options.flag("--psnr", "Measure PSNR: decodes alongside", [&] { encode.psnr = true; });
  options.flag("--ssim", "Measure SSIM of luma (8x8 windows, as x264): decodes alongside",
               [&] { encode.ssim = true; });
  options.flag("--verify",
               "Decode alongside with two decoders that run differently (backend, threads) and compare their "
               "pictures, with the source too if lossless",
               [&] { encode.verify = true; });
  options.value(
      "--csv", "FILE", "Write a line for each frame: type, step, bytes, quality, latency",
      [&](const std::string& s) { encode.csv = s; }, ValueKind::kFile);
  options.flag("--benchmark",
               "Read the input into memory first (at most 1 GiB), then print the speed; -o may be left out",
               [&] { encode.benchmark = true; });
  options.flag("--stage-times", "Print the time of each stage; to measure it costs a GPU some speed",
               [&] { encode.stage_times = true; });
  add_input_options(options, encode);
  add_description_options(options, encode);
  add_coding_options(options, encode);
  add_run_options(options, encode.run);
}

ctv_config make_config(const EncodeOptions& encode, const VideoFormat& video) {
  Config config(encode.preset.c_str());
  const Description& d = video.description;
  std::tie(config.aspect_width, config.aspect_height) = d.aspect;
  config.range = d.range;
  config.siting = d.siting;
  config.interlace = d.interlace;
  config.primaries = d.primaries;
  config.transfer = d.transfer;
  config.matrix = d.matrix;
  config.width = video.width;
  config.height = video.height;
  config.format = video.format;
  for (const Edit& edit : encode.edits) edit(config);
  check_config(encode, config);
  config.fps_num = video.fps_num;
  config.fps_den = video.fps_den;
  apply_run_options(encode.run, config);
  return config;
}

}  // namespace ctv::tools
