// SPDX-License-Identifier: BSD-3-Clause
// The team: threads that take tasks of loops. All encoders and decoders of the process share it, so that the
// number of threads does not multiply with theirs. The caller of a loop always works on it, too, so a loop
// ends even if every other thread is busy. The oldest loop gets helpers first, because frames leave an
// encoder in order. Loops inside a task get no threads beyond those of the outer loop, and the inner loops of
// its first task get helpers first. An idle thread polls for a while before it sleeps: waking a thread takes
// as long as many loops of a frame. Each thread begins at its own part of a loop, because its cache holds
// what it wrote in the previous loop: with sixteen threads a frame takes 0.8 of the time.
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

#include "codec/util/threads.hpp"
#include "codec/util/wait.hpp"

namespace ctv::detail {
namespace {

using Clock = std::chrono::steady_clock;

constexpr auto kLooking = std::chrono::microseconds(50);
constexpr int kGlances = 32;  // polls between two looks at the clock
constexpr size_t kPlaces = 32;
constexpr int kTurns = 16;  // turns of an outermost loop, and of loops inside its tasks

void pause() {
#if defined(__SSE2__)
  _mm_pause();
#endif
}

// Polls done() until `end` and returns its last result. Yields to other programs.
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

struct Place;

/// The loop that a thread works on.
struct Work {
  Place* outermost = nullptr;  // the outermost loop around it; null: none
  uint32_t turn = 0;           // turn of loops inside
};
thread_local Work current;

// Where in a loop a thread begins: its number in the team; 0 in threads outside the team.
thread_local int home = 0;

struct Loop {
  Loop(void (*t)(void*, int), void* c, int n, int p)
      : task(t), context(c), count(n), part_count(std::clamp(p, 1, kMostParts)) {
    for (int i = 0; i < part_count; ++i) {
      part_at(i).next.store(begin_of(i), std::memory_order_relaxed);
      part_at(i).end = begin_of(i + 1);
    }
  }
  void (*const task)(void*, int);
  void* const context;
  const int count;
  const int part_count;
  Work inside = current;  // of the first task
  bool in_order = false;  // each further task has its own turn
  std::atomic<bool> failed{false};
  std::exception_ptr failure;  // of the first task that failed

  /// Takes tasks until none are left: first those of the thread's own range, then those of others.
  void work() noexcept {
    const Work before = current;
    try {
      for (int p = 0; p < part_count && !failed; ++p) {
        Part& from = part_at((home + p) % part_count);
        // A task that was taken always runs: another may wait for it.
        while (!failed && from.next.load(std::memory_order_relaxed) < from.end) {
          const int i = from.next++;
          if (i >= from.end) break;
          current = {inside.outermost,
                     inside.turn + static_cast<uint32_t>(in_order ? std::min(i, kTurns - 2) : 0)};
          task(context, i);
        }
      }
    } catch (...) {
      if (!failed.exchange(true)) failure = std::current_exception();
    }
    current = before;
  }

 private:
  static constexpr int kMostParts = 32;
  struct alignas(64) Part {
    std::atomic<int> next;
    int end;
  };
  int begin_of(int p) const { return static_cast<int>(int64_t{count} * p / part_count); }
  Part& part_at(int p) { return parts_[static_cast<size_t>(p)]; }

  std::array<Part, kMostParts> parts_;
};

/// The slot of a loop while it may have helpers.
struct alignas(64) Place {
  // Bit fields of `state`: number of helpers that may still join, slot of the outermost loop, helpers at
  // work.
  static constexpr uint32_t kOutermost = 1U << 10;
  static constexpr uint32_t kHelper = 1U << 16;
  std::atomic<bool> taken{false};
  std::atomic<uint32_t> turn{0};
  std::atomic<uint32_t> state{0};
  std::atomic<int> room{0};         // of an outermost loop: threads that may help it or loops inside it
  std::atomic<bool> around{false};  // loops ran inside an outermost loop
  Loop* loop = nullptr;             // valid while there are helpers

  static_assert(kPlaces <= kHelper / kOutermost);

  static uint32_t wanted(uint32_t state) { return state % kOutermost; }
  void close() { state.fetch_and(~(kHelper - 1)); }
  bool alone() const { return state.load() == 0; }
  void help() {
    loop->work();
    close();
    if (state.fetch_sub(kHelper) == kHelper) wake_all(state);
  }
};

class Team {
 public:
  void run(Loop& loop, int threads) {
    const int helpers = std::min({threads, loop.count, static_cast<int>(Place::kOutermost)}) - 1;
    const bool outermost = current.outermost == nullptr;
    Place* const place = take_place();
    if (place != nullptr) begin(*place, loop, threads - 1, helpers);
    loop.work();
    if (place != nullptr) {
      wait_for_helpers(*place);
      if (outermost) {
        wanted_ -= helpers;
        place->room -= threads - 1;
      }
      place->taken = false;
    }
    if (loop.failed) std::rethrow_exception(loop.failure);
  }

  void expect(int helpers, std::chrono::microseconds soon) {
    grow(std::min(helpers, cores_));
    look_until_ = (Clock::now() + soon).time_since_epoch().count();
    ++news_;
    if (sleepers_ > 0) wake_all(news_);
  }

 private:
  Place* take_place() {
    for (Place& place : places_) {
      if (!place.taken && !place.taken.exchange(true)) return &place;
    }
    return nullptr;
  }

