// SPDX-License-Identifier: BSD-3-Clause
// Features of C++20 that the library uses and libc++ 13 lacks (emscripten 3.1.6 of Debian 12). Included
// before each source.
#pragma once

#include <algorithm>
#include <atomic>
#include <memory>
#include <type_traits>

#if defined(_LIBCPP_VERSION) && _LIBCPP_VERSION < 15000
namespace std {  // NOLINT(cert-dcl58-cpp)

template <typename Array>
unique_ptr<Array> make_unique_for_overwrite(size_t count) {
  return unique_ptr<Array>(new remove_extent_t<Array>[count]);
}

template <typename To, typename From>
constexpr To bit_cast(const From& from) noexcept {
  return __builtin_bit_cast(To, from);
}

template <typename T>
class atomic_ref {
 public:
  explicit atomic_ref(T& value) : value_(&value) {}
  T fetch_add(T more, memory_order = memory_order_seq_cst) const {
    return __atomic_fetch_add(value_, more, __ATOMIC_SEQ_CST);
  }

 private:
  T* value_;
};

namespace ranges {
template <typename Range, typename T>
auto find(const Range& range, const T& value) {
  return std::find(range.begin(), range.end(), value);
}
template <typename Range, typename Test>
bool any_of(const Range& range, Test test) {
  return std::any_of(std::begin(range), std::end(range), test);
}
template <typename A, typename B>
bool equal(const A& a, const B& b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end());
}
}  // namespace ranges

}  // namespace std
#endif
