// SPDX-License-Identifier: BSD-3-Clause
#include "codec/pipeline/fallback.hpp"

#include <algorithm>
#include <cstring>

#include "codec/config/picture_check.hpp"
#include "codec/entropy/symbol_coder.hpp"

namespace ctv {

void History::append(std::span<const uint8_t> packet, uint64_t frame, bool key) {
  if (entries_.empty() && !key) return;
  bytes_ += packet.size();
  if (bytes_ > kMaxBytes) {
    clear();
    return;
  }
  entries_.push_back({frame, key, {packet.begin(), packet.end()}});
}

void History::trim(uint64_t frame) {
  const auto last = std::find_if(entries_.rbegin(), entries_.rend(),
                                 [&](const Entry& e) { return e.key && e.frame <= frame; });
  if (last == entries_.rend()) return;
  while (entries_.front().frame != last->frame) {
    bytes_ -= entries_.front().packet.size();
    entries_.pop_front();
  }
}

void History::clear() {
  entries_.clear();
  bytes_ = 0;
}

bool is_device_failure(const Status& status, const Backend& backend) {
  return backend.kind() != CTV_BACKEND_CPU &&
         (status.code() == CTV_ERROR_DEVICE || status.code() == CTV_ERROR_MEMORY);
}

bool is_out_of_device_memory(const Status& status, const Backend& backend) {
  return backend.kind() != CTV_BACKEND_CPU && status.code() == CTV_ERROR_MEMORY;
}

Status replay(FrameDecoder& decoder, const Stream& stream, const History& history, size_t slots,
              int threads) {
  SymbolCoder symbols(stream.picture, stream.header, stream.grid, threads);
  for (const History::Entry& entry : history.entries()) {
    const int slot = static_cast<int>(entry.frame % slots);
    CTV_RETURN_IF_ERROR(symbols.read_header(entry.packet));
    CodedFrameBuffers frame = decoder.coded(slot);
    frame.parameters = symbols.header().frame;
    CTV_RETURN_IF_ERROR(symbols.decode(entry.packet, decoder.layers(), frame));
    CTV_RETURN_IF_ERROR(decoder.decode(frame.parameters, slot));
  }
  return {};
}

void copy_picture(const ctv_picture& picture, PictureCopy& copy) {
  copy.picture = picture;
  copy.picture.borrowed = 0;
  size_t size = 0;
  const int planes = format_planes(picture.format);
  for (int p = 0; p < planes; ++p) {
    size += ctv_plane_row_bytes(picture.format, picture.width, p) *
            ctv_plane_rows(picture.format, picture.height, p);
  }
  copy.bytes.resize(size);
  uint8_t* out = copy.bytes.data();
  for (int p = 0; p < planes; ++p) {
    const size_t row_bytes = ctv_plane_row_bytes(picture.format, picture.width, p);
    copy.picture.data[p] = out;
    copy.picture.stride[p] = static_cast<ptrdiff_t>(row_bytes);
    const auto* in = static_cast<const uint8_t*>(picture.data[p]);
    for (size_t r = 0; r < ctv_plane_rows(picture.format, picture.height, p); ++r, out += row_bytes) {
      std::memcpy(out, in + static_cast<ptrdiff_t>(r) * picture.stride[p], row_bytes);
    }
  }
}

}  // namespace ctv
