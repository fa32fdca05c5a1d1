"""The C interface of an emitted file: statuses, prototypes, and the values that the launcher's templates print."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from gemmgen.plan import Condition, Plan

__all__ = [
    "STATUSES",
    "Status",
    "compile_flag",
    "condition_failure",
    "contract_sentence",
    "launcher_values",
    "prototypes",
]

# Bytes of dynamic shared memory that a launch may use without asking: CUDA C++ Programming Guide, "Shared Memory".
DEFAULT_SHARED_BYTES = 48 * 1024

_ROW = {"row": "row-major", "col": "column-major"}


_FALLS_BACK = (
    "Whether every access of the kernel as scheduled is aligned and inside its matrix, line by line. A call for which "
    "one line fails goes to the kernel whose accesses are all of one element."
)
_REFUSES = (
    "The contract of this file, line by line: its kernel masks nothing, so that it takes whole tiles only, with "
    "aligned addresses and pitches. A call for which one line fails is refused."
)


@dataclass(frozen=True, slots=True)
class Status:
    """One value of the launcher's status enumeration."""

    name: str
    value: int
    meaning: str


STATUSES = (
    Status("success", 0, "success"),
    Status(
        "invalid_argument",
        1,
        "a size that is negative or not this file's, a short leading dimension, or a null pointer",
    ),
    Status("size_too_large", 2, "a size whose indices or grid overflow"),
    Status("overlapping_output", 3, "D overlaps A or B, or overlaps C without being C"),
    Status("misaligned", 4, "a pointer that is not aligned as the kernel requires"),
    Status("workspace_too_small", 5, "a workspace smaller than _workspace_bytes says"),
    Status("unsupported_device", 6, "the file was not compiled for this device"),
    Status("launch_failed", 7, "CUDA refused the launch"),
)


def prototypes(plan: Plan, stream: str) -> dict[str, str]:
    """Parameter lists of the launcher and its companions; ``stream`` is the stream's C type."""
    a, b, c, accumulator = plan.type_a, plan.type_b, plan.type_c, plan.accumulator_type

    def matrices(scalar: str) -> str:
        return (
            f"long long M, long long N, long long K, {scalar}alpha, const {a}* A, long long lda, "
            f"const {b}* B, long long ldb, {scalar}beta, const {c}* C, long long ldc, {c}* D, "
            "long long ldd"
        )

    tail = f", void* workspace, long long workspace_bytes, {stream} stream"
    return {
        "launch": matrices(f"{accumulator} ") + tail,
        "device_scalars": matrices(f"const {accumulator}* ") + tail,
        "can_implement": matrices(f"{accumulator} "),
    }


def compile_flag(plan: Plan) -> str:
    """nvcc's flag for the least architecture that runs the file."""
    if not plan.architecture_specific:
        return f"-arch={plan.architecture}"
    # -arch=sm_90a would have nvcc 13 write PTX for plain sm_90 as well, at which the file stops.
    number = plan.architecture.removeprefix("sm_")
    return f"-gencode=arch=compute_{number},code=sm_{number}"


def contract_sentence(plan: Plan) -> str:
    """What the kernel computes and accepts, in plain words."""
    sizes = ", ".join(f"{name} = {size}" for name, size in plan.fixed_sizes.items())
    return (
        f"D = alpha * A * B + beta * C with A (M x K) {_ROW[plan.layout_a]}, B (K x N) {_ROW[plan.layout_b]}, C and D "
        f"(M x N) {_ROW[plan.layout_c]}; "
        f"{_types(plan)}. " + (f"For {sizes} only. " if sizes else "") + f"{_admitted(plan)} "
        "beta = 0 does not read C, alpha = 0 does not read A or B. Deterministic."
    )


