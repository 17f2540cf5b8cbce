// SPDX-License-Identifier: BSD-3-Clause
// Encodes borrowed pictures: each is overwritten and freed as soon as its packet is received.
#pragma once

#include "tests/support/codec.hpp"

namespace ctv::test {

struct Lending {
  ctv_backend memory = CTV_BACKEND_AUTO;  // page-locked if there is a device; CPU: pageable
  ptrdiff_t gap = 0;                      // bytes between rows
  bool bottom_up = false;
};

class BorrowedPicture {
 public:
  BorrowedPicture(const Frame& frame, const Lending& how);
  const ctv_picture& get() const { return picture_; }
  void spoil();

 private:
  HostMemory memory_;
  ctv_picture picture_;
};

/// As encode(), without the index.
Stream encode_borrowed(const std::vector<Frame>& clip, const ctv_config& config, const Lending& how = {});

}  // namespace ctv::test
