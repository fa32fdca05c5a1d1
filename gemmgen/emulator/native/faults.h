// What a fault is recorded as, once a kind and site.
#pragma once

#include "machine.h"

namespace gemmgen {

inline FaultRecord fault_at(FaultKind kind, uint64_t site) {
  const Worker& worker = *hot.worker;
  FaultRecord fault = {};
  fault.kind = kind;
  fault.launch = worker.launch->number;
  fault.thread = static_cast<int32_t>(hot.thread);
  fault.block = worker.block;
  fault.site = site;
  fault.place = -1;
  fault.other_thread = -1;
  fault.other_block = -1;
  return fault;
}

inline FaultRecord access_fault(FaultKind kind, Space space, uint64_t address, int bytes, bool write, uint64_t site) {
  FaultRecord fault = fault_at(kind, site);
  fault.space = space;
  fault.address = address;
  fault.bytes = bytes;
  fault.is_write = write;
  return fault;
}

// Of several reports of one fault the one from the lowest block stays, so that a report does not depend on how blocks
// fell to OS threads. A worker takes blocks in ascending order, so its first report is its lowest.
void report(FaultRecord fault) {
  Worker& worker = *hot.worker;
  const uint64_t key = fault.site << 4 | static_cast<uint64_t>(fault.kind);
  if (!worker.reported.insert(key).second) return;
  Session& session = *worker.session;
  std::lock_guard<std::mutex> lock(session.mutex);
  const auto [entry, fresh] = session.fault_of.try_emplace(key, session.faults.size());
  if (fresh) {
    session.faults.push_back(fault);
  } else {
    FaultRecord& known = session.faults[entry->second];
    if (known.launch == fault.launch && fault.block < known.block) known = fault;
  }
  // Several sites may share a source line, so that more sites than lines are let through.
  if (static_cast<int>(session.faults.size()) >= 4 * session.options.max_reports) session.stop = true;
}

void fatal(const FaultRecord& fault) {
  report(fault);
  abandon_block();
}

// Ends a block that runs for ever. Called where a thread passes now and then, and always once interrupt() was called.
inline void check_time(const Worker& worker, uint64_t site) {
  if (!__builtin_expect(worker.session->expired.load(std::memory_order_relaxed), 0)) return;
  fatal(fault_at(kDeadlock, site));
}

}  // namespace gemmgen
