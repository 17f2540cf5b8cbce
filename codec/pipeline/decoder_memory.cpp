// SPDX-License-Identifier: BSD-3-Clause
// What a decoder allocates, from the strides of its buffers: a narrow picture takes many times the bytes of
// its samples. tests/shortage/memory_test.cpp compares the sum with the heap.
#include <algorithm>

#include "codec/entropy/component_coder.hpp"
#include "codec/entropy/motion_tree.hpp"
#include "codec/entropy/slope_map.hpp"
#include "codec/format/components.hpp"
#include "codec/pipeline/stream.hpp"
#include "codec/util/host_device.hpp"

namespace ctv {
namespace {

constexpr int kRow = 32;     // rows are padded to multiples of so many elements
constexpr int kMargin = 64;  // elements around a row of a transform
constexpr uint64_t kFixed = 1 << 20;
constexpr uint64_t kFilterBytes = 2 * 6;  // of a column, in a thread's rows

uint64_t padded(int cols) { return static_cast<uint64_t>(round_up(cols, kRow)); }
uint64_t with_margins(int cols) { return padded(cols) + kMargin; }
// Of samples or coefficients.
uint64_t plane_bytes(Extent e) { return 2 * static_cast<uint64_t>(e.rows) * padded(e.cols); }

// One band's directional filter bank.
uint64_t bank_bytes(Extent band, int directions_log2, uint64_t threads) {
  const int phases = 1 << std::max(0, directions_log2 - 2);
  const uint64_t runs = 2 * static_cast<uint64_t>(phases) * with_margins(band.cols / 2 / phases);
  const uint64_t rings = 16 * (2 * threads + 8) * 4;  // filtered rows of 32 bits
  return 2 * static_cast<uint64_t>(band.rows) * runs + (rings + 4 * threads) * with_margins(band.cols / 2) +
         1024;
}

uint64_t transform_bytes(const SubbandLayout& layout, uint64_t threads) {
  const TransformParameters& t = layout.transform;
  const uint64_t skips = layout.padded.area() / 128;  // a bit for each cell, of 4x4 samples at the least
  if (t.in_blocks()) return threads * 2 * padded(layout.padded.cols) + skips;
  const bool laplacian = t.pyramid == Pyramid::kLaplacian;
  // Each thread has rows that pass through the filters: 16 of 32 bits, or 17 pairs.
  uint64_t bytes =
      skips + threads * with_margins(layout.padded.cols / 2) * (laplacian ? 2 * 16 * 4 + 4 : 2 * 17 * 2);
  for (int scale = 1; scale <= t.scales; ++scale) {
    bytes += plane_bytes({layout.padded.rows >> scale, layout.padded.cols >> scale});
    const int n = t.directions_log2[static_cast<size_t>(scale - 1)];
    if (n > 0) {
      bytes += static_cast<uint64_t>(t.pyramid_traits().bands) * bank_bytes(layout.band(scale), n, threads);
    }
  }
  if (make_slope_grid(layout).directed)
    bytes += kDirectedBands * bank_bytes(layout.band(1), kDirectedDepth, threads);
  return bytes;
}

}  // namespace

uint64_t decoder_memory(const Stream& s, int frames_in_flight, int threads) {
  const SequenceHeader& header = s.header;
  uint64_t planes = 0;
  uint64_t levels = 0;
  uint64_t transforms = 0;
  uint64_t layouts = 0;
  for (size_t p = 0; p < static_cast<size_t>(s.picture.planes); ++p) {
    const SubbandLayout& layout = s.picture.subbands[p];
    planes += plane_bytes(layout.padded);
    levels += layout.num_coefficients * sizeof(Level);
    layouts += layout.subbands.size() * (sizeof(Subband) + sizeof(SubbandQuantiser));
    transforms += transform_bytes(layout, static_cast<uint64_t>(threads));
  }
  const uint64_t side = s.grid.roots() * sizeof(int64_t) +
                        s.grid.size() * (sizeof(MotionVector) + sizeof(uint8_t)) + s.slopes.size();
  // A place for each slot, one for the current frame, and one that its loop filter needs, beside a few rows
  // for each thread. Also the decoded picture, with subband prediction.
  const uint64_t places = header.slots + uint64_t{1} + header.loop_filter;
  const uint64_t rows = uint64_t{header.loop_filter} * static_cast<uint64_t>(threads) * kFilterBytes *
                        padded(s.picture.subbands[0].padded.cols);
  const bool of_pictures = header.prediction == Prediction::kPicture;
  const uint64_t references = rows + (of_pictures ? places * planes : places * levels + planes);

  const auto components = make_components(s.picture, header.grouping);
  uint64_t coders = MotionSlices::most(s.grid) * MotionTree::bytes(s.grid) +
                    s.grid.size() * sizeof(MotionLeaf) + sizeof(SlopeMap);
  for (const Component& c : components) {
    coders += component_decoder_bytes(header.entropy_coding, s.picture, c) + 4 * sizeof c;
  }
  const uint64_t picture = uint64_t{header.width} * header.height * 4;  // of any format
  const uint64_t frame = levels + side + picture + coders + 4 * layouts;
  return references + transforms + static_cast<uint64_t>(frames_in_flight) * frame + 8 * layouts + kFixed;
}

}  // namespace ctv
