"""The emitted text of every variant, as committed beside this file: a change of it is read like code."""

from __future__ import annotations

from pathlib import Path

import pytest
from kernel_variants import VARIANTS, emitted

from gemmgen import Schedule
from gemmgen.ir import registry

FOLDER = Path(__file__).parent


@pytest.mark.parametrize("suffix", ["cu", "h"])
@pytest.mark.parametrize("variant", VARIANTS)
def test_the_emitted_text_is_the_golden_one(variant: str, suffix: str, golden) -> None:
    kernel = emitted(variant)
    golden(f"{variant}.{suffix}", kernel.source if suffix == "cu" else kernel.header)


def test_no_golden_is_left_over() -> None:
    found = {path.name for path in FOLDER.iterdir() if path.suffix in (".cu", ".h")}
    assert found == {f"{variant}.{suffix}" for variant in VARIANTS for suffix in ("cu", "h")}


def test_every_mechanism_of_the_package_has_a_golden() -> None:
    ours = {(m.slot, m.name) for m in registry.mechanisms() if m.template_dir is None}
    records = [
        record
        for variant in VARIANTS.values()
        for record in (getattr(variant.schedule, name) for name in Schedule.declared)
        if registry.find(record) is not None
    ]
    assert {(registry.of(record).slot, registry.of(record).name) for record in records} == ours


def test_a_missing_golden_fails_and_names_the_flag(golden) -> None:
    if golden.update:
        pytest.skip("goldens are being written")
    with pytest.raises(pytest.fail.Exception, match="--update-golden"):
        golden("there_is_no_such_variant.cu", "text")


def test_a_changed_golden_fails_with_the_difference(golden) -> None:
    if golden.update:
        pytest.skip("goldens are being written")
    text = emitted("shared").source
    with pytest.raises(pytest.fail.Exception, match=r"(?s)--update-golden.*\+constexpr int BK = 17;"):
        golden("shared.cu", text.replace("constexpr int BK = 16;", "constexpr int BK = 17;"))
