// SPDX-License-Identifier: BSD-3-Clause
// Everything that reads units without decoding them. A header that is accepted must be written back byte for
// byte.
#include <ctv/ctv.h>

#include <cstdlib>
#include <vector>

#include "codec/format/headers.hpp"
#include "tests/fuzz/stream_input.hpp"
#include "tests/support/repair.hpp"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  auto input = ctv::fuzz::read_input(data, size);
  if ((input.options[0] & 1U) != 0) ctv::test::repair_checksums(input.units);
  const std::vector<uint8_t>* header = nullptr;
  for (const auto& unit : input.units) {
    ctv_unit_kind kind{};
    uint64_t unit_size = 0;
    if (ctv_unit_parse(unit.data(), unit.size(), &kind, &unit_size) != CTV_OK) continue;
    if (unit_size < CTV_UNIT_PREFIX_SIZE) std::abort();
    ctv_stream_info info{};
    info.struct_size = sizeof info;
    if (ctv_stream_info_parse(unit.data(), unit.size(), &info) == CTV_OK) {
      if (info.width < 1 || info.height < 1 || info.scales < 1 || info.components < 1) std::abort();
      const auto parsed = ctv::read_sequence_header(unit);
      if (!parsed.ok() || ctv::write_sequence_header(*parsed) != unit) std::abort();
      header = &unit;
    }
    if (header != nullptr) {
      ctv_packet_info packet{};
      packet.struct_size = sizeof packet;
      std::vector<ctv_component_info> components(64);
      if (ctv_packet_info_parse(header->data(), header->size(), unit.data(), unit.size(), &packet,
                                components.data(), components.size()) == CTV_OK &&
          packet.header_size > unit_size) {
        std::abort();
      }
      std::vector<int8_t> slopes(64);
      int32_t rows = 0;
      int32_t cols = 0;
      (void)ctv_packet_slopes(header->data(), header->size(), unit.data(), unit.size(), 2, slopes.data(),
                              slopes.size(), &rows, &cols);
    }
    size_t count = 0;
    std::vector<ctv_index_entry> entries(8);
    (void)ctv_index_parse(unit.data(), unit.size(), entries.data(), entries.size(), &count);
    if (unit.size() >= CTV_INDEX_TRAILER_SIZE) {
      (void)ctv_index_trailer_parse(unit.data() + unit.size() - CTV_INDEX_TRAILER_SIZE,
                                    CTV_INDEX_TRAILER_SIZE, &unit_size);
    }
  }
  return 0;
}
