// Accesses to global memory that some launch may write: written elements, and races within and between blocks.
#pragma once

#include "faults.h"

namespace gemmgen {

struct GlobalStep {
  uint64_t address;
  int bytes;
  bool write;
  uint64_t site;
  const SiteInfo* info;
};

inline void report_global(FaultKind kind, const GlobalStep& step, Party party, const Touch* other) {
  FaultRecord fault = access_fault(kind, kGlobalSpace, step.address, step.bytes, step.write, step.site);
  fault.place = step.info->region;
  fault.party = party;
  if (other != nullptr) {
    fault.other_thread = Owner::thread(other->owner);
    fault.other_block = Owner::block(other->owner);
    fault.other_site = hot.worker->session->site_at(other->site);
  }
  report(fault);
}

// Nothing orders two blocks of one launch, so that whatever another block did is a race; within a block clocks decide.
inline void check_touch(const GlobalStep& step, const Touch& self, const Touch& other, Party party) {
  if (other.owner == 0 || other.owner == self.owner || Owner::launch(other.owner) != Owner::launch(self.owner)) return;
  if (Owner::launch_and_block(other.owner) == Owner::launch_and_block(self.owner) &&
      hot.worker->clocks.ordered(Owner::thread(self.owner), Owner::thread(other.owner), other.stamp)) {
    return;
  }
  report_global(kGlobalRace, step, party, &other);
}

inline void write_element(Extent& extent, uint64_t element, const GlobalStep& step, const Touch& self) {
  const Touch before = extent.last_writer(element);
  extent.writer_details.as<std::atomic<uint64_t>>()[element].store(Extent::detail(self), std::memory_order_relaxed);
  Touch previous = before;
  previous.owner = extent.writer(element).exchange(self.owner);
  check_touch(step, self, previous, kWriter);
  check_touch(step, self, extent.last_reader(element), kReader);
  if (!extent.several_readers) return;
  std::lock_guard<std::mutex> lock(extent.mutex);
  const auto more = extent.more_readers.find(element);
  if (more == extent.more_readers.end()) return;
  for (const Touch& reader : more->second) check_touch(step, self, reader, kReader);
}

inline void read_element(Extent& extent, uint64_t element, const GlobalStep& step, const Touch& self) {
  const Touch before = extent.last_reader(element);
  if (before.owner != 0 && before.owner != self.owner && Owner::launch(before.owner) == Owner::launch(self.owner)) {
    std::lock_guard<std::mutex> lock(extent.mutex);
    std::vector<Touch>& readers = extent.more_readers[element];
    bool known = false;
    for (Touch& reader : readers) {
      if (reader.owner != self.owner) continue;
      reader.stamp = self.stamp;
      known = true;
    }
    if (!known) readers.push_back(self);
    extent.several_readers = true;
  } else {
    extent.reader_details.as<std::atomic<uint64_t>>()[element].store(Extent::detail(self), std::memory_order_relaxed);
    extent.reader(element).store(self.owner);
  }
  const Touch writer = extent.last_writer(element);
  check_touch(step, self, writer, kWriter);
  const Region& region = hot.worker->session->memory.regions[step.info->region];
  if (writer.owner == 0 && !region.record.initialised) report_global(kReadOfUnwritten, step, kNobody, nullptr);
}

// The access is permitted by a region of this extent.
inline void access_extent(Extent& extent, const GlobalStep& step) {
  Worker& worker = *hot.worker;
  const Touch self = {Owner::pack(worker.launch->number + 1, worker.block, hot.thread),
                      worker.clocks.clock(static_cast<int>(hot.thread)), step.info->index};
  const uint64_t first = (step.address - extent.address) / extent.granule;
  const uint64_t last = (step.address + step.bytes - 1 - extent.address) / extent.granule;
  for (uint64_t element = first; element <= last; ++element) {
    if (step.write) {
      write_element(extent, element, step, self);
    } else {
      read_element(extent, element, step, self);
    }
  }
}

}  // namespace gemmgen
