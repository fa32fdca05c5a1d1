"""The same inputs give the same bytes: whatever the hash seed, the locale, the working directory, the process."""

from __future__ import annotations

import hashlib
import locale
import os
import subprocess
import sys
from pathlib import Path

import pytest

from gemmgen.api.regen import render_catalog

ROOT = Path(__file__).parents[2]
DIGEST = """
import hashlib, sys
sys.path.insert(0, sys.argv[1])
from gemmgen.api.regen import render_catalog
print(hashlib.sha256(repr(sorted(render_catalog().items())).encode()).hexdigest())
"""


def digest_here() -> str:
    return hashlib.sha256(repr(sorted(render_catalog().items())).encode()).hexdigest()


def digest_in(cwd: Path, **environment: str) -> str:
    done = subprocess.run(
        [sys.executable, "-c", DIGEST, str(ROOT)],
        cwd=cwd,
        env={**os.environ, **environment},
        capture_output=True,
        text=True,
        check=True,
    )
    return done.stdout.strip()


@pytest.mark.parametrize("seed", range(10))
def test_bytes_do_not_depend_on_the_hash_seed_or_the_working_directory(seed, tmp_path):
    assert digest_in(tmp_path if seed % 2 else ROOT, PYTHONHASHSEED=str(seed)) == digest_here()


def test_bytes_do_not_depend_on_user_home_time_zone_or_encoding(tmp_path):
    odd = {"HOME": str(tmp_path), "USER": "someone", "TZ": "Asia/Kolkata", "LC_ALL": "C", "PYTHONUTF8": "0"}
    assert digest_in(tmp_path, **odd) == digest_here()


def comma_locale(build: Path) -> str | None:
    """A locale with a decimal comma: one of the machine's, else one compiled here."""
    for name in ("de_DE.UTF-8", "fr_FR.UTF-8", "tr_TR.UTF-8"):
        try:
            locale.setlocale(locale.LC_ALL, name)
        except locale.Error:
            continue
        return name
    try:
        command = ["localedef", "-i", "de_DE", "-f", "UTF-8", str(build / "de_DE.UTF-8")]
        subprocess.run(command, check=True, capture_output=True)
    except (OSError, subprocess.CalledProcessError):
        return None
    return "de_DE.UTF-8"


LOCALE_DIGEST = (
    "import locale, sys; locale.setlocale(locale.LC_ALL, sys.argv[2])\n"
    + DIGEST
    + ("assert locale.format_string('%.1f', 1.5) == '1,5'\n")
)


def test_bytes_do_not_depend_on_a_locale_with_a_decimal_comma(tmp_path):
    before = locale.setlocale(locale.LC_ALL)
    try:
        name = comma_locale(tmp_path)
    finally:
        locale.setlocale(locale.LC_ALL, before)
    if name is None:
        pytest.skip("this machine has no locale with a decimal comma, and no sources to compile one from")
    done = subprocess.run(
        [sys.executable, "-c", LOCALE_DIGEST, str(ROOT), name],
        env={**os.environ, "LOCPATH": str(tmp_path)} if any(tmp_path.iterdir()) else None,
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout.strip() == digest_here()


def test_generated_files_hold_no_path_and_end_their_lines_with_lf():
    for name, content in render_catalog().items():
        assert content.isascii(), name
        assert b"\r" not in content, name
        assert content.endswith(b"\n"), name
        assert str(ROOT).encode() not in content, name
        assert not [line for line in content.splitlines() if line != line.rstrip()], name
