// SPDX-License-Identifier: BSD-3-Clause
// The one place where stb's image code is compiled: the few formats in need, and a lowered size limit,
// because its authors ask to be careful with files of unknown origin.
#define STB_IMAGE_IMPLEMENTATION
#define STB_IMAGE_WRITE_IMPLEMENTATION
#include "io/stb.h"
