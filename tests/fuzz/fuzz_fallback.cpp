// SPDX-License-Identifier: BSD-3-Clause
// A device that fails while it decodes any stream: the CPU goes on with the same pictures and errors. The
// input is the decoder's; its last byte is the call that fails.
#include <cstdlib>

#include "tests/fuzz/session.hpp"
#include "tests/fuzz/stream_input.hpp"
#include "tests/support/failing_backend.hpp"
#include "tests/support/repair.hpp"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace ctv::fuzz;
  if (size == 0) return 0;
  const long call = data[--size];
  auto input = read_input(data, size);
  if ((input.options[0] & 1U) != 0) ctv::test::repair_checksums(input.units);
  ctv_decoder_config config = read_decoder_config(input.options[0], input.options[1]);
  const Outcome expected = decode(input.units, config);
  // A device that was not asked for may fail at any time.
  config.backend = CTV_BACKEND_AUTO;
  const bool once = (input.options[1] & 16U) != 0;
  const ctv::test::DeviceThatFails device(
      call, once ? ctv::test::Failure::kMemoryOnce : ctv::test::Failure::kForGood);
  if (decode(input.units, config) != expected) std::abort();
  return 0;
}
