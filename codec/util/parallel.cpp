// SPDX-License-Identifier: BSD-3-Clause
// The team: threads that sleep until a loop has tasks to give away. All encoders and decoders of the process
// share it, so that many of them do not mean many times the cores in threads. The caller of a loop always
// works on it too, so a loop ends even if every other thread is busy elsewhere. The loop that began first is
// helped first, since frames leave an encoder in order.
#include "codec/util/parallel.hpp"

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <exception>
#include <mutex>
#include <new>
#include <thread>

namespace ctv::detail {
namespace {

struct Loop {
  Loop(void (*t)(void*, int), void* c, int n, int p) : task(t), context(c), count(n), wanted(p), places(p) {}

  void (*const task)(void*, int);
  void* const context;
  const int count;
  const int wanted;  // threads besides the caller, at most
  // Guarded by the team's mutex:
  int places;       // for further threads
  int helpers = 0;  // threads at work besides the caller
  std::exception_ptr failure;
  Loop* next_open = nullptr;  // in the team's list
  std::atomic<int> next{0};

  bool has_tasks() const { return next.load(std::memory_order_relaxed) < count; }
  /// Takes tasks until there are none; returns what a task threw.
  std::exception_ptr work() noexcept {
    try {
      for (int i = next++; i < count; i = next++) task(context, i);
    } catch (...) {
      next = count;
      return std::current_exception();
    }
    return nullptr;
  }
};

class Team {
 public:
  void run(Loop& loop) {
    {
      const std::lock_guard lock(mutex_);
      wanted_ += loop.wanted;
      grow(std::max(loop.wanted, std::min(wanted_, cores_)));
      Loop** end = &loops_;
      while (*end != nullptr) end = &(*end)->next_open;
      *end = &loop;
    }
    for (int i = 0; i < loop.wanted; ++i) wake_.notify_one();
    const std::exception_ptr failure = loop.work();
    std::unique_lock lock(mutex_);
    Loop** link = &loops_;
    while (*link != &loop) link = &(*link)->next_open;
    *link = loop.next_open;
    wanted_ -= loop.wanted;
    done_.wait(lock, [&] { return loop.helpers == 0; });
    if (failure != nullptr || loop.failure != nullptr) {
      std::rethrow_exception(failure != nullptr ? failure : loop.failure);
    }
  }

 private:
  // The caller of a loop works on it too, so a team that cannot grow is slower and nothing else.
  void grow(int threads) {
    try {
      for (; threads_ < threads; ++threads_) std::thread([this] { serve(); }).detach();
    } catch (const std::exception&) {  // no thread, or no memory for one
    }
  }

  Loop* open_loop() const {
    for (Loop* loop = loops_; loop != nullptr; loop = loop->next_open) {
      if (loop->places > 0 && loop->has_tasks()) return loop;
    }
    return nullptr;
  }

  [[noreturn]] void serve() {
    std::unique_lock lock(mutex_);
    for (;;) {
      Loop* loop = nullptr;
      wake_.wait(lock, [&] { return (loop = open_loop()) != nullptr; });
      --loop->places;
      ++loop->helpers;
      lock.unlock();
      const std::exception_ptr failure = loop->work();
      lock.lock();
      if (failure != nullptr) loop->failure = failure;
      if (--loop->helpers == 0) done_.notify_all();
    }
  }

  std::mutex mutex_;
  std::condition_variable wake_, done_;
  Loop* loops_ = nullptr;  // that may take more threads; a list in the callers' stacks, which cannot fail
  const int cores_ = static_cast<int>(std::thread::hardware_concurrency());
  int wanted_ = 0;  // by all loops that run; they get threads of their own up to the number of cores
  int threads_ = 0;
};

}  // namespace

void run_on_team(int threads, int count, void (*task)(void*, int), void* context) {
  // Never destroyed: its threads sleep until the process ends.
  alignas(Team) static unsigned char memory[sizeof(Team)];
  static Team& team = *new (memory) Team;
  Loop loop(task, context, count, threads - 1);
  team.run(loop);
}

}  // namespace ctv::detail
