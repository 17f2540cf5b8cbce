// SPDX-License-Identifier: BSD-3-Clause
// Arbitrary bytes as a damaged stream, read as `ctdec --keep-going` does: it ends, goes forward only, reads
// each byte once, and finds the same in a file as in a pipe. Then the index, and seeking.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <vector>

#include "cli/exit.h"
#include "io/unit_reader.h"

namespace {

using namespace ctv::tools;

class CountingSource : public MemorySource {
 public:
  CountingSource(std::span<const uint8_t> bytes, bool seekable, size_t& read)
      : MemorySource(bytes, seekable), read_(read) {}
  size_t read(std::span<uint8_t> into) override {
    const size_t n = MemorySource::read(into);
    read_ += n;
    return n;
  }

 private:
  size_t& read_;
};

/// Offsets of units, and of the places where none can be read (plus 1 << 32).
std::vector<uint64_t> read_all(UnitReader& reader, size_t size) {
  std::vector<uint64_t> found;
  uint64_t end = 0;
  for (size_t steps = 0; steps <= size; ++steps) {
    try {
      const auto unit = reader.next();
      if (!unit) return found;
      if (unit->offset < end || unit->bytes.size() < CTV_UNIT_PREFIX_SIZE) std::abort();
      found.push_back(unit->offset);
      const uint64_t after = unit->offset + unit->bytes.size();
      reader.read_ahead();
      if (reader.plausible_successor()) {
        end = after;
        continue;
      }
      end = unit->offset + 1;
    } catch (const Failure&) {
      found.push_back(reader.offset() + (uint64_t{1} << 32));
      end = reader.offset() + 1;
    }
    if (!reader.resynchronise()) return found;
  }
  std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::span bytes(data, size);
  std::vector<uint64_t> found[2];
  for (const bool seekable : {false, true}) {
    size_t read = 0;
    UnitReader reader(std::make_unique<CountingSource>(bytes, seekable, read), 1 << 16);
    found[seekable] = read_all(reader, size);
    if (read > size) std::abort();
  }
  if (found[0] != found[1]) std::abort();

  UnitReader reader(std::make_unique<MemorySource>(bytes), 1 << 16);
  const auto index = read_index(reader.source());
  for (size_t i = 0; index && i < index->entries.size() && i < 4; ++i) {
    if (!reader.seek(index->entries[i].offset)) continue;
    try {
      (void)reader.next();
    } catch (const Failure&) {
    }
  }
  return 0;
}
