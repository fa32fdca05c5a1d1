"""Vector clocks of threads and of engines that no block barrier orders."""

from __future__ import annotations

import subprocess

from gemmgen.emulator import toolchain

PROGRAM = r"""
#include "clocks.h"
#include <cstdio>
#define EXPECT(what) do { if (!(what)) { std::printf("line %d: %s\n", __LINE__, #what); failed = 1; } } while (0)

int main() {
  int failed = 0;
  gemmgen::Clocks clocks;
  clocks.reset(4, 1, 10);
  const int engine = 4;
  const int first = clocks.clock(0);
  EXPECT(clocks.ordered(0, 0, first));
  EXPECT(!clocks.ordered(1, 0, first));

  // Two threads meet: each knows the other's past, not what comes after; the third knows nothing.
  const int pair[] = {0, 1};
  clocks.meet(pair, 2);
  EXPECT(clocks.ordered(1, 0, first) && clocks.ordered(0, 1, first));
  EXPECT(!clocks.ordered(1, 0, clocks.clock(0)));
  EXPECT(!clocks.ordered(2, 0, first));

  // Knowledge is passed on.
  const int next[] = {1, 2};
  clocks.meet(next, 2);
  EXPECT(clocks.ordered(2, 0, first));
  EXPECT(!clocks.ordered(3, 0, first));
  EXPECT(!clocks.ordered(0, 2, first));

  // An engine's work is known to whoever acquires it, and to nobody by a block barrier alone.
  const int copied = clocks.clock(engine);
  gemmgen::Clocks::Vector* done = clocks.release(engine);
  clocks.join_block();
  EXPECT(!clocks.ordered(0, engine, copied));
  clocks.acquire(0, done);
  EXPECT(clocks.ordered(0, engine, copied));
  EXPECT(!clocks.ordered(1, engine, copied));
  EXPECT(!clocks.ordered(0, engine, clocks.clock(engine)));

  // A barrier after the acquire hands it on, and orders all threads.
  const int before = clocks.clock(3);
  clocks.join_block();
  EXPECT(clocks.ordered(1, engine, copied));
  EXPECT(clocks.ordered(0, 3, before) && clocks.ordered(2, 0, before));
  EXPECT(clocks.base() == clocks.clock(0) && !clocks.finer());
  clocks.drop(done);
  return failed;
}
"""


def test_clocks(tmp_path):
    command, _ = toolchain.compiler()
    source = tmp_path / "clocks.cpp"
    source.write_text(PROGRAM)
    program = tmp_path / "clocks"
    subprocess.run([*command, "-std=c++17", f"-I{toolchain.NATIVE}", str(source), "-o", str(program)], check=True)
    ran = subprocess.run([str(program)], capture_output=True, text=True, check=False)
    assert (ran.stdout, ran.returncode) == ("", 0)
