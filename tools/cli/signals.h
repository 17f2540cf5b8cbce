// SPDX-License-Identifier: BSD-3-Clause
// Ctrl-C and friends. The first signal sets a flag that loops and blocking reads look at, so that destructors
// remove what is half-written; a second signal, should the first be stuck in a long call, removes and ends at
// once.
#pragma once

#include <string>

namespace ctv::tools {

/// Thrown once a signal has come.
struct Interrupted {
  std::string left = "nothing written under the output's name";  // what is left behind, for the message
};

void install_signal_handlers();
/// Throws Interrupted once a signal has come.
void check_interrupted();
/// Puts the signal off, so that what has been measured until then can be written; die_by_signal() still ends
/// by it. Another signal interrupts again.
void put_off_signal();
/// Ends the process by the signal that came.
void die_by_signal();

struct Temporary;
/// Remembers a path that the handler of a second signal unlinks, until forget_temporary.
Temporary* remember_temporary(const std::string& path);
void forget_temporary(Temporary* temporary);

}  // namespace ctv::tools
