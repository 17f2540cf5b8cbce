// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include <bit>
#include <cmath>

#include "codec/transport/erasure_code.hpp"
#include "codec/transport/protection.hpp"
#include "tests/support/random.hpp"

namespace ctv::test {
namespace {

using Bytes = std::vector<uint8_t>;

// The product of two polynomials over GF(2), modulo x^8 + x^4 + x^3 + x^2 + 1.
uint8_t product(int a, int b) {
  int sum = 0;
  for (int i = 0; i < 8; ++i) sum ^= (b >> i & 1) != 0 ? a << i : 0;
  for (int i = 14; i >= 8; --i) sum ^= (sum >> i & 1) != 0 ? 0x11D << (i - 8) : 0;
  return static_cast<uint8_t>(sum);
}

TEST(ErasureCode, MultipliesPolynomials) {
  for (int a = 0; a < 256; ++a) {
    for (int b = 0; b < 256; ++b) {
      ASSERT_EQ(net::multiply(static_cast<uint8_t>(a), static_cast<uint8_t>(b)), product(a, b))
          << a << ' ' << b;
    }
    if (a > 0) {
      ASSERT_EQ(product(a, net::inverse(static_cast<uint8_t>(a))), 1) << a;
    }
  }
}

struct CodedBlock {
  std::vector<Bytes> data, parity;
};

CodedBlock make_block(int count, int parity, size_t size, size_t tail) {
  Random random(static_cast<uint64_t>(count * 1000 + parity));
  CodedBlock block;
  std::vector<std::span<const uint8_t>> views;
  for (int i = 0; i < count; ++i) {
    Bytes bytes(i == count - 1 ? tail : size);
    for (uint8_t& b : bytes) b = static_cast<uint8_t>(random.between(0, 255));
    block.data.push_back(bytes);
  }
  for (const Bytes& bytes : block.data) views.emplace_back(bytes);
  block.parity.assign(static_cast<size_t>(parity), Bytes(size));
  net::make_parity(views, block.parity);
  return block;
}

// Loses the data and parity whose bits are set, and rebuilds the data.
void expect_rebuilt(const CodedBlock& block, const std::vector<bool>& lost_data,
                    const std::vector<bool>& lost_parity) {
  const size_t size = block.parity[0].size();
  std::vector<Bytes> buffers;
  std::vector<int> lost;
  std::vector<net::ParityShard> parity;
  for (size_t i = 0; i < block.data.size(); ++i) {
    buffers.push_back(lost_data[i] ? Bytes(size, 0xAA) : block.data[i]);
    buffers.back().resize(size);
    if (lost_data[i]) lost.push_back(static_cast<int>(i));
  }
  for (size_t r = 0; r < block.parity.size() && parity.size() < lost.size(); ++r) {
    if (!lost_parity[r]) parity.push_back({static_cast<int>(r), block.parity[r]});
  }
  ASSERT_EQ(parity.size(), lost.size());
  std::vector<std::span<uint8_t>> views(buffers.begin(), buffers.end());
  net::rebuild(views, lost, parity);
  for (size_t i = 0; i < block.data.size(); ++i) {
    Bytes expected = block.data[i];
    expected.resize(size);
    ASSERT_EQ(buffers[i], expected) << "datagram " << i;
  }
}

TEST(ErasureCode, RebuildsEveryPatternUpToTheParity) {
  for (int count = 1; count <= 6; ++count) {
    for (int parity = 1; parity <= 4; ++parity) {
      const CodedBlock block = make_block(count, parity, 13, 5);
      for (unsigned mask = 0; mask < 1U << (count + parity); ++mask) {
        if (std::popcount(mask) > parity) continue;
        std::vector<bool> data, extra;
        for (int i = 0; i < count; ++i) data.push_back((mask >> i & 1) != 0);
        for (int i = 0; i < parity; ++i) extra.push_back((mask >> (count + i) & 1) != 0);
        ASSERT_NO_FATAL_FAILURE(expect_rebuilt(block, data, extra)) << count << '+' << parity << ' ' << mask;
      }
    }
  }
}

TEST(ErasureCode, RebuildsLargestBlocks) {
  const CodedBlock block = make_block(net::kMaxData, net::kMaxParity, 40, 7);
  Random random(5);
  for (int round = 0; round < 20; ++round) {
    std::vector<bool> data(net::kMaxData), extra(net::kMaxParity);
    for (int left = net::kMaxParity; left > 0; --left) {
      const auto i = static_cast<size_t>(random.between(0, net::kMaxData + net::kMaxParity - 1));
      if (i < data.size()) {
        data[i] = true;
      } else {
        extra[i - data.size()] = true;
      }
    }
    ASSERT_NO_FATAL_FAILURE(expect_rebuilt(block, data, extra)) << round;
  }
}

// More than `spare` of `count` independent losses, by the binomial distribution.
double binomial_tail(int count, int spare, double p) {
  double sum = 0;
  for (int i = spare + 1; i <= count; ++i) {
    sum += std::exp(std::lgamma(count + 1.0) - std::lgamma(i + 1.0) - std::lgamma(count - i + 1.0)) *
           std::pow(p, i) * std::pow(1 - p, count - i);
  }
  return sum;
}

TEST(Protection, KnowsIndependentLoss) {
  for (const double p : {0.01, 0.05, 0.2, 0.5}) {
    for (int count = 1; count <= 20; ++count) {
      for (int spare = 0; spare < count; ++spare) {
        EXPECT_NEAR(net::failure_rate(count, spare, p, 1), binomial_tail(count, spare, p), 1e-12);
      }
    }
  }
}

// The model against the channel itself.
TEST(Protection, KnowsBursts) {
  Random random(3);
  const auto chance = [&](double p) { return random.between(0, 999999) < p * 1e6; };
  constexpr double kLoss = 0.1, kBurst = 3;
  constexpr int kRounds = 200000;
  int failed = 0;
  for (int round = 0; round < kRounds; ++round) {
    bool bad = chance(kLoss);
    int lost = 0;
    for (int i = 0; i < 6; ++i) {
      lost += bad ? 1 : 0;
      bad = bad ? !chance(1 / kBurst) : chance(kLoss / kBurst / (1 - kLoss));
    }
    failed += lost > 2 ? 1 : 0;
  }
  EXPECT_NEAR(net::failure_rate(6, 2, kLoss, kBurst), failed / static_cast<double>(kRounds), 0.003);
}

// Every n-th datagram of the channel.
TEST(Protection, KnowsBurstsAtADistance) {
  Random random(4);
  const auto chance = [&](double p) { return random.between(0, 999999) < p * 1e6; };
  constexpr double kLoss = 0.1, kBurst = 4;
  for (const int distance : {1, 2, 3, 8}) {
    bool bad = false, before = false;
    int lost = 0, bursts = 0;
    for (int i = 0; i < 400000; ++i) {
      if (i % distance == 0) {
        lost += bad ? 1 : 0;
        bursts += bad && !before ? 1 : 0;
        before = bad;
      }
      bad = bad ? !chance(1 / kBurst) : chance(kLoss / kBurst / (1 - kLoss));
    }
    EXPECT_NEAR(net::burst_at_distance(kLoss, kBurst, distance), static_cast<double>(lost) / bursts, 0.1)
        << distance;
  }
  EXPECT_NEAR(net::burst_at_distance(0.2, 1, 5), 1.25, 1e-9) << "independent losses stay so";
}

TEST(Protection, FailsAsOftenAsADatagramSentTwice) {
  const auto chosen = [](int loss, int burst) {
    ctv_net_protection p;
    ctv_net_protection_init(&p);
    EXPECT_EQ(ctv_net_protection_choose(loss, burst, &p), CTV_OK);
    return p;
  };
  const ctv_net_protection p = chosen(50, 1000);
  EXPECT_EQ(ctv_net_parity_count(&p, 0, 1, 9), 1);
  for (int count = 1; count <= net::kMaxData; ++count) {
    const int m = ctv_net_parity_count(&p, 0, count, 0);
    ASSERT_LE(binomial_tail(count + m, m, 0.05), 0.0025 + 1e-9) << count;
    ASSERT_EQ(ctv_net_parity_count(&p, 1, count, 0), 0);
  }
  const ctv_net_protection none = chosen(1, 1000), bursts = chosen(50, 3000);
  EXPECT_EQ(ctv_net_parity_count(&none, 0, 4, 0), 0);
  EXPECT_GT(ctv_net_parity_count(&bursts, 0, 4, 8), ctv_net_parity_count(&p, 0, 4, 8));
  EXPECT_GT(ctv_net_parity_count(&bursts, 0, 4, 0), ctv_net_parity_count(&bursts, 0, 4, 40));
}

TEST(Protection, TakesTheLeastParityThatSuffices) {
  ctv_net_protection p;
  ctv_net_protection_init(&p);
  p.loss_permille = 50;
  for (int i = 0; i < CTV_NET_PRIORITIES; ++i) p.failures[i] = 10000, p.most[i] = 64;
  p.failures[1] = 1000000;
  p.most[2] = 1;
  for (int count = 1; count <= net::kMaxData; ++count) {
    const int m = ctv_net_parity_count(&p, 0, count, 0);
    ASSERT_LE(binomial_tail(count + m, m, 0.05), 0.01) << count;
    ASSERT_GT(m == 0 ? 1 : binomial_tail(count + m - 1, m - 1, 0.05), 0.01) << count;
    ASSERT_EQ(ctv_net_parity_count(&p, 1, count, 0), 0);
    ASSERT_EQ(ctv_net_parity_count(&p, 2, count, 0), 1);
  }
  EXPECT_EQ(ctv_net_parity_count(&p, 0, 0, 0), 0);
  EXPECT_EQ(ctv_net_parity_count(&p, 4, 1, 0), 0);
  EXPECT_EQ(ctv_net_parity_count(nullptr, 0, 1, 0), 0);
  EXPECT_EQ(ctv_net_parity_count(&p, 0, 1, -1), 0);
}

}  // namespace
}  // namespace ctv::test
