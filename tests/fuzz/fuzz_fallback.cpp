// SPDX-License-Identifier: BSD-3-Clause
// A device that fails while it decodes any stream: pictures and errors are those of the CPU, if it loses its
// references there. With frames in flight nothing but the end is expected. The input is the decoder's; its
// last byte is the call that fails.
#include <cstdlib>

#include "tests/fuzz/session.hpp"
#include "tests/fuzz/stream_input.hpp"
#include "tests/support/devices.hpp"
#include "tests/support/repair.hpp"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace ctv::fuzz;
  if (size == 0) return 0;
  const long call = data[--size];
  auto input = read_input(data, size);
  if ((input.options[0] & 1U) != 0) ctv::test::repair_checksums(input.units);
  ctv_decoder_config config = read_decoder_config(input.options[0], input.options[1]);
  // A device that was not asked for may fail at any time.
  config.backend = CTV_BACKEND_AUTO;
  const bool once = (input.options[1] & 16U) != 0;
  Script script;
  const auto decode_on_device = [&] {
    const ctv::test::DeviceThatFails device(
        call, once ? ctv::test::Failure::kMemoryOnce : ctv::test::Failure::kForGood);
    return decode(input.units, config, {.after = [&](size_t unit, bool received) {
                    if (script.reset_at != SIZE_MAX || ctv::test::DeviceThatFails::calls() < call) return;
                    script.reset_at = unit;
                    script.with_picture = received;
                  }});
  };
  const Outcome outcome = decode_on_device();
  config.backend = CTV_BACKEND_CPU;
  if (config.frames_in_flight > 1 || outcome == decode(input.units, config)) return 0;
  if (outcome != decode(input.units, config, script)) std::abort();
  return 0;
}
