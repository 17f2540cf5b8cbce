// SPDX-License-Identifier: BSD-3-Clause
#include "tests/support/backends.hpp"

#include <map>
#include <utility>

#include "codec/backends.hpp"
#include "cpu/cpu_backend.hpp"

namespace ctv::test {
namespace {

std::unique_ptr<Backend> make(const std::string& name) {
  if (name != "cuda") return make_cpu_backend(std::stoi(name.substr(3)));
  std::string why;
  auto backend = make_backend(CTV_BACKEND_CUDA, 0, 1, why);
  return backend.ok() ? std::move(*backend) : nullptr;
}

}  // namespace

const std::vector<std::string>& backend_names() {
  static const std::vector<std::string> names = {
#if !defined(CTV_TEST_SANITIZED)
    "cpu1",
    "cpu5",
#endif
    "cpu2",
#if defined(CTV_TEST_CUDA)
    "cuda"
#endif
  };
  return names;
}

Backend* find_backend(const std::string& name) {
  static std::map<std::string, std::unique_ptr<Backend>> made;
  auto [entry, fresh] = made.try_emplace(name);
  if (fresh) entry->second = make(name);
  return entry->second.get();
}

}  // namespace ctv::test
