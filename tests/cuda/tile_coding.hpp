// SPDX-License-Identifier: BSD-3-Clause
// What tests of the device's coder of tiles share: components, levels, and both coders.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <vector>

#include "codec/entropy/tile_decoder.hpp"
#include "codec/entropy/tile_encoder.hpp"
#include "codec/entropy/tile_index.hpp"
#include "codec/entropy/tile_tables.hpp"
#include "cuda/entropy/tile_decoder.hpp"
#include "cuda/entropy/tile_encoder.hpp"
#include "tests/cuda/equality.hpp"

namespace ctv::test {

using Levels = std::array<std::vector<Level>, 3>;
using Sets = std::vector<TileSet>;
inline constexpr Level kGuard = 4321;

class CudaTiles : public testing::Test {
 protected:
  void SetUp() override {
    auto opened = cuda::Device::open(0);
    if (!opened.ok()) GTEST_SKIP() << "no CUDA device on this machine";
    device_ = *opened;
    random_ = Random(run_seed());
    RecordProperty("seed", std::to_string(run_seed()));
  }

  void reseed(uint64_t seed) { random_ = Random(seed); }
  int between(int lo, int hi) { return random_.between(lo, hi); }

  static CodingPlan plan_of(const std::vector<Sets>& components) {
    CodingPlan plan;
    plan.tables = tile_tables().symbols.data();
    plan.components = components;
    return plan;
  }

  // A component's sets, in planes' arrays behind what is there already, here and there with a gap.
  Sets component(std::array<size_t, 3>& sizes, int most_rows, int most_cols) {
    Sets sets;
    size_t tiles = 0;
    for (int i = between(1, 4); i > 0; --i) {
      TileSet s{.rows = between(1, most_rows),
                .cols = between(1, most_cols),
                .bands = between(1, kTileBands),
                .plane = between(0, 2),
                .row_shift = between(0, kMostSkipShift + 1),
                .col_shift = between(0, kMostSkipShift + 1)};
      if (between(0, 1) != 0) s.row_shift = s.col_shift = between(0, 2);
      if (!sets.empty() && between(0, 1) != 0) {
        s.rows = sets.back().rows;
        s.cols = sets.back().cols;
      }
      size_t& size = sizes[static_cast<size_t>(s.plane)];
      for (size_t b = 0; b < static_cast<size_t>(s.bands); ++b) {
        size += between(0, 3) == 0 ? static_cast<size_t>(between(1, 5)) : 0;
        s.offsets[b] = size;
        size += s.levels();
      }
      s.first = tiles;
      tiles += s.tiles();
      sets.push_back(s);
    }
    return sets;
  }

  // Levels between guards. kind 0: zeros; 1: sparse; 2: dense; 3: dense with large ones; 4: huge ones; 5: in
  // some tiles alone; 6: all kinds.
  void fill(const std::vector<Sets>& components, Levels& levels, int kind) {
    for (const Sets& sets : components) {
      for (const TileSet& s : sets) {
        for (size_t b = 0; b < static_cast<size_t>(s.bands); ++b) {
          Level* const band = levels[static_cast<size_t>(s.plane)].data() + s.offsets[b];
          const int own = kind == 6 ? between(0, 5) : kind;
          for (size_t i = 0; i < s.levels(); ++i) {
            const auto y = static_cast<int>(i) / s.cols;
            const auto x = static_cast<int>(i) % s.cols;
            band[i] = some_level(own, y / kTileSide + x / kTileSide);
          }
        }
      }
    }
  }
  Level some_level(int kind, int tile) {
    switch (kind) {
      case 1:
        return static_cast<Level>(between(0, 40) == 0 ? between(-3, 3) : 0);
      case 2:
        return static_cast<Level>(between(-2, 2));
      case 3:
        return static_cast<Level>(between(0, 2) == 0 ? between(-300, 300) : between(-4, 4));
      case 4:
        return static_cast<Level>(between(-32768, 32767));
      case 5:
        return static_cast<Level>(tile % 5 == 3 && between(0, 3) == 0 ? between(-9, 9) : 0);
      default:
        return 0;
    }
  }

