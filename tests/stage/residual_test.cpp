// SPDX-License-Identifier: BSD-3-Clause
// The residual of predicted frames on every backend against its definition.
#include "tests/reference/residual.hpp"

#include <gtest/gtest.h>

#include <array>
#include <memory>
#include <vector>

#include "tests/support/backend_side.hpp"
#include "tests/support/guarded_plane.hpp"
#include "tests/support/residual.hpp"

namespace ctv::test {
namespace {

struct ResidualCase {
  Extent extent;  // of the picture
  int planes;
  ChromaShift chroma;
  std::array<SampleRange, 3> ranges;
  uint32_t steps[2];  // of luma, of chroma
  int energy;         // largest difference of source and prediction
  int one_in;         // one of every n cells is skipped; 0: none
  int padding = 16;   // padded extents are multiples
  uint32_t masking = 0;
};

constexpr SampleRange kBytes{0, 255};
constexpr SampleRange kDifferences{-255, 255};
constexpr SampleRange k10Bits{0, 1023};
constexpr SampleRange k12Bits{0, 4095};

/// A frame's arrays in a backend's memory.
class DeviceArrays {
 public:
  DeviceArrays(Backend& backend, const MacroblockGrid& grid, const DrawnResidual& host)
      : backend_(backend), grid_(grid), macroblocks_(put(host.macroblocks)) {
    for (size_t p = 0; p < 3; ++p) levels_[p] = put(host.levels[p]);
  }
  ResidualArrays arrays() const {
    return {static_cast<Macroblock*>(macroblocks_.data()),
            {static_cast<Level*>(levels_[0].data()), static_cast<Level*>(levels_[1].data()),
             static_cast<Level*>(levels_[2].data())}};
  }
  DrawnResidual download() const {
    DrawnResidual host;
    host.macroblocks.resize(grid_.size());
    get(macroblocks_, host.macroblocks);
    for (int p = 0; p < grid_.planes; ++p) {
      auto& plane = host.levels[static_cast<size_t>(p)];
      plane.resize(grid_.size() * grid_.levels(p));
      get(levels_[static_cast<size_t>(p)], plane);
    }
    return host;
  }

 private:
  template <typename T>
  Memory put(const std::vector<T>& values) {
    if (values.empty()) return {};
    Result<Memory> memory = backend_.allocate(values.size() * sizeof(T));
    EXPECT_TRUE(ok(memory));
    EXPECT_TRUE(ok(backend_.upload(memory->data(), values.data(), values.size() * sizeof(T))));
    return std::move(*memory);
  }
  template <typename T>
  void get(const Memory& memory, std::vector<T>& values) const {
    if (!values.empty()) {
      EXPECT_TRUE(ok(backend_.download(values.data(), memory.data(), values.size() * sizeof(T))));
    }
  }
  Backend& backend_;
  MacroblockGrid grid_;
  Memory macroblocks_;
  std::array<Memory, 3> levels_;
};

class Residual : public BackendTest {
 protected:
  /// Planes of a case, skips, and the definition's copies.
  struct Setup {
    Setup(Backend& backend, const ResidualCase& c, uint64_t seed)
        : random(seed),
          padded{round_up(c.extent.rows, c.padding), round_up(c.extent.cols, c.padding)},
          side(backend, grid_for(padded, kLog2Cell)) {
      frame.grid = {ceil_div(c.extent.rows, kMacroblock), ceil_div(c.extent.cols, kMacroblock), c.planes,
                    c.chroma};
      frame.cells = grid_for(padded, kLog2Cell);
      frame.steps = {c.steps[0], c.steps[1], c.steps[1]};
      frame.ranges = c.ranges;
      frame.masking = c.masking;
      draw_side(frame.cells, 3, c.one_in, seed + 1, side);
      skips = side.skips();
      for (int p = 0; p < c.planes; ++p) {
        const ChromaShift shift = p == 0 ? ChromaShift{} : c.chroma;
        const Extent plane{padded.rows >> shift.y, padded.cols >> shift.x};
        const SampleRange range = c.ranges[static_cast<size_t>(p)];
        BackendPlane& source = sources.emplace_back(backend, plane);
        BackendPlane& prediction = decoded.emplace_back(backend, plane);
        for (int r = 0; r < plane.rows; ++r) {
          for (int col = 0; col < plane.cols; ++col) {
            // Energies differ from place to place, and some places are smooth.
            const int energy = c.energy << range.shift();
            const int most = energy * ((r / 8 * 3 + col / 8 * 5 + p) % 5) / 4;
            const int base = random.between(range.lo, range.hi);
            const int noise = random.between(-most, most);
            const int wave = most * ((r % 16 + 2 * (col % 16)) % 32 - 16) / 16;
            const int d = (r / 16 + col / 16) % 3 == 0   ? noise
                          : (r / 16 + col / 16) % 3 == 1 ? wave
                                                         : (noise + wave) / 2;
            prediction.at(r, col) = static_cast<Sample>(base);
            source.at(r, col) = static_cast<Sample>(std::clamp(base + d, range.lo, range.hi));
          }
        }
        source.upload();
        prediction.upload();
      }
    }
    static reference::ResidualPlanes copy_of(const std::vector<BackendPlane>& planes) {
      reference::ResidualPlanes out;
      for (size_t p = 0; p < planes.size(); ++p) out[p] = {planes[p].cols(), row_of(planes[p])};
      return out;
    }
    ConstPlanes source_views() const {
      ConstPlanes views{};
      for (size_t p = 0; p < sources.size(); ++p) views[p] = sources[p].const_view();
      return views;
    }
    Planes decoded_views() const {
      Planes views{};
      for (size_t p = 0; p < decoded.size(); ++p) views[p] = decoded[p].view();
      return views;
    }
    ResidualFrame device_frame() const {
      ResidualFrame f = frame;
      f.skips = side.device().skips;
      return f;
    }
    ResidualFrame host_frame() const {
      ResidualFrame f = frame;
      f.skips = skips.data();
      return f;
    }
    void expect_decoded(const reference::ResidualPlanes& expected) {
      for (size_t p = 0; p < decoded.size(); ++p) {
        decoded[p].download();
        EXPECT_TRUE(decoded[p].intact());
        const std::vector<int16_t> own = row_of(decoded[p]);
        for (size_t i = 0; i < own.size(); ++i) {
          ASSERT_EQ(own[i], expected[p].samples[i])
              << "plane " << p << " at " << i / static_cast<size_t>(decoded[p].cols()) << ", "
              << i % static_cast<size_t>(decoded[p].cols());
        }
      }
    }

