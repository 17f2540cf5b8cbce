// SPDX-License-Identifier: BSD-3-Clause
// The one interface between the order of the stages (codec/pipeline) and those who perform them (cpu/,
// cuda/).
//
// Stages work on views into the backend's own memory. A call may return before its work is done; work is done
// in the order of the calls, and the finish() of a port waits for what the port brings. Nothing is allocated
// after the factory calls. Every stage gives the same integers on every backend, engine and number of
// threads.
#pragma once

#include <array>
#include <memory>
#include <span>
#include <string>

#include "codec/format/coded_frame.hpp"
#include "codec/format/picture_layout.hpp"
#include "codec/util/stage_times.hpp"
#include "codec/util/status.hpp"
#include "codec/util/types.hpp"

namespace ctv {

/// Memory in a backend's address space, freed with the handle. Contents are undefined at first.
class Memory {
 public:
  Memory() = default;
  Memory(void* data, size_t size, void (*release)(void*)) : data_(data, release), size_(size) {}
  void* data() const { return data_.get(); }
  size_t size() const { return size_; }

 private:
  std::unique_ptr<void, void (*)(void*)> data_{nullptr, [](void*) {}};
  size_t size_ = 0;
};

using Planes = std::array<PlaneView<Sample>, 3>;  // padded extents of the SubbandLayouts
using ConstPlanes = std::array<PlaneView<const Sample>, 3>;

/// Carries pictures between the caller and planes: copies, colour, chroma. One per frame in flight.
class PictureTransfer {
 public:
  virtual ~PictureTransfer() = default;
  /// Starts to bring the caller's picture to the backend. It was validated against the layout. A borrowed one
  /// (ctv_picture::borrowed) may be read until what was made of it has come.
  virtual Status upload(const ctv_picture& picture) = 0;
  /// The picture that was uploaded to planes, padded by repeating the last row and column.
  virtual Status place(const Planes& planes) = 0;
  /// Both. The caller's memory may be changed when both have returned, unless it is borrowed.
  Status import_picture(const ctv_picture& picture, const Planes& planes) {
    CTV_RETURN_IF_ERROR(upload(picture));
    return place(planes);
  }
  /// The last uploaded picture in host memory, also after the device has failed: a copy of the port's, or a
  /// borrowed one itself; null if there is none. Valid until the next upload.
  virtual const ctv_picture* host_copy() const { return nullptr; }
  /// Planes (of the extents at `reduction`, unpadded) to a picture in the given format, held by the port.
  virtual Status export_picture(const ConstPlanes& planes, int reduction, ctv_format format,
                                ctv_memory memory) = 0;
  /// Waits for the export; fills format, extent, memory, data, stride. Valid until the port's next export.
  virtual Status finish(ctv_picture& picture) = 0;
};

/// Carries levels and vectors between the backend and the host. One per frame in flight.
class LevelTransfer {
 public:
  virtual ~LevelTransfer() = default;
  /// Host memory of the port, one array per plane, and vectors.
  virtual const CodedFrame& host() const = 0;
  /// Starts the copy of a frame down to host(); vectors may be null. The arrays stay unchanged until the
  /// port's next download, so a backend whose memory is the host's may let host() point at them.
  virtual Status download(const std::array<const Level*, 3>& levels, const MotionVector* vectors) = 0;
  /// Starts to bring host() to the backend, with its vectors or without. host() must not change before
  /// finish().
  virtual Status upload(bool vectors) = 0;
  /// What was uploaded to its place; vectors null: it came without.
  virtual Status place(const std::array<Level*, 3>& levels, MotionVector* vectors) = 0;
  /// Both.
  Status import_levels(const std::array<Level*, 3>& levels, MotionVector* vectors) {
    CTV_RETURN_IF_ERROR(upload(vectors != nullptr));
    return place(levels, vectors);
  }
  /// Waits for the last download or upload.
  virtual Status finish() = 0;
};

/// The transform of one plane with quantisation, forward and inverse; owns plans and workspace.
class TransformCoder {
 public:
  virtual ~TransformCoder() = default;
  /// (samples - prediction) to levels, in the order of the layout. prediction.data null: `middle` everywhere.
  /// quantisers: one per subband. samples and prediction have the padded extent.
  virtual Status forward(PlaneView<const Sample> samples, PlaneView<const Sample> prediction, int middle,
                         std::span<const SubbandQuantiser> quantisers, Level* levels) = 0;
  /// prediction + inverse(levels), clamped to range, at resolution 2^-reduction: samples and prediction have
  /// the padded extent shifted right by reduction. samples may be prediction.
  virtual Status inverse(const Level* levels, std::span<const SubbandQuantiser> quantisers,
                         PlaneView<const Sample> prediction, int middle, SampleRange range, int reduction,
                         PlaneView<Sample> samples) = 0;
};

struct MotionParameters {
  MotionGrid grid;
  int range = 8;        // full search, whole luma samples, both directions
  int subpel = 0;       // refinement: 0 none, 1 half, 2 quarter, 3 eighth
  uint32_t lambda = 0;  // cost of a vector bit in sixteenths of SAD, decided per frame by the pipeline
};

/// Block matching on luma; owns its workspace.
class MotionEstimator {
 public:
  virtual ~MotionEstimator() = default;
  /// vectors: [grid.rows][grid.cols]. current: padded extent; reference: cropped to the true extent, repeated
  /// beyond.
  virtual Status search(PlaneView<const Sample> current, PlaneView<const Sample> reference, uint32_t lambda,
                        MotionVector* vectors) = 0;
};

/// Measures how far one plane is from another, for decisions some frames later; holds one measurement.
class DistortionMeter {
 public:
  virtual ~DistortionMeter() = default;
  /// Starts the sum of (a - b)^2 over two planes of one extent; exact for all samples. A measurement that was
  /// not waited for is dropped.
  virtual Status measure(PlaneView<const Sample> a, PlaneView<const Sample> b) = 0;
  /// Waits for the last measurement.
  virtual Status finish(uint64_t& sum) = 0;
};

/// How a grid of vectors applies to a plane.
struct CompensationGeometry {
  MotionGrid grid;
  int row_shift = 0;  // plane subsampling relative to luma, resolution reduction included
  int col_shift = 0;
  bool overlap = false;
};

enum class Engine : uint8_t { kDirect = 0, kFft = 1 };

/// What the calls of one frame depend on: frames with equal values make the same calls with the same
/// arguments, but those of upload().
struct FrameCalls {
  FrameType type = FrameType::kKey;
  bool repeatable = false;  // these values are all; otherwise only the type is meant
  int slot = 0;             // of the frames in flight
  uint32_t base_step = 0;
  uint32_t reconstruction_offset = 0;
  const void* reference = nullptr;  // of two that take turns
  // Where an encoder's picture lies in device memory.
  ctv_format format = CTV_FORMAT_NONE;
  std::array<const void*, 3> data{};
  std::array<ptrdiff_t, 3> stride{};
  const void* stream = nullptr;
  bool operator==(const FrameCalls&) const = default;
};

class Backend {
 public:
  virtual ~Backend() = default;
  /// For example "cpu (2 threads, AVX2)".
  virtual std::string description() const = 0;
  virtual ctv_backend kind() const = 0;
  /// Whether make_transform has the engine; the message says why not.
  virtual Status check_engine(Engine engine) const {
    if (engine == Engine::kDirect) return {};
    return {CTV_ERROR_UNSUPPORTED,
            "engine: the " + description() + " backend of this build has no FFT engine"};
  }

