// SPDX-License-Identifier: BSD-3-Clause
// Levels that a device has decoded: until they are released, and no longer.
#include "codec/config/presets.hpp"
#include "codec/entropy/tile_tables.hpp"
#include "codec/pipeline/stream.hpp"
#include "tests/cuda/equality.hpp"

namespace ctv::test {
namespace {

using CudaLevelTransfer = CudaEquality;

TEST_F(CudaLevelTransfer, AFrameIsNotDecodedFromLevelsThatAreReleased) {
  ctv_config config;
  ASSERT_EQ(ctv_config_init(&config, "default"), CTV_OK);
  config.width = 96;
  config.height = 64;
  config.format = CTV_FORMAT_I420;
  const auto header = make_sequence_header(config);
  ASSERT_TRUE(ok(header));
  const Stream stream = make_stream(*header);
  CodingPlan plan = make_coding_plan(stream.picture, *header, true);
  plan.tables = tile_tables().symbols.data();
  Backend& cuda = *both()[1];
  cuda.begin_stream(1);
  const auto made = cuda.make_level_transfer(stream.picture, stream.grid, plan);
  ASSERT_TRUE(ok(made));
  LevelTransfer& levels = **made;
  ComponentReceiver* const receiver = levels.upload_buffers().receiver;
  if (receiver == nullptr) GTEST_SKIP() << "CTV_CUDA_ENTROPY=0";
  for (int frame = 0; frame < 3; ++frame) {
    ASSERT_TRUE(ok(receiver->start(true, 0)));
    ASSERT_TRUE(ok(receiver->send()));
    ASSERT_TRUE(ok(receiver->run(false)));
    ASSERT_TRUE(ok(cuda.begin_frame(FrameCalls{})));
    // The second try of a frame that lacked memory before its levels were released.
    for (int i = 0; i < 2; ++i) EXPECT_TRUE(ok(levels.upload(FrameType::kKey)));
    EXPECT_TRUE(ok(levels.await_side()));
    EXPECT_TRUE(ok(levels.await_levels()));
    EXPECT_TRUE(ok(levels.release()));
    EXPECT_TRUE(ok(cuda.end_frame()));
    EXPECT_TRUE(ok(receiver->wait()));
    EXPECT_EQ(levels.upload(FrameType::kKey).code(), CTV_ERROR_DEVICE);
  }
  EXPECT_TRUE(ok(levels.finish()));
  EXPECT_TRUE(ok(cuda.synchronize()));
}

}  // namespace
}  // namespace ctv::test
