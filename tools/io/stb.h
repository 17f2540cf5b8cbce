// SPDX-License-Identifier: BSD-3-Clause
// stb_image and stb_image_write with this project's choices; included instead of the originals.
#pragma once

#define STBI_ONLY_PNG
#define STBI_ONLY_JPEG
#define STBI_NO_HDR
#define STBI_NO_LINEAR
#define STBI_MAX_DIMENSIONS 65535

#include <stb/stb_image.h>
#include <stb/stb_image_write.h>
