// SPDX-License-Identifier: BSD-3-Clause
// Time of each stage on the device, 1080p 4:2:0, by the device's own clock: events around many calls, median
// of many rounds, pictures that fill the cache left aside (each round reads what the round before wrote). A
// short table; the CPU backend's times on all cores beside it.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <functional>
#include <thread>
#include <vector>

#include "codec/backends.hpp"
#include "codec/dsp/motion_vectors.hpp"
#include "cpu/cpu_backend.hpp"
#include "tests/support/backend_plane.hpp"
#include "tests/support/transform_cases.hpp"

namespace ctv::test {
namespace {

constexpr int kRounds = 15;

/// Microseconds per call: the host's clock over a batch that ends in synchronize(), so launches overlap as
/// they do in a stream of frames.
double time_of(Backend& backend, int batch, const std::function<void()>& body) {
  std::vector<double> times;
  for (int round = 0; round < kRounds + 2; ++round) {
    static_cast<void>(backend.synchronize().ok());
    const auto start = std::chrono::steady_clock::now();
    for (int i = 0; i < batch; ++i) body();
    static_cast<void>(backend.synchronize().ok());
    const std::chrono::duration<double, std::micro> passed = std::chrono::steady_clock::now() - start;
    if (round >= 2) times.push_back(passed.count() / batch);
  }
  std::nth_element(times.begin(), times.begin() + kRounds / 2, times.end());
  return times[kRounds / 2];
}

void check(const Status& status) {
  if (!status.ok()) std::printf("failed: %s\n", status.message().c_str());
}

struct Row {
  const char* name;
  double cpu = 0, cuda = 0;
};

class Bench {
 public:
  Bench(Backend& backend, bool cuda, std::vector<Row>& rows) : backend_(backend), cuda_(cuda), rows_(rows) {}

  void measure(const char* name, const std::function<void()>& body) {
    auto at =
        std::find_if(rows_.begin(), rows_.end(), [&](const Row& r) { return std::string(r.name) == name; });
    if (at == rows_.end()) at = rows_.insert(rows_.end(), Row{name});
    (cuda_ ? at->cuda : at->cpu) = time_of(backend_, cuda_ ? 20 : 2, body);
  }

  void transforms() {
    const Extent luma{1080, 1920};
    struct Case {
      const char* forward;
      const char* inverse;
      TransformParameters transform;
      Engine engine;
    };
    const Case cases[] = {
        {"13/7 4 levels: forward", "13/7 4 levels: inverse", transform_of(Pyramid::kWavelet13_7, 4, {0}, 2),
         Engine::kDirect},
        {"13/7 4 directions 2 taps: forward", "13/7 4 directions 2 taps: inverse",
         transform_of(Pyramid::kWavelet13_7, 4, {2}, 2), Engine::kDirect},
        {"13/7 8 4 directions 6 taps: forward", "13/7 8 4 directions 6 taps: inverse",
         transform_of(Pyramid::kWavelet13_7, 4, {3, 2}, 6), Engine::kDirect},
        {"laplacian 8 8 directions 12 taps: forward", "laplacian 8 8 directions 12 taps: inverse",
         transform_of(Pyramid::kLaplacian, 4, {3, 3}, 12, 2, true), Engine::kDirect},
        {"the same, fft: forward", "the same, fft: inverse",
         transform_of(Pyramid::kLaplacian, 4, {3, 3}, 12, 2, true), Engine::kFft},
        {"dct 8x8: forward", "dct 8x8: inverse", block_transform(TransformKind::kDct8x8), Engine::kDirect},
        {"h.264 4x4: forward", "h.264 4x4: inverse", block_transform(TransformKind::kH264_4x4),
         Engine::kDirect},
        {"h.264 8x8: forward", "h.264 8x8: inverse", block_transform(TransformKind::kH264_8x8),
         Engine::kDirect}};
    for (const Case& c : cases) {
      if (!cuda_ && c.engine == Engine::kFft) continue;
      const SubbandLayout layout = make_layout(c.transform, luma);
      auto coder = backend_.make_transform(layout, c.engine);
      if (!coder.ok()) {
        std::printf("%s: %s\n", c.forward, coder.status().message().c_str());
        continue;
      }
      BackendPlane samples(backend_, layout.padded, 0, 255, 1);
      BackendPlane prediction(backend_, layout.padded, 0, 255, 2);
      BackendPlane levels(backend_, {1, static_cast<int>(layout.num_coefficients)}, 0, 0, 3);
      const std::vector<SubbandQuantiser> quantisers = lossy(layout, 300);
      measure(c.forward, [&] {
        check((*coder)->forward(samples.const_view(), prediction.const_view(), 128, quantisers,
                                levels.view().data));
      });
      if (c.engine == Engine::kDirect) {
        BackendPlane coefficients(backend_, {1, static_cast<int>(layout.num_coefficients)}, -60, 60, 3);
        measure("the same, quantiser deciding by rate", [&] {
          check(backend_.quantise(layout, quantisers, coefficients.view().data, levels.view().data));
        });
      }
      measure(c.inverse, [&] {
        check((*coder)->inverse(levels.view().data, quantisers, prediction.const_view(), 128, {0, 255}, 0,
                                samples.view()));
      });
    }
  }

