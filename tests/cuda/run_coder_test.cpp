// SPDX-License-Identifier: BSD-3-Clause
// The device's coder of runs against the CPU's: equal bytes, equal levels, equal verdicts on damaged bytes.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <vector>

#include "codec/entropy/run_decoder.hpp"
#include "codec/entropy/run_encoder.hpp"
#include "cuda/entropy/run_decoder.hpp"
#include "cuda/entropy/run_encoder.hpp"
#include "tests/cuda/equality.hpp"

namespace ctv::test {
namespace {

using Bytes = std::vector<uint8_t>;
using Levels = std::array<std::vector<Level>, 3>;
using Plan = std::vector<RunComponent>;
constexpr Level kGuard = 4321;

class CudaRuns : public testing::Test {
 protected:
  void SetUp() override {
    auto opened = cuda::Device::open(0);
    if (!opened.ok()) GTEST_SKIP() << "no CUDA device on this machine";
    device_ = *opened;
    random_ = Random(run_seed());
    RecordProperty("seed", std::to_string(run_seed()));
  }

  int between(int lo, int hi) { return random_.between(lo, hi); }

  // Components in planes' arrays, here and there with a gap, some of no levels.
  Plan some_plan(size_t most_levels, Levels& levels) {
    Plan plan(static_cast<size_t>(between(1, 9)));
    std::array<size_t, 3> sizes{};
    for (RunComponent& c : plan) {
      c.lowpass = between(0, 2) == 0;
      const bool all_planes = between(0, 2) == 0;
      const size_t own = static_cast<size_t>(between(0, 2));
      for (size_t p = 0; p < 3; ++p) {
        if (!all_planes && p != own) continue;
        sizes[p] += static_cast<size_t>(between(0, 3));
        const int kind = between(0, 7);
        size_t count = static_cast<size_t>(between(1, static_cast<int>(most_levels)));
        if (kind == 0) count = static_cast<size_t>(between(1, 9));
        if (kind == 1) count = kRunChunk * static_cast<size_t>(between(1, 3));
        if (kind == 2) continue;
        c.ranges.push_back({p, sizes[p], count});
        sizes[p] += count;
      }
    }
    for (size_t p = 0; p < 3; ++p) levels[p].assign(sizes[p] + 5, kGuard);
    return plan;
  }

  // kind 0: zeros; 1: sparse; 2: dense; 3: large; 4: any; 5: zeros but for one; 6: smooth; 7: counts that
  // give codes of the longest lengths; 8: all kinds, also within a component.
  void fill(const Plan& plan, Levels& levels, int kind) {
    for (const RunComponent& c : plan) {
      for (const RunRange& r : c.ranges) {
        int own = kind == 8 ? between(0, 7) : kind;
        int smooth = 0;
        const auto one = static_cast<size_t>(between(0, static_cast<int>(r.count) - 1));
        for (size_t i = 0; i < r.count; ++i) {
          if (kind == 8 && between(0, 3000) == 0) own = between(0, 7);
          smooth += between(-2, 2);
          levels[r.plane][r.offset + i] = some_level(own, smooth, i == one);
        }
      }
    }
  }
  Level some_level(int kind, int smooth, bool one) {
    switch (kind) {
      case 1:
        return static_cast<Level>(between(0, 60) == 0 ? between(-3, 3) : 0);
      case 2:
        return static_cast<Level>(between(-2, 2));
      case 3:
        return static_cast<Level>(between(0, 2) == 0 ? between(-300, 300) : between(-4, 4));
      case 4:
        return static_cast<Level>(between(-32768, 32767));
      case 5:
        return static_cast<Level>(one ? between(-9, 9) : 0);
      case 6:
        return static_cast<Level>(smooth + 128);
      case 7: {
        int level = 1;
        while (level < 60 && between(0, 2) != 0) ++level;
        return static_cast<Level>(level);
      }
      default:
        return 0;
    }
  }

