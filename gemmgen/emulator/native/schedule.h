// Which thread of the block runs: barriers, the end of a thread, and what to do when nobody can go on.
#pragma once

#include "access.h"

namespace gemmgen {

inline void enter_thread(Worker& worker, int thread) {
  hot.thread = static_cast<uint32_t>(thread);
  hot.fiber = &worker.fibers[thread];
  hot.clock4 = four(worker.clocks.clock(thread));
  hot.own_reads = worker.shadow.reads_of(thread);
}

inline void switch_to(Worker& worker, int thread) {
  Fiber& from = *hot.fiber;
  enter_thread(worker, thread);
  gemmgen_switch_stack(&from.stack_pointer, hot.fiber->stack_pointer);
}

inline void leave_block(Worker& worker) {
  void* abandoned;
  gemmgen_switch_stack(&abandoned, worker.scheduler_stack);
  __builtin_unreachable();
}

void abandon_block() {
  leave_block(*hot.worker);
  __builtin_unreachable();
}

inline int next_ready(const Worker& worker) {
  const int self = static_cast<int>(hot.thread);
  for (int i = 1; i <= worker.threads; ++i) {
    const int thread = self + i < worker.threads ? self + i : self + i - worker.threads;
    if (worker.fibers[thread].state == kReady) return thread;
  }
  return -1;
}

inline Party party_of(const Fiber& fiber) {
  if (fiber.state == kFinished) return kExited;
  return fiber.state == kWaitsForWarp ? kAtWarpBarrier : kAtBlockBarrier;
}

// One thread waits where another does not.
inline FaultRecord waiting_fault(const Worker& worker, FaultKind kind, int thread, int other) {
  const Fiber& first = worker.fibers[thread];
  const Fiber& second = worker.fibers[other];
  FaultRecord fault = fault_at(kind, first.wait_site);
  fault.thread = thread;
  fault.line = first.wait_line;
  fault.is_write = first.state == kWaitsForWarp;  // which barrier it waits at
  fault.party = party_of(second);
  fault.other_thread = other;
  fault.other_block = worker.block;
  if (second.state != kFinished) {
    fault.other_site = second.wait_site;
    fault.other_line = second.wait_line;
  }
  return fault;
}

// Nobody is ready although some thread has not finished.
[[noreturn]] inline void stuck(const Worker& worker) {
  int waiting = -1, at_warp = -1, other = -1;
  for (int t = 0; t < worker.threads; ++t) {
    const FiberState state = worker.fibers[t].state;
    if (state == kWaitsForBlock && waiting < 0) waiting = t;
    if (state == kWaitsForWarp && at_warp < 0) at_warp = t;
  }
  if (at_warp >= 0) {
    // Whoever its mask names and is not there.
    const int warp = at_warp / kLanes * kLanes;
    for (int t = warp; t < std::min(worker.threads, warp + kLanes); ++t) {
      const Fiber& fiber = worker.fibers[t];
      const bool named = (worker.fibers[at_warp].wait_mask >> (t - warp) & 1u) != 0;
      if (named && (fiber.state != kWaitsForWarp || fiber.wait_mask != worker.fibers[at_warp].wait_mask)) other = t;
    }
    fatal(waiting_fault(worker, kDeadlock, at_warp, other < 0 ? at_warp : other));
  }
  for (int t = worker.threads - 1; t >= 0; --t) {
    if (worker.fibers[t].state == kFinished) other = t;
  }
  fatal(waiting_fault(worker, kBarrierDivergence, waiting, other < 0 ? waiting : other));
}

inline void run_another(Worker& worker) {
  const int next = next_ready(worker);
  if (next < 0) stuck(worker);
  switch_to(worker, next);
}

// All threads have arrived: they have to be at the same barrier of the source.
inline void check_same_barrier(const Worker& worker) {
  const Fiber& first = worker.fibers[0];
  for (int t = 1; t < worker.threads; ++t) {
    const Fiber& fiber = worker.fibers[t];
    if (fiber.wait_site == first.wait_site && fiber.wait_line == first.wait_line) continue;
    FaultRecord fault = waiting_fault(worker, kBarrierDivergence, 0, t);
    if (fiber.wait_line != first.wait_line) fatal(fault);
    // The compiler may have cloned the barrier: the debug information tells whether the two are one in the source.
    fault.soft = 1;
    report(fault);
    return;
  }
}

inline void block_barrier(uint64_t site, int line) {
  Worker& worker = *hot.worker;
  Fiber& self = *hot.fiber;
  check_time(worker, site);
  self.state = kWaitsForBlock;
  self.wait_site = site;
  self.wait_line = line;
  if (++worker.arrived < worker.threads) return run_another(worker);
  check_same_barrier(worker);
  worker.arrived = 0;
  for (Fiber& fiber : worker.fibers) fiber.state = kReady;
  worker.clocks.join_block();
  hot.base4 = four(worker.clocks.base());
  hot.clock4 = hot.base4;
  if (worker.counting) worker.counter.flush();
  if (hot.thread != 0) switch_to(worker, 0);
}

inline void warp_barrier(uint32_t mask, uint64_t site, int line) {
  Worker& worker = *hot.worker;
  Fiber& self = *hot.fiber;
  const int warp = static_cast<int>(hot.thread) / kLanes * kLanes;
  check_time(worker, site);
  self.state = kWaitsForWarp;
  self.wait_site = site;
  self.wait_line = line;
  self.wait_mask = mask | 1u << (hot.thread % kLanes);
  int arrived[kLanes] = {};
  int count = 0;
  for (int t = warp; t < std::min(worker.threads, warp + kLanes); ++t) {
    if ((self.wait_mask >> (t - warp) & 1u) == 0 || worker.fibers[t].state == kFinished) continue;
    const Fiber& other = worker.fibers[t];
    if (other.state != kWaitsForWarp || other.wait_mask != self.wait_mask) return run_another(worker);
    arrived[count++] = t;
  }
  worker.clocks.meet(arrived, count);
  for (int i = 0; i < count; ++i) worker.fibers[arrived[i]].state = kReady;
  hot.clock4 = four(worker.clocks.clock(static_cast<int>(hot.thread)));
}

inline void finish_thread() {
  Worker& worker = *hot.worker;
  hot.fiber->state = kFinished;
  if (++worker.finished == worker.threads) leave_block(worker);
  run_another(worker);
}

}  // namespace gemmgen

