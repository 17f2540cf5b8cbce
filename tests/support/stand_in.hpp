// SPDX-License-Identifier: BSD-3-Clause
// A stand-in for a device: the CPU's stages under the CUDA backend's name. Tests override a function that
// runs before each call. A new call of the interface needs one line here.
#pragma once

#include <functional>
#include <memory>
#include <span>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include "codec/backends.hpp"
#include "codec/entropy/residual_decoder.hpp"
#include "codec/entropy/run_decoder.hpp"
#include "codec/format/packet.hpp"
#include "codec/pipeline/picture_copy.hpp"
#include "cpu/cpu_backend.hpp"

namespace ctv::test {

/// Whether a call belongs to those of a frame that a backend may repeat (FrameCalls).
enum class Repeated { kNo, kYes };

class CallHook {
 public:
  using Call = std::function<Status()>;
  virtual ~CallHook() = default;
  /// Called before each call. Error: the call fails.
  virtual Status before_call() { return {}; }
  /// Whether repeatable calls are passed to keep(), with copies of their arguments.
  virtual bool keeps_calls() const { return false; }
  virtual void keep(Call) {}
};

/// Stored copy of an argument. Results are passed by reference, and layouts outlive all calls.
template <typename P>
auto kept(std::remove_reference_t<P>& value) {
  using T = std::remove_cvref_t<P>;
  if constexpr (std::is_same_v<P, T&> || std::is_same_v<T, SubbandLayout>) {
    return std::ref(value);
  } else if constexpr (requires { typename T::element_type; }) {  // a span
    return std::vector<typename T::value_type>(value.begin(), value.end());
  } else {
    return T(value);
  }
}

template <typename Interface>
class Forwarding : public Interface {
 public:
  using Base = Interface;
  Forwarding(CallHook& hook, std::unique_ptr<Base> inner, const auto&...)
      : hook_(hook), inner_(std::move(inner)) {}

 protected:
  template <typename Class, typename... P>
  Status forward_call(Repeated repeated, Status (Class::*method)(P...),
                      std::remove_reference_t<P>&... arguments) {
    CTV_RETURN_IF_ERROR(hook_.before_call());
    if (repeated == Repeated::kYes && hook_.keeps_calls()) {
      hook_.keep([this, method, all = std::tuple(kept<P>(arguments)...)] {
        return std::apply([&](const auto&... one) { return (inner_.get()->*method)(one...); }, all);
      });
    }
    return (inner_.get()->*method)(arguments...);
  }