  std::array<const Level*, 3> copied(const Levels& levels) {
    std::array<const Level*, 3> data{};
    for (size_t p = 0; p < 3; ++p) {
      EXPECT_TRUE(ok(on_device_[p].reserve(*device_, levels[p].size())));
      EXPECT_EQ(cudaMemcpy(on_device_[p].data(), levels[p].data(), levels[p].size() * sizeof(Level),
                           cudaMemcpyHostToDevice),
                cudaSuccess);
      data[p] = on_device_[p].data();
    }
    arrived();
    return data;
  }
  // A copy of pageable memory may go on after the call, and the device's stream does not wait for it.
  static void arrived() { EXPECT_EQ(cudaDeviceSynchronize(), cudaSuccess); }
  SkipGrid copied(const SkipGrid& skips) {
    if (skips.cells == nullptr) return skips;
    const size_t cells = static_cast<size_t>(skips.rows) * static_cast<size_t>(skips.cols);
    EXPECT_TRUE(ok(cells_on_device_.reserve(*device_, cells)));
    EXPECT_EQ(cudaMemcpy(cells_on_device_.data(), skips.cells, cells, cudaMemcpyHostToDevice), cudaSuccess);
    arrived();
    return {cells_on_device_.data(), skips.rows, skips.cols};
  }
  static std::vector<uint8_t> bytes_of_cpu(const Sets& sets, const Levels& levels, const SkipGrid& skips) {
    const Level* const planes[] = {levels[0].data(), levels[1].data(), levels[2].data()};
    Growing<uint8_t> out;
    const size_t size = TileEncoder(sets).encode(planes, {skips}, out);
    return {out.data(), out.data() + size};
  }
  static std::vector<uint8_t> with_index(const CodedTiles& coded) {
    if (coded.bytes.empty()) return {};
    Growing<uint8_t> out;
    TileIndexWriter index(out, coded.pieces.size(), coded.predicted, 0);
    for (size_t i = 0; i + 1 < coded.pieces.size(); ++i)
      index.put(coded.pieces[i].tiles, coded.pieces[i].bytes);
    std::vector<uint8_t> bytes(out.data(), out.data() + index.size());
    bytes.insert(bytes.end(), coded.bytes.begin(), coded.bytes.end());
    return bytes;
  }

  static size_t tiles_in(const Sets& sets) {
    return sets.empty() ? 0 : sets.back().first + sets.back().tiles();
  }

  // Decodes on the device, whatever was there. Gives each component's verdict.
  std::vector<bool> decode(cuda::TileDecoder& decoder, const std::vector<Sets>& components,
                           const std::vector<std::vector<uint8_t>>& bytes, const SkipGrid& skips,
                           Levels& levels) {
    std::vector<bool> sound(components.size(), true);
    size_t all = 0;
    for (const auto& b : bytes) all += b.size();
    EXPECT_TRUE(ok(decoder.start(*device_, all)));
    for (size_t c = 0; c < components.size(); ++c) {
      if (bytes[c].empty()) continue;
      std::vector<TilePiece> pieces;
      bool predicted = false;
      sound[c] = read_tile_index(bytes[c], tiles_in(components[c]), pieces, predicted) &&
                 decoder.put(c, bytes[c], pieces, predicted);
    }
    for (const Sets& sets : components) clear(sets, {0, tiles_in(sets)}, levels);
    copied(levels);
    const std::array<Level*, 3> to = {on_device_[0].data(), on_device_[1].data(), on_device_[2].data()};
    EXPECT_TRUE(ok(decoder.upload(*device_, device_->stream())));
    EXPECT_TRUE(ok(decoder.decode(*device_, to, copied(skips), device_->stream())));
    EXPECT_EQ(cudaStreamSynchronize(device_->stream()), cudaSuccess);
    for (size_t p = 0; p < 3; ++p) {
      EXPECT_EQ(cudaMemcpy(levels[p].data(), on_device_[p].data(), levels[p].size() * sizeof(Level),
                           cudaMemcpyDeviceToHost),
                cudaSuccess);
    }
    for (size_t c = 0; c < components.size(); ++c) sound[c] = sound[c] && decoder.damaged()[c] == 0;
    return sound;
  }

