// SPDX-License-Identifier: BSD-3-Clause
// The memo of a block while a pass tries its candidates: vectors are found in registers, since a vector load
// of what was just stored in parts would wait for the stores. Included once per instruction set.
#if defined(CTV_CPU_FIELD_MEMO_INL_HPP) == defined(HWY_TARGET_TOGGLE)
#ifdef CTV_CPU_FIELD_MEMO_INL_HPP
#undef CTV_CPU_FIELD_MEMO_INL_HPP
#else
#define CTV_CPU_FIELD_MEMO_INL_HPP
#endif

#include "cpu/motion/field.hpp"
#include "cpu/runtime/simd.hpp"

HWY_BEFORE_NAMESPACE();
namespace ctv::HWY_NAMESPACE {

class OpenMemo {
 public:
  explicit OpenMemo(FieldMemo& memo) : memo_(memo) { load(); }
  /// The sum of a vector, or null.
  const uint32_t* find(MotionVector v) const {
    const int entry = find_key(FieldMemo::key(v));
    return entry < 0 ? nullptr : memo_.sums + entry;
  }
  void add(MotionVector v, uint32_t sum) {
    const int32_t key = FieldMemo::key(v);
    set_key(memo_.next, key);
    memo_.vectors[memo_.next] = key;
    memo_.sums[memo_.next] = sum;
    memo_.next = (memo_.next + 1) % FieldMemo::kEntries;
  }

 private:
  FieldMemo& memo_;
#if defined(CTV_SIMD_PAIRS) && HWY_TARGET != HWY_SCALAR && HWY_TARGET != HWY_EMU128
  static constexpr hn::CappedTag<int32_t, FieldMemo::kEntries> kKeys{};
  static constexpr int kLanes = static_cast<int>(hn::MaxLanes(kKeys));
  static constexpr int kVectors = FieldMemo::kEntries / kLanes;

  void load() {
    for (int i = 0; i < kVectors; ++i) keys_[i] = hn::Load(kKeys, memo_.vectors + i * kLanes);
  }
  int find_key(int32_t key) const {
    const auto wanted = hn::Set(kKeys, key);
    for (int i = 0; i < kVectors; ++i) {
      const auto lane = hn::FindFirstTrue(kKeys, hn::Eq(keys_[i], wanted));
      if (lane >= 0) return i * kLanes + static_cast<int>(lane);
    }
    return -1;
  }
  void set_key(int entry, int32_t key) {
    for (int i = 0; i < kVectors; ++i) {
      const auto here = hn::Eq(hn::Iota(kKeys, i * kLanes), hn::Set(kKeys, entry));
      keys_[i] = hn::IfThenElse(here, hn::Set(kKeys, key), keys_[i]);
    }
  }

  hn::Vec<decltype(kKeys)> keys_[kVectors];
#else
  void load() {}
  int find_key(int32_t key) const {
    int found = FieldMemo::kEntries - 1;
    while (found >= 0 && memo_.vectors[found] != key) --found;
    return found;
  }
  void set_key(int, int32_t) {}
#endif
};

}  // namespace ctv::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif
