// SPDX-License-Identifier: BSD-3-Clause
#include "cli/signals.h"

#include <unistd.h>

#include <atomic>
#include <csignal>

namespace ctv::tools {

// A list that only grows, because a signal handler must not allocate or lock.
struct Temporary {
  std::string path;
  std::atomic<bool> used{true};
  Temporary* next = nullptr;
};

namespace {

volatile std::sig_atomic_t g_signal = 0;
volatile std::sig_atomic_t g_put_off = 0;

std::atomic<Temporary*> g_temporaries{nullptr};

void handle(int signal) {
  if (g_signal != 0) {
    for (const Temporary* t = g_temporaries; t != nullptr; t = t->next)
      if (t->used) unlink(t->path.c_str());
    std::signal(signal, SIG_DFL);
    raise(signal);
  }
  g_signal = signal;
#if defined(_WIN32)
  std::signal(signal, handle);  // which each signal resets
#endif
}

}  // namespace

void install_signal_handlers() {
#if defined(_WIN32)
  for (const int signal : {SIGINT, SIGTERM, SIGBREAK}) std::signal(signal, handle);
#else
  struct sigaction action {};
  action.sa_handler = handle;
  sigemptyset(&action.sa_mask);
  // No SA_RESTART: a blocked read returns, and its caller checks the flag.
  // Batch systems and limits of processor time send the last three.
  for (const int signal : {SIGINT, SIGTERM, SIGHUP, SIGALRM, SIGUSR1, SIGXCPU}) {
    struct sigaction previous {};
    sigaction(signal, nullptr, &previous);
    if (previous.sa_handler != SIG_IGN) sigaction(signal, &action, nullptr);  // keeps the effect of nohup
  }
  std::signal(SIGPIPE, SIG_IGN);  // a closed pipe is an error of write()
  std::signal(SIGXFSZ, SIG_IGN);  // and so is a file at its limit
#endif
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

Temporary* remember_temporary(const std::string& path) {
  auto* temporary = new Temporary{path};
  temporary->next = g_temporaries;
  while (!g_temporaries.compare_exchange_weak(temporary->next, temporary)) {
  }
  return temporary;
}

void forget_temporary(Temporary* temporary) {
  if (temporary != nullptr) temporary->used = false;
}

}  // namespace ctv::tools
