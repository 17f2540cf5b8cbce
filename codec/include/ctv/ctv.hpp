// SPDX-License-Identifier: BSD-3-Clause
/**
 * @file
 * ctv for C++20: handles that close themselves, and exceptions for errors. Header only, on top of ctv.h.
 *
 * The rules of ctv.h hold, for example one thread at a time per object. Functions throw ctv::Error where
 * the C function returns an error. Objects are movable, not copyable; a moved-from object may only be
 * destroyed or assigned. */
#pragma once

#if !(__cplusplus >= 202002L || (defined(_MSVC_LANG) && _MSVC_LANG >= 202002L))
#error "ctv.hpp needs C++20 (-std=c++20); ctv.h is for C and for older C++"
#elif !defined(__cpp_exceptions)
#error "ctv.hpp needs exceptions; ctv.h does not"
#endif

#include <ctv/ctv.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace ctv {

/** A failed call. what() is the message of ctv_last_error(). */
class Error : public std::runtime_error {
 public:
  /** Constructs an error from the result of a C function. */
  Error(ctv_status status, const std::string& message) : std::runtime_error(message), status_(status) {}
  /** Returns the C function's result, a negative value. */
  ctv_status status() const noexcept { return status_; }

 private:
  ctv_status status_;
};

/** Throws Error if status is negative; returns CTV_OK, CTV_AGAIN and CTV_END unchanged. */
inline ctv_status check(ctv_status status) {
  if (status < 0) throw Error(status, ctv_last_error());
  return status;
}

/** Configuration of an encoder, filled from a preset. Set width, height, format and the members that
 * should differ. */
struct Config : ctv_config {
  /** @param preset a name of ctv_preset_name(); throws Error if it is unknown */
  explicit Config(const char* preset = "default") : ctv_config{} { check(ctv_config_init(this, preset)); }
};

/** Configuration of a decoder, filled with defaults. */
struct DecoderConfig : ctv_decoder_config {
  DecoderConfig() : ctv_decoder_config{} { check(ctv_decoder_config_init(this)); }
};

/** Returns the names of the presets; ctv_preset_description() describes them. */
[[nodiscard]] inline std::vector<std::string> preset_names() {
  std::vector<std::string> names;
  for (int i = 0; ctv_preset_name(i) != nullptr; ++i) names.emplace_back(ctv_preset_name(i));
  return names;
}

/** Returns the usable CUDA devices. */
[[nodiscard]] inline std::vector<ctv_device_info> devices() {
  std::vector<ctv_device_info> all(static_cast<size_t>(ctv_device_count()));
  for (size_t i = 0; i < all.size(); ++i) {
    ctv_device_info_init(&all[i]);
    check(ctv_device_get_info(static_cast<int>(i), &all[i]));
  }
  return all;
}

/** Returns a picture in host memory with null planes. Set data and stride.
 * @param format arrangement of the samples
 * @param width luma samples
 * @param height luma samples */
[[nodiscard]] inline ctv_picture make_picture(ctv_format format, int32_t width, int32_t height) {
  ctv_picture p;
  ctv_picture_init(&p);
  p.format = format;
  p.width = width;
  p.height = height;
  return p;
}

/** Host memory for borrowed pictures, page-locked if the CUDA backend would run (ctv_host_alloc()). */
class HostMemory {
 public:
  HostMemory() = default;
  /** Allocates memory, contents undefined.
   * @param size bytes
   * @param backend the encoder's backend
   * @param device as in ctv_config */
  explicit HostMemory(size_t size, ctv_backend backend = CTV_BACKEND_AUTO, int32_t device = 0) : size_(size) {
    void* data = nullptr;
    check(ctv_host_alloc(size, backend, device, &data));
    data_.reset(static_cast<uint8_t*>(data));
  }
  /** Returns the first byte, aligned to 256 bytes; null if default-constructed. */
  uint8_t* data() const noexcept { return data_.get(); }
  /** Returns the size in bytes. */
  size_t size() const noexcept { return size_; }

 private:
  struct Free {
    void operator()(uint8_t* data) const noexcept { ctv_host_free(data); }
  };
  std::unique_ptr<uint8_t, Free> data_;
  size_t size_ = 0;
};

/** A view of one unit of the stream. The encoder owns the bytes; its next send(), receive() or destruction
 * invalidates them. Copy bytes() to keep them. */
struct Unit : ctv_unit {
  Unit() : ctv_unit{} { ctv_unit_init(this); }
  /** Returns the unit's bytes, valid as long as the view. */
  [[nodiscard]] std::span<const uint8_t> bytes() const { return {data, size}; }
};

namespace detail {

/** Returns the stage times that `get` writes for a handle. */
template <typename Handle>
std::vector<ctv_stage_time> stage_times(ctv_status (*get)(Handle*, ctv_stage_time*, size_t, size_t*),
                                        Handle* handle) {
  size_t count = 0;
  check(get(handle, nullptr, 0, &count));
  std::vector<ctv_stage_time> times(count);
  check(get(handle, times.data(), count, &count));
  return times;
}

}  // namespace detail

