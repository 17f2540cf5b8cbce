// SPDX-License-Identifier: BSD-3-Clause
#include "codec/entropy/huffman_code.hpp"

#include <algorithm>

namespace ctv {
namespace {

constexpr std::array<uint8_t, 256> kReversedBytes = [] {
  std::array<uint8_t, 256> reversed{};
  for (unsigned byte = 0; byte < 256; ++byte) {
    for (int i = 0; i < 8; ++i)
      reversed[byte] = static_cast<uint8_t>(reversed[byte] | (byte >> i & 1U) << (7 - i));
  }
  return reversed;
}();

}  // namespace

HuffmanTree::HuffmanTree(std::span<const uint32_t> counts) {
  constexpr int kSymbolBits = 9;
  std::array<uint64_t, kMaxHuffmanSymbols> order;
  for (size_t s = 0; s < counts.size(); ++s) {
    if (counts[s] != 0) order[static_cast<size_t>(used_++)] = uint64_t{counts[s]} << kSymbolBits | s;
  }
  std::sort(order.begin(), order.begin() + used_);
  // Nodes: the used symbols, then the inner ones in the order of their making, which is that of their
  // weights.
  constexpr size_t kNodes = 2 * kMaxHuffmanSymbols;
  std::array<uint64_t, kNodes> weight;
  std::array<uint16_t, kNodes> parent;
  const auto leaves = static_cast<size_t>(used_);
  for (size_t i = 0; i < leaves; ++i) {
    symbols_[i] = static_cast<uint16_t>(order[i] & ((1U << kSymbolBits) - 1));
    weight[i] = order[i] >> kSymbolBits;
  }
  if (used_ < 2) {
    depth_ = used_;
    codes_of_length_[1] = used_;
    return;
  }
  size_t leaf = 0;
  size_t inner = leaves;
  const size_t root = 2 * leaves - 2;
  for (size_t made = leaves; made <= root; ++made) {
    weight[made] = 0;
    for (int child = 0; child < 2; ++child) {
      const bool take_leaf = leaf < leaves && (inner == made || weight[leaf] <= weight[inner]);
      const size_t node = take_leaf ? leaf++ : inner++;
      weight[made] += weight[node];
      parent[node] = static_cast<uint16_t>(made);
    }
  }
  std::array<uint8_t, kNodes> level;
  level[root] = 0;
  for (size_t i = root; i-- > 0;) {
    level[i] = static_cast<uint8_t>(level[parent[i]] + 1);
    if (i < leaves) ++codes_of_length_[level[i]];
  }
  depth_ = level[0];
}

void HuffmanTree::lengths(int limit, std::span<uint8_t> lengths) const {
  std::fill(lengths.begin(), lengths.end(), uint8_t{0});
  std::array<int, kMaxDepth> codes = codes_of_length_;
  const auto top = static_cast<size_t>(limit);
  if (depth_ > limit) {
    for (size_t l = top + 1; l <= static_cast<size_t>(depth_); ++l) codes[top] += codes[l];
    int64_t kraft = 0;  // in units of 2^-limit
    for (size_t l = 1; l <= top; ++l) kraft += int64_t{codes[l]} << (top - l);
    for (; kraft > int64_t{1} << top; --kraft) {
      size_t l = top - 1;
      while (codes[l] == 0) --l;
      --codes[top];
      --codes[l];
      codes[l + 1] += 2;
    }
  }
  size_t at = 0;
  for (size_t l = std::min(top, static_cast<size_t>(depth_)); l > 0; --l) {
    for (int i = 0; i < codes[l]; ++i) lengths[symbols_[at++]] = static_cast<uint8_t>(l);
  }
}

void canonical_codes(std::span<const uint8_t> lengths, std::span<uint16_t> codes) {
  std::array<uint32_t, kMaxCodeLength + 1> count{};
  for (const uint8_t length : lengths) ++count[length];
  count[0] = 0;
  std::array<uint32_t, kMaxCodeLength + 1> next{};
  for (size_t length = 1; length <= kMaxCodeLength; ++length) {
    next[length] = (next[length - 1] + count[length - 1]) << 1;
  }
  for (size_t s = 0; s < lengths.size(); ++s) {
    uint32_t reversed = 0;
    if (lengths[s] != 0) {
      const uint32_t c = next[lengths[s]]++;
      reversed =
          (uint32_t{kReversedBytes[c & 255U]} << 8 | kReversedBytes[c >> 8 & 255U]) >> (16 - lengths[s]);
    }
    codes[s] = static_cast<uint16_t>(reversed);
  }
}

}  // namespace ctv
