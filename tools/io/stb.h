// SPDX-License-Identifier: BSD-3-Clause
// stb_image and stb_image_write with this project's choices; included instead of the originals.
#pragma once

#include <cstdlib>

#define STBI_ONLY_PNG
#define STBI_ONLY_JPEG
#define STBI_NO_HDR
#define STBI_NO_LINEAR
#define STBI_MAX_DIMENSIONS 65535
// Zeroed memory: a JPEG that refers to a missing table must not reveal the heap.
#define STBI_MALLOC(size) calloc(1, size)
#define STBI_REALLOC(data, size) realloc(data, size)
#define STBI_FREE(data) free(data)

#include <stb/stb_image.h>
#include <stb/stb_image_write.h>