  void motion() {
    const Extent extent{1080, 1920};
    const Extent padded{1088, 1920};
    const MotionGrid grid = grid_for(padded, 4);
    BackendPlane current(backend_, padded, 0, 255, 4);
    BackendPlane reference(backend_, padded, 0, 255, 5);
    BackendPlane prediction(backend_, padded);
    BackendVectors vectors(backend_, grid);
    const MotionGrid split_grid = grid_for(padded, 4, 1);
    BackendVectors split_vectors(backend_, split_grid);
    const auto search = [&](const char* name, const MotionGrid& of, int subpel, const BackendVectors& out) {
      auto motion = backend_.make_motion({of, 8, subpel, 0}, extent);
      measure(name, [&] {
        check((*motion)->search(current.const_view(), reference.const_view().crop(1080, 1920), 64,
                                out.device()));
      });
    };
    search("motion search +-8", grid, 0, vectors);
    search("the same, quarter samples", grid, 2, vectors);
    search("the same, eighths", grid, kMaxSubpel, vectors);
    search("the same, and every block tried in four", split_grid, kMaxSubpel, split_vectors);
    for (const bool alike : {true, false}) {
      Random random(6);
      for (int r = 0; r < grid.rows; ++r) {
        for (int c = 0; c < grid.cols; ++c) {
          vectors.set(r, c,
                      alike ? MotionVector{static_cast<int16_t>(r / 16 + 3), static_cast<int16_t>(c / 16 - 5)}
                            : MotionVector{static_cast<int16_t>(random.between(-64, 64)),
                                           static_cast<int16_t>(random.between(-64, 64))});
        }
      }
      vectors.upload();
      measure(alike ? "compensation, overlap, alike" : "compensation, overlap, wild", [&] {
        check(backend_.compensate(reference.const_view().crop(1080, 1920), vectors.device(),
                                  {grid, 0, 0, true}, prediction.view()));
      });
    }
    Random random(6);
    for (int r = 0; r < split_grid.rows; ++r) {
      for (int c = 0; c < split_grid.cols; ++c) {
        split_vectors.set(
            r, c,
            {static_cast<int16_t>(random.between(-64, 64)), static_cast<int16_t>(random.between(-64, 64))});
      }
    }
    split_vectors.upload();
    measure("compensation, overlap, wild, all split", [&] {
      check(backend_.compensate(reference.const_view().crop(1080, 1920), split_vectors.device(),
                                {split_grid, 0, 0, true}, prediction.view()));
    });
    const SubbandLayout layout = make_layout(transform_of(Pyramid::kLaplacian, 2, {3, 3}, 12), extent);
    BackendPlane levels(backend_, {1, static_cast<int>(layout.num_coefficients)}, -9, 9, 7);
    BackendPlane previous(backend_, {1, static_cast<int>(layout.num_coefficients)}, -9, 9, 8);
    measure("subband prediction", [&] {
      check(backend_.subtract_subbands(layout, {0, 0}, grid, vectors.device(), levels.view().data,
                                       previous.view().data, levels.view().data));
    });
  }

