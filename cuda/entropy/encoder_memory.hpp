// SPDX-License-Identifier: BSD-3-Clause
// The largest arrays of an encoder, shared by coders of which each frame uses one.
#pragma once

#include "codec/model/tile_sets.hpp"
#include "cuda/runtime/device.hpp"

namespace ctv::cuda {

struct EncoderMemory {
  DeviceArray<uint32_t> events;
  PinnedArray<CodedPiece> pieces;
  PinnedArray<uint8_t> bytes;
};

}  // namespace ctv::cuda
