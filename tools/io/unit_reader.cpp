// SPDX-License-Identifier: BSD-3-Clause
#include "io/unit_reader.h"

#include <algorithm>
#include <array>
#include <cstring>

#include "cli/exit.h"
#include "cli/text.h"
#include "io/container.h"

namespace ctv::tools {
namespace {

constexpr size_t kContainerStart = 16;
constexpr size_t kPiece = size_t{1} << 20;
// Bound on how often, on average, a byte of a damaged stream is returned again in another unit.
constexpr uint64_t kMostLooks = 16;

bool looks_like_tag(const uint8_t* p) {
  return p[0] == 'C' && (p[1] == 'P' || (p[1] == 'T' && p[2] == 'V' && (p[3] == 'S' || p[3] == 'X')));
}

}  // namespace

UnitReader::UnitReader(std::unique_ptr<ByteSource> source, uint64_t max_unit_size)
    : source_(std::move(source)), max_unit_size_(max_unit_size) {}

size_t UnitReader::fill(size_t bytes) {
  while (!ended_ && buffer_.size() - begin_ < bytes) {
    const size_t old = buffer_.size();
    // In blocks: memory grows with the bytes that arrive, not with the size in a prefix.
    const size_t want = std::min(bytes - (old - begin_), kPiece);
    buffer_.resize(old + want);
    size_t got = 0;
    try {
      got = source_->read(std::span(buffer_).subspan(old));
    } catch (...) {
      buffer_.resize(old);
      throw;
    }
    buffer_.resize(old + got);
    ended_ = got == 0;
  }
  return std::min(bytes, buffer_.size() - begin_);
}

void UnitReader::forget() {
  if (begin_ < kPiece || begin_ < buffer_.size() / 2) return;
  buffer_.erase(buffer_.begin(), buffer_.begin() + static_cast<ptrdiff_t>(begin_));
  base_ += begin_;
  begin_ = 0;
}

std::optional<StreamUnit> UnitReader::next() {
  forget();
  last_size_ = 0;
  const size_t head = fill(CTV_UNIT_PREFIX_SIZE);
  if (head == 0) return std::nullopt;
  const auto at = [&] {
    return source_->name() + text(": offset %llu: ", static_cast<unsigned long long>(offset()));
  };
  if (head < CTV_UNIT_PREFIX_SIZE) throw CutUnit(at() + "the stream ends inside a unit's prefix");
  StreamUnit unit;
  uint64_t size = 0;
  if (ctv_unit_parse(available().data(), head, &unit.kind, &size) != CTV_OK) {
    if (offset() > 0)
      throw Failure(Exit::kStream, at() + "no unit begins here", "--keep-going looks for the next one");
    const size_t start = fill(kContainerStart);
    if (begins_container({reinterpret_cast<const char*>(available().data()), start}))
      throw Failure(Exit::kStream, at() + "this is a container, not a ctv stream",
                    "a container is read from a file: give its name");
    throw Failure(Exit::kStream, at() + "this is not a ctv stream");
  }
  if (size > max_unit_size_)
    throw Failure(Exit::kLimit, at() + text("a unit of %llu bytes is above the limit of %llu",
                                            static_cast<unsigned long long>(size),
                                            static_cast<unsigned long long>(max_unit_size_)));
  // The size of a file is known: a unit that exceeds it is damaged, and not read byte by byte.
  const uint64_t left = source_->size() ? *source_->size() - std::min(*source_->size(), offset()) : size;
  const uint64_t got = left < size ? left : fill(static_cast<size_t>(size));
  if (got < size)
    throw CutUnit(at() + text("the stream is cut: %llu of a unit's %llu bytes are there",
                              static_cast<unsigned long long>(got), static_cast<unsigned long long>(size)));
  unit.offset = offset();
  unit.bytes = available().first(static_cast<size_t>(got));
  begin_ += unit.bytes.size();
  last_size_ = unit.bytes.size();
  returned_ += last_size_;
  return unit;
}

void UnitReader::read_ahead() {
  if (!source_->size()) return;  // a pipe's next bytes may take long
  try {
    fill(last_size_ + last_size_ / 4 + CTV_UNIT_PREFIX_SIZE);
  } catch (...) {  // next() reports it again, after the sent unit has been decoded
  }
}

bool UnitReader::plausible_successor() {
  const size_t size = last_size_;
  const size_t n = fill(4);
  const bool good = n == 0 || (n == 4 && looks_like_tag(available().data()));
  last_size_ = size;
  return good;
}

bool UnitReader::resynchronise() {
  // A unit with a damaged size may contain other units, so search inside it. But units nested in units would
  // take quadratic time.
  const bool inside = last_size_ == 0 || returned_ <= kMostLooks * offset();
  if (inside) {
    begin_ -= last_size_;
    if (fill(1) == 0) return false;
    ++begin_;
  }
  last_size_ = 0;
  for (;;) {
    forget();
    if (fill(4) < 4) return false;
    const auto bytes = available();
    const auto* hit = static_cast<const uint8_t*>(std::memchr(bytes.data(), 'C', bytes.size() - 3));
    if (hit == nullptr) {
      begin_ += bytes.size() - 3;
      continue;
    }
    begin_ += static_cast<size_t>(hit - bytes.data());
    if (looks_like_tag(hit)) return true;
    ++begin_;
  }
}

bool UnitReader::seek(uint64_t offset) {
  if (!source_->seek(offset)) return false;
  buffer_.clear();
  begin_ = last_size_ = 0;
  returned_ = 0;
  base_ = offset;
  ended_ = false;
  return true;
}

std::optional<StreamIndex> read_index(ByteSource& source) {
  const auto size = source.size();
  std::array<uint8_t, CTV_INDEX_TRAILER_SIZE> trailer{};
  uint64_t unit_size = 0;
  if (!size || *size < trailer.size() || !source.seek(*size - trailer.size()) ||
      read_fully(source, trailer) < trailer.size() ||
      ctv_index_trailer_parse(trailer.data(), trailer.size(), &unit_size) != CTV_OK || unit_size > *size ||
      unit_size < CTV_UNIT_PREFIX_SIZE || !source.seek(*size - unit_size)) {
    return std::nullopt;
  }
  std::vector<uint8_t> unit;
  if (read_growing(source, unit, static_cast<size_t>(unit_size)) < unit_size) return std::nullopt;
  StreamIndex index;
  index.offset = *size - unit_size;
  size_t count = 0;
  if (ctv_index_parse(unit.data(), unit.size(), nullptr, 0, &count) != CTV_OK || count > unit.size())
    return std::nullopt;
  index.entries.resize(count);
  if (ctv_index_parse(unit.data(), unit.size(), index.entries.data(), count, &count) != CTV_OK)
    return std::nullopt;
  return index;
}

}  // namespace ctv::tools
