// SPDX-License-Identifier: BSD-3-Clause
// Handling of SIGINT, SIGTERM, SIGHUP, SIGALRM, SIGUSR1 and SIGXCPU. The first signal sets a flag that loops
// and blocking reads check, so that destructors remove incomplete files. A second signal, in case the first
// waits in a long call, removes them and ends at once.
#pragma once

#include <string>

namespace ctv::tools {

/// Thrown after a signal.
struct Interrupted {
  std::string left = "nothing written under the output's name";  // state of the output, for the message
};

void install_signal_handlers();
void check_interrupted();
/// Defers the signal, so that results can be written; die_by_signal() still ends by it. Another signal
/// interrupts again.
void put_off_signal();
/// Ends the process by the received signal.
void die_by_signal();

struct Temporary;
/// Registers a path for the handler of a second signal to unlink, until forget_temporary().
Temporary* remember_temporary(const std::string& path);
void forget_temporary(Temporary* temporary);

}  // namespace ctv::tools
