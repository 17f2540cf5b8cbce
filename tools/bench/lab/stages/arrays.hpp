// SPDX-License-Identifier: BSD-3-Clause
// Planes, levels and vectors in a backend's memory, and the scene that they show.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <span>
#include <vector>

#include "codec/backend/backend.hpp"
#include "codec/util/host_device.hpp"

namespace ctv::lab {

/// 16-bit numbers, zero at first.
class Array {
 public:
  static Result<Array> make(Backend& backend, size_t count) {
    Array array;
    array.backend_ = &backend;
    array.count_ = count;
    CTV_ASSIGN_OR_RETURN(array.memory_, backend.allocate(count * sizeof(int16_t)));
    CTV_RETURN_IF_ERROR(array.write(std::vector<int16_t>(count)));
    return array;
  }
  /// values: as many as the array has.
  Status write(std::span<const int16_t> values) {
    return backend_->upload(data(), values.data(), values.size_bytes());
  }
  Result<std::vector<int16_t>> read() {
    std::vector<int16_t> values(count_);
    CTV_RETURN_IF_ERROR(backend_->download(values.data(), data(), count_ * sizeof(int16_t)));
    return values;
  }
  int16_t* data() const { return static_cast<int16_t*>(memory_.data()); }

 private:
  Backend* backend_ = nullptr;
  size_t count_ = 0;
  Memory memory_;
};

/// Sample of a textured scene that pans by fractions of a sample, with fine stripes and some noise; 0..255.
inline int scene(int row, int col, int frame, int channel = 0) {
  const auto triangle = [](int x, int period) { return std::abs(x % (2 * period) - period) * 64 / period; };
  const int y = 1000 + 2 * row + 3 * frame;
  const int x = 1000 + 2 * col - 5 * frame;
  uint32_t noise = static_cast<uint32_t>(row) * 7919U + static_cast<uint32_t>(col) * 104729U +
                   static_cast<uint32_t>(frame) * 15485863U + static_cast<uint32_t>(channel) * 31U;
  noise = (noise ^ (noise >> 15)) * 0x2c1b3c6dU;
  noise = (noise ^ (noise >> 12)) * 0x297a2d39U;
  return std::clamp(triangle(x + y / 2, 37) + triangle(y - x / 3, 91) +
                        triangle(3 * x + y + 40 * channel, 13) + static_cast<int>(noise >> 29),
                    0, 255);
}

/// A plane with rows at multiples of 64 bytes, as the pipeline lays them.
class Plane {
 public:
  static Result<Plane> make(Backend& backend, Extent extent) {
    Plane plane;
    plane.extent_ = extent;
    plane.stride_ = round_up(extent.cols, 32);
    const size_t count = static_cast<size_t>(plane.stride_) * static_cast<size_t>(extent.rows);
    CTV_ASSIGN_OR_RETURN(plane.array_, Array::make(backend, count));
    return plane;
  }
  /// Shows value(row, col).
  template <typename Value>
  Status fill(const Value& value) {
    std::vector<int16_t> samples(static_cast<size_t>(stride_) * static_cast<size_t>(extent_.rows));
    for (int r = 0; r < extent_.rows; ++r)
      for (int c = 0; c < extent_.cols; ++c)
        samples[static_cast<size_t>(r * stride_ + c)] = static_cast<int16_t>(value(r, c));
    return array_.write(samples);
  }
  /// Row after row, without what lies between them.
  Result<std::vector<int16_t>> read() {
    CTV_ASSIGN_OR_RETURN(const std::vector<int16_t> all, array_.read());
    std::vector<int16_t> samples;
    for (int r = 0; r < extent_.rows; ++r)
      samples.insert(samples.end(), all.begin() + r * stride_, all.begin() + r * stride_ + extent_.cols);
    return samples;
  }
  PlaneView<Sample> view() const { return {array_.data(), extent_.rows, extent_.cols, stride_}; }

 private:
  Extent extent_;
  int stride_ = 0;
  Array array_;
};

}  // namespace ctv::lab
