// SPDX-License-Identifier: BSD-3-Clause
// What the tests of configurations and of misuse start from.
#pragma once

#include "tests/support/codec.hpp"

namespace ctv::test {

/// A small configuration that an encoder accepts, for tests that spoil one field.
inline Config valid() {
  Config c;
  c.width = 32;
  c.height = 16;
  c.format = CTV_FORMAT_I420;
  c.backend = CTV_BACKEND_CPU;
  return c;
}

}  // namespace ctv::test
