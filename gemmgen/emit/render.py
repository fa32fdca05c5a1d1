"""Rendering: the sections of one file, each from its template, in order."""

from __future__ import annotations

import functools
import hashlib
from typing import TYPE_CHECKING, Any

from gemmgen.emit.banner import banner_text
from gemmgen.emit.interface import STATUSES, compile_flag, contract_sentence, launcher_values, prototypes
from gemmgen.emit.wrap import wrap_lines
from gemmgen.ir import Gemm, Schedule, registry
from gemmgen.templates_path import template_root

if TYPE_CHECKING:
    from pathlib import Path

    import jinja2

    from gemmgen.plan import Constant, Plan
    from gemmgen.target import Target

__all__ = ["render"]

_LAUNCHER = ("launcher_checks.cu.jinja", "launcher_launch.cu.jinja", "launcher_entry.cu.jinja")


def render(plan: Plan, problem: Gemm, schedule: Schedule, target: Target, name: str | None) -> tuple[str, str]:
    """The text of the `.cu` and of the `.h`. LF line ends, no date, no path: the same plan gives the same bytes."""
    page = _Page(plan)
    status = page("status.jinja", statuses=STATUSES)
    body = {
        "status": status,
        "constants": _constant_lines(plan.constants),
        "functions": "".join(page(part.template, part=part.values) for part in plan.parts),
        "kernels": "".join(page("kernel.cu.jinja", **values) for values in _kernel_values(plan)),
        "launcher": "".join(page(template, **launcher_values(plan)) for template in _LAUNCHER),
        "architecture_guard": _architecture_guard(plan),
        "architecture_sentence": _architecture_sentence(plan),
    }
    page("file.cu.jinja", banner="", **body)  # so that the digest covers the frame as well
    banner = banner_text(plan, problem, schedule, target, name, page.digest)
    source = wrap_lines(page("file.cu.jinja", banner=banner, **body))
    header = page(
        "header.h.jinja",
        status=status,
        contract=contract_sentence(plan),
        prototypes=prototypes(plan, "struct CUstream_st*"),
    )
    return source, wrap_lines(header)


class _Page:
    """Renders templates for one plan and remembers which were used."""

    def __init__(self, plan: Plan) -> None:
        self._plan = plan
        self._used: set[str] = set()

    def __call__(self, template: str, **values: object) -> str:
        directories = _template_directories()
        self._used.update(_with_includes(directories, template))
        return _environment(directories).get_template(template).render(plan=self._plan, **values)

    @property
    def digest(self) -> str:
        """SHA-256 over the templates used so far, by name and text."""
        loader = _environment(_template_directories())
        digest = hashlib.sha256()
        for name in sorted(self._used):
            digest.update(f"{name}\0{_template_text(loader, name)}\0".encode())
        return digest.hexdigest()[:16]


def _template_directories() -> tuple[Path, ...]:
    """gemmgen's own templates, then those of mechanisms registered from elsewhere."""
    return (template_root(), *registry.template_directories())


@functools.cache
def _environment(directories: tuple[Path, ...]) -> jinja2.Environment:
    import jinja2

    return jinja2.Environment(
        loader=jinja2.FileSystemLoader([str(directory) for directory in directories]),
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
        autoescape=False,  # noqa: S701 - the output is CUDA
        block_start_string="<%",
        block_end_string="%>",
        variable_start_string="${",
        variable_end_string="}",
        comment_start_string="<#",
        comment_end_string="#>",
        auto_reload=False,
        cache_size=-1,
    )


def _template_text(environment: jinja2.Environment, name: str) -> str:
    if environment.loader is None:
        return ""
    return environment.loader.get_source(environment, name)[0]


@functools.cache
def _with_includes(directories: tuple[Path, ...], template: str) -> frozenset[str]:
    """A template's name and those of the templates it includes."""
    from jinja2 import meta

    environment = _environment(directories)
    found = meta.find_referenced_templates(environment.parse(_template_text(environment, template)))
    return frozenset({template, *(name for name in found if name)})


def _constant_lines(constants: tuple[Constant, ...]) -> str:
    """One ``constexpr int`` a line, with the value of a derived one and the comment."""
    lines = []
    for constant in constants:
        notes = [str(constant.value)] if constant.is_derived else []
        notes += [constant.comment] if constant.comment else []
        note = f"  // {': '.join(notes)}" if notes else ""
        lines.append(f"constexpr int {constant.name} = {constant.expression};{note}")
    return "\n".join(lines)


def _kernel_values(plan: Plan) -> list[dict[str, Any]]:
    """For each kernel of the file: its parameters, and what it passes on (a fixed size as its constant)."""
    launch = plan.launches[0]
    passed = [f"impl::kFixed{size}" if size in plan.fixed_sizes else size for size in "MNK"]
    passed += [parameter.name for parameter in launch.parameters if parameter.name not in tuple("MNK")]
    declared = ", ".join(parameter.declaration for parameter in launch.parameters)
    values: list[dict[str, Any]] = []
    constants = {constant.name: constant.value for constant in plan.constants}
    as_scheduled = tuple(constants[f"kVector{matrix}"] for matrix in "ABC")
    for kernel in launch.kernels:
        same = (kernel.vector_a, kernel.vector_b, kernel.vector_c) == as_scheduled
        widths = "impl::kVectorA, impl::kVectorB, impl::kVectorC" if same else "1, 1, 1"
        shown = {"name": kernel.name, "widths": widths}
        values.append({"kernel": shown, "parameters": declared, "arguments": ", ".join(passed)})
    return values


def _architecture_guard(plan: Plan) -> str:
    level = plan.capability * 10
    if not plan.architecture_specific:
        return f"__CUDA_ARCH__ < {level}"
    return f"(__CUDA_ARCH__ != {level} || !defined(__CUDA_ARCH_FEAT_SM{plan.capability}_ALL))"


def _architecture_sentence(plan: Plan) -> str:
    version = f"{plan.capability // 10}.{plan.capability % 10}"
    if plan.architecture_specific:
        return f"compute capability {version} with its specific features ({compile_flag(plan)})"
    return f"compute capability {version} or above ({compile_flag(plan)})"
