"""`check_legal` on raw input of any shape: it never raises, and what it suggests helps."""

from __future__ import annotations

import ast
import random
from dataclasses import replace

import pytest

import gemmgen as gg
from gemmgen.emit import emit
from gemmgen.geometry import compute_geometry
from gemmgen.ir import registry
from gemmgen.ir.problem import FIELDS as PROBLEM_FIELDS
from gemmgen.ir.schedule import FIELDS as SCHEDULE_FIELDS
from gemmgen.ir.serial import decode_problem, decode_schedule
from gemmgen.rules import apply_fix
from gemmgen.rules.base import FIELDS
from gemmgen.rules.check import decode
from gemmgen.target import TARGETS
from gemmgen.testing.assertions import assert_correct

INPUTS = 20_000
SHARDS = 4

# fmt: off
SCALARS = [
    None, True, False, 0, 1, 2, 3, 4, 5, 7, 8, 16, 31, 32, 33, 64, 127, 128, 256, 1000, 1024, 1025, -1, 2**31 - 1,
    2**63,
    10**5000, 1.0, 2.5, float("nan"), float("inf"), -float("inf"), 1j, "", " ", "x", "1", "128", "9" * 5000, "row",
    "col",
    "k", "m", "n", "f32", "f16", "sync", "direct", "Sync", "linear", "padded", "padded(4)", "padded(4, major=k)",
    "padded(-1)",
    "padded(4,", "padded(4, 4, 4)", "padded(n=4, n=4)", "padded(major=k)", "linear(major=n)", "linear(major=m)",
    "grouped(8)",
    "grouped(0)", "grouped(8)(8)", "ffma", "ffma()", "ffma(1)", "contiguous", "quads", "predicate", "*/ int x;", "\n\0",
    "é", "\ud800", b"", b"sync", bytearray(b"x"), object(), int, len, ..., frozenset({1}), range(3),
]
# fmt: on
KEYS = [
    *SCHEDULE_FIELDS,
    *PROBLEM_FIELDS,
    "copy",
    "dtype",
    "layout",
    "stage",
    "a.dtype",
    "",
    "é",
    "x y",
    3,
    None,
    b"a",
    (1, 2),
    1.5,
]


def junk(rng: random.Random, depth: int = 3) -> object:
    kind = rng.randrange(8 if depth else 5)
    if kind < 5:
        return rng.choice(SCALARS)
    if kind == 5:
        return [junk(rng, depth - 1) for _ in range(rng.randrange(5))]
    if kind == 6:
        return tuple(
            rng.choice([1, 2, 4, 8, 16, 32, 64, 128, junk(rng, depth - 1)]) for _ in range(rng.randrange(1, 4))
        )
    return {rng.choice(KEYS): junk(rng, depth - 1) for _ in range(rng.randrange(6))}


