// SPDX-License-Identifier: BSD-3-Clause
// The bands of a component in the order of coding, and which earlier bands of it foretell each
// (docs/bitstream.md, 6.5).
#pragma once

#include <vector>

#include "codec/entropy/model/quad_events.hpp"
#include "codec/format/components.hpp"
#include "codec/format/picture_layout.hpp"

namespace ctv {

/// Coarse to fine, by layer, then plane, then as in the layout.
std::vector<ContextBand> make_context_bands(const PictureLayout& picture, const Component& component);

/// Fills in `siblings`: for each band but a lowpass, the last two before it that are no lowpass and of equal
/// extent.
void link_siblings(std::vector<ContextBand>& bands);

/// How a backend may send the levels of a frame coded by contexts. Down: lowpass subbands, which are coded as
/// errors, as levels, all others as events. Up: components with a lowpass as levels, the others as lists.
/// Empty without contexts, if a row is too long for events, or if decoding a list would need the levels of
/// parents.
QuadPlan make_quad_plan(const PictureLayout& picture, const SequenceHeader& header, bool up);

}  // namespace ctv
