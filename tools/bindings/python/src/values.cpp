// SPDX-License-Identifier: BSD-3-Clause
#include "values.h"

#include <algorithm>
#include <functional>
#include <iterator>
#include <vector>

#include "cli/names.h"

namespace ctv::python {
namespace {

/// Reads and writes a member of a structure S from Python.
template <class S>
struct Member {
  std::string name;
  std::function<py::object(const S&)> get;
  std::function<void(S&, py::handle)> set;
};

std::string shown(py::handle value) { return py::cast<std::string>(py::repr(value)); }

[[noreturn]] void wrong_type(const std::string& name, const char* expected, py::handle value) {
  throw py::type_error(name + ": " + expected + " expected, " + shown(value) + " given");
}

template <class T>
T number(const std::string& name, py::handle value) {
  constexpr bool kReal = std::is_floating_point_v<T>;
  try {
    return py::cast<T>(value);
  } catch (const py::cast_error&) {
    if (PyIndex_Check(value.ptr()) != 0) refuse(name + ": " + shown(value) + " is out of range");
    wrong_type(name, kReal ? "a number" : "an integer", value);
  }
}

template <class S, class T>
Member<S> plain(const char* name, T S::*member) {
  return {name, [=](const S& s) -> py::object { return py::cast(s.*member); },
          [=](S& s, py::handle value) { s.*member = number<T>(name, value); }};
}

/// Enumerators by name. Code points of ITU-T H.273, which are int32_t, also by number.
template <class S, class E, class Table>
Member<S> named(const char* name, const Table& table, E S::*member) {
  const auto* const rows = &table;
  const auto get = [=](const S& s) -> py::object {
    for (const auto& row : *rows)
      if (row.value == s.*member) return py::str(row.name);
    return py::int_(static_cast<int>(s.*member));
  };
  const auto set = [=](S& s, py::handle value) {
    if (!py::isinstance<py::str>(value)) {
      if (!std::is_same_v<E, int32_t>) wrong_type(name, "a name", value);
      s.*member = static_cast<E>(number<int32_t>(name, value));
      return;
    }
    const auto wanted = py::cast<std::string>(value);
    std::string known;
    for (const auto& row : *rows) {
      if (wanted == row.name) {
        s.*member = row.value;
        return;
      }
      known += (known.empty() ? "" : ", ") + std::string(row.name);
    }
    refuse(std::string(name) + ": " + shown(value) + " is none of " + known);
  };
  return {name, get, set};
}

/// A sequence of integers; the rest is 0. shown: how many it has.
template <class S, size_t kCount>
Member<S> sequence(const char* name, int32_t (S::*member)[kCount], std::function<size_t(const S&)> shown) {
  const auto get = [=](const S& s) -> py::object {
    py::tuple all(shown(s));
    for (size_t i = 0; i < all.size(); ++i) all[i] = (s.*member)[i];
    return all;
  };
  const auto set = [=](S& s, py::handle value) {
    if (!py::isinstance<py::sequence>(value) || py::isinstance<py::str>(value))
      wrong_type(name, "a sequence of integers", value);
    const auto list = py::reinterpret_borrow<py::sequence>(value);
    if (list.size() > kCount) refuse(std::string(name) + ": at most " + std::to_string(kCount));
    std::fill(std::begin(s.*member), std::end(s.*member), 0);
    for (size_t i = 0; i < list.size(); ++i) (s.*member)[i] = number<int32_t>(name, list[i]);
  };
  return {name, get, set};
}
template <class S, size_t kCount>
Member<S> sequence(const char* name, int32_t (S::*member)[kCount]) {
  return sequence<S, kCount>(name, member, [](const S&) { return kCount; });
}
template <class S>
size_t scales_of(const S& s) {
  return static_cast<size_t>(std::clamp(s.scales, 0, CTV_MAX_SCALES));
}

#define PLAIN(name) plain(#name, &S::name)
#define NAMED(name, table) named(#name, tools::table, &S::name)
#define SEQUENCE(name) sequence(#name, &S::name)

/// Members common to ctv_config and ctv_stream_info, and `more`.
template <class S>
std::vector<Member<S>> shared_members_and(std::vector<Member<S>> more) {
  std::vector<Member<S>> all = {PLAIN(width),
                                PLAIN(height),
                                NAMED(format, kInputFormats),
                                PLAIN(fps_num),
                                PLAIN(fps_den),
                                PLAIN(aspect_width),
                                PLAIN(aspect_height),
                                NAMED(range, kRanges),
                                NAMED(primaries, kPrimaries),
                                NAMED(transfer, kTransfers),
                                NAMED(matrix, kMatrices),
                                NAMED(siting, kSitings),
                                NAMED(interlace, kInterlaces),
                                PLAIN(lossless),
                                NAMED(pyramid, kPyramids),
                                PLAIN(scales),
                                sequence<S, CTV_MAX_SCALES>("directions", &S::directions, scales_of<S>),
                                PLAIN(directional_lifting),
                                NAMED(entropy_coding, kEntropyCodings),
                                NAMED(prediction, kPredictions),
                                PLAIN(block_size),
                                PLAIN(subpel),
                                PLAIN(overlap),
                                PLAIN(loop_filter),
                                PLAIN(slots),
                                SEQUENCE(mastering_primaries),
                                SEQUENCE(mastering_luminance),
                                SEQUENCE(content_light)};
  std::move(more.begin(), more.end(), std::back_inserter(all));
  return all;
}

const std::vector<Member<ctv_config>>& config_members() {
  using S = ctv_config;
  static const auto all = shared_members_and<S>({PLAIN(qp),
                                                 PLAIN(step),
                                                 PLAIN(crf),
                                                 PLAIN(bitrate),
                                                 PLAIN(buffer_ms),
                                                 PLAIN(max_frame_bytes),
                                                 PLAIN(chroma_qp_offset),
                                                 NAMED(tune, kTunes),
                                                 PLAIN(error_resilient),
                                                 PLAIN(rdoq),
                                                 PLAIN(key_interval),
                                                 PLAIN(min_key_distance),
                                                 PLAIN(temporal_layers),
                                                 PLAIN(scene_cut),
                                                 NAMED(chroma, kChromas),
                                                 PLAIN(search_range),
                                                 PLAIN(far_range),
                                                 PLAIN(split),
                                                 NAMED(backend, kBackends),
                                                 NAMED(engine, kEngines),
                                                 PLAIN(device),
                                                 PLAIN(threads),
                                                 PLAIN(frames_in_flight)});
  return all;
}

const std::vector<Member<ctv_stream_info>>& stream_members() {
  using S = ctv_stream_info;
  static const auto all = shared_members_and<S>(
      {PLAIN(bits), PLAIN(chroma_420), PLAIN(planes), PLAIN(components), PLAIN(layers)});
  return all;
}

const std::vector<Member<ctv_decoder_config>>& decoder_members() {
  using S = ctv_decoder_config;
  const auto limit = [](const char* name, uint64_t ctv_limits::*member) -> Member<S> {
    return {name, nullptr, [=](S& s, py::handle value) { s.limits.*member = number<uint64_t>(name, value); }};
  };
  static const std::vector<Member<S>> all = {NAMED(format, kFormats),
                                             PLAIN(reduction),
                                             NAMED(memory, kMemories),
                                             NAMED(backend, kBackends),
                                             NAMED(engine, kEngines),
                                             PLAIN(device),
                                             PLAIN(threads),
                                             PLAIN(frames_in_flight),
                                             PLAIN(conceal),
                                             limit("max_pixels", &ctv_limits::max_pixels),
                                             limit("max_memory", &ctv_limits::max_memory),
                                             limit("max_packet_size", &ctv_limits::max_packet_size)};
  return all;
}

#undef PLAIN
#undef NAMED
#undef SEQUENCE

template <class S>
void set_members(const char* function, const std::vector<Member<S>>& members, const py::kwargs& keywords,
                 S& s) {
  for (const auto& [key, value] : keywords) {
    const auto name = py::cast<std::string>(key);
    const auto found =
        std::find_if(members.begin(), members.end(), [&](const auto& m) { return m.name == name; });
    if (found == members.end())
      throw py::type_error(std::string(function) + "() got an unexpected keyword argument '" + name + "'");
    found->set(s, value);
  }
}

template <class S>
py::dict dict_of(const std::vector<Member<S>>& members, const S& s) {
  py::dict d;
  for (const auto& m : members) d[py::str(m.name)] = m.get(s);
  return d;
}

}  // namespace

ctv_config make_config(const char* function, const std::string& preset, const py::kwargs& keywords) {
  Config config(preset.c_str());
  config.format = CTV_FORMAT_I420;
  if (keywords.contains("step")) config.qp = -1;  // a qp of the same call still has priority
  set_members<ctv_config>(function, config_members(), keywords, config);
  return config;
}

ctv_decoder_config make_decoder_config(const char* function, const py::kwargs& keywords) {
  DecoderConfig config;
  set_members<ctv_decoder_config>(function, decoder_members(), keywords, config);
  return config;
}

py::dict members_of(const ctv_config& config) { return dict_of(config_members(), config); }

py::dict members_of(const ctv_stream_info& info) {
  py::dict d = dict_of(stream_members(), info);
  py::tuple subbands(static_cast<size_t>(std::clamp(info.planes, 0, 3)));
  for (size_t i = 0; i < subbands.size(); ++i) subbands[i] = info.subbands[i];
  d["subbands"] = subbands;
  return d;
}

const char* format_name(ctv_format format) { return tools::name_of(tools::kInputFormats, format); }

}  // namespace ctv::python
