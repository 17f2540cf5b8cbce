// SPDX-License-Identifier: BSD-3-Clause
#include "codec/config/presets.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <string>

#include "codec/config/decoder_config.hpp"
#include "codec/control/motion_decisions.hpp"
#include "codec/dsp/quantise.hpp"
#include "codec/format/components.hpp"
#include "codec/format/fields.hpp"
#include "codec/format/gains.hpp"
#include "codec/format/picture_format.hpp"

namespace ctv {
namespace {

struct Preset {
  const char* name;
  const char* description;
  void (*apply)(ctv_config&);
};

void apply_paper(ctv_config& c) {
  c.chroma = CTV_CHROMA_420;
  c.pyramid = CTV_PYRAMID_LAPLACIAN;
  c.scales = 1;
  c.directions[0] = 8;
  c.prediction = CTV_PREDICTION_SUBBAND;
  c.entropy_coding = CTV_ENTROPY_RLE;
  c.block_size = 16;
  c.subpel = 0;
  c.overlap = 0;
  c.split = 0;
  c.search_range = 8;
  c.far_range = 0;
  c.key_interval = 10;
  c.step = 10;
  c.qp = -1;
  c.scene_cut = 0;
}

void apply_default(ctv_config& c) {
  c.chroma = CTV_CHROMA_AS_INPUT;
  c.pyramid = CTV_PYRAMID_WAVELET_9_7;
  c.scales = 4;
  c.directions[0] = 0;  // fixed ones pay for texture alone
  c.directional_lifting = 1;
  c.prediction = CTV_PREDICTION_PICTURE;
  c.entropy_coding = CTV_ENTROPY_TILES;
  c.block_size = 16;
  c.subpel = 3;
  c.overlap = 1;
  c.loop_filter = 1;
  c.split = 1;
  c.search_range = 0;  // passes over the field find near vectors
  c.far_range = kMaxFarRange;
  c.key_interval = 60;
  c.step = 10;
  c.qp = 26;
  c.scene_cut = 1;
  c.rdoq = 1;
}

// The other presets are default with less or more work.
void apply_fast(ctv_config& c) {
  apply_default(c);
  c.subpel = 2;
  c.split = 0;
  c.far_range = 32;
}

void apply_fastest(ctv_config& c) {
  apply_fast(c);
  c.pyramid = CTV_PYRAMID_WAVELET_5_3;
  c.directional_lifting = 0;
  c.overlap = 0;
  c.loop_filter = 0;
}

void apply_slow(ctv_config& c) {
  apply_default(c);
  c.search_range = 8;  // also enables more passes over the field of vectors
}

constexpr Preset kPresets[] = {
    {"default", "9/7 pyramid lifted along contours in key frames, overlapped eighth-sample motion",
     apply_default},
    {"fast", "default with quarter-sample vectors of whole blocks, found with less work", apply_fast},
    {"fastest", "fast with a 5/3 pyramid without directions, no overlap and no loop filter", apply_fastest},
    {"slow", "default with more search and more passes over the field of vectors", apply_slow},
    {"paper", "the algorithm of Katsigiannis et al., with Do and Vetterli's fixed directions, step by step",
     apply_paper},
};

Status bad(const char* field, const std::string& why) {
  return {CTV_ERROR_ARGUMENT, std::string("config.") + field + ": " + why};
}

Status check_range(const char* field, int64_t value, int64_t lo, int64_t hi) {
  if (value >= lo && value <= hi) return {};
  return bad(field, std::to_string(value) + " is outside " + std::to_string(lo) + ".." + std::to_string(hi));
}

// Checks the parameters that are written to the stream and copies them.
Status copy_fields(const ctv_config& c, SequenceHeader& h) {
  for (const StreamField& field : stream_fields()) {
    if (field.config == StreamField::kNone || !field.is_in(h)) continue;
    for (int i = 0; i < field.values_in(h); ++i) {
      const int32_t value = member_at(&c, field.config, i);
      const int64_t coded = field.from_public(value);
      if (!field.values.empty() && !field.allows(coded)) {
        return bad(field.name, std::to_string(value) + " is none of " + field.list_values());
      }
      if (field.values.empty()) CTV_RETURN_IF_ERROR(check_range(field.name, value, field.lo, field.hi));
      const int64_t most = field.most_in(h);
      if (coded > most && field.needs != nullptr) return bad(field.name, std::string("needs ") + field.needs);
      field.set(h, i, std::min(coded, most));
    }
  }
  return {};
}

template <typename T, size_t kCount>
Status copy_hdr(const char* field, const int32_t (&values)[kCount], int64_t most, std::array<T, kCount>& to,
                uint8_t& present) {
  for (size_t i = 0; i < kCount; ++i) {
    CTV_RETURN_IF_ERROR(check_range(field, values[i], 0, most));
    to[i] = static_cast<T>(values[i]);
    if (to[i] != 0) present = 1;
  }
  return {};
}

Status copy_hdr(const ctv_config& c, HighDynamicRange& h) {
  CTV_RETURN_IF_ERROR(
      copy_hdr("mastering_primaries", c.mastering_primaries, 50000, h.mastering_primaries, h.mastering));
  CTV_RETURN_IF_ERROR(
      copy_hdr("mastering_luminance", c.mastering_luminance, INT32_MAX, h.mastering_luminance, h.mastering));
  return copy_hdr("content_light", c.content_light, UINT16_MAX, h.content_light, h.light);
}

Status check_decisions(const ctv_config& c) {
  if (format_planes(c.format) == 0) return bad("format", std::to_string(c.format) + " is unknown");
  CTV_RETURN_IF_ERROR(check_range("chroma", c.chroma, 0, CTV_CHROMA_420));
  CTV_RETURN_IF_ERROR(check_range("search_range", c.search_range, 0, kMaxSearchRange));
  CTV_RETURN_IF_ERROR(check_range("far_range", c.far_range, 0, kMaxFarRange));
  CTV_RETURN_IF_ERROR(check_range("key_interval", c.key_interval, 0, 1 << 30));
  CTV_RETURN_IF_ERROR(check_range("scene_cut", c.scene_cut, 0, 1));
  CTV_RETURN_IF_ERROR(check_range("min_key_distance", c.min_key_distance, 0, 1 << 30));
  CTV_RETURN_IF_ERROR(check_temporal_layers(c));
  CTV_RETURN_IF_ERROR(check_range("threads", c.threads, 0, 256));
  CTV_RETURN_IF_ERROR(check_range("backend", c.backend, 0, CTV_BACKEND_CUDA));
  CTV_RETURN_IF_ERROR(check_range("engine", c.engine, 0, CTV_ENGINE_FFT));
  CTV_RETURN_IF_ERROR(check_rate(c.bitrate, c.max_frame_bytes));
  CTV_RETURN_IF_ERROR(check_range("buffer_ms", c.buffer_ms, 100, 60000));
  CTV_RETURN_IF_ERROR(check_range("error_resilient", c.error_resilient, 0, 1));
  return check_range("frames_in_flight", c.frames_in_flight, 1, 16);
}

// Checks the quantiser settings for a stream with this header.
Status check_quantisation(const ctv_config& c, const SequenceHeader& h) {
  const bool picture = h.prediction == Prediction::kPicture;
  CTV_RETURN_IF_ERROR(check_range("rdoq", c.rdoq, 0, 1));
  // Beyond, sums of a wavelet may exceed the 16 bits of a coefficient.
  constexpr int kMostScalesOf12Bits = 4;
  if (h.bits() == kMostBits && h.lossless == 0 && h.transform.pyramid == Pyramid::kWavelet9_7 &&
      h.transform.scales > kMostScalesOf12Bits)
    return bad("scales", "with 12 bits and the 9/7 pyramid at most 4");
  if (c.rdoq != 0 && !picture) return bad("rdoq", "needs picture prediction");
  CTV_RETURN_IF_ERROR(check_range("split", c.split, 0, 1));
  if (c.split != 0 && !picture) return bad("split", "needs picture prediction");
  if (c.slots > 1 && !picture) return bad("slots", "more than one needs picture prediction");
  CTV_RETURN_IF_ERROR(check_crf(c));
  CTV_RETURN_IF_ERROR(check_range("tune", c.tune, 0, CTV_TUNE_PSNR));
  return check_range("chroma_qp_offset", c.chroma_qp_offset, -12, 12);
}

// x264's AQ of strength 1 corresponds to 11. 8 costs 2.7 % of luma's bits at equal squared error, 5 costs 1
// %.
constexpr uint8_t kVisualMasking = 5;

}  // namespace

bool apply_preset(const char* name, ctv_config& config) {
  for (const Preset& preset : kPresets) {
    if (name != nullptr && std::strcmp(name, preset.name) != 0) continue;
    config = {};
    config.struct_size = sizeof config;
    config.fps_num = 25;
    config.fps_den = 1;
    config.primaries = config.transfer = config.matrix = 2;  // unspecified
    config.frames_in_flight = 1;
    config.buffer_ms = 1000;
    config.crf = -1;
    config.slots = config.temporal_layers = 1;
    preset.apply(config);
    return true;
  }
  return false;
}

const char* preset_name(int i) {
  return i >= 0 && i < static_cast<int>(std::size(kPresets)) ? kPresets[i].name : nullptr;
}

const char* preset_description(int i) {
  return i >= 0 && i < static_cast<int>(std::size(kPresets)) ? kPresets[i].description : nullptr;
}

Status check_temporal_layers(const ctv_config& c) {
  CTV_RETURN_IF_ERROR(check_range("temporal_layers", c.temporal_layers, 1, 3));
  if (c.temporal_layers > 2 && c.slots < 2) return bad("temporal_layers", "3 need two slots");
  return {};
}

Status check_rate(int64_t bitrate, int64_t max_frame_bytes) {
  CTV_RETURN_IF_ERROR(check_range("bitrate", bitrate, 0, int64_t{1} << 40));
  return check_range("max_frame_bytes", max_frame_bytes, 0, int64_t{1} << 30);
}

Status check_crf(const ctv_config& c) {
  if (c.crf == -1) return {};
  if (!(c.crf >= 0 && c.crf <= 51)) return bad("crf", std::to_string(c.crf) + " is outside 0..51");
  if (c.prediction != CTV_PREDICTION_PICTURE) return bad("crf", "needs picture prediction");
  if (c.lossless != 0) return bad("crf", "lossless has no quantiser");
  if (c.bitrate != 0) return bad("crf", "excludes a bitrate");
  return {};
}

Result<SequenceHeader> make_sequence_header(const ctv_config& c) {
  CTV_RETURN_IF_ERROR(check_decisions(c));
  SequenceHeader h;
  CTV_RETURN_IF_ERROR(copy_fields(c, h));
  CTV_RETURN_IF_ERROR(copy_hdr(c, h.hdr));
  const ctv_format source = source_format(c.format);
  const int bits = picture_format(c.format).bits;
  h.source = static_cast<uint8_t>(source);
  h.depth = static_cast<uint8_t>((bits - 8) / 2);
  h.chroma_420 = c.chroma == CTV_CHROMA_420 && c.lossless == 0 && source != CTV_FORMAT_GRAY8 &&
                 source != CTV_FORMAT_I420;
  h.transform.fraction_bits = c.lossless != 0 || bits > 8 ? 0 : 2;  // coefficients have 16 bits
  h.transform.projection = h.transform.pyramid == Pyramid::kLaplacian && c.lossless == 0;
  h.grouping = choose_grouping(h);
  if (padded_area(h) > PTRDIFF_MAX / 16) {  // no buffer needs 16 bytes per sample
    return Status(CTV_ERROR_MEMORY, "config.width, config.height: too many samples for addresses of 32 bits");
  }
  const bool picture = h.prediction == Prediction::kPicture;
  CTV_RETURN_IF_ERROR(check_quantisation(c, h));
  // The paper quantises only directional subbands, all with one step. Otherwise a subband's step compensates
  // its gain, so that an error in any subband weighs the same in the picture.
  h.lowpass_rounded = !picture && c.lossless == 0;
  h.masking = h.macroblocks() && c.tune == CTV_TUNE_VISUAL ? kVisualMasking : 0;
  const double chroma = std::exp2(c.chroma_qp_offset / 6.0);
  const SubbandLayout layout = make_layout(h.transform, {1, 1});
  for (size_t i = 0; i < layout.subbands.size(); ++i) {
    const uint32_t weight = picture ? subband_weight(h.transform, layout.subbands[i]) : uint32_t{kWeightOne};
    h.weights[0][i] = static_cast<uint16_t>(weight);
    h.weights[1][i] = static_cast<uint16_t>(std::clamp(std::lround(weight * chroma), 1L, 65535L));
  }
  h.residual_chroma_weight = static_cast<uint16_t>(std::lround(kWeightOne * chroma));
  const auto step = make_base_step(c.qp, c.step);
  if (!step.ok()) return step.status();
  return h;
}

Result<uint16_t> make_base_step(int qp, double step) {
  if (qp != -1) {
    CTV_RETURN_IF_ERROR(check_range("qp", qp, 0, kMaxQp));
    return static_cast<uint16_t>(qp_step(qp));
  }
  if (!(step >= 1.0 / 16 && step <= 4095))
    return bad("step", std::to_string(step) + " is outside 1/16..4095");
  return static_cast<uint16_t>(std::lround(step * 16));
}

}  // namespace ctv
