// SPDX-License-Identifier: BSD-3-Clause
// One part of a packet's payload to bytes and back: a component, or the vectors. Each holds its own scratch
// memory, so that all of them can work at once and nothing is allocated per frame once buffers have grown.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>

#include "codec/entropy/growing.hpp"
#include "codec/format/coded_frame.hpp"
#include "codec/format/components.hpp"
#include "codec/format/headers.hpp"
#include "codec/format/picture_layout.hpp"

namespace ctv {

class ComponentCoder {
 public:
  virtual ~ComponentCoder() = default;
  ComponentCoder(const ComponentCoder&) = delete;
  ComponentCoder& operator=(const ComponentCoder&) = delete;

  /// Returns the bytes written to `out`.
  virtual size_t encode(const CodedFrame& frame, Growing<uint8_t>& out) = 0;
  /// Writes every number of its part of the frame, whatever was there. False if the bytes are not exactly an
  /// encoding of it; the numbers are then undefined. Time and memory are bounded by the extent of the part,
  /// not by the bytes.
  virtual bool decode(std::span<const uint8_t> bytes, const CodedFrame& frame) = 0;

 protected:
  ComponentCoder() = default;
};

/// index: of the component in the packet.
std::unique_ptr<ComponentCoder> make_component_coder(EntropyCoding entropy_coding,
                                                     const PictureLayout& picture, const Component& component,
                                                     size_t index);
/// subpel: the vectors' precision.
std::unique_ptr<ComponentCoder> make_motion_coder(EntropyCoding entropy_coding, const MotionGrid& grid,
                                                  int subpel);

}  // namespace ctv
