// SPDX-License-Identifier: BSD-3-Clause
// The device's coder of tiles against the CPU's: equal bytes, equal levels, equal verdicts on damaged bytes.
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
namespace {

using Levels = std::array<std::vector<Level>, 3>;
using Sets = std::vector<TileSet>;
constexpr Level kGuard = 4321;

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

  // A component's sets, in planes' arrays behind what is there already, here and there with a gap.
  Sets component(std::array<size_t, 3>& sizes, int most_rows, int most_cols) {
    Sets sets;
    size_t tiles = 0;
    for (int i = between(1, 4); i > 0; --i) {
      TileSet s{.rows = between(1, most_rows),
                .cols = between(1, most_cols),
                .bands = between(1, kTileBands),
                .plane = between(0, 2)};
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
    return data;
  }
  static std::vector<uint8_t> bytes_of_cpu(const Sets& sets, const Levels& levels) {
    const Level* const planes[] = {levels[0].data(), levels[1].data(), levels[2].data()};
    Growing<uint8_t> out;
    const size_t size = TileEncoder(sets).encode(planes, out);
    return {out.data(), out.data() + size};
  }
  static std::vector<uint8_t> with_index(const cuda::CodedTiles& coded) {
    if (coded.bytes.empty()) return {};
    Growing<uint8_t> out;
    TileIndexWriter index(out, coded.pieces.size(), false, 0);
    for (size_t i = 0; i + 1 < coded.pieces.size(); ++i)
      index.put(coded.pieces[i].tiles, coded.pieces[i].bytes);
    std::vector<uint8_t> bytes(out.data(), out.data() + index.size());
    bytes.insert(bytes.end(), coded.bytes.begin(), coded.bytes.end());
    return bytes;
  }

  static size_t tiles_in(const Sets& sets) { return sets.back().first + sets.back().tiles(); }

  // Decodes on the device, whatever was there. Gives each component's verdict.
  std::vector<bool> decode(cuda::TileDecoder& decoder, const std::vector<Sets>& components,
                           const std::vector<std::vector<uint8_t>>& bytes, Levels& levels) {
    std::vector<bool> sound(components.size(), true);
    decoder.start();
    for (size_t c = 0; c < components.size(); ++c) {
      if (bytes[c].empty()) continue;
      std::vector<TilePiece> pieces;
      bool predicted = false;
      sound[c] = read_tile_index(bytes[c], tiles_in(components[c]), pieces, predicted) &&
                 decoder.put(c, bytes[c], pieces);
    }
    copied(levels);
    EXPECT_TRUE(ok(decoder.upload(*device_, device_->stream())));
    EXPECT_TRUE(ok(decoder.decode(
        *device_, {on_device_[0].data(), on_device_[1].data(), on_device_[2].data()}, device_->stream())));
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
                                         const std::vector<std::vector<uint8_t>>& bytes, Levels& levels) {
    Level* const planes[] = {levels[0].data(), levels[1].data(), levels[2].data()};
    std::vector<bool> sound;
    for (size_t c = 0; c < components.size(); ++c) {
      sound.push_back(TileDecoder(components[c]).decode(bytes[c], planes));
    }
    return sound;
  }

  static void clear_damage(const std::vector<Sets>& components,
                           const std::vector<std::vector<uint8_t>>& bytes, Levels& levels) {
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
        if (p.size != 0 && !decoder.decode(components[c], to, p, padded.data()))
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
  };
  Frame some_frame(int most_rows, int most_cols) {
    Frame f;
    std::array<size_t, 3> sizes = {9, 0, 3};
    for (int i = between(1, 40) == 1 ? 40 : between(1, 4); i > 0; --i)
      f.components.push_back(component(sizes, most_rows, most_cols));
    for (size_t p = 0; p < 3; ++p) f.levels[p].assign(sizes[p] + 7, kGuard);
    return f;
  }

  std::shared_ptr<cuda::Device> device_;

 private:
  Random random_{0};
  std::array<cuda::DeviceArray<Level>, 3> on_device_;
};

TEST_F(CudaTiles, BytesAndLevelsAreThoseOfTheCpu) {
  const int trials = only_small() ? 4 : 60;
  for (int trial = 0; trial < trials && !HasFailure(); ++trial) {
    const bool large = trial % 12 == 11 && !only_small();
    Frame f = some_frame(large ? 700 : 90, large ? 900 : 120);
    const TilePlan plan{f.components, tile_tables().symbols.data()};
    cuda::TileEncoder encoder;
    ASSERT_TRUE(ok(encoder.initialise(*device_, plan)));
    cuda::TileDecoder decoder;
    ASSERT_TRUE(ok(decoder.initialise(*device_, plan)));
    for (const int kind : {6, 3, 0, 1, 2, 4, 5}) {
      if (large && kind == 4) continue;
      SCOPED_TRACE("kind " + std::to_string(kind) + " of trial " + std::to_string(trial));
      fill(f.components, f.levels, kind);
      ASSERT_TRUE(ok(encoder.encode(*device_, copied(f.levels), device_->stream())));
      ASSERT_EQ(cudaStreamSynchronize(device_->stream()), cudaSuccess);
      std::vector<std::vector<uint8_t>> bytes;
      for (size_t c = 0; c < f.components.size(); ++c) {
        bytes.push_back(bytes_of_cpu(f.components[c], f.levels));
        ASSERT_EQ(with_index(encoder.coded(c)), bytes[c]) << "component " << c;
      }
      Levels back = f.levels;
      for (const Sets& sets : f.components) {  // guards stay, levels do not
        for (const TileSet& s : sets) {
          for (size_t b = 0; b < static_cast<size_t>(s.bands); ++b)
            std::fill_n(back[static_cast<size_t>(s.plane)].begin() + static_cast<ptrdiff_t>(s.offsets[b]),
                        s.levels(), Level{77});
        }
      }
      const std::vector<bool> sound = decode(decoder, f.components, bytes, back);
      ASSERT_EQ(sound, std::vector<bool>(f.components.size(), true));
      for (size_t p = 0; p < 3; ++p) ASSERT_EQ(back[p], f.levels[p]) << "plane " << p;
    }
  }
}

TEST_F(CudaTiles, DamageHasTheSameVerdict) {
  const int trials = only_small() ? 3 : 60;
  reseed(20261);
  size_t damaged = 0;
  for (int trial = 0; trial < trials && !HasFailure(); ++trial) {
    Frame f = some_frame(70, 100);
    fill(f.components, f.levels, trial % 3 == 0 ? 3 : 6);
    const TilePlan plan{f.components, tile_tables().symbols.data()};
    cuda::TileDecoder decoder;
    ASSERT_TRUE(ok(decoder.initialise(*device_, plan)));
    std::vector<std::vector<uint8_t>> whole;
    for (const Sets& sets : f.components) whole.push_back(bytes_of_cpu(sets, f.levels));
    for (int again = 0; again < 12; ++again) {
      SCOPED_TRACE("damage " + std::to_string(again) + " of trial " + std::to_string(trial));
      auto bytes = whole;
      for (auto& b : bytes) {
        const int how = between(0, 6);
        if (how == 0) {  // any bytes, of one piece or of what the index says
          b.resize(static_cast<size_t>(between(1, 3000)));
          for (uint8_t& v : b) v = static_cast<uint8_t>(between(0, 255));
          if (between(0, 3) != 0) b[0] = 0;
        } else if (how == 1) {
          b.resize(b.size() / 2);
        } else if (how == 2) {
          b.push_back(static_cast<uint8_t>(between(0, 255)));
        } else if (how < 6 && !b.empty()) {
          for (int i = 0; i < how; ++i)
            b[static_cast<size_t>(between(0, static_cast<int>(b.size()) - 1))] ^=
                static_cast<uint8_t>(1U << between(0, 7));
        }
      }
      Levels back = f.levels;
      Levels expected = f.levels;
      const std::vector<bool> sound = decode_by_cpu(f.components, bytes, expected);
      ASSERT_EQ(decode(decoder, f.components, bytes, back), sound);
      damaged += static_cast<size_t>(std::count(sound.begin(), sound.end(), false));
      clear_damage(f.components, bytes, back);
      clear_damage(f.components, bytes, expected);
      for (size_t p = 0; p < 3; ++p) ASSERT_EQ(back[p], expected[p]) << "plane " << p;
    }
  }
  EXPECT_GT(damaged, 10U);
}

TEST_F(CudaTiles, LongerCodesThanAnyLevelsHaveAreRefused) {
  const std::vector<Sets> components = {{{.rows = 16, .cols = 16, .bands = 1}}};
  cuda::TileDecoder decoder;
  ASSERT_TRUE(ok(decoder.initialise(*device_, {components, tile_tables().symbols.data()})));
  std::vector<uint8_t> bytes(5000, 0xff);
  bytes[0] = 0;
  Levels levels;
  levels[0].resize(256);
  EXPECT_EQ(decode(decoder, components, {bytes}, levels), std::vector<bool>{false});
  EXPECT_EQ(decode(decoder, components, {{}}, levels), std::vector<bool>{true});
  EXPECT_EQ(levels[0], std::vector<Level>(256));
}

}  // namespace
}  // namespace ctv::test
