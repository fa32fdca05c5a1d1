// Global memory: which bytes a launch may touch, and who touched the writable ones.
#pragma once

#include <atomic>
#include <map>
#include <memory>
#include <mutex>
#include <vector>

#include "abi.h"
#include "memory.h"

namespace gemmgen {

// Rows of `row_bytes`, `pitch_bytes` apart. What lies between two rows is nobody's.
struct Region {
  RegionRecord record;
  uint64_t reciprocal;  // floor(2^64 / pitch)
  uint64_t span;        // from the first byte of the first row to the end of the last
  int extent;           // of shadow state; -1 for memory that no launch writes

  explicit Region(const RegionRecord& r) : record(r), extent(-1) {
    if (record.rows <= 0 || record.row_bytes <= 0) record.rows = record.row_bytes = 0;
    if (record.pitch_bytes < record.row_bytes) record.pitch_bytes = record.row_bytes;
    if (record.pitch_bytes <= 0) record.pitch_bytes = 1;
    const unsigned __int128 whole = static_cast<unsigned __int128>(1) << 64;
    reciprocal = record.pitch_bytes == 1 ? ~0ull : static_cast<uint64_t>(whole / record.pitch_bytes);
    span = record.rows == 0 ? 0 : (record.rows - 1) * record.pitch_bytes + record.row_bytes;
  }

  // Whether the access lies in one row. `offset` is from the region's address, `offset + bytes <= span`.
  bool row_holds(uint64_t offset, uint64_t bytes) const {
    const uint64_t pitch = record.pitch_bytes;
    const uint64_t row = static_cast<uint64_t>(static_cast<unsigned __int128>(offset) * reciprocal >> 64);
    uint64_t column = offset - row * pitch;
    if (column >= pitch) column -= pitch;  // the reciprocal is rounded down: the quotient is at most one too small
    return column + bytes <= static_cast<uint64_t>(record.row_bytes);
  }

  bool holds(uint64_t address, uint64_t bytes) const {
    const uint64_t offset = address - record.address;
    return offset < span && bytes <= span - offset && row_holds(offset, bytes);
  }
};

// Who last touched an element: launch (16 bits), block (31) and thread (10) in one word, so that blocks on several OS
// threads may exchange it atomically. Zero: nobody.
struct Owner {
  static uint64_t pack(uint64_t launch, uint64_t block, uint64_t thread) {
    return (launch & 0xffff) << 48 | 1ull << 47 | block << 10 | thread;
  }
  static uint64_t launch_and_block(uint64_t owner) { return owner >> 10; }
  static uint64_t launch(uint64_t owner) { return owner >> 48; }
  static int64_t block(uint64_t owner) { return owner >> 10 & ((1ull << 37) - 1); }
  static int thread(uint64_t owner) { return owner & 1023; }
};

struct Touch {
  uint64_t owner;
  int32_t stamp;
  uint32_t site;
};

// Writable memory with all regions that overlap it, so that C and D in one buffer share their history.
struct Extent {
  uint64_t address = 0, bytes = 0;
  int granule = 4;  // bytes of the smallest element
  Mapping writers, writer_details, readers, reader_details;
  std::mutex mutex;
  std::atomic<bool> several_readers{false};
  std::map<uint64_t, std::vector<Touch>> more_readers;  // of elements that several threads read

  bool map_shadow() {
    const size_t elements = bytes / granule + 1;
    return writers.ensure(elements * 8) && writer_details.ensure(elements * 8) && readers.ensure(elements * 8) &&
           reader_details.ensure(elements * 8);
  }
  std::atomic<uint64_t>& writer(uint64_t element) { return writers.as<std::atomic<uint64_t>>()[element]; }
  std::atomic<uint64_t>& reader(uint64_t element) { return readers.as<std::atomic<uint64_t>>()[element]; }
  static uint64_t detail(const Touch& touch) { return static_cast<uint64_t>(touch.site) << 32 | uint32_t(touch.stamp); }
  Touch last_writer(uint64_t element) { return touch(writer(element), writer_details, element); }
  Touch last_reader(uint64_t element) { return touch(reader(element), reader_details, element); }

