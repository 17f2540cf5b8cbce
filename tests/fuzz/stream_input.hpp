// SPDX-License-Identifier: BSD-3-Clause
// How the fuzz targets read their input: a stream as in a file, then two bytes of options, so that a seed is
// just an encoded file with a tail.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace ctv::fuzz {

struct StreamInput {
  std::vector<std::vector<uint8_t>> units;  // cut by the sizes in their prefixes, the last one by the end
  uint8_t options[2] = {0, 0};
};
StreamInput read_input(const uint8_t* data, size_t size);

}  // namespace ctv::fuzz
