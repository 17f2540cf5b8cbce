// SPDX-License-Identifier: BSD-3-Clause
#include "codec/entropy/deflate.hpp"

#if defined(CTV_HAVE_LIBDEFLATE)
#include <libdeflate.h>
#else
#include <zlib.h>
#endif

#include <new>

namespace ctv {
namespace {

constexpr int kCompressionLevel = 1;

}  // namespace

#if defined(CTV_HAVE_LIBDEFLATE)

// Created at first use: an encoder never inflates, a decoder never deflates, and a compressor takes half a
// megabyte.
struct Deflater::State {
  libdeflate_compressor* compressor = nullptr;
  libdeflate_decompressor* decompressor = nullptr;
  State() = default;
  ~State() {
    libdeflate_free_compressor(compressor);
    libdeflate_free_decompressor(decompressor);
  }
  State(const State&) = delete;
  State& operator=(const State&) = delete;
  libdeflate_compressor* to_deflate() {
    if (compressor == nullptr) compressor = libdeflate_alloc_compressor(kCompressionLevel);
    if (compressor == nullptr) throw std::bad_alloc();
    return compressor;
  }
  libdeflate_decompressor* to_inflate() {
    if (decompressor == nullptr) decompressor = libdeflate_alloc_decompressor();
    if (decompressor == nullptr) throw std::bad_alloc();
    return decompressor;
  }
};

size_t Deflater::bound(size_t size) { return libdeflate_deflate_compress_bound(nullptr, size); }

size_t Deflater::deflate(std::span<const uint8_t> in, std::span<uint8_t> out) {
  return libdeflate_deflate_compress(state_->to_deflate(), in.data(), in.size(), out.data(), out.size());
}

bool Deflater::inflate(std::span<const uint8_t> in, std::span<uint8_t> out, size_t& written) {
  size_t used = 0;
  return libdeflate_deflate_decompress_ex(state_->to_inflate(), in.data(), in.size(), out.data(), out.size(),
                                          &used, &written) == LIBDEFLATE_SUCCESS &&
         used == in.size();
}

#else

struct Deflater::State {
  z_stream deflate{};
  z_stream inflate{};
  State() = default;
  ~State() {
    if (deflate.state != nullptr) deflateEnd(&deflate);
    if (inflate.state != nullptr) inflateEnd(&inflate);
  }
  State(const State&) = delete;
  State& operator=(const State&) = delete;
  z_stream& to_deflate() {
    if (deflate.state == nullptr &&
        deflateInit2(&deflate, kCompressionLevel, Z_DEFLATED, -15, 9, Z_DEFAULT_STRATEGY) != Z_OK) {
      throw std::bad_alloc();
    }
    deflateReset(&deflate);
    return deflate;
  }
  z_stream& to_inflate() {
    if (inflate.state == nullptr && inflateInit2(&inflate, -15) != Z_OK) throw std::bad_alloc();
    inflateReset(&inflate);
    return inflate;
  }
};

size_t Deflater::bound(size_t size) { return size + (size >> 12) + (size >> 14) + (size >> 25) + 64; }

size_t Deflater::deflate(std::span<const uint8_t> in, std::span<uint8_t> out) {
  z_stream& z = state_->to_deflate();
  z.next_in = const_cast<Bytef*>(in.data());
  z.avail_in = static_cast<uInt>(in.size());
  z.next_out = out.data();
  z.avail_out = static_cast<uInt>(out.size());
  return ::deflate(&z, Z_FINISH) == Z_STREAM_END ? out.size() - z.avail_out : 0;
}

bool Deflater::inflate(std::span<const uint8_t> in, std::span<uint8_t> out, size_t& written) {
  z_stream& z = state_->to_inflate();
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
