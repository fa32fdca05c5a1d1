"""The comment that opens an emitted file: what it is, what it was made from, and how to make it again."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from gemmgen.emit.interface import compile_flag, contract_sentence
from gemmgen.errors import DocumentError, GemmgenError
from gemmgen.ir.serial import Document, parse

if TYPE_CHECKING:
    from gemmgen.ir import Gemm, Schedule
    from gemmgen.plan import Plan
    from gemmgen.target import Target

__all__ = ["banner_text", "read_banner"]

_BEGIN = "// Input:"
_END = "// Derived:"


def banner_text(
    plan: Plan, problem: Gemm, schedule: Schedule, target: Target, name: str | None, templates_digest: str
) -> str:
    """The banner, without a date, a version or a path, so that the same input gives the same bytes anywhere."""
    document = Document(problem, schedule, target).to_dict()
    if name is not None:
        document["name"] = name
    lines = [
        "// SPDX-License-Identifier: 0BSD",
        "//",
        "// Written by gemmgen: do not edit.",
        f"// `gemmgen emit {plan.symbol}.cu` reads the input below and writes this file and its header again.",
        "//",
        f"// {contract_sentence(plan)}",
        "//",
        _BEGIN,
        *(f"//   {line}" for line in _document_lines(document)),
        _END,
        *(f"//   {label}: {value}" for label, value in plan.facts),
        f"//   templates: {templates_digest}",
        "// Compile:",
        f"//   nvcc -c {compile_flag(plan)} {plan.symbol}.cu",
        "",
    ]
    return "\n".join(lines)


def _document_lines(document: dict[str, object]) -> list[str]:
    """JSON with one field a line and short lists on one line."""
    entries = []
    for key in sorted(document):
        value = document[key]
        if isinstance(value, dict):
            inner = [f"    {json.dumps(name)}: {json.dumps(value[name])}" for name in sorted(value)]
            text = "{\n" + ",\n".join(inner) + "\n  }"
        else:
            text = json.dumps(value)
        entries.append(f"  {json.dumps(key)}: {text}")
    return ("{\n" + ",\n".join(entries) + "\n}").split("\n")


def read_banner(text: str) -> dict[str, object]:
    """The document in an emitted file's banner; ``GemmgenError`` if the text holds none."""
    lines = text.splitlines()
    try:
        begin = lines.index(_BEGIN)
        end = lines.index(_END, begin)
    except ValueError:
        message = f"no gemmgen banner: no lines {_BEGIN!r} and {_END!r} in the file"
        raise GemmgenError(message) from None
    try:
        document = parse("\n".join(line.removeprefix("//") for line in lines[begin + 1 : end]), "json")
    except DocumentError as error:
        message = f"the gemmgen banner's input is {error}"
        raise GemmgenError(message) from None
    if not isinstance(document, dict):
        message = "the gemmgen banner's input is not a JSON object"
        raise GemmgenError(message)
    return document
