// SPDX-License-Identifier: BSD-3-Clause
// The whole decoder behind the C interface, with tight limits: pictures or errors, every sample touched.
// Option bits choose whether checksums are repaired first, reduction, output format, threads and frames in
// flight. Threads make counters that differ from run to run, so the corpus would fill with such inputs, and
// each takes four times as long: the mutator keeps them at one of eight.
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
  if (decode(input.units, read_decoder_config(a, b), {.reset = (b & 8U) != 0}).memory_lacked) std::abort();
  return 0;
}

// libFuzzer's own; absent where a plain program replays the corpus.
extern "C" __attribute__((weak)) size_t LLVMFuzzerMutate(uint8_t* data, size_t size, size_t max_size);

extern "C" size_t LLVMFuzzerCustomMutator(uint8_t* data, size_t size, size_t max_size, unsigned seed) {
  size = LLVMFuzzerMutate(data, size, max_size);
  if (size < 2) return size;
  uint8_t& options = data[size - 2];  // bits as in read_decoder_config()
  options =
      static_cast<uint8_t>(seed % 8 == 0 ? (options & 0x0FU) | 0x70U | (seed & 8U) << 4U : options & 0x6FU);
  return size;
}
