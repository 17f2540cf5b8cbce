// SPDX-License-Identifier: BSD-3-Clause
// The log of the process: one callback.
#pragma once

#include <ctv/ctv.h>

namespace ctv {

/// Sets the callback; null, the initial value, disables logging.
void set_log_callback(ctv_log_callback callback, void* opaque);
/// Passes one line to the callback, if one is set. Thread-safe.
void log_message(ctv_log_level level, const char* message);
/// Around fork(), so that the child does not get the lock of another thread.
void lock_log();
void unlock_log();

}  // namespace ctv