    Random random;
    Extent padded;
    ResidualFrame frame;
    BackendSide side;
    std::vector<uint8_t> skips;
    std::vector<BackendPlane> sources, decoded;
  };

  static DrawnResidual empty_arrays(const MacroblockGrid& grid) {
    DrawnResidual arrays;
    arrays.macroblocks.resize(grid.size());
    for (int p = 0; p < grid.planes; ++p)
      arrays.levels[static_cast<size_t>(p)].resize(grid.size() * grid.levels(p));
    return arrays;
  }
  static ResidualArrays host_arrays(DrawnResidual& arrays) {
    return {arrays.macroblocks.data(),
            {arrays.levels[0].data(), arrays.levels[1].data(), arrays.levels[2].data()}};
  }

  void check_encoder(ResidualCoder& coder, const ResidualCase& c, uint64_t seed) {
    Setup s(backend(), c, seed);
    DrawnResidual expected = empty_arrays(s.frame.grid);
    reference::ResidualPlanes decoded = Setup::copy_of(s.decoded);
    reference::Residual(s.host_frame(), host_arrays(expected)).encode(Setup::copy_of(s.sources), decoded);
    const DeviceArrays coded(backend(), s.frame.grid, empty_arrays(s.frame.grid));
    ASSERT_TRUE(ok(coder.encode(s.device_frame(), s.source_views(), s.decoded_views(), coded.arrays())));
    const DrawnResidual own = coded.download();
    for (size_t i = 0; i < s.frame.grid.size(); ++i) {
      const Macroblock& a = own.macroblocks[i];
      const Macroblock& b = expected.macroblocks[i];
      ASSERT_EQ(a.kind, b.kind) << i;
      ASSERT_EQ(a.quarters, b.quarters) << i;
      ASSERT_EQ(a.blocks, b.blocks) << i;
      ASSERT_EQ(a.chroma[0], b.chroma[0]) << i;
      ASSERT_EQ(a.chroma[1], b.chroma[1]) << i;
      ASSERT_EQ(a.cost, b.cost) << i;
      kinds_[b.kind] += 1;
      for (int q = 0; q < 4; ++q) quarters_[static_cast<size_t>(b.quarter(q))] += b.kind == 2 ? 1 : 0;
      for (int p = 0; p < c.planes; ++p) {
        for (const auto& [first, count] : coded_blocks(s.frame.grid, b, p)) {
          const size_t at = i * s.frame.grid.levels(p) + first;
          for (size_t k = at; k < at + count; ++k) {
            ASSERT_EQ(own.levels[static_cast<size_t>(p)][k], expected.levels[static_cast<size_t>(p)][k])
                << "macroblock " << i << " plane " << p << " level " << k - at << " of block " << first;
          }
          if (p > 0) ++chroma_;
        }
      }
    }
    s.expect_decoded(decoded);
  }

