// SPDX-License-Identifier: BSD-3-Clause
#include "codec/entropy/residual_tables.hpp"

namespace ctv {
namespace {

constexpr char kDigits[] =
#include "data/residual_tables.inc"
    ;

}  // namespace

const SymbolTable* residual_tables() {
  static const auto tables = tables_from_digits<kResidualTables>(kDigits);
  return tables.data();
}

}  // namespace ctv
