// SPDX-License-Identifier: BSD-3-Clause
// The C interface: the decoder.
#include "codec/api/entry.hpp"
#include "codec/api/fork.hpp"
#include "codec/pipeline/decoder.hpp"

struct ctv_decoder {
  std::unique_ptr<ctv::StreamDecoder> impl;
};

using ctv::Status;
using ctv::api::guarded;
using ctv::api::need;

extern "C" {

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
    ctv::api::survive_forks();
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
  ctv_unit unit{};
  unit.struct_size = sizeof unit;
  unit.data = data;
  unit.size = size;
  return ctv_decoder_send_unit(decoder, &unit);
}

ctv_status ctv_decoder_send_unit(ctv_decoder* decoder, const ctv_unit* unit) {
  return ctv_decoder_send_damaged(decoder, unit, nullptr, 0);
}

ctv_status ctv_decoder_send_damaged(ctv_decoder* decoder, const ctv_unit* unit, const uint8_t* missing,
                                    size_t count) {
  bool again = false;
  const ctv_status status = guarded([&]() -> Status {
    CTV_RETURN_IF_ERROR(need(decoder, "decoder"));
    if (count > 0) CTV_RETURN_IF_ERROR(need(missing, "missing"));
    ctv_unit u{};
    CTV_RETURN_IF_ERROR(ctv::api::read_struct(unit, "unit", ctv_unit{}, u));
    if (count == 0 || missing[0] == 0) CTV_RETURN_IF_ERROR(need(u.data, "data"));
    return decoder->impl->send(u, {missing, count}, again);
  });
  return status == CTV_OK && again ? CTV_AGAIN : status;
}

ctv_status ctv_decoder_held(ctv_decoder* decoder, int64_t* frames, size_t capacity, size_t* count) {
  return guarded([&]() -> Status {
    CTV_RETURN_IF_ERROR(need(decoder, "decoder"));
    CTV_RETURN_IF_ERROR(need(count, "count"));
    if (capacity > 0) CTV_RETURN_IF_ERROR(need(frames, "frames"));
    const std::vector<uint32_t> held = decoder->impl->held();
    for (size_t i = 0; i < held.size() && i < capacity; ++i) frames[i] = held[i];
    *count = held.size();
    return {};
  });
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

ctv_status ctv_decoder_stage_times(ctv_decoder* decoder, ctv_stage_time* times, size_t capacity,
                                   size_t* count) {
  return guarded([&]() -> Status {
    CTV_RETURN_IF_ERROR(need(decoder, "decoder"));
    CTV_RETURN_IF_ERROR(need(count, "count"));
    ctv::api::copy_times(decoder->impl->stage_times(), times, capacity, count);
    return {};
  });
}

}  // extern "C"
