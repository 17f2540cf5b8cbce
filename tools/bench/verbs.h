// SPDX-License-Identifier: BSD-3-Clause
// The verbs of ctbench. Each gets the remaining arguments, with its own name as argv[0].
#pragma once

#include "cli/exit.h"

namespace ctv::tools {

Exit run_rd(int argc, const char* const* argv);
Exit run_speedup(int argc, const char* const* argv);
Exit run_peers(int argc, const char* const* argv);
Exit run_pictures(int argc, const char* const* argv);
Exit run_scale(int argc, const char* const* argv);
Exit run_latency(int argc, const char* const* argv);
Exit run_streams(int argc, const char* const* argv);
Exit run_loss(int argc, const char* const* argv);
Exit run_papers(int argc, const char* const* argv);
Exit run_all(int argc, const char* const* argv);
Exit run_report(int argc, const char* const* argv);

}  // namespace ctv::tools
