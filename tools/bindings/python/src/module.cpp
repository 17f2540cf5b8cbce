// SPDX-License-Identifier: BSD-3-Clause
// The extension module ctv._ctv: encoder, decoder and parsers of the C interface. The package ctv adds files.
//
// Calls release the GIL. A mutex per object replaces it: threads may share an object.
#include <pybind11/stl.h>

#include <deque>
#include <mutex>
#include <optional>
#include <span>
#include <utility>

#include "pictures.h"

namespace ctv::python {
namespace {

using namespace py::literals;  // "name"_a

/// The bytes of any object with a contiguous buffer.
class Bytes {
 public:
  explicit Bytes(const py::object& source) {
    if (PyObject_GetBuffer(source.ptr(), &view_, PyBUF_SIMPLE) != 0) throw py::error_already_set();
  }
  ~Bytes() { PyBuffer_Release(&view_); }
  Bytes(const Bytes&) = delete;
  Bytes& operator=(const Bytes&) = delete;
  std::span<const uint8_t> span() const {
    static const uint8_t none =
        0;  // the library refuses null pointers, but reports empty data with a better message
    return {view_.len > 0 ? static_cast<const uint8_t*>(view_.buf) : &none, static_cast<size_t>(view_.len)};
  }

 private:
  Py_buffer view_{};
};

py::bytes bytes_of(std::span<const uint8_t> s) { return {reinterpret_cast<const char*>(s.data()), s.size()}; }

/// A packet without Python objects.
struct CodedFrame {
  std::vector<uint8_t> bytes;
  ctv_unit unit;  // its data are invalid
};

// Converts to objects of the package's classes.
py::object for_python(CodedFrame& f) {
  const ctv_unit& u = f.unit;
  return py::module_::import("ctv._data")
      .attr("Packet")(bytes_of(f.bytes), u.timestamp, u.duration, u.frame_number, u.key_frame != 0, u.step);
}
py::object for_python(DecodedPicture& d) {
  const ctv_picture& p = d.picture;
  return py::module_::import("ctv._data")
      .attr("Picture")(take_planes(d), format_name(p.format), p.width, p.height, p.timestamp, p.duration,
                       p.frame_number, p.key_frame != 0, static_cast<int>(p.damaged));
}

/// A handle used by one thread at a time, and its results for Python.
template <class Handle, class Result>
class Shared {
 public:
  template <class Config>
  Shared(const char* name, const Config& config) : name_(name), in_flight_(config.frames_in_flight) {
    const Unlocked unlocked;
    handle_.emplace(config);
  }
  void close() {
    const Unlocked unlocked;
    const std::lock_guard lock(mutex_);
    handle_.reset();
    ready_.clear();
  }
  std::string description() {
    return call([](Handle& h) { return h.description(); });
  }
  /// Seconds and calls of each stage since the handle was opened.
  py::dict stage_times() {
    py::dict d;
    for (const ctv_stage_time& t : call([](Handle& h) { return h.stage_times(); }))
      d[t.name] = py::make_tuple(t.seconds, t.calls);
    return d;
  }

 protected:
  template <class F>
  auto call(F f) {
    const Unlocked unlocked;
    const std::lock_guard lock(mutex_);
    if (!handle_) throw Error(CTV_ERROR_STATE, std::string("the ") + name_ + " is closed");
    return f(*handle_);
  }
  /// Sends until the input was taken. Before that, receives what must be received; with one frame in flight,
  /// also the result afterwards. An error of an earlier frame is thrown after the input was taken; received
  /// results are kept for the next call.
  template <class Send>
  py::list exchange(Send send) {
    return listed(call([&](Handle& h) {
      std::optional<Error> error;
      const auto get = [&] {
        try {
          return receive(h);
        } catch (const Error& e) {
          error = e;
          return false;
        }
      };
      while (!send(h)) {
        if (error) throw Error(*error);
        get();
      }
      while (in_flight_ == 1 && get()) continue;
      if (error) throw Error(*error);
      return std::exchange(ready_, {});
    }));
  }
  /// After an error, the next call returns the rest.
  py::list flush_all() {
    return listed(call([&](Handle& h) {
      h.flush();
      while (receive(h)) continue;
      return std::exchange(ready_, {});
    }));
  }
  virtual bool receive(Handle& handle) = 0;
  virtual ~Shared() = default;

