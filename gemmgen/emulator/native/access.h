// What happens at each load and store of a kernel: g++'s thread sanitizer calls these functions instead of its own
// library.
//
// They run before the access, so an illegal one is reported and never done. Nearly all accesses are settled by the fast
// path: the site's cached bounds, and for shared memory one vector comparison of the words' last stamps with the
// block's base clock.
#pragma once

#include "global_access.h"
#include "shared_access.h"

namespace gemmgen {

#if defined(__x86_64__)
inline bool all_set(Int4 mask) {
  typedef float Float4 __attribute__((vector_size(16)));
  return __builtin_ia32_movmskps(reinterpret_cast<Float4>(mask)) == 15;
}
#else
inline bool all_set(Int4 mask) {
  typedef int64_t Long2 __attribute__((vector_size(16)));
  const Long2 halves = reinterpret_cast<Long2>(mask);
  return (halves[0] & halves[1]) == -1;
}
#endif

inline Int4 four(int32_t value) { return Int4{value, value, value, value}; }
inline Int4 load4(const void* memory) { return *static_cast<const Int4Unaligned*>(memory); }
inline void store4(void* memory, Int4 value) { *static_cast<Int4Unaligned*>(memory) = value; }

// True when the access needed no more than this: initialised words that a barrier of the whole block separates from
// their last write, and for a store also from their last read.
template <int kBytes, bool kWrite>
inline __attribute__((always_inline)) bool settled_by_clocks(uint64_t offset, uint32_t site) {
  const uint64_t word = offset / 4;
  const uint32_t origin = origin_of(hot.thread, site);
  if constexpr (kBytes == 16) {
    Int4 settled = load4(hot.write_stamp + word) < hot.base4;
    if constexpr (kWrite) settled &= load4(hot.read_stamp + word) < hot.base4;
    if (!all_set(settled)) return false;
    store4((kWrite ? hot.write_stamp : hot.read_stamp) + word, hot.clock4);
    store4((kWrite ? hot.write_origin : hot.read_origin) + word, four(static_cast<int32_t>(origin)));
    if constexpr (!kWrite) store4(hot.own_reads + word, hot.clock4);
  } else {
    const int32_t base = hot.base4[0], clock = hot.clock4[0];
    for (int i = 0; i < kBytes / 4; ++i) {
      if (hot.write_stamp[word + i] >= base || (kWrite && hot.read_stamp[word + i] >= base)) return false;
    }
    for (int i = 0; i < kBytes / 4; ++i) {
      (kWrite ? hot.write_stamp : hot.read_stamp)[word + i] = clock;
      (kWrite ? hot.write_origin : hot.read_origin)[word + i] = origin;
      if constexpr (!kWrite) hot.own_reads[word + i] = clock;
    }
  }
  return true;
}

// ---- The slow path -----------------------------------------------------------------------------------

inline Site& find_site(Worker& worker, uintptr_t site) {
  Site& entry = worker.cache[site_slot(site)];
  if (entry.site == site) return entry;
  const auto [info, fresh] = worker.infos.try_emplace(site);
  if (fresh) info->second.index = worker.session->index_of(site);
  entry = {site, 0, 0, kUnknown, info->second.index, nullptr, &info->second};
  return entry;
}

// Lets the fast path settle the next accesses of this site.
inline void remember(const Worker& worker, Site& entry, SiteKind kind, uint64_t base, uint64_t size, int bytes) {
  entry.kind = kind;
  if (worker.counting && kind != kPrivate) entry.kind = kind == kShared ? kCountedShared : kCountedRows;
  entry.base = base;
  entry.span = size - bytes;
}

// A member's bytes, as far as the launch's shared memory goes.
inline MemberRecord member_of(const Worker& worker, int index) {
  const int64_t limit = worker.launch->record.shared_bytes;
  if (index < 0) return {0, limit};
  MemberRecord member = worker.session->members[index];
  member.bytes = std::max<int64_t>(0, std::min(member.bytes, limit - member.offset));
  return member;
}

inline int find_member(const Worker& worker, int64_t offset) {
  for (size_t i = 0; i < worker.session->members.size(); ++i) {
    const MemberRecord member = member_of(worker, static_cast<int>(i));
    if (offset >= member.offset && offset < member.offset + member.bytes) return static_cast<int>(i);
  }
  return -1;
}

// An access site belongs to the member it touched first: an overflow from one array into the next is the other's.
inline void slow_shared(Worker& worker, Site& entry, uint64_t offset, int bytes, bool write) {
  SiteInfo& info = *entry.info;
  if (info.member < 0) info.member = find_member(worker, static_cast<int64_t>(offset));
  const MemberRecord member = member_of(worker, info.member);
  const bool placed = info.member >= 0 || worker.session->members.empty();
  const int64_t at = static_cast<int64_t>(offset);
  if (!placed || at < member.offset || at + bytes > member.offset + member.bytes) {
    FaultRecord fault = access_fault(kOutOfBounds, kSharedSpace, offset, bytes, write, entry.site);
    fault.place = info.member;
    fatal(fault);
  }
  remember(worker, entry, kShared, reinterpret_cast<uint64_t>(hot.shared) + member.offset, member.bytes, bytes);
  access_shared(worker, {offset, bytes, write, entry.site, entry.info});
}

inline void slow_global(Worker& worker, Site& entry, uint64_t address, int bytes, bool write) {
  GlobalMemory& memory = worker.session->memory;
  SiteInfo& info = *entry.info;
  int index = info.region;
  if (index < 0 || !memory.regions[index].holds(address, bytes) ||
      !(write ? memory.regions[index].record.writable : memory.regions[index].record.readable)) {
    index = memory.find(address, bytes, write);
  }
  if (index < 0) {
    for (const auto& [begin, end] : worker.session->constants) {
      if (!write && address >= begin && address + bytes <= end) {
        return remember(worker, entry, kPrivate, begin, end - begin, bytes);
      }
    }
    FaultRecord fault = access_fault(kOutOfBounds, kGlobalSpace, address, bytes, write, entry.site);
    fault.place = info.region >= 0 ? info.region : memory.nearest(address);
    fatal(fault);
  }
  info.region = index;
  const Region& region = memory.regions[index];
  if (!(write ? region.record.writable : region.record.readable)) {
    const FaultKind kind = write ? kWriteToReadOnly : kReadOfUnwritten;
    FaultRecord fault = access_fault(kind, kGlobalSpace, address, bytes, write, entry.site);
    fault.place = index;
    fatal(fault);
  }
  if (region.extent >= 0) {
    access_extent(*memory.extents[region.extent], {address, bytes, write, entry.site, entry.info});
    return;
  }
  entry.region = &region;
  remember(worker, entry, kRows, region.record.address, region.span, bytes);
}

inline void count_access(Worker& worker, uint32_t site, uint64_t address, int bytes, bool write) {
  const SharedOffset shared(address);
  const Space space = shared.meant ? kSharedSpace : kGlobalSpace;
  worker.counter.record(static_cast<int>(hot.thread), hot.fiber->marks, site, space, bytes, write,
                        shared.meant ? shared.bytes : address);
}

struct AccessTraits {
  bool aligned;  // has to be
  bool counted;  // already
};

__attribute__((noinline)) static void slow_access(uint64_t address, int bytes, bool write, uintptr_t site,
                                                  AccessTraits traits) {
  if (hot.worker == nullptr) return;  // the launcher, which is host code
  Worker& worker = *hot.worker;
  check_time(worker, site);
  Site& entry = find_site(worker, site);
  if (worker.unchecked) {
    entry.kind = kPrivate;
    entry.base = 0;
    entry.span = ~0ull;
    return;
  }
  if (worker.stacks.contains(address)) {
    return remember(worker, entry, kPrivate, worker.stacks.begin(), worker.stacks.size(), bytes);
  }
  const SharedOffset shared(address);
  if (worker.counting && !traits.counted) count_access(worker, entry.index, address, bytes, write);
  if (traits.aligned && address % bytes != 0) {
    const Space space = shared.meant ? kSharedSpace : kGlobalSpace;
    FaultRecord fault = access_fault(kMisaligned, space, shared.meant ? shared.bytes : address, bytes, write, site);
    fault.place = shared.meant ? find_member(worker, static_cast<int64_t>(shared.bytes))
                               : worker.session->memory.nearest(address);
    fatal(fault);
  }
  if (shared.meant) {
    slow_shared(worker, entry, shared.bytes, bytes, write);
  } else {
    slow_global(worker, entry, address, bytes, write);
  }
}

// True when the cached bounds of its site and the shared fast path settled the access.
template <int kBytes, bool kWrite>
inline __attribute__((always_inline)) bool settled(const Site& entry, uint64_t address, uint64_t delta, bool shared) {
  if (address % kBytes != 0) return false;
  if (!shared) return entry.region->row_holds(delta, kBytes);
  const uint64_t offset = address - reinterpret_cast<uint64_t>(hot.shared);
  return kBytes >= 4 && settled_by_clocks<kBytes, kWrite>(offset, entry.index);
}

template <int kBytes, bool kWrite>
__attribute__((noinline)) static void counted_access(const Site& entry, uint64_t address, uint64_t delta) {
  count_access(*hot.worker, entry.index, address, kBytes, kWrite);
  if (settled<kBytes, kWrite>(entry, address, delta, entry.kind == kCountedShared)) return;
  slow_access(address, kBytes, kWrite, entry.site, {true, true});
}

template <int kBytes, bool kWrite>
inline __attribute__((always_inline)) void on_access(void* pointer, void* return_address) {
  const uint64_t address = reinterpret_cast<uint64_t>(pointer);
  const uintptr_t site = reinterpret_cast<uintptr_t>(return_address);
  const Site& entry = hot.sites[site_slot(site)];
  const uint64_t delta = address - entry.base;
  if (__builtin_expect(entry.site == site && delta <= entry.span, 1)) {
    if (entry.kind == kShared) {
      if (settled<kBytes, kWrite>(entry, address, delta, true)) return;
    } else if (entry.kind == kRows) {
      if (settled<kBytes, kWrite>(entry, address, delta, false)) return;
    } else if (entry.kind == kPrivate) {
      return;
    } else if (entry.kind != kUnknown) {
      return counted_access<kBytes, kWrite>(entry, address, delta);
    }
  }
  slow_access(address, kBytes, kWrite, site, {true, false});
}

// An access whose type promises no alignment is checked byte by byte, as the device would have to make it.
inline void on_bytes(void* pointer, size_t bytes, bool write, void* return_address) {
  const uint64_t address = reinterpret_cast<uint64_t>(pointer);
  const uintptr_t site = reinterpret_cast<uintptr_t>(return_address);
  for (size_t i = 0; i < bytes; ++i) slow_access(address + i, 1, write, site, {false, false});
}

}  // namespace gemmgen

