// SPDX-License-Identifier: BSD-3-Clause
// See cpu/simd.hpp. No include guard: it is included once per kernel file and per instruction set.
#if defined(CTV_HAVE_HIGHWAY)
#include <hwy/foreach_target.h>
#endif
#include "cpu/simd.hpp"  // NOLINT(*-include-*)