  // The same by the CPU; damaged pieces become zeros in both.
  static std::vector<bool> decode_by_cpu(const std::vector<Sets>& components,
                                         const std::vector<std::vector<uint8_t>>& bytes,
                                         const SkipGrid& skips, Levels& levels) {
    Level* const planes[] = {levels[0].data(), levels[1].data(), levels[2].data()};
    std::vector<bool> sound;
    for (size_t c = 0; c < components.size(); ++c) {
      sound.push_back(TileDecoder(components[c]).decode(bytes[c], planes, {skips}));
    }
    return sound;
  }

  static void clear_damage(const std::vector<Sets>& components,
                           const std::vector<std::vector<uint8_t>>& bytes, const SkipGrid& skips,
                           Levels& levels) {
    for (size_t c = 0; c < components.size(); ++c) {
      std::vector<TilePiece> pieces;
      bool predicted = false;
      if (bytes[c].empty() || !read_tile_index(bytes[c], tiles_in(components[c]), pieces, predicted))
        continue;
      auto padded = bytes[c];
      padded.resize(padded.size() + 8);
      Levels scratch = levels;
      Level* const to[] = {scratch[0].data(), scratch[1].data(), scratch[2].data()};
      TilePieceDecoder decoder(tile_tables());
      for (const TilePiece& p : pieces) {
        if (p.size != 0 && !decoder.decode(components[c], to, {skips}, p, padded.data()))
          clear(components[c], p, levels);
      }
    }
  }
  static void clear(const Sets& sets, const TilePiece& piece, Levels& levels) {
    for (const TileSet& s : sets) {
      TilePlace place(s, 0);
      for (size_t t = s.first; t < s.first + s.tiles(); ++t, place.next(s)) {
        if (t < piece.first || t >= piece.first + piece.tiles) continue;
        for (size_t b = 0; b < static_cast<size_t>(s.bands); ++b) {
          for (int y = place.y(); y < std::min(place.y() + kTileSide, s.rows); ++y) {
            Level* const row = levels[static_cast<size_t>(s.plane)].data() + s.offsets[b] +
                               static_cast<ptrdiff_t>(y) * s.cols;
            std::fill(row + place.x(), row + std::min(place.x() + kTileSide, s.cols), Level{0});
          }
        }
      }
    }
  }

  // What there is of a frame, made anew.
  struct Frame {
    std::vector<Sets> components;
    Levels levels;
    std::vector<uint8_t> cells;
    SkipGrid skips{};  // a view of `cells`, which may move
  };
  Frame some_frame(int most_rows, int most_cols) {
    Frame f;
    std::array<size_t, 3> sizes = {9, 0, 3};
    for (int i = between(1, 40) == 1 ? 40 : between(1, 4); i > 0; --i) {
      f.components.push_back(component(sizes, most_rows, most_cols));
      if (between(0, 3) == 0) f.components.emplace_back();  // without levels
    }
    for (size_t p = 0; p < 3; ++p) f.levels[p].assign(sizes[p] + 7, kGuard);
    if (between(0, 3) != 0) add_skips(f, most_rows, most_cols);
    return f;
  }

  // Cells in patches; levels may lie beyond them.
  void add_skips(Frame& f, int most_rows, int most_cols) {
    f.skips.rows = between(1, most_rows / 3 + 2);
    f.skips.cols = between(1, most_cols / 3 + 2);
    f.cells.resize(static_cast<size_t>(f.skips.rows) * static_cast<size_t>(f.skips.cols));
    const int seldom = between(1, 30);
    const int patch = between(1, 12);
    std::vector<uint8_t> patches(f.cells.size());
    for (uint8_t& p : patches) p = between(0, seldom) != 0 ? 1 : 0;
    for (size_t i = 0; i < f.cells.size(); ++i) {
      const auto cols = static_cast<size_t>(f.skips.cols);
      const auto side = static_cast<size_t>(patch);
      f.cells[i] = patches[i / cols / side * cols + i % cols / side];
    }
    f.skips.cells = f.cells.data();
  }

  std::shared_ptr<cuda::Device> device_;

 private:
  Random random_{0};
  std::array<cuda::DeviceArray<Level>, 3> on_device_;
  cuda::DeviceArray<uint8_t> cells_on_device_;
};

}  // namespace ctv::test
