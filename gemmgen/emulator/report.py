"""The readable form of an emulation."""

from __future__ import annotations

import itertools
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from gemmgen.emulator.records import Emulation, Fault, Frame


def render(emulation: Emulation) -> str:
    """Return a paragraph for each fault, what was left unwritten, and the launches they happened in."""
    paragraphs = [_fault(fault) for fault in emulation.faults]
    paragraphs += [
        f"unwritten: {left.elements} elements of {left.region} were never written, [{left.row}, {left.column}] first."
        for left in emulation.unwritten
    ]
    if not paragraphs:
        return f"no fault, status {emulation.status}"
    for launch in emulation.launches:
        text = f"launch: {launch.kernel}, grid {launch.grid}, block {launch.block}, {launch.shared_bytes} bytes shared"
        paragraphs.append(text + (f", refused with error {launch.error}" if launch.error else ""))
    paragraphs += [f"{name}: {value}" for name, value in emulation.context.items()]
    return "\n".join(paragraphs)


def _fault(fault: Fault) -> str:
    lines = [f"{fault.kind} in {fault.kernel}: {fault.message}", *_source(fault.line, fault.source_text)]
    lines += _calls(fault.call_chain)
    if fault.other is not None and fault.other.line and fault.other.call_chain != fault.call_chain:
        lines += ["  against", *_source(fault.other.line, fault.other.source_text), *_calls(fault.other.call_chain)]
    return "\n".join(lines)


def _source(line: int, text: str) -> list[str]:
    return [f"  line {line}: {text}"] if line else ["  (no line known)"]


def _calls(chain: tuple[Frame, ...]) -> list[str]:
    callers = [f"{inner.function}, called in line {outer.line}" for inner, outer in itertools.pairwise(chain)]
    return [f"    in {caller}" for caller in callers] + [f"    in {frame.function}" for frame in chain[-1:]]