void gemmgen_fiber_main() {
  const gemmgen::Launch& launch = *gemmgen::hot.worker->launch;
  launch.invoke(launch.kernel, launch.arguments.data());
  gemmgen::finish_thread();
  __builtin_unreachable();
}

extern "C" {
void gemmgen_block_barrier(int line) {
  gemmgen::block_barrier(reinterpret_cast<uint64_t>(__builtin_return_address(0)), line);
}
void gemmgen_warp_barrier(unsigned mask, int line) {
  gemmgen::warp_barrier(mask, reinterpret_cast<uint64_t>(__builtin_return_address(0)), line);
}
void gemmgen_warp_iteration() { ++gemmgen::hot.fiber->marks; }
gemmgen::Index3 gemmgen_thread_index() { return gemmgen::hot.fiber->index; }
gemmgen::Index3 gemmgen_block_index() { return gemmgen::hot.worker->block_index; }
gemmgen::Index3 gemmgen_block_size() {
  const uint32_t* size = gemmgen::hot.worker->launch->record.block;
  return {size[0], size[1], size[2]};
}
gemmgen::Index3 gemmgen_grid_size() {
  const uint32_t* size = gemmgen::hot.worker->launch->record.grid;
  return {size[0], size[1], size[2]};
}
unsigned char* gemmgen_shared_memory() { return gemmgen::hot.shared; }
}
