// SPDX-License-Identifier: BSD-3-Clause
// The subbands of a component in sets whose tiles are coded together (docs/symbols.md).
#pragma once

#include <vector>

#include "codec/entropy/model/tile_set.hpp"
#include "codec/format/components.hpp"
#include "codec/format/picture_layout.hpp"

namespace ctv {

std::vector<TileSet> make_tile_sets(const PictureLayout& picture, const Component& component);

}  // namespace ctv
