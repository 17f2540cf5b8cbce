// SPDX-License-Identifier: BSD-3-Clause
// The levels of a stream's frames, for ctv_train_symbols.
#pragma once

#include <array>
#include <string>
#include <vector>

#include "codec/entropy/symbol_coder.hpp"
#include "codec/pipeline/stream.hpp"

namespace ctv::dev {

struct SymbolFrame {
  FrameParameters parameters;
  std::vector<MotionVector> vectors;
  std::vector<uint8_t> skips;  // none if the frame has none
  std::array<std::vector<Level>, 3> levels;
  std::vector<Macroblock> macroblocks;
  CodedFrame view() const {
    CodedFrame frame;
    frame.parameters = parameters;
    if (!vectors.empty()) frame.side.vectors = vectors.data();
    if (!skips.empty()) frame.side.skips = skips.data();
    frame.side.macroblocks = macroblocks.data();
    for (size_t p = 0; p < levels.size(); ++p) frame.levels[p] = levels[p].data();
    return frame;
  }
};

struct SymbolClip {
  std::string name;
  Stream stream;
  std::vector<Component> components;
  std::vector<SymbolFrame> frames;
  size_t bytes = 0;  // of all packets
  size_t motion_bytes = 0;
  size_t symbol_bytes = 0;  // of all components
  bool has_macroblocks(const SymbolFrame& frame) const {
    return stream.header.macroblocks() && frame.parameters.type == FrameType::kPredicted;
  }
};

/// Reads a .ctv file. False if it is not a sound stream.
bool read_symbol_clip(const std::string& file, SymbolClip& clip);

}  // namespace ctv::dev
