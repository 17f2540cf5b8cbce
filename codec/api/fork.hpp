// SPDX-License-Identifier: BSD-3-Clause
// fork() while other threads are in calls of the library.
#pragma once

namespace ctv::api {

/// From the first call on, a child of fork() can open encoders and decoders: it has no lock, half-made table
/// or loop of a thread that is only in the parent.
void survive_forks() noexcept;

}  // namespace ctv::api
