// SPDX-License-Identifier: BSD-3-Clause
// The ends of a call as two processes, by UDP and in real time.
#pragma once

#include "ctcall/call.h"

namespace ctv::tools {

/// Sends to HOST:PORT, with the simulated network's losses in addition.
CallResult send_call(const CallOptions& options, const std::string& address, Source& source);
/// Receives at a port until nothing arrives for a second.
CallResult receive_call(const CallOptions& options, int64_t port, Sink& sink);

}  // namespace ctv::tools
