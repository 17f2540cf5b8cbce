// SPDX-License-Identifier: BSD-3-Clause
// What must hold of an encoder and of a decoder whose device fails at any call.
#pragma once

#include <functional>
#include <vector>

#include "tests/support/codec.hpp"
#include "tests/support/devices.hpp"

namespace ctv::test {

/// Calls code(n) with a device that fails at its n-th call, for each n up to the number of calls, `step`
/// apart. An Error of it must be that of a device that was asked for and fails while it is opened. Returns
/// how many had none.
int for_each_failure(long step, const std::function<void(long)>& code, Failure failure = Failure::kForGood);

/// Expects that the packets are those of `expected` up to a key frame, in order, and that all decode. Returns
/// the number of that frame; if all are equal, that of frames.
size_t expect_key_frame_at_switch(const Stream& stream, const Stream& expected);

/// What a decoder gives: pictures with their numbers, and errors.
struct Decoded {
  std::vector<Frame> pictures;
  std::vector<ctv_status> errors;
};
Decoded decode_all(const Stream& stream, const ctv_decoder_config& config);
/// Expects the stream's pictures but for those from one frame to the next key frame, for each of which there
/// is an error that tells of a missing reference.
void expect_gap_up_to_key_frame(const Decoded& decoded, const std::vector<Frame>& expected);

}  // namespace ctv::test
