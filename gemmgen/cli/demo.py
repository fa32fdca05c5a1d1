"""``gemmgen demo``."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING

import click

from gemmgen.cli.output import json_option, print_json, print_table, progress

if TYPE_CHECKING:
    from gemmgen.api.demo import DemoResult

_COLUMNS = ("kernel", "shape", "path", "max error", "bound", "time", "GMAC/s", "verdict")


@click.command()
@click.option(
    "--on",
    type=click.Choice(["auto", "cpu", "cuda"]),
    default="auto",
    show_default=True,
    help="Where to run: a GPU, the CPU emulator, or a GPU if there is one.",
)
@json_option
def demo(on: str, as_json: bool) -> None:  # noqa: FBT001  # click calls it by name
    """Emit kernels, run them, check each against float64, print a table."""
    from gemmgen.api.demo import demo_entries, run_demo

    place, why = _place(on)
    results = []
    with progress("Running", len(demo_entries())) as report:
        report(0, "")
        for result in run_demo(place):
            results.append(result)
            report(len(results), result.title)
    if as_json:
        print_json({"on": place, "kernels": [dataclasses.asdict(result) for result in results]})
    else:
        print_table(f"D = 1.5 A B - 0.5 C on {why}", _COLUMNS, [_row(result) for result in results])
    right = sum(result.is_right for result in results)
    click.echo(f"{right} of {len(results)} kernels are right.", err=as_json)
    click.get_current_context().exit(0 if right == len(results) else 1)


def _place(on: str) -> tuple[str, str]:
    from gemmgen.runtime import device_available

    if on == "cpu":
        return "cpu", "the CPU emulator, under all its checks"
    reason = device_available()
    if reason is None or on == "cuda":
        return "cuda", "the GPU"
    click.echo(reason, err=True)
    return "cpu", "the CPU emulator, under all its checks"


def _row(result: DemoResult) -> dict[str, str]:
    m, n, k = result.shape
    return {
        "kernel": result.title,
        "shape": f"{m}x{n}x{k}",
        "path": result.path,
        "max error": f"{result.error:.2e}",
        "bound": f"{result.bound:.2e}",
        "time": f"{result.seconds * 1e3:.3g} ms",
        "GMAC/s": f"{result.rate:.3g}",
        "verdict": result.verdict,
    }
