// SPDX-License-Identifier: BSD-3-Clause
#include "codec/util/dynamic_library.hpp"

#include <cstdlib>

#if defined(_WIN32)
#include <windows.h>
#else
#include <dlfcn.h>
#include <unistd.h>
#endif

namespace ctv {

#if defined(_WIN32)
namespace {

std::wstring wide(const std::string& text) {
  const int size = static_cast<int>(text.size());
  std::wstring out(text.size(), L'\0');  // at least as many as UTF-16 needs
  out.resize(static_cast<size_t>(MultiByteToWideChar(CP_UTF8, 0, text.data(), size, out.data(), size)));
  return out;
}

std::string narrow(const std::wstring& text) {
  const int size = static_cast<int>(text.size());
  std::string out(3 * text.size(), '\0');
  out.resize(static_cast<size_t>(
      WideCharToMultiByte(CP_UTF8, 0, text.data(), size, out.data(), 3 * size, nullptr, nullptr)));
  return out;
}

}  // namespace

std::string library_file(const std::string& name) { return name + ".dll"; }

void* load_library(const std::string& path, std::string& why) {
  const HMODULE library = LoadLibraryW(wide(path).c_str());
  if (library != nullptr) return library;
  const DWORD error = GetLastError();
  why = error == ERROR_MOD_NOT_FOUND ? "" : path + ": error " + std::to_string(error) + " of Windows";
  return nullptr;
}

void* find_symbol(void* library, const char* name) {
  return reinterpret_cast<void*>(GetProcAddress(static_cast<HMODULE>(library), name));
}

std::string own_folder() {
  static const wchar_t here = 0;
  HMODULE own = nullptr;
  constexpr DWORD kFlags =
      GET_MODULE_HANDLE_EX_FLAG_FROM_ADDRESS | GET_MODULE_HANDLE_EX_FLAG_UNCHANGED_REFCOUNT;
  if (GetModuleHandleExW(kFlags, &here, &own) == 0) return "";
  std::wstring path(32768, L'\0');  // the longest path of Windows
  path.resize(GetModuleFileNameW(own, path.data(), static_cast<DWORD>(path.size())));
  const size_t slash = path.find_last_of(L"\\/");
  return slash == std::wstring::npos ? "" : narrow(path.substr(0, slash + 1));
}

const char* trusted_variable(const char* name) { return std::getenv(name); }
#else
std::string library_file(const std::string& name) {
#if defined(__APPLE__)
  return "lib" + name + ".dylib";
#else
  return "lib" + name + ".so";
#endif
}

void* load_library(const std::string& path, std::string& why) {
  void* const library = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) why = access(path.c_str(), F_OK) == 0 ? dlerror() : "";
  return library;
}

void* find_symbol(void* library, const char* name) { return dlsym(library, name); }

std::string own_folder() {
  static const char here = 0;
  Dl_info info{};
  if (dladdr(&here, &info) == 0 || info.dli_fname == nullptr) return "";
  const std::string path = info.dli_fname;
  const size_t slash = path.rfind('/');
  return slash == std::string::npos ? "" : path.substr(0, slash + 1);
}

const char* trusted_variable(const char* name) {
#if defined(__GLIBC__)
  return secure_getenv(name);
#elif defined(__APPLE__)
  return issetugid() != 0 ? nullptr : std::getenv(name);
#else
  return std::getenv(name);
#endif
}
#endif

}  // namespace ctv