  void ports() {
    PictureLayout layout;
    layout.source = CTV_FORMAT_I420;
    layout.width = 1920;
    layout.height = 1080;
    layout.chroma = {1, 1};
    for (int p = 0; p < 3; ++p) {
      layout.subbands[static_cast<size_t>(p)] =
          make_layout(transform_of(Pyramid::kWavelet13_7, 4, {0}, 2), layout.extent(p));
    }
    const MotionGrid grid = grid_for(layout.subbands[0].padded, 4);
    std::vector<std::unique_ptr<BackendPlane>> planes, levels;
    Planes views;
    ConstPlanes cropped;
    std::array<Level*, 3> up{};
    for (int p = 0; p < 3; ++p) {
      const auto i = static_cast<size_t>(p);
      planes.push_back(std::make_unique<BackendPlane>(backend_, layout.subbands[i].padded, 0, 255, 9 + i));
      levels.push_back(std::make_unique<BackendPlane>(
          backend_, Extent{1, static_cast<int>(layout.subbands[i].num_coefficients)}, 0, 0, 1));
      views[i] = planes[i]->view();
      cropped[i] = planes[i]->const_view().crop(layout.extent(p).rows, layout.extent(p).cols);
      up[i] = levels[i]->view().data;
    }
    auto port = backend_.make_picture_transfer(layout);
    auto level_transfer = backend_.make_level_transfer(layout, grid, {});
    std::vector<uint8_t> bytes(1920 * 1080 * 3 / 2, 99);
    ctv_picture in{};
    in.struct_size = sizeof in;
    in.format = CTV_FORMAT_I420;
    in.width = 1920;
    in.height = 1080;
    in.data[0] = bytes.data();
    in.data[1] = bytes.data() + 1920 * 1080;
    in.data[2] = bytes.data() + 1920 * 1080 * 5 / 4;
    in.stride[0] = 1920;
    in.stride[1] = in.stride[2] = 960;
    measure("picture in, I420", [&] { check((*port)->import_picture(in, views)); });
    measure("picture out, I420", [&] {
      check((*port)->export_picture(cropped, 0, CTV_FORMAT_I420, CTV_MEMORY_HOST));
      ctv_picture out{};
      check((*port)->finish(out));
    });
    measure("picture out, RGB8", [&] {
      check((*port)->export_picture(cropped, 0, CTV_FORMAT_RGB8, CTV_MEMORY_HOST));
      ctv_picture out{};
      check((*port)->finish(out));
    });
    measure("levels down", [&] {
      check((*level_transfer)->download({up[0], up[1], up[2]}, nullptr));
      check((*level_transfer)->finish());
    });
    measure("levels up", [&] {
      check((*level_transfer)->import_levels(up, nullptr));
      check((*level_transfer)->finish());
    });
  }

  void all() {
    ports();
    motion();
    transforms();
  }

 private:
  Backend& backend_;
  const bool cuda_;
  std::vector<Row>& rows_;
};

}  // namespace
}  // namespace ctv::test

int main() {
  std::string why;
  auto cuda = ctv::make_backend(CTV_BACKEND_CUDA, 0, 4, why);
  if (!cuda.ok()) {
    std::printf("no CUDA backend: %s\n", why.c_str());
    return 0;
  }
  const auto cpu = ctv::make_cpu_backend(0);
  std::vector<ctv::test::Row> rows;
  ctv::test::Bench(**cuda, true, rows).all();
  ctv::test::Bench(*cpu, false, rows).all();
  std::printf("%s against %s, 1080p luma (pictures and levels: 4:2:0), microseconds a call\n",
              (*cuda)->description().c_str(), cpu->description().c_str());
  for (const ctv::test::Row& row : rows) std::printf("%-46s %9.1f %9.1f\n", row.name, row.cuda, row.cpu);
  return 0;
}
