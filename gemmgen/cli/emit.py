"""``gemmgen emit``."""

from __future__ import annotations

import dataclasses
from pathlib import Path

import click


@click.command()
@click.argument("file", type=click.Path(dir_okay=False))
@click.option("-o", "--out", type=click.Path(), help="A folder, or a path that ends in .cu; the header lies beside it.")
@click.option("--name", help="Of the launcher, instead of FILE's name or the generated symbol.")
@click.option("--stdout", "to_stdout", is_flag=True, help="Print the .cu instead of writing files.")
@click.option("--force", is_flag=True, help="Overwrite files that gemmgen did not write, or that were edited.")
def emit(
    file: str,
    out: str | None,
    name: str | None,
    to_stdout: bool,  # noqa: FBT001  # click calls it by name
    force: bool,  # noqa: FBT001
) -> None:
    """Write the .cu and .h that FILE describes.

    FILE is JSON, TOML or a generated .cu, none of which runs code, or a Python file, which is run. A generated .cu is
    written again from its banner. Both files are written or neither is. What gemmgen did not write is not overwritten:
    neither other files nor edits of generated ones.
    """
    from gemmgen.api.documents import load_description
    from gemmgen.api.files import write_kernel
    from gemmgen.api.origin import difference_note

    if to_stdout and out is not None:
        raise click.UsageError("--stdout writes no file: leave out --out.")
    described = load_description(file)
    note = None if described.text is None else difference_note(file, described.text, described.generate())
    kernel = (described if name is None else dataclasses.replace(described, name=name)).generate()
    if to_stdout:
        click.echo(kernel.source, nl=False)
    else:
        for written in write_kernel(kernel, _place(file, out, name), force=force):
            click.echo(f"{written.path} ({written.state})")
    if note is not None:
        click.echo(f"{note} The banner alone was used.", err=True)


def _place(file: str, out: str | None, name: str | None) -> str | None:
    # A generated file that is emitted again is written in its own place, and beside it under another name.
    if out is not None or not file.endswith(".cu"):
        return out
    return file if name is None else str(Path(file).parent)
