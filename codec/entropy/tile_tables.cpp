// SPDX-License-Identifier: BSD-3-Clause
#include "codec/entropy/tile_tables.hpp"

namespace ctv {
namespace {

constexpr char kDigits[] =
#include "data/tile_tables.inc"
    ;

}  // namespace

TileTables::TileTables(const TableSizes& sizes) : symbols(tables_of_sizes(sizes)) {}

const TileTables& tile_tables() {
  static const TileTables tables(sizes_from_digits<kTables>(kDigits));
  return tables;
}

}  // namespace ctv
