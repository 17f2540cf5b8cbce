// SPDX-License-Identifier: BSD-3-Clause
#include "tests/fuzz/session.hpp"

#include <algorithm>
#include <cstdlib>

#include "codec/format/fields.hpp"

namespace ctv::fuzz {
namespace {

constexpr int kEndless = 64;  // results without an end

// Settings of the encoder that no header has.
struct Setting {
  size_t offset;
  int low, high;
};
constexpr Setting kSettings[] = {{offsetof(ctv_config, qp), 0, 51},
                                 {offsetof(ctv_config, lossless), 0, 1},
                                 {offsetof(ctv_config, chroma_qp_offset), -12, 12},
                                 {offsetof(ctv_config, tune), 0, 1},
                                 {offsetof(ctv_config, rdoq), 0, 1},
                                 {offsetof(ctv_config, key_interval), 0, 4},
                                 {offsetof(ctv_config, scene_cut), 0, 1},
                                 {offsetof(ctv_config, temporal_layers), 1, 3},
                                 {offsetof(ctv_config, min_key_distance), 0, 3},
                                 {offsetof(ctv_config, search_range), 0, 12},
                                 {offsetof(ctv_config, far_range), 0, 24},
                                 {offsetof(ctv_config, chroma), 0, 1},
                                 {offsetof(ctv_config, buffer_ms), 100, 400}};

void change_one(Choices& in, ctv_config& config) {
  const auto fields = stream_fields();
  const auto kind = static_cast<size_t>(in.byte()) % (std::size(kSettings) + fields.size() + 3);
  if (kind < std::size(kSettings)) {
    const Setting& s = kSettings[kind];
    set_member_at(&config, s.offset, 0, in.between(s.low, s.high));
  } else if (kind < std::size(kSettings) + fields.size()) {
    const StreamField& f = fields[kind - std::size(kSettings)];
    if (f.config == StreamField::kNone || f.config == offsetof(ctv_config, width) ||
        f.config == offsetof(ctv_config, height))
      return;
    const int i = f.config == offsetof(ctv_config, directions) ? in.byte() % CTV_MAX_SCALES : 0;
    const int64_t value = f.values.empty() ? f.to_public(in.between(f.lo, f.hi))
                                           : f.values[static_cast<size_t>(in.byte()) % f.values.size()];
    set_member_at(&config, f.config, i, value);
  } else if (kind == std::size(kSettings) + fields.size()) {
    config.crf = in.byte() % 52;
  } else if (kind == std::size(kSettings) + fields.size() + 1) {
    config.bitrate = int64_t{8000} << in.byte() % 8;
  } else {
    config.max_frame_bytes = int64_t{100} + 8 * in.byte();
  }
}

// CTV_OK or an error if there may be more to receive.
ctv_status receive(ctv_decoder* decoder, Outcome& outcome) {
  ctv_picture picture{};
  picture.struct_size = sizeof picture;
  const ctv_status status = ctv_decoder_receive(decoder, &picture);
  outcome.add(status);
  if (status == CTV_OK) outcome.add(picture);
  return status;
}

// conceal: units of some sizes lack parts, which their bytes choose.
void send(ctv_decoder* decoder, const std::vector<uint8_t>& unit, bool conceal, Outcome& outcome) {
  ctv_unit sent{};
  sent.struct_size = sizeof sent;
  sent.data = unit.data();
  sent.size = unit.size();
  uint8_t missing[8] = {};
  for (size_t i = 0; conceal && (unit.size() & 3U) == 1 && i < 8 && i < unit.size(); ++i) {
    missing[i] = unit[unit.size() - 1 - i] & 1U;
  }
  for (int i = 0; i < kEndless; ++i) {
    const ctv_status status = ctv_decoder_send_damaged(decoder, &sent, missing, conceal ? 8 : 0);
    outcome.add(status);
    if (status != CTV_AGAIN) return;
    const ctv_status received = receive(decoder, outcome);
    if (received == CTV_AGAIN || received == CTV_END) std::abort();  // there would be no way on
  }
  std::abort();
}

}  // namespace

int64_t Choices::between(int64_t low, int64_t high) {
  int64_t value = byte();
  if (high - low > 255) value = value << 8 | byte();
  return low + value % (high - low + 1);
}

ctv_config read_config(Choices& in) {
  ctv_config config;
  if (ctv_config_init(&config, ctv_preset_name(in.byte() % 5)) != CTV_OK) std::abort();
  config.width = 1 + in.byte() % 40;
  config.height = 1 + in.byte() % 40;
  config.format = static_cast<ctv_format>(1 + in.byte() % 7);
  for (int n = in.byte() % 8; n > 0; --n) change_one(in, config);
  config.backend = CTV_BACKEND_CPU;
  config.threads = 1;
  return config;
}

test::Frame read_picture(Choices& in, const ctv_config& config, int number) {
  test::Frame frame = test::moving_frame(config.format, config.width, config.height, number);
  const int seed = in.byte();
  if (seed > 250)
    frame = test::noise_frame(config.format, config.width, config.height, static_cast<uint64_t>(seed));
  auto& samples = frame.planes[0];
  for (size_t i = 0, n = static_cast<size_t>(in.byte()); i < n && i < samples.size(); ++i)
    samples[i] = static_cast<uint8_t>(in.byte());
  return frame;
}

ctv_decoder_config read_decoder_config(unsigned a, unsigned b) {
  ctv_decoder_config config;
  if (ctv_decoder_config_init(&config) != CTV_OK) std::abort();
  config.backend = CTV_BACKEND_CPU;
  config.limits = {uint64_t{1} << 12, uint64_t{24} << 20, uint64_t{1} << 20};
  config.reduction = static_cast<int32_t>(a >> 1U & 7U);
  const bool threads = (a >> 4U & 7U) == 7;
  config.threads = threads ? 2 : 1;
  config.frames_in_flight = threads && (a & 128U) != 0 ? 3 : 1;
  constexpr ctv_format kFormats[] = {CTV_FORMAT_NONE, CTV_FORMAT_RGB8,    CTV_FORMAT_RGBA8,  CTV_FORMAT_NV12,
                                     CTV_FORMAT_I420, CTV_FORMAT_I444,    CTV_FORMAT_I422,   CTV_FORMAT_GRAY8,
                                     CTV_FORMAT_P010, CTV_FORMAT_I444_12, CTV_FORMAT_I420_10};
  config.format = kFormats[(b & 7U) + (b >> 4U & 1U) * 3U];
  config.conceal = b >> 3U & 1U;
  return config;
}

void Outcome::add(const ctv_picture& picture) {
  ++pictures;
  add(static_cast<uint64_t>(picture.frame_number));
  add(static_cast<uint64_t>(picture.damaged) << 32 | static_cast<uint64_t>(picture.missing_parts));
  for (int p = 0; p < 4; ++p) {
    const size_t row_bytes = ctv_plane_row_bytes(picture.format, picture.width, p);
    const size_t rows = ctv_plane_rows(picture.format, picture.height, p);
    for (size_t r = 0; r < rows; ++r) {
      const auto* row =
          static_cast<const uint8_t*>(picture.data[p]) + static_cast<ptrdiff_t>(r) * picture.stride[p];
      for (size_t i = 0; i < row_bytes; ++i) add(row[i]);
    }
  }
}

void Outcome::add(ctv_status status) {
  if (status == CTV_ERROR_INTERNAL) std::abort();
  if (status >= 0) return;
  if (*ctv_last_error() == 0) std::abort();
  if (status == CTV_ERROR_MEMORY) memory_lacked = true;
  add(static_cast<uint64_t>(-status));
}

Outcome decode(std::span<const std::vector<uint8_t>> units, const ctv_decoder_config& config,
               const Script& script) {
  Outcome outcome;
  ctv_decoder* decoder = nullptr;
  const ctv_status opened = ctv_decoder_open(&config, &decoder);
  outcome.add(opened);
  if (opened != CTV_OK) return outcome;
  for (size_t n = 0; n < units.size(); ++n) {
    if (n == script.reset_at && !script.with_picture) outcome.add(ctv_decoder_reset(decoder));
    send(decoder, units[n], config.conceal != 0, outcome);
    if (script.after) script.after(n, false);
    if (n == script.reset_at && script.with_picture) {
      outcome.add(ctv_decoder_reset(decoder));
      outcome.add(static_cast<uint64_t>(-CTV_ERROR_REFERENCE));
    }
    for (int i = 0; config.frames_in_flight == 1 && receive(decoder, outcome) <= CTV_OK; ++i) {
      if (i == kEndless) std::abort();
    }
    if (script.after) script.after(n, true);
    if (script.reset && (units[n].size() & 15U) == 3) outcome.add(ctv_decoder_reset(decoder));
  }
  outcome.add(ctv_decoder_flush(decoder));
  ctv_status status = CTV_OK;
  for (int i = 0; status != CTV_END; ++i) {
    status = receive(decoder, outcome);
    if (status == CTV_AGAIN || i == kEndless) std::abort();
  }
  ctv_decoder_close(decoder);
  return outcome;
}

}  // namespace ctv::fuzz
