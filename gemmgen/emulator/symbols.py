"""Which source line an instruction of a compiled text belongs to, with the calls that were inlined into it."""

from __future__ import annotations

import re
import shutil
import subprocess
from typing import TYPE_CHECKING

from gemmgen.emulator.build import KERNEL_FILE
from gemmgen.emulator.records import Frame

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

_PLACE = re.compile(r"(?P<file>.*):(?P<line>\d+|\?)(?: \(discriminator \d+\))?")
_DEFINITION = re.compile(r"[A-Za-z_][^(]*?(?P<name>\w+)\(")
_ANONYMOUS = re.compile(r"(?:\w+_impl::)?\(anonymous namespace\)::")


def call_chains(path: Path, addresses: Iterable[int], text: list[str]) -> dict[int, tuple[Frame, ...]]:
    """Map return addresses, relative to where the module was loaded, to their frames, innermost first.

    `text` are the lines of the source.

    Frames of the shim are left out: an access belongs to the line of the emitted text that makes it. Where addr2line
    (binutils) is missing, no address has a frame.
    """
    wanted = sorted(set(addresses))
    tool = shutil.which("addr2line")
    if not wanted or tool is None:
        return {}
    # A return address is that of the next instruction; one byte before it lies in the call.
    ran = subprocess.run(
        [tool, "-e", str(path), "-a", "-i", "-f", "-C"],
        input="".join(f"{address - 1:#x}\n" for address in wanted), capture_output=True, text=True, check=False,
    )  # fmt: skip
    chains: dict[int, tuple[Frame, ...]] = {}
    for address, block in zip(wanted, re.split(r"^0x[0-9a-f]+\n", ran.stdout, flags=re.MULTILINE)[1:], strict=False):
        chains[address] = _frames(block.splitlines(), text)
    return chains


def _frames(lines: list[str], text: list[str]) -> tuple[Frame, ...]:
    frames = []
    for function, place in zip(lines[::2], lines[1::2], strict=False):
        match = _PLACE.fullmatch(place)
        if match and match["file"].endswith(KERNEL_FILE) and match["line"] != "?":
            frames.append(Frame(_ANONYMOUS.sub("", function), int(match["line"])))
    # addr2line may name the outermost function for the innermost frame, where the inlined body is scattered.
    if len(frames) > 1 and frames[0].function == frames[-1].function:
        frames[0] = Frame(_enclosing(text, frames[0].line) or frames[0].function, frames[0].line)
    # Where only a function of the shim was inlined, the function that calls it may appear twice.
    return tuple(frame for i, frame in enumerate(frames) if i == 0 or frame.function != frames[i - 1].function)


def _enclosing(text: list[str], line: int) -> str | None:
    """Name the function of emitted text, whose definitions begin in the first column, that holds the line."""
    for candidate in reversed(text[:line]):
        if candidate.startswith("}"):
            return None
        match = _DEFINITION.match(candidate)
        if match:
            return match["name"]
    return None
