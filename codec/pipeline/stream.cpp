// SPDX-License-Identifier: BSD-3-Clause
#include "codec/pipeline/stream.hpp"

#include "codec/dsp/residual_quantise.hpp"
#include "codec/format/colour_matrix.hpp"
#include "codec/format/components.hpp"
#include "codec/util/host_device.hpp"

namespace ctv {

Stream make_stream(const SequenceHeader& header) {
  Stream s;
  s.header = header;
  PictureLayout& p = s.picture;
  p.source = static_cast<ctv_format>(header.source);
  p.bits = header.bits();
  p.width = header.width;
  p.height = header.height;
  p.colour = is_rgb(p.source) ? ColourModel::kYcocgR : ColourModel::kAsIs;
  p.planes = header.planes();
  p.ycbcr = colour_matrix(header).value_or(kBt601);  // without a matrix, such conversions are refused
  p.chroma = header.chroma_420 != 0 ? ChromaShift{1, 1} : chroma_shift(p.source);
  for (int i = 0; i < p.planes; ++i) {
    const ChromaShift shift = i == 0 ? ChromaShift{} : p.chroma;
    const Extent macroblock = {kMacroblock >> shift.y, kMacroblock >> shift.x};
    p.subbands[static_cast<size_t>(i)] =
        make_layout(header.transform, p.extent(i), header.macroblocks() ? macroblock : Extent{1, 1});
  }
  s.macroblocks = make_macroblock_grid(p);
  const Extent padded = p.subbands[0].padded;
  const int log2 = header.prediction == Prediction::kPicture ? kLog2Cell : header.log2_block;
  s.grid = {log2, ceil_div(padded.rows, 1 << log2), ceil_div(padded.cols, 1 << log2)};
  s.slopes = make_slope_grid(p.subbands[0]);
  return s;
}

PacketLayout packet_layout(const Stream& stream) {
  const SequenceHeader& h = stream.header;
  return {make_components(stream.picture, h.grouping).size(), h.macroblocks(), h.slots};
}

ResidualFrame residual_frame(const Stream& stream, const FrameParameters& frame, const uint8_t* skips) {
  ResidualFrame f{stream.macroblocks, stream.grid, skips, {}, stream.header.masking, {}};
  for (size_t p = 0; p < f.steps.size(); ++p) {
    const uint32_t weight = p == 0 ? uint32_t{kWeightOne} : stream.header.residual_chroma_weight;
    f.steps[p] = residual_step(p == 0 ? frame.base_step : chroma_base_step(frame.base_step), weight);
    f.ranges[p] = stream.picture.range(static_cast<int>(p));
  }
  return f;
}

void make_quantisers(const Stream& stream, const FrameParameters& frame, uint32_t offset,
                     PlaneQuantisers& quantisers) {
  const SequenceHeader& h = stream.header;
  for (size_t plane = 0; plane < static_cast<size_t>(stream.picture.planes); ++plane) {
    const auto& subbands = stream.picture.subbands[plane].subbands;
    auto& out = quantisers[plane];
    out.resize(subbands.size());
    for (size_t i = 0; i < subbands.size(); ++i) {
      const bool lowpass = subbands[i].scale == 0;
      const uint32_t base = lowpass && h.lowpass_rounded != 0 ? 16U : frame.base_step;
      const uint32_t weight = h.weights[plane == 0 ? 0 : 1][i];
      SubbandQuantiser& q = out[i];
      q.step = h.lossless != 0
                   ? kMinStep
                   : subband_step(base << stream.picture.shift(), weight, h.transform.fraction_bits);
      q.multiplier = ((1U << 20) + q.step / 2) / q.step;
      q.rounding_offset = q.step == kMinStep ? 0 : (lowpass ? 32768U : offset);
      q.reconstruction_offset =
          lowpass || q.step == kMinStep ? 0 : (q.step * frame.reconstruction_offset + 32) / 64;
    }
  }
}

}  // namespace ctv