  template <typename To>
  std::array<To, 3> copied(const Levels& levels) {
    std::array<To, 3> data{};
    for (size_t p = 0; p < 3; ++p) {
      EXPECT_TRUE(on_device_[p].reserve(*device_, levels[p].size()).ok());
      EXPECT_EQ(cudaMemcpy(on_device_[p].data(), levels[p].data(), levels[p].size() * sizeof(Level),
                           cudaMemcpyHostToDevice),
                cudaSuccess);
      data[p] = on_device_[p].data();
    }
    // A copy of pageable memory may go on after the call, and the device's stream does not wait for it.
    EXPECT_EQ(cudaDeviceSynchronize(), cudaSuccess);
    return data;
  }
  static bool has_runs(const RunComponent& c, bool key) { return !(c.lowpass && key); }
  static Bytes bytes_of_cpu(const RunComponent& c, const Levels& levels, bool key) {
    const Level* const planes[] = {levels[0].data(), levels[1].data(), levels[2].data()};
    Growing<uint8_t> out;
    const size_t size = RunEncoder(c.ranges).encode(planes, has_runs(c, key), out);
    return {out.data(), out.data() + size};
  }
  static Bytes with_index(const CodedRuns& coded) {
    if (coded.stream.empty()) return {};
    Bytes bytes(RunIndexWriter::most_bytes(coded.chunks.size()));
    bytes.resize(RunIndexWriter::write(coded.chunks, bytes.data()));
    bytes.insert(bytes.end(), coded.stream.begin(), coded.stream.end());
    return bytes;
  }

  static void give(cuda::RunDecoder& decoder, size_t component, const Bytes& bytes) {
    uint8_t* const room = decoder.room(component, bytes.size());
    if (room != nullptr) std::copy(bytes.begin(), bytes.end(), room);
    if (!bytes.empty()) (void)decoder.put(component, bytes);
  }
  // Whether each component is sound; its levels.
  std::vector<bool> decode(cuda::RunDecoder& decoder, const Plan& plan, const std::vector<Bytes>& bytes,
                           bool key, Levels& levels) {
    const auto to = copied<Level*>(levels);
    size_t all = 0;
    for (const auto& b : bytes) all += b.size();
    EXPECT_TRUE(decoder.start(*device_, key, all).ok());
    for (size_t c = 0; c < plan.size(); ++c) {
      give(decoder, c, bytes[c]);
    }
    EXPECT_TRUE(decoder.upload(*device_, device_->stream()).ok());
    EXPECT_TRUE(decoder.decode(*device_, to, device_->stream()).ok());
    EXPECT_EQ(cudaStreamSynchronize(device_->stream()), cudaSuccess);
    for (size_t p = 0; p < 3; ++p) {
      EXPECT_EQ(cudaMemcpy(levels[p].data(), to[p], levels[p].size() * sizeof(Level), cudaMemcpyDeviceToHost),
                cudaSuccess);
    }
    std::vector<bool> sound;
    for (const uint32_t d : decoder.damaged()) sound.push_back(d == 0);
    return sound;
  }
  static std::vector<bool> decode_by_cpu(const Plan& plan, const std::vector<Bytes>& bytes, bool key,
                                         Levels& levels) {
    Level* const planes[] = {levels[0].data(), levels[1].data(), levels[2].data()};
    std::vector<bool> sound;
    for (size_t c = 0; c < plan.size(); ++c) {
      sound.push_back(RunDecoder(plan[c].ranges).decode(bytes[c], has_runs(plan[c], key), planes));
    }
    return sound;
  }
  // Levels of damaged components are undefined.
  static void clear_damage(const Plan& plan, const std::vector<bool>& sound, Levels& levels) {
    for (size_t c = 0; c < plan.size(); ++c) {
      if (sound[c]) continue;
      for (const RunRange& r : plan[c].ranges)
        std::fill_n(levels[r.plane].begin() + static_cast<ptrdiff_t>(r.offset), r.count, Level{0});
    }
  }

