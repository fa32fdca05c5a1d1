"""Tables, JSON and progress. rich is imported when a table or a bar is really drawn."""

from __future__ import annotations

import json
import sys
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import click

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

__all__ = ["json_option", "print_json", "print_table", "progress"]

json_option = click.option("--json", "as_json", is_flag=True, help="Print JSON instead of a table.")


def print_json(value: object) -> None:
    """One JSON document on stdout."""
    click.echo(json.dumps(value, indent=2, sort_keys=True))


def print_table(title: str, columns: Sequence[str], rows: Sequence[Mapping[str, Any]]) -> None:
    """A table on stdout; ``rows`` are keyed by column. Numbers are right-aligned."""
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    table = Table(title=Text(title), title_justify="left", title_style="bold")
    for column in columns:
        numeric = all(isinstance(row[column], int | float) for row in rows) or column in _RIGHT
        table.add_column(column, justify="right" if numeric else "left", overflow="fold")
    for row in rows:
        table.add_row(*(Text(str(row[column])) for column in columns))
    # Off a terminal rich would guess 80 columns and wrap; whatever reads it wants whole lines.
    console = Console() if sys.stdout.isatty() else Console(width=200)
    console.print(table)


_RIGHT = frozenset({"max error", "bound", "time", "GMAC/s"})


@contextmanager
def progress(what: str, total: int) -> Iterator[Callable[[int, str], None]]:
    """A progress bar on stderr with the time left; off a terminal one plain line at each tenth.

    Yields:
        A function of the number done and a word on what is going on.

    """
    if sys.stderr.isatty():
        with _bar(what, total) as report:
            yield report
    else:
        yield _plain(what, total)


@contextmanager
def _bar(what: str, total: int) -> Iterator[Callable[[int, str], None]]:
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    with Progress(*columns, console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task(what, total=total)

        def report(done: int, word: str) -> None:
            bar.update(task, completed=done, description=f"{what} {word}".strip())

        yield report


def _plain(what: str, total: int) -> Callable[[int, str], None]:
    shown = -1

    def report(done: int, word: str) -> None:
        nonlocal shown
        tenth = done * 10 // max(total, 1)
        if tenth > shown:
            shown = tenth
            click.echo(f"{what} {done}/{total} {word}".rstrip(), err=True)

    return report
