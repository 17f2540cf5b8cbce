// SPDX-License-Identifier: BSD-3-Clause
#include "bench/lab/gpu_module.hpp"

#include "bench/lab/load_module.hpp"
#include "bench/lab/nvjpeg/nvjpeg.hpp"

namespace ctv::lab {

const GpuModule* gpu_module(std::string& why) {
  static const auto loaded =
      load_module<GpuModule>("libctv_lab_cuda.so", "ctv_lab_cuda_module", kGpuModuleStamp,
                             "no GPU kernels: libctv_lab_cuda.so was not built");
  why = loaded.why;
  return loaded.module;
}

const NvjpegModule* nvjpeg_module(std::string& why) {
  static const auto loaded =
      load_module<NvjpegModule>("libctv_nvjpeg.so", "ctv_nvjpeg_module", kNvjpegModuleStamp,
                                "the build had no CUDA toolkit with nvJPEG");
  why = loaded.why;
  return loaded.module;
}

}  // namespace ctv::lab
