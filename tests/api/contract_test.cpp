// SPDX-License-Identifier: BSD-3-Clause
// What ctv.h says about messages, the log, init functions and extreme arguments; and the rest of ctv.hpp.
#include <gtest/gtest.h>

#include <cstring>
#include <limits>
#include <string>
#include <vector>

#include "tests/support/codec.hpp"

namespace ctv::test {
namespace {

TEST(LastError, IsOneBoundedLineWhateverTheCallerSays) {
  ctv_config config{};
  for (const std::string& preset : {std::string("a\nb"), std::string("\033[31mred\r\t\x7f"),
                                    std::string(5000, 'x'), std::string(499, '\n')}) {
    ASSERT_EQ(ctv_config_init(&config, preset.c_str()), CTV_ERROR_ARGUMENT);
    const std::string message = ctv_last_error();
    EXPECT_EQ(message.rfind("preset: ", 0), 0U);
    EXPECT_LE(message.size(), 500U);
    for (const char c : message) EXPECT_TRUE(static_cast<unsigned char>(c) >= ' ' && c != '\x7f') << int{c};
  }
}

TEST(Log, TheCallbackMayCallTheLibraryAndReplaceItself) {
  static int calls;
  calls = 0;
  ctv_set_log_callback(
      [](void* opaque, ctv_log_level, const char*) {
        ++calls;
        ctv_set_log_callback(nullptr, nullptr);
        ctv_config config{};
        EXPECT_EQ(ctv_config_init(&config, "another"), CTV_ERROR_ARGUMENT);
        ctv_decoder* decoder = nullptr;
        EXPECT_EQ(ctv_decoder_open(nullptr, &decoder), CTV_ERROR_ARGUMENT);
        *static_cast<bool*>(opaque) = true;
      },
      [] {
        static bool called = false;
        return &called;
      }());
  ctv_config config{};
  EXPECT_EQ(ctv_config_init(&config, "nonsense"), CTV_ERROR_ARGUMENT);
  EXPECT_NE(std::string(ctv_last_error()).find("nonsense"), std::string::npos) << ctv_last_error();
  EXPECT_EQ(calls, 1);
}

TEST(HostMemory, OfAnUnknownBackendIsRefused) {
  for (const int backend : {-1, 3, 77}) {
    void* data = &data;
    EXPECT_EQ(ctv_host_alloc(64, number<ctv_backend>(backend), 0, &data), CTV_ERROR_ARGUMENT) << backend;
    EXPECT_EQ(data, nullptr);
  }
}

TEST(Strides, ThatNoMemoryCanHaveAreRefused) {
  const Frame frame = moving_frame(CTV_FORMAT_I420, 32, 16, 0);
  Encoder encoder(config_for(frame, "default"));
  constexpr ptrdiff_t kLeast = std::numeric_limits<ptrdiff_t>::min();
  constexpr ptrdiff_t kMost = std::numeric_limits<ptrdiff_t>::max();
  for (const ptrdiff_t stride : {kLeast, kLeast + 1, kMost, kMost / 8, -kMost / 8}) {
    ctv_picture picture = picture_of(frame);
    picture.stride[0] = stride;
    EXPECT_EQ(ctv_encoder_send(encoder.get(), &picture), CTV_ERROR_ARGUMENT) << stride;
    EXPECT_NE(std::string(ctv_last_error()).find("stride[0]"), std::string::npos) << ctv_last_error();
  }
}

template <typename T>
void expect_cleared(void (*init)(T*)) {
  T value;
  std::memset(static_cast<void*>(&value), 0xa5, sizeof value);
  init(&value);
  EXPECT_EQ(value.struct_size, sizeof value);
  const auto* bytes = reinterpret_cast<const unsigned char*>(&value);
  for (size_t i = sizeof(size_t); i < sizeof value; ++i) ASSERT_EQ(bytes[i], 0) << i;
}

TEST(Init, ClearsAndSetsTheSize) {
  expect_cleared(&ctv_picture_init);
  expect_cleared(&ctv_unit_init);
  expect_cleared(&ctv_stream_info_init);
  expect_cleared(&ctv_packet_info_init);
  expect_cleared(&ctv_parameter_info_init);
  expect_cleared(&ctv_device_info_init);
}

TEST(Hpp, ParsesUnits) {
  const auto clip = moving_clip(CTV_FORMAT_I420, 48, 32, 4);
  Config config = config_for(clip[0], "default");
  config.key_interval = 3;
  const Stream stream = encode(clip, config, true);
  EXPECT_EQ(parse_header(stream.header).width, 48);
  EXPECT_EQ(parse_unit(stream.header), std::pair(CTV_UNIT_HEADER, uint64_t{stream.header.size()}));
  EXPECT_EQ(parse_unit(stream.packets[1]), std::pair(CTV_UNIT_PACKET, uint64_t{stream.packets[1].size()}));
  EXPECT_EQ(parse_unit(stream.index), std::pair(CTV_UNIT_INDEX, uint64_t{stream.index.size()}));
  std::vector<ctv_component_info> components;
  const ctv_packet_info packet = parse_packet(stream.header, stream.packets[1], &components);
  EXPECT_EQ(packet.frame_number, 1);
  ASSERT_EQ(components.size(), static_cast<size_t>(packet.components));
  size_t bytes = packet.header_size + packet.side_size;
  for (const ctv_component_info& c : components) bytes += c.size;
  EXPECT_EQ(bytes, stream.packets[1].size());
  const std::vector<ctv_index_entry> entries = parse_index(stream.index);
  ASSERT_EQ(entries.size(), 4U);
  EXPECT_EQ(entries[1].offset, stream.header.size() + stream.packets[0].size());
  EXPECT_EQ(entries[3].key_frame, 1);
  EXPECT_THROW((void)parse_header(stream.index), Error);
  EXPECT_THROW((void)parse_packet(stream.header, stream.header), Error);
  EXPECT_THROW((void)parse_index(stream.header), Error);
  EXPECT_THROW((void)parse_unit(clip[0].planes[0]), Error);
}

TEST(Hpp, ListsPresetsDevicesAndTimes) {
  for (const std::string& name : preset_names()) EXPECT_NO_THROW(Config(name.c_str())) << name;
  EXPECT_EQ(preset_names().front(), "default");
  EXPECT_EQ(devices().size(), static_cast<size_t>(ctv_device_count()));
  const Frame frame = moving_frame(CTV_FORMAT_I420, 48, 32, 0);
  Encoder encoder(config_for(frame, "default"));
  EXPECT_TRUE(encoder.stage_times().empty());
  ASSERT_TRUE(encoder.send(picture_of(frame)));
  EXPECT_FALSE(encoder.stage_times().empty());
}

}  // namespace
}  // namespace ctv::test
