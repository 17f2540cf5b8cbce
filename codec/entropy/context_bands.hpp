// SPDX-License-Identifier: BSD-3-Clause
// The bands of a component in the order of coding, and which earlier bands of it foretell each
// (docs/symbols.md, 3).
#pragma once

#include <vector>

#include "codec/entropy/components.hpp"
#include "codec/frame/picture_layout.hpp"
#include "codec/frame/quad_events.hpp"

namespace ctv {

/// Coarse to fine, by layer, then plane, then as in the layout.
std::vector<ContextBand> make_context_bands(const PictureLayout& picture, const Component& component);

/// Fills in `siblings`: for each band but a lowpass, the last two before it that are no lowpass and of equal
/// extent.
void link_siblings(std::vector<ContextBand>& bands);

/// Which components a backend may send as events of quads: under contexts all without a lowpass, whose errors
/// are not known before all levels are. Empty if there is none, or if a row is too long.
QuadPlan make_quad_plan(const PictureLayout& picture, const SequenceHeader& header);

}  // namespace ctv
