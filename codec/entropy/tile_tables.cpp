// SPDX-License-Identifier: BSD-3-Clause
#include "codec/entropy/tile_tables.hpp"

namespace ctv {
namespace {

constexpr char kDigits[] =
#include "data/tile_tables.inc"
    ;

}  // namespace

const TileTables& tile_tables() {
  static const TileTables tables{tables_from_digits<kTables>(kDigits)};
  return tables;
}

}  // namespace ctv
