// SPDX-License-Identifier: BSD-3-Clause
#include "tests/shortage/shortage.hpp"

#include <dlfcn.h>
#include <pthread.h>

#include <atomic>
#include <cerrno>
#include <cstdlib>
#include <new>

namespace ctv::test {
namespace {

// One kind of request, counted over all threads that are not exempt.
class Counter {
 public:
  void arm(long n, Shortage kind) {
    reached_ = false;
    once_ = kind == Shortage::kOnce;
    left_ = n;
    armed_ = true;
  }
  void disarm() { armed_ = false; }
  bool reached() const { return reached_; }
  bool fails() {
    if (!armed_) return false;
    const long before = left_--;
    const bool failing = once_ ? before == 0 : before <= 0;
    if (failing) reached_ = true;
    return failing;
  }

 private:
  std::atomic<bool> armed_{false}, reached_{false};
  bool once_ = true;
  std::atomic<long> left_{0};
};

Counter allocations;
Counter threads;
thread_local int exemptions = 0;

bool fails(Counter& counter) { return exemptions == 0 && counter.fails(); }

}  // namespace

FailingAllocations::FailingAllocations(long n, Shortage kind) { allocations.arm(n, kind); }
FailingAllocations::~FailingAllocations() { allocations.disarm(); }
bool FailingAllocations::reached() { return allocations.reached(); }
FailingThreads::FailingThreads(long n, Shortage kind) { threads.arm(n, kind); }
FailingThreads::~FailingThreads() { threads.disarm(); }
bool FailingThreads::reached() { return threads.reached(); }
Exempt::Exempt() { ++exemptions; }
Exempt::~Exempt() { --exemptions; }

}  // namespace ctv::test

// A sanitizer has its own forms of all of these, so that none may be left out. malloc() is the sanitizer's.
void* operator new(size_t size) {
  void* p = ctv::test::fails(ctv::test::allocations) ? nullptr : std::malloc(size == 0 ? 1 : size);
  if (p == nullptr) throw std::bad_alloc();
  return p;
}
void* operator new(size_t size, std::align_val_t align, const std::nothrow_t&) noexcept {
  const auto a = static_cast<size_t>(align);
  return ctv::test::fails(ctv::test::allocations) ? nullptr : std::aligned_alloc(a, (size + a - 1) / a * a);
}
void* operator new(size_t size, std::align_val_t align) {
  void* p = operator new(size, align, std::nothrow);
  if (p == nullptr) throw std::bad_alloc();
  return p;
}
void* operator new(size_t size, const std::nothrow_t&) noexcept {
  return ctv::test::fails(ctv::test::allocations) ? nullptr : std::malloc(size == 0 ? 1 : size);
}
void* operator new[](size_t size) { return operator new(size); }
void* operator new[](size_t size, std::align_val_t align) { return operator new(size, align); }
void* operator new[](size_t size, const std::nothrow_t& nothrow) noexcept {
  return operator new(size, nothrow);
}
void operator delete(void* p) noexcept { std::free(p); }
void operator delete(void* p, size_t) noexcept { std::free(p); }
void operator delete(void* p, std::align_val_t) noexcept { std::free(p); }
void operator delete(void* p, size_t, std::align_val_t) noexcept { std::free(p); }
void operator delete(void* p, const std::nothrow_t&) noexcept { std::free(p); }
void operator delete(void* p, std::align_val_t, const std::nothrow_t&) noexcept { std::free(p); }
void operator delete[](void* p) noexcept { std::free(p); }
void operator delete[](void* p, size_t) noexcept { std::free(p); }
void operator delete[](void* p, std::align_val_t) noexcept { std::free(p); }
void operator delete[](void* p, size_t, std::align_val_t) noexcept { std::free(p); }
void operator delete[](void* p, const std::nothrow_t&) noexcept { std::free(p); }

using Create = int(pthread_t*, const pthread_attr_t*, void* (*)(void*), void*);
// A sanitizer's, which must know of every thread.
extern "C" __attribute__((weak)) Create __interceptor_pthread_create;  // NOLINT(bugprone-reserved-identifier)

// NOLINTNEXTLINE(readability-inconsistent-declaration-parameter-name)
extern "C" __attribute__((visibility("default"))) int pthread_create(pthread_t* thread,
                                                                     const pthread_attr_t* attributes,
                                                                     void* (*routine)(void*),
                                                                     void* argument) {
  static const auto create = __interceptor_pthread_create != nullptr
                                 ? &__interceptor_pthread_create
                                 : reinterpret_cast<Create*>(dlsym(RTLD_NEXT, "pthread_create"));
  if (ctv::test::fails(ctv::test::threads)) return EAGAIN;
  return create(thread, attributes, routine, argument);
}
