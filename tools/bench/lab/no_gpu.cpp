// SPDX-License-Identifier: BSD-3-Clause
// What a build without CUDA answers.
#include "bench/lab/gpu.hpp"

namespace ctv::lab {
namespace {

Status no_gpu() { return {CTV_ERROR_DEVICE, "this ctbench was built without CUDA"}; }

}  // namespace

Result<std::string> gpu_name() { return no_gpu(); }
Status dct8x8_on_gpu(DctVariant, const GrayImage&, int, GrayImage&, DctTimes&) { return no_gpu(); }
Status idct_baseline(const MacroblockFrame&, int, std::vector<int16_t>&, GpuTimes&) { return no_gpu(); }
Status idct_compacted(IdctStep, int, const std::vector<int16_t>&, int, std::vector<int16_t>&, GpuTimes&) {
  return no_gpu();
}
Status idct_complete(const CompactedFrame&, bool, int, CompactedFrame&, double&) { return no_gpu(); }
Status transform_quantise_on_gpu(const YuvFrame&, int, int, std::vector<int16_t>&, GpuTimes&) {
  return no_gpu();
}
Status code_nvjpeg(const JpegClip&, int, int, JpegRun&) { return no_gpu(); }

}  // namespace ctv::lab
