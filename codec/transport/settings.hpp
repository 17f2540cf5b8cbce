// SPDX-License-Identifier: BSD-3-Clause
// Chooses the settings of a call from measurements of the network.
#pragma once

#include <ctv/net.h>

namespace ctv::net {

inline constexpr int64_t kLongestDelay = 60000000;  // microseconds

ctv_status check_measurement(const ctv_net_measurement& measurement);
ctv_net_settings choose_settings(const ctv_net_measurement& measurement);

}  // namespace ctv::net
