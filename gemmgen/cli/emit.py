"""``gemmgen emit``."""

from __future__ import annotations

import click


@click.command()
@click.argument("file", type=click.Path(dir_okay=False))
@click.option("-o", "--out", type=click.Path(), help="A folder, or a path that ends in .cu; the header lies beside it.")
@click.option("--stdout", "to_stdout", is_flag=True, help="Print the .cu instead of writing files.")
def emit(file: str, out: str | None, to_stdout: bool) -> None:  # noqa: FBT001  # click calls it by name
    """Write the .cu and .h that FILE describes.

    FILE is JSON, TOML or a generated .cu, none of which runs code, or a Python file, which is run. A generated .cu is
    written again from its banner. Both files are written or neither is.
    """
    from gemmgen.api.documents import load_description
    from gemmgen.api.files import write_kernel

    if to_stdout and out is not None:
        raise click.UsageError("--stdout writes no file: leave out --out.")
    kernel = load_description(file).generate()
    if to_stdout:
        click.echo(kernel.source, nl=False)
        return
    for written in write_kernel(kernel, _beside_itself(file, out)):
        click.echo(f"{written.path}{'' if written.changed else ' (unchanged)'}")


def _beside_itself(file: str, out: str | None) -> str | None:
    # A generated file that is emitted again is written in its own place.
    return file if out is None and file.endswith(".cu") else out
