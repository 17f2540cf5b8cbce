// SPDX-License-Identifier: BSD-3-Clause
// libavformat and libavcodec in C++: owners, errors as Failure, and input and output through the tools' own
// files, so that signals, limits and incomplete files are handled as elsewhere.
#pragma once

extern "C" {
#include <libavcodec/avcodec.h>
#include <libavformat/avformat.h>
}

#include <exception>
#include <memory>
#include <string>
#include <utility>

#include "io/byte_source.h"
#include "io/output_file.h"

namespace ctv::tools {

struct LibavDeleter {
  void operator()(AVPacket* p) const { av_packet_free(&p); }
  void operator()(AVFrame* f) const { av_frame_free(&f); }
  void operator()(AVCodecContext* c) const { avcodec_free_context(&c); }
  void operator()(AVIOContext* c) const {
    av_freep(static_cast<void*>(&c->buffer));
    avio_context_free(&c);
  }
};
template <typename T>
using Libav = std::unique_ptr<T, LibavDeleter>;

/// Reports a null pointer as lack of memory.
template <typename T>
Libav<T> own(T* pointer) {
  if (pointer == nullptr) throw std::bad_alloc();
  return Libav<T>(pointer);
}

std::string libav_text(int error);

/// From the first call on, libav's messages are only recorded. Returns the first error of a demuxer since the
/// last call; "" for none.
std::string take_demuxer_error();

/// Input or output of libavformat. Exceptions in callbacks cannot pass C code: they are stored for rethrow().
class LibavFile {
 public:
  explicit LibavFile(ByteSource& source);
  /// Seekable if the file is.
  explicit LibavFile(OutputFile& output);

  AVIOContext* context() const { return context_.get(); }
  /// Call it after each call of libavformat.
  void rethrow() {
    if (thrown_) std::rethrow_exception(std::exchange(thrown_, nullptr));
  }

 private:
  template <typename Call>
  static auto guarded(void* self, Call call) -> decltype(call(*static_cast<LibavFile*>(self)));
  static int read(void* self, uint8_t* into, int size);
  static int write(void* self, uint8_t* from, int size);
  static int64_t seek(void* self, int64_t offset, int whence);
  void make_context(bool writing, bool seekable);

  ByteSource* source_ = nullptr;
  OutputFile* output_ = nullptr;
  std::exception_ptr thrown_;
  Libav<AVIOContext> context_;
};

}  // namespace ctv::tools
