"""From the runtime's records to faults and counts that name source lines, matrices and threads."""

from __future__ import annotations

import itertools
from typing import TYPE_CHECKING, Any

from gemmgen.emulator import symbols
from gemmgen.emulator.describe import describe
from gemmgen.emulator.records import FAULT_KINDS, WARP_LANES, Fault, Frame, Launch, LineCount, Party, Unwritten

if TYPE_CHECKING:
    from collections.abc import Sequence

    from gemmgen.emulator.binding import Runtime
    from gemmgen.emulator.build import Module
    from gemmgen.emulator.records import Region, SharedMember

_SHARED, _GLOBAL = 1, 2
_PARTIES = ("", "read", "write", "exited", "at_block_barrier", "at_warp_barrier")
_SUFFIX = {1: "u8", 2: "u16", 4: "b32", 8: "v2.b32", 16: "v4.b32"}

# Kinds after which a block does not go on.
_ABANDONING = frozenset(FAULT_KINDS) - {"uninitialised_shared", "shared_race", "global_race"}

Triple = tuple[int, int, int]


def _unflatten(index: int, extent: Triple) -> Triple:
    return index % extent[0], index // extent[0] % extent[1], index // extent[0] // extent[1]


class Decoder:
    """Reads one finished session."""

    def __init__(
        self,
        runtime: Runtime,
        session: int,
        module: Module,
        source: str,
        regions: Sequence[Region],
        members: Sequence[SharedMember],
    ) -> None:
        """Copy the session's records and resolve all their addresses at once."""
        self._regions = regions
        self._members = members
        self._base = module.base
        self._text = source.split("\n")
        self._faults: list[Any] = runtime.results(session, "faults")
        self._counts: list[Any] = runtime.results(session, "counts")
        self._unwritten: list[Any] = runtime.results(session, "unwritten")
        self.launches = _launches(runtime.results(session, "launches"), runtime.argument_bytes(session))
        sites = itertools.chain(
            (f.site for f in self._faults), (f.other_site for f in self._faults), (c.site for c in self._counts)
        )
        self._chains = symbols.call_chains(module.path, (site - module.base for site in sites if site), self._text)

    def _chain(self, site: int) -> tuple[Frame, ...]:
        return self._chains.get(site - self._base, ()) if site else ()

    def _line_text(self, line: int) -> str:
        return self._text[line - 1].strip() if 0 < line <= len(self._text) else ""

    def faults(self, most: int) -> tuple[Fault, ...]:
        """Return the faults, the first of each kind and source line (with its callers)."""
        found: dict[tuple[object, ...], Fault] = {}
        for record in sorted(self._faults, key=lambda r: (r.launch, r.block)):
            if record.soft and self._chain(record.site) == self._chain(record.other_site):
                continue
            fault = self._fault(record)
            found.setdefault((fault.kind, fault.kernel, fault.line, fault.lines), fault)
        return tuple(found.values())[:most]

    def _fault(self, record: Any) -> Fault:
        launch = self.launches[record.launch] if record.launch < len(self.launches) else None
        block_extent = launch.block if launch else (1024, 1, 1)
        chain = self._chain(record.site)
        line = chain[0].line if chain else record.line
        place = self._place(record)
        fault = Fault(
            kind=FAULT_KINDS[record.kind],
            message="",
            kernel=launch.kernel if launch else "",
            line=line,
            source_text=self._line_text(line),
            call_chain=chain,
            thread=_unflatten(record.thread, block_extent),
            warp=record.thread // WARP_LANES,
            lane=record.thread % WARP_LANES,
            block=_unflatten(record.block, launch.grid if launch else (1 << 31, 1, 1)),
            address=record.address,
            other=self._party(record, launch),
            **place,
        )
        return describe(fault, record, self._regions, self._members)

    def _party(self, record: Any, launch: Launch | None) -> Party | None:
        if not record.party or launch is None:
            return None
        chain = self._chain(record.other_site)
        line = chain[0].line if chain else record.other_line
        return Party(
            action=_PARTIES[record.party],
            thread=_unflatten(record.other_thread, launch.block),
            block=_unflatten(record.other_block, launch.grid),
            line=line,
            source_text=self._line_text(line),
            call_chain=chain,
        )

    def _place(self, record: Any) -> dict[str, Any]:
        """Name what was touched: region, row and column, or member and offset."""
        if record.space == _SHARED:
            offset = record.address - (record.address >> 63 << 64)  # it may lie before the start
            if record.place >= 0:
                member = self._members[record.place]
                return {"region": member.name, "offset": offset - member.offset}
            return {"region": "shared memory", "offset": offset}
        if record.space == _GLOBAL and record.place >= 0:
            region = self._regions[record.place]
            pitch = max(1, region.pitch_bytes, region.row_bytes)
            row, rest = divmod(record.address - region.address, pitch)
            column = rest // max(1, region.item_bytes)
            row, column = (column, row) if region.transposed else (row, column)
            return {"region": region.name, "row": row, "column": column}
        return {}

    def counts(self) -> tuple[LineCount, ...]:
        """Return the counts by source line (with its callers) and instruction, in the order of the text."""
        sums: dict[tuple[tuple[Frame, ...], str], list[int]] = {}
        for record in self._counts:
            verb, space = "st" if record.is_write else "ld", "shared" if record.space == _SHARED else "global"
            key = (self._chain(record.site), f"{verb}.{space}.{_SUFFIX[record.bytes]}")
            values = (record.requests, record.wavefronts, record.passes, record.sectors, record.ideal_sectors)
            sums[key] = [a + b for a, b in zip(sums.get(key, [0] * 5), values, strict=True)]
        found = []
        for (chain, instruction), (requests, wavefronts, passes, sectors, ideal) in sums.items():
            line = chain[0].line if chain else 0
            found.append(
                LineCount(
                    line, self._line_text(line), chain, instruction, requests, wavefronts, passes,
                    wavefronts - passes, sectors, ideal,
                )
            )  # fmt: skip
        return tuple(sorted(found, key=lambda c: ([f.line for f in reversed(c.call_chain)], c.instruction)))

    def unwritten(self, status: int) -> tuple[Unwritten, ...]:
        """Return the output regions with elements that no launch wrote.

        Where a launcher refused, or a block was abandoned, that is no fault of its own.
        """
        if status != 0 or any(FAULT_KINDS[record.kind] in _ABANDONING for record in self._faults):
            return ()
        found = []
        for record in self._unwritten:
            region = self._regions[record.region]
            row, column = record.first_row, record.first_column
            row, column = (column, row) if region.transposed else (row, column)
            found.append(Unwritten(region.name, record.elements, row, column))
        return tuple(found)


def _launches(records: list[Any], values: bytes) -> tuple[Launch, ...]:
    launches = []
    for record in records:
        arguments = []
        at = record.arguments_offset
        for _ in range(record.argument_count):
            size = int.from_bytes(values[at : at + 4], "little")
            arguments.append(values[at + 4 : at + 4 + size])
            at += 4 + size
        launches.append(
            Launch(
                record.kernel.decode(), tuple(record.grid), tuple(record.block), record.shared_bytes, tuple(arguments),
                record.error,
            )
        )  # fmt: skip
    return tuple(launches)
