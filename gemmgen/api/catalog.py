"""What is committed under ``generated/``: one small list, from which everything there can be written again."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from gemmgen.ir import Gemm, Schedule

if TYPE_CHECKING:
    from gemmgen.api.kernel import Kernel

__all__ = ["CATALOG", "CatalogEntry"]


@dataclass(frozen=True, slots=True)
class CatalogEntry:
    """One kernel of the catalogue.

    Attributes:
        title: what it shows, in a few words; unique.
        problem: what it computes.
        schedule: how.
        target: for what and everything above it.
        in_demo: whether ``gemmgen demo`` runs it.

    """

    title: str
    problem: Gemm
    schedule: Schedule
    target: str = "sm_80"
    in_demo: bool = False

    def generate(self) -> Kernel:
        """The kernel."""
        from gemmgen.api.kernel import generate

        return generate(self.problem, self.schedule, self.target)

    def to_dict(self) -> dict[str, object]:
        """The entry as plain data, with the names of its files."""
        symbol = self.generate().symbol
        return {
            "title": self.title,
            "symbol": symbol,
            "files": [f"{symbol}.cu", f"{symbol}.h"],
            "problem": self.problem.to_dict(),
            "schedule": self.schedule.to_dict(),
            "target": self.target,
        }


def _schedule(**fields: object) -> Schedule:
    return Schedule.from_dict(fields)


_PLAIN = Gemm()

# Each shows one idea more than the one before it, from one thread per element to double buffering.
CATALOG: tuple[CatalogEntry, ...] = (
    CatalogEntry(
        "naive",
        _PLAIN,
        # One thread an element, and the lanes of a warp walk down a column: every access of B and D is its own sector.
        _schedule(cta_tile=(32, 32, 8), warp_tile=(32, 1), thread_tile=(1, 1), copy="direct"),
        target="sm_70",
        in_demo=True,
    ),
    CatalogEntry(
        "coalesced",
        _PLAIN,
        _schedule(cta_tile=(32, 32, 8), warp_tile=(1, 32), thread_tile=(1, 1), copy="direct"),
        in_demo=True,
    ),
    CatalogEntry(
        "shared tile",
        _PLAIN,
        _schedule(cta_tile=(32, 32, 32), thread_tile=(1, 1)),
        target="sm_70",
        in_demo=True,
    ),
    CatalogEntry("thread tile 4x4", _PLAIN, _schedule(cta_tile=(64, 64, 16), thread_tile=(4, 4)), in_demo=True),
    CatalogEntry("thread tile 8x8", _PLAIN, _schedule(cta_tile=(128, 128, 8), thread_tile=(8, 8))),
    CatalogEntry(
        "float4",
        _PLAIN,
        _schedule(cta_tile=(128, 128, 8), thread_tile=(8, 8), vector_a=4, vector_b=4, vector_c=4),
        in_demo=True,
    ),
    CatalogEntry(
        "padded",
        _PLAIN,
        _schedule(cta_tile=(128, 128, 8), thread_tile=(8, 8), vector_a=4, vector_b=4, vector_c=4, smem_a="padded(4)"),
    ),
    CatalogEntry(
        "warp tile",
        _PLAIN,
        _schedule(
            cta_tile=(128, 128, 8),
            warp_tile=(64, 32),
            thread_tile=(8, 8),
            thread_layout="quads",
            vector_a=4,
            vector_b=4,
            vector_c=4,
            smem_a="padded(4)",
            raster="grouped(8)",
        ),
    ),
    CatalogEntry(
        "double buffer",
        _PLAIN,
        _schedule(
            cta_tile=(128, 128, 8),
            warp_tile=(64, 32),
            thread_tile=(8, 8),
            thread_layout="quads",
            vector_a=4,
            vector_b=4,
            vector_c=4,
            smem_a="padded(4)",
            stages=2,
            fragment_buffers=2,
        ),
        in_demo=True,
    ),
    CatalogEntry(
        "nt, both K-contiguous",
        Gemm(b_layout="col"),
        _schedule(
            cta_tile=(64, 64, 16),
            warp_tile=(32, 16),
            thread_tile=(4, 4),
            vector_a=4,
            vector_b=4,
            vector_c=4,
            smem_a="padded(4)",
            smem_b="padded(4)",
        ),
    ),
    CatalogEntry(
        "tn",
        Gemm(a_layout="col"),
        _schedule(
            cta_tile=(64, 64, 16), warp_tile=(32, 16), thread_tile=(4, 4), vector_a=4, vector_b=4, vector_c=4, stages=2
        ),
    ),
    CatalogEntry(
        "tt into a column-major D",
        Gemm(a_layout="col", b_layout="col", c_layout="col"),
        _schedule(cta_tile=(64, 32, 16), thread_tile=(4, 2), vector_a=4, vector_b=2, vector_c=4, raster="column"),
    ),
    CatalogEntry(
        "fixed size",
        Gemm(m=256, n=256, k=64),
        _schedule(cta_tile=(64, 64, 16), thread_tile=(4, 4), vector_a=4, vector_b=4, vector_c=4),
    ),
    CatalogEntry(
        "swizzled",
        _PLAIN,
        # B's lines are not padded: groups of 4 elements trade places instead, which costs no shared memory.
        _schedule(
            cta_tile=(64, 64, 16),
            warp_tile=(32, 32),
            thread_tile=(8, 4),
            vector_a=4,
            vector_b=4,
            vector_c=4,
            smem_a="padded(4)",
            smem_b="swizzled(3, 2, 4)",
            raster="hilbert",
        ),
    ),
    CatalogEntry(
        "double precision",
        Gemm(a="f64", b="f64", c="f64", acc="f64"),
        _schedule(
            cta_tile=(64, 64, 8),
            warp_tile=(32, 16),
            thread_tile=(4, 4),
            thread_layout="quads",
            mma="dfma",
            vector_a=2,
            vector_b=2,
            vector_c=2,
            smem_a="padded(2)",
            stages=2,
        ),
        target="sm_70",
    ),
    CatalogEntry(
        "accumulated in double",
        Gemm(acc="f64"),
        _schedule(cta_tile=(64, 64, 8), thread_tile=(4, 4), mma="dfma", vector_a=4, vector_b=4, vector_c=4),
    ),
)
