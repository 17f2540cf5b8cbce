// SPDX-License-Identifier: BSD-3-Clause
// The binary layout of DLPack's structures, versions 0 and 1 (dmlc.github.io/dlpack). They are in capsules
// named kUnversioned and kVersioned, whose consumer renames them and calls the deleter once.
#pragma once

#include <cstdint>

namespace ctv::python::dlpack {

constexpr int32_t kCpu = 1, kCuda = 2;  // device types
constexpr uint8_t kUnsigned = 1;        // code of unsigned integers
constexpr uint64_t kIsCopied = 2;       // a flag: the consumer owns the memory exclusively
constexpr const char* kUnversioned = "dltensor";
constexpr const char* kVersioned = "dltensor_versioned";

struct Device {
  int32_t type, number;
};
struct DataType {
  uint8_t code, bits;
  uint16_t lanes;
};
struct Tensor {
  void* data;
  Device device;
  int32_t dimensions;
  DataType type;
  int64_t* shape;
  int64_t* strides;  // in elements; null: without gaps
  uint64_t byte_offset;
};

/// Version 0.
struct Managed {
  Tensor tensor;
  void* context;
  void (*deleter)(Managed*);
};
/// Version 1.
struct ManagedVersioned {
  uint32_t major, minor;
  void* context;
  void (*deleter)(ManagedVersioned*);
  uint64_t flags;
  Tensor tensor;
};

}  // namespace ctv::python::dlpack
