// Which lanes' accesses form one warp instruction, and what it costs.
//
// Threads run one after another between two barriers, so the accesses of a warp arrive lane by lane. The k-th access of
// one site by each lane since its last mark is one instruction. Marks are counted per lane: every lane reaches every
// mark, so a lane whose predicate was false in iteration 2 does not shift those of iteration 3.
#pragma once

#include <cstring>
#include <memory>
#include <vector>

#include "abi.h"
#include "bank_model.h"

namespace gemmgen {

struct AccessTotals {
  int32_t bytes = 0, space = 0, is_write = 0;
  int64_t requests = 0, wavefronts = 0, passes = 0, sectors = 0, ideal_sectors = 0;

  void add(const AccessTotals& other) {
    if (other.requests == 0) return;
    bytes = other.bytes;
    space = other.space;
    is_write = other.is_write;
    requests += other.requests;
    wavefronts += other.wavefronts;
    passes += other.passes;
    sectors += other.sectors;
    ideal_sectors += other.ideal_sectors;
  }
};

// Remembers what the last pattern of lanes cost: a loop repeats one pattern, moved along.
class CostMemo {
 public:
  void add(const WarpAccess& access, AccessTotals& totals) {
    // Moving all lanes by whole words turns the banks round, moving them by whole sectors changes nothing.
    const uint64_t unit = totals.space == kSharedSpace ? 4 : 32;
    const uint64_t base = access.address[__builtin_ctz(access.active)] / unit * unit;
    uint32_t pattern[kLanes];
    for (int lane = 0; lane < kLanes; ++lane) pattern[lane] = static_cast<uint32_t>(access.address[lane] - base);
    if (!known_ || access.active != active_ || std::memcmp(pattern, pattern_, sizeof(pattern)) != 0) {
      std::memcpy(pattern_, pattern, sizeof(pattern));
      active_ = access.active;
      known_ = true;
      if (totals.space == kSharedSpace) {
        const Wavefronts cost = shared_wavefronts(access, totals.bytes, totals.is_write != 0);
        total_ = cost.total;
        ideal_ = cost.passes;
      } else {
        const Sectors cost = global_sectors(access, totals.bytes);
        total_ = cost.total;
        ideal_ = cost.ideal;
      }
    }
    ++totals.requests;
    (totals.space == kSharedSpace ? totals.wavefronts : totals.sectors) += total_;
    (totals.space == kSharedSpace ? totals.passes : totals.ideal_sectors) += ideal_;
  }

 private:
  bool known_ = false;
  uint32_t active_ = 0, pattern_[kLanes] = {};
  int total_ = 0, ideal_ = 0;
};

// The accesses of one warp at one site since the last flush, by (mark, occurrence), in that order.
class SiteLog {
 public:
  void record(int lane, uint32_t mark, uint64_t address) {
    Lane& state = lanes_[lane];
    if (state.mark != mark) {
      state.mark = mark;
      state.occurrence = 0;
    }
    const uint64_t key = static_cast<uint64_t>(mark) << 32 | state.occurrence++;
    size_t at = state.cursor;
    while (at < groups_.size() && groups_[at].key < key) ++at;
    if (at == groups_.size()) {
      groups_.emplace_back(key);
    } else if (groups_[at].key != key) {
      groups_.emplace(groups_.begin() + static_cast<std::ptrdiff_t>(at), key);
      for (Lane& other : lanes_) other.cursor += other.cursor > at;
    }
    WarpAccess& access = groups_[at].access;
    access.address[lane] = address;
    access.active |= 1u << lane;
    state.cursor = at + 1;
  }

  void flush(AccessTotals& totals) {
    if (groups_.empty()) return;
    for (const Group& group : groups_) memo_.add(group.access, totals);
    groups_.clear();
    for (Lane& lane : lanes_) lane = Lane();
  }

 private:
  struct Lane {
    size_t cursor = 0;
    uint32_t mark = 0, occurrence = 0;
  };
  struct Group {
    uint64_t key;
    WarpAccess access = {{}, 0};
    explicit Group(uint64_t k) : key(k) {}
  };
  Lane lanes_[kLanes];
  std::vector<Group> groups_;
  CostMemo memo_;
};

class Counter {
 public:
  void begin_block(int threads) { warps_.resize((threads + kLanes - 1) / kLanes); }

  void record(int thread, uint32_t mark, uint32_t site, int32_t space, int32_t bytes, bool write, uint64_t address) {
    std::vector<std::unique_ptr<SiteLog>>& logs = warps_[thread / kLanes];
    if (site >= logs.size() || logs[site] == nullptr) begin_site(logs, site, space, bytes, write);
    logs[site]->record(thread % kLanes, mark, address);
  }

  void flush_warp(int warp) {
    std::vector<std::unique_ptr<SiteLog>>& logs = warps_[warp];
    for (size_t site = 0; site < logs.size(); ++site) {
      if (logs[site] != nullptr) logs[site]->flush(totals_[site]);
    }
  }

  void flush() {
    for (size_t warp = 0; warp < warps_.size(); ++warp) flush_warp(static_cast<int>(warp));
  }

  const std::vector<AccessTotals>& totals() const { return totals_; }
  void clear() {
    totals_.clear();
    warps_.clear();
  }

 private:
  void begin_site(std::vector<std::unique_ptr<SiteLog>>& logs, uint32_t site, int32_t space, int32_t bytes,
                  bool write) {
    if (site >= logs.size()) logs.resize(site + 1);
    if (site >= totals_.size()) totals_.resize(site + 1);
    logs[site] = std::make_unique<SiteLog>();
    totals_[site].bytes = bytes;
    totals_[site].space = space;
    totals_[site].is_write = write;
  }

  std::vector<std::vector<std::unique_ptr<SiteLog>>> warps_;
  std::vector<AccessTotals> totals_;
};

}  // namespace gemmgen
