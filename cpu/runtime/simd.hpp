// SPDX-License-Identifier: BSD-3-Clause
// SIMD with run-time dispatch. Highway's foreach_target compiles a kernel file once per instruction set. Its
// loops are plain C++ over the formulas of codec/dsp, and the compiler vectorises them for that set.
// Structure of a kernel file:
//
//   #include <...ordinary headers...>
//   #undef HWY_TARGET_INCLUDE
//   #define HWY_TARGET_INCLUDE "cpu/this_file.cpp"
//   #include "cpu/runtime/simd_foreach.hpp"          // re-includes this file once per instruction set
//   HWY_BEFORE_NAMESPACE();
//   namespace ctv::HWY_NAMESPACE { void Kernel(...) { loops } }
//   HWY_AFTER_NAMESPACE();
//   #if HWY_ONCE
//   namespace ctv { HWY_EXPORT(Kernel); void kernel(...) { HWY_DYNAMIC_DISPATCH(Kernel)(...); } }
//   #endif
//
// Without Highway the file is compiled once, for the baseline.
#pragma once

#if defined(CTV_HAVE_HIGHWAY)
#include <hwy/highway.h>
// Whether kernels are written in vectors for the instruction set that is compiled; otherwise in plain loops.
#define CTV_VECTORS                                                                   \
  ((HWY_ARCH_X86 || HWY_ARCH_ARM_A64 || HWY_ARCH_WASM) && HWY_TARGET != HWY_SCALAR && \
   HWY_TARGET != HWY_EMU128)
// Whether pairs of bytes are multiplied and added in one instruction (pmaddubsw).
#define CTV_BYTE_PAIRS (CTV_VECTORS && HWY_ARCH_X86)
#else
#define CTV_VECTORS 0
#define CTV_BYTE_PAIRS 0
#define HWY_BEFORE_NAMESPACE() static_assert(true, "")
#define HWY_AFTER_NAMESPACE() static_assert(true, "")
#define HWY_NAMESPACE N_BASELINE
#define HWY_ATTR
#define HWY_INLINE inline
#define HWY_ALIGN alignas(64)
#define HWY_ONCE 1
#define HWY_EXPORT(name) static_assert(true, "")
#define HWY_DYNAMIC_DISPATCH(name) N_BASELINE::name
#endif

// Placed before a loop over the columns of a block: makes the compiler vectorise it instead of unrolling it.
#if defined(__clang__)
#define CTV_KEEP_LOOP _Pragma("clang loop vectorize(enable)")
#else
#define CTV_KEEP_LOOP _Pragma("GCC unroll 1")
#endif
