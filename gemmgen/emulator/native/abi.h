// The records that cross from the runtime to Python; gemmgen/emulator/binding.py declares the same ones.
#pragma once

#include <cstddef>
#include <cstdint>

namespace gemmgen {

// The order is that of FAULT_KINDS in gemmgen/emulator/records.py.
enum FaultKind : int32_t {
  kOutOfBounds,
  kMisaligned,
  kUninitialisedShared,
  kSharedRace,
  kGlobalRace,
  kBarrierDivergence,
  kDeadlock,
  kWriteToReadOnly,
  kReadOfUnwritten,
};

enum Space : int32_t { kNoSpace, kSharedSpace, kGlobalSpace };

// How the other party of a fault was met.
enum Party : int32_t { kNobody, kReader, kWriter, kExited, kAtBlockBarrier, kAtWarpBarrier };

struct RegionRecord {
  uint64_t address;
  int64_t rows, row_bytes, pitch_bytes;
  int32_t item_bytes;
  uint8_t readable, writable, initialised, must_write;
};

struct MemberRecord {
  int64_t offset, bytes;
};

struct OptionsRecord {
  int32_t threads, max_reports, counts, checks;
  int32_t capability, shared_optin, multiprocessors, spare;
  double timeout;  // seconds of one launch, 0: none
};

struct FaultRecord {
  int32_t kind, space, launch, thread;
  int64_t block;
  uint64_t site, address;
  int32_t bytes, is_write, place, line;  // place: index of the region or shared member, -1 when there is none
  int32_t party, other_thread;
  int64_t other_block;
  uint64_t other_site;
  int32_t other_line, soft;  // soft: only a fault if the two sites differ in the source
};

struct LaunchRecord {
  char kernel[256];
  uint32_t grid[3], block[3];
  int64_t shared_bytes;
  int32_t error, argument_count;
  int64_t arguments_offset;  // into the session's argument bytes, each argument as 4-byte size and value
};

struct CountRecord {
  uint64_t site;
  int32_t bytes, space, is_write, spare;
  int64_t requests, wavefronts, passes, sectors, ideal_sectors;
};

struct UnwrittenRecord {
  int32_t region, spare;
  int64_t elements, first_row, first_column;
};

}  // namespace gemmgen
