// SPDX-License-Identifier: BSD-3-Clause
// Data derived from a sequence header: layouts of the planes, the grid of vectors, quantisers.
#pragma once

#include <vector>

#include "codec/backend/backend.hpp"
#include "codec/format/headers.hpp"
#include "codec/format/packet.hpp"
#include "codec/format/picture_layout.hpp"
#include "codec/format/slope_grid.hpp"

namespace ctv {

struct Stream {
  SequenceHeader header;
  PictureLayout picture;
  MotionGrid grid;
  MacroblockGrid macroblocks;  // of predicted frames, if header.macroblocks()
  SlopeGrid slopes;

  CompensationGeometry geometry(int plane, int reduction) const {
    const int y = plane == 0 ? 0 : picture.chroma.y;
    const int x = plane == 0 ? 0 : picture.chroma.x;
    return {grid, y + reduction, x + reduction, header.overlap != 0, picture.range(plane)};
  }
};

/// The loop filter of a plane of a frame.
inline LoopFilter loop_filter_of(const Stream& stream, const FrameParameters& frame, int plane) {
  return loop_filter(frame.base_step, frame.type == FrameType::kKey, plane > 0, stream.picture.shift());
}

Stream make_stream(const SequenceHeader& header);

/// One quantiser per subband for each plane of a frame.
using PlaneQuantisers = std::array<std::vector<SubbandQuantiser>, 3>;

PacketLayout packet_layout(const Stream& stream);

/// The residual of a predicted frame of macroblocks.
ResidualFrame residual_frame(const Stream& stream, const FrameParameters& frame, const uint8_t* skips);

/// Fills quantisers for a frame; `offset` is the encoder's rounding offset of detail subbands (65536ths).
void make_quantisers(const Stream& stream, const FrameParameters& frame, uint32_t offset,
                     PlaneQuantisers& quantisers);

}  // namespace ctv
