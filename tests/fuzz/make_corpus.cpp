// SPDX-License-Identifier: BSD-3-Clause
// Writes the seed corpus of the fuzz targets from generated clips: small streams of every kind, each as a
// file with a tail of options; single payloads; settings; y4m files. Pictures are small, since the speed of
// fuzzing is that of the seeds.
//   ctv_make_corpus data/fuzz
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <string>

#include "tests/support/codec.hpp"
#include "tests/support/random.hpp"
#include "tests/support/repair.hpp"

namespace {

using namespace ctv::test;  // NOLINT(*-using-namespace)

std::filesystem::path root;

void save(const std::string& target, const std::string& name, Bytes bytes, std::initializer_list<int> tail) {
  for (const int b : tail) bytes.push_back(static_cast<uint8_t>(b));
  std::filesystem::create_directories(root / target);
  std::ofstream file(root / target / name, std::ios::binary);
  file.write(reinterpret_cast<const char*>(bytes.data()), static_cast<std::streamsize>(bytes.size()));
}

struct Kind {
  const char* name;
  const char* preset;
  ctv_format format;
  int width, height;
  void (*change)(ctv_config&);
};

const Kind kKinds[] = {
    {"paper_i420", "paper", CTV_FORMAT_I420, 24, 16, [](ctv_config&) {}},
    {"paper_rgb", "paper", CTV_FORMAT_RGB8, 17, 21, [](ctv_config& c) { c.scales = 2, c.directions[1] = 2; }},
    {"default_gray", "default", CTV_FORMAT_GRAY8, 16, 16, [](ctv_config&) {}},
    {"default_i422", "default", CTV_FORMAT_I422, 19, 18, [](ctv_config&) {}},
    {"default_rgb", "default", CTV_FORMAT_RGB8, 24, 18, [](ctv_config& c) { c.chroma = CTV_CHROMA_420; }},
    {"lossless_i444", "lossless", CTV_FORMAT_I444, 16, 24, [](ctv_config&) {}},
    {"wavelet53", "default", CTV_FORMAT_I420, 24, 20,
     [](ctv_config& c) { c.pyramid = CTV_PYRAMID_WAVELET_5_3, c.scales = 3, c.directions[0] = 16; }},
    {"rle", "default", CTV_FORMAT_I420, 24, 16, [](ctv_config& c) { c.entropy_coding = CTV_ENTROPY_RLE; }},
    {"paper_tiles", "paper", CTV_FORMAT_I420, 24, 16,
     [](ctv_config& c) { c.entropy_coding = CTV_ENTROPY_TILES; }},
    {"described", "default", CTV_FORMAT_I420, 16, 16,
     [](ctv_config& c) {
       c.aspect_width = 4, c.aspect_height = 3, c.range = CTV_RANGE_FULL, c.matrix = 1;
       c.siting = CTV_SITING_LEFT, c.interlace = CTV_INTERLACE_TOP_FIRST;
     }},
    {"slots", "default", CTV_FORMAT_I420, 24, 16, [](ctv_config& c) { c.slots = 3, c.temporal_layers = 2; }},
    {"10_bits", "default", CTV_FORMAT_I420_10, 24, 20,
     [](ctv_config& c) { c.mastering_luminance[0] = 10000000, c.content_light[1] = 400; }},
    {"12_bits", "default", CTV_FORMAT_I422_12, 19, 18, [](ctv_config& c) { c.qp = 12; }},
    {"lossless_12_bits", "lossless", CTV_FORMAT_GRAY12, 16, 24, [](ctv_config&) {}},
    {"one_sample", "default", CTV_FORMAT_I420, 1, 1, [](ctv_config&) {}},
    {"regions", "default", CTV_FORMAT_I420, 80, 64, [](ctv_config& c) { c.qp = 8, c.error_resilient = 1; }},
};

void save_stream(const Kind& kind, int number) {
  const bool threads = number % 7 == 3;
  const auto clip = moving_clip(kind.format, kind.width, kind.height, threads ? 4 : 2);
  auto config = config_for(clip[0], kind.preset, 1);
  config.key_interval = 2;
  kind.change(config);
  const Stream stream = encode(clip, config, true);
  // Options: bit 0 repairs checksums, then reduction, threads (three bits), frames in flight; output format.
  save("decoder", std::string(kind.name), file_of(stream), {0, 0});
  save("decoder", std::string(kind.name) + "_options", file_of(stream),
       {1 | (number % 3) << 1 | (threads ? 0xF0 : 0), number & 7});
  save("headers", std::string(kind.name), file_of(stream), {1, 0});
  if (number % 4 == 0) {  // and the call, or the allocation, that fails
    save("fallback", kind.name, file_of(stream), {0, number % 3 == 0 ? 16 : 0, 7 + number});
    save("alloc", kind.name, file_of(stream), {0, 0, 50 + 9 * number, 0, 0});
  }

  const ctv::PacketLayout layout = layout_of(stream.header);
  for (size_t i = 0; i < 2; ++i) {
    const PacketParts parts = packet_parts(stream.packets[i], layout);
    if (parts.checks.empty()) continue;  // no macroblock is coded
    const auto begin = stream.packets[i].begin();
    const auto part = [&](size_t from, size_t to) {
      return Bytes(begin + static_cast<ptrdiff_t>(from), begin + static_cast<ptrdiff_t>(to));
    };
    const size_t last = parts.checks.size() - 1;
    const int symbols = config.entropy_coding + (config.entropy_coding == CTV_ENTROPY_RLE ? 0 : 2);
    if (i == 1 && layout.regions) {  // the first region, with a check and without; and the side payload
      for (const int target : {0, 64})
        save("symbols", std::string(kind.name) + "_region" + std::to_string(target),
             part(parts.component_begins[0], parts.component_begins[1]), {1, 0, target});
      save("symbols", std::string(kind.name) + "_regions",
           part(parts.motion_begin, parts.component_begins[0]), {1, 0, 3});
      continue;
    }
    save("symbols", std::string(kind.name) + "_lowpass" + std::to_string(i),
         part(parts.component_begins[0], parts.component_begins[1]), {symbols, i == 0 ? 1 : 0, 0});
    save("symbols", std::string(kind.name) + "_finest" + std::to_string(i),
         part(parts.component_begins[last], parts.component_begins[last + 1]),
         {symbols, i == 0 ? 1 : 0, static_cast<int>(last)});
  }
}

// Numbers for a predicted frame of macroblocks that must survive encoding and decoding.
void save_round_trip() {
  Bytes bytes(6000);
  Random random(1);
  for (uint8_t& b : bytes) b = random.byte();
  save("symbols", "regions_round_trip", bytes, {1, 2, 0});
}

// Settings as tests/fuzz/session.cpp reads them: preset, extent, format, changes; then pictures.
void save_settings() {
  for (int preset = 0; preset < 5; ++preset) {
    const std::string name = "settings" + std::to_string(preset);
    Bytes bytes;
    for (const int b : {preset, 23, 15 + preset, 1 + preset, 1, preset, 30})
      bytes.push_back(static_cast<uint8_t>(b));
    save("alloc", name, bytes, {40 * preset, 1, 1 + preset % 2 * 2});
    bytes.insert(bytes.begin(), preset == 3 ? 7 : 0);  // threads
    bytes.insert(bytes.end(), {2, 0, 255});            // frames, a generated picture, samples that follow
    const Frame samples = moving_frame(CTV_FORMAT_GRAY8, 17, 15, preset);
    bytes.insert(bytes.end(), samples.planes[0].begin(), samples.planes[0].end());
    save("encoder", name, bytes, {});
  }
}

// Two other configurations between six pictures, as tests/fuzz/fuzz_encoder.cpp reads them: coded once, with
// threads, with a device that fails.
void save_reconfigurations() {
  for (const int mode : {0, 7, 62}) {
    Bytes bytes;
    const auto add = [&bytes](std::initializer_list<int> values) {
      for (const int value : values) bytes.push_back(static_cast<uint8_t>(value));
    };
    add({mode, 0, 23, 15, 1, 0, 5});
    for (int i = 0; i < 6; ++i) {
      const bool changes = i == 2 || i == 4;
      if (i > 0) add({changes ? (mode == 0 ? 8 : 3) : 0});
      if (changes) add({0, 14 + i, 21 - i, i == 2 ? 1 : 4, 0});
      add({i, 0});
      if (mode == 0) add({0});
    }
    save("encoder", "reconfigured" + std::to_string(mode), bytes, {});
  }
}

void save_y4m(const char* name, const char* parameters, ctv_format format, int width, int height) {
  const std::string text =
      "YUV4MPEG2 W" + std::to_string(width) + " H" + std::to_string(height) + " " + parameters + "\n";
  Bytes bytes(text.begin(), text.end());
  for (int i = 0; i < 2; ++i) {
    const std::string head = i == 0 ? "FRAME\n" : "FRAME Ip\n";
    bytes.insert(bytes.end(), head.begin(), head.end());
    const Frame frame = moving_frame(format, width, height, i);
    for (const auto& plane : frame.planes) bytes.insert(bytes.end(), plane.begin(), plane.end());
  }
  save("y4m", name, bytes, {});
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) {
    std::fprintf(stderr, "usage: ctv_make_corpus FOLDER\n");
    return 1;
  }
  root = argv[1];
  int number = 0;
  for (const Kind& kind : kKinds) save_stream(kind, number++);
  save_round_trip();
  for (int kind = 0; kind < 8; ++kind) {
    const Frame levels = moving_frame(CTV_FORMAT_GRAY8, 40, 30, kind);
    save("symbols", "levels" + std::to_string(kind), levels.planes[0], {kind, 2 | (kind & 1), 0});
  }
  save("symbols", "slopes", {0x5a, 0x31, 0x77, 0x05, 0xc3}, {1, 1, 3});  // the side payload of a key frame
  save_settings();
  save_reconfigurations();
  save_y4m("420", "F25:1 Ip A1:1 C420jpeg", CTV_FORMAT_I420, 9, 7);
  save_y4m("422", "F30000:1001 C422", CTV_FORMAT_I422, 8, 6);
  save_y4m("444", "F1:1 C444 XYSCSS=444", CTV_FORMAT_I444, 5, 4);
  save_y4m("mono", "F50:1 Cmono", CTV_FORMAT_GRAY8, 16, 3);
  save_y4m("10_bits", "F25:1 C420p10", CTV_FORMAT_I420_10, 6, 5);
  save_y4m("plain", "F25:1", CTV_FORMAT_I420, 4, 4);
  return 0;
}
