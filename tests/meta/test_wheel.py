"""The built wheel, in an empty environment: what it installs, and that it emits."""

from __future__ import annotations

import os
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

from gemmgen.api.regen import render_catalog

ROOT = Path(__file__).parents[2]
DISTRIBUTIONS, MEGABYTES = 12, 100

pytestmark = pytest.mark.slow


def run(*command: str | Path, cwd: Path) -> str:
    clean = {name: value for name, value in os.environ.items() if name not in {"PYTHONPATH", "VIRTUAL_ENV"}}
    done = subprocess.run(
        [str(word) for word in command], cwd=cwd, env=clean, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


@pytest.fixture(scope="module")
def wheel(tmp_path_factory) -> Path:
    folder = tmp_path_factory.mktemp("wheel")
    quiet = ("-q", "--disable-pip-version-check")
    run(
        sys.executable,
        "-m",
        "pip",
        "wheel",
        *quiet,
        "--no-deps",
        "--no-build-isolation",
        "-w",
        folder,
        ROOT,
        cwd=folder,
    )
    return next(folder.glob("gemmgen-*.whl"))


@pytest.fixture(scope="module")
def installed(wheel, tmp_path_factory) -> Path:
    """An environment that holds the wheel and what it depends on, and nothing else."""
    folder = tmp_path_factory.mktemp("installed") / "env"
    run(sys.executable, "-m", "venv", folder, cwd=folder.parent)
    # What the wheel needs has to come as wheels itself: nothing is compiled at installation.
    pip = (folder / "bin" / "python", "-m", "pip", "install", "-q", "--disable-pip-version-check")
    run(*pip, "--only-binary", ":all:", wheel, cwd=folder.parent)
    return folder


def test_the_wheel_holds_templates_emulator_and_types_and_no_tests(wheel):
    names = set(zipfile.ZipFile(wheel).namelist())
    templates = {path.relative_to(ROOT / "templates").as_posix() for path in (ROOT / "templates").rglob("*.jinja")}
    assert {f"gemmgen/_templates/{name}" for name in templates} <= names
    native = {path.relative_to(ROOT).as_posix() for path in (ROOT / "gemmgen/emulator/native").rglob("*.*")}
    assert native <= names
    assert "gemmgen/py.typed" in names
    assert not [name for name in names if name.startswith(("tests/", "templates/", "generated/"))]


def test_an_installation_is_small(installed):
    listed = run(installed / "bin" / "python", "-m", "pip", "list", "--format=freeze", cwd=installed).split()
    ours = [line for line in listed if line.split("==")[0] not in {"pip", "setuptools", "wheel"}]
    assert len(ours) <= DISTRIBUTIONS, ours
    site = next((installed / "lib").glob("python*/site-packages"))
    sizes = [
        path.stat().st_size
        for folder in site.iterdir()
        if not folder.name.startswith(("pip", "setuptools", "_distutils", "pkg_resources"))
        for path in (folder.rglob("*") if folder.is_dir() else [folder])
        if path.is_file()
    ]
    assert sum(sizes) <= MEGABYTES * 1e6


def test_an_installation_emits_the_same_bytes_from_anywhere(installed, tmp_path):
    wanted = render_catalog()
    program = "from pathlib import Path; from gemmgen.api.regen import regenerate; regenerate(Path('out'))"
    run(installed / "bin" / "python", "-c", program, cwd=tmp_path)
    assert {path.name: path.read_bytes() for path in (tmp_path / "out").iterdir()} == wanted


def test_an_installations_command_line_works_without_the_test_extra(installed, tmp_path):
    (tmp_path / "kernel.json").write_text('{"schedule": {"cta_tile": [32, 32, 8], "thread_tile": [2, 2]}}')
    said = run(installed / "bin" / "gemmgen", "emit", "kernel.json", cwd=tmp_path)
    written = [line.split()[0] for line in said.splitlines()]
    assert [Path(name).suffix for name in written] == [".cu", ".h"]
    refused = subprocess.run([installed / "bin" / "gemmgen", "check"], capture_output=True, text=True, check=False)
    assert refused.returncode == 2
    assert refused.stderr.splitlines()[-1].endswith("pip install 'gemmgen[test]'")
