"""``gemmgen regen``."""

from __future__ import annotations

from pathlib import Path

import click

from gemmgen.cli.output import json_option, print_json


@click.command()
@click.option("--check", "only_check", is_flag=True, help="Write nothing; exit with 1 if anything differs.")
@click.option("--into", type=click.Path(file_okay=False), default="generated", show_default=True, help="The folder.")
@json_option
def regen(only_check: bool, into: str, as_json: bool) -> None:  # noqa: FBT001  # click calls it by name
    """Render the catalogue and make generated/ equal to it: write what changed, remove what is no longer listed."""
    from gemmgen.api.regen import compare, regenerate

    folder = Path(into)
    differences = compare(folder) if only_check else regenerate(folder)
    if as_json:
        print_json([{"kind": one.kind, "path": str(one.path), "diff": one.diff} for one in differences])
    else:
        for one in differences:
            click.echo(f"{one.kind}: {one.path}")
            if only_check and one.diff:
                click.echo(one.diff)
    if only_check and differences:
        remedy = "gemmgen regen" if into == "generated" else f"gemmgen regen --into {into}"
        click.echo(f"{len(differences)} files differ from the catalogue. Run: {remedy}", err=True)
        click.get_current_context().exit(1)
    if not as_json:
        done = "are as rendered" if only_check or not differences else "were brought up to date"
        click.echo(f"{folder}: all files {done}.")
