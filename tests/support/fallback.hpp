// SPDX-License-Identifier: BSD-3-Clause
// Expectations of an encoder and a decoder whose device fails at any call.
#pragma once

#include <functional>
#include <vector>

#include "tests/support/codec.hpp"
#include "tests/support/devices.hpp"

namespace ctv::test {

/// Calls code(n) with a device that fails at its n-th call, for each n up to the number of calls, in steps of
/// `step`. An Error must be that of a requested device that fails while it is opened. Returns the number of
/// runs without Error.
int for_each_failure(long step, const std::function<void(long)>& code, Failure failure = Failure::kForGood);

/// Expects packets equal to `expected` up to a key frame, in order, and that all decode. Returns the number
/// of that key frame; if all packets are equal, the number of frames.
size_t expect_key_frame_at_switch(const Stream& stream, const Stream& expected);

/// Results of a decoder: pictures with their numbers, and errors.
struct Decoded {
  std::vector<Frame> pictures;
  std::vector<ctv_status> errors;
};
Decoded decode_all(const Stream& stream, const ctv_decoder_config& config);
/// Expects the stream's pictures without those from one frame to the next key frame. Each of these must give
/// an error about a missing reference.
void expect_gap_up_to_key_frame(const Decoded& decoded, const std::vector<Frame>& expected);

}  // namespace ctv::test
