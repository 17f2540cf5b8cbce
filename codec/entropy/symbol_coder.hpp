// SPDX-License-Identifier: BSD-3-Clause
// A frame's levels and vectors to the bytes of its packet and back: one task per component, each through DEFLATE on
// its own.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "codec/bitstream/headers.hpp"
#include "codec/entropy/components.hpp"
#include "codec/entropy/deflate.hpp"
#include "codec/frame/picture_layout.hpp"

namespace ctv {

/// Owns all scratch memory: nothing is allocated per frame once packets have reached their usual size.
class SymbolCoder {
 public:
  SymbolCoder(const PictureLayout& picture, const SequenceHeader& header, const MotionGrid& grid, int threads);

  /// Writes a whole packet unit for the frame (levels: residuals under subband prediction).
  void encode(const CodedFrame& frame, std::vector<uint8_t>& packet);

  /// Reads the packet header. The unit may be cut.
  Status read_header(std::span<const uint8_t> unit);
  /// Decodes vectors and the first `layers` layers of the unit whose header was just read into the frame's memory.
  Status decode(std::span<const uint8_t> unit, int layers, const CodedFrame& frame);
  const PacketHeader& header() const { return header_; }
  const std::vector<Component>& components() const { return components_; }

 private:
  struct Scratch {
    std::vector<uint8_t> symbols;
    std::vector<uint8_t> deflated;
    size_t size = 0;  // bytes used of deflated
    Deflater deflater;
  };
  size_t layer_begin(int layer) const;  // byte offset of a layer's payload in the unit
  void encode_component(const CodedFrame& frame, size_t i);
  bool decode_component(std::span<const uint8_t> bytes, const CodedFrame& frame, size_t i);
  bool runs(const CodedFrame& frame, const Component& c) const;

  PictureLayout picture_;
  MotionGrid grid_;
  int subpel_;
  int threads_;
  std::vector<Component> components_;
  std::vector<Scratch> scratch_;  // one per component, the last for the vectors
  std::vector<Level> vector_levels_;
  std::vector<uint8_t> decoded_;  // per component: 1 if it was sound
  std::vector<size_t> begins_;    // per component: its first byte in the unit
  std::vector<uint8_t> head_;
  PacketHeader header_;
};

/// Bytes a SymbolCoder holds for decoding, for the memory formula.
size_t symbol_coder_memory(const PictureLayout& picture, const MotionGrid& grid);

}  // namespace ctv
