// The state of one emulated launch: the session, the OS threads that run its blocks, and what they reach cheaply.
#pragma once

#include <atomic>
#include <memory>
#include <mutex>
#include <set>
#include <unordered_map>
#include <vector>

#include "clocks.h"
#include "counts.h"
#include "fibers.h"
#include "regions.h"

namespace gemmgen {

typedef int32_t Int4 __attribute__((vector_size(16)));
typedef int32_t Int4Unaligned __attribute__((vector_size(16), aligned(4), may_alias));

struct Index3 {
  uint32_t x, y, z;
};

// What is known of one access instruction of the kernel; never forgotten within a session.
struct SiteInfo {
  uint32_t index = 0;  // the session's number for it
  int member = -1;     // the shared member that it touches
  int region = -1;     // the last region that it touched
};

enum SiteKind : uint32_t { kUnknown, kShared, kRows, kPrivate, kCountedShared, kCountedRows };

// A site's cached answer: accesses within [base, base + span] need no search.
struct alignas(64) Site {
  uintptr_t site;
  uint64_t base, span;
  uint32_t kind, index;
  const Region* region;
  SiteInfo* info;
};

constexpr int kSiteSlots = 1024;

inline int site_slot(uintptr_t site) { return (site ^ site >> 10) & (kSiteSlots - 1); }

enum FiberState : uint8_t { kReady, kWaitsForBlock, kWaitsForWarp, kFinished };

struct Fiber {
  void* stack_pointer;
  FiberState state;
  int32_t wait_line;
  uint64_t wait_site;
  uint32_t wait_mask, marks;
  Index3 index;
};

class Worker;

// Read by every access, so in thread-local storage at a fixed offset.
struct alignas(64) Hot {
  Site* sites;
  uint8_t* shared;
  Int4 base4, clock4;  // the block's base clock and the running thread's clock, four times
  int32_t* write_stamp;
  int32_t* read_stamp;
  uint32_t* write_origin;
  uint32_t* read_origin;
  int32_t* own_reads;
  Worker* worker;  // null outside a kernel
  Fiber* fiber;
  uint32_t thread;
};

static Site no_sites[kSiteSlots];
static __thread Hot hot __attribute__((tls_model("initial-exec"))) = {
    no_sites, nullptr, {}, {}, nullptr, nullptr, nullptr, nullptr, nullptr, nullptr, nullptr, 0};

constexpr uint32_t origin_of(uint32_t thread, uint32_t site) { return thread << 16 | (site & 0xffff); }

// A stamp that is later than every clock: nobody wrote this word, or its bytes have a history each.
constexpr int32_t kNoStamp = 0x7fffffff;
constexpr int32_t kLastStamp = 1 << 30;

// Shared memory's history: for each 4-byte word the last write and the last read, and each thread's own last read.
struct SharedShadow {
  static constexpr size_t kBytes = 240 * 1024;
  // Before and behind it: an address in there was meant to be shared memory.
  static constexpr size_t kSlack = 64 * 1024;
  Mapping write_stamps, read_stamps, write_origins, read_origins, reads, byte_tables, byte_reads;
  std::vector<uint8_t> detailed;  // words whose bytes are tracked one by one
  size_t words = 0, stride = 0;
  bool any_detailed = false;

  bool prepare(size_t bytes, int threads) {
    words = (bytes + 3) / 4;
    // Rows of different threads must not fall into the same cache sets.
    stride = (words + 15) / 16 * 16 + 16 * 5;
    detailed.assign(words + 4, 0);
    if (!write_stamps.ensure(kBytes) || !read_stamps.ensure(kBytes) || !write_origins.ensure(kBytes) ||
        !read_origins.ensure(kBytes) || !reads.ensure(stride * threads * 4)) {
      return false;
    }
    reads.prefer_huge_pages();
    return true;
  }

  void begin_block() {
    int32_t* stamps = write_stamps.as<int32_t>();
    std::fill(stamps, stamps + words + 4, kNoStamp);
    if (any_detailed) std::fill(detailed.begin(), detailed.end(), 0);
    any_detailed = false;
  }

  void forget_stamps() {
    read_stamps.clear();
    reads.clear();
    byte_tables.clear();
    byte_reads.clear();
  }

  int32_t* reads_of(int thread) const { return reads.as<int32_t>() + thread * stride; }
};

struct Launch {
  LaunchRecord record;
  int number;
  int threads;  // of a block
  int64_t blocks;
  const void* kernel;
  void (*invoke)(const void*, void* const*);
  std::vector<void*> arguments;
  std::atomic<int64_t> next_block{0};
};

struct Session {
  OptionsRecord options;
  GlobalMemory memory;
  std::vector<MemberRecord> members;
  std::vector<std::pair<uint64_t, uint64_t>> constants;  // the kernel's own data segments
  std::mutex mutex;
  std::vector<FaultRecord> faults;
  std::unordered_map<uint64_t, size_t> fault_of;  // by site and kind
  std::atomic<bool> stop{false};
  std::atomic<bool> expired{false};  // a launch took longer than it may
  std::vector<LaunchRecord> launches;
  std::vector<uint8_t> arguments;
  std::vector<uint64_t> sites;
  std::unordered_map<uint64_t, uint32_t> site_index;
  std::vector<AccessTotals> totals;
  std::vector<CountRecord> counts;
  std::vector<UnwrittenRecord> unwritten;
  std::vector<Worker*> running;  // of the launch that runs now
  int last_error = 0;

  // Ends whatever runs. Called by another OS thread, which has to call it again until the launch returns.
  void cancel();

  uint32_t index_of(uint64_t site) {
    std::lock_guard<std::mutex> lock(mutex);
    const auto [entry, fresh] = site_index.try_emplace(site, static_cast<uint32_t>(sites.size()));
    if (fresh) sites.push_back(site);
    return entry->second;
  }

  uint64_t site_at(uint32_t index) {
    std::lock_guard<std::mutex> lock(mutex);
    return index < sites.size() ? sites[index] : 0;
  }
};

// One OS thread's share of the machine: it runs a block at a time. Kept for later launches, since its tables are large.
class Worker {
 public:
  Session* session = nullptr;
  Launch* launch = nullptr;
  int64_t block = 0;
  Index3 block_index = {};
  int threads = 0, arrived = 0, finished = 0;
  bool counting = false, unchecked = false;
  void* scheduler_stack = nullptr;
  int32_t next_stamp = 1;
  Stacks stacks;
  Mapping shared_memory;
  SharedShadow shadow;
  Clocks clocks;
  Counter counter;
  std::vector<Fiber> fibers;
  std::vector<Site> cache = std::vector<Site>(kSiteSlots);
  std::unordered_map<uintptr_t, SiteInfo> infos;
  std::set<uint64_t> reported;

  bool prepare(Session* owner, Launch* what);
  void run_blocks();
  void interrupt();
  void finish();

 private:
  void begin_block(int64_t number);
};

// Offset of an address from the start of shared memory, and whether it is meant to lie there.
struct SharedOffset {
  uint64_t bytes;
  bool meant;

  explicit SharedOffset(uint64_t address)
      : bytes(address - reinterpret_cast<uint64_t>(hot.shared)),
        meant(bytes + SharedShadow::kSlack < SharedShadow::kBytes + 2 * SharedShadow::kSlack) {}
};

// Leaves the running block for good; its threads are never resumed.
[[noreturn]] void abandon_block();
void report(FaultRecord fault);
[[noreturn]] void fatal(const FaultRecord& fault);

}  // namespace gemmgen
