// SPDX-License-Identifier: BSD-3-Clause
#include "tests/support/backends.hpp"

#include <map>
#include <utility>

#include "codec/backends.hpp"
#include "cpu/cpu_backend.hpp"
#include "cpu/runtime/simd.hpp"

namespace ctv::test {
namespace {

std::unique_ptr<Backend> make(const std::string& name) {
  if (name != "cuda") return make_cpu_backend(std::stoi(name.substr(3)));
  std::string why;
  auto backend = make_backend(CTV_BACKEND_CUDA, 0, 1, why);
  return backend.ok() ? std::move(*backend) : nullptr;
}

// Highway's targets that this build has and this machine supports, best first.
std::vector<std::pair<std::string, int64_t>> instruction_sets() {
  std::vector<std::pair<std::string, int64_t>> sets;
#if defined(HWY_COMPILE_ONLY_STATIC)  // one set, and perhaps no library of Highway
  sets.emplace_back(hwy::TargetName(HWY_STATIC_TARGET), HWY_STATIC_TARGET);
#elif defined(CTV_HAVE_HIGHWAY)
  for (const int64_t target : hwy::SupportedAndGeneratedTargets())
    sets.emplace_back(hwy::TargetName(target), target);
#endif
  return sets;
}

std::vector<std::string> make_names() {
  std::vector<std::string> names = {"cpu2"};
#if !defined(CTV_TEST_SANITIZED)
  names.emplace_back("cpu5");
#endif
  const auto sets = instruction_sets();
  for (size_t i = 1; i < sets.size(); ++i) names.push_back("cpu2_" + sets[i].first);
#if defined(CTV_TEST_CUDA)
  names.emplace_back("cuda");
#endif
  return names;
}

}  // namespace

const std::vector<std::string>& backend_names() {
  static const std::vector<std::string> names = make_names();
  return names;
}

std::string choose_instructions(const std::string& backend_name) {
  const size_t cut = backend_name.find('_');
  const auto sets = instruction_sets();
  for (const auto& [name, target] : sets) {
    if (cut != std::string::npos && backend_name.substr(cut + 1) != name) continue;
#if defined(CTV_HAVE_HIGHWAY) && !defined(HWY_COMPILE_ONLY_STATIC)
    hwy::GetChosenTarget().Update(target);
#else
    static_cast<void>(target);
#endif
    return name;
  }
  return "";
}

Backend* find_backend(const std::string& name) {
  static std::map<std::string, std::unique_ptr<Backend>> made;
  auto [entry, fresh] = made.try_emplace(name);
  if (fresh) entry->second = make(name);
  return entry->second.get();
}

}  // namespace ctv::test
