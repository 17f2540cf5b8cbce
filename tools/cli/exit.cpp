// SPDX-License-Identifier: BSD-3-Clause
#include "cli/exit.h"

#include <fcntl.h>
#if defined(_WIN32)
#include <io.h>
#include <windows.h>
#endif

#include <cstdio>
#include <new>

#include <ctv/ctv.hpp>

#include "cli/messages.h"
#include "cli/signals.h"

namespace ctv::tools {
namespace {

int fail(Exit code, const std::string& line) {
  say_error(line);
  return static_cast<int>(code);
}

#if defined(_WIN32)
/// Pipes and messages as on other systems: bytes as they are, and text in UTF-8.
void prepare_standard_descriptors() {
  for (int fd = 0; fd <= 2; ++fd) _setmode(fd, _O_BINARY);
  SetConsoleOutputCP(CP_UTF8);
}
#else
/// If descriptors 0 to 2 are closed, the next files opened would get them, and messages would be written to
/// these files. The substitutes cannot be read (0) or written (1, 2), so their use is still an error.
void prepare_standard_descriptors() {
  for (int fd = 0; fd <= 2; ++fd)
    if (fcntl(fd, F_GETFD) < 0) (void)open("/dev/null", fd == 0 ? O_WRONLY : O_RDONLY);
}
#endif

}  // namespace

Exit exit_of(ctv_status status) {
  switch (status) {
    case CTV_ERROR_ARGUMENT:
    case CTV_ERROR_UNSUPPORTED:
      return Exit::kUsage;
    case CTV_ERROR_STREAM:
    case CTV_ERROR_REFERENCE:
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

std::string line_of(const Error& e) {
  std::string line = ctv_status_name(e.status());
  if (line != e.what()) line += std::string(": ") + e.what();
  return e.status() == CTV_ERROR_MEMORY ? line + " (fewer threads or frames in flight need less)" : line;
}

std::string memory_line() { return line_of(Error(CTV_ERROR_MEMORY, ctv_status_name(CTV_ERROR_MEMORY))); }

int run_tool(const char* program, const std::function<Exit()>& body) {
  set_program_name(program);
  prepare_standard_descriptors();
  install_signal_handlers();
  try {
    const Exit code = body();
    if (std::fflush(stdout) != 0 || std::ferror(stdout) != 0)
      return fail(Exit::kFile, "cannot write standard output");
    return static_cast<int>(code);
  } catch (const Interrupted& e) {
    // Ends by the signal itself, so that a shell loop around the tool stops, too.
    fail(Exit::kFile, "interrupted, " + e.left);
    die_by_signal();
    return static_cast<int>(Exit::kFile);
  } catch (const Failure& e) {
    return fail(e.code(), e.what());
  } catch (const Error& e) {
    return fail(exit_of(e.status()), line_of(e));
  } catch (const std::bad_alloc&) {
    return fail(Exit::kLimit, memory_line());
  } catch (const std::exception& e) {
    return fail(Exit::kDefect, std::string("internal error: ") + e.what());
  }
}

}  // namespace ctv::tools