  std::vector<Result> ready_;

 private:
  static py::list listed(std::vector<Result> results) {
    py::list list;
    for (Result& r : results) list.append(for_python(r));
    return list;
  }

  const char* const name_;
  const int in_flight_;
  std::mutex mutex_;
  std::optional<Handle> handle_;
};

class EncoderObject final : public Shared<Encoder, CodedFrame> {
 public:
  explicit EncoderObject(const ctv_config& config) : Shared("encoder", config), config_(config) {}
  ~EncoderObject() override { close(); }
  void close() {
    Shared::close();
    in_flight_.clear();
  }
  py::bytes header() { return unit_bytes(&Encoder::header); }
  py::bytes index() { return unit_bytes(&Encoder::index); }
  py::list encode(const py::object& source, std::optional<int64_t> timestamp, std::optional<int64_t> duration,
                  int64_t stream) {
    if (stream <= 0) refuse("stream: " + std::to_string(stream) + " is none: 1 is the legacy default stream");
    InputPicture input = read_picture(source, config_, {config_.device, stream});
    const bool on_device = input.picture.memory == CTV_MEMORY_CUDA;
    const bool at_once = config_.frames_in_flight == 1;  // finished when this call returns
    input.picture.borrowed = at_once && !on_device ? 1 : 0;
    input.picture.timestamp = timestamp.value_or(0);
    input.picture.duration = duration.value_or(timestamp ? config_.fps_den : 0);
    std::vector<py::object> done;  // released when the GIL is held again
    return exchange([&](Encoder& e) {
      if (!e.send(input.picture)) return false;
      if (at_once || !on_device) return true;
      in_flight_.push_back(std::move(input.owners));
      if (in_flight_.size() > static_cast<size_t>(config_.frames_in_flight)) {
        done = std::move(in_flight_.front());  // its packet was received
        in_flight_.pop_front();
      }
      return true;
    });
  }
  py::list flush() { return flush_all(); }
  void request_key_frame() {
    call([](Encoder& e) { e.request_key_frame(); });
  }
  void acknowledge(int64_t frame) {
    call([&](Encoder& e) { e.acknowledge(frame); });
  }
  void lost(int64_t frame) {
    call([&](Encoder& e) { e.lost(frame); });
  }
  void set_quantiser(std::optional<int32_t> qp, std::optional<double> step) {
    if (qp.has_value() == step.has_value()) refuse("set_quantiser: either qp or step");
    call([&](Encoder& e) { qp ? e.set_qp(*qp) : e.set_step(*step); });
  }
  void set_crf(double crf) {
    call([&](Encoder& e) { e.set_crf(crf); });
  }
  void set_bitrate(int64_t bitrate, int64_t most) {
    call([&](Encoder& e) { e.set_bitrate(bitrate, most); });
  }
  py::dict config() const { return members_of(config_); }

 private:
  bool receive(Encoder& e) override {
    const std::optional<Unit> unit = e.receive();
    if (unit) ready_.push_back({{unit->bytes().begin(), unit->bytes().end()}, *unit});
    return unit.has_value();
  }
  py::bytes unit_bytes(Unit (Encoder::*get)()) {
    return bytes_of(call([&](Encoder& e) {
      const Unit unit = (e.*get)();
      return std::vector<uint8_t>(unit.bytes().begin(), unit.bytes().end());
    }));
  }
  const ctv_config config_;
  std::deque<std::vector<py::object>> in_flight_;  // owners of device pictures that may still be read
};

class DecoderObject final : public Shared<Decoder, DecodedPicture> {
 public:
  explicit DecoderObject(const ctv_decoder_config& config)
      : Shared("decoder", config), device_(config.device) {}
  py::list decode(const py::object& unit) {
    const Bytes bytes(unit);
    return exchange([&](Decoder& d) { return d.send(bytes.span()); });
  }
  py::list flush() { return flush_all(); }
  void reset() {
    call([this](Decoder& d) {
      d.reset();
      ready_.clear();
    });
  }

 private:
  bool receive(Decoder& d) override {
    const std::optional<ctv_picture> picture = d.receive();
    if (picture) ready_.push_back(copy_picture(*picture, device_));
    return picture.has_value();
  }

