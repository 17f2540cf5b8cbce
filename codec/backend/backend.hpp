// SPDX-License-Identifier: BSD-3-Clause
// The interface between the order of the stages (codec/pipeline) and their implementations (cpu/, cuda/).
//
// Stages work on views into the backend's own memory. A call may return before its work is done; work is done
// in call order, and finish() of a transfer waits for its result. After the factory calls only buffers for
// packets are allocated. Inside each_plane(), calls about different planes may be made in parallel; all
// others are made by one thread at a time. Every stage gives the same integers on every backend, engine and
// number of threads.
#pragma once

#include <array>
#include <functional>
#include <memory>
#include <span>
#include <string>

#include "codec/backend/distortion_meter.hpp"
#include "codec/backend/frame_calls.hpp"
#include "codec/backend/level_transfer.hpp"
#include "codec/backend/memory.hpp"
#include "codec/backend/motion_estimator.hpp"
#include "codec/backend/picture_transfer.hpp"
#include "codec/backend/residual_coder.hpp"
#include "codec/backend/skip_planes.hpp"
#include "codec/backend/slope_estimator.hpp"
#include "codec/backend/subband_predictor.hpp"
#include "codec/backend/transform_coder.hpp"
#include "codec/dsp/loop_filter.hpp"
#include "codec/format/motion_grid.hpp"
#include "codec/format/picture_layout.hpp"
#include "codec/format/skipped_cells.hpp"
#include "codec/model/tile_sets.hpp"
#include "codec/util/stage_times.hpp"

namespace ctv {

/// A plane before the loop filter, or its prediction, and the source. Both have the same extent; samples are
/// repeated beyond.
struct UnfilteredPlane {
  PlaneView<const Sample> source, samples;
  LoopFilter filter;
  CompensationGeometry geometry;
};

class Backend : public SubbandPredictor {
 public:
  /// For example "cpu (2 threads, AVX2)".
  virtual std::string description() const = 0;
  virtual ctv_backend kind() const = 0;
  /// Whether make_transform() supports the engine; the message says why not.
  virtual Status check_engine(Engine engine) const {
    if (engine == Engine::kDirect) return {};
    return {CTV_ERROR_UNSUPPORTED, "engine: the " + description() + " backend has no FFT engine"};
  }

  /// Call it before the transfers of a stream are made. Discards calls kept for repetition, because other
  /// objects may now lie at the addresses of those of the previous stream. `frames_in_flight`, at least 1,
  /// affects only speed: with more than 1, waiting threads sleep; with 1, latency comes first.
  virtual void begin_stream(int frames_in_flight) = 0;

  virtual Result<Memory> allocate(size_t bytes) = 0;
  /// Copies within the backend's memory, in call order.
  virtual Status copy(void* destination, const void* source, size_t bytes) = 0;
  /// Copies from the host to the backend's memory, or back, in call order; complete on return.
  virtual Status upload(void* destination, const void* source, size_t bytes) = 0;
  virtual Status download(void* destination, const void* source, size_t bytes) = 0;

  virtual Result<std::unique_ptr<PictureTransfer>> make_picture_transfer(const PictureLayout& layout) = 0;
  /// plan: components that the transfer may code itself. A transfer with a plan is used in one direction
  /// only.
  virtual Result<std::unique_ptr<LevelTransfer>> make_level_transfer(const PictureLayout& layout,
                                                                     const MotionGrid& grid,
                                                                     const CodingPlan& plan) = 0;
  virtual Result<std::unique_ptr<TransformCoder>> make_transform(const SubbandLayout& layout,
                                                                 Engine engine) = 0;
  /// For the residual of predicted frames in macroblocks.
  virtual Result<std::unique_ptr<ResidualCoder>> make_residual(const MacroblockGrid& grid) = 0;
  /// luma: of a stream with directional lifting.
  virtual Result<std::unique_ptr<SlopeEstimator>> make_slopes(const SubbandLayout& luma) = 0;
  virtual Result<std::unique_ptr<MotionEstimator>> make_motion(const MotionParameters& parameters,
                                                               Extent extent) = 0;
  virtual Result<std::unique_ptr<DistortionMeter>> make_distortion_meter() = 0;

