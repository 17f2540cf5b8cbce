// SPDX-License-Identifier: BSD-3-Clause
// The C interface: versions, errors, configuration, encoder and decoder. Streams from bytes: api_info.cpp.
#include "codec/pipeline/api.hpp"

#include <atomic>
#include <mutex>

#include "codec/backend/available.hpp"
#include "codec/pipeline/choose_transform.hpp"
#include "codec/pipeline/decoder.hpp"
#include "codec/pipeline/encoder.hpp"
#include "codec/pipeline/presets.hpp"

namespace {

thread_local std::string last_error;

struct Log {
  std::mutex mutex;
  ctv_log_callback callback = nullptr;
  void* opaque = nullptr;
};
Log& log_target() {
  static Log log;
  return log;
}

ctv_config default_config() {
  ctv_config c{};
  ctv::apply_preset("default", c);
  return c;
}

ctv_status copy_times(const ctv::StageTimes& times, ctv_stage_time* out, size_t capacity, size_t* count) {
  size_t n = 0;
  for (size_t i = 0; i < times.entries.size(); ++i) {
    if (times.entries[i].calls == 0) continue;
    if (n < capacity && out != nullptr) {
      out[n] = {ctv::kStageNames[i], times.entries[i].seconds, times.entries[i].calls};
    }
    ++n;
  }
  *count = n;
  return CTV_OK;
}

void fill_unit(const std::vector<uint8_t>& bytes, ctv_unit& unit) {
  unit.data = bytes.data();
  unit.size = bytes.size();
}

}  // namespace

ctv_status ctv::api::report(const Status& status) {
  last_error = status.message();
  if (!status.ok()) log(CTV_LOG_ERROR, last_error);
  return status.code();
}

void ctv::api::log(ctv_log_level level, const std::string& message) {
  Log& target = log_target();
  const std::lock_guard lock(target.mutex);
  if (target.callback != nullptr) target.callback(target.opaque, level, message.c_str());
}

struct ctv_encoder {
  std::unique_ptr<ctv::StreamEncoder> impl;
};
struct ctv_decoder {
  std::unique_ptr<ctv::StreamDecoder> impl;
};

using ctv::Status;
using ctv::api::guarded;
using ctv::api::need;

