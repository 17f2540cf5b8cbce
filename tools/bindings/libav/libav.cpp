// SPDX-License-Identifier: BSD-3-Clause
#include "bindings/libav/libav.h"

#include <cstdarg>
#include <mutex>

#include "cli/messages.h"

namespace ctv::tools {
namespace {

struct DemuxerError {
  std::mutex mutex;
  std::string first;
};
DemuxerError& demuxer_error() {
  static DemuxerError error;
  return error;
}

/// Decoders log from several threads; only a demuxer's messages are kept.
void keep_demuxer_error(void* object, int level, const char* format, va_list arguments) {
  if (object == nullptr || level > AV_LOG_ERROR) return;
  const AVClass* type = *static_cast<AVClass**>(object);
  const AVClassCategory category =
      type->get_category != nullptr ? type->get_category(object) : type->category;
  if (category != AV_CLASS_CATEGORY_DEMUXER) return;
  char line[256];
  std::vsnprintf(line, sizeof line, format, arguments);
  std::string text = printable(line);
  while (!text.empty() && (text.back() == '?' || text.back() == '.' || text.back() == ' ')) text.pop_back();
  const std::scoped_lock lock(demuxer_error().mutex);
  if (demuxer_error().first.empty()) demuxer_error().first = text;
}

}  // namespace

std::string libav_text(int error) {
  char text[AV_ERROR_MAX_STRING_SIZE] = "";
  av_strerror(error, text, sizeof text);
  return text;
}

std::string take_demuxer_error() {
  av_log_set_callback(keep_demuxer_error);
  const std::scoped_lock lock(demuxer_error().mutex);
  return std::exchange(demuxer_error().first, "");
}

LibavFile::LibavFile(ByteSource& source) : source_(&source) {
  make_context(false, source.size().has_value());
}

LibavFile::LibavFile(OutputFile& output) : output_(&output) { make_context(true, output.seekable()); }

void LibavFile::make_context(bool writing, bool seekable) {
  constexpr size_t kBuffer = size_t{1} << 16;
  auto* buffer = static_cast<uint8_t*>(av_malloc(kBuffer));
  if (buffer == nullptr) throw std::bad_alloc();
  AVIOContext* context = avio_alloc_context(buffer, static_cast<int>(kBuffer), writing ? 1 : 0, this, read,
                                            write, seekable ? seek : nullptr);
  if (context == nullptr) av_free(buffer);
  context_ = own(context);
}

template <typename Call>
auto LibavFile::guarded(void* self, Call call) -> decltype(call(*static_cast<LibavFile*>(self))) {
  auto& file = *static_cast<LibavFile*>(self);
  if (file.thrown_) return AVERROR_EXIT;
  try {
    return call(file);
  } catch (...) {
    file.thrown_ = std::current_exception();
    return AVERROR_EXIT;
  }
}

int LibavFile::read(void* self, uint8_t* into, int size) {
  return guarded(self, [&](LibavFile& file) -> int {
    const size_t got = file.source_->read({into, static_cast<size_t>(size)});
    return got > 0 ? static_cast<int>(got) : AVERROR_EOF;
  });
}

int LibavFile::write(void* self, uint8_t* from, int size) {
  return guarded(self, [&](LibavFile& file) -> int {
    file.output_->write(std::span<const uint8_t>(from, static_cast<size_t>(size)));
    return size;
  });
}

int64_t LibavFile::seek(void* self, int64_t offset, int whence) {
  return guarded(self, [&](LibavFile& file) -> int64_t {
    if (file.output_ != nullptr) {
      if (whence != SEEK_SET || offset < 0) return AVERROR(EINVAL);
      file.output_->seek(static_cast<uint64_t>(offset));
      return offset;
    }
    if (whence == AVSEEK_SIZE) return static_cast<int64_t>(file.source_->size().value_or(0));
    if (whence != SEEK_SET || offset < 0 || !file.source_->seek(static_cast<uint64_t>(offset)))
      return AVERROR(EINVAL);
    return offset;
  });
}

}  // namespace ctv::tools
