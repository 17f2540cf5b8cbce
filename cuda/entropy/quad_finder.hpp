// SPDX-License-Identifier: BSD-3-Clause
// Significant 2x2 blocks of levels, found on the device.
#pragma once

#include <array>
#include <span>
#include <vector>

#include "codec/entropy/model/quad_alphabet.hpp"
#include "cuda/entropy/quad_bands.hpp"

namespace ctv::cuda {

/// Finds the events of a plan's components in levels on the device and writes them into host memory.
class QuadFinder {
 public:
  /// Allocates; copies the plan to the device.
  Status initialise(Device& device, const QuadPlan& plan);
  /// Starts on `stream`. levels: per plane, on the device.
  Status find(Device& device, const std::array<const Level*, 3>& levels, cudaStream_t stream);
  /// Per component of the plan, in host memory; valid when the stream has come so far.
  std::span<const QuadEvents> found() const { return found_; }

  struct Row {
    int band, y;
    int first;  // quad, among those of all bands
  };
  /// What kernels need to know of a quad's symbol.
  struct Symbols {
    uint8_t of_value[kQuadSymbols];
    uint8_t twos[kQuadSymbols];
  };
  struct Work {
    const Level* levels[3];
    const QuadBand* bands;
    const Row* rows;
    uint16_t* quads;  // device: sum | symbol << 5 | signs << 12
    QuadRow* found_rows;
    QuadEvent* events;
    uint16_t* magnitudes;
  };

 private:
  DeviceArray<QuadBand> bands_;
  DeviceArray<Row> rows_;
  DeviceArray<uint16_t> quads_;
  PinnedArray<QuadRow> found_rows_;
  PinnedArray<QuadEvent> events_;
  PinnedArray<uint16_t> magnitudes_;
  std::vector<QuadEvents> found_;
  Symbols symbols_{};
};

}  // namespace ctv::cuda
