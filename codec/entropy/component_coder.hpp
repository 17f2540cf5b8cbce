// SPDX-License-Identifier: BSD-3-Clause
// Coder of one part of a packet's payload: a component, or the vectors. Each owns its scratch memory. So all
// parts can be coded in parallel, and buffers allocate nothing per frame once they have grown.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>

#include "codec/entropy/growing.hpp"
#include "codec/format/components.hpp"
#include "codec/format/headers.hpp"
#include "codec/format/motion_grid.hpp"
#include "codec/format/picture_layout.hpp"
#include "codec/model/coded_frame.hpp"

namespace ctv {

class ComponentCoder {
 public:
  virtual ~ComponentCoder() = default;
  ComponentCoder(const ComponentCoder&) = delete;
  ComponentCoder& operator=(const ComponentCoder&) = delete;

  /// Encodes this part of the frame to `out`. Returns the bytes written; the bytes of rest() follow.
  virtual size_t encode(const CodedFrame& frame, Growing<uint8_t>& out) = 0;
  /// Bytes of the last encoded frame that remain where a device wrote them. Components only.
  virtual std::span<const uint8_t> rest() const { return {}; }
  /// Decodes this part and overwrites all its values. Returns false if the bytes are not exactly one encoding
  /// of the part; values are then undefined. Time and memory are bounded by the number of levels, whatever
  /// the bytes.
  virtual bool decode(std::span<const uint8_t> bytes, const CodedFrameBuffers& frame) = 0;
  /// Passes the part to `receiver`. Returns false if it is damaged. Components only.
  virtual bool send(std::span<const uint8_t> bytes, size_t component, ComponentReceiver& receiver) {
    (void)bytes, (void)component, (void)receiver;
    return false;
  }

  /// The same in steps for several threads: start_..(); run() for each task number below its result, in any
  /// order and in parallel; finish_..(). Arguments must remain valid until then. After an exception or
  /// without finish_..(), the next start resets the coder. A coder with a single task overrides none of
  /// these.
  virtual size_t start_encoding(const CodedFrame& frame, Growing<uint8_t>& out) {
    size_ = encode(frame, out);
    return 0;
  }
  virtual size_t finish_encoding(Growing<uint8_t>&) { return size_; }
  virtual size_t start_decoding(std::span<const uint8_t> bytes, const CodedFrameBuffers& frame) {
    sound_ = decode(bytes, frame);
    return 0;
  }
  virtual bool finish_decoding() { return sound_; }
  virtual void run(size_t) {}

 protected:
  ComponentCoder() = default;

 private:
  size_t size_ = 0;
  bool sound_ = false;
};

/// index: number of the component in the packet. grid: of the skips of predicted frames, which must be known
/// before levels; null without skips. threads: for start_..().
std::unique_ptr<ComponentCoder> make_component_coder(EntropyCoding entropy_coding,
                                                     const PictureLayout& picture, const Component& component,
                                                     size_t index, const MotionGrid* grid, int threads);

}  // namespace ctv