 private:
  static Touch touch(std::atomic<uint64_t>& owner, const Mapping& details, uint64_t element) {
    const uint64_t who = owner.load();
    const uint64_t detail = details.as<std::atomic<uint64_t>>()[element].load(std::memory_order_relaxed);
    return {who, static_cast<int32_t>(detail & 0xffffffff), static_cast<uint32_t>(detail >> 32)};
  }
};

class GlobalMemory {
 public:
  std::vector<Region> regions;
  std::vector<std::unique_ptr<Extent>> extents;

  // False when the system has no memory for the shadow state.
  bool build(const RegionRecord* records, int count) {
    for (int i = 0; i < count; ++i) regions.emplace_back(records[i]);
    for (Region& region : regions) {
      if (region.record.writable && region.span != 0) absorb(region);
    }
    for (const auto& extent : extents) {
      if (extent->bytes != 0 && !extent->map_shadow()) return false;
    }
    return true;
  }

  // The region that permits the access, else one that holds it without permitting it, else -1.
  int find(uint64_t address, uint64_t bytes, bool write) const {
    int found = -1;
    for (size_t i = 0; i < regions.size(); ++i) {
      if (!regions[i].holds(address, bytes)) continue;
      if (write ? regions[i].record.writable : regions[i].record.readable) return static_cast<int>(i);
      found = static_cast<int>(i);
    }
    return found;
  }

  // The region that an illegal address most likely belongs to: one whose rows and padding hold it, else the nearest.
  int nearest(uint64_t address) const {
    int best = -1;
    uint64_t best_distance = 1 << 20;
    for (size_t i = 0; i < regions.size(); ++i) {
      const uint64_t begin = regions[i].record.address, end = begin + regions[i].span;
      const uint64_t distance = address < begin ? begin - address : address >= end ? address - end + 1 : 0;
      if (distance < best_distance) {
        best = static_cast<int>(i);
        best_distance = distance;
      }
    }
    return best;
  }

  UnwrittenRecord unwritten(int index) {
    const Region& region = regions[index];
    UnwrittenRecord result = {index, 0, 0, -1, -1};
    if (region.extent < 0) return result;
    Extent& extent = *extents[region.extent];
    const int64_t columns = region.record.row_bytes / region.record.item_bytes;
    for (int64_t row = 0; row < region.record.rows; ++row) {
      for (int64_t column = 0; column < columns; ++column) {
        const uint64_t offset = row * region.record.pitch_bytes + column * region.record.item_bytes;
        const uint64_t address = region.record.address + offset;
        if (extent.writer((address - extent.address) / extent.granule).load(std::memory_order_relaxed) != 0) continue;
        if (result.elements++ == 0) {
          result.first_row = row;
          result.first_column = column;
        }
      }
    }
    return result;
  }

 private:
  // Makes one extent of a writable region and of all that overlaps it.
  void absorb(Region& region) {
    if (region.extent >= 0) return;
    extents.push_back(std::make_unique<Extent>());
    Extent& extent = *extents.back();
    const int number = static_cast<int>(extents.size()) - 1;
    uint64_t begin = region.record.address, end = begin + region.span;
    extent.granule = 8;
    for (bool grown = true; grown;) {
      grown = false;
      for (Region& other : regions) {
        const uint64_t other_end = other.record.address + other.span;
        if (other.span == 0 || other.extent == number || other.record.address >= end || other_end <= begin) continue;
        grown = true;
        begin = std::min<uint64_t>(begin, other.record.address);
        end = std::max<uint64_t>(end, other_end);
        other.extent = number;
        while (extent.granule > other.record.item_bytes) extent.granule /= 2;
      }
    }
    begin -= begin % 16;  // so that no element straddles two granules
    if (region.record.address % extent.granule != 0) extent.granule = 1;
    extent.address = begin;
    extent.bytes = end - begin;
  }
};

}  // namespace gemmgen
