// SPDX-License-Identifier: BSD-3-Clause
#include "codec/entropy/symbol_coder.hpp"

#include <algorithm>
#include <atomic>
#include <string>

#include "codec/entropy/motion_tree.hpp"
#include "codec/format/bytes.hpp"
#include "codec/util/parallel.hpp"
#include "codec/util/wait.hpp"

namespace ctv {

namespace {

constexpr size_t kBytesOfAThread = size_t{1} << 16;  // a thread is not woken to copy fewer

/// A task that one thread starts and another waits for. Fails unless done() is called.
class SliceStart {
 public:
  enum State : int { kAwaited, kDone, kFailed };
  explicit SliceStart(std::atomic<int>& state) : state_(state) {}
  ~SliceStart() {
    state_ = outcome_;
    wake_all(state_);
  }
  SliceStart(const SliceStart&) = delete;
  SliceStart& operator=(const SliceStart&) = delete;
  void done() { outcome_ = kDone; }
  static bool wait(const std::atomic<int>& state) {
    wait_while_equal<int>(state, kAwaited);
    return state == kDone;
  }

 private:
  std::atomic<int>& state_;
  State outcome_ = kFailed;
};

template <typename Work>
void for_all(int threads, size_t count, const Work& work) {
  parallel_in_order(threads, static_cast<int>(count), [&](int i) { work(static_cast<size_t>(i)); });
}

}  // namespace

SymbolCoder::SymbolCoder(const PictureLayout& picture, const SequenceHeader& header, const MotionGrid& grid,
                         int threads, bool resilient)
    : picture_(picture),
      threads_(threads),
      components_(make_components(picture, header.grouping)),
      layout_{components_.size(), header.macroblocks(), header.slots},
      resilient_(resilient),
      first_slice_(layout_.regions ? std::max(components_.size(), kMostRegions) : components_.size()),
      macroblocks_(make_macroblock_grid(picture)),
      grid_(grid),
      skips_(header.prediction == Prediction::kPicture),
      slopes_(make_slope_grid(picture.subbands[0])),
      slices_(grid),
      leaves_(grid.size()),
      parts_(first_slice_ + MotionSlices::most(grid)) {
  for (size_t i = 0; i < components_.size(); ++i) {
    parts_[i].coder = make_component_coder(header.entropy_coding, picture, components_[i], i,
                                           skips_ ? &grid : nullptr, threads_);
    parts_[i].work = components_[i].levels;
  }
  for (size_t i = first_slice_; i < parts_.size(); ++i) {
    const bool first = i == first_slice_;
    parts_[i].coder = std::make_unique<MotionTree>(grid, header.subpel, motion_skips(header),
                                                   first && header.loop_filter != 0);
  }
}

int SymbolCoder::threads_for(size_t bytes) const {
  return static_cast<int>(std::min(bytes / kBytesOfAThread, static_cast<size_t>(threads_ - 1))) + 1;
}

template <typename Choose>
void SymbolCoder::select(size_t first, size_t end, Choose choose) {
  selected_.clear();
  for (size_t i = first; i < end; ++i) {
    if (choose(i)) selected_.push_back(i);
  }
  std::sort(selected_.begin(), selected_.end(),
            [&](size_t a, size_t b) { return parts_[a].work > parts_[b].work; });
}

// For the chosen parts among first .. end - 1: runs start(i), which returns the number of tasks, then the
// tasks, then finish(i). The largest parts in bytes go first, since time depends on bytes more than on
// levels. Threads are woken only if a part takes time.
template <typename Choose, typename Takes, typename Start, typename Finish>
void SymbolCoder::for_parts(size_t first, size_t end, Choose choose, Takes takes_time, Start start,
                            Finish finish) {
  select(first, end, choose);
  const int threads = std::any_of(selected_.begin(), selected_.end(), takes_time) ? threads_ : 1;
  for_all(threads, selected_.size(), [&](size_t i) { parts_[selected_[i]].tasks = start(selected_[i]); });
  tasks_.clear();
  for (const size_t part : selected_) {
    for (size_t task = 0; task < parts_[part].tasks; ++task) tasks_.push_back({part, task});
  }
  for_all(threads, tasks_.size(), [&](size_t i) { coder(tasks_[i].part).run(tasks_[i].task); });
  size_t bytes = 0;  // of the previous frame
  for (const size_t part : selected_) bytes += parts_[part].size;
  for_all(std::min(threads, threads_for(bytes)), selected_.size(), [&](size_t i) { finish(selected_[i]); });
}

template <typename Choose>
void SymbolCoder::encode_parts(const CodedFrame& frame, Choose choose) {
  const size_t end = parts_of(frame);
  const size_t components = encoded_components(frame);
  const auto exists = [&](size_t i) { return i < components || i >= first_slice_; };
  for_parts(
      0, end, [&](size_t i) { return exists(i) && !parts_[i].coded && choose(i); },
      [&](size_t i) { return !parts_[i].begun && !frame.is_coded(i); },
      [&](size_t i) { return parts_[i].begun ? 0 : coder(i).start_encoding(frame, parts_[i].bytes); },
      [&](size_t i) { parts_[i].work = parts_[i].size = coder(i).finish_encoding(parts_[i].bytes); });
  for (const size_t i : selected_) parts_[i].coded = true;
}

size_t SymbolCoder::parts_of(const CodedFrame& frame) {
  encodes_ = true;
  regions_used_ = has_regions(frame.parameters.type);
  if (regions_used_ && !residual_)
    residual_ = std::make_unique<ResidualEncoder>(macroblocks_, grid_, resilient_);
  if (frame.parameters.type == FrameType::kKey) return components_.size();
  if (!sliced_) {
    slices_.choose(frame.side);  // equal motion gives equal slices
    for (size_t i = 0; i < slices_.size(); ++i) parts_[first_slice_ + i].work = slices_.work(i);
    take_slices();
    sliced_ = true;
  }
  return first_slice_ + slices_.size();
}

void SymbolCoder::take_slices() {
  MotionLeaf* leaves = leaves_.data();
  for (size_t i = 0; i < slices_.size(); ++i) {
    auto& tree = static_cast<MotionTree&>(*parts_[first_slice_ + i].coder);
    leaves += tree.take(slices_[i], leaves);
  }
}

void SymbolCoder::begin(bool same_motion) {
  sliced_ = sliced_ && same_motion;
  for (size_t i = 0; i < parts_.size(); ++i) {
    parts_[i].begun = false;
    parts_[i].coded = same_motion && i >= first_slice_;
  }
}

void SymbolCoder::encode_motion(const CodedFrame& frame) {
  if (frame.parameters.type == FrameType::kKey) return;
  const size_t end = parts_of(frame);
  for_parts(
      first_slice_, end, [&](size_t i) { return !parts_[i].coded; }, [](size_t) { return true; },
      [&](size_t i) { return coder(i).start_encoding(frame, parts_[i].bytes); }, [](size_t) {});
  for (const size_t i : selected_) parts_[i].begun = true;
}

void SymbolCoder::encode_components(const CodedFrame& frame, const std::function<bool(size_t)>& chosen) {
  encode_parts(frame, [&](size_t i) { return i >= first_slice_ || chosen(i); });
}

void SymbolCoder::encode(const CodedFrame& frame, std::vector<uint8_t>& packet) {
  encode_parts(frame, [](size_t) { return true; });
  payload_parts_.clear();
  if (regions_used_) {
    const uint8_t* const heads = parts_[0].bytes.data();
    for (const WrittenRegion& r : residual_->regions())
      payload_parts_.push_back({{heads + r.head_begin, r.head_size}, r.bytes});
  } else {
    for (size_t i = 0; i < components_.size(); ++i) {
      const Part& part = parts_[i];
      payload_parts_.push_back({{part.bytes.data(), part.size}, part.coder->rest()});
    }
  }
  size_t bytes = 0;
  for (const PacketPart& part : payload_parts_) bytes += part.size();
  side_.clear();
  if (frame.parameters.type == FrameType::kKey) {
    const size_t size = slopes_.encode(frame.side.slopes, slope_bytes_);
    side_.assign(slope_bytes_.data(), slope_bytes_.data() + size);
  } else {
    join_slices();
  }
  header_.frame = frame.parameters;
  header_.checked = !regions_used_ || resilient_;
  write_packet(side_, payload_parts_, layout_.regions, header_, packet, threads_for(bytes));
  begin(false);
}

// Writes the number of macroblocks of all regions except the last, which has the rest.
void SymbolCoder::write_regions(FieldWriter& writer) {
  const std::span<const WrittenRegion> regions = residual_->regions();
  for (size_t i = 0; i + 1 < regions.size(); ++i) writer.varint("region size", regions[i].macroblocks);
}

void SymbolCoder::read_regions(FieldReader& reader) {
  const size_t count = header_.component_sizes.size();
  BudgetScope scope(region_coders_.get_allocator().budget);
  while (region_coders_.size() < std::max(count, size_t{1}))  // without regions, one coder clears the frame
    region_coders_.push_back(std::make_unique<RegionDecoder>(macroblocks_, grid_));
  size_t first = 0;
  for (size_t i = 0; i + 1 < count; ++i) {
    uint64_t own = 0;
    reader.varint("region size", own, 1, macroblocks_.size() - first);
    region_coders_[i]->set_range(first, static_cast<size_t>(own));
    first += static_cast<size_t>(own);
  }
  region_coders_[count == 0 ? 0 : count - 1]->set_range(first, macroblocks_.size() - first);
}

// Joins the division into slices, the sizes of all slices except the last, and the slices.
void SymbolCoder::join_slices() {
  const std::span<const Part> slices = std::span(parts_).subspan(first_slice_, slices_.size());
  FieldWriter writer(side_);
  if (regions_used_) write_regions(writer);
  slices_.write(writer);
  for (const Part& s : slices.first(slices.size() - 1))
    writer.varint("slice size", static_cast<uint32_t>(s.size));
  for (const Part& s : slices) side_.insert(side_.end(), s.bytes.data(), s.bytes.data() + s.size);
}

bool SymbolCoder::find_slices(std::vector<std::span<const uint8_t>>& payloads) {
  const std::span<const uint8_t> side = payloads_.side;
  FieldReader reader(side, 0);
  if (regions_used_) read_regions(reader);
  slices_.read(reader);
  take_slices();
  const size_t count = slices_.size();
  slice_sizes_.assign(count, 0);
  for (size_t i = 0; i + 1 < count; ++i) reader.varint("slice size", slice_sizes_[i], 0, side.size());
  if (!reader.ok()) return false;
  std::span<const uint8_t> rest = side.subspan(reader.offset());
  for (size_t i = 0; i < count; ++i) {
    const size_t size = i + 1 == count ? rest.size() : slice_sizes_[i];
    if (size > rest.size()) return false;
    payloads.push_back(rest.first(size));
    rest = rest.subspan(size);
  }
  return true;
}

Status SymbolCoder::read_header(std::span<const uint8_t> unit) {
  return read_packet_header(unit, layout_, header_);
}

Status SymbolCoder::damaged(const std::string& what, std::span<const uint8_t> bytes) const {
  return {CTV_ERROR_STREAM, what + " at byte " + std::to_string(bytes.data() - unit_) + ": damaged"};
}

Status SymbolCoder::check_parts(size_t first, size_t end) const {
  for (size_t i = first; i < end; ++i) {
    if (parts_[i].sound) continue;
    return damaged(i < first_slice_ ? "component " + std::to_string(i) : "side payload",
                   payloads_.components[i]);
  }
  return {};
}

Status SymbolCoder::decode(std::span<const uint8_t> unit, int layers, const CodedFrameBuffers& frame,
                           const PartLoss& loss) {
  const bool key = header_.frame.type == FrameType::kKey;
  encodes_ = false;
  regions_used_ = has_regions(header_.frame.type);
  size_t wanted = 0;
  if (regions_used_) {
    wanted = header_.component_sizes.size();
  } else {
    while (wanted < components_.size() && components_[wanted].layer < layers) ++wanted;
  }
  find_payloads(unit, header_, wanted, loss, payloads_);
  std::vector<std::span<const uint8_t>>& payloads = payloads_.components;
  unit_ = unit.data();
  decoded_ = payloads.size();
  payloads.resize(first_slice_);  // empty for layers that are not decoded
  const bool placed = key ? slopes_.decode(payloads_.side, frame.side.slopes) : find_slices(payloads);
  receiver_ = frame.receiver;
  if (!placed || receiver_ == nullptr) {
    PartShares& shares = payloads_.shares;
    const int threads = threads_for(unit.size());
    shares.begin(decoded_, threads);
    for (size_t i = 0; i < decoded_; ++i) shares.add(i, payloads[i].size());
    for_all(threads, shares.size(),
            [&](size_t i) { check_payload(header_, i, shares[i].of(payloads[shares[i].part]), payloads_); });
    CTV_RETURN_IF_ERROR(settle_payloads(unit, header_, loss, payloads_));
  }
  if (!placed) return damaged("side payload", payloads_.side);
  for (size_t i = 0; i < payloads.size(); ++i) parts_[i].work = parts_[i].size = payloads[i].size();
  CodedFrameBuffers coded = frame;
  coded.parameters = header_.frame;
  const size_t first_slice = first_slice_;
  if (regions_used_ && decoded_ == 0) {
    if (receiver_ == nullptr) region_coders_[0]->start_decoding({}, coded);
  }
  CTV_RETURN_IF_ERROR(start_slices(coded));
  Status status;
  if (receiver_ == nullptr) {
    for_parts(
        0, payloads.size(), [&](size_t i) { return i < decoded_ || i >= first_slice; },
        [](size_t) { return true; },
        [&](size_t i) { return i < first_slice ? coder(i).start_decoding(payloads[i], coded) : 1; },
        [&](size_t i) { parts_[i].sound = coder(i).finish_decoding(); });
  } else {
    status = settle_payloads(unit, header_, loss, payloads_);
  }
  if (status.ok()) status = check_parts(first_slice, payloads.size());
  if (status.ok() && receiver_ == nullptr) status = check_parts(0, decoded_);
  if (!status.ok() && receiver_ != nullptr) CTV_RETURN_IF_ERROR(receiver_->wait());
  return status;
}

Status SymbolCoder::start_components(bool key) {
  select(0, decoded_, [](size_t) { return true; });
  size_t bytes = 0;
  for (const size_t i : selected_) {
    parts_[i].sound = true;
    bytes += parts_[i].size;
  }
  CTV_RETURN_IF_ERROR(receiver_->start(key, bytes));
  payloads_.shares.begin(decoded_, threads_);
  for (const size_t i : selected_) {
    payloads_.shares.add(i, parts_[i].size);
    parts_[i].room = receiver_->room(i, parts_[i].size);
  }
  return {};
}

void SymbolCoder::give_share(size_t share) {
  const PartShares::Share& own = payloads_.shares[share];
  Part& part = parts_[own.part];
  const std::span<const uint8_t> component = payloads_.components[own.part];
  std::span<const uint8_t> bytes = own.of(component);
  if (part.room != nullptr) {
    std::copy(bytes.begin(), bytes.end(), part.room + own.begin);
    bytes = {part.room + own.begin, own.size};
  }
  if (!check_payload(header_, share, bytes, payloads_)) return;
  part.sound = coder(own.part).send(component, own.part, *receiver_);
}

// Levels may depend on skips, so slices decode skips first. Meanwhile a receiver gets components, and runs
// once it has these and the skips; vectors are decoded in parallel. Without skips, a slice is one task.
Status SymbolCoder::start_slices(const CodedFrameBuffers& frame) {
  const bool key = header_.frame.type == FrameType::kKey;
  if (receiver_ != nullptr) CTV_RETURN_IF_ERROR(start_components(key));
  const size_t shares = receiver_ != nullptr ? payloads_.shares.size() : 0;
  const size_t slices = payloads_.components.size() - first_slice_;
  const bool whole = receiver_ != nullptr && !skips_;
  select(first_slice_, payloads_.components.size(), [](size_t) { return true; });
  for (const size_t i : selected_) parts_[i].start = SliceStart::kAwaited;
  std::atomic<size_t> awaited_shares = shares;
  std::atomic<size_t> awaited = shares + (whole ? 0 : slices);
  Status sent;
  if (receiver_ != nullptr && shares == 0) CTV_RETURN_IF_ERROR(receiver_->send());
  const auto arrive = [&] {
    if (--awaited == 0 && receiver_ != nullptr && sent.ok()) sent = receiver_->run(!key && skips_);
  };
  const auto decode_vectors = [&](Part& part) {
    part.coder->run(0);
    part.sound = part.coder->finish_decoding();
  };
  for_all(threads_, shares + (receiver_ == nullptr || whole ? 1 : 2) * slices, [&](size_t i) {
    if (i < shares) {
      give_share(i);
      if (--awaited_shares == 0) sent = receiver_->send();
      arrive();
    } else if (i < shares + slices) {
      Part& part = parts_[selected_[i - shares]];
      {
        SliceStart start(part.start);
        part.coder->start_decoding(payloads_.components[selected_[i - shares]], frame);
        start.done();
      }
      if (whole) {
        decode_vectors(part);
      } else {
        arrive();
      }
    } else {  // tasks start in order, so other threads already work on what this one waits for
      Part& part = parts_[selected_[i - shares - slices]];
      if (SliceStart::wait(part.start)) decode_vectors(part);
    }
  });
  return sent;
}

Status SymbolCoder::finish_decoding() {
  if (receiver_ == nullptr) return {};
  CTV_RETURN_IF_ERROR(receiver_->wait());
  for (size_t i = 0; i < decoded_; ++i) parts_[i].sound = parts_[i].sound && receiver_->sound(i);
  return check_parts(0, decoded_);
}

}  // namespace ctv
