// SPDX-License-Identifier: BSD-3-Clause
#include "tests/support/borrowing.hpp"

#include <algorithm>
#include <deque>

namespace ctv::test {

BorrowedPicture::BorrowedPicture(const Frame& frame, const Lending& how) : picture_(picture_of(frame)) {
  const auto shapes = plane_shapes(frame.format, frame.width, frame.height);
  size_t size = 0;
  for (const PlaneShape& shape : shapes)
    size += (shape.row_bytes + static_cast<size_t>(how.gap)) * shape.rows;
  memory_ = HostMemory(size, how.memory);
  uint8_t* at = memory_.data();
  for (size_t p = 0; p < shapes.size(); ++p) {
    if (shapes[p].rows == 0) continue;
    const ptrdiff_t pitch = static_cast<ptrdiff_t>(shapes[p].row_bytes) + how.gap;
    const auto rows = static_cast<ptrdiff_t>(shapes[p].rows);
    picture_.stride[p] = how.bottom_up ? -pitch : pitch;
    uint8_t* first = how.bottom_up ? at + (rows - 1) * pitch : at;
    picture_.data[p] = first;
    for (ptrdiff_t r = 0; r < rows; ++r) {
      std::copy_n(frame.planes[p].begin() + r * static_cast<ptrdiff_t>(shapes[p].row_bytes),
                  shapes[p].row_bytes, first + r * picture_.stride[p]);
    }
    at += rows * pitch;
  }
  picture_.borrowed = 1;
}

void BorrowedPicture::spoil() { std::fill_n(memory_.data(), memory_.size(), uint8_t{77}); }

Stream encode_borrowed(const std::vector<Frame>& clip, const ctv_config& config, const Lending& how) {
  std::deque<BorrowedPicture> borrowed;  // outlives the encoder
  Encoder encoder(config);
  Stream stream;
  const Unit header = encoder.header();
  stream.header.assign(header.bytes().begin(), header.bytes().end());
  const auto receive = [&] {
    while (const auto unit = encoder.receive()) {
      stream.packets.emplace_back(unit->bytes().begin(), unit->bytes().end());
      borrowed.front().spoil();
      borrowed.pop_front();
    }
  };
  for (const Frame& frame : clip) {
    borrowed.emplace_back(frame, how);
    while (!encoder.send(borrowed.back().get())) receive();
    if (config.frames_in_flight <= 1) receive();
  }
  encoder.flush();
  receive();
  return stream;
}

}  // namespace ctv::test
