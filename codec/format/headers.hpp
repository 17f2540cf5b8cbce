// SPDX-License-Identifier: BSD-3-Clause
// The sequence header of a stream (docs/bitstream.md). Parse, don't validate: values returned by a read
// function are within the document's ranges, and later code does not check them again.
#pragma once

#include <ctv/ctv.h>

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "codec/format/frame_parameters.hpp"
#include "codec/format/subband_layout.hpp"
#include "codec/format/transform_parameters.hpp"
#include "codec/util/status.hpp"

namespace ctv {

inline constexpr uint8_t kBitstreamVersion = 3;

enum class Prediction : uint8_t { kSubband = 0, kPicture = 1 };
enum class EntropyCoding : uint8_t { kRle = 0, kTiles = 1 };
enum class ComponentScope : uint8_t {
  kSubband = 0,  // one subband of one plane (the paper's)
  kLayer = 1     // one layer: of luma, or of both chroma planes
};
struct Grouping {
  ComponentScope scope = ComponentScope::kLayer;
  uint8_t pooled_layers =
      0;  // number of coarsest layers, of all planes, in the first component; 0 with kSubband
};

/// Description of the pictures for the receiver: values of ctv_range, ctv_siting, ctv_interlace and ITU-T
/// H.273.
struct PictureDescription {
  uint16_t aspect_width = 0, aspect_height = 0;
  uint8_t range = CTV_RANGE_UNSPECIFIED;
  uint8_t primaries = 2, transfer = 2, matrix = 2;
  uint8_t siting = CTV_SITING_UNSPECIFIED;
  uint8_t interlace = CTV_INTERLACE_NONE;
};

/// Members of ctv_config of the same names. Not in the header if the flag is 0.
struct HighDynamicRange {
  uint8_t mastering = 0, light = 0;  // flags
  std::array<uint16_t, 8> mastering_primaries{};
  std::array<uint32_t, 2> mastering_luminance{};
  std::array<uint16_t, 2> content_light{};
};

struct SequenceHeader {
  uint16_t width = 0, height = 0;
  uint32_t fps_num = 25, fps_den = 1;
  uint8_t source = 0;  // ctv_format: GRAY8, I420, I422, I444 or RGB8
  uint8_t depth = 0;   // samples have 8 + 2 depth bits
  uint8_t chroma_420 = 0;
  PictureDescription description;
  HighDynamicRange hdr;
  TransformParameters transform;
  Prediction prediction = Prediction::kPicture;
  EntropyCoding entropy_coding = EntropyCoding::kTiles;
  Grouping grouping;
  uint8_t lossless = 0;
  uint8_t lowpass_rounded =
      0;  // 1: the lowpass is quantised with step 1, independent of the base step (as in the paper)
  uint8_t log2_block = 4;
  uint8_t subpel = 3;
  uint8_t overlap = 1;
  uint8_t loop_filter = 0;
  uint8_t slots = 1;  // reference pictures
  /// Step of a subband = base step x weight / 4096. Luma, then chroma if present; in subband order.
  std::array<std::array<uint16_t, kMaxSubbandsPerPlane>, 2> weights{};
  uint8_t masking = 0;  // macroblocks: how much luma's step follows activity (masked_step())
  uint16_t residual_chroma_weight = 4096;  // of chroma's step in macroblocks, against luma's

  /// Whether the residual of predicted frames is coded in macroblocks.
  bool macroblocks() const { return prediction == Prediction::kPicture && lossless == 0; }
  int bits() const { return 8 + 2 * depth; }
  int planes() const { return source == CTV_FORMAT_GRAY8 ? 1 : 3; }
};

std::vector<uint8_t> write_sequence_header(const SequenceHeader& header);
Result<SequenceHeader> read_sequence_header(std::span<const uint8_t> unit);

}  // namespace ctv
