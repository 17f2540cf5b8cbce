// SPDX-License-Identifier: BSD-3-Clause
#include "cli/exit.h"

#include <csignal>
#include <cstdio>
#include <new>

#include <ctv/ctv.hpp>

#include "cli/progress.h"
#include "cli/signals.h"

namespace ctv::tools {
namespace {

int fail(const char* program, Exit code, const std::string& line) {
  clear_progress_line();
  std::fprintf(stderr, "%s: %s\n", program, line.c_str());
  return static_cast<int>(code);
}

}  // namespace

Exit exit_of(ctv_status status) {
  switch (status) {
    case CTV_ERROR_ARGUMENT:
    case CTV_ERROR_UNSUPPORTED:
      return Exit::kUsage;
    case CTV_ERROR_STREAM:
    case CTV_ERROR_STATE:
      return Exit::kStream;
    case CTV_ERROR_LIMIT:
    case CTV_ERROR_MEMORY:
      return Exit::kLimit;
    case CTV_ERROR_DEVICE:
      return Exit::kDevice;
    default:
      return status < 0 ? Exit::kDefect : Exit::kOk;
  }
}

int run_tool(const char* program, const std::function<Exit()>& body) {
  install_signal_handlers();
  try {
    return static_cast<int>(body());
  } catch (const Interrupted&) {
    // Die by the signal itself, so that a shell loop around the tool stops as well.
    fail(program, Exit::kFile, "interrupted, nothing written under the output's name");
    die_by_signal();
    return static_cast<int>(Exit::kFile);
  } catch (const Failure& e) {
    return fail(program, e.code(), e.what());
  } catch (const Error& e) {
    return fail(program, exit_of(e.status()), std::string(ctv_status_name(e.status())) + ": " + e.what());
  } catch (const std::bad_alloc&) {
    return fail(program, Exit::kLimit, "out of memory");
  } catch (const std::exception& e) {
    return fail(program, Exit::kDefect, std::string("internal error: ") + e.what());
  }
}

}  // namespace ctv::tools
