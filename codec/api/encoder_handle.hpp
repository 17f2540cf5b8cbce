// SPDX-License-Identifier: BSD-3-Clause
// What the C interface calls an encoder.
#pragma once

#include <memory>

#include "codec/pipeline/encoder.hpp"

struct ctv_encoder {
  std::unique_ptr<ctv::StreamEncoder> impl;
};