  std::shared_ptr<cuda::Device> device_;
  Random random_{0};
  std::array<cuda::DeviceArray<Level>, 3> on_device_;
};

TEST_F(CudaRuns, BytesAndLevelsAreThoseOfTheCpu) {
  const int trials = only_small() ? 3 : 60;
  for (int trial = 0; trial < trials && !HasFailure(); ++trial) {
    Levels levels;
    const bool large = trial % 12 == 11 && !only_small();
    const Plan plan = some_plan(large ? 900000 : 9000, levels);
    cuda::RunEncoder encoder;
    ASSERT_TRUE(encoder.initialise(*device_, plan).ok());
    cuda::RunDecoder decoder;
    ASSERT_TRUE(decoder.initialise(*device_, plan).ok());
    for (const int kind : {8, 3, 0, 1, 2, 4, 5, 6, 7, 8}) {
      SCOPED_TRACE("kind " + std::to_string(kind) + " of trial " + std::to_string(trial));
      const bool key = between(0, 1) != 0;
      fill(plan, levels, kind);
      ASSERT_TRUE(encoder.encode(*device_, copied<const Level*>(levels), key, device_->stream()).ok());
      ASSERT_EQ(cudaStreamSynchronize(device_->stream()), cudaSuccess);
      std::vector<Bytes> bytes;
      for (size_t c = 0; c < plan.size(); ++c) {
        bytes.push_back(bytes_of_cpu(plan[c], levels, key));
        ASSERT_EQ(with_index(encoder.coded(c)), bytes[c]) << "component " << c;
      }
      Levels back = levels;  // guards stay, levels do not
      for (const RunComponent& c : plan) {
        for (const RunRange& r : c.ranges)
          std::fill_n(back[r.plane].begin() + static_cast<ptrdiff_t>(r.offset), r.count, Level{77});
      }
      ASSERT_EQ(decode(decoder, plan, bytes, key, back), std::vector<bool>(plan.size(), true));
      for (size_t p = 0; p < 3; ++p) ASSERT_EQ(back[p], levels[p]) << "plane " << p;
    }
  }
}

TEST_F(CudaRuns, DamageHasTheSameVerdict) {
  const int trials = only_small() ? 3 : 60;
  random_ = Random(20263);
  size_t damaged = 0;
  for (int trial = 0; trial < trials && !HasFailure(); ++trial) {
    Levels levels;
    const Plan plan = some_plan(9000, levels);
    fill(plan, levels, trial % 3 == 0 ? 3 : 8);
    cuda::RunDecoder decoder;
    ASSERT_TRUE(decoder.initialise(*device_, plan).ok());
    const bool key = between(0, 1) != 0;
    std::vector<Bytes> whole;
    for (const RunComponent& c : plan) whole.push_back(bytes_of_cpu(c, levels, key));
    for (int again = 0; again < 16; ++again) {
      SCOPED_TRACE("damage " + std::to_string(again) + " of trial " + std::to_string(trial));
      auto bytes = whole;
      for (Bytes& b : bytes) {
        const int how = between(0, 7);
        if (how == 0) {
          b.resize(static_cast<size_t>(between(1, 3000)));
          for (uint8_t& v : b) v = random_.byte();
        } else if (how == 1) {
          b.resize(b.size() / 2);
        } else if (how == 2) {
          b.push_back(random_.byte());
        } else if (how < 7 && !b.empty()) {
          for (int i = how; i > 2; --i)
            b[static_cast<size_t>(between(0, static_cast<int>(b.size()) - 1))] ^=
                static_cast<uint8_t>(1U << between(0, 7));
        }
      }
      Levels back = levels;
      Levels expected = levels;
      const std::vector<bool> sound = decode_by_cpu(plan, bytes, key, expected);
      ASSERT_EQ(decode(decoder, plan, bytes, key, back), sound);
      damaged += static_cast<size_t>(std::count(sound.begin(), sound.end(), false));
      clear_damage(plan, sound, back);
      clear_damage(plan, sound, expected);
      for (size_t p = 0; p < 3; ++p) ASSERT_EQ(back[p], expected[p]) << "plane " << p;
    }
  }
  EXPECT_GT(damaged, 10U);
}

}  // namespace
}  // namespace ctv::test
