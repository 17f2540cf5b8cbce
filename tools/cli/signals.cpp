// SPDX-License-Identifier: BSD-3-Clause
#include "cli/signals.h"

#include <unistd.h>

#include <array>
#include <atomic>
#include <climits>
#include <csignal>
#include <cstring>

namespace ctv::tools {
namespace {

volatile std::sig_atomic_t g_signal = 0;
volatile std::sig_atomic_t g_put_off = 0;

// Fixed storage, because a signal handler may neither allocate nor lock.
struct Temporary {
  std::atomic<bool> used{false};
  char path[PATH_MAX]{};
};
std::array<Temporary, 4> g_temporaries;

void handle(int signal) {
  if (g_signal != 0) {
    for (Temporary& t : g_temporaries)
      if (t.used) unlink(t.path);
    std::signal(signal, SIG_DFL);
    raise(signal);
  }
  g_signal = signal;
}

}  // namespace

void install_signal_handlers() {
  struct sigaction action {};
  action.sa_handler = handle;
  sigemptyset(&action.sa_mask);
  // No SA_RESTART: a read that waits on a pipe returns, and its caller looks at the flag.
  for (const int signal : {SIGINT, SIGTERM, SIGHUP}) {
    struct sigaction previous {};
    sigaction(signal, nullptr, &previous);
    if (previous.sa_handler != SIG_IGN) sigaction(signal, &action, nullptr);  // nohup stays in force
  }
  std::signal(SIGPIPE, SIG_IGN);  // a closed pipe is an error of write()
}

void check_interrupted() {
  if (g_signal != 0) throw Interrupted{};
}

void put_off_signal() {
  if (g_signal == 0) return;
  g_put_off = g_signal;
  g_signal = 0;
}

void die_by_signal() {
  const int signal = g_signal != 0 ? g_signal : g_put_off;
  std::signal(signal, SIG_DFL);
  raise(signal);
}

int remember_temporary(const char* path) {
  if (std::strlen(path) >= PATH_MAX) return -1;
  for (size_t i = 0; i < g_temporaries.size(); ++i) {
    if (g_temporaries[i].used) continue;
    std::strcpy(g_temporaries[i].path, path);
    g_temporaries[i].used = true;
    return static_cast<int>(i);
  }
  return -1;
}

void forget_temporary(int slot) {
  if (slot >= 0) g_temporaries[static_cast<size_t>(slot)].used = false;
}

}  // namespace ctv::tools
