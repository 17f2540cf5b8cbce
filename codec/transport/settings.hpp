// SPDX-License-Identifier: BSD-3-Clause
// Chooses the settings of a call from measurements of the network.
#pragma once

#include <ctv/net.h>

#include <algorithm>

namespace ctv::net {

inline constexpr int64_t kLongestDelay = 60000000;  // microseconds

/// After so much silence of the receiver nothing but probes is sent.
inline int64_t silence_us(int64_t round_trip_us) { return std::max<int64_t>(1000000, 4 * round_trip_us); }

ctv_status check_measurement(const ctv_net_measurement& measurement);
ctv_net_settings choose_settings(const ctv_net_measurement& measurement);

}  // namespace ctv::net
