// SPDX-License-Identifier: BSD-3-Clause
// Huge pages for large buffers. Blocks are read row by row, and each row of a large plane lies in another
// page of 4 KiB: more pages than the TLB holds.
#pragma once

#include <cstddef>
#include <cstdint>

#if defined(__linux__)
#include <sys/mman.h>
#endif

namespace ctv {

/// Requests huge pages within a buffer that has not been written yet. A failure only costs time. The buffer
/// is not aligned to huge pages, which could waste one more.
inline void prefer_huge_pages([[maybe_unused]] void* data, [[maybe_unused]] size_t bytes) {
#if defined(MADV_HUGEPAGE)
  constexpr size_t kPage = size_t{2} << 20;
  const size_t before = (kPage - reinterpret_cast<uintptr_t>(data) % kPage) % kPage;
  if (bytes < before + kPage) return;
  static_cast<void>(
      madvise(static_cast<char*>(data) + before, (bytes - before) / kPage * kPage, MADV_HUGEPAGE));
#endif
}

}  // namespace ctv
