// SPDX-License-Identifier: BSD-3-Clause
// Convolution theorem: forward transform, product with the kernel's spectrum, inverse transform. The kernel's
// spectrum is made once, by the same transform, and carries the normalisation.
#include "codec/dsp/mirror.hpp"
#include "cuda/transform/fft_plan.hpp"

namespace ctv::cuda {
namespace {

constexpr int kThreads = 256;

__global__ void __launch_bounds__(kThreads)
    scale_kernel(const cufftDoubleComplex* from, cufftDoubleComplex* to, size_t size, double scale) {
  const size_t i = static_cast<size_t>(blockIdx.x) * kThreads + threadIdx.x;
  if (i < size) to[i] = {from[i].x * scale, from[i].y * scale};
}

// One layer of the grid per picture of the batch.
__global__ void __launch_bounds__(kThreads)
    multiply_kernel(cufftDoubleComplex* values, const cufftDoubleComplex* spectra, size_t size, int count) {
  const size_t i = static_cast<size_t>(blockIdx.x) * kThreads + threadIdx.x;
  if (i >= size) return;
  cufftDoubleComplex* v = values + blockIdx.y * size + i;
  const cufftDoubleComplex a = *v;
  const cufftDoubleComplex b = spectra[(blockIdx.y % static_cast<unsigned>(count)) * size + i];
  *v = {a.x * b.x - a.y * b.y, a.x * b.y + a.y * b.x};
}

Status fft_status(Device& device, cufftResult result, const char* call) {
  if (result == CUFFT_SUCCESS) return {};
  return device.fail(result == CUFFT_ALLOC_FAILED ? cudaErrorMemoryAllocation : cudaErrorUnknown, call);
}

}  // namespace

FftPlan::~FftPlan() {
  if (has_forward_) cufft_->destroy(forward_);
  if (has_inverse_) cufft_->destroy(inverse_);
}

Status FftPlan::make(Device& device, int rows, int cols, int batch) {
  CTV_ASSIGN_OR_RETURN(cufft_, CufftLibrary::load());
  rows_ = rows;
  cols_ = cols;
  batch_ = batch;
  int extent[2] = {rows, cols};
  CTV_RETURN_IF_ERROR(fft_status(
      device, cufft_->plan_many(&forward_, 2, extent, nullptr, 1, 0, nullptr, 1, 0, CUFFT_D2Z, batch),
      "cufftPlanMany"));
  has_forward_ = true;
  CTV_RETURN_IF_ERROR(fft_status(
      device, cufft_->plan_many(&inverse_, 2, extent, nullptr, 1, 0, nullptr, 1, 0, CUFFT_Z2D, batch),
      "cufftPlanMany"));
  has_inverse_ = true;
  return {};
}

// Planes have streams of their own.
Status FftPlan::follow_stream(Device& device) const {
  CTV_RETURN_IF_ERROR(fft_status(device, cufft_->set_stream(forward_, device.stream()), "cufftSetStream"));
  return fft_status(device, cufft_->set_stream(inverse_, device.stream()), "cufftSetStream");
}

Status FftPlan::make_spectra(Device& device, const FftWorkspace& work,
                             const std::vector<std::vector<FftTap>>& kernels) {
  CTV_RETURN_IF_ERROR(spectra_.allocate(device, kernels.size() * spectrum_size()));
  CTV_RETURN_IF_ERROR(follow_stream(device));
  // The first picture of the batch is the kernel, the others are of no interest.
  CTV_CUDA_TRY(device, cudaMemsetAsync(work.real.data(), 0, real_size() * sizeof(double), device.stream()));
  std::vector<double> picture(static_cast<size_t>(rows_) * static_cast<size_t>(cols_));
  for (size_t k = 0; k < kernels.size(); ++k) {
    std::fill(picture.begin(), picture.end(), 0.0);
    for (const FftTap& t : kernels[k]) {
      picture[static_cast<size_t>(wrap(-t.y, rows_)) * static_cast<size_t>(cols_) +
              static_cast<size_t>(wrap(-t.x, cols_))] += t.weight;
    }
    CTV_CUDA_TRY(device, cudaMemcpyAsync(work.real.data(), picture.data(), picture.size() * sizeof(double),
                                         cudaMemcpyHostToDevice, device.stream()));
    CTV_RETURN_IF_ERROR(fft_status(device, cufft_->exec_d2z(forward_, work.real.data(), work.complex.data()),
                                   "cufftExecD2Z"));
    const size_t size = spectrum_size();
    scale_kernel<<<static_cast<unsigned>((size + kThreads - 1) / kThreads), kThreads, 0, device.stream()>>>(
        work.complex.data(), spectra_.data() + k * size, size, 1.0 / (static_cast<double>(rows_) * cols_));
    CTV_RETURN_IF_ERROR(device.launched("scale_kernel"));
    CTV_CUDA_TRY(device, cudaStreamSynchronize(device.stream()));  // the picture is reused
  }
  return {};
}

Status FftPlan::convolve(Device& device, const FftWorkspace& work, int first, int count) const {
  CTV_RETURN_IF_ERROR(follow_stream(device));
  CTV_RETURN_IF_ERROR(
      fft_status(device, cufft_->exec_d2z(forward_, work.real.data(), work.complex.data()), "cufftExecD2Z"));
  const size_t size = spectrum_size();
  const dim3 grid(static_cast<unsigned>((size + kThreads - 1) / kThreads), static_cast<unsigned>(batch_));
  multiply_kernel<<<grid, kThreads, 0, device.stream()>>>(
      work.complex.data(), spectra_.data() + static_cast<size_t>(first) * size, size, count);
  CTV_RETURN_IF_ERROR(device.launched("multiply_kernel"));
  return fft_status(device, cufft_->exec_z2d(inverse_, work.complex.data(), work.real.data()),
                    "cufftExecZ2D");
}

}  // namespace ctv::cuda
