// SPDX-License-Identifier: BSD-3-Clause
// Status and Result: a code and one line that names the field or call. No exception crosses a module.
#pragma once

#include <ctv/ctv.h>

#include <exception>
#include <new>
#include <optional>
#include <string>
#include <system_error>
#include <utility>

namespace ctv {

class [[nodiscard]] Status {
 public:
  Status() = default;
  Status(ctv_status code, std::string message) : code_(code), message_(std::move(message)) {}

  bool ok() const noexcept { return code_ == CTV_OK; }
  ctv_status code() const noexcept { return code_; }
  const std::string& message() const noexcept { return message_; }

 private:
  ctv_status code_ = CTV_OK;
  std::string message_;
};

/// A value, or the error status.
template <typename T>
class [[nodiscard]] Result {
 public:
  Result(T value) : value_(std::move(value)) {}          // NOLINT(*-explicit-*)
  Result(Status status) : status_(std::move(status)) {}  // NOLINT(*-explicit-*)
  Result(ctv_status code, std::string message) : status_(code, std::move(message)) {}

  bool ok() const noexcept { return value_.has_value(); }
  const Status& status() const noexcept { return status_; }
  T& operator*() noexcept { return *value_; }
  const T& operator*() const noexcept { return *value_; }
  T* operator->() noexcept { return &*value_; }
  const T* operator->() const noexcept { return &*value_; }

 private:
  std::optional<T> value_;
  Status status_;
};

/// Carries a status through code that returns none.
class StatusError : public std::exception {
 public:
  explicit StatusError(Status status) : status_(std::move(status)) {}
  const char* what() const noexcept override { return status_.message().c_str(); }
  const Status& status() const noexcept { return status_; }

 private:
  Status status_;
};

/// Calls body() -> Status and converts exceptions to statuses. CTV_ERROR_MEMORY if the system refuses memory
/// or threads.
template <typename Body>
Status guarded(Body&& body) {
  try {
    return body();
  } catch (const StatusError& e) {
    return e.status();
  } catch (const std::bad_alloc&) {
    return {CTV_ERROR_MEMORY, "out of memory"};
  } catch (const std::system_error&) {
    return {CTV_ERROR_MEMORY, "out of threads"};
  } catch (const std::exception& e) {
    return {CTV_ERROR_INTERNAL, std::string("defect of the library: ") + e.what()};
  }
}

#define CTV_RETURN_IF_ERROR(expression)                                      \
  do {                                                                       \
    if (::ctv::Status status_ = (expression); !status_.ok()) return status_; \
  } while (false)

#define CTV_CONCAT_INNER(a, b) a##b
#define CTV_CONCAT(a, b) CTV_CONCAT_INNER(a, b)
/// `CTV_ASSIGN_OR_RETURN(auto x, f());`
#define CTV_ASSIGN_OR_RETURN(declaration, expression)                                     \
  auto CTV_CONCAT(result_, __LINE__) = (expression);                                      \
  if (!CTV_CONCAT(result_, __LINE__).ok()) return CTV_CONCAT(result_, __LINE__).status(); \
  declaration = std::move(*CTV_CONCAT(result_, __LINE__))

}  // namespace ctv
