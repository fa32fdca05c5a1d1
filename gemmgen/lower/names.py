"""Names of emitted things: the symbol grammar, and the check of a name that the user chose.

A symbol reads ``gemm_<types>_<op>_<BMxBNxBK>_<WMxWN>_<TMxTN>_s<stages>_<epilogue>_sm<arch>_<hash>``:

* ``types``: ``f32`` when A, B, C and the accumulator agree, otherwise the four joined by ``x``;
* ``op``: one letter each for A and B (``n`` row-major, ``t`` column-major), then ``t`` if C and D are column-major;
* ``WMxWN``: ``cta`` when there is no warp tile;
* ``hash``: the first 16 hexadecimal digits of the SHA-256 of the canonical (problem, schedule, target), so that two
  kernels that differ in anything differ in name.
"""

from __future__ import annotations

import hashlib
import re
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING

from gemmgen.errors import Diagnostic, ScheduleError
from gemmgen.ir.serial import canonical
from gemmgen.ir.text import show

if TYPE_CHECKING:
    from gemmgen.ir import Gemm, Schedule
    from gemmgen.target import Target

__all__ = ["SymbolParts", "check_name", "parse_symbol", "symbol_for"]

MAX_NAME_LENGTH = 200
_IDENTIFIER = re.compile(r"[A-Za-z][A-Za-z0-9_]*")
_KEYWORDS = frozenset(
    [
        "alignas",
        "alignof",
        "and",
        "and_eq",
        "asm",
        "auto",
        "bitand",
        "bitor",
        "bool",
        "break",
        "case",
        "catch",
        "char",
        "char8_t",
        "char16_t",
        "char32_t",
        "class",
        "compl",
        "concept",
        "const",
        "consteval",
        "constexpr",
        "constinit",
        "const_cast",
        "continue",
        "co_await",
        "co_return",
        "co_yield",
        "decltype",
        "default",
        "delete",
        "do",
        "double",
        "dynamic_cast",
        "else",
        "enum",
        "explicit",
        "export",
        "extern",
        "false",
        "float",
        "for",
        "friend",
        "goto",
        "if",
        "inline",
        "int",
        "long",
        "mutable",
        "namespace",
        "new",
        "noexcept",
        "not",
        "not_eq",
        "nullptr",
        "operator",
        "or",
        "or_eq",
        "private",
        "protected",
        "public",
        "register",
        "reinterpret_cast",
        "requires",
        "restrict",
        "return",
        "short",
        "signed",
        "sizeof",
        "static",
        "static_assert",
        "static_cast",
        "struct",
        "switch",
        "template",
        "this",
        "thread_local",
        "throw",
        "true",
        "try",
        "typedef",
        "typeid",
        "typename",
        "union",
        "unsigned",
        "using",
        "virtual",
        "void",
        "volatile",
        "wchar_t",
        "while",
        "xor",
        "xor_eq",
    ]
)
# How the names begin that CUDA and gemmgen declare.
_TAKEN_PREFIXES = ("cuda", "gemmgen", "GEMMGEN")
_SYMBOL = re.compile(
    r"gemm_(?P<types>[a-z0-9]+)_(?P<op>[nt]{2}t?)_(?P<cta_tile>\d+x\d+x\d+)_(?P<warp_tile>\d+x\d+|cta)"
    r"_(?P<thread_tile>\d+x\d+|mma)_s(?P<stages>\d+)_(?P<epilogue>[a-z0-9]+)_sm(?P<target>\d+[af]?)"
    r"_(?P<digest>[0-9a-f]{16})"
)


@dataclass(frozen=True, slots=True)
class SymbolParts:
    """What a generated symbol says, as text."""

    types: str
    op: str
    cta_tile: str
    warp_tile: str
    thread_tile: str
    stages: str
    epilogue: str
    target: str
    digest: str


def parse_symbol(symbol: str) -> SymbolParts:
    """Read a generated symbol back; ``ValueError`` if it does not follow the grammar."""
    match = _SYMBOL.fullmatch(symbol)
    if match is None:
        message = f"{symbol!r} is not a generated symbol: see gemmgen.lower.names for the grammar"
        raise ValueError(message)
    return SymbolParts(**match.groupdict())


def symbol_for(problem: Gemm, schedule: Schedule, target: Target) -> str:
    """The symbol of a kernel, from everything that decides its text."""
    kinds = (problem.a.dtype, problem.b.dtype, problem.c.dtype, problem.acc)
    letter = {"row": "n", "col": "t"}
    fields = (
        kinds[0] if len(set(kinds)) == 1 else "x".join(kinds),
        letter[problem.a.layout] + letter[problem.b.layout] + ("t" if problem.c.layout == "col" else ""),
        "x".join(map(str, schedule.cta_tile)),
        "cta" if schedule.warp_tile is None else "x".join(map(str, schedule.warp_tile)),
        "x".join(map(str, schedule.thread_tile)),
        f"s{schedule.stages}",
        "linear",
        target.name.replace("_", ""),
        hashlib.sha256(canonical(problem, schedule, target).encode("ascii")).hexdigest()[:16],
    )
    return "gemm_" + "_".join(fields)


def check_name(name: object) -> str:
    """Return a name that the user chose for the launcher, or raise ``ScheduleError`` saying what is wrong with it."""
    problem = _name_problem(name)
    if problem is None:
        return str(name)
    legal = _legal_name(name if isinstance(name, str) else "")
    raise ScheduleError(
        (
            Diagnostic(
                rule="GG090",
                field="name",
                message=f"name={show(name)} {problem}",
                reason="It names a C function, a file and a macro: it must neither add code nor clash with their names",
                suggestion=f"Use name={legal!r}.",
                fix={"name": legal},
            ),
        )
    )


def _legal_name(name: str) -> str:
    """The legal name that is nearest to one that is not."""
    words = re.sub(r"[^A-Za-z0-9]+", "_", name[: 2 * MAX_NAME_LENGTH]).strip("_")
    candidates = (words[:MAX_NAME_LENGTH], f"gemm_{words}"[:MAX_NAME_LENGTH], f"{words}_gemm", "gemm_launcher")
    stripped = (candidate.strip("_") for candidate in candidates)
    return next(candidate for candidate in stripped if _name_problem(candidate) is None)


def _name_problem(name: object) -> str | None:
    if not isinstance(name, str):
        return f"is of type {type(name).__name__}, not a string"
    if _IDENTIFIER.fullmatch(name) is None:
        return "is not a C identifier (ASCII letters, digits and underscores, a letter first)"
    if name in _KEYWORDS:
        return "is a C++ keyword"
    if name == "main":
        return "is where a C program begins"
    if name.startswith(_TAKEN_PREFIXES):
        return "begins like the names of CUDA or gemmgen, which the file itself needs"
    if name in _reserved():
        return "is a name of C, POSIX or CUDA, which their headers declare or their libraries hold"
    if "__" in name:
        return "has two underscores in a row, which C++ reserves"
    if len(name) > MAX_NAME_LENGTH:
        return f"has {len(name)} characters, more than {MAX_NAME_LENGTH}"
    return None


@lru_cache(maxsize=1)
def _reserved() -> frozenset[str]:
    """What C, POSIX and CUDA declare at file scope; the file says how it was found."""
    text = (Path(__file__).parent / "reserved_names.txt").read_text(encoding="ascii")
    return frozenset(word for line in text.splitlines() if not line.startswith("#") for word in line.split())
