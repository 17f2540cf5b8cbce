// SPDX-License-Identifier: BSD-3-Clause
#include "io/image_checks.h"

#include <zlib.h>

#include <array>
#include <cstring>
#include <set>

namespace ctv::tools {
namespace {

constexpr const char* kCut = "the file is cut";

/// Numbers in a file; the caller has checked the size.
uint32_t big32(const uint8_t* p) {
  return uint32_t{p[0]} << 24 | uint32_t{p[1]} << 16 | uint32_t{p[2]} << 8 | p[3];
}
uint32_t big16(const uint8_t* p) { return uint32_t{p[0]} << 8 | p[1]; }

/// Bytes of a PNG picture before compression: rows with a filter byte, of one pass or of seven.
uint64_t png_bytes(const uint8_t* header) {
  constexpr std::array<uint64_t, 7> kChannels = {1, 0, 3, 1, 2, 0, 4};  // by colour type
  const uint64_t width = big32(header), height = big32(header + 4);
  const uint64_t bits = header[8] * kChannels[std::min<size_t>(header[9], 6)];
  const auto pass = [&](uint64_t x, uint64_t dx, uint64_t y, uint64_t dy) {
    const uint64_t columns = (width + dx - 1 - x) / dx, rows = (height + dy - 1 - y) / dy;
    return columns == 0 ? 0 : rows * (1 + (columns * bits + 7) / 8);
  };
  if (header[12] == 0) return pass(0, 1, 0, 1);
  return pass(0, 8, 0, 8) + pass(4, 8, 0, 8) + pass(0, 4, 4, 8) + pass(2, 4, 0, 4) + pass(0, 2, 2, 4) +
         pass(1, 2, 0, 2) + pass(0, 1, 1, 2);
}

/// Counts the bytes that DEFLATE data expand to, without storing them.
class Inflating {
 public:
  Inflating() { ready_ = inflateInit(&stream_) == Z_OK; }
  ~Inflating() {
    if (ready_) inflateEnd(&stream_);
  }
  Inflating(const Inflating&) = delete;
  Inflating& operator=(const Inflating&) = delete;

  /// False: the data are damaged, or expand to more than `limit` bytes.
  bool add(std::span<const uint8_t> data, uint64_t limit) {
    std::array<uint8_t, 1 << 14> scratch;
    stream_.next_in = const_cast<uint8_t*>(data.data());
    stream_.avail_in = static_cast<uInt>(data.size());
    int status = ready_ ? Z_OK : Z_MEM_ERROR;
    while (status == Z_OK && !ended_) {
      stream_.next_out = scratch.data();
      stream_.avail_out = static_cast<uInt>(scratch.size());
      status = inflate(&stream_, Z_NO_FLUSH);
      bytes_ += scratch.size() - stream_.avail_out;
      ended_ = status == Z_STREAM_END;
      if (bytes_ > limit) return false;
      if (stream_.avail_in == 0 && stream_.avail_out > 0) break;
    }
    return status == Z_OK || status == Z_STREAM_END || status == Z_BUF_ERROR;
  }
  uint64_t bytes() const { return bytes_; }

