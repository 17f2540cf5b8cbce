// SPDX-License-Identifier: BSD-3-Clause
// Members of the C interface's structures as Python values. Enumerators have the names that the tools use.
#pragma once

#include <pybind11/pybind11.h>

#include <ctv/ctv.hpp>
#include <string>

namespace ctv::python {

namespace py = pybind11;

/// Without the interpreter's lock while it lives. Python ends a daemon thread where it takes the lock again
/// once the interpreter ends, by unwinding: so unlike pybind11's, this destructor lets that through.
class Unlocked {
 public:
  Unlocked() : state_(PyEval_SaveThread()) {}
  ~Unlocked() noexcept(false) { PyEval_RestoreThread(state_); }
  Unlocked(const Unlocked&) = delete;
  Unlocked& operator=(const Unlocked&) = delete;

 private:
  PyThreadState* state_;
};

/// Throws ArgumentError in Python.
[[noreturn]] inline void refuse(const std::string& message) { throw Error(CTV_ERROR_ARGUMENT, message); }

/// A configuration from keywords. A name that is no member is a TypeError that names `function`.
ctv_config make_config(const char* function, const std::string& preset, const py::kwargs& keywords);
ctv_decoder_config make_decoder_config(const char* function, const py::kwargs& keywords);

/// All members by name.
py::dict members_of(const ctv_config& config);
py::dict members_of(const ctv_stream_info& info);

/// The name of a format, such as "i420"; the format of a name.
const char* format_name(ctv_format format);

}  // namespace ctv::python
