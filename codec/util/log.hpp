// SPDX-License-Identifier: BSD-3-Clause
// The log of the process: one callback of the caller, or silence.
#pragma once

#include <ctv/ctv.h>

#include <string>

namespace ctv {

/// Sets the callback; null silences the library.
void set_log_callback(ctv_log_callback callback, void* opaque);
/// Sends one line to the callback, if there is one. Any thread may call it.
void log_message(ctv_log_level level, const std::string& message);

}  // namespace ctv
