// SPDX-License-Identifier: BSD-3-Clause
// How far a decoded picture is from its original, of luma: what constant quality asks for after every frame.
#include "tools/bench/lab/stages/arrays.hpp"
#include "tools/bench/lab/stages/stage.hpp"

namespace ctv::lab {
namespace {

int original(int row, int col) { return scene(row, col, 0); }
int decoded(int row, int col) { return scene(row, col, 1); }

/// The sum in pieces of 16 bits, lowest first.
std::vector<int16_t> pieces(uint64_t sum) {
  std::vector<int16_t> out;
  for (int shift = 0; shift < 64; shift += 16) out.push_back(static_cast<int16_t>(sum >> shift));
  return out;
}

Result<Prepared> prepare_error(Backend& backend, Extent extent) {
  struct State {
    Plane a, b;
    std::unique_ptr<DistortionMeter> meter;
  };
  const Extent padded = stream_of("default", extent).picture.subbands[0].padded;
  const auto s = std::make_shared<State>();
  CTV_ASSIGN_OR_RETURN(s->a, Plane::make(backend, padded));
  CTV_ASSIGN_OR_RETURN(s->b, Plane::make(backend, padded));
  CTV_ASSIGN_OR_RETURN(s->meter, backend.make_distortion_meter());
  CTV_RETURN_IF_ERROR(s->a.fill(&original));
  CTV_RETURN_IF_ERROR(s->b.fill(&decoded));
  return Prepared{[=] {
                    return s->meter->measure(s->a.view().crop(extent.rows, extent.cols),
                                             s->b.view().crop(extent.rows, extent.cols));
                  },
                  [=]() -> Result<std::vector<int16_t>> {
                    uint64_t sum = 0;
                    CTV_RETURN_IF_ERROR(s->meter->finish(sum));
                    return pieces(sum);
                  }};
}

std::vector<int16_t> expected_error(Extent extent) {
  uint64_t sum = 0;
  for (int r = 0; r < extent.rows; ++r)
    for (int c = 0; c < extent.cols; ++c) {
      const int64_t d = int64_t{original(r, c)} - decoded(r, c);
      sum += static_cast<uint64_t>(d * d);
    }
  return pieces(sum);
}

}  // namespace

std::vector<Stage> error_stages() {
  return {{"squared error",
           "of luma, true extent",
           {Engine::kDirect},
           false,
           false,
           [](Extent e) {
             const auto area = static_cast<double>(e.area());
             return Work{area * 4, 0, 0, area * 3};  // difference, square, sum
           },
           [](Backend& b, Engine, Extent e) { return prepare_error(b, e); },
           &expected_error}};
}

}  // namespace ctv::lab
