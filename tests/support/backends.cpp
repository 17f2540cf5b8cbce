// SPDX-License-Identifier: BSD-3-Clause
#include "tests/support/backends.hpp"

#include <map>
#include <utility>

#include "cpu/cpu_backend.hpp"

namespace ctv::test {
namespace {

std::unique_ptr<Backend> unwrap(std::unique_ptr<Backend> backend) { return backend; }
[[maybe_unused]] std::unique_ptr<Backend> unwrap(Result<std::unique_ptr<Backend>> backend) {
  return backend.ok() ? std::move(*backend) : nullptr;
}

std::unique_ptr<Backend> make(const std::string& name) {
  if (name.rfind("cpu", 0) == 0) return unwrap(make_cpu_backend(std::stoi(name.substr(3))));
  return nullptr;
}

}  // namespace

const std::vector<std::string>& backend_names() {
  static const std::vector<std::string> names = {"cpu1", "cpu2", "cpu5"};
  return names;
}

Backend* find_backend(const std::string& name) {
  static std::map<std::string, std::unique_ptr<Backend>> made;
  auto [entry, fresh] = made.try_emplace(name);
  if (fresh) entry->second = make(name);
  return entry->second.get();
}

}  // namespace ctv::test
