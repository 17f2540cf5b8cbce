// SPDX-License-Identifier: BSD-3-Clause
// Pictures to planes and back (RGB by YCoCg-R, chroma 4:2:0, as the paper has it), and the way of levels to
// the host and back.
#include "tests/reference/picture.hpp"
#include "tools/bench/lab/stages/arrays.hpp"
#include "tools/bench/lab/stages/stage.hpp"

namespace ctv::lab {
namespace {

constexpr const char* kPreset = "paper";

/// Interleaved RGB.
std::vector<uint8_t> rgb_scene(Extent e) {
  std::vector<uint8_t> bytes;
  bytes.reserve(3 * e.area());
  for (int r = 0; r < e.rows; ++r)
    for (int c = 0; c < e.cols; ++c)
      for (int channel = 0; channel < 3; ++channel)
        bytes.push_back(static_cast<uint8_t>(scene(r, c, 0, channel)));
  return bytes;
}

ctv_picture rgb_picture(Extent e, void* bytes) {
  ctv_picture p = {};
  p.struct_size = sizeof p;
  p.format = CTV_FORMAT_RGB8;
  p.width = e.cols;
  p.height = e.rows;
  p.data[0] = static_cast<uint8_t*>(bytes);
  p.stride[0] = 3 * e.cols;
  return p;
}

/// The three planes of a picture in a backend's memory.
struct Planes3 {
  PictureLayout layout;
  std::array<Plane, 3> planes;
  Planes views{};
  ConstPlanes cropped{};