 private:
  z_stream stream_{};
  uint64_t bytes_ = 0;
  bool ready_ = false, ended_ = false;
};

/// Checks the tables of a DHT segment: 16 counts of codes, and as many symbols, at most 256.
bool huffman_tables_fit(std::span<const uint8_t> segment) {
  while (!segment.empty()) {
    if (segment.size() < 17) return false;
    size_t codes = 0;
    for (size_t i = 1; i <= 16; ++i) codes += segment[i];
    if (codes > 256 || segment.size() < 17 + codes) return false;
    segment = segment.subspan(17 + codes);
  }
  return true;
}

/// The orientation in EXIF data, a TIFF structure; 1 if it says none.
int orientation_of(std::span<const uint8_t> tiff) {
  if (tiff.size() < 8) return 1;
  const bool little = tiff[0] == 'I';
  const auto number = [&](size_t at, size_t bytes) {
    uint64_t value = 0;
    for (size_t i = 0; i < bytes; ++i) value = value << 8 | tiff[at + (little ? bytes - 1 - i : i)];
    return value;
  };
  const size_t at = number(4, 4);
  if (number(2, 2) != 42 || at > tiff.size() - 2) return 1;
  const size_t entries = std::min<size_t>(number(at, 2), (tiff.size() - at - 2) / 12);
  for (size_t entry = at + 2; entry < at + 2 + 12 * entries; entry += 12) {
    if (number(entry, 2) != 0x112 || number(entry + 2, 2) != 3) continue;
    const uint64_t value = number(entry + 8, 2);
    return value >= 1 && value <= 8 ? static_cast<int>(value) : 1;
  }
  return 1;
}

/// Calls visit(marker, segment) for the segments of a JPEG file up to its end.
template <typename Visit>
void for_each_segment(std::span<const uint8_t> file, Visit visit) {
  for (size_t at = 2; at + 4 <= file.size();) {
    const uint8_t marker = file[at + 1];
    const bool bare = marker <= 0x01 || (marker >= 0xd0 && marker <= 0xd9) || marker == 0xff;
    if (file[at] != 0xff || bare) {
      ++at;  // entropy-coded data, fill bytes, markers without a segment
      continue;
    }
    const size_t size = big16(file.data() + at + 2);
    if (size < 2 || size > file.size() - at - 2) return;
    visit(marker, file.subspan(at + 4, size - 2));
    at += 2 + size;
  }
}

}  // namespace

const char* png_defect(std::span<const uint8_t> file) {
  constexpr size_t kSignature = 8, kFrame = 12, kHeader = 13;
  if (file.size() < kSignature + kFrame + kHeader) return kCut;
  const uint8_t* header = nullptr;
  Inflating picture;
  for (size_t at = kSignature; file.size() - at >= kFrame;) {
    const uint8_t* chunk = file.data() + at;
    const size_t size = big32(chunk);
    if (size > file.size() - at - kFrame) return kCut;
    if (crc32(0, chunk + 4, static_cast<uInt>(size + 4)) != big32(chunk + 8 + size))
      return "a checksum is wrong";
    const auto is = [&](const char* type) { return std::memcmp(chunk + 4, type, 4) == 0; };
    if ((header == nullptr) != is("IHDR") || (header == nullptr && size != kHeader)) return "no header";
    if (header == nullptr) header = chunk + 8;
    if (is("IDAT") && !picture.add({chunk + 8, size}, png_bytes(header)))
      return "the compressed data are damaged, or more than the size says";
    if (is("IEND"))
      return picture.bytes() == png_bytes(header) ? nullptr : "fewer samples than the size says";
    at += kFrame + size;
  }
  return kCut;
}

std::vector<uint8_t> png_with_full_palette(std::span<const uint8_t> file) {
  constexpr size_t kFull = 3 * 256;
  for (size_t at = 8, size = 0; at + 12 <= file.size(); at += 12 + size) {
    size = big32(file.data() + at);
    const uint8_t* type = file.data() + at + 4;
    // Bytes after the last chunk are not checked.
    if (std::memcmp(type, "IEND", 4) == 0 || size > file.size() - at - 12) break;
    if (std::memcmp(type, "PLTE", 4) != 0 || size > kFull) continue;
    std::vector<uint8_t> full(file.begin(), file.end());
    full.insert(full.begin() + static_cast<ptrdiff_t>(at + 8 + size), kFull - size, 0);
    full[at + 2] = kFull >> 8;
    full[at + 3] = kFull & 255;
    return full;
  }
  return {};
}

const char* jpeg_defect(std::span<const uint8_t> file) {
  uint64_t pixels = 0, coded = 0;
  for (size_t at = 2; at + 4 <= file.size() || coded > 0;) {
    while (at < file.size() && file[at] == 0xff) ++at;  // fill bytes, and the marker's own
    if (at >= file.size()) return kCut;
    const uint8_t marker = file[at++];
    if (marker == 0xd9) {
      // A block of 8x8 samples takes at least a bit, and a component has at least one sample per 16 pixels.
      return coded * 8 * 64 * 16 < pixels ? "too few bytes for its size" : nullptr;
    }
    if (marker == 0x01 || (marker >= 0xd0 && marker <= 0xd8)) continue;
    if (file.size() - at < 2) return kCut;
    const size_t size = big16(file.data() + at);
    if (size < 2 || size > file.size() - at) return kCut;
    const auto segment = file.subspan(at + 2, size - 2);
    at += size;
    const bool frame = marker >= 0xc0 && marker <= 0xcf && marker != 0xc4 && marker != 0xc8 && marker != 0xcc;
    if (frame && segment.size() >= 5)
      pixels = uint64_t{big16(segment.data() + 1)} * big16(segment.data() + 3);
    if (marker == 0xc4 && !huffman_tables_fit(segment)) return "a Huffman table does not fit";
    if (marker == 0xda) {
      const size_t begin =
          at;  // entropy-coded data, up to a marker that is neither a stuffed ff nor a restart
      while (at + 1 < file.size() &&
             !(file[at] == 0xff && file[at + 1] != 0 && (file[at + 1] < 0xd0 || file[at + 1] > 0xd7)))
        ++at;
      coded += at - begin;
    }
    if (at >= file.size() || file[at] != 0xff) return kCut;
  }
  return kCut;
}

std::vector<uint8_t> jpeg_with_end(std::span<const uint8_t> file, uint8_t fill) {
  constexpr size_t kFill = 64;
  size_t components = 0;
  std::set<uint8_t> first, last;  // components whose lowest and highest frequencies have their last bit
  for_each_segment(file, [&](uint8_t marker, std::span<const uint8_t> segment) {
    if (marker >= 0xc0 && marker <= 0xc2 && segment.size() > 5) components = segment[5];
    if (marker != 0xda || segment.empty() || segment.size() < 4 + 2 * size_t{segment[0]}) return;
    const auto band = segment.subspan(1 + 2 * size_t{segment[0]});
    for (size_t i = 0; i < segment[0] && (band[2] & 15) == 0; ++i) {
      if (band[0] == 0) first.insert(segment[1 + 2 * i]);
      if (band[1] == 63) last.insert(segment[1 + 2 * i]);
    }
  });
  if (components == 0 || first.size() < components || last.size() < components) return {};
  if (file.back() == 0xff) file = file.first(file.size() - 1);  // half of the marker
  std::vector<uint8_t> whole(file.begin(), file.end());
  whole.insert(whole.end(), kFill, fill);
  whole.insert(whole.end(), {0xff, 0xd9});
  return whole;
}

ImageNotes notes_of(std::span<const uint8_t> file) {
  ImageNotes notes;
  if (file[0] != 0x89) {
    constexpr std::array<uint8_t, 6> kExif = {'E', 'x', 'i', 'f', 0, 0};
    bool found = false;
    for_each_segment(file, [&](uint8_t marker, std::span<const uint8_t> segment) {
      if (found || marker != 0xe1 || segment.size() < kExif.size() ||
          std::memcmp(segment.data(), kExif.data(), kExif.size()) != 0)
        return;
      found = true;
      notes.orientation = orientation_of(segment.subspan(kExif.size()));
    });
    return notes;
  }
  for (size_t at = 8, size = 0; at + 12 <= file.size(); at += 12 + size) {
    size = big32(file.data() + at);
    if (size > file.size() - at - 12) break;
    const auto is = [&](const char* type) { return std::memcmp(file.data() + at + 4, type, 4) == 0; };
    if (is("IEND")) break;
    if (is("eXIf")) notes.orientation = orientation_of(file.subspan(at + 8, size));
    notes.transparent |= is("tRNS");
    notes.animated |= is("acTL");
  }
  return notes;
}

}  // namespace ctv::tools
