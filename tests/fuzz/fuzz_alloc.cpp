// SPDX-License-Identifier: BSD-3-Clause
// Memory that lacks once or from some allocation on, in an encoder of any settings or a decoder of any
// stream: an error with a message, no crash, and the end of the stream comes. The input's last byte tells
// encoder from decoder, the two before it the allocation that fails.
#include <cstdlib>

#include "tests/fuzz/session.hpp"
#include "tests/fuzz/stream_input.hpp"
#include "tests/shortage/shortage.hpp"
#include "tests/support/repair.hpp"

namespace {

using namespace ctv;  // NOLINT(*-using-namespace)

void encode(const ctv_config& config, const std::vector<test::Frame>& clip) {
  fuzz::Outcome outcome;
  ctv_encoder* encoder = nullptr;
  const auto note = [&](ctv_status status) {
    outcome.add(status);
    return status;
  };
  if (note(ctv_encoder_open(&config, &encoder)) != CTV_OK) return;
  const auto receive = [&] {
    ctv_unit unit{};
    unit.struct_size = sizeof unit;
    const ctv_status status = note(ctv_encoder_receive(encoder, &unit));
    if (status == CTV_OK && unit.size == 0) std::abort();
    return status;
  };
  for (const test::Frame& frame : clip) {
    const ctv_picture picture = test::picture_of(frame);
    while (note(ctv_encoder_send(encoder, &picture)) == CTV_AGAIN) {
      if (receive() == CTV_AGAIN) std::abort();
    }
    if (config.frames_in_flight == 1) (void)receive();
  }
  note(ctv_encoder_flush(encoder));
  for (int i = 0; receive() != CTV_END; ++i) {
    if (i > 16) std::abort();
  }
  ctv_encoder_close(encoder);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  if (size < 3) return 0;
  size -= 3;
  const unsigned options = data[size + 2];
  const long n = data[size] | (data[size + 1] & 7) << 8;
  const auto kind = (options & 2U) != 0 ? test::Shortage::kFrom : test::Shortage::kOnce;
  if ((options & 1U) != 0) {
    fuzz::Choices in(data, size);
    ctv_config config = fuzz::read_config(in);
    if ((options & 0x1CU) == 0x1C) config.threads = 2, config.frames_in_flight = 2;
    std::vector<test::Frame> clip;
    for (int i = 0; i < 3; ++i) clip.push_back(fuzz::read_picture(in, config, i));
    const test::FailingAllocations shortage(n, kind);
    encode(config, clip);
    return 0;
  }
  auto input = fuzz::read_input(data, size);
  if ((input.options[0] & 1U) != 0) test::repair_checksums(input.units);
  const ctv_decoder_config config = fuzz::read_decoder_config(input.options[0], input.options[1]);
  const test::FailingAllocations shortage(n, kind);
  (void)fuzz::decode(input.units, config);
  return 0;
}
