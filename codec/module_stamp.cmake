# SPDX-License-Identifier: BSD-3-Clause
# Writes a header with CTV_MODULE_STAMP, a hash of the headers that the CUDA module and the library share and of the
# compiler. usage: cmake -DOUTPUT=FILE -DCOMPILER=TEXT -DHEADERS=A;B;... -P module_stamp.cmake
set(text "${COMPILER}")
foreach(header IN LISTS HEADERS)
  file(SHA256 "${header}" hash)
  string(APPEND text "${hash}")
endforeach()
string(SHA256 stamp "${text}")
string(SUBSTRING "${stamp}" 0 16 stamp)
file(WRITE "${OUTPUT}" "#define CTV_MODULE_STAMP 0x${stamp}ULL\n")
