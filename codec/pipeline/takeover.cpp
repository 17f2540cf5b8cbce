// SPDX-License-Identifier: BSD-3-Clause
#include "codec/pipeline/takeover.hpp"

#include <cstring>

#include "codec/entropy/symbol_coder.hpp"
#include "codec/pipeline/picture_check.hpp"

namespace ctv {

void History::append(std::span<const uint8_t> packet, bool key) {
  if (key) {
    clear();
    whole_ = true;
  }
  if (!whole_) return;
  bytes_ += packet.size();
  if (bytes_ > kMaxBytes) {
    clear();
    return;
  }
  packets_.emplace_back(packet.begin(), packet.end());
}

void History::clear() {
  packets_.clear();
  bytes_ = 0;
  whole_ = false;
}

bool is_device_failure(const Status& status, const Backend& backend) {
  return backend.kind() != CTV_BACKEND_CPU &&
         (status.code() == CTV_ERROR_DEVICE || status.code() == CTV_ERROR_MEMORY);
}

Status replay(FrameDecoder& decoder, const Stream& stream, const History& history, uint64_t last,
              size_t slots, int threads) {
  SymbolCoder symbols(stream.picture, stream.header, stream.grid, threads);
  const auto& packets = history.packets();
  for (size_t i = 0; i < packets.size(); ++i) {
    const int slot = static_cast<int>((last + slots * packets.size() - (packets.size() - 1 - i)) % slots);
    CTV_RETURN_IF_ERROR(symbols.read_header(packets[i]));
    CodedFrame frame = decoder.coded(slot);
    frame.parameters = symbols.header().frame;
    CTV_RETURN_IF_ERROR(symbols.decode(packets[i], decoder.layers(), frame));
    CTV_RETURN_IF_ERROR(decoder.decode(frame.parameters, slot));
  }
  return {};
}

PictureCopy copy_picture(const ctv_picture& picture) {
  PictureCopy copy{picture, {}};
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
  return copy;
}

}  // namespace ctv
