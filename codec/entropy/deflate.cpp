// SPDX-License-Identifier: BSD-3-Clause
#include "codec/entropy/deflate.hpp"

#if defined(CTV_HAVE_LIBDEFLATE)
#include <libdeflate.h>
#else
#include <zlib.h>
#endif

#include <new>

namespace ctv {

#if defined(CTV_HAVE_LIBDEFLATE)

namespace {
constexpr int kCompressionLevel = 6;
}

struct Deflater::State {
  libdeflate_compressor* compressor = libdeflate_alloc_compressor(kCompressionLevel);
  libdeflate_decompressor* decompressor = libdeflate_alloc_decompressor();
  State() {
    if (compressor == nullptr || decompressor == nullptr) {
      release();
      throw std::bad_alloc();
    }
  }
  ~State() { release(); }
  State(const State&) = delete;
  State& operator=(const State&) = delete;
  void release() const {
    libdeflate_free_compressor(compressor);
    libdeflate_free_decompressor(decompressor);
  }
};

size_t Deflater::bound(size_t size) { return libdeflate_deflate_compress_bound(nullptr, size); }

size_t Deflater::deflate(std::span<const uint8_t> in, std::span<uint8_t> out) {
  return libdeflate_deflate_compress(state_->compressor, in.data(), in.size(), out.data(), out.size());
}

bool Deflater::inflate(std::span<const uint8_t> in, std::span<uint8_t> out, size_t& written) {
  size_t used = 0;
  return libdeflate_deflate_decompress_ex(state_->decompressor, in.data(), in.size(), out.data(), out.size(), &used,
                                          &written) == LIBDEFLATE_SUCCESS &&
         used == in.size();
}

#else

struct Deflater::State {
  z_stream deflate{};
  z_stream inflate{};
  State() {
    if (deflateInit2(&deflate, 6, Z_DEFLATED, -15, 9, Z_DEFAULT_STRATEGY) != Z_OK) throw std::bad_alloc();
    if (inflateInit2(&inflate, -15) != Z_OK) {
      deflateEnd(&deflate);
      throw std::bad_alloc();
    }
  }
  ~State() {
    deflateEnd(&deflate);
    inflateEnd(&inflate);
  }
  State(const State&) = delete;
  State& operator=(const State&) = delete;
};

size_t Deflater::bound(size_t size) { return size + (size >> 12) + (size >> 14) + (size >> 25) + 64; }

size_t Deflater::deflate(std::span<const uint8_t> in, std::span<uint8_t> out) {
  z_stream& z = state_->deflate;
  deflateReset(&z);
  z.next_in = const_cast<Bytef*>(in.data());
  z.avail_in = static_cast<uInt>(in.size());
  z.next_out = out.data();
  z.avail_out = static_cast<uInt>(out.size());
  return ::deflate(&z, Z_FINISH) == Z_STREAM_END ? out.size() - z.avail_out : 0;
}

bool Deflater::inflate(std::span<const uint8_t> in, std::span<uint8_t> out, size_t& written) {
  z_stream& z = state_->inflate;
  inflateReset(&z);
  z.next_in = const_cast<Bytef*>(in.data());
  z.avail_in = static_cast<uInt>(in.size());
  z.next_out = out.data();
  z.avail_out = static_cast<uInt>(out.size());
  const int result = ::inflate(&z, Z_FINISH);
  written = out.size() - z.avail_out;
  return result == Z_STREAM_END && z.avail_in == 0;
}

#endif

Deflater::Deflater() : state_(std::make_unique<State>()) {}
Deflater::~Deflater() = default;
Deflater::Deflater(Deflater&&) noexcept = default;
Deflater& Deflater::operator=(Deflater&&) noexcept = default;

}  // namespace ctv
