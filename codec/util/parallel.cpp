// SPDX-License-Identifier: BSD-3-Clause
// The team: threads that take tasks of loops. All encoders and decoders of the process share it, so that many
// of them do not mean many times the cores in threads. The caller of a loop always works on it too, so a loop
// ends even if every other thread is busy elsewhere. The loop that began first is helped first, since frames
// leave an encoder in order. A thread without work looks for it a while before it sleeps: to wake one takes
// as long as many a loop of a frame.
#include "codec/util/parallel.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <exception>
#include <mutex>
#include <new>
#include <thread>

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

namespace ctv::detail {
namespace {

using Clock = std::chrono::steady_clock;

constexpr auto kLooking = std::chrono::microseconds(50);
constexpr int kGlances = 32;  // between two looks at the clock
constexpr size_t kPlaces = 32;

void pause() {
#if defined(__SSE2__)
  _mm_pause();
#endif
}

// Looks at done() again and again until `end`; its last answer. Other programs may run meanwhile.
template <typename Done, typename End>
bool look(Done done, End end) {
  for (;;) {
    for (int i = 0; i < kGlances; ++i) {
      if (done()) return true;
      pause();
    }
    if (Clock::now() >= end()) return false;
    std::this_thread::yield();
  }
}

struct Loop {
  Loop(void (*t)(void*, int), void* c, int n) : task(t), context(c), count(n) {}
  void (*const task)(void*, int);
  void* const context;
  const int count;
  std::atomic<int> next{0};
  std::atomic<bool> failed{false};
  std::exception_ptr failure;  // of the first that failed

  /// Takes tasks until there are none.
  void work() noexcept {
    try {
      for (int i = next++; i < count; i = next++) task(context, i);
    } catch (...) {
      next = count;
      if (!failed.exchange(true)) failure = std::current_exception();
    }
  }
};

/// Where a loop is while it may have helpers.
struct alignas(64) Place {
  static constexpr uint32_t kHelper = 1U << 16;
  std::atomic<bool> taken{false};
  std::atomic<uint32_t> turn{0};   // loops that began before
  std::atomic<uint32_t> state{0};  // helpers at work, in units of kHelper, and how many more may come
  Loop* loop = nullptr;            // valid while there are helpers

  uint32_t wanted() const { return state.load() % kHelper; }
  void close() { state.fetch_and(~(kHelper - 1)); }
  /// Enters the loop. False if others came first.
  bool enter() {
    uint32_t now = state.load();
    while (now % kHelper != 0) {
      if (state.compare_exchange_weak(now, now - 1 + kHelper)) return true;
    }
    return false;
  }
  void help() {
    loop->work();
    close();
    if (state.fetch_sub(kHelper) == kHelper) state.notify_all();
  }
  void wait_for_helpers() {
    close();
    const auto alone = [this] { return state.load() == 0; };
    const auto end = Clock::now() + kLooking;
    if (look(alone, [end] { return end; })) return;
    for (uint32_t now = state.load(); now != 0; now = state.load()) state.wait(now);
  }
};

class Team {
 public:
  void run(Loop& loop, int helpers) {
    Place* const place = take_place();
    if (place != nullptr) {
      const int wanted = wanted_.fetch_add(helpers) + helpers;
      grow(std::max(helpers, std::min(wanted, cores_)));
      place->loop = &loop;
      place->turn = turn_++;
      place->state = static_cast<uint32_t>(helpers);
      wake(helpers);
    }
    loop.work();
    if (place != nullptr) {
      place->wait_for_helpers();
      wanted_ -= helpers;
      place->taken = false;
    }
    if (loop.failed) std::rethrow_exception(loop.failure);
  }

  void expect(int helpers, std::chrono::microseconds soon) {
    grow(std::min(helpers, cores_));
    look_until_ = (Clock::now() + soon).time_since_epoch().count();
    ++news_;
    if (sleepers_ > 0) news_.notify_all();
  }

 private:
  Place* take_place() {
    for (Place& place : places_) {
      if (!place.taken && !place.taken.exchange(true)) return &place;
    }
    return nullptr;
  }

  // Threads that look for work find this loop by themselves.
  void wake(int helpers) {
    ++news_;
    int missing = -looking_;
    for (const Place& place : places_) missing += static_cast<int>(place.wanted());
    const int sleepers = sleepers_;
    missing = std::min({missing, helpers, sleepers});
    if (2 * missing > sleepers) {  // one call of the system
      news_.notify_all();
    } else {
      for (int i = 0; i < missing; ++i) news_.notify_one();
    }
  }

  // The caller of a loop works on it too, so a team that cannot grow is slower and nothing else.
  void grow(int threads) {
    if (threads_ >= threads) return;
    const std::lock_guard lock(growing_);
    try {
      for (; threads_ < threads; ++threads_) std::thread([this] { serve(); }).detach();
    } catch (const std::exception&) {  // no thread, or no memory for one
    }
  }

  // Enters the loop that began first of those that want helpers.
  Place* enter_loop() {
    for (;;) {
      Place* first = nullptr;
      for (Place& place : places_) {
        if (place.wanted() != 0 && (first == nullptr || static_cast<int32_t>(place.turn - first->turn) < 0)) {
          first = &place;
        }
      }
      if (first == nullptr || first->enter()) return first;
    }
  }

  [[noreturn]] void serve() {
    for (;;) {
      const uint32_t seen = news_;
      if (Place* const place = enter_loop()) {
        place->help();
        continue;
      }
      const Clock::time_point end = Clock::now() + kLooking;
      const auto until = [&] { return std::max(end, Clock::time_point(Clock::duration(look_until_))); };
      ++looking_;
      const bool found = look([&] { return news_ != seen; }, until);
      --looking_;
      if (found) continue;
      ++sleepers_;
      news_.wait(seen);
      --sleepers_;
    }
  }

  std::array<Place, kPlaces> places_;
  alignas(64) std::atomic<uint32_t> news_{0};  // changes with every loop
  std::atomic<uint32_t> turn_{0};
  std::atomic<int> looking_{0}, sleepers_{0};
  std::atomic<Clock::rep> look_until_{0};
  std::atomic<int> wanted_{0};  // by all loops that run; they get threads of their own up to the cores
  std::atomic<int> threads_{0};
  std::mutex growing_;
  const int cores_ = static_cast<int>(std::thread::hardware_concurrency());
};

// Never destroyed: its threads sleep until the process ends.
Team& team() {
  alignas(Team) static unsigned char memory[sizeof(Team)];
  static Team& team = *new (memory) Team;
  return team;
}

}  // namespace

void run_on_team(int threads, int count, void (*task)(void*, int), void* context) {
  Loop loop(task, context, count);
  team().run(loop, threads - 1);
}

void expect_on_team(int threads, std::chrono::microseconds soon) { team().expect(threads - 1, soon); }

}  // namespace ctv::detail
