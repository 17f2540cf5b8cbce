// SPDX-License-Identifier: BSD-3-Clause
#include "codec/transport/erasure_code.hpp"

#include <algorithm>
#include <array>

namespace ctv::net {
namespace {

struct Tables {
  std::array<uint8_t, 512> power{};  // powers of the generator 2; the table is repeated so that sums of two
                                     // logarithms need no modulo
  std::array<uint8_t, 256> logarithm{};
  constexpr Tables() {
    int x = 1;
    for (int i = 0; i < 255; ++i) {
      power[static_cast<size_t>(i)] = power[static_cast<size_t>(i + 255)] = static_cast<uint8_t>(x);
      logarithm[static_cast<size_t>(x)] = static_cast<uint8_t>(i);
      x = (x << 1) ^ ((x & 0x80) != 0 ? 0x11D : 0);
    }
  }
};
constexpr Tables kTables;

// Inverts a nonsingular matrix [n][n] by Gauss-Jordan elimination.
std::vector<uint8_t> inverted(std::vector<uint8_t> matrix, size_t n) {
  std::vector<uint8_t> result(n * n);
  for (size_t i = 0; i < n; ++i) result[i * n + i] = 1;
  const auto row = [n](std::vector<uint8_t>& m, size_t i) { return std::span(m).subspan(i * n, n); };
  for (size_t i = 0; i < n; ++i) {
    size_t pivot = i;
    while (matrix[pivot * n + i] == 0) ++pivot;
    if (pivot != i) {
      std::ranges::swap_ranges(row(matrix, i), row(matrix, pivot));
      std::ranges::swap_ranges(row(result, i), row(result, pivot));
    }
    const uint8_t scale = inverse(matrix[i * n + i]);
    for (size_t j = 0; j < n; ++j) {
      matrix[i * n + j] = multiply(matrix[i * n + j], scale);
      result[i * n + j] = multiply(result[i * n + j], scale);
    }
    const Multiples of_matrix(row(matrix, i)), of_result(row(result, i));
    for (size_t r = 0; r < n; ++r) {
      const uint8_t factor = r == i ? uint8_t{0} : matrix[r * n + i];
      of_matrix.add(factor, row(matrix, r));
      of_result.add(factor, row(result, r));
    }
  }
  return result;
}

}  // namespace

uint8_t multiply(uint8_t a, uint8_t b) {
  if (a == 0 || b == 0) return 0;
  return kTables.power[static_cast<size_t>(kTables.logarithm[a]) + kTables.logarithm[b]];
}

uint8_t inverse(uint8_t a) { return kTables.power[255U - kTables.logarithm[a]]; }

// Plain loops over bytes, which the compiler vectorises.
Multiples::Multiples(std::span<const uint8_t> data) : size_(data.size()), bytes_(8 * data.size()) {
  std::ranges::copy(data, bytes_.begin());
  const uint8_t* from = bytes_.data();
  uint8_t* to = bytes_.data() + size_;
  for (int digit = 1; digit < 8; ++digit, from += size_, to += size_) {
    for (size_t i = 0; i < size_; ++i) {
      to[i] = static_cast<uint8_t>((from[i] + from[i]) ^ (static_cast<int8_t>(from[i]) < 0 ? 0x1D : 0));
    }
  }
}

void Multiples::add(uint8_t c, std::span<uint8_t> sum) const {
  uint8_t* to = sum.data();
  const uint8_t* from = bytes_.data();
  for (int digit = 0; digit < 8; ++digit, from += size_) {
    if ((c >> digit & 1) == 0) continue;
    for (size_t i = 0; i < size_; ++i) to[i] = static_cast<uint8_t>(to[i] ^ from[i]);
  }
}

uint8_t parity_factor(int row, int column) {
  return inverse(static_cast<uint8_t>((kMaxData + row) ^ column));
}

void make_parity(std::span<const std::span<const uint8_t>> data, std::span<std::vector<uint8_t>> rows) {
  if (rows.empty()) return;
  for (size_t j = 0; j < data.size(); ++j) {
    const Multiples multiples(data[j]);
    for (size_t r = 0; r < rows.size(); ++r) {
      multiples.add(parity_factor(static_cast<int>(r), static_cast<int>(j)), rows[r]);
    }
  }
}

void rebuild(std::span<const std::span<uint8_t>> data, std::span<const int> lost,
             std::span<const ParityShard> parity) {
  const size_t n = lost.size();
  if (n == 0) return;
  const size_t size = data[static_cast<size_t>(lost[0])].size();
  std::vector<uint8_t> factors(n * n);
  for (size_t r = 0; r < n; ++r) {
    for (size_t i = 0; i < n; ++i) factors[r * n + i] = parity_factor(parity[r].row, lost[i]);
  }
  const std::vector<uint8_t> solution = inverted(std::move(factors), n);
  // What the lost datagrams contribute to each parity datagram.
  std::vector<std::vector<uint8_t>> rest(n);
  for (size_t r = 0; r < n; ++r) rest[r].assign(parity[r].bytes.begin(), parity[r].bytes.end());
  for (size_t j = 0; j < data.size(); ++j) {
    if (std::ranges::find(lost, static_cast<int>(j)) != lost.end()) continue;
    const Multiples multiples(data[j]);
    for (size_t r = 0; r < n; ++r) {
      multiples.add(parity_factor(parity[r].row, static_cast<int>(j)), rest[r]);
    }
  }
  for (const int i : lost) std::ranges::fill(data[static_cast<size_t>(i)].first(size), uint8_t{0});
  for (size_t r = 0; r < n; ++r) {
    const Multiples multiples(rest[r]);
    for (size_t i = 0; i < n; ++i) {
      multiples.add(solution[i * n + r], data[static_cast<size_t>(lost[i])].first(size));
    }
  }
}

}  // namespace ctv::net
