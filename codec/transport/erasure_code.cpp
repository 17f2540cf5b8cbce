// SPDX-License-Identifier: BSD-3-Clause
#include "codec/transport/erasure_code.hpp"

#include <algorithm>
#include <array>

namespace ctv::net {
namespace {

struct Tables {
  std::array<uint8_t, 512> power{};  // of the generator 2, twice in a row
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

// Inverts a matrix [n][n] in place next to its right side [n][n], by Gauss and Jordan. It has an inverse.
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
    for (size_t r = 0; r < n; ++r) {
      const uint8_t factor = r == i ? uint8_t{0} : matrix[r * n + i];
      if (factor == 0) continue;
      add_product(factor, row(matrix, i), row(matrix, r));
      add_product(factor, row(result, i), row(result, r));
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

void add_product(uint8_t c, std::span<const uint8_t> data, std::span<uint8_t> sum) {
  if (c == 0) return;
  // A product is the sum of those of both halves of the byte.
  std::array<uint8_t, 16> low{}, high{};
  for (size_t i = 0; i < 16; ++i) {
    low[i] = multiply(c, static_cast<uint8_t>(i));
    high[i] = multiply(c, static_cast<uint8_t>(i << 4));
  }
  for (size_t i = 0; i < data.size(); ++i) {
    sum[i] = static_cast<uint8_t>(sum[i] ^ low[data[i] & 15] ^ high[data[i] >> 4]);
  }
}

uint8_t parity_factor(int row, int column) {
  return inverse(static_cast<uint8_t>((kMaxData + row) ^ column));
}

void make_parity(std::span<const std::span<const uint8_t>> data, int row, std::span<uint8_t> out) {
  std::ranges::fill(out, uint8_t{0});
  for (size_t j = 0; j < data.size(); ++j) add_product(parity_factor(row, static_cast<int>(j)), data[j], out);
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
  // What the lost ones contribute to each parity datagram.
  std::vector<std::vector<uint8_t>> rest(n);
  for (size_t r = 0; r < n; ++r) {
    rest[r].assign(parity[r].bytes.begin(), parity[r].bytes.end());
    for (size_t j = 0; j < data.size(); ++j) {
      if (std::ranges::find(lost, static_cast<int>(j)) != lost.end()) continue;
      add_product(parity_factor(parity[r].row, static_cast<int>(j)), data[j], rest[r]);
    }
  }
  for (size_t i = 0; i < n; ++i) {
    const std::span<uint8_t> out = data[static_cast<size_t>(lost[i])].first(size);
    std::ranges::fill(out, uint8_t{0});
    for (size_t r = 0; r < n; ++r) add_product(solution[i * n + r], rest[r], out);
  }
}

}  // namespace ctv::net