  CallHook& hook_;
  std::unique_ptr<Base> inner_;
};

// The type of parameter `i` of a method.
template <typename Method>
struct Parameters;
template <typename Class, typename R, typename... P>
struct Parameters<R (Class::*)(P...)> : std::type_identity<std::tuple<P...>> {};
template <auto method, size_t i>
using Parameter = std::tuple_element_t<i, typename Parameters<decltype(method)>::type>;

#define CTV_P0(f)
#define CTV_P1(f) Parameter<f, 0> a
#define CTV_P2(f) CTV_P1(f), Parameter<f, 1> b
#define CTV_P3(f) CTV_P2(f), Parameter<f, 2> c
#define CTV_P4(f) CTV_P3(f), Parameter<f, 3> d
#define CTV_P5(f) CTV_P4(f), Parameter<f, 4> e
#define CTV_P6(f) CTV_P5(f), Parameter<f, 5> g
#define CTV_P7(f) CTV_P6(f), Parameter<f, 6> h
#define CTV_P8(f) CTV_P7(f), Parameter<f, 7> i
#define CTV_P9(f) CTV_P8(f), Parameter<f, 8> j
#define CTV_A0
#define CTV_A1 , a
#define CTV_A2 CTV_A1, b
#define CTV_A3 CTV_A2, c
#define CTV_A4 CTV_A3, d
#define CTV_A5 CTV_A4, e
#define CTV_A6 CTV_A5, g
#define CTV_A7 CTV_A6, h
#define CTV_A8 CTV_A7, i
#define CTV_A9 CTV_A8, j
// Forwards a call with this number of parameters.
#define CTV_FORWARD(repeated, name, count)                             \
  Status name(CTV_P##count(&Base::name)) override {                    \
    return forward_call(Repeated::repeated, &Base::name CTV_A##count); \
  }
// Forwards a factory, and wraps its product so that it forwards calls, too.
#define CTV_FORWARD_MAKE(Product, name, count)                                              \
  Result<std::unique_ptr<Product::Base>> name(CTV_P##count(&Base::name)) override {         \
    auto made = std::invoke(&Base::name, *inner_ CTV_A##count);                             \
    if (made.ok()) *made = std::make_unique<Product>(*this, std::move(*made) CTV_A##count); \
    return made;                                                                            \
  }

/// Copies pictures before they are uploaded, unless they are borrowed, or in "device" memory, which is host
/// memory here.
class ForwardedPictures : public Forwarding<PictureTransfer> {
 public:
  using Forwarding::Forwarding;
  Status upload(const ctv_picture& picture) override {
    copy_ = {};
    ctv_picture in = picture;
    in.memory = CTV_MEMORY_HOST;
    if (picture.memory == CTV_MEMORY_HOST) {
      picture.borrowed != 0 ? void(copy_.picture = picture) : copy_picture(picture, copy_);
      in = copy_.picture;
    }
    return forward_call(Repeated::kNo, &Base::upload, in);
  }
  const ctv_picture* host_copy() const override {
    return copy_.picture.format == CTV_FORMAT_NONE ? nullptr : &copy_.picture;
  }
  CTV_FORWARD(kYes, place, 1)
  CTV_FORWARD(kYes, begin_export, 3)
  CTV_FORWARD(kYes, export_plane, 2)
  CTV_FORWARD(kYes, export_planes, 1)
  CTV_FORWARD(kYes, end_export, 0)
  CTV_FORWARD(kNo, finish, 1)

 private:
  PictureCopy copy_;
};

/// Decodes the levels of components coded by runs, and regions of such streams.
class ForwardedLevels : public Forwarding<LevelTransfer>, private ComponentReceiver {
 public:
  ForwardedLevels(CallHook& hook, std::unique_ptr<LevelTransfer> inner, const PictureLayout& picture,
                  const MotionGrid& grid, const CodingPlan& plan)
      : Forwarding(hook, std::move(inner)),
        macroblocks_(make_macroblock_grid(picture)),
        regions_(macroblocks_, grid) {
    if (plan.up) runs_ = plan.runs;
    for (const RunComponent& c : runs_) decoders_.emplace_back(c.ranges);
    room_.resize(std::max(runs_.size(), kMostRegions));
  }
  CTV_FORWARD(kYes, download_side, 1)
  CTV_FORWARD(kYes, download, 1)
  CTV_FORWARD(kYes, download_changes, 0)
  CTV_FORWARD(kNo, finish_side, 0)
  CTV_FORWARD(kNo, finish_levels, 0)
  CTV_FORWARD(kNo, upload, 1)
  CTV_FORWARD(kYes, await_side, 0)
  CTV_FORWARD(kYes, await_levels, 0)
  CTV_FORWARD(kYes, release, 0)
  CTV_FORWARD(kNo, finish, 0)
  bool staged() const override { return true; }  // as a device does
  bool codes(size_t component) const override { return inner_->codes(component); }
  CodedFrame downloaded() const override { return inner_->downloaded(); }
  CodedFrameBuffers upload_buffers() override {
    CodedFrameBuffers b = inner_->upload_buffers();
    buffers_ = b;
    if (!runs_.empty()) b.receiver = this;
    return b;
  }
  ConstSideInfo uploaded_side() const override { return inner_->uploaded_side(); }
  const Level* uploaded(size_t plane) const override { return inner_->uploaded(plane); }

 private:
  Status start(bool key, size_t) override {
    key_ = key;
    bytes_.assign(room_.size(), {});
    pieces_.assign(room_.size(), {});
    sound_.assign(room_.size(), 1);
    if (!key) std::fill_n(buffers_.side.macroblocks, macroblocks_.size(), Macroblock{});
    return {};
  }
  uint8_t* room(size_t c, size_t bytes) override {
    room_[c].resize(bytes);
    return room_[c].data();
  }
  bool put(size_t c, std::span<const uint8_t>, std::span<const TilePiece> pieces, bool) override {
    bytes_[c] = room_[c];
    pieces_[c].assign(pieces.begin(), pieces.end());
    return true;
  }
  Status send() override {
    for (size_t c = 0; c < runs_.size(); ++c) {
      if (!pieces_[c].empty()) continue;  // a region, which needs skips
      sound_[c] = decoders_[c].decode(bytes_[c], !(runs_[c].lowpass && key_), buffers_.levels) ? 1 : 0;
    }
    return hook_.before_call();
  }
  Status run(bool) override {
    for (size_t c = 0; c < pieces_.size(); ++c) {
      if (pieces_[c].empty()) continue;
      const TilePiece& last = pieces_[c].back();
      const size_t first = pieces_[c].front().first;
      regions_.set_range(first, last.first + last.tiles - first);
      sound_[c] = regions_.decode(bytes_[c], buffers_) ? 1 : 0;
    }
    return hook_.before_call();
  }
  Status wait() override { return hook_.before_call(); }
  bool sound(size_t c) const override { return sound_[c] != 0; }

  std::vector<RunComponent> runs_;
  std::vector<RunDecoder> decoders_;
  std::vector<std::vector<uint8_t>> bytes_, room_;
  std::vector<char> sound_;
  std::vector<std::vector<TilePiece>> pieces_;
  MacroblockGrid macroblocks_;
  RegionDecoder regions_;
  CodedFrameBuffers buffers_;
  bool key_ = false;
};

struct ForwardedTransform : Forwarding<TransformCoder> {
  using Forwarding::Forwarding;
  CTV_FORWARD(kYes, forward, 7)
  CTV_FORWARD(kYes, inverse, 9)
};

struct ForwardedResidual : Forwarding<ResidualCoder> {
  using Forwarding::Forwarding;
  CTV_FORWARD(kYes, encode, 4)
  CTV_FORWARD(kYes, decode, 3)
};

struct ForwardedSlopes : Forwarding<SlopeEstimator> {
  using Forwarding::Forwarding;
  CTV_FORWARD(kYes, search, 4)
};

struct ForwardedMotion : Forwarding<MotionEstimator> {
  using Forwarding::Forwarding;
  CTV_FORWARD(kYes, read_reference, 1)
  CTV_FORWARD(kYes, read_current, 2)
  CTV_FORWARD(kYes, prepare, 1)
  CTV_FORWARD(kYes, find, 2)
  CTV_FORWARD(kYes, decide_skips, 4)
};

struct ForwardedMeter : Forwarding<DistortionMeter> {
  using Forwarding::Forwarding;
  CTV_FORWARD(kYes, measure, 2)
  CTV_FORWARD(kNo, finish, 1)
};

class StandIn : public CallHook, public Forwarding<Backend> {
 public:
  explicit StandIn(int threads) : Forwarding(*this, make_cpu_backend(threads)) {}
  std::string description() const override { return "stand-in device"; }
  ctv_backend kind() const override { return CTV_BACKEND_CUDA; }
  bool filters_in_place() const override { return inner_->filters_in_place(); }
  void begin_stream(int frames_in_flight) override { inner_->begin_stream(frames_in_flight); }
  Result<Memory> allocate(size_t bytes) override {
    CTV_RETURN_IF_ERROR(before_call());
    return inner_->allocate(bytes);
  }
  Result<bool> begin_frame(const FrameCalls&) override { return false; }
  CTV_FORWARD(kNo, end_frame, 0)
  CTV_FORWARD(kNo, synchronize, 0)
  CTV_FORWARD(kYes, copy, 3)
  CTV_FORWARD(kNo, upload, 3)
  CTV_FORWARD(kNo, download, 3)
  CTV_FORWARD_MAKE(ForwardedPictures, make_picture_transfer, 1)
  CTV_FORWARD_MAKE(ForwardedLevels, make_level_transfer, 3)
  CTV_FORWARD_MAKE(ForwardedTransform, make_transform, 2)
  CTV_FORWARD_MAKE(ForwardedResidual, make_residual, 1)
  CTV_FORWARD_MAKE(ForwardedSlopes, make_slopes, 1)
  CTV_FORWARD_MAKE(ForwardedMotion, make_motion, 2)
  CTV_FORWARD_MAKE(ForwardedMeter, make_distortion_meter, 0)
  CTV_FORWARD(kYes, find_still, 4)
  CTV_FORWARD(kYes, skip_by_ssd, 6)
  CTV_FORWARD(kYes, merge_skip_vectors, 5)
  CTV_FORWARD(kYes, skip_still_only, 3)
  CTV_FORWARD(kYes, compensate, 4)
  CTV_FORWARD(kYes, filter_changes, 3)
  CTV_FORWARD(kYes, filter, 4)
  CTV_FORWARD(kYes, quantise, 4)
  CTV_FORWARD(kYes, subtract_subbands, 7)
  CTV_FORWARD(kYes, add_subbands, 8)
};

}  // namespace ctv::test
