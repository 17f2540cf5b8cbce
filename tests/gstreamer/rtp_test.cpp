// SPDX-License-Identifier: BSD-3-Clause
// rtpctvpay and rtpctvdepay: what goes in comes out; what is lost, damaged, repaired; who joins late.
#include <gst/rtp/gstrtpbuffer.h>
#include <gtest/gtest.h>

#include <ctv/net.h>

#include <functional>

#include "tests/gstreamer/harness.hpp"

namespace {

using namespace ctv::gst_test;

constexpr const char* kRtp =
    "application/x-rtp, media=video, clock-rate=90000, encoding-name=X-CTV, payload=96";

struct RtpPacket {
  Buffer buffer;
  ctv_net_header header;  // of its datagram
  bool marker = false;
};

/// The RTP packets of each frame.
std::vector<std::vector<RtpPacket>> pay(const std::vector<Buffer>& frames, const char* properties) {
  Harness h = harness((std::string("rtpctvpay ") + properties).c_str(), kCoded);
  std::vector<std::vector<RtpPacket>> all;
  for (const Buffer& frame : frames) {
    EXPECT_EQ(gst_harness_push(h.get(), copy_of(frame).release()), GST_FLOW_OK);
    auto& packets = all.emplace_back();
    while (GstBuffer* buffer = gst_harness_try_pull(h.get())) {
      RtpPacket packet{Buffer(buffer), {}};
      GstRTPBuffer rtp = GST_RTP_BUFFER_INIT;
      EXPECT_TRUE(gst_rtp_buffer_map(buffer, GST_MAP_READ, &rtp));
      ctv_net_header_init(&packet.header);
      EXPECT_EQ(ctv_net_header_parse(static_cast<const uint8_t*>(gst_rtp_buffer_get_payload(&rtp)),
                                     gst_rtp_buffer_get_payload_len(&rtp), &packet.header),
                CTV_OK);
      packet.marker = gst_rtp_buffer_get_marker(&rtp);
      gst_rtp_buffer_unmap(&rtp);
      packets.push_back(std::move(packet));
    }
  }
  EXPECT_NE(caps_of(h.get()).find("encoding-name=(string)X-CTV"), std::string::npos) << caps_of(h.get());
  return all;
}

using Drop = std::function<bool(size_t frame, const RtpPacket& packet)>;

/// What comes out of those packets that are not dropped.
std::vector<Buffer> depay(const std::vector<std::vector<RtpPacket>>& all, const Drop& drop = {}) {
  Harness h = harness("rtpctvdepay", kRtp);
  std::vector<Buffer> frames;
  for (size_t n = 0; n < all.size(); ++n) {
    for (const RtpPacket& packet : all[n]) {
      if (drop && drop(n, packet)) continue;
      EXPECT_EQ(gst_harness_push(h.get(), copy_of(packet.buffer).release()), GST_FLOW_OK);
    }
    while (GstBuffer* buffer = gst_harness_try_pull(h.get())) frames.emplace_back(buffer);
  }
  return frames;
}

bool has_flag(const Buffer& buffer, GstBufferFlags flag) {
  return GST_BUFFER_FLAG_IS_SET(buffer.get(), flag);
}

TEST(Rtp, FramesComeOutAsTheyWentIn) {
  const auto frames = packets(6, 3);
  const auto sent = pay(frames, "mtu=200");
  for (const auto& of_frame : sent) {
    ASSERT_FALSE(of_frame.empty());
    for (const RtpPacket& packet : of_frame) {
      EXPECT_LE(gst_buffer_get_size(packet.buffer.get()), 200U);
      EXPECT_EQ(packet.marker, &packet == &of_frame.back());
      EXPECT_EQ(is_key(packet.buffer), packet.header.priority == 0);
    }
  }
  EXPECT_GT(sent[0].size(), 3U);
  const auto out = depay(sent);
  ASSERT_EQ(out.size(), frames.size());
  for (size_t n = 0; n < frames.size(); ++n) {
    EXPECT_EQ(bytes_of(out[n].get()), bytes_of(frames[n].get())) << n;
    EXPECT_EQ(is_key(out[n]), n == 0 || n == 3) << n;
    EXPECT_EQ(GST_BUFFER_PTS(out[n].get()), GST_BUFFER_PTS(frames[n].get())) << n;
    EXPECT_FALSE(has_flag(out[n], GST_BUFFER_FLAG_CORRUPTED)) << n;
  }
}

// Its frame numbers begin again, and are not taken for old ones.
TEST(Rtp, AnotherSenderIsAnotherCall) {
  const auto frames = packets(5);
  auto sent = pay(frames, "mtu=200 ssrc=1");
  for (auto& of_frame : pay(frames, "mtu=200 ssrc=2")) sent.push_back(std::move(of_frame));
  const auto out = depay(sent);
  ASSERT_EQ(out.size(), 2 * frames.size());
  for (size_t n = 0; n < out.size(); ++n)
    EXPECT_EQ(bytes_of(out[n].get()), bytes_of(frames[n % frames.size()].get())) << n;
}

// The same one, after a restart: its first key frame is shown, and losses do not stop it.
TEST(Rtp, ASenderThatBeginsAgainIsShown) {
  const auto frames = packets(30);
  for (const char* times : {" timestamp-offset=900000", " timestamp-offset=0"}) {
    auto sent = pay(frames, "mtu=200 ssrc=1 timestamp-offset=450000");
    for (auto& of_frame : pay(frames, (std::string("mtu=200 ssrc=1") + times).c_str()))
      sent.push_back(std::move(of_frame));
    const auto out = depay(sent, [](size_t n, const RtpPacket&) { return n == 40; });
    ASSERT_EQ(out.size(), 2 * frames.size() - 1) << times;
    for (size_t n = 0; n < out.size(); ++n) {
      const size_t from = (n < 40 ? n : n + 1) % frames.size();
      EXPECT_EQ(bytes_of(out[n].get()), bytes_of(frames[from].get())) << n << times;
    }
  }
}

// The frame keeps its size and its time, and ctvdec conceals what is missing.
TEST(Rtp, LostLevelsAreZeros) {
  const auto frames = packets(5);
  const auto sent = pay(frames, "mtu=200");
  int dropped = 0;
  const auto out = depay(sent, [&](size_t n, const RtpPacket& packet) {
    return n == 2 && packet.header.priority > 0 && dropped++ == 0;
  });
  ASSERT_EQ(dropped > 0, true);
  ASSERT_EQ(out.size(), frames.size());
  Harness h = harness("ctvdec backend=cpu conceal=true", kCoded);
  for (size_t n = 0; n < out.size(); ++n) {
    EXPECT_EQ(bytes_of(out[n].get()).size(), bytes_of(frames[n].get()).size());
    EXPECT_EQ(bytes_of(out[n].get()) == bytes_of(frames[n].get()), n != 2) << n;
    EXPECT_EQ(has_flag(out[n], GST_BUFFER_FLAG_CORRUPTED), n == 2) << n;
    EXPECT_EQ(GST_BUFFER_PTS(out[n].get()), GST_BUFFER_PTS(frames[n].get())) << n;
    EXPECT_EQ(gst_harness_push(h.get(), copy_of(out[n]).release()), GST_FLOW_OK);
    const Buffer picture(gst_harness_try_pull(h.get()));
    ASSERT_TRUE(picture) << n;
    EXPECT_EQ(has_flag(picture, GST_BUFFER_FLAG_CORRUPTED), n >= 2) << n;
  }
}

TEST(Rtp, AFrameWithoutItsVectorsIsLeftOut) {
  const auto frames = packets(5);
  const auto out = depay(pay(frames, "mtu=200"), [](size_t n, const RtpPacket& packet) {
    return n == 2 && packet.header.priority == 0;
  });
  ASSERT_EQ(out.size(), frames.size() - 1);
  for (size_t n = 0; n < out.size(); ++n) {
    const size_t from = n < 2 ? n : n + 1;
    EXPECT_EQ(bytes_of(out[n].get()), bytes_of(frames[from].get()));
    EXPECT_EQ(has_flag(out[n], GST_BUFFER_FLAG_DISCONT), from == 3) << n;
  }
}

TEST(Rtp, ParityRebuildsALostPacket) {
  const auto frames = packets(4);
  const auto sent = pay(frames, "mtu=200 loss=100");
  for (size_t lost = 0; lost < sent[1].size(); ++lost) {
    if (sent[1][lost].header.priority != 0) continue;
    const auto out =
        depay(sent, [&](size_t n, const RtpPacket& packet) { return n == 1 && &packet == &sent[1][lost]; });
    ASSERT_EQ(out.size(), frames.size());
    EXPECT_EQ(bytes_of(out[1].get()), bytes_of(frames[1].get())) << lost;
  }
}

/// What RTP says of a packet.
struct RtpHeader {
  guint sequence, ssrc, type;
  guint32 time;
};
RtpHeader rtp_of(const Buffer& buffer) {
  GstRTPBuffer rtp = GST_RTP_BUFFER_INIT;
  EXPECT_TRUE(gst_rtp_buffer_map(buffer.get(), GST_MAP_READ, &rtp));
  const RtpHeader header = {gst_rtp_buffer_get_seq(&rtp), gst_rtp_buffer_get_ssrc(&rtp),
                            gst_rtp_buffer_get_payload_type(&rtp), gst_rtp_buffer_get_timestamp(&rtp)};
  gst_rtp_buffer_unmap(&rtp);
  return header;
}

bool missing(const char* element) {
  GstElementFactory* factory = gst_element_factory_find(element);
  if (factory != nullptr) gst_object_unref(factory);
  return factory == nullptr;
}

/// All that is ready.
std::vector<Buffer> pull_all(GstHarness* h) {
  std::vector<Buffer> all;
  while (GstBuffer* buffer = gst_harness_try_pull(h)) all.emplace_back(buffer);
  return all;
}

void expect_equal(const std::vector<Buffer>& out, const std::vector<Buffer>& frames,
                  const std::string& what) {
  ASSERT_EQ(out.size(), frames.size()) << what;
  for (size_t n = 0; n < out.size(); ++n)
    EXPECT_EQ(bytes_of(out[n].get()), bytes_of(frames[n].get())) << what;
}

// Vectors alone are protected by percentage-important.
TEST(Rtp, UlpFecKnowsWhatIsImportant) {
  if (missing("rtpulpfecenc")) GTEST_SKIP();
  const auto frames = packets(4);
  size_t important = 0;
  for (const auto& of_frame : pay(frames, "mtu=200")) {
    for (const RtpPacket& packet : of_frame) important += packet.header.priority == 0 ? 1 : 0;
  }
  Harness h = harness("rtpctvpay mtu=200 ! rtpulpfecenc pt=122 percentage-important=100", kCoded);
  for (const Buffer& frame : frames)
    EXPECT_EQ(gst_harness_push(h.get(), copy_of(frame).release()), GST_FLOW_OK);
  size_t parity = 0;
  for (const Buffer& packet : pull_all(h.get())) parity += rtp_of(packet).type == 122 ? 1 : 0;
  EXPECT_EQ(parity, important);
}

TEST(Rtp, UlpFecRebuildsALostPacket) {
  if (missing("rtpulpfecenc") || missing("rtpstorage")) GTEST_SKIP();
  const auto frames = packets(4);
  Harness sender = harness("rtpctvpay mtu=200 ! rtpulpfecenc pt=122 percentage=100", kCoded);
  for (const Buffer& frame : frames)
    EXPECT_EQ(gst_harness_push(sender.get(), copy_of(frame).release()), GST_FLOW_OK);
  const auto sent = pull_all(sender.get());
  for (size_t lost = 0; lost < sent.size(); lost += 3) {
    const std::string caps = std::string(kRtp) + ", ssrc=(uint)" + std::to_string(rtp_of(sent[0]).ssrc);
    Harness storage = harness("rtpstorage size-time=1000000000", caps.c_str());
    Harness h = harness("rtpulpfecdec pt=122 ! rtpctvdepay", caps.c_str());
    GstElement* decoder = gst_harness_find_element(h.get(), "rtpulpfecdec");
    GstElement* store = gst_harness_find_element(storage.get(), "rtpstorage");
    GObject* kept = nullptr;
    g_object_get(store, "internal-storage", &kept, nullptr);
    g_object_set(decoder, "storage", kept, nullptr);
    for (size_t i = 0; i < sent.size(); ++i) {
      if (i != lost) {
        EXPECT_EQ(gst_harness_push(storage.get(), copy_of(sent[i]).release()), GST_FLOW_OK);
      }
    }
    for (size_t i = 0; i < sent.size(); ++i) {
      if (i != lost) {
        EXPECT_EQ(gst_harness_push(h.get(), copy_of(sent[i]).release()), GST_FLOW_OK);
        continue;
      }
      GstStructure* event = gst_structure_new(
          "GstRTPPacketLost", "seqnum", G_TYPE_UINT, rtp_of(sent[i]).sequence, "timestamp", G_TYPE_UINT64,
          GST_BUFFER_PTS(sent[i].get()), "duration", G_TYPE_UINT64, guint64{0}, nullptr);
      gst_harness_push_event(h.get(), gst_event_new_custom(GST_EVENT_CUSTOM_DOWNSTREAM, event));
    }
    expect_equal(pull_all(h.get()), frames, "lost: " + std::to_string(lost));
    g_object_unref(kept), gst_object_unref(decoder), gst_object_unref(store);
  }
}

GstEvent* retransmission_of(const RtpHeader& packet) {
  return gst_event_new_custom(GST_EVENT_CUSTOM_UPSTREAM,
                              gst_structure_new("GstRTPRetransmissionRequest", "seqnum", G_TYPE_UINT,
                                                packet.sequence, "ssrc", G_TYPE_UINT, packet.ssrc, nullptr));
}

TEST(Rtp, RetransmissionBringsALostPacket) {
  if (missing("rtprtxsend")) GTEST_SKIP();
  const auto frames = packets(4);
  const std::string map = "payload-type-map=application/x-rtp-pt-map,96=(uint)97";
  Harness sender = harness(("rtpctvpay mtu=200 ! rtprtxsend " + map).c_str(), kCoded);
  Harness h = harness(("rtprtxreceive " + map + " ! rtpctvdepay").c_str(), kRtp);
  for (size_t n = 0; n < frames.size(); ++n) {
    EXPECT_EQ(gst_harness_push(sender.get(), copy_of(frames[n]).release()), GST_FLOW_OK);
    auto of_frame = pull_all(sender.get());
    ASSERT_FALSE(of_frame.empty());
    for (size_t i = 0; i < of_frame.size(); ++i) {
      if (i != of_frame.size() / 2 || n == 0) {
        EXPECT_EQ(gst_harness_push(h.get(), of_frame[i].release()), GST_FLOW_OK);
        continue;
      }
      const RtpHeader lost = rtp_of(of_frame[i]);
      gst_harness_push_upstream_event(h.get(), retransmission_of(lost));
      gst_harness_push_upstream_event(sender.get(), retransmission_of(lost));
      Buffer again(gst_harness_pull(sender.get()));
      ASSERT_TRUE(again);
      EXPECT_EQ(rtp_of(again).type, 97U);
      EXPECT_EQ(gst_harness_push(h.get(), again.release()), GST_FLOW_OK);
    }
  }
  expect_equal(pull_all(h.get()), frames, "frames");
}

/// The frames that each frame of a call refers to, -1: none, if frame 5 loses its vectors and events go from
/// the receiver to the sender, or do not.
std::vector<int64_t> references(bool feedback) {
  Harness sender = harness(
      "ctvenc backend=cpu threads=1 preset=fastest key-int=0 slots=8 error-resilient=true ! "
      "rtpctvpay mtu=200",
      kRaw);
  Harness h = harness("rtpctvdepay", kRtp);
  std::vector<int64_t> all;
  for (int n = 0; n < 10; ++n) {
    EXPECT_EQ(gst_harness_push(sender.get(), picture(n).release()), GST_FLOW_OK);
    for (bool first = true; const Buffer& packet : pull_all(sender.get())) {
      GstRTPBuffer rtp = GST_RTP_BUFFER_INIT;
      EXPECT_TRUE(gst_rtp_buffer_map(packet.get(), GST_MAP_READ, &rtp));
      ctv_net_header header;
      ctv_net_header_init(&header);
      EXPECT_EQ(ctv_net_header_parse(static_cast<const uint8_t*>(gst_rtp_buffer_get_payload(&rtp)),
                                     gst_rtp_buffer_get_payload_len(&rtp), &header),
                CTV_OK);
      gst_rtp_buffer_unmap(&rtp);
      if (first) all.push_back(header.reference == 0 ? -1 : n - header.reference);
      first = false;
      if (n == 5 && header.priority == 0) continue;
      EXPECT_EQ(gst_harness_push(h.get(), copy_of(packet).release()), GST_FLOW_OK);
    }
    while (GstEvent* event = gst_harness_try_pull_upstream_event(h.get())) {
      if (feedback && GST_EVENT_TYPE(event) == GST_EVENT_CUSTOM_UPSTREAM) {
        gst_harness_push_upstream_event(sender.get(), event);
      } else {
        gst_event_unref(event);
      }
    }
  }
  const auto out = pull_all(h.get());
  EXPECT_EQ(out.size(), 9U);
  for (const Buffer& frame : out) EXPECT_FALSE(has_flag(frame, GST_BUFFER_FLAG_CORRUPTED));
  return all;
}

// The loss is known when frame 6 has begun, so frame 7 refers to a frame that the receiver has.
TEST(Rtp, FeedbackLeavesALossBehindWithoutAKeyFrame) {
  EXPECT_EQ(references(false), (std::vector<int64_t>{-1, 0, 1, 2, 3, 4, 5, 6, 7, 8}));
  EXPECT_EQ(references(true), (std::vector<int64_t>{-1, 0, 1, 2, 3, 4, 5, 4, 7, 8}));
}

TEST(Rtp, WhoJoinsLateAsksForAKeyFrame) {
  const auto frames = packets(6, 4);
  const auto sent = pay(frames, "");
  Harness h = harness("rtpctvdepay", kRtp);
  int asked = 0;
  size_t out = 0;
  for (size_t n = 2; n < sent.size(); ++n) {
    for (const RtpPacket& packet : sent[n])
      EXPECT_EQ(gst_harness_push(h.get(), copy_of(packet.buffer).release()), GST_FLOW_OK);
    while (GstEvent* event = gst_harness_try_pull_upstream_event(h.get())) {
      asked += gst_video_event_is_force_key_unit(event) ? 1 : 0;
      gst_event_unref(event);
    }
    while (const Buffer buffer{gst_harness_try_pull(h.get())}) {
      EXPECT_EQ(bytes_of(buffer.get()), bytes_of(frames[4 + out++].get()));
    }
  }
  EXPECT_EQ(asked, 2) << "frames 2 and 3";
  EXPECT_EQ(out, 2U);
}

// Any byte of any packet, and packets of nothing but chance.
TEST(Rtp, DamageIsSurvived) {
  const auto sent = pay(packets(3), "mtu=200 loss=50");
  uint32_t seed = 1;
  const auto next = [&seed] { return (seed = seed * 1664525 + 1013904223) >> 8; };
  for (int round = 0; round < 300; ++round) {
    Harness h = harness("rtpctvdepay ! ctvdec backend=cpu threads=1 conceal=true max-errors=-1", kRtp);
    for (const auto& of_frame : sent) {
      for (const RtpPacket& packet : of_frame) {
        Buffer damaged = copy_of(packet.buffer);
        if (next() % 4 == 0) {
          GstMapInfo map;
          ASSERT_TRUE(gst_buffer_map(damaged.get(), &map, GST_MAP_WRITE));
          const size_t at = 12 + next() % (map.size - 12);  // behind RTP's own header
          const size_t end = next() % 8 == 0 ? map.size : at + 1;
          for (size_t i = at; i < end; ++i) map.data[i] = static_cast<guint8>(next());
          gst_buffer_unmap(damaged.get(), &map);
        }
        (void)gst_harness_push(h.get(), damaged.release());
      }
    }
    while (const Buffer picture{gst_harness_try_pull(h.get())}) {
    }
  }
}

TEST(Rtp, AStreamThatBeginsAgainIsTaken) {
  auto first = packets(2), second = packets(3);
  for (Buffer& buffer : second) {
    GST_BUFFER_PTS(buffer.get()) += 10 * kFrame;
    first.push_back(std::move(buffer));
  }
  const auto out = depay(pay(first, "mtu=200"));
  ASSERT_EQ(out.size(), first.size());
  for (size_t n = 0; n < out.size(); ++n) EXPECT_EQ(bytes_of(out[n].get()), bytes_of(first[n].get())) << n;
}

}  // namespace