  const int device_;
};

py::dict packet_info(const py::object& header, const py::object& packet) {
  const Bytes h(header), p(packet);
  std::vector<ctv_component_info> components;
  const ctv_packet_info i = parse_packet(h.span(), p.span(), &components);
  py::list list;
  for (const ctv_component_info& c : components)
    list.append(py::dict("layer"_a = c.layer, "first_plane"_a = c.first_plane, "last_plane"_a = c.last_plane,
                         "first_subband"_a = c.first_subband, "last_subband"_a = c.last_subband,
                         "coefficients"_a = c.coefficients, "size"_a = c.size, "check"_a = c.check));
  return py::dict("frame_number"_a = i.frame_number, "key_frame"_a = i.key_frame != 0,
                  "reference_frame"_a = i.reference_frame, "temporal_id"_a = i.temporal_id,
                  "keep_in"_a = i.keep_in, "unit_size"_a = i.unit_size, "timestamp"_a = i.timestamp,
                  "duration"_a = i.duration, "step"_a = i.step, "header_size"_a = i.header_size,
                  "side_size"_a = i.side_size, "slope_blocks"_a = i.slope_blocks,
                  "slanted_blocks"_a = i.slanted_blocks, "layers"_a = i.layers, "components"_a = list,
                  "band_directions"_a = py::make_tuple(i.band_directions[0], i.band_directions[1]));
}

/// Slopes of one scale of a key frame, [rows][columns] of blocks; no rows if it has none.
py::array_t<int8_t> packet_slopes(const py::object& header, const py::object& packet, int32_t scale) {
  const Bytes h(header), p(packet);
  int32_t rows = 0, cols = 0;
  const auto read = [&](int8_t* slopes, size_t capacity) {
    check(ctv_packet_slopes(h.span().data(), h.span().size(), p.span().data(), p.span().size(), scale, slopes,
                            capacity, &rows, &cols));
  };
  read(nullptr, 0);
  py::array_t<int8_t> slopes({rows, cols});
  read(slopes.mutable_data(), static_cast<size_t>(slopes.size()));
  return slopes;
}

/// (kind, size) of the unit that begins with these bytes.
py::tuple unit_info(const py::object& prefix) {
  static constexpr const char* kKinds[] = {"", "header", "packet", "index"};
  const auto [kind, size] = parse_unit(Bytes(prefix).span());
  return py::make_tuple(kKinds[kind], size);
}

/// (offset, timestamp, key_frame) of each packet.
py::list index_info(const py::object& index) {
  py::list list;
  for (const ctv_index_entry& e : parse_index(Bytes(index).span()))
    list.append(py::make_tuple(e.offset, e.timestamp, e.key_frame != 0));
  return list;
}

uint64_t index_size(const py::object& trailer) {
  const Bytes bytes(trailer);
  uint64_t size = 0;
  check(ctv_index_trailer_parse(bytes.span().data(), bytes.span().size(), &size));
  return size;
}

py::dict presets() {
  py::dict d;
  for (int i = 0; ctv_preset_name(i) != nullptr; ++i) d[ctv_preset_name(i)] = ctv_preset_description(i);
  return d;
}

/// Translates a library error to the class of ctv._errors for its status.
void translate(std::exception_ptr thrown) {
  try {
    if (thrown) std::rethrow_exception(thrown);
  } catch (const Error& e) {
    const py::object make = py::module_::import("ctv._errors").attr("error_of");
    const py::object error = make(static_cast<int>(e.status()), py::bytes(e.what()));
    PyErr_SetObject(py::type::handle_of(error).ptr(), error.ptr());
  }
}

void define_codecs(py::module_& m) {
  const py::none none;
  py::class_<EncoderObject>(m, "Encoder")
      .def(py::init([](const std::string& preset, const py::kwargs& keywords) {
             return std::make_unique<EncoderObject>(make_config("Encoder", preset, keywords));
           }),
           py::kw_only(), "preset"_a = "default")
      .def_property_readonly("header", &EncoderObject::header,
                             "The sequence header, with which a stream starts.")
      .def_property_readonly("config", &EncoderObject::config, "All members of the configuration, by name.")
      .def_property_readonly("description", &EncoderObject::description,
                             "Which backend and engine run, and why.")
      .def_property_readonly("stage_times", &EncoderObject::stage_times, "{stage: (seconds, calls)}")
      .def(
          "encode", &EncoderObject::encode, "picture"_a, "timestamp"_a = none, "duration"_a = none,
          py::kw_only(), "stream"_a = 1,
          "Encodes a picture, arrays of uint8 in the configuration's format (see help(ctv)); any strides. "
          "Returns the\n"
          "packets that are ready: with one frame in flight, this picture's.\n"
          "timestamp, duration: in units of 1 / fps_num seconds; without them, picture n begins at n x "
          "fps_den.\n"
          "stream: of arrays in device memory, which are read in its order: 1: the legacy default stream, 2: "
          "the\n"
          "thread's, else the address of a cudaStream_t.")
      .def("flush", &EncoderObject::flush, "Ends the input. Returns the remaining packets.")
      .def("index", &EncoderObject::index, "The index for a file's end, after flush().")
      .def("request_key_frame", &EncoderObject::request_key_frame, "Makes the next picture a key frame.")
      .def("acknowledge", &EncoderObject::acknowledge, "frame"_a,
           "A receiver has the frame of this number whole.")
      .def("lost", &EncoderObject::lost, "frame"_a,
           "A receiver lacks the frame of this number: later frames refer to one that is acknowledged.")
      .def("set_quantiser", &EncoderObject::set_quantiser, "qp"_a = none, "step"_a = none,
           "From the next picture on: either qp, 0..51, or step, 1/16..4095 sample units.")
      .def("set_crf", &EncoderObject::set_crf, "crf"_a,
           "From the next picture on: 0..51, or -1 for the quantiser.")
      .def("set_bitrate", &EncoderObject::set_bitrate, "bitrate"_a, "max_frame_bytes"_a = 0,
           "From the next picture on: bits per second, and bytes of the largest packet; 0: none.")
      .def("close", &EncoderObject::close, "Frees the encoder. Later calls raise StateError.");
  py::class_<DecoderObject>(m, "Decoder")
      .def(py::init([](const py::kwargs& keywords) {
        return std::make_unique<DecoderObject>(make_decoder_config("Decoder", keywords));
      }))
      .def_property_readonly("description", &DecoderObject::description,
                             "Which backend and engine run, and why.")
      .def_property_readonly("stage_times", &DecoderObject::stage_times, "{stage: (seconds, calls)}")
      .def("decode", &DecoderObject::decode, "unit"_a,
           "Decodes one whole unit: header, packet or index, any object with a buffer of bytes. Returns the "
           "pictures that\n"
           "are ready. A refused packet changes nothing.")
      .def("flush", &DecoderObject::flush, "Ends the input. Returns the remaining pictures.")
      .def("reset", &DecoderObject::reset, "Discards all pictures, as after a seek.")
      .def("close", &DecoderObject::close, "Frees the decoder. Later calls raise StateError.");
}

}  // namespace

PYBIND11_MODULE(_ctv, m) {
  py::register_local_exception_translator(&translate);
  define_cuda_plane(m);
  define_codecs(m);
  m.def("version", &ctv_version, "The library's version.");
  m.def("presets", &presets, "{name: description} of the presets.");
  m.def(
      "preset_config", [](const std::string& preset) { return members_of(make_config("", preset, {})); },
      "preset"_a, "All members of a preset's configuration, by name: keywords for Encoder.");
  m.def("stream_info",
        [](const py::object& header) { return members_of(parse_header(Bytes(header).span())); });
  m.def("packet_info", &packet_info, "header"_a, "packet"_a,
        "A packet's header as a dict; `components` are the parts that are coded independently, with their "
        "bytes.");
  m.def("packet_slopes", &packet_slopes, "header"_a, "packet"_a, "scale"_a = 1,
        "Directions of the vertical lifting of a key frame, half columns to the right per row down, as an "
        "array of "
        "int8\n"
        "[rows][columns] of blocks: of 16x16 luma samples at scale 1, 32x32 at 2, 64x64 at 3. It has no rows "
        "if "
        "the\n"
        "frame has no directional lifting.");
  m.def("unit_info", &unit_info, "prefix"_a);
  m.def("index_info", &index_info, "index"_a);
  m.def("index_size", &index_size, "trailer"_a);
}

}  // namespace ctv::python