  /// Finds the cells that are skipped with the zero vector, independent of a search (skip_decisions.hpp).
  /// still: [grid.rows][grid.cols], 1 or 0.
  virtual Status find_still(const SkipPlanes& planes, const MotionGrid& grid, uint32_t base_step,
                            uint8_t* still) = 0;
  /// The decision of the fast presets and of lossless coding, instead of find_still() and
  /// MotionEstimator::decide_skips(): finds units whose squared error to planes.reference is below a limit.
  /// vectors: null to find still units; otherwise those that planes.reference was predicted with, which
  /// choose the limit. still: null, or the still units of the same source and base_step; where their vectors
  /// are zero they are close and not compared again. close: [grid.rows][grid.cols], 1 or 0.
  virtual Status skip_by_ssd(const SkipPlanes& planes, const MotionGrid& grid, uint32_t base_step,
                             const MotionVector* vectors, const uint8_t* still, uint8_t* close) = 0;
  /// Gives squares of skipped cells one vector where that costs less (skip_squares.hpp). vectors: those
  /// before, apart from side.vectors, what comes out.
  virtual Status merge_skip_vectors(const SkipPlanes& planes, const MotionGrid& grid, uint32_t base_step,
                                    const MotionVector* vectors, const SideInfo& side) = 0;
  /// Codes skipped cells that move. Arrays: [grid.rows][grid.cols]. skips: 1 or 0.
  virtual Status skip_still_only(const MotionGrid& grid, const MotionVector* vectors, uint8_t* skips) = 0;
  /// Prediction of one plane: reference (true extent at its resolution, repeated beyond, within the range of
  /// `geometry`) moved by the vectors, limited to that range. side.skips: read, and not null, where cells
  /// overlap; these cells are predicted alone.
  virtual Status compensate(PlaneView<const Sample> reference, const ConstSideInfo& side,
                            const CompensationGeometry& geometry, PlaneView<Sample> prediction) = 0;

  /// changes = of each root of the motion, what the filter would change of the squared error against the
  /// source, of all planes together, in the rows that decide (FilterGain). skips: these cells count for
  /// nothing.
  virtual Status filter_changes(std::span<const UnfilteredPlane> planes, const uint8_t* skips,
                                int64_t* changes) = 0;
  /// Filters `from` into `to` (loop_filter.hpp), clamped to the geometry's range; `from` is within that
  /// range. Both have the true extent, and `from` is repeated beyond. If filters_in_place(), the result is in
  /// `from`, and `to` is undefined.
  virtual Status filter(PlaneView<Sample> from, const LoopFilter& filter, const FilteredCells& cells,
                        PlaneView<Sample> to) = 0;
  virtual bool filters_in_place() const { return false; }

  /// Quantises the coefficients of one plane with the rate-distortion decision of quantise_rdo(). The
  /// coefficients are those of a transform with steps of one unit; subbands
  /// with such a step and the lowpass keep every level. quantisers: one per subband. Both arrays are in the
  /// layout's order and must not overlap.
  virtual Status quantise(const SubbandLayout& layout, std::span<const SubbandQuantiser> quantisers,
                          const Coefficient* coefficients, Level* levels) = 0;

  /// Begins the calls of one frame, after the upload of its picture. True: the backend has recorded the calls
  /// of an equal frame and repeats them in end_frame(), so none may be made.
  virtual Result<bool> begin_frame(const FrameCalls& calls) = 0;
  virtual Status end_frame() = 0;
  /// Calls work(p) for each plane p below `planes`, and beside(). The calls of work(p) concern plane p only,
  /// those of beside() all planes. They are independent: the backend may run them in parallel, and several
  /// threads may make them. Later calls run after every work(p). They run after beside() only if
  /// wait_beside() was called. beside: may be empty; the first error is returned.
  template <typename Work>
  Status each_plane(int planes, const Work& work, const std::function<Status()>& beside = {}) {
    return work_on_planes(planes, std::cref(work), beside);  // allocates nothing
  }
  virtual Status wait_beside() { return {}; }
  virtual Status synchronize() = 0;

  StageTimes& stage_times() { return stage_times_; }

 protected:
  virtual Status work_on_planes(int planes, const std::function<Status(int)>& work,
                                const std::function<Status()>& beside) {
    if (beside) CTV_RETURN_IF_ERROR(beside());
    for (int p = 0; p < planes; ++p) CTV_RETURN_IF_ERROR(work(p));
    return {};
  }

  StageTimes stage_times_;
};

}  // namespace ctv
