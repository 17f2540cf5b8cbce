// SPDX-License-Identifier: BSD-3-Clause
// The only place that compiles stb's image code: just the formats needed, and a lower size limit, because its
// authors advise caution with files of unknown origin.
#define STB_IMAGE_IMPLEMENTATION
#define STB_IMAGE_WRITE_IMPLEMENTATION
#include "io/stb.h"
