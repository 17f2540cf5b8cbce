// SPDX-License-Identifier: BSD-3-Clause
// A survey as tables for people.
#include <algorithm>
#include <map>

#include "cli/names.h"
#include "cli/text.h"
#include "ctinfo/survey.h"
#include "io/channels.h"

namespace ctv::tools {
namespace {

using Count = unsigned long long;

double percent(uint64_t part, uint64_t whole) {
  return whole > 0 ? 100 * static_cast<double>(part) / static_cast<double>(whole) : 0;
}

std::string range(int32_t first, int32_t last) {
  return first == last ? std::to_string(first) : std::to_string(first) + "-" + std::to_string(last);
}

/// The header's description of the pictures; "" if none.
std::string description_text(const ctv_stream_info& i) {
  std::string out;
  const auto add = [&](bool said, const std::string& words) {
    if (said) out += (out.empty() ? "" : ", ") + words;
  };
  add(i.aspect_width > 0 && i.aspect_height > 0, text("samples %d:%d", i.aspect_width, i.aspect_height));
  add(i.range != CTV_RANGE_UNSPECIFIED, std::string(name_of(kRanges, i.range)) + " range");
  add(i.primaries != 2, "primaries " + code_point(kPrimaries, i.primaries));
  add(i.transfer != 2, "transfer " + code_point(kTransfers, i.transfer));
  add(i.matrix != 2, "matrix " + code_point(kMatrices, i.matrix));
  add(i.siting != CTV_SITING_UNSPECIFIED, std::string("chroma ") + name_of(kSitings, i.siting));
  const auto* p = i.mastering_primaries;
  const auto* l = i.mastering_luminance;
  add(l[0] != 0 || l[1] != 0 || std::any_of(p, p + 8, [](int32_t v) { return v != 0; }),
      text("mastered at R(%g,%g) G(%g,%g) B(%g,%g) white(%g,%g), %g to %g cd/m2", p[0] / 5e4, p[1] / 5e4,
           p[2] / 5e4, p[3] / 5e4, p[4] / 5e4, p[5] / 5e4, p[6] / 5e4, p[7] / 5e4, l[1] / 1e4, l[0] / 1e4));
  add(i.content_light[0] != 0 || i.content_light[1] != 0,
      text("light up to %d cd/m2, of a picture %d", i.content_light[0], i.content_light[1]));
  add(i.interlace != CTV_INTERLACE_NONE, name_of(kInterlaces, i.interlace));
  return out.empty() ? "" : "  described   " + out + "\n";
}

std::string header_text(const std::string& name, const Survey& s) {
  const ctv_stream_info& i = s.stream;
  std::string out = name + "\n";
  out += text("  picture     %dx%d %s%s, %g frames/s\n", i.width, i.height, name_of(kFormats, i.format),
              i.chroma_420 != 0 && is_rgb(i.format) ? ", chroma at a quarter of the samples" : "",
              static_cast<double>(i.fps_num) / std::max(1, i.fps_den));
  out += description_text(i);
  out += text("  transform   %s pyramid, %d scales, directions %s", name_of(kPyramids, i.pyramid), i.scales,
              directions_of(i.directions, i.scales).c_str());
  if (i.directional_lifting != 0)
    out += text(
        "\n  lifting     along a direction in %.1f %% of the blocks of key frames; bands of %llu with "
        "directions",
        percent(s.slanted_blocks, s.slope_blocks), static_cast<Count>(s.directed_frames));
  out += text("\n  prediction  %s, blocks of %d, 1/%d sample%s\n", name_of(kPredictions, i.prediction),
              i.block_size, 1 << std::clamp(i.subpel, 0, 8), i.overlap != 0 ? ", overlapped" : "");
  if (i.loop_filter != 0) out += "  filter      decoded samples, in the loop\n";
  out += text("  entropy     %s%s\n", name_of(kEntropyCodings, i.entropy_coding),
              i.lossless != 0 ? ", lossless" : "");
  out += text("  packet      %d components in %d layers, %d planes\n", i.components, i.layers, i.planes);
  out += s.index_entries ? text("  index       %zu frames\n", *s.index_entries) : "  index       none\n";
  return out;
}

std::string totals_text(const Survey& s) {
  const auto frames = static_cast<double>(std::max<int64_t>(1, s.frames));
  std::string out =
      text("\n%lld frames (%lld key), %.2f s, %llu bytes, %.2f kb/s, %.4f bits per pixel\n",
           static_cast<long long>(s.frames), static_cast<long long>(s.key_frames), s.seconds(),
           static_cast<Count>(s.bytes),
           s.frames > 0 ? static_cast<double>(s.bytes) * 8 / 1000 / s.seconds() : 0, s.bits_per_pixel());
  uint64_t packets = s.packet_header_bytes + s.side_bytes + s.region_bytes;
  for (const ComponentSurvey& c : s.components) packets += c.bytes;
  out += text("\n%-30s %14s %12s %7s\n", "part", "bytes", "a frame", "share");
  const auto line = [&](const std::string& what, uint64_t bytes) {
    out += text("%-30s %14llu %12.1f %6.1f%%\n", what.c_str(), static_cast<Count>(bytes),
                static_cast<double>(bytes) / frames, percent(bytes, packets + s.header_bytes));
  };
  line("stream headers and index", s.header_bytes);
  line("packet headers", s.packet_header_bytes);
  line("side information", s.side_bytes);
  std::map<int32_t, uint64_t> layers;
  for (const ComponentSurvey& c : s.components) layers[c.info.layer] += c.bytes;
  for (const auto& [layer, bytes] : layers) {
    // Layer 0 alone gives the picture at 1 / 2^scales; each further layer doubles it.
    const int32_t reduction = std::clamp(s.stream.layers - 1 - layer, 0, 16);
    line(text("layer %d (up to 1/%d)", layer, 1 << reduction), bytes);
  }
  if (s.region_bytes > 0) line("regions of predicted frames", s.region_bytes);
  return out;
}

std::string components_text(const Survey& s) {
  std::string out = text("\n%-10s %6s %7s %9s %13s %14s %12s\n", "component", "layer", "planes", "subbands",
                         "coefficients", "bytes", "bits/coef");
  for (size_t i = 0; i < s.components.size(); ++i) {
    const ComponentSurvey& c = s.components[i];
    const double coefficients =
        static_cast<double>(c.info.coefficients) * static_cast<double>(std::max<int64_t>(1, s.frames));
    out += text("%-10zu %6d %7s %9s %13llu %14llu %12.4f\n", i, c.info.layer,
                range(c.info.first_plane, c.info.last_plane).c_str(),
                range(c.info.first_subband, c.info.last_subband).c_str(),
                static_cast<Count>(c.info.coefficients), static_cast<Count>(c.bytes),
                coefficients > 0 ? 8 * static_cast<double>(c.bytes) / coefficients : 0);
  }
  return out;
}

std::string frames_text(const Survey& s) {
  std::string out = text("\n%8s %4s %12s %12s %10s %8s %8s %10s %10s\n", "frame", "type", "seconds", "offset",
                         "bytes", "header", "side", "components", "step");
  for (const PacketSurvey& p : s.packets)
    out += text("%8lld %4c %12.6f %12llu %10llu %8u %8u %10llu %10g\n",
                static_cast<long long>(p.info.frame_number), p.info.key_frame != 0 ? 'I' : 'P',
                static_cast<double>(p.info.timestamp) / std::max(1, s.stream.fps_num),
                static_cast<Count>(p.offset), static_cast<Count>(p.size), p.info.header_size,
                p.info.side_size, static_cast<Count>(p.payload), p.info.step);
  return out;
}

}  // namespace

std::string survey_text(const std::string& name, const Survey& s, bool frames) {
  std::string out = header_text(name, s) + totals_text(s);
  if (!s.components.empty()) out += components_text(s);
  if (frames) out += frames_text(s);
  return out;
}

}  // namespace ctv::tools
