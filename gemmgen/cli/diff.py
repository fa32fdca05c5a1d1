"""``gemmgen diff``."""

from __future__ import annotations

import click

from gemmgen.cli.output import json_option, print_json, print_table


@click.command()
@click.argument("left", type=click.Path(dir_okay=False))
@click.argument("right", type=click.Path(dir_okay=False))
@json_option
def diff(left: str, right: str, as_json: bool) -> None:  # noqa: FBT001  # click calls it by name
    """Show the fields in which two kernels differ, then their text.

    Exits with 1 if they differ, as diff does. Of a generated .cu the text is that in the file, edits and all. Symbols,
    which differ with anything, are shown as SYMBOL.
    """
    from gemmgen.api.compare import field_differences, text_difference
    from gemmgen.api.documents import load_description

    first, second = load_description(left), load_description(right)
    fields = [
        {"field": one.field, left: _shown(one.left), right: _shown(one.right)}
        for one in field_differences(first, second)
    ]
    text = text_difference(first, second, (left, right))
    if as_json:
        listed = [{"field": row["field"], "left": row[left], "right": row[right]} for row in fields]
        print_json({"fields": listed, "text": text})
    else:
        if fields:
            print_table("Fields that differ", ("field", left, right), fields)
        click.echo(text or "The two texts are equal.")
    click.get_current_context().exit(1 if fields or text else 0)


def _shown(value: object) -> str:
    return "-" if value is None else str(value)
