// SPDX-License-Identifier: BSD-3-Clause
// Slopes in a backend's memory, and a backend's search for them.
#pragma once

#include <gtest/gtest.h>

#include <span>
#include <vector>

#include "codec/format/slope_grid.hpp"
#include "tests/support/backend_plane.hpp"

namespace ctv::test {

/// An array of SlopeGrid with a guard after it, or nothing if there are no slopes.
class BackendSlopes {
 public:
  BackendSlopes(Backend& backend, const std::vector<int8_t>& slopes) : backend_(backend), slopes_(slopes) {
    if (slopes_.empty()) return;
    slopes_.resize(slopes.size() + kGuards, kGuard);
    Result<Memory> memory = backend.allocate(slopes_.size());
    EXPECT_TRUE(ok(memory));
    if (memory.ok()) memory_ = std::move(*memory);
    EXPECT_TRUE(ok(backend_.upload(memory_.data(), slopes_.data(), slopes_.size())));
  }
  int8_t* data() const { return static_cast<int8_t*>(memory_.data()); }
  std::vector<int8_t> download() {
    EXPECT_TRUE(ok(backend_.download(slopes_.data(), memory_.data(), slopes_.size())));
    for (size_t i = 0; i < kGuards; ++i) EXPECT_EQ(slopes_[slopes_.size() - 1 - i], kGuard);
    return {slopes_.begin(), slopes_.end() - kGuards};
  }

 private:
  static constexpr int kGuards = 16;
  static constexpr int8_t kGuard = 0x5a;
  Backend& backend_;
  std::vector<int8_t> slopes_;
  Memory memory_;
};

/// The result of the backend's search for samples - 128.
inline std::vector<int8_t> search_slopes(Backend& backend, const SubbandLayout& layout,
                                         const BackendPlane& luma,
                                         std::span<const SubbandQuantiser> quantisers) {
  BackendSlopes slopes(backend, std::vector<int8_t>(make_slope_grid(layout).size(), 99));
  auto estimator = backend.make_slopes(layout);
  EXPECT_TRUE(ok(estimator));
  if (!estimator.ok()) return {};
  EXPECT_TRUE(ok((*estimator)->search(luma.const_view(), 128, quantisers, slopes.data())));
  return slopes.download();
}

}  // namespace ctv::test
