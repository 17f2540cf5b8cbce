// SPDX-License-Identifier: BSD-3-Clause
// See cpu/runtime/simd.hpp. No include guard: it is included once per kernel file and per instruction set.
#if defined(CTV_HAVE_HIGHWAY)
#include <hwy/foreach_target.h>  // must come first
#include <hwy/highway.h>         // not in the guarded simd.hpp: it sets HWY_NAMESPACE for each set
#endif
#include "cpu/runtime/simd.hpp"
