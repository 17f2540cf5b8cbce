// SPDX-License-Identifier: BSD-3-Clause
// Libraries that are loaded at run time, by the system's own loader. Paths are UTF-8.
#pragma once

#include <string>

namespace ctv {

/// The file name of a library NAME here: libNAME.so, libNAME.dylib or NAME.dll.
std::string library_file(const std::string& name);

/// Loads a library and never unloads it. Null: `why` has the system's reason, or is "" if there is no such
/// file.
void* load_library(const std::string& path, std::string& why);

/// The address of a function; null without it.
void* find_symbol(void* library, const char* name);

/// The folder of the library or program that contains this code, with a slash at its end; "" if unknown.
std::string own_folder();

/// A variable of the environment; null without it, and where the program has more rights than its user.
const char* trusted_variable(const char* name);

}  // namespace ctv
