// SPDX-License-Identifier: BSD-3-Clause
// The whole decoder behind the C interface, with tight limits: pictures or errors, every sample touched.
// Option bits choose whether checksums are repaired first, reduction, output format and, in one input of
// eight since threads take as long as decoding, threads and frames in flight.
#include <cstdlib>

#include "tests/fuzz/session.hpp"
#include "tests/fuzz/stream_input.hpp"
#include "tests/support/repair.hpp"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace ctv::fuzz;
  auto input = read_input(data, size);
  const unsigned a = input.options[0];
  const unsigned b = input.options[1];
  if ((a & 1U) != 0) ctv::test::repair_checksums(input.units);
  if (decode(input.units, read_decoder_config(a, b), (b & 8U) != 0).memory_lacked) std::abort();
  return 0;
}
