// SPDX-License-Identifier: BSD-3-Clause
// A backend's transform behind host memory, for the bodies of transform_cases.hpp.
#pragma once

#include <memory>
#include <utility>
#include <vector>

#include "tests/support/backend_plane.hpp"
#include "tests/support/backend_side.hpp"
#include "tests/support/backend_slopes.hpp"
#include "tests/support/transform_cases.hpp"

namespace ctv::test {

/// Copies to guarded memory of the backend before each call, and back afterwards.
class BackendTransform final : public HostTransform {
 public:
  /// Null if the backend refuses the layout or the engine.
  static std::unique_ptr<HostTransform> make(Backend& backend, const SubbandLayout& layout, Engine engine) {
    auto coder = backend.make_transform(layout, engine);
    if (!coder.ok()) return nullptr;
    return std::unique_ptr<HostTransform>(
        new BackendTransform(backend, std::move(*coder), layout.num_coefficients));
  }

  Status forward(PlaneView<const Sample> samples, PlaneView<const Sample> prediction, int dc_offset,
                 std::span<const SubbandQuantiser> quantisers, std::vector<Level>& levels) override {
    BackendPlane from = copy_of(samples);
    BackendPlane base = copy_of(prediction);
    BackendPlane to(backend_, row());
    const PlaneView<const Sample> p = prediction.data == nullptr ? prediction : base.const_view();
    const BackendSlopes device_slopes(backend_, slopes);
    const BackendSide side = side_of_cells();
    CTV_RETURN_IF_ERROR(coder_->forward(from.const_view(), p, dc_offset, quantisers, to.view().data,
                                        device_slopes.data(), skipped(side, 0)));
    to.download();
    EXPECT_TRUE(to.intact());
    for (int i = 0; i < to.cols(); ++i) levels[static_cast<size_t>(i)] = to.at(0, i);
    return {};
  }
  Status inverse(const std::vector<Level>& levels, std::span<const SubbandQuantiser> quantisers,
                 PlaneView<const Sample> prediction, int dc_offset, SampleRange range, int reduction,
                 PlaneView<Sample> samples) override {
    BackendPlane from(backend_, row());
    for (int i = 0; i < from.cols(); ++i) from.at(0, i) = levels[static_cast<size_t>(i)];
    from.upload();
    BackendPlane base = copy_of(prediction);
    BackendPlane result(backend_, samples.extent());
    BackendPlane& to = prediction.data == samples.data ? base : result;  // in place, as the caller has it
    const PlaneView<const Sample> p = prediction.data == nullptr ? prediction : base.const_view();
    const BackendSlopes device_slopes(backend_, slopes);
    const BackendSide side = side_of_cells();
    CTV_RETURN_IF_ERROR(coder_->inverse(from.view().data, quantisers, p, dc_offset, range, reduction,
                                        to.view(), device_slopes.data(), skipped(side, reduction)));
    to.download();
    EXPECT_TRUE(to.intact());
    for (int r = 0; r < to.rows(); ++r) {
      for (int c = 0; c < to.cols(); ++c) samples.row(r)[c] = to.at(r, c);
    }
    return {};
  }

 private:
  BackendTransform(Backend& backend, std::unique_ptr<TransformCoder> coder, size_t count)
      : backend_(backend), coder_(std::move(coder)), count_(count) {}

  Extent row() const { return {1, static_cast<int>(count_)}; }
  BackendSide side_of_cells() const {
    BackendSide side(backend_, geometry.grid);
    for (size_t i = 0; i < skips.size(); ++i) side.set_skip(i, skips[i] != 0);
    side.upload();
    return side;
  }
  SkippedCells skipped(const BackendSide& side, int reduction) const {
    SkippedCells cells{geometry, skips.empty() ? nullptr : side.device().skips};
    cells.geometry.row_shift += reduction;
    cells.geometry.col_shift += reduction;
    return cells;
  }
  BackendPlane copy_of(PlaneView<const Sample> plane) const {
    BackendPlane copy(backend_, plane.extent());
    for (int r = 0; r < plane.rows; ++r) {
      for (int c = 0; c < plane.cols; ++c) copy.at(r, c) = plane.row(r)[c];
    }
    copy.upload();
    return copy;
  }

  Backend& backend_;
  std::unique_ptr<TransformCoder> coder_;
  size_t count_;  // coefficients of the layout
};

}  // namespace ctv::test
