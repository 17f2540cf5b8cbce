// SPDX-License-Identifier: BSD-3-Clause
// All backends of this build and machine, by name, for tests that are written once:
//
//   class Colour : public ctv::test::BackendTest {};
//   TEST_P(Colour, ...) { backend().make_picture_transfer(...) ... }
//   CTV_FOR_EACH_BACKEND(Colour);
//
// "cpu2" and "cpu5" are the CPU with 2 and 5 threads and the best instruction set; builds with sanitizers
// have "cpu2" alone. One thread is compared with several in tests of the transform and of whole streams.
// "cpu2_AVX2" uses that set; there is one for each set but the best that the build has and the machine runs.
// "cuda" exists if the build has it; without a device its tests are skipped.
#pragma once

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "codec/backend/backend.hpp"

namespace ctv::test {

#if defined(CTV_TEST_SANITIZED)
inline constexpr bool kSanitized = true;  // too slow for large pictures
#else
inline constexpr bool kSanitized = false;
#endif

/// The backends of this build, for streams.
inline std::vector<ctv_backend> built_backends() {
#if defined(CTV_TEST_CUDA)
  return {CTV_BACKEND_CPU, CTV_BACKEND_CUDA};
#else
  return {CTV_BACKEND_CPU};
#endif
}

const std::vector<std::string>& backend_names();
/// Created at first use and kept for the process; nullptr if this machine cannot run it.
Backend* find_backend(const std::string& name);
/// Makes all kernels of the CPU use the instruction set in a backend's name. Returns its name, "" if there is
/// no choice.
std::string choose_instructions(const std::string& backend_name);

class BackendTest : public testing::TestWithParam<std::string> {
 protected:
  void SetUp() override {
    backend_ = find_backend(GetParam());
    if (backend_ == nullptr) GTEST_SKIP() << "no " << GetParam() << " backend on this machine";
    choose_instructions(GetParam());
  }
  void TearDown() override { choose_instructions("cpu2"); }
  Backend& backend() { return *backend_; }

 private:
  Backend* backend_ = nullptr;
};

/// For EXPECT_TRUE: prints the message of a failed Status or Result.
inline testing::AssertionResult ok(const Status& status) {
  if (status.ok()) return testing::AssertionSuccess();
  return testing::AssertionFailure() << ctv_status_name(status.code()) << ": " << status.message();
}
template <typename T>
testing::AssertionResult ok(const Result<T>& result) {
  return result.ok() ? testing::AssertionSuccess() : ok(result.status());
}

}  // namespace ctv::test

#define CTV_FOR_EACH_BACKEND(fixture)                                                        \
  INSTANTIATE_TEST_SUITE_P(Backends, fixture, testing::ValuesIn(ctv::test::backend_names()), \
                           [](const testing::TestParamInfo<std::string>& i) { return i.param; })