def _admitted(plan: Plan) -> str:
    """Which sizes, leading dimensions and addresses a call may have."""
    launch = plan.launches[0]
    if not launch.refuses:
        free = [name for name in "MNK" if name not in plan.fixed_sizes]
        sizes = f"Any {', '.join(free)} from 0 to {plan.max_extent}, any" if free else "Any"
        return f"{sizes} leading dimension from the width on, any element-aligned address."
    terms = []
    for condition in launch.conditions:
        names = {"extent": condition.extent, "ld": f"ld{condition.matrix.lower()}"}
        noun = names.get(condition.subject, condition.matrix)
        unit = " bytes" if condition.subject == "address" else ""
        terms.append(f"{noun} of {condition.divisor}{unit}")
    return f"Multiples only: {', '.join(terms)}. Sizes from 0 to {plan.max_extent}; any other call is refused."


def _types(plan: Plan) -> str:
    """Which types the elements and the accumulators have, in words."""
    kinds = {plan.type_a, plan.type_b, plan.type_c}
    elements = plan.type_a if len(kinds) == 1 else f"A {plan.type_a}, B {plan.type_b}, C and D {plan.type_c}"
    return f"elements {elements}, accumulation {plan.accumulator_type}"


def launcher_values(plan: Plan) -> dict[str, object]:
    """Everything the launcher's templates print beside the plan itself."""
    launch = plan.launches[0]
    runs, spans = _extents(plan)
    runtime = [parameter.name for parameter in launch.parameters if parameter.name in tuple("MNK")]
    return {
        "launch": launch,
        "statuses": STATUSES,
        "prototypes": prototypes(plan, "cudaStream_t"),
        "runs": runs,
        "spans": spans,
        "fixed_mismatch": "".join(f" || {name} != kFixed{name}" for name in plan.fixed_sizes),
        "short_leading_dimensions": _short_leading_dimensions(plan),
        "conditions": [
            {"failure": condition_failure(condition), "reason": _condition_reason(condition)}
            for condition in launch.conditions
        ],
        "falls_back": bool(launch.conditions) and not launch.refuses,
        "table_comment": _REFUSES if launch.refuses else _FALLS_BACK,
        "opt_in_shared": launch.shared_bytes > DEFAULT_SHARED_BYTES,
        "shared_size": "sizeof(SharedStorage)" if plan.shared else "0",
        "locals": [f"int {name} = static_cast<int>(call.{name})" for name in runtime],
        "kernel_arguments": ", ".join(
            f"&{parameter.name}" if parameter.name in runtime else f"&call.{parameter.name}"
            for parameter in launch.parameters
        ),
    }


def condition_failure(condition: Condition) -> str:
    """The C++ expression that is true when a condition of the table does not hold."""
    guard = "call.reads_c() && " if condition.matrix == "C" else ""
    if condition.subject == "address":
        return f"{guard}!divides(call.{condition.matrix}, {condition.divisor})"
    if condition.subject == "ld":
        return f"{guard}call.ld{condition.matrix.lower()} % {condition.divisor} != 0"
    return f"{guard}call.{condition.extent} % {condition.divisor} != 0"


def _condition_reason(condition: Condition) -> str:
    return {
        "address": f"{condition.matrix}: aligned base",
        "ld": f"{condition.matrix}: aligned pitch",
        "extent": f"{condition.matrix}: no access across its edge",
    }[condition.subject]


def _extents(plan: Plan) -> tuple[dict[str, str], dict[str, str]]:
    """For a, b and c: how many contiguous runs a matrix has, and (runs, width) as arguments of ``footprint``."""
    runs, spans = {}, {}
    shapes = {"a": ("M", "K", plan.layout_a), "b": ("K", "N", plan.layout_b), "c": ("M", "N", plan.layout_c)}
    for name, (rows, columns, layout) in shapes.items():
        run, width = (rows, columns) if layout == "row" else (columns, rows)
        runs[name] = run
        spans[name] = f"{run}, {width}"
    return runs, spans


def _short_leading_dimensions(plan: Plan) -> list[str]:
    """A leading dimension must reach its matrix's width, and 1: BLAS's rule. One C++ test for each matrix."""
    _, spans = _extents(plan)
    tests = []
    for ld, name in (("lda", "a"), ("ldb", "b"), ("ldc", "c"), ("ldd", "c")):
        width = spans[name].split(", ")[1]
        test = f"call.{ld} < 1 || call.{ld} < {width}"
        tests.append(f"call.reads_c() && ({test})" if ld == "ldc" else test)
    return tests
