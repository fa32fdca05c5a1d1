// The bank and sector model of gemmgen/model/transactions.py, for the counts of an emulated launch.
//
// A test compares the two on every measured pattern. The rules: shared memory has 32 banks of 4 bytes; a pass costs the
// largest number of distinct words that fall into one bank; wide accesses take several passes, which merge for loads
// whose neighbouring lanes agree.
#pragma once

#include <algorithm>
#include <cstdint>

namespace gemmgen {

constexpr int kLanes = 32;
constexpr int kBanks = 32;

struct WarpAccess {
  uint64_t address[kLanes];
  uint32_t active;  // one bit a lane

  bool has(int lane) const { return (active >> lane & 1u) != 0; }
};

struct Wavefronts {
  int total, passes;  // passes: what it would cost without a bank conflict
};

// Whether each active lane has the address of the lane at this distance; an inactive lane agrees with any.
inline bool lanes_agree(const WarpAccess& access, int distance) {
  for (int lane = 0; lane < kLanes; ++lane) {
    const int other = lane ^ distance;
    if (access.has(lane) && access.has(other) && access.address[lane] != access.address[other]) return false;
  }
  return true;
}

inline int pass_cost(const WarpAccess& access, int first, int count, int bytes) {
  uint64_t words[kLanes];
  int found = 0;
  for (int lane = first; lane < first + count; ++lane) {
    if (!access.has(lane)) continue;
    const int span = bytes < 4 ? 1 : bytes / 4;
    for (int w = 0; w < span && found < kLanes * 4; ++w) {
      const uint64_t word = access.address[lane] / 4 + w;
      if (std::find(words, words + found, word) == words + found) words[found++] = word;
    }
  }
  int per_bank[kBanks] = {};
  int worst = 0;
  for (int i = 0; i < found; ++i) worst = std::max(worst, ++per_bank[words[i] % kBanks]);
  return worst;
}

inline Wavefronts shared_wavefronts(const WarpAccess& access, int bytes, bool store) {
  int lanes = bytes > 4 ? kLanes * 4 / bytes : kLanes;
  if (!store && bytes > 4 && (lanes_agree(access, 1) || lanes_agree(access, 2))) lanes *= 2;
  Wavefronts result = {0, 0};
  for (int first = 0; first < kLanes; first += lanes) {
    const int cost = pass_cost(access, first, lanes, bytes);
    result.total += cost;
    result.passes += cost != 0;
  }
  return result;
}

struct Sectors {
  int total, ideal;  // ideal: if the distinct bytes were contiguous and aligned
};

inline Sectors global_sectors(const WarpAccess& access, int bytes) {
  uint64_t sectors[kLanes], addresses[kLanes];
  int found = 0, distinct = 0;
  for (int lane = 0; lane < kLanes; ++lane) {
    if (!access.has(lane)) continue;
    const uint64_t sector = access.address[lane] / 32;
    if (std::find(sectors, sectors + found, sector) == sectors + found) sectors[found++] = sector;
    const uint64_t address = access.address[lane];
    if (std::find(addresses, addresses + distinct, address) == addresses + distinct) addresses[distinct++] = address;
  }
  return {found, (distinct * bytes + 31) / 32};
}

}  // namespace gemmgen
