// SPDX-License-Identifier: BSD-3-Clause
// A CUDA module of another build is refused before any of its functions is called.
#include "cuda/cuda_module.hpp"

#include <gtest/gtest.h>

#include "codec/backends.hpp"

namespace ctv {
namespace {

TEST(CudaModule, OfAnotherBuildIsRefused) {
  for (const uint64_t stamp : {uint64_t{0}, uint64_t{2}, ~uint64_t{0}}) {
    const CudaModule module{stamp, nullptr, nullptr, nullptr, nullptr, nullptr, nullptr};
    const Status status = check_cuda_module(module);
    EXPECT_EQ(status.code(), CTV_ERROR_DEVICE);
    EXPECT_NE(status.message().find("built from other sources"), std::string::npos) << status.message();
  }
}

}  // namespace
}  // namespace ctv
