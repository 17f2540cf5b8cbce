// SPDX-License-Identifier: BSD-3-Clause
// Streams with damage, and a decoder's results.
#pragma once

#include <ctv/ctv.h>

#include <cstdint>
#include <string>
#include <tuple>
#include <vector>

#include "tests/support/codec.hpp"
#include "tests/support/random.hpp"

namespace ctv::test {

/// A picture (number, digest), or an error and its message.
using Event = std::tuple<ctv_status, int64_t, uint64_t, std::string>;

/// Sends all units, flushes and receives until CTV_END. Fails the test if the decoder returns CTV_AGAIN from
/// both send and receive.
std::vector<Event> events_of(const std::vector<Bytes>& units, const ctv_decoder_config& config);

std::vector<Bytes> units_of(const Stream& stream);

/// Returns the units of the first stream after one to four changes: of bytes, mostly with corrected
/// checksums, or of the order of units, with units of the other streams.
std::vector<Bytes> damage(const std::vector<Stream>& streams, Random& random);

}  // namespace ctv::test