extern "C" {

#define CTV_TEXT(x) #x
#define CTV_VERSION_TEXT(a, b, c) CTV_TEXT(a) "." CTV_TEXT(b) "." CTV_TEXT(c)
const char* ctv_version(void) {
  return CTV_VERSION_TEXT(CTV_VERSION_MAJOR, CTV_VERSION_MINOR, CTV_VERSION_PATCH);
}

const char* ctv_status_name(ctv_status status) {
  switch (status) {
    case CTV_OK:
      return "ok";
    case CTV_AGAIN:
      return "again";
    case CTV_END:
      return "end";
    case CTV_ERROR_ARGUMENT:
      return "invalid argument";
    case CTV_ERROR_STREAM:
      return "damaged stream";
    case CTV_ERROR_LIMIT:
      return "limit exceeded";
    case CTV_ERROR_MEMORY:
      return "out of memory";
    case CTV_ERROR_DEVICE:
      return "device error";
    case CTV_ERROR_UNSUPPORTED:
      return "not supported";
    case CTV_ERROR_STATE:
      return "wrong order of calls";
    case CTV_ERROR_INTERNAL:
      return "internal error";
  }
  return "unknown status";
}

const char* ctv_last_error(void) { return last_error.c_str(); }

void ctv_set_log_callback(ctv_log_callback callback, void* opaque) {
  Log& log = log_target();
  const std::lock_guard lock(log.mutex);
  log.callback = callback;
  log.opaque = opaque;
}

ctv_status ctv_config_init_sized(ctv_config* config, size_t struct_size, const char* preset) {
  return guarded([&]() -> Status {
    CTV_RETURN_IF_ERROR(need(config, "config"));
    ctv_config c{};
    if (!ctv::apply_preset(preset, c)) {
      return {CTV_ERROR_ARGUMENT, std::string("preset: ") + preset + " is unknown"};
    }
    return ctv::api::init_struct(c, "config", struct_size, config);
  });
}

ctv_status ctv_config_choose_transform(ctv_config* config, const ctv_picture* picture) {
  return guarded([&]() -> Status {
    ctv_config c{};
    CTV_RETURN_IF_ERROR(ctv::api::read_struct(config, "config", default_config(), c));
    ctv_picture p{};
    CTV_RETURN_IF_ERROR(ctv::api::read_struct(picture, "picture", ctv_picture{}, p));
    CTV_RETURN_IF_ERROR(ctv::choose_transform(c, p));
    config->filter_taps = c.filter_taps;
    config->directions[0] = c.directions[0];
    return {};
  });
}

const char* ctv_preset_name(int i) { return ctv::preset_name(i); }
const char* ctv_preset_description(int i) { return ctv::preset_description(i); }

ctv_status ctv_encoder_open(const ctv_config* config, ctv_encoder** encoder) {
  return guarded([&]() -> Status {
    CTV_RETURN_IF_ERROR(need(encoder, "encoder"));
    *encoder = nullptr;
    ctv_config c{};
    CTV_RETURN_IF_ERROR(ctv::api::read_struct(config, "config", default_config(), c));
    CTV_ASSIGN_OR_RETURN(auto impl, ctv::StreamEncoder::open(c));
    *encoder = new ctv_encoder{std::move(impl)};
    return {};
  });
}

ctv_status ctv_encoder_header(ctv_encoder* encoder, ctv_unit* unit) {
  return guarded([&]() -> Status {
    CTV_RETURN_IF_ERROR(need(encoder, "encoder"));
    ctv_unit u{};
    fill_unit(encoder->impl->header(), u);
    return ctv::api::write_struct(u, "unit", unit);
  });
}

ctv_status ctv_encoder_send(ctv_encoder* encoder, const ctv_picture* picture) {
  bool again = false;
  const ctv_status status = guarded([&]() -> Status {
    CTV_RETURN_IF_ERROR(need(encoder, "encoder"));
    ctv_picture p{};
    CTV_RETURN_IF_ERROR(ctv::api::read_struct(picture, "picture", ctv_picture{}, p));
    return encoder->impl->send(p, again);
  });
  return status == CTV_OK && again ? CTV_AGAIN : status;
}

ctv_status ctv_encoder_receive(ctv_encoder* encoder, ctv_unit* unit) {
  ctv_status outcome = CTV_OK;
  const ctv_status status = guarded([&]() -> Status {
    CTV_RETURN_IF_ERROR(need(encoder, "encoder"));
    ctv_unit u{};
    CTV_RETURN_IF_ERROR(ctv::api::write_struct(u, "unit", unit));
    CTV_RETURN_IF_ERROR(encoder->impl->receive(u, outcome));
    return ctv::api::write_struct(u, "unit", unit);
  });
  return status == CTV_OK ? outcome : status;
}

ctv_status ctv_encoder_flush(ctv_encoder* encoder) {
  return guarded([&]() -> Status {
    CTV_RETURN_IF_ERROR(need(encoder, "encoder"));
    encoder->impl->flush();
    return {};
  });
}

ctv_status ctv_encoder_index(ctv_encoder* encoder, ctv_unit* unit) {
  return guarded([&]() -> Status {
    CTV_RETURN_IF_ERROR(need(encoder, "encoder"));
    ctv_unit u{};
    fill_unit(encoder->impl->index(), u);
    return ctv::api::write_struct(u, "unit", unit);
  });
}

ctv_status ctv_encoder_request_key_frame(ctv_encoder* encoder) {
  return guarded([&]() -> Status {
    CTV_RETURN_IF_ERROR(need(encoder, "encoder"));
    encoder->impl->request_key_frame();
    return {};
  });
}

ctv_status ctv_encoder_set_quantiser(ctv_encoder* encoder, int32_t qp, double step) {
  return guarded([&]() -> Status {
    CTV_RETURN_IF_ERROR(need(encoder, "encoder"));
    return encoder->impl->set_quantiser(qp, step);
  });
}

ctv_status ctv_encoder_set_crf(ctv_encoder* encoder, double crf) {
  return guarded([&]() -> Status {
    CTV_RETURN_IF_ERROR(need(encoder, "encoder"));
    return encoder->impl->set_crf(crf);
  });
}

ctv_status ctv_encoder_set_bitrate(ctv_encoder* encoder, int64_t bitrate, int64_t max_frame_bytes) {
  return guarded([&]() -> Status {
    CTV_RETURN_IF_ERROR(need(encoder, "encoder"));
    return encoder->impl->set_bitrate(bitrate, max_frame_bytes);
  });
}

const char* ctv_encoder_description(const ctv_encoder* encoder) {
  return encoder == nullptr ? "" : encoder->impl->description().c_str();
}

void ctv_encoder_close(ctv_encoder* encoder) { delete encoder; }

ctv_status ctv_decoder_config_init_sized(ctv_decoder_config* config, size_t struct_size) {
  return guarded([&]() -> Status {
    CTV_RETURN_IF_ERROR(need(config, "config"));
    ctv_decoder_config c{};
    c.frames_in_flight = 1;
    c.limits = {uint64_t{1} << 28, uint64_t{8} << 30, uint64_t{1} << 30};
    return ctv::api::init_struct(c, "config", struct_size, config);
  });
}

ctv_status ctv_decoder_open(const ctv_decoder_config* config, ctv_decoder** decoder) {
  return guarded([&]() -> Status {
    CTV_RETURN_IF_ERROR(need(decoder, "decoder"));
    *decoder = nullptr;
    ctv_decoder_config defaults{};
    (void)ctv_decoder_config_init(&defaults);
    ctv_decoder_config c{};
    CTV_RETURN_IF_ERROR(ctv::api::read_struct(config, "decoder config", defaults, c));
    CTV_ASSIGN_OR_RETURN(auto impl, ctv::StreamDecoder::open(c));
    *decoder = new ctv_decoder{std::move(impl)};
    return {};
  });
}

ctv_status ctv_decoder_send(ctv_decoder* decoder, const uint8_t* data, size_t size) {
  bool again = false;
  const ctv_status status = guarded([&]() -> Status {
    CTV_RETURN_IF_ERROR(need(decoder, "decoder"));
    CTV_RETURN_IF_ERROR(need(data, "data"));
    return decoder->impl->send({data, size}, again);
  });
  return status == CTV_OK && again ? CTV_AGAIN : status;
}

ctv_status ctv_decoder_receive(ctv_decoder* decoder, ctv_picture* picture) {
  ctv_status outcome = CTV_OK;
  const ctv_status status = guarded([&]() -> Status {
    CTV_RETURN_IF_ERROR(need(decoder, "decoder"));
    ctv_picture p{};
    CTV_RETURN_IF_ERROR(ctv::api::write_struct(p, "picture", picture));
    CTV_RETURN_IF_ERROR(decoder->impl->receive(p, outcome));
    return ctv::api::write_struct(p, "picture", picture);
  });
  return status == CTV_OK ? outcome : status;
}

ctv_status ctv_decoder_flush(ctv_decoder* decoder) {
  return guarded([&]() -> Status {
    CTV_RETURN_IF_ERROR(need(decoder, "decoder"));
    decoder->impl->flush();
    return {};
  });
}

ctv_status ctv_decoder_reset(ctv_decoder* decoder) {
  return guarded([&]() -> Status {
    CTV_RETURN_IF_ERROR(need(decoder, "decoder"));
    return decoder->impl->reset();
  });
}

const char* ctv_decoder_description(const ctv_decoder* decoder) {
  return decoder == nullptr ? "" : decoder->impl->description().c_str();
}

void ctv_decoder_close(ctv_decoder* decoder) { delete decoder; }

ctv_status ctv_encoder_stage_times(ctv_encoder* encoder, ctv_stage_time* times, size_t capacity,
                                   size_t* count) {
  return guarded([&]() -> Status {
    CTV_RETURN_IF_ERROR(need(encoder, "encoder"));
    CTV_RETURN_IF_ERROR(need(count, "count"));
    copy_times(encoder->impl->stage_times(), times, capacity, count);
    return {};
  });
}

ctv_status ctv_decoder_stage_times(ctv_decoder* decoder, ctv_stage_time* times, size_t capacity,
                                   size_t* count) {
  return guarded([&]() -> Status {
    CTV_RETURN_IF_ERROR(need(decoder, "decoder"));
    CTV_RETURN_IF_ERROR(need(count, "count"));
    copy_times(decoder->impl->stage_times(), times, capacity, count);
    return {};
  });
}

int ctv_device_count(void) {
  int count = 0;
  std::string why;
  (void)guarded([&]() -> Status {
    count = ctv::cuda_device_count(why);
    return {};
  });
  if (count == 0 && !why.empty()) last_error = why;
  return count;
}

ctv_status ctv_device_get_info(int device, ctv_device_info* info) {
  return guarded([&]() -> Status {
    ctv_device_info i{};
    CTV_RETURN_IF_ERROR(ctv::api::write_struct(i, "info", info));
    CTV_RETURN_IF_ERROR(ctv::cuda_device_info(device, i));
    return ctv::api::write_struct(i, "info", info);
  });
}

}  // extern "C"