  void begin(Place& place, Loop& loop, int room, int helpers) {
    place.around = false;
    if (current.outermost == nullptr) {
      const int wanted = wanted_.fetch_add(helpers) + helpers;
      grow(std::max(helpers, std::min(wanted, cores_)));
      place.turn = turn_.fetch_add(kTurns);
      place.room += room;
      loop.inside = {&place, place.turn + 1};
      loop.in_order = true;
    } else {
      grow(std::min(helpers + 1, room));  // the caller may be one of them
      place.turn = current.turn;
      current.outermost->around = true;
    }
    place.loop = &loop;
    const auto at = static_cast<uint32_t>(loop.inside.outermost - places_.data());
    place.state = at * Place::kOutermost + static_cast<uint32_t>(helpers);
    wake(std::min(helpers, loop.inside.outermost->room.load()));
  }

  // Meanwhile the caller of an outermost loop helps the loops inside it.
  void wait_for_helpers(Place& place) {
    place.close();
    for (;;) {
      const uint32_t seen = news_;
      if (place.around && help_inside(place)) continue;
      const auto end = Clock::now() + kLooking;
      const bool found =
          look([&] { return place.alone() || (place.around && news_ != seen); }, [end] { return end; });
      if (place.alone()) return;
      if (!found) break;
    }
    for (uint32_t now = place.state; now != 0; now = place.state) wait_while_equal(place.state, now);
  }

  bool help_inside(Place& outermost) {
    for (Place& place : places_) {
      uint32_t now = place.state;
      if (Place::wanted(now) == 0 || &outermost_of(now) != &outermost) continue;
      if (!place.state.compare_exchange_strong(now, now - 1 + Place::kHelper)) continue;
      place.help();
      return true;
    }
    return false;
  }

  // Threads that poll find this loop without being woken.
  void wake(int helpers) {
    ++news_;
    int missing = -looking_;
    for (const Place& place : places_) missing += static_cast<int>(Place::wanted(place.state));
    const int sleepers = sleepers_;
    missing = std::min({missing, helpers, sleepers});
    if (2 * missing > sleepers) {  // one system call
      wake_all(news_);
    } else {
      for (int i = 0; i < missing; ++i) wake_one(news_);
    }
  }

  // The caller works on its loop too, so a team that cannot grow is only slower.
  void grow(int threads) {
    if (threads_ >= threads) return;
    const std::lock_guard lock(growing_);
    try {
      for (; threads_ < threads; ++threads_) {
        start_thread([this, at = threads_ + 1] {
          home = at;
          serve();
        }).detach();
      }
    } catch (const std::exception&) {  // no thread, or no memory for one
    }
  }

  Place& outermost_of(uint32_t state) { return places_[state % Place::kHelper / Place::kOutermost]; }

  // Helps the oldest loop that wants helpers and has room. Returns false if there is none.
  bool help_first() {
    for (;;) {
      Place* first = nullptr;
      uint32_t state = 0;
      for (Place& place : places_) {
        const uint32_t now = place.state;
        if (Place::wanted(now) == 0 || outermost_of(now).room <= 0) continue;
        if (first == nullptr || static_cast<int32_t>(place.turn - first->turn) < 0)
          first = &place, state = now;
      }
      if (first == nullptr) return false;
      std::atomic<int>& room = outermost_of(state).room;
      const bool enters =
          room.fetch_sub(1) > 0 && first->state.compare_exchange_strong(state, state - 1 + Place::kHelper);
      if (enters) first->help();
      ++room;
      if (enters) return true;
    }
  }

  [[noreturn]] void serve() {
    for (;;) {
      const uint32_t seen = news_;
      if (help_first()) continue;
      const Clock::time_point end = Clock::now() + kLooking;
      const auto until = [&] { return std::max(end, Clock::time_point(Clock::duration(look_until_))); };
      ++looking_;
      const bool found = look([&] { return news_ != seen; }, until);
      --looking_;
      if (found) continue;
      ++sleepers_;
      wait_while_equal(news_, seen);
      --sleepers_;
    }
  }

  std::array<Place, kPlaces> places_;
  alignas(64) std::atomic<uint32_t> news_{0};  // changes with every loop
  std::atomic<uint32_t> turn_{0};              // of the next outermost loop
  std::atomic<int> looking_{0}, sleepers_{0};
  std::atomic<Clock::rep> look_until_{0};
  // Threads wanted by all running outermost loops, each with its own threads up to the number of cores.
  std::atomic<int> wanted_{0};
  std::atomic<int> threads_{0};
  std::mutex growing_;
  const int cores_ = available_processors();
};

// Never destroyed: its threads sleep until the process ends.
alignas(Team) unsigned char team_memory[sizeof(Team)];
Team& team() {
  static Team& team = *new (team_memory) Team;
  return team;
}

}  // namespace

void run_on_team(int threads, int count, int parts, void (*task)(void*, int), void* context) {
  Loop loop(task, context, count, parts);
  team().run(loop, threads);
}

void expect_on_team(int threads, std::chrono::microseconds soon) { team().expect(threads - 1, soon); }

void prepare_team() { team(); }

void renew_team() {
  current = {};
  home = 0;
  new (&team()) Team;
}

}  // namespace ctv::detail
