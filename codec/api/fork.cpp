// SPDX-License-Identifier: BSD-3-Clause
#include "codec/api/fork.hpp"

#include <atomic>

#if defined(__linux__) || defined(__APPLE__)
#include <pthread.h>

#include "codec/backends.hpp"
#include "codec/entropy/residual_tables.hpp"
#include "codec/entropy/tile_tables.hpp"
#include "codec/util/log.hpp"
#include "codec/util/parallel.hpp"
#endif

namespace ctv::api {

#if defined(__linux__) || defined(__APPLE__)
namespace {

// A static that another thread is making would stay half-made in the child: fork() waits for each.
void before() {
  tile_tables();
  residual_tables();
  detail::prepare_team();
  lock_backends();
  lock_log();
}

void in_parent() {
  unlock_log();
  unlock_backends();
}

void in_child() {
  in_parent();
  detail::renew_team();
}

}  // namespace

void survive_forks() noexcept {
  static std::atomic<bool> registered{false};  // a lock would have the fault that it is to prevent
  if (!registered.exchange(true)) pthread_atfork(&before, &in_parent, &in_child);
}
#else
void survive_forks() noexcept {}
#endif

}  // namespace ctv::api
