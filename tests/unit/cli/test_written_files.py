"""What `gemmgen emit` and `gemmgen regen` may overwrite and delete: what gemmgen wrote, and nothing else."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

COMMENT = "// written by hand\n"


@pytest.mark.parametrize("suffix", ["cu", "h"])
def test_emit_overwrites_no_foreign_file_unless_forced(run, files, suffix):
    other = files / f"x.{'h' if suffix == 'cu' else 'cu'}"
    (files / f"x.{suffix}").write_text(COMMENT)
    code, out, err = run("emit", "small.json", "-o", "x.cu")
    assert (code, out) == (2, "")
    assert err == f"x.{suffix}: gemmgen did not write this file; --force overwrites it\n"
    assert (files / f"x.{suffix}").read_text() == COMMENT
    assert not other.exists()
    code, out, _ = run("emit", "small.json", "-o", "x.cu", "--force")
    assert code == 0
    assert f"x.{suffix} (overwritten)" in out
    assert f"{other.name} (written)" in out


def test_a_generated_file_as_emitted_is_overwritten(run, files):
    assert run("emit", "small.json", "-o", "x.cu")[0] == 0
    assert run("emit", "larger.json", "-o", "x.cu") == (0, "x.cu (overwritten)\nx.h (overwritten)\n", "")


def test_a_link_is_followed(run, files):
    (files / "x.cu").symlink_to("sub.cu")
    assert run("emit", "small.json", "-o", "x.cu")[0] == 0
    assert (files / "x.cu").is_symlink()
    assert "__global__" in (files / "sub.cu").read_text()
    (files / "sub.cu").write_text(COMMENT)
    assert run("emit", "small.json", "-o", "x.cu")[0] == 2
    assert (files / "sub.cu").read_text() == COMMENT


def test_a_loop_of_links_is_one_line(run, files):
    (files / "x.cu").symlink_to("x.cu")
    code, out, err = run("emit", "small.json", "-o", "x.cu")
    assert (code, out, len(err.splitlines())) == (2, "", 1)


def test_a_pipe_is_no_place(run, files):
    os.mkfifo(files / "x.cu")
    code, _, err = run("emit", "small.json", "-o", "x.cu", "--force")
    assert (code, err) == (2, "x.cu: is no regular file\n")


@pytest.mark.parametrize("out", ["small.json/x.cu", "small.json/deep/x.cu"])
def test_a_file_in_the_way_of_a_folder_is_named(run, files, out):
    assert run("emit", "small.json", "-o", out) == (2, "", f"{out}: small.json is no folder\n")


@pytest.mark.parametrize("out", ["a" * 300, "a" * 300 + ".cu", "a" * 251 + ".cu"])
def test_a_name_that_is_too_long_is_one_line(run, files, out):
    before = set(files.iterdir())
    code, _, err = run("emit", "small.json", "-o", out)
    if len(out) > 255:
        assert (code, err.splitlines()) == (2, [f"{out}: File name too long"])
        assert set(files.iterdir()) == before
    else:
        assert code == 0


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="no /dev/full")
@pytest.mark.parametrize("arguments", [("emit", "small.json", "--stdout"), ("list",), ("list", "--json"), ("--help",)])
def test_output_that_can_not_be_written_is_one_line(files, arguments):
    with Path("/dev/full").open("w") as full:
        done = subprocess.run(
            [sys.executable, "-m", "gemmgen", *arguments],
            stdout=full,
            stderr=subprocess.PIPE,
            text=True,
            cwd=files,
            check=False,
        )
    assert (done.returncode, done.stderr) == (2, "standard output: No space left on device\n")


def test_a_launcher_may_be_named(run, files):
    (files / "named.toml").write_text('name = "ours"\n[schedule]\ncta_tile = [32, 32, 8]\nthread_tile = [2, 2]\n')
    assert run("emit", "named.json")[1] == "mine.cu (written)\nmine.h (written)\n"
    assert run("emit", "named.toml")[1] == "ours.cu (written)\nours.h (written)\n"
    assert run("emit", "named.json", "--name", "yours", "-o", "sub")[1].startswith("sub/yours.cu (written)")
    assert run("emit", "sub/yours.cu", "--name", "theirs")[1].startswith("sub/theirs.cu (written)")
    assert "int theirs(" in (files / "sub/theirs.h").read_text()


@pytest.mark.parametrize("name", ["a b", "int", "", "x();"])
def test_a_name_that_is_none_is_refused(run, files, name):
    code, out, err = run("emit", "small.json", "--name", name)
    assert (code, out, err[:6]) == (2, "", "GG090:")
    (files / "bad.json").write_text(json.dumps({"name": name}))
    assert run("emit", "bad.json")[2].startswith("GG090:")


def test_a_name_that_is_no_text_is_refused(run, files):
    (files / "bad.json").write_text('{"name": 5}')
    assert run("emit", "bad.json") == (2, "", "bad.json: name=5 is not a text\n")


@pytest.fixture
def checkout(tmp_path):
    (tmp_path / "pyproject.toml").write_text('[project]\nname = "gemmgen"\n')
    return tmp_path


def test_regen_works_in_a_checkout_alone(run, tmp_path):
    (tmp_path / "generated").mkdir()
    (tmp_path / "generated/mine.cu").write_text(COMMENT)
    (tmp_path / "pyproject.toml").write_text('[project]\nname = "other"\n')
    for arguments in (("regen",), ("regen", "--check")):
        code, out, err = run(*arguments)
        assert (code, out) == (2, "")
        assert "this is no checkout of gemmgen" in err.splitlines()[-1]
    assert [path.name for path in (tmp_path / "generated").iterdir()] == ["mine.cu"]


def test_regen_removes_what_gemmgen_wrote_and_leaves_the_rest(run, checkout, files):
    assert run("regen")[0] == 0
    assert run("emit", "named.json", "-o", "generated")[0] == 0
    foreign = checkout / "generated/mine_too.h"
    foreign.write_text(COMMENT)
    code, out, err = run("regen", "--check")
    assert code == 1
    assert out.splitlines() == [
        "orphaned: generated/mine.cu",
        "orphaned: generated/mine.h",
        "foreign: generated/mine_too.h (gemmgen did not write it; left as it is)",
    ]
    assert err.splitlines() == [
        "2 files differ from the catalogue. Run: gemmgen regen",
        "1 files are none of gemmgen's. Move them elsewhere.",
    ]
    assert run("regen")[0] == 0
    assert foreign.read_text() == COMMENT
    assert not list((checkout / "generated").glob("mine.*"))
    assert run("regen", "--check")[0] == 1
    (checkout / "pyproject.toml").unlink()
    assert run("regen")[0] == 0, "generated/ holds files of the catalogue"


def test_regen_brings_a_folder_up_to_date_and_check_says_what_is_not(run, checkout):
    code, out, err = run("regen", "--check")
    assert code == 1
    assert err.splitlines()[-1].endswith("files differ from the catalogue. Run: gemmgen regen")
    assert run("regen")[0] == 0
    assert run("regen", "--check") == (0, "generated: all files of the catalogue are as rendered.\n", "")
    folder = checkout / "generated"
    stale, missing = sorted(folder.glob("*.cu"))[:2]
    untouched = {path: path.stat().st_mtime_ns for path in folder.iterdir() if path not in (stale, missing)}
    stale.write_text(stale.read_text().replace("constexpr int BM", "constexpr int BX"))
    missing.unlink()
    code, out, err = run("regen", "--check")
    assert code == 1
    for line in (f"stale: generated/{stale.name}", f"missing: generated/{missing.name}", f"--- generated/{stale.name}"):
        assert line in out.splitlines()
    assert "-constexpr int BX" in out
    assert len(json.loads(run("regen", "--check", "--json")[1])) == 2
    assert run("regen")[0] == 0
    assert run("regen", "--check")[0] == 0
    assert {path: path.stat().st_mtime_ns for path in untouched} == untouched


def test_the_diff_names_the_folder_that_was_given(run, tmp_path):
    assert run("regen", "--into", "gen 2")[0] == 0
    stale = min((tmp_path / "gen 2").glob("*.cu"))
    stale.write_text(stale.read_text() + "// edited\n")
    code, out, err = run("regen", "--check", "--into", "gen 2")
    assert (code, err) == (1, "1 files differ from the catalogue. Run: gemmgen regen --into 'gen 2'\n")
    assert f"--- gen 2/{stale.name}" in out.splitlines()
