"""``gemmgen check``."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import click

from gemmgen.cli.output import json_option, print_json, print_table, progress

if TYPE_CHECKING:
    from gemmgen.testing.check import CheckReport

_INSTALL = "gemmgen check needs Hypothesis: pip install 'gemmgen[test]'"


@click.command()
@click.argument("file", type=click.Path(dir_okay=False), required=False)
@click.option("--on", type=click.Choice(["cpu", "cuda"]), default="cpu", show_default=True, help="Emulator or GPU.")
@click.option("--examples", type=click.IntRange(min=1), default=100, show_default=True, help="Random calls to try.")
@click.option("--seed", type=int, default=0, show_default=True, help="The same seed tries the same calls.")
@click.option("--processes", type=click.IntRange(min=1), help="Over which to spread them.  [default: the cores]")
@click.option("--target", default="sm_80", show_default=True, help="Of random schedules, without FILE.")
@click.option("--replay", metavar="JSON", help="Run one recorded failure again, on the text of FILE if given.")
@json_option
def check(
    file: str | None,
    on: str,
    examples: int,
    seed: int,
    processes: int | None,
    target: str,
    replay: str | None,
    as_json: bool,  # noqa: FBT001  # click calls it by name
) -> None:
    """Property-test a kernel, or without FILE random schedules too.

    Shapes, leading dimensions, alignments, alpha and beta are random; every example runs in three oracle modes on both
    paths of the file. A failure is shrunk and comes with the command that runs it again. FILE is JSON, TOML or a
    generated .cu, none of which runs code, or a Python file, which is run. A .cu is tested as it stands, edits and all.
    """
    from importlib.util import find_spec

    if find_spec("hypothesis") is None:
        raise click.UsageError(_INSTALL)
    if replay is not None:
        _replay(replay, on, file)
        return
    from gemmgen.api.checking import check_description

    with progress("Checking", examples) as tell:
        report = check_description(
            file,
            on=on,
            examples=examples,
            seed=seed,
            target=target,
            processes=processes or os.cpu_count() or 1,
            progress=lambda done, _wanted: tell(done, ""),
            warn=_warn,
        )
    _print(report, file, as_json=as_json)
    click.get_current_context().exit(0 if report.failure is None else 1)


def _warn(sentence: str) -> None:
    click.echo(sentence, err=True)


def _replay(text: str, on: str, file: str | None) -> None:
    from gemmgen.api.checking import replay_failure

    failure = replay_failure(text, on, file, _warn)
    click.echo("It is right now." if failure is None else str(failure), err=failure is not None)
    click.get_current_context().exit(0 if failure is None else 1)


def _print(report: CheckReport, file: str | None, *, as_json: bool) -> None:
    from gemmgen.api.checking import report_document, reproduce_command

    if as_json:
        print_json(report_document(report, file))
    else:
        rows = [
            {"axis": axis, "seen": _joined(values, seen=True), "never seen": _joined(values, seen=False)}
            for axis, values in report.coverage.items()
        ]
        print_table("Values of each axis, with the number of examples", ("axis", "seen", "never seen"), rows)
        click.echo(
            f"{report.examples} examples of {report.schedules} schedules on {report.shapes} shapes, {report.runs} runs "
            f"in {report.seconds:.1f} s over {report.processes} processes, seed {report.seed}."
        )
    if report.failure is None:
        click.echo("No fault.", err=as_json)
        return
    click.echo(str(report.failure), err=True)
    click.echo(f"Reproduce: {reproduce_command(report, file)}", err=True)


def _joined(values: dict[str, int], *, seen: bool) -> str:
    if seen:
        return ", ".join(f"{value} ({count})" for value, count in values.items() if count)
    return ", ".join(value for value, count in values.items() if not count)
