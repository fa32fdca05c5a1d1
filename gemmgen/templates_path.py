"""Where the templates lie: ``templates/`` of a checkout, ``gemmgen/_templates`` of an installed wheel."""

from __future__ import annotations

from pathlib import Path

from gemmgen.errors import InternalError


def template_root() -> Path:
    """The folder of the Jinja templates.

    Raises:
        InternalError: neither place holds them, so the installation is broken.
    """
    package = Path(__file__).resolve().parent
    places = (package / "_templates", package.parent / "templates")
    for place in places:
        if place.is_dir():
            return place
    raise InternalError(f"No templates in {places[0]} nor in {places[1]}: reinstall gemmgen.")
