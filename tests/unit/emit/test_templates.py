"""Templates are strict, all in use, and part of what a file says it was made from."""

from __future__ import annotations

import importlib
import re
import shutil

import jinja2
import pytest
from jinja2 import meta
from kernel_variants import VARIANTS, emitted

from gemmgen.templates_path import template_root

render_module = importlib.import_module("gemmgen.emit.render")  # the package has a function of that name
TEMPLATES = sorted(path.name for path in template_root().iterdir())


def environment() -> jinja2.Environment:
    return render_module._environment((template_root(),))


@pytest.fixture(scope="module")
def used() -> dict[str, set[str]]:
    """For each variant the templates that it is made from."""
    pages = []

    class Recording(render_module._Page):
        def __init__(self, plan) -> None:
            super().__init__(plan)
            pages.append(self)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(render_module, "_Page", Recording)
        for variant in VARIANTS.values():
            variant.emit()
    return {name: page._used for name, page in zip(VARIANTS, pages, strict=True)}


def test_every_template_is_used_by_a_golden(used) -> None:
    assert set().union(*used.values()) == set(TEMPLATES)


@pytest.mark.parametrize("template", TEMPLATES)
def test_a_missing_value_is_an_error_and_never_nothing(template: str) -> None:
    source = (template_root() / template).read_text()
    if not meta.find_undeclared_variables(environment().parse(source)):
        pytest.skip("prints nothing but itself") if "include" in source else None
        assert environment().get_template(template).render() == source
        return
    with pytest.raises(jinja2.UndefinedError):
        environment().get_template(template).render()


def test_a_misspelt_condition_is_an_error_and_never_false() -> None:
    text = environment().from_string("<% if plan.sharred %>yes<% else %>no<% endif %>")
    with pytest.raises(jinja2.UndefinedError, match="sharred"):
        text.render(plan=emitted("shared").plan)


def test_braces_of_the_language_are_no_delimiters() -> None:
    text = 'acc = {{0.f}}; asm("{%0, %1}"); /* {# #} */ a % b'
    assert environment().from_string(text).render() == text
    assert not environment().autoescape


def digest_of(kernel) -> str:
    return re.search(r"templates: ([0-9a-f]{16})\n", kernel.source)[1]


@pytest.mark.parametrize("variant", ["direct", "double_quads"])
def test_the_digest_is_of_the_templates_that_were_used(variant: str, used, tmp_path, monkeypatch) -> None:
    before = digest_of(emitted(variant))
    seen = {before}
    for number, template in enumerate(TEMPLATES):
        folder = tmp_path / str(number)  # an environment keeps what it has read
        shutil.copytree(template_root(), folder)
        path = folder / template
        path.write_text(path.read_text().replace("e", "e", 1) + "<# changed #>")
        with monkeypatch.context() as patch:
            patch.setattr(render_module, "template_root", lambda folder=folder: folder)
            now = digest_of(VARIANTS[variant].emit())
        is_header = template == "header.h.jinja"
        assert (now != before) == (template in used[variant] and not is_header), template
        seen.add(now)
    assert len(seen) == 1 + len(used[variant] - {"header.h.jinja"})


def test_the_digest_does_not_depend_on_what_else_is_installed(tmp_path, monkeypatch) -> None:
    shutil.copytree(template_root(), tmp_path / "templates")
    (tmp_path / "templates" / "unused.cu.jinja").write_text("nothing")
    monkeypatch.setattr(render_module, "template_root", lambda: tmp_path / "templates")
    assert VARIANTS["shared"].emit().source == emitted("shared").source
