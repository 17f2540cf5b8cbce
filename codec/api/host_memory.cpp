// SPDX-License-Identifier: BSD-3-Clause
// A pointer to its deallocator precedes each block, because page-locked and pageable blocks coexist:
// page-locking may fail, or the device may be lost.
#include "codec/api/host_memory.hpp"

#include <cstdint>
#include <cstring>
#include <new>

#include "codec/backends.hpp"

namespace ctv {
namespace {

using Release = void (*)(void* block);

constexpr auto kAlign = std::align_val_t{kHostAlignment};

void* finish_block(void* block, Release release) {
  std::memcpy(block, &release, sizeof release);
  return static_cast<uint8_t*>(block) + kHostAlignment;
}

}  // namespace

Result<void*> allocate_host(size_t size, ctv_backend backend, int device) {
  const Status none = {CTV_ERROR_MEMORY, "host memory: no " + std::to_string(size) + " bytes"};
  if (size > PTRDIFF_MAX - kHostAlignment) return none;
  if (backend != CTV_BACKEND_CPU) {
    if (void* block = allocate_pinned(device, size + kHostAlignment)) return finish_block(block, free_pinned);
  }
  void* block = ::operator new(size + kHostAlignment, kAlign, std::nothrow);
  if (block == nullptr) return none;
  return finish_block(block, [](void* b) { ::operator delete(b, kAlign); });
}

void free_host(void* data) {
  if (data == nullptr) return;
  void* block = static_cast<uint8_t*>(data) - kHostAlignment;
  Release release = nullptr;
  std::memcpy(&release, block, sizeof release);
  release(block);
}

}  // namespace ctv
