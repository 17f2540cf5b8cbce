// SPDX-License-Identifier: BSD-3-Clause
#include "codec/format/directional_plan.hpp"

#include <algorithm>
#include <array>

#include "codec/dsp/mirror.hpp"

namespace ctv {
namespace {

struct Vec {
  int r, c;
};
struct Matrix {  // columns b1, b2
  Vec b1, b2;
};
Matrix operator*(const Matrix& m, const Matrix& d) {
  const auto at = [&](Vec v) { return Vec{m.b1.r * v.r + m.b2.r * v.c, m.b1.c * v.r + m.b2.c * v.c}; };
  return {at(d.b1), at(d.b2)};
}
struct Node {
  Matrix basis;
  Vec offset;
};
struct Type {
  Matrix split;
  Vec shift;
};

// Polyphase splits of the contourlet toolbox in closed form: two quincunx and four parallelogram matrices.
constexpr Type kQ1 = {{{1, 1}, {-1, 1}}, {0, 1}};
constexpr Type kQ2 = {{{1, -1}, {1, 1}}, {1, 0}};
constexpr std::array<Type, 4> kP = {{{{{2, 1}, {0, 1}}, {1, 1}},
                                     {{{2, -1}, {0, 1}}, {1, 0}},
                                     {{{1, 0}, {1, 2}}, {1, 1}},
                                     {{{1, 0}, {-1, 2}}, {0, 1}}}};

PhaseSplit in_phase(int depth, const Matrix& b, Vec s0, Vec s1) {
  const int phase = (s0.r & 1) * 2 + (s0.c & 1);
  const bool transposed = is_transposed(phase);
  const Vec long_vector = transposed ? Vec{b.b2.c, b.b2.r} : b.b1;
  const int stride = long_vector.r / 2;
  const auto row = [&](Vec s) {
    return wrap(((transposed ? s.c : s.r) - ((transposed ? s.c : s.r) & 1)) / 2, stride);
  };
  return {depth, phase, stride, long_vector.c / 2, row(s0), row(s1)};
}

}  // namespace

DirectionalPlan make_directional_plan(int directions_log2) {
  DirectionalPlan plan;
  plan.directions_log2 = directions_log2;
  std::vector<Node> nodes = {{{{1, 0}, {0, 1}}, {0, 0}}};
  for (int depth = 1; depth <= directions_log2; ++depth) {
    std::vector<Node> children;
    for (size_t k = 0; k < nodes.size(); ++k) {
      const Type& type = depth == 1 ? kQ1 : (depth == 2 ? kQ2 : kP[(k & 1) + (k < nodes.size() / 2 ? 0 : 2)]);
      const Matrix m = nodes[k].basis;
      const Matrix b = m * type.split;
      const Vec s0 = nodes[k].offset;
      const Vec s1 = {s0.r + m.b1.r * type.shift.r + m.b2.r * type.shift.c,
                      s0.c + m.b1.c * type.shift.r + m.b2.c * type.shift.c};
      if (depth >= 3) plan.splits.push_back(in_phase(depth, b, s0, s1));
      children.push_back({b, depth == 1 ? s0 : s1});
      children.push_back({b, depth == 1 ? s1 : s0});
    }
    nodes = std::move(children);
  }
  if (directions_log2 < 2) return plan;
  std::reverse(nodes.begin() + static_cast<std::ptrdiff_t>(nodes.size() / 2), nodes.end());
  const int longer = 1 << (directions_log2 - 1);
  for (size_t k = 0; k < nodes.size(); ++k) {
    const bool vertical = k < nodes.size() / 2;
    const int row_stride = vertical ? longer : 2;
    const int col_stride = vertical ? 2 : longer;
    plan.leaves.push_back(
        {wrap(nodes[k].offset.r, row_stride), wrap(nodes[k].offset.c, col_stride), row_stride, col_stride});
  }
  return plan;
}

}  // namespace ctv