  static Result<std::shared_ptr<Planes3>> make(Backend& backend, Extent extent) {
    auto all = std::make_shared<Planes3>();
    all->layout = stream_of(kPreset, extent).picture;
    for (size_t p = 0; p < 3; ++p) {
      CTV_ASSIGN_OR_RETURN(all->planes[p], Plane::make(backend, all->layout.subbands[p].padded));
      all->views[p] = all->planes[p].view();
      const Extent e = all->layout.extent(static_cast<int>(p));
      all->cropped[p] = all->views[p].crop(e.rows, e.cols);
    }
    return all;
  }
  /// Of the true extents.
  Result<std::vector<int16_t>> read() {
    std::vector<int16_t> samples;
    for (int p = 0; p < 3; ++p) {
      const auto i = static_cast<size_t>(p);
      CTV_ASSIGN_OR_RETURN(const std::vector<int16_t> padded, planes[i].read());
      const Extent e = layout.extent(p);
      for (int r = 0; r < e.rows; ++r) {
        const auto row = padded.begin() + static_cast<std::ptrdiff_t>(r) * layout.subbands[i].padded.cols;
        samples.insert(samples.end(), row, row + e.cols);
      }
    }
    return samples;
  }
};

std::vector<int16_t> flat(const reference::Tables& tables) {
  std::vector<int16_t> samples;
  for (const reference::Table& t : tables)
    for (const int v : t.v) samples.push_back(static_cast<int16_t>(v));
  return samples;
}

reference::Tables imported(Extent extent) {
  std::vector<uint8_t> bytes = rgb_scene(extent);
  return reference::import_picture(rgb_picture(extent, bytes.data()), stream_of(kPreset, extent).picture);
}

Result<Prepared> prepare_import(Backend& backend, Extent extent, bool on_device) {
  CTV_ASSIGN_OR_RETURN(const std::shared_ptr<Planes3> planes, Planes3::make(backend, extent));
  CTV_ASSIGN_OR_RETURN(std::unique_ptr<PictureTransfer> made, backend.make_picture_transfer(planes->layout));
  const std::shared_ptr<PictureTransfer> port = std::move(made);
  const auto bytes = std::make_shared<std::vector<uint8_t>>(rgb_scene(extent));
  ctv_picture picture = rgb_picture(extent, bytes->data());
  std::shared_ptr<Array> device;
  if (on_device) {
    bytes->resize((bytes->size() + 1) / 2 * 2);
    std::vector<int16_t> words(bytes->size() / 2);
    for (size_t i = 0; i < words.size(); ++i)
      words[i] = static_cast<int16_t>((*bytes)[2 * i] | (*bytes)[2 * i + 1] << 8);
    CTV_ASSIGN_OR_RETURN(Array array, Array::make(backend, words.size()));
    CTV_RETURN_IF_ERROR(array.write(words));
    device = std::make_shared<Array>(std::move(array));
    picture.memory = CTV_MEMORY_CUDA;
    picture.data[0] = reinterpret_cast<uint8_t*>(device->data());
  }
  return Prepared{[=] { return port->import_picture(picture, planes->views); },
                  [=, keep = device, source = bytes] { return planes->read(); }};
}

Result<Prepared> prepare_export(Backend& backend, Extent extent) {
  CTV_ASSIGN_OR_RETURN(const std::shared_ptr<Planes3> planes, Planes3::make(backend, extent));
  const reference::Tables tables = imported(extent);
  for (size_t p = 0; p < 3; ++p)
    CTV_RETURN_IF_ERROR(planes->planes[p].fill([&](int r, int c) { return tables[p].at(r, c); }));
  CTV_ASSIGN_OR_RETURN(std::unique_ptr<PictureTransfer> made, backend.make_picture_transfer(planes->layout));
  const std::shared_ptr<PictureTransfer> port = std::move(made);
  const auto out = std::make_shared<ctv_picture>();
  out->struct_size = sizeof *out;
  const auto run = [=]() -> Status {
    CTV_RETURN_IF_ERROR(port->export_picture(planes->cropped, 0, CTV_FORMAT_RGB8, CTV_MEMORY_HOST));
    return port->finish(*out);
  };
  const auto read = [=]() -> Result<std::vector<int16_t>> {
    std::vector<int16_t> samples;
    for (int channel = 0; channel < 3; ++channel)
      for (int r = 0; r < extent.rows; ++r)
        for (int c = 0; c < extent.cols; ++c) samples.push_back(*reference::sample_at(*out, channel, r, c));
    return samples;
  };
  return Prepared{run, read};
}

/// Levels of all planes: what the bus carries.
size_t level_count(Extent extent) {
  const PictureLayout layout = stream_of("default", extent).picture;
  return layout.subbands[0].num_coefficients;
}

std::vector<int16_t> some_levels(size_t count) {
  std::vector<int16_t> levels(count);
  for (size_t i = 0; i < count; ++i)
    levels[i] = static_cast<int16_t>(scene(static_cast<int>(i / 997), static_cast<int>(i % 997), 1) - 128);
  return levels;
}

struct LevelsOnTheWay {
  Array array;
  std::unique_ptr<LevelTransfer> port;
  size_t count = 0;
};

Result<Prepared> prepare_levels(Backend& backend, Extent extent, bool down) {
  const auto way = std::make_shared<LevelsOnTheWay>();
  way->count = level_count(extent);
  CTV_ASSIGN_OR_RETURN(way->array, Array::make(backend, way->count));
  PictureLayout layout;
  layout.planes = 1;
  layout.subbands[0].num_coefficients = way->count;
  CTV_ASSIGN_OR_RETURN(way->port, backend.make_level_transfer(layout, MotionGrid{4, 1, 1}, {}));
  const std::vector<int16_t> levels = some_levels(way->count);
  if (down) {
    CTV_RETURN_IF_ERROR(way->array.write(levels));
  } else {
    std::copy(levels.begin(), levels.end(), way->port->upload_buffers().levels[0]);
  }
  const auto run = [=]() -> Status {
    CTV_RETURN_IF_ERROR(down ? way->port->download({way->array.data(), nullptr, nullptr}, {})
                             : way->port->import_levels({way->array.data(), nullptr, nullptr}, {}));
    return way->port->finish();
  };
  const auto read = [=]() -> Result<std::vector<int16_t>> {
    if (!down) return way->array.read();
    const Level* from = way->port->downloaded().levels[0];
    return std::vector<int16_t>(from, from + way->count);
  };
  return Prepared{run, read};
}

}  // namespace

std::vector<Stage> picture_stages() {
  const auto area = [](Extent e) { return static_cast<double>(e.area()); };
  // YCoCg-R: 6 operations a pixel; the mean of 2x2 of two planes: 5 for each of half a sample a pixel.
  constexpr double kIn = 6 + 2.5;
  // Backwards 6 and the clamps of three samples; bilinear chroma of two planes: 3 products, 4 sums, a shift.
  constexpr double kOut = 6 + 6 + 2 * 8;
  std::vector<Stage> stages(5);
  stages[0] = {"picture in",
               "RGB8 from host memory to YCoCg-R 4:2:0",
               {Engine::kDirect},
               false,
               false,
               [=](Extent e) {
                 return Work{area(e) * 6, area(e) * 3, 0, area(e) * kIn};
               },
               [](Backend& b, Engine, Extent e) { return prepare_import(b, e, false); },
               [](Extent e) { return flat(imported(e)); }};
  stages[1] = stages[0];
  stages[1].name = "colour and chroma";
  stages[1].about = "the same, picture in device memory";
  stages[1].device_only = true;
  stages[1].work = [=](Extent e) { return Work{area(e) * 6, 0, 0, area(e) * kIn}; };
  stages[1].prepare = [](Backend& b, Engine, Extent e) { return prepare_import(b, e, true); };
  stages[2] = {
      "picture out",
      "YCoCg-R 4:2:0 to RGB8 in host memory",
      {Engine::kDirect},
      false,
      false,
      [=](Extent e) {
        return Work{area(e) * 6, 0, area(e) * 3, area(e) * kOut};
      },
      [](Backend& b, Engine, Extent e) { return prepare_export(b, e); },
      [](Extent e) {
        return flat(reference::export_picture(imported(e), stream_of(kPreset, e).picture, CTV_FORMAT_RGB8));
      }};
  for (const bool down : {true, false}) {
    stages[down ? 3 : 4] = {down ? "levels down" : "levels up",
                            "of luma, as they are",
                            {Engine::kDirect},
                            false,
                            false,
                            [=](Extent e) {
                              const double bytes = 2 * static_cast<double>(level_count(e));
                              return Work{0, down ? 0 : bytes, down ? bytes : 0, 0};
                            },
                            [=](Backend& b, Engine, Extent e) { return prepare_levels(b, e, down); },
                            [](Extent e) { return some_levels(level_count(e)); }};
  }
  return stages;
}

}  // namespace ctv::lab
