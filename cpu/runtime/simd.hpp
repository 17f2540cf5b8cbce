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
// For kernels that multiply and add pairs (pmaddwd) or interleave within 128 bits. WebAssembly has both
// instructions of x86, and emscripten's headers provide the few intrinsics that Highway lacks.
#if HWY_ARCH_X86
#define CTV_SIMD_PAIRS 1
#elif HWY_ARCH_WASM && defined(__SSSE3__)
#define CTV_SIMD_PAIRS 1
#include <tmmintrin.h>
#endif
#else
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
