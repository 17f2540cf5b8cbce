// SPDX-License-Identifier: BSD-3-Clause
// Threads as a library may make them inside a host's process.
#pragma once

#include <string>
#include <thread>
#include <utility>

#if defined(__linux__) || defined(__APPLE__)
#include <unistd.h>

#include <csignal>
#endif

namespace ctv {

/// Differs after fork(). 0 where there are no processes.
inline int process_number() {
#if defined(__linux__) || defined(__APPLE__)
  return getpid();
#else
  return 0;
#endif
}

/// While it lives, threads that the calling thread starts take no signals of the process: a host that blocks
/// one, to take it by sigwait(), must not get it there. Faults of the threads themselves stay as they are.
class [[maybe_unused]] SignalsBlocked {
 public:
  SignalsBlocked(const SignalsBlocked&) = delete;
  SignalsBlocked& operator=(const SignalsBlocked&) = delete;
#if defined(__linux__) || defined(__APPLE__)
  SignalsBlocked() {
    sigset_t all{};
    sigfillset(&all);
    for (const int fault : {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP, SIGABRT, SIGSYS})
      sigdelset(&all, fault);
    pthread_sigmask(SIG_BLOCK, &all, &before_);
  }
  ~SignalsBlocked() { pthread_sigmask(SIG_SETMASK, &before_, nullptr); }

 private:
  sigset_t before_{};
#else
  SignalsBlocked() = default;
#endif
};

/// Starts a thread that takes no signals. Throws what std::thread() throws.
template <typename Body>
std::thread start_thread(Body&& body) {
  const SignalsBlocked blocked;
  return std::thread(std::forward<Body>(body));
}

/// Processors that the process may use, at least 1: those of its affinity, and no more than the quota of its
/// control group.
int available_processors();

/// The quota of a control group in processors, rounded up; 0: none. `groups` is the text of
/// /proc/self/cgroup, `root` the folder /sys/fs/cgroup.
int processor_quota(const std::string& groups, const std::string& root);

}  // namespace ctv
