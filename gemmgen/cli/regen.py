"""``gemmgen regen``."""

from __future__ import annotations

import shlex
from pathlib import Path
from typing import TYPE_CHECKING

import click

from gemmgen.cli.output import json_option, print_json

if TYPE_CHECKING:
    from gemmgen.api.regen import Difference


@click.command()
@click.option("--check", "only_check", is_flag=True, help="Write nothing; exit with 1 if anything differs.")
@click.option("--into", type=click.Path(file_okay=False), help="The folder.  [default: generated/ of a checkout]")
@json_option
def regen(only_check: bool, into: str | None, as_json: bool) -> None:  # noqa: FBT001  # click calls it by name
    """Render the catalogue and make generated/ equal to it: write what changed, remove what is no longer listed.

    Only files that gemmgen wrote are removed; others are named as foreign, and stay.
    """
    from gemmgen.api.regen import compare, is_checkout, regenerate

    if into is None and not is_checkout(Path()):
        raise click.UsageError(
            "this is no checkout of gemmgen: neither its pyproject.toml nor a generated/ with its files is here. "
            "Go to one, or name a folder with --into."
        )
    folder = Path("generated" if into is None else into)
    differences = compare(folder) if only_check else regenerate(folder)
    if as_json:
        print_json([{"kind": one.kind, "path": str(one.path), "diff": one.diff} for one in differences])
    else:
        _print(differences, with_text=only_check)
    foreign = sum(one.kind == "foreign" for one in differences)
    if only_check and differences:
        _print_remedies(len(differences) - foreign, foreign, "" if into is None else f" --into {shlex.quote(into)}")
        click.get_current_context().exit(1)
    if not as_json:
        done = "were brought up to date" if not only_check and len(differences) > foreign else "are as rendered"
        click.echo(f"{folder}: all files of the catalogue {done}.")


def _print(differences: list[Difference], *, with_text: bool) -> None:
    for one in differences:
        left = " (gemmgen did not write it; left as it is)" if one.kind == "foreign" else ""
        click.echo(f"{one.kind}: {one.path}{left}")
        if with_text and one.diff:
            click.echo(one.diff)


def _print_remedies(differing: int, foreign: int, options: str) -> None:
    if differing:
        click.echo(f"{differing} files differ from the catalogue. Run: gemmgen regen{options}", err=True)
    if foreign:
        click.echo(f"{foreign} files are none of gemmgen's. Move them elsewhere.", err=True)