def legal(rng: random.Random) -> tuple[dict[str, object], dict[str, object]]:
    """Legal by construction, over every axis."""
    quads = rng.random() < 0.3
    tm, tn = (
        (rng.choice([4, 8]), rng.choice([4, 8, 12]))
        if quads
        else (rng.choice([1, 2, 3, 4, 8]), rng.choice([1, 2, 4, 5]))
    )
    lm = rng.choice([1, 2, 4, 8, 16, 32])
    wm, wn = lm * tm, 32 // lm * tn
    bm, bn = wm * rng.randrange(1, 4), wn * rng.randrange(1, 4)
    layouts = {f"{name}_layout": rng.choice(["row", "col"]) for name in "abc"}
    schedule: dict[str, object] = {
        "cta_tile": [min(bm, 1024 // wm * wm), min(bn, 1024 // wn * wn), rng.choice([1, 2, 3, 4, 8, 16])],
        "thread_tile": [tm, tn],
        "thread_layout": "quads" if quads else "contiguous",
        "smem_a": rng.choice(["linear", "padded(4)", "padded(1, major=k)", "linear(major=m)"]),
        "smem_b": rng.choice(["linear", "padded(3)", "linear(major=k)", "padded(8, major=n)"]),
        "copy_a": rng.choice(["sync", "sync", "direct"]),
        "copy_b": rng.choice(["sync", "sync", "direct"]),
        "stages": 1,
        "raster": rng.choice(["row", "column", "grouped(4)"]),
        "fragment_buffers": rng.choice([1, 2]),
    }
    if rng.random() < 0.2:
        schedule["copy"] = schedule.pop("copy_a")
        del schedule["copy_b"]
    if rng.random() < 0.6:
        schedule["warp_tile"] = [wm, wn]
    problem = {**layouts, **({"m": rng.randrange(300)} if rng.random() < 0.2 else {})}
    return problem, schedule


def edge_value(rng: random.Random, path: str) -> object:
    """A value near or beyond the ends of a field's domain, or junk."""
    typical = FIELDS[path].domain.typical
    pick = rng.choice(typical)
    if rng.random() < 0.25:
        return junk(rng, 2)
    if isinstance(pick, tuple):
        return [
            rng.choice([-1, 0, 1, 2, 3, 5, 8, 16, 24, 31, 32, 48, 64, 100, 128, 256, 512, 1024, 1025]) for _ in pick
        ]
    return rng.choice([0, 1, 2, 3, 4, 5, 8]) if isinstance(pick, int) and rng.random() < 0.5 else pick


def altered(rng: random.Random) -> tuple[object, object, object]:
    problem, schedule = legal(rng)
    for path in rng.sample(list(FIELDS), rng.randint(1, 4)):
        section, _, name = path.partition(".")
        (schedule if section == "schedule" else problem)[name] = edge_value(rng, path)
    if rng.random() < 0.2:
        schedule["copy"] = rng.choice(["direct", "sync", "sync()", "drect", None, junk(rng, 1)])
    if rng.random() < 0.05:
        schedule[rng.choice(["stage", "vector", "warp_tiles", "épi", "*/"])] = 1
    return problem, schedule, rng.choice([*TARGETS] * 3 + ["sm_91", "", 90, None])


def raw_input(rng: random.Random) -> tuple[object, object, object]:
    if rng.random() < 0.5:
        return altered(rng)
    if rng.random() < 0.3:
        return junk(rng), junk(rng), junk(rng)
    problem = {rng.choice([*PROBLEM_FIELDS, *KEYS]): junk(rng, 2) for _ in range(rng.randrange(4))}
    schedule = {rng.choice([*SCHEDULE_FIELDS, *KEYS]): junk(rng, 2) for _ in range(rng.randrange(6))}
    return problem, schedule, rng.choice([*TARGETS, junk(rng, 1)])


def alternatives(given: tuple[object, object, object], diagnostic: gg.Diagnostic) -> list[dict[str, object]]:
    """Every way out that the suggestion prints, read from its text: "Use BK=16 or stages=1 and vector_a=2."."""
    text = diagnostic.suggestion
    if not text.startswith("Use ") or diagnostic.rule == "GG005":
        return []
    context, found = decode(*given)[0], []
    for way in text.removeprefix("Use ").removesuffix(".").split(" or "):
        changes: dict[str, object] = {"schedule.copy": None} if way.endswith(" instead of copy") else {}
        for part in way.removesuffix(" instead of copy").split(" and "):
            name, value = part.split("=", 1)
            path = next((path for path in (*FIELDS, "schedule.copy") if path.partition(".")[2] == name), name)
            for tile in ("cta_tile", "warp_tile", "thread_tile"):
                domain = FIELDS[f"schedule.{tile}"].domain
                letters = getattr(domain, "inner", domain).names
                if name in letters:
                    path = f"schedule.{tile}"
                    whole = changes.get(path, context.value(path))
                    value = repr([int(value) if n == name else old for n, old in zip(letters, whole, strict=True)])
            changes[path] = ast.literal_eval(value)
        found.append(changes)
    return found


def assert_helps(given: tuple[object, object, object], diagnostic: gg.Diagnostic) -> None:
    """The fix, and every alternative that is printed, removes the violation; the first one printed is the fix."""
    printed = alternatives(given, diagnostic)
    if printed:
        first = {path: list(v) if isinstance(v, tuple) else v for path, v in printed[0].items()}
        assert first == dict(diagnostic.fix), diagnostic
    for fix in [diagnostic.fix, *printed[1:]]:
        mended = gg.check_legal(*apply_fix(*given, replace(diagnostic, fix=fix)))
        assert (diagnostic.rule, diagnostic.field) not in {(d.rule, d.field) for d in mended}, (given, diagnostic, fix)


def check_inputs(rng: random.Random, inputs: int) -> list[tuple[gg.Gemm, gg.Schedule, str]]:
    """Check raw inputs one by one and return what was accepted; a twentieth of them must be."""
    accepted: list[tuple[gg.Gemm, gg.Schedule, str]] = []
    for _ in range(inputs):
        given = raw_input(rng)
        found = gg.check_legal(*given)
        assert len({(d.rule, d.field) for d in found}) == len(found)
        for diagnostic in found:
            assert diagnostic.fix, diagnostic
            str(diagnostic).encode("ascii")
            assert "\n" not in str(diagnostic)
            assert_helps(given, diagnostic)
        problem, schedule = decode_problem(given[0])[0], decode_schedule(given[1])[0]
        if not found:
            assert problem is not None
            assert schedule is not None
            compute_geometry(problem, schedule)
            accepted.append((problem, schedule, given[2]))
    assert len(accepted) >= inputs * 0.05
    return accepted


@pytest.mark.parametrize("shard", range(SHARDS))
def test_raw_input_never_raises_and_every_suggestion_helps(shard: int) -> None:
    check_inputs(random.Random(f"raw {shard}"), INPUTS // SHARDS)  # noqa: S311 - a seed, not a secret


def sampled_call(rng: random.Random, problem: gg.Gemm, schedule: gg.Schedule) -> dict[str, int]:
    """Sizes about the edges of one or two tiles, or what the problem fixes if that is small enough to emulate."""
    sizes = {}
    for name, tile in zip("mnk", schedule.cta_tile, strict=True):
        near = max(0, rng.choice([1, tile - 1, tile, tile + 1, 7, 33]))
        fixed = getattr(problem, name)
        sizes[name] = near if fixed is None else fixed
    return sizes


@pytest.mark.slow
@pytest.mark.parametrize("shard", range(20))
def test_a_hundred_thousand_raw_inputs_of_which_the_accepted_are_right(shard: int) -> None:
    rng = random.Random(f"many {shard}")  # noqa: S311 - a seed, not a secret
    accepted = check_inputs(rng, 5000)
    rng.shuffle(accepted)
    examined = 0
    for problem, schedule, target in accepted:
        sizes = sampled_call(rng, problem, schedule)
        if sizes["m"] * sizes["n"] * sizes["k"] > 2_000_000:
            continue
        emitted = emit(problem, schedule, target)
        assert_correct(emitted, **sizes, alpha=rng.choice([1.0, -2.0]), beta=rng.choice([0.0, 1.0, 0.5]))
        examined += 1
        if examined == 25:
            break
    assert examined == 25


def test_legal_by_construction_is_accepted() -> None:
    rng = random.Random("legal")  # noqa: S311 - a seed, not a secret
    for _ in range(1000):
        problem, schedule = legal(rng)
        assert gg.check_legal(problem, schedule, "sm_80") == ()


def test_following_the_suggestions_ends_in_a_legal_schedule() -> None:
    """Mending the first diagnostic, or any one, again and again comes to an end."""
    rng = random.Random("descent")  # noqa: S311 - a seed, not a secret
    for turn in range(2000):
        given = raw_input(rng)
        for _ in range(60):
            found = gg.check_legal(*given)
            if not found:
                break
            given = apply_fix(*given, found[0] if turn % 2 else rng.choice(found))
        assert not found, given


def test_every_slot_has_a_mechanism() -> None:
    for declared in SCHEDULE_FIELDS.values():
        slot = getattr(declared.domain, "slot", None)
        assert slot is None or registry.names(slot)
