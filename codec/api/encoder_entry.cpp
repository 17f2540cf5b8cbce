// SPDX-License-Identifier: BSD-3-Clause
// The C interface: the encoder.
#include "codec/api/encoder_handle.hpp"
#include "codec/api/entry.hpp"
#include "codec/api/fork.hpp"

using ctv::Status;
using ctv::api::guarded;
using ctv::api::need;

namespace {

void fill_unit(std::span<const uint8_t> bytes, ctv_unit& unit) {
  unit.data = bytes.data();
  unit.size = bytes.size();
}

}  // namespace

extern "C" {

ctv_status ctv_encoder_open(const ctv_config* config, ctv_encoder** encoder) {
  return guarded([&]() -> Status {
    CTV_RETURN_IF_ERROR(need(encoder, "encoder"));
    *encoder = nullptr;
    ctv::api::survive_forks();
    ctv_config c{};
    CTV_RETURN_IF_ERROR(ctv::api::read_struct(config, "config", ctv::api::default_config(), c));
    CTV_ASSIGN_OR_RETURN(auto impl, ctv::StreamEncoder::open(c));
    *encoder = new ctv_encoder{std::move(impl)};
    return {};
  });
}

ctv_status ctv_encoder_reconfigure(ctv_encoder* encoder, const ctv_config* config) {
  return guarded([&]() -> Status {
    CTV_RETURN_IF_ERROR(need(encoder, "encoder"));
    ctv_config c{};
    CTV_RETURN_IF_ERROR(ctv::api::read_struct(config, "config", ctv::api::default_config(), c));
    return ctv::StreamEncoder::reconfigure(encoder->impl, c);
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
  return ctv_encoder_send_frame(encoder, picture, nullptr);
}

ctv_status ctv_encoder_send_frame(ctv_encoder* encoder, const ctv_picture* picture,
                                  const ctv_frame_options* options) {
  bool again = false;
  const ctv_status status = guarded([&]() -> Status {
    CTV_RETURN_IF_ERROR(need(encoder, "encoder"));
    ctv_picture p{};
    CTV_RETURN_IF_ERROR(ctv::api::read_struct(picture, "picture", ctv_picture{}, p));
    ctv_frame_options defaults{};
    ctv_frame_options_init(&defaults);
    ctv_frame_options o = defaults;
    if (options != nullptr) CTV_RETURN_IF_ERROR(ctv::api::read_struct(options, "options", defaults, o));
    return encoder->impl->send(p, o, again);
  });
  return status == CTV_OK && again ? CTV_AGAIN : status;
}

ctv_status ctv_encoder_acknowledge(ctv_encoder* encoder, int64_t frame) {
  return guarded([&]() -> Status {
    CTV_RETURN_IF_ERROR(need(encoder, "encoder"));
    return encoder->impl->acknowledge(frame);
  });
}

ctv_status ctv_encoder_lost(ctv_encoder* encoder, int64_t frame) {
  return guarded([&]() -> Status {
    CTV_RETURN_IF_ERROR(need(encoder, "encoder"));
    return encoder->impl->lost(frame);
  });
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
    CTV_ASSIGN_OR_RETURN(const std::span<const uint8_t> index, encoder->impl->index());
    fill_unit(index, u);
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

ctv_status ctv_encoder_set_temporal_layers(ctv_encoder* encoder, int32_t layers) {
  return guarded([&]() -> Status {
    CTV_RETURN_IF_ERROR(need(encoder, "encoder"));
    return encoder->impl->set_temporal_layers(layers);
  });
}

const char* ctv_encoder_description(const ctv_encoder* encoder) {
  return encoder == nullptr ? "" : encoder->impl->description().c_str();
}

void ctv_encoder_close(ctv_encoder* encoder) { delete encoder; }

ctv_status ctv_encoder_stage_times(ctv_encoder* encoder, ctv_stage_time* times, size_t capacity,
                                   size_t* count) {
  return guarded([&]() -> Status {
    CTV_RETURN_IF_ERROR(need(encoder, "encoder"));
    CTV_RETURN_IF_ERROR(need(count, "count"));
    ctv::api::copy_times(encoder->impl->stage_times(), times, capacity, count);
    return {};
  });
}

}  // extern "C"
