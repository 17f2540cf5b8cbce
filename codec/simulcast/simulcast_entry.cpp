// SPDX-License-Identifier: BSD-3-Clause
// The C interface: several sizes of one capture. Pictures are scaled on the host with every backend, because
// captured pictures come from there.
#include <ctv/simulcast.h>

#include <array>

#include "codec/api/encoder_handle.hpp"
#include "codec/api/entry.hpp"
#include "codec/config/picture_check.hpp"
#include "codec/config/run_options.hpp"
#include "codec/format/picture_format.hpp"
#include "codec/simulcast/halve.hpp"

namespace {

struct Size {
  ctv_encoder encoder;
  bool active = true;
  ctv::PictureCopy scaled;  // unused for the largest size
};

}  // namespace

struct ctv_simulcast {
  std::vector<Size> sizes;    // smallest first
  ctv::PictureLayout layout;  // of the largest size
  uint64_t next = 0;          // number of the next picture
  bool key_frame = false;     // the next picture becomes a key frame
  int threads = 1;
};

using ctv::Status;
using ctv::StreamEncoder;
using ctv::api::guarded;
using ctv::api::need;

namespace {

Status check_size(const ctv_simulcast& s, int32_t size) {
  if (size >= 0 && static_cast<size_t>(size) < s.sizes.size()) return {};
  return {CTV_ERROR_ARGUMENT,
          "size: " + std::to_string(size) + " is outside 0.." + std::to_string(s.sizes.size() - 1)};
}

Status open(const ctv_config& config, const int64_t* bitrates, ctv_simulcast& s) {
  ctv_config c = config;
  for (size_t i = s.sizes.size(); i-- > 0;
       c.width = ctv::half_of(c.width), c.height = ctv::half_of(c.height)) {
    if (bitrates != nullptr) c.bitrate = bitrates[i];
    CTV_ASSIGN_OR_RETURN(s.sizes[i].encoder.impl, StreamEncoder::open(c));
  }
  CTV_ASSIGN_OR_RETURN(const ctv::SequenceHeader header,
                       ctv::read_sequence_header(s.sizes.back().encoder.impl->header()));
  s.layout = ctv::make_stream(header).picture;
  s.threads = ctv::thread_count(config.threads);
  return {};
}

Status send(ctv_simulcast& s, const ctv_picture& picture, bool& again) {
  CTV_RETURN_IF_ERROR(ctv::check_picture_for(s.layout, picture, CTV_BACKEND_CPU));
  if (ctv::is_packed(picture.format))
    return {CTV_ERROR_UNSUPPORTED, "picture.format: packed 4:2:2 is not scaled"};
  for (const Size& size : s.sizes) s.next = std::max(s.next, size.encoder.impl->next_number());
  size_t smallest = s.sizes.size();
  for (size_t i = s.sizes.size(); i-- > 0;) {
    if (!s.sizes[i].active) continue;
    smallest = i;
    if (!s.sizes[i].encoder.impl->has_room(s.next)) again = true;
  }
  if (again) return {};
  ctv_frame_options options;
  ctv_frame_options_init(&options);
  options.key_frame = s.key_frame ? 1 : 0;
  s.key_frame = false;
  const uint64_t number = s.next++;
  const ctv_picture* scaled = &picture;
  for (size_t i = s.sizes.size(); i-- > smallest;) {
    Size& size = s.sizes[i];
    if (i + 1 < s.sizes.size()) {
      ctv::halve_picture(*scaled, s.threads, size.scaled);
      scaled = &size.scaled.picture;
    }
    if (!size.active) continue;
    CTV_RETURN_IF_ERROR(StreamEncoder::go_to(size.encoder.impl, number));
    bool full = false;
    CTV_RETURN_IF_ERROR(size.encoder.impl->send(*scaled, options, full));
  }
  return {};
}

}  // namespace

extern "C" {

ctv_status ctv_simulcast_open(const ctv_config* config, const int64_t* bitrates, int32_t sizes,
                              ctv_simulcast** simulcast) {
  return guarded([&]() -> Status {
    CTV_RETURN_IF_ERROR(need(simulcast, "simulcast"));
    *simulcast = nullptr;
    ctv_config c{};
    CTV_RETURN_IF_ERROR(ctv::api::read_struct(config, "config", ctv::api::default_config(), c));
    if (sizes < 1 || sizes > CTV_SIMULCAST_SIZES) {
      return {CTV_ERROR_ARGUMENT,
              "sizes: " + std::to_string(sizes) + " is outside 1.." + std::to_string(CTV_SIMULCAST_SIZES)};
    }
    auto made = std::make_unique<ctv_simulcast>();
    made->sizes.resize(static_cast<size_t>(sizes));
    CTV_RETURN_IF_ERROR(open(c, bitrates, *made));
    *simulcast = made.release();
    return {};
  });
}

ctv_encoder* ctv_simulcast_encoder(ctv_simulcast* simulcast, int32_t size) {
  if (simulcast == nullptr || !check_size(*simulcast, size).ok()) return nullptr;
  return &simulcast->sizes[static_cast<size_t>(size)].encoder;
}

ctv_status ctv_simulcast_set_active(ctv_simulcast* simulcast, int32_t size, int32_t active) {
  return guarded([&]() -> Status {
    CTV_RETURN_IF_ERROR(need(simulcast, "simulcast"));
    CTV_RETURN_IF_ERROR(check_size(*simulcast, size));
    simulcast->sizes[static_cast<size_t>(size)].active = active != 0;
    return {};
  });
}

ctv_status ctv_simulcast_request_key_frame(ctv_simulcast* simulcast) {
  return guarded([&]() -> Status {
    CTV_RETURN_IF_ERROR(need(simulcast, "simulcast"));
    simulcast->key_frame = true;
    return {};
  });
}

ctv_status ctv_simulcast_send(ctv_simulcast* simulcast, const ctv_picture* picture) {
  bool again = false;
  const ctv_status status = guarded([&]() -> Status {
    CTV_RETURN_IF_ERROR(need(simulcast, "simulcast"));
    ctv_picture p{};
    CTV_RETURN_IF_ERROR(ctv::api::read_struct(picture, "picture", ctv_picture{}, p));
    return send(*simulcast, p, again);
  });
  return status == CTV_OK && again ? CTV_AGAIN : status;
}

void ctv_simulcast_close(ctv_simulcast* simulcast) { delete simulcast; }

}  // extern "C"
