// SPDX-License-Identifier: BSD-3-Clause
// The waist: all that passes between the backends' arithmetic and the bytes. Integers in host memory, nothing
// else.
#pragma once

#include <array>
#include <cstdint>
#include <span>

#include "codec/dsp/quantise.hpp"
#include "codec/entropy/model/quad_events.hpp"
#include "codec/util/types.hpp"

namespace ctv {

enum class FrameType : uint8_t { kKey = 0, kPredicted = 1 };

/// What the packet header says about a frame.
struct FrameParameters {
  uint32_t number = 0;
  FrameType type = FrameType::kKey;
  uint8_t reference = 1;    // predicted: this many frames back
  uint16_t base_step = 16;  // sixteenths of a sample
  uint8_t reconstruction_offset =
      0;  // reconstruction reconstruction_offset of detail subbands, 64ths of a step
};

/// Grid of the motion vectors: one for each block of 2^log2_block luma samples, padded pictures included.
struct MotionGrid {
  int log2_block = 4;
  int rows = 0;
  int cols = 0;
  /// 1: blocks of twice that side are matched, and split in four where it pays. Each has 2x2 vectors of the
  /// grid, equal ones unless it is split; rows and cols are even.
  int split = 0;
  /// Of the blocks that are matched.
  MotionGrid blocks() const { return {log2_block + split, rows >> split, cols >> split}; }
  size_t size() const { return static_cast<size_t>(rows) * static_cast<size_t>(cols); }
};

struct CodedFrame {
  FrameParameters parameters;
  MotionVector* vectors = nullptr;  // [grid.rows][grid.cols], eighths of a luma sample
  std::array<Level*, 3> levels{};   // per plane, in the order of its SubbandLayout
  // Per component, or empty: those that have events have levels of lowpasses only.
  std::span<const QuadEvents> quads;
  std::span<QuadList> lists;  // likewise, of a decoder
};

}  // namespace ctv