/** An encoder. */
class Encoder {
 public:
  /** Opens an encoder (ctv_encoder_open()). */
  explicit Encoder(const ctv_config& config) {
    ctv_encoder* e = nullptr;
    check(ctv_encoder_open(&config, &e));
    handle_.reset(e);
  }
  /** Returns the sequence header, with which a stream starts. */
  [[nodiscard]] Unit header() { return unit(&ctv_encoder_header); }
  /** Returns the index for a file's end (ctv_encoder_index()). Call it after flush() and the last packet. */
  [[nodiscard]] Unit index() { return unit(&ctv_encoder_index); }
  /** Sends a picture; its samples are copied unless it is borrowed (ctv_encoder_send()).
   * @return false if the picture was not taken, because frames_in_flight frames wait for receive() */
  [[nodiscard]] bool send(const ctv_picture& picture) {
    return check(ctv_encoder_send(handle_.get(), &picture)) == CTV_OK;
  }
  /** Sends a picture with options (ctv_encoder_send_frame()).
   * @return false if the picture was not taken */
  [[nodiscard]] bool send(const ctv_picture& picture, const ctv_frame_options& options) {
    return check(ctv_encoder_send_frame(handle_.get(), &picture, &options)) == CTV_OK;
  }
  /** Reports that the receiver decoded a frame without damage (ctv_encoder_acknowledge()). */
  void acknowledge(int64_t frame) { check(ctv_encoder_acknowledge(handle_.get(), frame)); }
  /** Reports that a receiver lacks a frame or a part of it (ctv_encoder_lost()). */
  void lost(int64_t frame) { check(ctv_encoder_lost(handle_.get(), frame)); }
  /** Receives the next packet.
   * @return nothing if no packet is ready, or if all were received after flush() */
  [[nodiscard]] std::optional<Unit> receive() {
    Unit u;
    if (check(ctv_encoder_receive(handle_.get(), &u)) != CTV_OK) return std::nullopt;
    return u;
  }
  /** Ends the input; receive() then returns the remaining packets. */
  void flush() { check(ctv_encoder_flush(handle_.get())); }
  /** Makes the next picture a key frame. */
  void request_key_frame() { check(ctv_encoder_request_key_frame(handle_.get())); }
  /** Sets the quantiser from the next picture on: qp 0..51. */
  void set_qp(int32_t qp) { check(ctv_encoder_set_quantiser(handle_.get(), qp, 0)); }
  /** Sets the quantiser from the next picture on: step in samples of 8 bits, 1/16..4095. */
  void set_step(double step) { check(ctv_encoder_set_quantiser(handle_.get(), -1, step)); }
  /** Changes the configuration; the next frame is a key frame. All packets must have been received. */
  void reconfigure(const ctv_config& config) { check(ctv_encoder_reconfigure(handle_.get(), &config)); }
  /** Sets constant quality from the next picture on: crf 0..51, or -1 to return to the quantiser. */
  void set_crf(double crf) { check(ctv_encoder_set_crf(handle_.get(), crf)); }
  /** Sets bits per second and bytes per packet from the next picture on; 0: none. */
  void set_bitrate(int64_t bitrate, int64_t max_frame_bytes = 0) {
    check(ctv_encoder_set_bitrate(handle_.get(), bitrate, max_frame_bytes));
  }
  /** Sets the number of temporal layers, 1..3, from the next picture on. */
  void set_temporal_layers(int32_t layers) { check(ctv_encoder_set_temporal_layers(handle_.get(), layers)); }
  /** Returns which backend and engine run and why, in one line. */
  [[nodiscard]] std::string description() const { return ctv_encoder_description(handle_.get()); }
  /** Returns the time spent in each stage since the encoder was opened. */
  [[nodiscard]] std::vector<ctv_stage_time> stage_times() const {
    return detail::stage_times(&ctv_encoder_stage_times, handle_.get());
  }
  /** Returns the C handle; the object keeps it. */
  [[nodiscard]] ctv_encoder* get() const noexcept { return handle_.get(); }

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

/** A decoder. */
class Decoder {
 public:
  /** Opens a decoder (ctv_decoder_open()). */
  explicit Decoder(const ctv_decoder_config& config = DecoderConfig()) {
    ctv_decoder* d = nullptr;
    check(ctv_decoder_open(&config, &d));
    handle_.reset(d);
  }
  /** Sends one whole unit, which is copied (ctv_decoder_send_unit()).
   * @param unit its bytes
   * @param opaque returned in the picture, if the unit is a packet
   * @return false if the unit was not taken, because pictures wait for receive() */
  [[nodiscard]] bool send(std::span<const uint8_t> unit, void* opaque = nullptr) {
    ctv_unit u{};
    u.struct_size = sizeof u;
    u.data = unit.data();
    u.size = unit.size();
    u.opaque = opaque;
    return check(ctv_decoder_send_unit(handle_.get(), &u)) == CTV_OK;
  }
  /** Sends a packet without some of its parts (ctv_decoder_send_damaged()).
   * @return false if the unit was not taken */
  [[nodiscard]] bool send_damaged(const ctv_unit& unit, std::span<const uint8_t> missing) {
    return check(ctv_decoder_send_damaged(handle_.get(), &unit, missing.data(), missing.size())) == CTV_OK;
  }
  /** Returns the undamaged frames in the decoder's slots (ctv_decoder_held()). */
  [[nodiscard]] std::vector<int64_t> held() const {
    std::vector<int64_t> frames(8);
    size_t count = 0;
    check(ctv_decoder_held(handle_.get(), frames.data(), frames.size(), &count));
    frames.resize(count);
    return frames;
  }
  /** Receives the next picture. The decoder owns its planes; its next send(), receive() or destruction
   * invalidates them.
   * @return nothing if no picture is ready, or if all were received after flush() */
  [[nodiscard]] std::optional<ctv_picture> receive() {
    ctv_picture p;
    ctv_picture_init(&p);
    if (check(ctv_decoder_receive(handle_.get(), &p)) != CTV_OK) return std::nullopt;
    return p;
  }
  /** Ends the input; receive() then returns the remaining pictures. */
  void flush() { check(ctv_decoder_flush(handle_.get())); }
  /** Discards all pictures, as after a seek. The next packet must be a key frame. */
  void reset() { check(ctv_decoder_reset(handle_.get())); }
  /** Returns which backend and engine run and why, in one line. */
  [[nodiscard]] std::string description() const { return ctv_decoder_description(handle_.get()); }
  /** Returns the time spent in each stage since the decoder was opened. */
  [[nodiscard]] std::vector<ctv_stage_time> stage_times() const {
    return detail::stage_times(&ctv_decoder_stage_times, handle_.get());
  }
  /** Returns the C handle; the object keeps it. */
  [[nodiscard]] ctv_decoder* get() const noexcept { return handle_.get(); }

