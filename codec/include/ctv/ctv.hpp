// SPDX-License-Identifier: BSD-3-Clause
// ctv for C++20: handles that close themselves, statuses as exceptions. Header only, over the C interface.
#pragma once

#include <ctv/ctv.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <utility>

namespace ctv {

/// A failed call: what() is the library's one line, status() its class.
class Error : public std::runtime_error {
 public:
  Error(ctv_status status, const std::string& message) : std::runtime_error(message), status_(status) {}
  ctv_status status() const noexcept { return status_; }

 private:
  ctv_status status_;
};

/// Throws Error for a negative status; passes CTV_OK, CTV_AGAIN and CTV_END on.
inline ctv_status check(ctv_status status) {
  if (status < 0) throw Error(status, ctv_last_error());
  return status;
}

/// A configuration made from a preset: set width, height, format and what else differs.
struct Config : ctv_config {
  explicit Config(const char* preset = "default") : ctv_config{} { check(ctv_config_init(this, preset)); }
};

struct DecoderConfig : ctv_decoder_config {
  DecoderConfig() : ctv_decoder_config{} { check(ctv_decoder_config_init(this)); }
};

/// An empty picture descriptor of the given shape; fill data and stride.
inline ctv_picture make_picture(ctv_format format, int32_t width, int32_t height) {
  ctv_picture p{};
  p.struct_size = sizeof p;
  p.format = format;
  p.width = width;
  p.height = height;
  return p;
}

/// Memory for borrowed pictures (ctv_host_alloc): page-locked where the backend is a device.
class HostMemory {
 public:
  HostMemory() = default;
  explicit HostMemory(size_t size, ctv_backend backend = CTV_BACKEND_AUTO, int32_t device = 0) : size_(size) {
    void* data = nullptr;
    check(ctv_host_alloc(size, backend, device, &data));
    data_.reset(static_cast<uint8_t*>(data));
  }
  uint8_t* data() const noexcept { return data_.get(); }
  size_t size() const noexcept { return size_; }

 private:
  struct Free {
    void operator()(uint8_t* data) const noexcept { ctv_host_free(data); }
  };
  std::unique_ptr<uint8_t, Free> data_;
  size_t size_ = 0;
};

/// One unit of the stream; bytes are valid until the encoder's next call.
struct Unit : ctv_unit {
  Unit() : ctv_unit{} { struct_size = sizeof(ctv_unit); }
  std::span<const uint8_t> bytes() const { return {data, size}; }
};

class Encoder {
 public:
  explicit Encoder(const ctv_config& config) {
    ctv_encoder* e = nullptr;
    check(ctv_encoder_open(&config, &e));
    handle_.reset(e);
  }
  Unit header() { return unit(&ctv_encoder_header); }
  Unit index() { return unit(&ctv_encoder_index); }
  /// False: receive first (frames_in_flight frames are waiting).
  bool send(const ctv_picture& picture) { return check(ctv_encoder_send(handle_.get(), &picture)) == CTV_OK; }
  /// The next packet, or nothing.
  std::optional<Unit> receive() {
    Unit u;
    if (check(ctv_encoder_receive(handle_.get(), &u)) != CTV_OK) return std::nullopt;
    return u;
  }
  void flush() { check(ctv_encoder_flush(handle_.get())); }
  void request_key_frame() { check(ctv_encoder_request_key_frame(handle_.get())); }
  void set_qp(int32_t qp) { check(ctv_encoder_set_quantiser(handle_.get(), qp, 0)); }
  void set_step(double step) { check(ctv_encoder_set_quantiser(handle_.get(), -1, step)); }
  void set_crf(double crf) { check(ctv_encoder_set_crf(handle_.get(), crf)); }
  void set_bitrate(int64_t bitrate, int64_t max_frame_bytes = 0) {
    check(ctv_encoder_set_bitrate(handle_.get(), bitrate, max_frame_bytes));
  }
  std::string description() const { return ctv_encoder_description(handle_.get()); }
  ctv_encoder* get() const noexcept { return handle_.get(); }

 private:
  Unit unit(ctv_status (*f)(ctv_encoder*, ctv_unit*)) {
    Unit u;
    check(f(handle_.get(), &u));
    return u;
  }
  struct Close {
    void operator()(ctv_encoder* e) const noexcept { ctv_encoder_close(e); }
  };
  std::unique_ptr<ctv_encoder, Close> handle_;
};

class Decoder {
 public:
  explicit Decoder(const ctv_decoder_config& config = DecoderConfig()) {
    ctv_decoder* d = nullptr;
    check(ctv_decoder_open(&config, &d));
    handle_.reset(d);
  }
  /// False: receive first.
  bool send(std::span<const uint8_t> unit) {
    return check(ctv_decoder_send(handle_.get(), unit.data(), unit.size())) == CTV_OK;
  }
  /// The next picture, or nothing; its planes are valid until the decoder's next call.
  std::optional<ctv_picture> receive() {
    ctv_picture p{};
    p.struct_size = sizeof p;
    if (check(ctv_decoder_receive(handle_.get(), &p)) != CTV_OK) return std::nullopt;
    return p;
  }
  void flush() { check(ctv_decoder_flush(handle_.get())); }
  void reset() { check(ctv_decoder_reset(handle_.get())); }
  std::string description() const { return ctv_decoder_description(handle_.get()); }
  ctv_decoder* get() const noexcept { return handle_.get(); }

 private:
  struct Close {
    void operator()(ctv_decoder* d) const noexcept { ctv_decoder_close(d); }
  };
  std::unique_ptr<ctv_decoder, Close> handle_;
};

}  // namespace ctv
