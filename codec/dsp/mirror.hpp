// SPDX-License-Identifier: BSD-3-Clause
// Extension of a signal beyond its borders.
#pragma once

#include "codec/util/host_device.hpp"

namespace ctv {

/// Whole-sample symmetric extension: ... 2 1 [0 1 2 ... n-1] n-2 n-3 ...; n >= 1, any i.
CTV_HOST_DEVICE int mirror(int i, int n) {
  if (n == 1) return 0;
  const int period = 2 * (n - 1);
  i %= period;
  if (i < 0) i += period;
  return i < n ? i : period - i;
}

/// Periodic extension; n >= 1, any i.
CTV_HOST_DEVICE int wrap(int i, int n) {
  i %= n;
  return i < 0 ? i + n : i;
}

}  // namespace ctv
