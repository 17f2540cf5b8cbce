// SPDX-License-Identifier: BSD-3-Clause
#include "bench/process.h"

#include <fcntl.h>
#include <poll.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <filesystem>

#include "cli/exit.h"
#include "cli/signals.h"
#include "cli/text.h"

extern char** environ;

namespace ctv::tools {
namespace {

constexpr size_t kKeptOutput = size_t{1} << 20;

/// Reads all the program says until it ends; a signal to us ends it.
std::string drain(int fd, pid_t child) {
  std::string output;
  char buffer[4096];
  for (;;) {
    pollfd wait{fd, POLLIN, 0};
    poll(&wait, 1, 200);  // an interruption shows at the latest after this time
    try {
      check_interrupted();
    } catch (const Interrupted&) {
      kill(child, SIGKILL);
      waitpid(child, nullptr, 0);
      close(fd);
      throw;
    }
    if (wait.revents == 0) continue;
    const ssize_t n = read(fd, buffer, sizeof buffer);
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) break;
    output.append(buffer, static_cast<size_t>(n));
    if (output.size() > 2 * kKeptOutput) output.erase(0, output.size() - kKeptOutput);
  }
  close(fd);
  return output;
}

}  // namespace

std::optional<std::string> find_program(const std::string& name) {
  const char* path = std::getenv("PATH");
  for (const std::string& folder : split(path != nullptr ? path : "/usr/bin:/bin", ':')) {
    const std::string candidate = (folder.empty() ? "." : folder) + "/" + name;
    if (access(candidate.c_str(), X_OK) == 0 && !std::filesystem::is_directory(candidate)) return candidate;
  }
  return std::nullopt;
}

std::string ProcessResult::last_line() const {
  std::string last;
  for (const std::string& line : split(output, '\n')) {
    const std::string visible =
        line.substr(line.find_last_of('\r') == std::string::npos ? 0 : line.find_last_of('\r') + 1);
    if (visible.find_first_not_of(" \t") != std::string::npos) last = visible;
  }
  return last;
}

ProcessResult run_process(const std::vector<std::string>& command) {
  check_interrupted();
  std::vector<char*> argv;
  for (const std::string& word : command) argv.push_back(const_cast<char*>(word.c_str()));
  argv.push_back(nullptr);
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0)
    throw Failure(Exit::kFile, std::string("no pipe: ") + std::strerror(errno));
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO);
  posix_spawn_file_actions_adddup2(&actions, ends[1], STDERR_FILENO);
  const auto start = std::chrono::steady_clock::now();
  pid_t child = 0;
  const int error = posix_spawnp(&child, argv[0], &actions, nullptr, argv.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  close(ends[1]);
  if (error != 0) {
    close(ends[0]);
    throw Failure(Exit::kFile, command[0] + " does not start: " + std::strerror(error));
  }
  ProcessResult result;
  result.output = drain(ends[0], child);
  int status = 0;
  while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  result.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  result.code = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  check_interrupted();
  return result;
}

std::string shown_command(const std::vector<std::string>& command) {
  std::string shown;
  for (const std::string& word : command) {
    const bool plain = !word.empty() && word.find_first_not_of(
                                            "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
                                            "-_./:=,+@%") == std::string::npos;
    shown += (shown.empty() ? "" : " ") + (plain ? word : "'" + word + "'");
  }
  return shown;
}

ScratchFolder::ScratchFolder() {
  const char* base = std::getenv("TMPDIR");
  std::string pattern = std::string(base != nullptr && *base != 0 ? base : "/tmp") + "/ctbench-XXXXXX";
  if (mkdtemp(pattern.data()) == nullptr)
    throw Failure(Exit::kFile, "no folder for temporary files: " + pattern + ": " + std::strerror(errno),
                  "set TMPDIR");
  path_ = pattern;
}

ScratchFolder::~ScratchFolder() {
  std::error_code ignored;
  std::filesystem::remove_all(path_, ignored);
}

}  // namespace ctv::tools
