"""``gemmgen list``."""

from __future__ import annotations

import click

from gemmgen.cli.output import json_option, print_json, print_table


@click.command("list")
@json_option
def list_kernels(as_json: bool) -> None:  # noqa: FBT001  # click calls it by name
    """List the kernels of the catalogue, which are committed under generated/."""
    from gemmgen.api.catalog import CATALOG

    if as_json:
        print_json([entry.to_dict() for entry in CATALOG])
        return
    rows = [
        {"kernel": entry.title, "target": entry.target, "file": f"{entry.generate().symbol}.cu"} for entry in CATALOG
    ]
    print_table("Catalogue", ("kernel", "target", "file"), rows)
