// The emulator's runtime: one translation unit, built once for each version of these files and of the compiler.
//
// Below is what Python calls. A session holds the memory a launcher may use and collects what its launches did.
#include "launch.h"

#include <link.h>

namespace gemmgen {

// The segments of the shared object that holds `symbol`: its constants may be read.
struct SegmentSearch {
  uint64_t symbol;
  std::vector<std::pair<uint64_t, uint64_t>> segments;
};

static int collect_segments(dl_phdr_info* info, size_t, void* data) {
  SegmentSearch& search = *static_cast<SegmentSearch*>(data);
  std::vector<std::pair<uint64_t, uint64_t>> segments;
  bool holds = false;
  for (int i = 0; i < info->dlpi_phnum; ++i) {
    if (info->dlpi_phdr[i].p_type != PT_LOAD) continue;
    const uint64_t begin = info->dlpi_addr + info->dlpi_phdr[i].p_vaddr;
    const uint64_t end = begin + info->dlpi_phdr[i].p_memsz;
    segments.emplace_back(begin, end);
    holds = holds || (search.symbol >= begin && search.symbol < end);
  }
  if (holds) search.segments = segments;
  return holds;
}

static void forget_attributes(const std::vector<std::pair<uint64_t, uint64_t>>& segments) {
  std::lock_guard<std::mutex> lock(attribute_mutex);
  for (const auto& [begin, end] : segments) {
    shared_limits.erase(shared_limits.lower_bound(reinterpret_cast<const void*>(begin)),
                        shared_limits.lower_bound(reinterpret_cast<const void*>(end)));
  }
}

static void collect_counts(Session& session) {
  for (size_t site = 0; site < session.totals.size(); ++site) {
    const AccessTotals& totals = session.totals[site];
    if (totals.requests == 0) continue;
    session.counts.push_back({session.sites[site], totals.bytes, totals.space, totals.is_write, 0, totals.requests,
                              totals.wavefronts, totals.passes, totals.sectors, totals.ideal_sectors});
  }
}

static void collect_unwritten(Session& session) {
  for (size_t i = 0; i < session.memory.regions.size(); ++i) {
    if (!session.memory.regions[i].record.must_write) continue;
    const UnwrittenRecord record = session.memory.unwritten(static_cast<int>(i));
    if (record.elements != 0) session.unwritten.push_back(record);
  }
}

}  // namespace gemmgen

extern "C" {
using gemmgen::Session;

// Null when the system has no memory for the shadow state.
Session* gemmgen_session_open(const gemmgen::OptionsRecord* options, const gemmgen::RegionRecord* regions,
                              int region_count, const gemmgen::MemberRecord* members, int member_count,
                              uint64_t symbol) {
  Session* session = new Session;
  session->options = *options;
  session->members.assign(members, members + member_count);
  gemmgen::SegmentSearch search = {symbol, {}};
  dl_iterate_phdr(gemmgen::collect_segments, &search);
  session->constants = search.segments;
  if (session->memory.build(regions, region_count)) return session;
  delete session;
  return nullptr;
}

// Makes this the session of the calling OS thread's launches; null ends that.
void gemmgen_session_enter(Session* session) { gemmgen::current_session = session; }

void gemmgen_session_finish(Session* session) {
  gemmgen::collect_counts(*session);
  gemmgen::collect_unwritten(*session);
}

// Ends the session's launch, from another OS thread. To be called until the launcher returns.
void gemmgen_session_cancel(Session* session) { session->cancel(); }

void gemmgen_session_close(Session* session) { delete session; }

// Called when a shared object was loaded: what an earlier one at the same address set is void.
void gemmgen_module_loaded(uint64_t symbol) {
  gemmgen::SegmentSearch search = {symbol, {}};
  dl_iterate_phdr(gemmgen::collect_segments, &search);
  gemmgen::forget_attributes(search.segments);
}

// Where the shared object that holds `symbol` was loaded: sites less this are the addresses in its debug information.
uint64_t gemmgen_module_base(uint64_t symbol) {
  Dl_info info;
  return dladdr(reinterpret_cast<void*>(symbol), &info) != 0 ? reinterpret_cast<uint64_t>(info.dli_fbase) : 0;
}

#define GEMMGEN_RESULT(name, type, field)                          \
  const type* gemmgen_session_##name(Session* session, int64_t* n) { \
    *n = static_cast<int64_t>(session->field.size());              \
    return session->field.data();                                  \
  }
GEMMGEN_RESULT(faults, gemmgen::FaultRecord, faults)
GEMMGEN_RESULT(launches, gemmgen::LaunchRecord, launches)
GEMMGEN_RESULT(arguments, uint8_t, arguments)
GEMMGEN_RESULT(counts, gemmgen::CountRecord, counts)
GEMMGEN_RESULT(unwritten, gemmgen::UnwrittenRecord, unwritten)

// The count model on its own, for the comparison with its Python twin: {wavefronts, passes, sectors, ideal sectors}.
void gemmgen_count_access(const int64_t* offsets, int bytes, int store, int32_t* result) {
  gemmgen::WarpAccess access = {{}, 0};
  for (int lane = 0; lane < gemmgen::kLanes; ++lane) {
    if (offsets[lane] < 0) continue;
    access.address[lane] = static_cast<uint64_t>(offsets[lane]);
    access.active |= 1u << lane;
  }
  const gemmgen::Wavefronts shared = gemmgen::shared_wavefronts(access, bytes, store != 0);
  const gemmgen::Sectors global = gemmgen::global_sectors(access, bytes);
  result[0] = shared.total;
  result[1] = shared.passes;
  result[2] = global.total;
  result[3] = global.ideal;
}
}
