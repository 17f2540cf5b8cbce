// SPDX-License-Identifier: BSD-3-Clause
// From what is measured of a network to how a call sends over it.
#pragma once

#include <ctv/net.h>

namespace ctv::net {

inline constexpr int64_t kLongestDelay = 60000000;  // microseconds

ctv_status check_measurement(const ctv_net_measurement& measurement);
ctv_net_settings choose_settings(const ctv_net_measurement& measurement);

}  // namespace ctv::net