  void check_decoder(ResidualCoder& coder, const ResidualCase& c, bool hostile, uint64_t seed) {
    Setup s(backend(), c, seed);
    DrawnResidual drawn = draw_residual(s.frame.grid, s.frame.cells, s.skips.data(), hostile,
                                        [&](int lo, int hi) { return s.random.between(lo, hi); });
    reference::ResidualPlanes decoded = Setup::copy_of(s.decoded);
    reference::Residual(s.host_frame(), host_arrays(drawn)).decode(decoded);
    const DeviceArrays coded(backend(), s.frame.grid, drawn);
    ASSERT_TRUE(ok(coder.decode(s.device_frame(), coded.arrays(), s.decoded_views())));
    s.expect_decoded(decoded);
  }

  std::unique_ptr<ResidualCoder> coder_of(const ResidualCase& c) {
    auto made = backend().make_residual(
        {ceil_div(c.extent.rows, kMacroblock), ceil_div(c.extent.cols, kMacroblock), c.planes, c.chroma});
    EXPECT_TRUE(ok(made));
    return made.ok() ? std::move(*made) : nullptr;
  }

  /// Extents, formats and skips, with the given steps and energies.
  template <typename Work>
  void for_cases(Work work) {
    uint64_t seed = 1;
    for (const Extent extent : {Extent{1, 1}, {17, 33}, {75, 50}}) {
      for (const int format : {0, 1, 2, 3, 4, 5, 6, 7}) {
        for (const int one_in : {0, 3}) {
          ResidualCase c{extent, format == 0 ? 1 : 3, {}, {kBytes, kBytes, kBytes}, {0, 0}, 0, one_in};
          if (format == 1) c.chroma = {1, 1};
          if (format == 2) c.chroma = {0, 1};
          if (format == 4) c.ranges = {kBytes, kDifferences, kDifferences};  // YCoCg
          if (format == 5) c.ranges = {k10Bits, k10Bits, k10Bits};
          if (format == 6) c.ranges = {k12Bits, k12Bits, k12Bits};
          if (format == 7) c.ranges = {k12Bits, k12Bits, k12Bits};
          if (format == 5 || format == 7) c.chroma = {1, 1};
          if (seed % 4 == 0) c.padding = 32;
          c.masking = static_cast<uint32_t>(seed % 3 * 5 + seed % 2);
          SCOPED_TRACE(testing::Message() << extent.rows << "x" << extent.cols << " format " << format
                                          << " one skipped in " << one_in);
          const auto coder = coder_of(c);
          if (coder == nullptr) return;
          work(*coder, c, seed++);
          if (HasFatalFailure()) return;
        }
      }
    }
  }

  std::array<int, 3> kinds_{}, quarters_{};
  int chroma_ = 0;
};

constexpr uint32_t kSteps[][2] = {{2, 2}, {9, 12}, {40, 31}, {160, 160}, {900, 1000}, {32767, 32767}};

TEST_P(Residual, IsEncodedAsDefined) {
  for_cases([&](ResidualCoder& coder, ResidualCase& c, uint64_t seed) {
    for (const auto& steps : kSteps) {
      for (const int energy : {0, 3, 40, 510}) {
        SCOPED_TRACE(testing::Message() << "steps " << steps[0] << ", " << steps[1] << " energy " << energy);
        c.steps[0] = steps[0];
        c.steps[1] = steps[1];
        c.energy = energy;
        check_encoder(coder, c, seed);
        if (HasFatalFailure()) return;
      }
    }
  });
  for (const int count : kinds_) EXPECT_GT(count, 10);
  for (const int count : quarters_) EXPECT_GT(count, 10);
  EXPECT_GT(chroma_, 10);
}

TEST_P(Residual, IsDecodedAsDefined) {
  for_cases([&](ResidualCoder& coder, ResidualCase& c, uint64_t seed) {
    for (const auto& steps : kSteps) {
      c.steps[0] = steps[0];
      c.steps[1] = steps[1];
      for (const bool hostile : {false, true}) {
        SCOPED_TRACE(testing::Message()
                     << "steps " << steps[0] << ", " << steps[1] << " hostile " << hostile);
        check_decoder(coder, c, hostile, seed);
        if (HasFatalFailure()) return;
      }
    }
  });
}

CTV_FOR_EACH_BACKEND(Residual);

}  // namespace
}  // namespace ctv::test
