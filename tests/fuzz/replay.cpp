// SPDX-License-Identifier: BSD-3-Clause
// Stands in for libFuzzer where there is none: runs the target on every file given, and on every file of a
// folder.
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <vector>

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size);

namespace {

size_t run(const std::filesystem::path& path) {
  if (std::filesystem::is_directory(path)) {
    size_t runs = 0;
    for (const auto& entry : std::filesystem::directory_iterator(path)) runs += run(entry.path());
    return runs;
  }
  std::ifstream file(path, std::ios::binary);
  const std::vector<char> bytes{std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
  (void)LLVMFuzzerTestOneInput(reinterpret_cast<const uint8_t*>(bytes.data()), bytes.size());
  return 1;
}

}  // namespace

int main(int argc, char** argv) {
  size_t runs = 0;
  for (int i = 1; i < argc; ++i) runs += run(argv[i]);
  std::printf("%zu inputs\n", runs);
  return runs > 0 ? 0 : 1;
}
