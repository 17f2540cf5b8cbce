// SPDX-License-Identifier: BSD-3-Clause
#include "cuda/entropy/run_layout.hpp"

namespace ctv::cuda {

RunLayout::RunLayout(std::span<const RunComponent> plan) {
  for (const RunComponent& c : plan) {
    DeviceRunComponent d{};
    uint64_t levels = 0;
    for (size_t r = 0; r < 3; ++r) {
      if (r < c.ranges.size()) {
        d.offsets[r] = c.ranges[r].offset - levels;
        d.planes[r] = static_cast<uint32_t>(c.ranges[r].plane);
        levels += c.ranges[r].count;
      }
      d.ends[r] = levels;
    }
    d.lowpass = c.lowpass ? 1 : 0;
    d.first = static_cast<uint32_t>(component_of.size());
    d.chunks = static_cast<uint32_t>(run_chunks(levels));
    d.bytes = bytes;
    bytes += most_run_bytes(d.chunks);
    component_of.insert(component_of.end(), d.chunks, static_cast<uint32_t>(components.size()));
    components.push_back(d);
  }
}

}  // namespace ctv::cuda
