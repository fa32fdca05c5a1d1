"""One call of a kernel as data, and what is tested: the kernel, the backend that runs it, what it showed.

A `Case` holds sizes, paddings, offsets and scalars; arrays follow from its seed.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any, Protocol

from gemmgen.errors import ArgumentError

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import NDArray

    from gemmgen.ir import Gemm, Schedule
    from gemmgen.plan import Plan
    from gemmgen.target import Target

    Array = NDArray[Any]

MATRICES = ("A", "B", "C", "D")


class Kernel(Protocol):
    """What is tested: a `gemmgen.emit.Emitted`, a `gemmgen.api.Kernel`, or anything else with these."""

    @property
    def problem(self) -> Gemm:
        """What it computes."""
        ...

    @property
    def schedule(self) -> Schedule:
        """How."""
        ...

    @property
    def target(self) -> Target:
        """Where."""
        ...

    @property
    def source(self) -> str:
        """The emitted text."""
        ...

    @property
    def symbol(self) -> str:
        """The launcher's name."""
        ...

    @property
    def plan(self) -> Plan:
        """What the text was printed from."""
        ...


@dataclass(frozen=True, slots=True)
class Outcome:
    """What a backend saw: the launcher's status, faults as text, and the kernel that was launched ("" if none)."""

    status: int
    faults: tuple[str, ...] = ()
    path: str = ""


class Backend(Protocol):
    """Runs a kernel somewhere. Arrays are (M, K), (K, N), (M, N), (M, N) with strides as the problem's layouts ask."""

    def run(self, kernel: Kernel, a: Array, b: Array, c: Array | None, d: Array, alpha: float, beta: float) -> Outcome:
        """Call the kernel's launcher, which writes D into `d`. `c` is None only if `beta` is 0; it may be `d`."""


@dataclass(frozen=True, slots=True)
class Case:
    """One call: sizes, what each of A, B, C, D has beyond the least, and the scalars.

    `paddings` are elements of leading dimension beyond the width, `offsets` elements between a 256-byte aligned base
    and the first element. `in_place` makes D the same memory as C; `give_c` False passes none when beta is 0.
    """

    m: int
    n: int
    k: int
    paddings: tuple[int, int, int, int] = (0, 0, 0, 0)
    offsets: tuple[int, int, int, int] = (0, 0, 0, 0)
    alpha: float = 1.0
    beta: float = 0.0
    in_place: bool = False
    give_c: bool = True
    specials: bool = False
    seed: int = 0

    @property
    def shape(self) -> tuple[int, int, int]:
        """(M, N, K)."""
        return self.m, self.n, self.k

    def to_dict(self) -> dict[str, Any]:
        """Plain data, as JSON writes it."""
        return {name: list(value) if isinstance(value, tuple) else value for name, value in asdict(self).items()}

    @classmethod
    def from_dict(cls, raw: Mapping[str, Any]) -> Case:
        """Read what `to_dict` wrote. Raises ArgumentError, naming every field that is not as it should be."""
        wrong = [f"{name}={value!r}" for name, value in raw.items() if not _READERS.get(name, _never)(value)]
        wrong += [f"no {name}" for name in ("m", "n", "k") if name not in raw]
        if wrong:
            raise ArgumentError(f"the recorded call can not be read: {', '.join(wrong)}.")
        fields: dict[str, Any] = {
            name: tuple(value) if isinstance(value, list) else value for name, value in raw.items()
        }
        return cls(**fields)

    def __str__(self) -> str:
        """Name the sizes, and whatever is not as plain as can be."""
        parts = [f"M={self.m} N={self.n} K={self.k}", f"alpha={self.alpha!r} beta={self.beta!r}"]
        for label, values in (("padding", self.paddings), ("offset", self.offsets)):
            parts += [f"{label} {name}={value}" for name, value in zip(MATRICES, values, strict=True) if value]
        parts += ["D is C"] * self.in_place + ["no C"] * (not self.give_c) + ["NaN/Inf"] * self.specials
        return ", ".join([*parts, f"seed={self.seed}"])


def _never(value: object) -> bool:
    del value
    return False


def _is_count(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and value >= 0


def _is_counts(value: object) -> bool:
    return isinstance(value, list | tuple) and len(value) == len(MATRICES) and all(map(_is_count, value))


def _is_number(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _is_flag(value: object) -> bool:
    return isinstance(value, bool)


_READERS = {
    **dict.fromkeys(("m", "n", "k", "seed"), _is_count),
    **dict.fromkeys(("paddings", "offsets"), _is_counts),
    **dict.fromkeys(("alpha", "beta"), _is_number),
    **dict.fromkeys(("in_place", "give_c", "specials"), _is_flag),
}


@dataclass(frozen=True, slots=True)
class Failure:
    """What a case showed to be wrong.

    `kind` is "status", "fault", "path", "guard", "input_changed", "unwritten", "oracle", or "crash" when the process
    that ran it died. All fields are plain data: `document` holds what `gemmgen.testing.check.replay` takes.
    """

    kind: str
    mode: str
    message: str
    problem: dict[str, Any]
    schedule: dict[str, Any]
    target: str
    case: dict[str, Any]

    def document(self) -> dict[str, Any]:
        """Everything needed to run the case again."""
        return {"problem": self.problem, "schedule": self.schedule, "target": self.target, "case": self.case}

    def __str__(self) -> str:
        return f"{self.kind} ({self.mode} data): {self.message}\n  case: {Case.from_dict(self.case)}"
