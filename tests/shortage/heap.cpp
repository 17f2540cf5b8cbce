// SPDX-License-Identifier: BSD-3-Clause
#include "tests/shortage/heap.hpp"

#include <malloc.h>

#include <algorithm>
#include <atomic>
#include <cstdlib>

// The C library's own functions, under names that are not replaced.
extern "C" {
void* __libc_malloc(size_t size);                      // NOLINT(*-reserved-identifier)
void* __libc_calloc(size_t count, size_t size);        // NOLINT(*-reserved-identifier)
void* __libc_realloc(void* p, size_t size);            // NOLINT(*-reserved-identifier)
void* __libc_memalign(size_t alignment, size_t size);  // NOLINT(*-reserved-identifier)
void __libc_free(void* p);                             // NOLINT(*-reserved-identifier)
}

namespace ctv::test {
namespace {

std::atomic<size_t> bytes{0};
std::atomic<size_t> peak{0};

void* take(void* p) {
  if (p == nullptr) return p;
  const size_t size = malloc_usable_size(p);
  const size_t now = bytes.fetch_add(size) + size;
  size_t before = peak.load();
  while (before < now && !peak.compare_exchange_weak(before, now)) {
  }
  return p;
}

void give(void* p) {
  if (p != nullptr) bytes.fetch_sub(malloc_usable_size(p));
}

}  // namespace

size_t heap_bytes() { return bytes; }
size_t heap_peak() { return peak; }
void reset_heap_peak() { peak = bytes.load(); }

}  // namespace ctv::test

extern "C" {
void* malloc(size_t size) { return ctv::test::take(__libc_malloc(size)); }
void* calloc(size_t count, size_t size) { return ctv::test::take(__libc_calloc(count, size)); }
void* realloc(void* p, size_t size) {
  ctv::test::give(p);
  void* q = __libc_realloc(p, size);
  return ctv::test::take(q == nullptr && size != 0 ? p : q) == nullptr ? nullptr : q;
}
void* memalign(size_t alignment, size_t size) { return ctv::test::take(__libc_memalign(alignment, size)); }
void* aligned_alloc(size_t alignment, size_t size) { return memalign(alignment, size); }
int posix_memalign(void** p, size_t alignment, size_t size) {
  *p = memalign(alignment, size);
  return *p == nullptr ? 12 : 0;  // ENOMEM
}
void free(void* p) {
  ctv::test::give(p);
  __libc_free(p);
}
}
