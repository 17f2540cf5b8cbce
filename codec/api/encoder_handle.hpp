// SPDX-License-Identifier: BSD-3-Clause
// The encoder's handle of the C interface.
#pragma once

#include <memory>

#include "codec/pipeline/encoder.hpp"

struct ctv_encoder {
  std::unique_ptr<ctv::StreamEncoder> impl;
};
