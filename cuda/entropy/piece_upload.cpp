// SPDX-License-Identifier: BSD-3-Clause
#include "cuda/entropy/piece_upload.hpp"

#include <algorithm>
#include <cstring>

namespace ctv::cuda {

Status PieceUpload::start(Device& device, size_t bytes, size_t padding, size_t most) {
  const size_t fixed = count_at_ + kCountBytes + padding + beyond_;
  CTV_RETURN_IF_ERROR(
      reserve_both(device, host_, device_, fixed + std::min(bytes, most), fixed + std::min(2 * bytes, most)));
  count() = 0;
  end_ = count_at_ + kCountBytes;
  return {};
}

void PieceUpload::put(size_t component, uint32_t first, std::span<const uint8_t> bytes,
                      std::span<const TilePiece> pieces) {
  const size_t begin = pieces.front().begin;
  const size_t size = pieces.back().begin + pieces.back().size - begin;
  auto* const pieces_end = reinterpret_cast<UploadedPiece*>(host_.data() + count_at_);
  const size_t at =
      end_.fetch_add(size + size % 2);  // words are aligned; a damaged piece may end in half a word
  for (const TilePiece& p : pieces) {
    if (p.size == 0) continue;  // all levels are 0
    const uint64_t before = std::atomic_ref(count()).fetch_add(1);
    pieces_end[-1 - static_cast<ptrdiff_t>(before)] = {
        at - count_at_ - kCountBytes + p.begin - begin, static_cast<uint32_t>(p.size),
        first + static_cast<uint32_t>(p.first), static_cast<uint32_t>(p.tiles),
        static_cast<uint32_t>(component)};
  }
  std::memcpy(host_.data() + at, bytes.data() + begin, size);
}

Status PieceUpload::upload(Device& device, cudaStream_t stream) {
  std::memset(host_.data() + end_, 0, beyond_);
  const size_t begin = count_at_ - static_cast<size_t>(count()) * sizeof(UploadedPiece);
  CTV_CUDA_TRY(device, cudaMemcpyAsync(device_.data() + begin, host_.data() + begin, end_ + beyond_ - begin,
                                       cudaMemcpyHostToDevice, stream));
  return {};
}

}  // namespace ctv::cuda