  virtual Result<Memory> allocate(size_t bytes) = 0;
  /// Copies within the backend's memory, in the order of the calls.
  virtual Status copy(void* destination, const void* source, size_t bytes) = 0;

  virtual Result<std::unique_ptr<PictureTransfer>> make_picture_transfer(const PictureLayout& layout) = 0;
  /// plan: components whose levels a download may leave behind, bringing their events instead, or an upload,
  /// which then takes lists; a port with a plan has one direction.
  virtual Result<std::unique_ptr<LevelTransfer>> make_level_transfer(const PictureLayout& layout,
                                                                     const MotionGrid& grid,
                                                                     const QuadPlan& plan) = 0;
  virtual Result<std::unique_ptr<TransformCoder>> make_transform(const SubbandLayout& layout,
                                                                 Engine engine) = 0;
  virtual Result<std::unique_ptr<MotionEstimator>> make_motion(const MotionParameters& parameters,
                                                               Extent extent) = 0;
  virtual Result<std::unique_ptr<DistortionMeter>> make_distortion_meter() = 0;

  /// Prediction of one plane: reference (true extent at its resolution, repeated beyond) moved by the
  /// vectors.
  virtual Status compensate(PlaneView<const Sample> reference, const MotionVector* vectors,
                            const CompensationGeometry& geometry, PlaneView<Sample> prediction) = 0;

  /// Coefficients of one plane, as a transform with steps of one unit leaves them, to levels with the
  /// rate-distortion decision of quantise_rdo(); subbands with a step of one unit and the lowpass keep every
  /// level. quantisers: one per subband. Both arrays in the layout's order, apart from each other.
  virtual Status quantise(const SubbandLayout& layout, std::span<const SubbandQuantiser> quantisers,
                          const Coefficient* coefficients, Level* levels) = 0;

  /// Levels of one plane predicted from the previous frame's, moved subband by subband with vectors scaled to
  /// each grid: residual = levels - moved(previous), and back. All arrays in the layout's order; residual may
  /// be levels in add only. `layers`: how many layers count, coarse to fine.
  virtual Status subtract_subbands(const SubbandLayout& layout, ChromaShift chroma, const MotionGrid& grid,
                                   const MotionVector* vectors, const Level* levels, const Level* previous,
                                   Level* residual) = 0;
  virtual Status add_subbands(const SubbandLayout& layout, ChromaShift chroma, const MotionGrid& grid,
                              const MotionVector* vectors, const Level* residual, const Level* previous,
                              int layers, Level* levels) = 0;

  /// Marks the calls of one frame. True: the backend has kept the calls of an equal frame and will repeat
  /// them in end_frame(), so that of all calls only upload() must be made.
  virtual Result<bool> begin_frame(const FrameCalls& calls) = 0;
  virtual Status end_frame() = 0;
  /// The calls that follow are about plane `plane` alone, up to the next mark, and need nothing that came
  /// after the first mark for another plane: a backend may work on planes side by side. -1: about everything
  /// before, again.
  virtual Status on_plane(int plane) {
    (void)plane;
    return {};
  }
  /// Waits for everything.
  virtual Status synchronize() = 0;

  StageTimes& stage_times() { return stage_times_; }

 protected:
  StageTimes stage_times_;
};

}  // namespace ctv
