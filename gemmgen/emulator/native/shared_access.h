// Accesses to shared memory that the fast path could not settle: uninitialised words, races, bytes and halfwords.
#pragma once

#include "faults.h"

namespace gemmgen {

// Byte-wise history, for words that were ever accessed in part.
struct ByteTables {
  int32_t* write_stamp;
  int32_t* read_stamp;
  uint32_t* write_origin;
  uint32_t* read_origin;
  int32_t* reads;  // of thread t at t * stride * 4
  size_t stride;

  static ByteTables of(SharedShadow& shadow) {
    const size_t bytes = SharedShadow::kBytes;
    int32_t* table = shadow.byte_tables.as<int32_t>();
    return {table, table + bytes, reinterpret_cast<uint32_t*>(table + 2 * bytes),
            reinterpret_cast<uint32_t*>(table + 3 * bytes), shadow.byte_reads.as<int32_t>(), shadow.stride * 4};
  }
};

// From here on each byte of the word has a history of its own, which starts as the word's.
inline void track_bytes(Worker& worker, size_t word) {
  SharedShadow& shadow = worker.shadow;
  if (shadow.detailed[word]) return;
  if (!shadow.byte_tables.ensure(SharedShadow::kBytes * 16) ||
      !shadow.byte_reads.ensure(shadow.stride * 16 * worker.threads)) {
    worker.session->stop = true;
    abandon_block();
  }
  shadow.detailed[word] = 1;
  shadow.any_detailed = true;
  const ByteTables bytes = ByteTables::of(shadow);
  for (size_t b = word * 4; b < word * 4 + 4; ++b) {
    bytes.write_stamp[b] = hot.write_stamp[word];
    bytes.read_stamp[b] = hot.read_stamp[word];
    bytes.write_origin[b] = hot.write_origin[word];
    bytes.read_origin[b] = hot.read_origin[word];
    if (hot.read_stamp[word] < worker.clocks.base()) continue;
    for (int t = 0; t < worker.threads; ++t) bytes.reads[t * bytes.stride + b] = shadow.reads_of(t)[word];
  }
  hot.write_stamp[word] = kNoStamp;
}

// One cell of a history, a word or a byte, and the access under way.
struct Cell {
  int32_t* write_stamp;
  int32_t* read_stamp;
  uint32_t* write_origin;
  uint32_t* read_origin;
  int32_t* reads;  // thread t's is at reads[t * stride]
  size_t stride;
};

struct Step {
  uint64_t offset;
  int bytes;
  bool write;
  uint64_t site;
  const SiteInfo* info;
};

inline void report_shared(FaultKind kind, const Step& step, Party party, uint32_t origin, int other) {
  FaultRecord fault = access_fault(kind, kSharedSpace, step.offset, step.bytes, step.write, step.site);
  fault.place = step.info->member;
  fault.party = party;
  fault.other_thread = other;
  if (party != kNobody) {
    fault.other_block = hot.worker->block;
    if (static_cast<int>(origin >> 16) == other) fault.other_site = hot.worker->session->site_at(origin & 0xffff);
  }
  report(fault);
}

inline void check_readers(Worker& worker, const Cell& cell, const Step& step) {
  const int32_t base = worker.clocks.base();
  if (*cell.read_stamp < base) return;
  const int self = static_cast<int>(hot.thread);
  // The last reader first: its line is known.
  const int last = static_cast<int>(*cell.read_origin >> 16);
  for (int i = -1; i < worker.threads; ++i) {
    const int t = i < 0 ? last : i;
    const int32_t stamp = cell.reads[t * cell.stride];
    if (t == self || stamp < base || worker.clocks.ordered(self, t, stamp)) continue;
    report_shared(kSharedRace, step, kReader, *cell.read_origin, t);
    return;
  }
}

inline void access_cell(Worker& worker, const Cell& cell, const Step& step) {
  const int self = static_cast<int>(hot.thread);
  const int32_t clock = worker.clocks.clock(self);
  const int32_t written = *cell.write_stamp;
  if (written == kNoStamp) {
    if (!step.write) report_shared(kUninitialisedShared, step, kNobody, 0, -1);
  } else if (written >= worker.clocks.base()) {
    const int writer = static_cast<int>(*cell.write_origin >> 16);
    if (!worker.clocks.ordered(self, writer, written)) {
      report_shared(kSharedRace, step, kWriter, *cell.write_origin, writer);
    }
  }
  if (step.write) {
    check_readers(worker, cell, step);
    *cell.write_stamp = clock;
    *cell.write_origin = origin_of(self, step.info->index);
  } else {
    *cell.read_stamp = clock;
    *cell.read_origin = origin_of(self, step.info->index);
    cell.reads[self * cell.stride] = clock;
  }
}

// The access lies within one member and within the launch's shared memory.
inline void access_shared(Worker& worker, const Step& step) {
  SharedShadow& shadow = worker.shadow;
  for (uint64_t at = step.offset; at < step.offset + step.bytes;) {
    const size_t word = at / 4;
    if (step.bytes >= 4 && at % 4 == 0 && !shadow.detailed[word]) {
      const Cell cell = {hot.write_stamp + word, hot.read_stamp + word,           hot.write_origin + word,
                         hot.read_origin + word, shadow.reads.as<int32_t>() + word, shadow.stride};
      access_cell(worker, cell, step);
      at += 4;
      continue;
    }
    track_bytes(worker, word);
    const ByteTables bytes = ByteTables::of(shadow);
    access_cell(worker,
                {bytes.write_stamp + at, bytes.read_stamp + at, bytes.write_origin + at, bytes.read_origin + at,
                 bytes.reads + at, bytes.stride},
                step);
    ++at;
  }
}

}  // namespace gemmgen
