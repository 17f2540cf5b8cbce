// SPDX-License-Identifier: BSD-3-Clause
// Motion search, compensation and the prediction of subbands, of luma.
#include "codec/dsp/motion_vectors.hpp"
#include "tests/reference/motion.hpp"
#include "tools/bench/lab/stages/arrays.hpp"
#include "tools/bench/lab/stages/stage.hpp"

namespace ctv::lab {
namespace {

constexpr uint32_t kLambda = 64;

/// The search of a preset as a stage.
struct Search {
  const char* preset;
  int range, subpel;
};

MotionParameters parameters(const Search& s, const Stream& stream) {
  return {stream.grid, s.range, s.subpel};
}

std::vector<int16_t> numbers(const std::vector<MotionVector>& vectors) {
  std::vector<int16_t> out;
  for (const MotionVector& v : vectors) out.insert(out.end(), {v.y, v.x});
  return out;
}

Result<Prepared> prepare_search(Backend& backend, const Search& search, Extent extent) {
  struct State {
    Plane current, reference;
    Array vectors;
    std::unique_ptr<MotionEstimator> motion;
  };
  const Stream stream = stream_of(search.preset, extent);
  const Extent padded = stream.picture.subbands[0].padded;
  const auto s = std::make_shared<State>();
  CTV_ASSIGN_OR_RETURN(s->current, Plane::make(backend, padded));
  CTV_ASSIGN_OR_RETURN(s->reference, Plane::make(backend, padded));
  CTV_ASSIGN_OR_RETURN(s->vectors, Array::make(backend, 2 * stream.grid.size()));
  CTV_ASSIGN_OR_RETURN(s->motion, backend.make_motion(parameters(search, stream), extent));
  CTV_RETURN_IF_ERROR(s->current.fill([](int r, int c) { return scene(r, c, 1); }));
  CTV_RETURN_IF_ERROR(s->reference.fill([](int r, int c) { return scene(r, c, 0); }));
  return Prepared{[=] {
                    return s->motion->search(s->current.view(),
                                             s->reference.view().crop(extent.rows, extent.cols), kLambda,
                                             reinterpret_cast<MotionVector*>(s->vectors.data()));
                  },
                  [=] { return s->vectors.read(); }};
}

std::vector<int16_t> expected_search(const Search& search, Extent extent) {
  const Stream stream = stream_of(search.preset, extent);
  const Extent padded = stream.picture.subbands[0].padded;
  const auto now = reference::clamped([](int r, int c) { return scene(r, c, 1); }, padded.rows, padded.cols);
  const auto before =
      reference::clamped([](int r, int c) { return scene(r, c, 0); }, extent.rows, extent.cols);
  return numbers(reference::search_all(now, before, parameters(search, stream), kLambda));
}

/// A field that turns slowly, with every fraction of a sample in it.
std::vector<MotionVector> field(const MotionGrid& grid) {
  std::vector<MotionVector> vectors;
  for (int r = 0; r < grid.rows; ++r)
    for (int c = 0; c < grid.cols; ++c)
      vectors.push_back(
          {static_cast<int16_t>(r % 40 - 20 + c % 3), static_cast<int16_t>(17 - c % 35 + r % 2)});
  return vectors;
}

CompensationGeometry geometry(const Stream& stream) { return {stream.grid, 0, 0, true}; }

Result<Prepared> prepare_compensation(Backend& backend, Extent extent) {
  struct State {
    Plane reference, prediction;
    Array vectors;
  };
  const Stream stream = stream_of("default", extent);
  const Extent padded = stream.picture.subbands[0].padded;
  const auto s = std::make_shared<State>();
  CTV_ASSIGN_OR_RETURN(s->reference, Plane::make(backend, padded));
  CTV_ASSIGN_OR_RETURN(s->prediction, Plane::make(backend, padded));
  CTV_ASSIGN_OR_RETURN(s->vectors, Array::make(backend, 2 * stream.grid.size()));
  CTV_RETURN_IF_ERROR(s->reference.fill([](int r, int c) { return scene(r, c, 0); }));
  CTV_RETURN_IF_ERROR(s->vectors.write(numbers(field(stream.grid))));
  Backend* const b = &backend;
  return Prepared{[=] {
                    return b->compensate(s->reference.view().crop(extent.rows, extent.cols),
                                         reinterpret_cast<const MotionVector*>(s->vectors.data()),
                                         geometry(stream), s->prediction.view());
                  },
                  [=] { return s->prediction.read(); }};
}

std::vector<int16_t> expected_compensation(Extent extent) {
  const Stream stream = stream_of("default", extent);
  const Extent padded = stream.picture.subbands[0].padded;
  const auto before =
      reference::clamped([](int r, int c) { return scene(r, c, 0); }, extent.rows, extent.cols);
  const std::vector<MotionVector> vectors = field(stream.grid);
  std::vector<int16_t> samples;
  for (int r = 0; r < padded.rows; ++r)
    for (int c = 0; c < padded.cols; ++c)
      samples.push_back(
          static_cast<int16_t>(reference::compensated(before, vectors, geometry(stream), r, c)));
  return samples;
}

std::vector<int16_t> levels_of_frame(size_t count, int frame) {
  std::vector<int16_t> levels(count);
  for (size_t i = 0; i < count; ++i)
    levels[i] =
        static_cast<int16_t>(scene(static_cast<int>(i / 641), static_cast<int>(i % 641), frame) / 16 - 8);
  return levels;
}

Result<Prepared> prepare_subbands(Backend& backend, Extent extent, bool subtract) {
  struct State {
    Stream stream;
    Array levels, previous, out, vectors;
  };
  const auto s = std::make_shared<State>();
  s->stream = stream_of("paper", extent);
  const size_t count = s->stream.picture.subbands[0].num_coefficients;
  CTV_ASSIGN_OR_RETURN(s->levels, Array::make(backend, count));
  CTV_ASSIGN_OR_RETURN(s->previous, Array::make(backend, count));
  CTV_ASSIGN_OR_RETURN(s->out, Array::make(backend, count));
  CTV_ASSIGN_OR_RETURN(s->vectors, Array::make(backend, 2 * s->stream.grid.size()));
  CTV_RETURN_IF_ERROR(s->levels.write(levels_of_frame(count, 1)));
  CTV_RETURN_IF_ERROR(s->previous.write(levels_of_frame(count, 0)));
  CTV_RETURN_IF_ERROR(s->vectors.write(numbers(field(s->stream.grid))));
  Backend* const b = &backend;
  const auto run = [=] {
    const SubbandLayout& layout = s->stream.picture.subbands[0];
    const auto* vectors = reinterpret_cast<const MotionVector*>(s->vectors.data());
    return subtract ? b->subtract_subbands(layout, {}, s->stream.grid, vectors, s->levels.data(),
                                           s->previous.data(), s->out.data())
                    : b->add_subbands(layout, {}, s->stream.grid, vectors, s->levels.data(),
                                      s->previous.data(), layout.layers, s->out.data());
  };
  return Prepared{run, [=] { return s->out.read(); }};
}

std::vector<int16_t> expected_subbands(Extent extent, bool subtract) {
  const Stream stream = stream_of("paper", extent);
  const SubbandLayout& layout = stream.picture.subbands[0];
  const std::vector<MotionVector> vectors = field(stream.grid);
  const std::vector<int16_t> previous = levels_of_frame(layout.num_coefficients, 0);
  std::vector<int16_t> out = levels_of_frame(layout.num_coefficients, 1);
  for (const Subband& band : layout.subbands)
    for (int r = 0; r < band.rows; ++r)
      for (int c = 0; c < band.cols; ++c) {
        int16_t& level = out[band.offset + static_cast<size_t>(r * band.cols + c)];
        const int moved = reference::moved_level(band, {}, stream.grid, vectors, previous.data(), r, c);
        level = static_cast<int16_t>(subtract ? level - moved : level + moved);
      }
  return out;
}

Stage search_stage(const Search& search, const std::string& about) {
  // A candidate: difference, its magnitude, the sum, for every sample; at a fraction of a sample the sample
  // comes from eight taps along rows and eight along columns. Eight candidates for each halving of the step.
  constexpr double kInterpolate = 2 * (kInterpolationTaps + kInterpolationTaps - 1) + 2;
  const double candidates = (2.0 * search.range + 1) * (2 * search.range + 1);
  const double operations = 3 * candidates + search.subpel * 8 * (3 + kInterpolate);
  return {
      search.subpel > 0 ? "motion search and refinement" : "motion search",
      about,
      {Engine::kDirect},
      false,
      false,
      [=](Extent e) {
        const auto area = static_cast<double>(e.area());
        const MotionGrid grid = stream_of(search.preset, e).grid;
        // A block that may be split: eleven candidates for each quarter, and the block's own again.
        const double quarters = grid.split * 12 * (3 + kInterpolate);
        return Work{area * 4 + 4 * static_cast<double>(grid.size()), 0, 0, area * (operations + quarters)};
      },
      [=](Backend& b, Engine, Extent e) { return prepare_search(b, search, e); },
      [=](Extent e) { return expected_search(search, e); }};
}

}  // namespace

std::vector<Stage> motion_stages() {
  std::vector<Stage> stages = {
      search_stage({"paper", 8, 0}, "blocks of 16, +-8 whole samples"),
      search_stage({"default", 8, kMaxSubpel}, "the default preset's blocks, +-8, then eighths of a sample"),
      {"compensation",
       "overlapped blocks, eighths of a sample",
       {Engine::kDirect},
       false,
       false,
       [](Extent e) {
         // Four predictions of 16 taps each, their weights and sum.
         const double operations = 4 * (2 * (2 * kInterpolationTaps - 1) + 2) + 8 + 3 + 2;
         return Work{static_cast<double>(e.area()) * 4, 0, 0, static_cast<double>(e.area()) * operations};
       },
       [](Backend& b, Engine, Extent e) { return prepare_compensation(b, e); },
       &expected_compensation}};
  for (const bool subtract : {true, false})
    stages.push_back({subtract ? "subband prediction" : "subband prediction undone",
                      "the paper's subbands",
                      {Engine::kDirect},
                      false,
                      false,
                      [](Extent e) {
                        const auto levels =
                            static_cast<double>(stream_of("paper", e).picture.subbands[0].num_coefficients);
                        return Work{levels * 6, 0, 0, levels};
                      },
                      [=](Backend& b, Engine, Extent e) { return prepare_subbands(b, e, subtract); },
                      [=](Extent e) { return expected_subbands(e, subtract); }});
  return stages;
}

}  // namespace ctv::lab