#define GEMMGEN_HOOKS(bytes)                                                                                  \
  void __tsan_read##bytes(void* p) { gemmgen::on_access<bytes, false>(p, __builtin_return_address(0)); }      \
  void __tsan_write##bytes(void* p) { gemmgen::on_access<bytes, true>(p, __builtin_return_address(0)); }      \
  void __tsan_unaligned_read##bytes(void* p) { gemmgen::on_bytes(p, bytes, false, __builtin_return_address(0)); } \
  void __tsan_unaligned_write##bytes(void* p) { gemmgen::on_bytes(p, bytes, true, __builtin_return_address(0)); }

extern "C" {
GEMMGEN_HOOKS(1)
GEMMGEN_HOOKS(2)
GEMMGEN_HOOKS(4)
GEMMGEN_HOOKS(8)
GEMMGEN_HOOKS(16)
void __tsan_read_range(void* p, size_t bytes) { gemmgen::on_bytes(p, bytes, false, __builtin_return_address(0)); }
void __tsan_write_range(void* p, size_t bytes) { gemmgen::on_bytes(p, bytes, true, __builtin_return_address(0)); }
void __tsan_vptr_read(void**) {}
void __tsan_vptr_update(void**, void*) {}
void __tsan_func_entry(void*) {}
void __tsan_func_exit() {}
void __tsan_init() {}
}
