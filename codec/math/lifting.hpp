// SPDX-License-Identifier: BSD-3-Clause
// Lifting steps of the reversible 5/3 and 13/7 wavelets. s: even samples, t: odd samples. Each step adds a
// rounded sum of the other half, so the inverse subtracts the same integers and nothing is ever lost.
//   forward:  t -= predict(s around t);  s += update(t around s)        inverse: backwards, signs swapped
#pragma once

#include "codec/base/fn.hpp"

namespace ctv {

/// 5/3: s0 t s1.
CTV_FN int predict_5_3(int s0, int s1) { return (s0 + s1) >> 1; }
/// 5/3: t0 s t1.
CTV_FN int update_5_3(int t0, int t1) { return (t0 + t1 + 2) >> 2; }

/// 13/7: sm1 . s0 t s1 . s2.
CTV_FN int predict_13_7(int sm1, int s0, int s1, int s2) { return (9 * (s0 + s1) - (sm1 + s2) + 8) >> 4; }
/// 13/7: tm2 . tm1 s t0 . t1.
CTV_FN int update_13_7(int tm2, int tm1, int t0, int t1) { return (9 * (tm1 + t0) - (tm2 + t1) + 16) >> 5; }

}  // namespace ctv