 private:
  struct Close {
    void operator()(ctv_decoder* d) const noexcept { ctv_decoder_close(d); }
  };
  std::unique_ptr<ctv_decoder, Close> handle_;
};

/** Returns the kind and the total size in bytes of the unit that starts with CTV_UNIT_PREFIX_SIZE bytes. */
[[nodiscard]] inline std::pair<ctv_unit_kind, uint64_t> parse_unit(std::span<const uint8_t> bytes) {
  std::pair<ctv_unit_kind, uint64_t> unit;
  check(ctv_unit_parse(bytes.data(), bytes.size(), &unit.first, &unit.second));
  return unit;
}

/** Lists the parts of a packet (ctv_packet_parts()).
 * @param header the stream's sequence header unit
 * @param packet the packet unit, or its beginning */
[[nodiscard]] inline std::vector<ctv_part> parse_parts(std::span<const uint8_t> header,
                                                       std::span<const uint8_t> packet) {
  size_t count = 0;
  check(ctv_packet_parts(header.data(), header.size(), packet.data(), packet.size(), nullptr, 0, &count));
  std::vector<ctv_part> parts(count);
  check(ctv_packet_parts(header.data(), header.size(), packet.data(), packet.size(), parts.data(), count,
                         &count));
  return parts;
}

/** Parses a sequence header. */
[[nodiscard]] inline ctv_stream_info parse_header(std::span<const uint8_t> header) {
  ctv_stream_info info;
  ctv_stream_info_init(&info);
  check(ctv_stream_info_parse(header.data(), header.size(), &info));
  return info;
}

/** Parses a packet.
 * @param header the stream's sequence header unit
 * @param packet the packet unit
 * @param components receives the packet's components, unless null */
[[nodiscard]] inline ctv_packet_info parse_packet(std::span<const uint8_t> header,
                                                  std::span<const uint8_t> packet,
                                                  std::vector<ctv_component_info>* components = nullptr) {
  ctv_packet_info info;
  ctv_packet_info_init(&info);
  check(ctv_packet_info_parse(header.data(), header.size(), packet.data(), packet.size(), &info, nullptr, 0));
  if (components == nullptr) return info;
  components->resize(static_cast<size_t>(info.components));
  check(ctv_packet_info_parse(header.data(), header.size(), packet.data(), packet.size(), &info,
                              components->data(), components->size()));
  return info;
}

/** Parses an index unit. */
[[nodiscard]] inline std::vector<ctv_index_entry> parse_index(std::span<const uint8_t> index) {
  size_t count = 0;
  check(ctv_index_parse(index.data(), index.size(), nullptr, 0, &count));
  std::vector<ctv_index_entry> entries(count);
  check(ctv_index_parse(index.data(), index.size(), entries.data(), count, &count));
  return entries;
}

}  // namespace ctv
