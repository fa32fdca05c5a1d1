// One stack for each thread of a block, and the switch between them.
//
// A hand-written switch saves only what the calling convention makes the callee keep: 8 ns against 180 for swapcontext,
// which also asks the kernel for the signal mask.
#pragma once

#include "memory.h"

extern "C" void gemmgen_switch_stack(void** save, void* load) __attribute__((visibility("hidden")));
extern "C" void gemmgen_fiber_start() __attribute__((visibility("hidden")));
extern "C" __attribute__((visibility("hidden"), noreturn, used)) void gemmgen_fiber_main();

#if defined(__x86_64__)
asm(R"(
.text
.p2align 4
.hidden gemmgen_switch_stack
.globl gemmgen_switch_stack
.type gemmgen_switch_stack, @function
gemmgen_switch_stack:
  pushq %rbp
  pushq %rbx
  pushq %r12
  pushq %r13
  pushq %r14
  pushq %r15
  movq %rsp, (%rdi)
  movq %rsi, %rsp
  popq %r15
  popq %r14
  popq %r13
  popq %r12
  popq %rbx
  popq %rbp
  ret
.size gemmgen_switch_stack, .-gemmgen_switch_stack
.p2align 4
.hidden gemmgen_fiber_start
.globl gemmgen_fiber_start
.type gemmgen_fiber_start, @function
gemmgen_fiber_start:
  xorl %ebp, %ebp
  call gemmgen_fiber_main
  ud2
.size gemmgen_fiber_start, .-gemmgen_fiber_start
)");
#elif defined(__aarch64__)
asm(R"(
.text
.p2align 4
.hidden gemmgen_switch_stack
.globl gemmgen_switch_stack
.type gemmgen_switch_stack, %function
gemmgen_switch_stack:
  sub sp, sp, #160
  stp x19, x20, [sp, #0]
  stp x21, x22, [sp, #16]
  stp x23, x24, [sp, #32]
  stp x25, x26, [sp, #48]
  stp x27, x28, [sp, #64]
  stp x29, x30, [sp, #80]
  stp d8, d9, [sp, #96]
  stp d10, d11, [sp, #112]
  stp d12, d13, [sp, #128]
  stp d14, d15, [sp, #144]
  mov x9, sp
  str x9, [x0]
  mov sp, x1
  ldp x19, x20, [sp, #0]
  ldp x21, x22, [sp, #16]
  ldp x23, x24, [sp, #32]
  ldp x25, x26, [sp, #48]
  ldp x27, x28, [sp, #64]
  ldp x29, x30, [sp, #80]
  ldp d8, d9, [sp, #96]
  ldp d10, d11, [sp, #112]
  ldp d12, d13, [sp, #128]
  ldp d14, d15, [sp, #144]
  add sp, sp, #160
  ret
.size gemmgen_switch_stack, .-gemmgen_switch_stack
.p2align 4
.hidden gemmgen_fiber_start
.globl gemmgen_fiber_start
.type gemmgen_fiber_start, %function
gemmgen_fiber_start:
  mov x29, xzr
  bl gemmgen_fiber_main
  brk #1
.size gemmgen_fiber_start, .-gemmgen_fiber_start
)");
#else
#error "the emulator's context switch is written for x86-64 and aarch64"
#endif

namespace gemmgen {

// A thread of the device has at most 512 KB of local memory; a page below each stack turns an overflow into a stop.
constexpr size_t kStackBytes = 512 * 1024 + 16 * 1024;
constexpr size_t kStackStride = kStackBytes + kPage;

class Stacks {
 public:
  bool ensure(int threads) {
    if (threads <= guarded_) return true;
    if (!memory_.ensure(kStackStride * threads)) return false;
    for (int i = 0; i < threads; ++i) {
      if (mprotect(memory_.as<uint8_t>() + i * kStackStride, kPage, PROT_NONE) != 0) return false;
    }
    guarded_ = threads;
    return true;
  }

  bool contains(uintptr_t address) const { return address - begin() < memory_.size(); }
  uintptr_t begin() const { return reinterpret_cast<uintptr_t>(memory_.as<uint8_t>()); }
  size_t size() const { return memory_.size(); }

  // A stack pointer from which gemmgen_switch_stack enters gemmgen_fiber_start. Neighbouring stacks begin at different
  // offsets, so that they do not compete for the same cache sets.
  void* fresh(int thread) const {
    uint8_t* top = memory_.as<uint8_t>() + (thread + 1) * kStackStride - (thread / 16 % 4) * 1024 - 64;
#if defined(__x86_64__)
    void** frame = reinterpret_cast<void**>(top) - 9;  // six registers, the entry, and what keeps calls aligned
    frame[6] = reinterpret_cast<void*>(&gemmgen_fiber_start);
#else
    void** frame = reinterpret_cast<void**>(top) - 20;
    frame[11] = reinterpret_cast<void*>(&gemmgen_fiber_start);
#endif
    return frame;
  }

 private:
  Mapping memory_;
  int guarded_ = 0;
};

}  // namespace gemmgen
