// SPDX-License-Identifier: BSD-3-Clause
#include <ctv/ctv.hpp>

#include "codec/config/presets.hpp"
#include "tools/bench/lab/stages/stage.hpp"

namespace ctv::lab {

Stream stream_of(const char* preset, Extent extent) {
  Config config(preset);
  config.width = extent.cols;
  config.height = extent.rows;
  config.format = CTV_FORMAT_RGB8;
  const Result<SequenceHeader> header = make_sequence_header(config);
  if (!header.ok()) throw Error(header.status().code(), header.status().message());
  return make_stream(*header);
}

std::vector<SubbandQuantiser> luma_quantisers(const char* preset, const Stream& stream) {
  constexpr uint32_t kOffset = 16384;  // a quarter of a step
  const Config config(preset);
  const Result<uint16_t> step = make_base_step(config.qp, config.step);
  if (!step.ok()) throw Error(step.status().code(), step.status().message());
  FrameParameters parameters;
  parameters.type = FrameType::kPredicted;
  parameters.base_step = *step;
  PlaneQuantisers quantisers;
  make_quantisers(stream, parameters, kOffset, quantisers);
  return quantisers[0];
}

}  // namespace ctv::lab
