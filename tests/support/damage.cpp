// SPDX-License-Identifier: BSD-3-Clause
#include "tests/support/damage.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "tests/support/repair.hpp"

namespace ctv::test {
namespace {

size_t index_of(const std::vector<Bytes>& units, Random& random) {
  return static_cast<size_t>(random.between(0, static_cast<int>(units.size()) - 1));
}

// Changes a byte of a header's fields or, in packets usually, of the payload. Tag and size mostly stay
// intact.
void change_byte(Bytes& unit, Random& random) {
  constexpr uint8_t kValues[] = {0, 1, 2, 4, 16, 64, 127, 128, 254, 255};
  const int last = static_cast<int>(unit.size()) - 1;
  const int first = std::min(last, random.between(0, 19) == 0 ? 0 : unit[0] == 'C' && unit[1] == 'P' ? 4 : 8);
  const int end = random.between(0, 3) == 0 ? std::min(last, 40) : last;
  uint8_t& byte = unit[static_cast<size_t>(random.between(first, end))];
  switch (random.between(0, 2)) {
    case 0:
      byte ^= static_cast<uint8_t>(1 << random.between(0, 7));
      break;
    case 1:
      byte = random.byte();
      break;
    default:
      byte = kValues[random.between(0, 9)];
  }
}

// Truncates, repeats, swaps or drops units, or appends units of another stream.
void change_order(std::vector<Bytes>& units, const std::vector<Stream>& streams, Random& random) {
  const size_t at = index_of(units, random);
  const auto place = units.begin() + static_cast<ptrdiff_t>(at);
  Bytes& unit = units[at];
  switch (random.between(0, 4)) {
    case 0:
      unit.resize(static_cast<size_t>(random.between(0, static_cast<int>(unit.size()) - 1)));
      if (unit.empty()) units.erase(place);
      break;
    case 1:
      units.insert(place, Bytes(unit));
      break;
    case 2:
      std::swap(unit, units[index_of(units, random)]);
      break;
    case 3:
      if (units.size() > 2) units.erase(place);
      break;
    default: {
      const auto other =
          units_of(streams[static_cast<size_t>(random.between(1, static_cast<int>(streams.size()) - 1))]);
      units.insert(place, other.begin() + static_cast<ptrdiff_t>(index_of(other, random)), other.end());
    }
  }
}

}  // namespace

std::vector<Event> events_of(const std::vector<Bytes>& units, const ctv_decoder_config& config) {
  ctv_decoder* decoder = nullptr;
  std::vector<Event> events;
  const auto note = [&](ctv_status status) {
    if (status < 0) events.emplace_back(status, 0, 0, ctv_last_error());
  };
  const auto receive = [&] {
    ctv_picture picture = make_picture(CTV_FORMAT_NONE, 0, 0);
    const ctv_status status = ctv_decoder_receive(decoder, &picture);
    if (status == CTV_OK) {
      const auto damage =
          static_cast<uint64_t>(picture.damaged) << 60 | static_cast<uint64_t>(picture.missing_parts) << 48;
      events.emplace_back(status, picture.frame_number, digest(copy_of(picture)) ^ damage, "");
    }
    note(status);
    return status;
  };
  check(ctv_decoder_open(&config, &decoder));
  for (const Bytes& unit : units) {
    ctv_status sent = CTV_AGAIN;
    while ((sent = ctv_decoder_send(decoder, unit.data(), unit.size())) == CTV_AGAIN) {
      const ctv_status received = receive();
      EXPECT_TRUE(received == CTV_OK || received < 0) << "neither send nor receive goes on";
      if (received > 0) break;
    }
    note(sent);
    if (config.frames_in_flight == 1) {
      while (receive() == CTV_OK) {
      }
    }
  }
  note(ctv_decoder_flush(decoder));
  for (ctv_status status = CTV_OK; status != CTV_END;) {
    status = receive();
    EXPECT_NE(status, CTV_AGAIN) << "after a flush";
    if (status == CTV_AGAIN) break;
  }
  ctv_decoder_close(decoder);
  return events;
}

std::vector<Bytes> units_of(const Stream& stream) {
  std::vector<Bytes> units = {stream.header};
  units.insert(units.end(), stream.packets.begin(), stream.packets.end());
  units.push_back(stream.index);
  return units;
}

std::vector<Bytes> damage(const std::vector<Stream>& streams, Random& random) {
  std::vector<Bytes> units = units_of(streams[0]);
  const int kind = random.between(0, 7);
  for (int changes = random.between(1, 4); changes > 0; --changes) {
    if (kind < 2) {
      change_order(units, streams, random);
      if (kind == 0) change_byte(units[index_of(units, random)], random);
    } else {
      change_byte(units[kind == 2 ? 0 : index_of(units, random)], random);
    }
  }
  if (kind != 0) repair_checksums(units);
  return units;
}

}  // namespace ctv::test
