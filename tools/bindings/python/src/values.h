// SPDX-License-Identifier: BSD-3-Clause
// Members of the C interface's structures as Python values. Enumerators have the names that the tools use.
#pragma once

#include <pybind11/pybind11.h>

#include <ctv/ctv.hpp>
#include <string>

namespace ctv::python {

namespace py = pybind11;

/// Releases the GIL during its lifetime. When the interpreter ends, Python stops a daemon thread that takes
/// the GIL again by unwinding it; unlike pybind11's, this destructor lets the unwinding pass.
class Unlocked {
 public:
  Unlocked() : state_(PyEval_SaveThread()) {}
  ~Unlocked() noexcept(false) { PyEval_RestoreThread(state_); }
  Unlocked(const Unlocked&) = delete;
  Unlocked& operator=(const Unlocked&) = delete;

 private:
  PyThreadState* state_;
};

[[noreturn]] inline void refuse(const std::string& message) { throw Error(CTV_ERROR_ARGUMENT, message); }

/// A configuration from keywords. An unknown name is a TypeError that mentions `function`.
ctv_config make_config(const char* function, const std::string& preset, const py::kwargs& keywords);
ctv_decoder_config make_decoder_config(const char* function, const py::kwargs& keywords);

py::dict members_of(const ctv_config& config);
py::dict members_of(const ctv_stream_info& info);

/// The name of a format, such as "i420"; format_of(): the format of a name.
const char* format_name(ctv_format format);

}  // namespace ctv::python
