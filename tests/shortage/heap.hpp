// SPDX-License-Identifier: BSD-3-Clause
// The heap of the process, counted. Linked into one test program only, since it replaces malloc.
#pragma once

#include <cstddef>

namespace ctv::test {

/// Bytes handed out now, over all threads.
size_t heap_bytes();
/// The most since the last call of reset_heap_peak().
size_t heap_peak();
void reset_heap_peak();

}  // namespace ctv::test
