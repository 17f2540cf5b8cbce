// SPDX-License-Identifier: BSD-3-Clause
// A systematic Reed-Solomon code over GF(256) that rebuilds lost datagrams. Data are sent as they are; parity
// datagram r is the sum of c(r, j) times datagram j, with c(r, j) = 1 / ((128 + r) xor j). Every square part
// of this Cauchy matrix has an inverse, so any m parity datagrams replace any m lost ones. Reference: J.
// Bloemer et al., "An XOR-based erasure-resilient coding scheme", ICSI TR-95-048.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace ctv::net {

constexpr int kMaxData = 128;   // datagrams of a block without parity
constexpr int kMaxParity = 64;  // parity datagrams of a block

/// Product in GF(256), polynomial x^8 + x^4 + x^3 + x^2 + 1.
uint8_t multiply(uint8_t a, uint8_t b);
/// 1 / a; a must not be 0.
uint8_t inverse(uint8_t a);

/// A datagram times 1, 2, 4 ... 128. Any multiple of the datagram is a sum of these.
class Multiples {
 public:
  explicit Multiples(std::span<const uint8_t> data);
  /// Adds c times the datagram to `sum`. A datagram shorter than `sum` is padded with 0.
  void add(uint8_t c, std::span<uint8_t> sum) const;

 private:
  size_t size_;
  std::vector<uint8_t> bytes_;  // [8][size_]
};

/// The coefficient of datagram `column`, 0..127, in parity datagram `row`, 0..63.
uint8_t parity_factor(int row, int column);

/// Adds the first parity datagrams of up to 128 datagrams to `rows`; each row is at least as long as any
/// datagram.
void make_parity(std::span<const std::span<const uint8_t>> data, std::span<std::vector<uint8_t>> rows);

struct ParityShard {
  int row = 0;  // 0..63, each at most once
  std::span<const uint8_t> bytes;
};

/// Rebuilds lost datagrams of a block. `lost`: their indices. `data`: all datagrams of the block; those at
/// `lost` receive the result and have equal sizes. `parity`: as many as are lost, of the same size.
void rebuild(std::span<const std::span<uint8_t>> data, std::span<const int> lost,
             std::span<const ParityShard> parity);

}  // namespace ctv::net
