"""The command line: what it prints, writes and exits with."""

from __future__ import annotations

import json
import os
import subprocess
import sys

import pytest


def written(out: str) -> list[str]:
    return [line.split()[0] for line in out.splitlines()]


def test_help_names_every_command_and_how_to_complete(run):
    code, out, _ = run("--help")
    assert code == 0
    for word in ("demo", "emit", "diff", "check", "list", "regen", "_GEMMGEN_COMPLETE=fish_source", "Exit codes"):
        assert word in out
    assert "never run code" in out


@pytest.mark.parametrize("command", ["emit", "check"])
def test_the_help_says_what_runs_code(run, command):
    _, out, _ = run(command, "--help")
    assert "none of which runs code, or a Python file, which is run" in " ".join(out.split())


def test_emit_writes_the_pair_and_then_nothing(run, files):
    code, out, _ = run("emit", "small.json")
    assert code == 0
    source, header = written(out)
    assert out == f"{source} (written)\n{header} (written)\n"
    assert source.endswith(".cu")
    assert header == source.replace(".cu", ".h")
    before = {path: path.stat().st_mtime_ns for path in files.iterdir()}
    code, out, _ = run("emit", "small.json")
    assert (code, out) == (0, f"{source} (unchanged)\n{header} (unchanged)\n")
    assert {path: path.stat().st_mtime_ns for path in files.iterdir()} == before


@pytest.mark.parametrize("out", ["sub/folder", "sub/mine.cu"])
def test_emit_takes_a_folder_or_a_path(run, files, out):
    code, said, _ = run("emit", "small.json", "-o", out)
    assert code == 0
    assert all((files / path).is_file() and path.startswith(out.removesuffix(".cu")) for path in written(said))


def test_emit_to_stdout_writes_no_file(run, files):
    before = set(files.iterdir())
    code, out, _ = run("emit", "small.json", "--stdout")
    assert code == 0
    assert "__global__" in out
    assert set(files.iterdir()) == before
    assert run("emit", "small.json", "--stdout", "-o", "x")[0] == 2


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("schedule = 3", "file.py: schedule is a int, not a gemmgen.Schedule"),
        ("x = 1\ny = 1 / 0", "file.py, line 2: ZeroDivisionError: division by zero"),
        ("x = = 1", "file.py, line 1: invalid syntax"),
        ("name = 5", "file.py: name is a int, not a text"),
        ("x = 1", "file.py: sets neither problem nor schedule"),
        (
            "import gemmgen\nschedulle = gemmgen.Schedule()",
            "file.py: sets neither problem nor schedule, but schedulle (do you mean schedule?)",
        ),
        (
            "import gemmgen\nproblem = gemmgen.Gemm()\nschedulle = gemmgen.Schedule()",
            "file.py: sets schedulle (do you mean schedule?), which describes nothing",
        ),
        ("import sys\nsys.exit(0)", "file.py, line 2: sys.exit(0) ends the file before it has described a kernel"),
    ],
)
def test_a_python_file_that_is_wrong_is_one_line(run, files, content, message):
    (files / "file.py").write_text(content)
    code, out, err = run("emit", "file.py")
    assert (code, out, err.splitlines()[-1]) == (2, "", message)


def test_a_python_file_describes_a_kernel(run, files):
    (files / "file.py").write_text(
        "import gemmgen as gg\nproblem = gg.Gemm(a_layout='col')\n"
        "schedule = gg.Schedule(cta_tile=(32, 32, 8), thread_tile=(2, 2))\ntarget = 'sm_90'\nname = 'my_gemm'\n"
    )
    code, out, _ = run("emit", "file.py")
    assert (code, out) == (0, "my_gemm.cu (written)\nmy_gemm.h (written)\n")


def test_data_files_never_run_code(run, files):
    (files / "file.json").write_text("__import__('os').mkdir('pwned')")
    (files / "file.toml").write_text("__import__('os').mkdir('pwned')")
    (files / "file.cu").write_text("// Input:\n// __import__('os').mkdir('pwned')\n// Derived:\n")
    for name in ("file.json", "file.toml", "file.cu"):
        code, out, err = run("emit", name)
        assert (code, out) == (2, "")
        assert err.startswith(f"{name}: ")
        assert len(err.splitlines()) == 1
    assert not (files / "pwned").exists()


@pytest.mark.parametrize("name", ["missing.json", "missing.py", "missing.cu", "missing.toml", "kernel.txt", "."])
def test_a_file_that_can_not_be_read_is_one_line(run, files, name):
    code, out, err = run("emit", name)
    assert code == 2
    assert out == ""
    assert name in err.splitlines()[-1]
    assert "Traceback" not in err


def test_an_illegal_schedule_lists_everything_and_writes_nothing(run, files):
    before = set(files.iterdir())
    code, out, err = run("emit", "illegal.json")
    assert (code, out) == (2, "")
    assert len(err.splitlines()) >= 2
    assert all(line.startswith("GG") for line in err.splitlines())
    assert set(files.iterdir()) == before


def test_an_output_that_can_not_be_written_leaves_neither_file(run, files):
    code, out, _ = run("emit", "small.json", "-o", "mine.cu")
    assert code == 0
    (files / "mine.cu").unlink()
    (files / "mine.h").unlink()
    (files / "mine.h").mkdir()
    code, out, err = run("emit", "small.json", "-o", "mine.cu")
    assert (code, out, err) == (2, "", "mine.h: is a folder\n")
    assert not (files / "mine.cu").exists()
    assert not list(files.glob(".mine*"))


def test_diff_shows_the_fields_and_then_the_text(run, files):
    code, out, _ = run("diff", "small.json", "larger.json")
    assert code == 1
    assert "schedule.cta_tile" in out
    assert "[32, 32, 8]" in out
    assert "[64, 32, 8]" in out
    assert "-constexpr int BM = 32;" in out
    assert "+constexpr int BM = 64;" in out
    changed = [line for line in out.splitlines() if line.startswith(("-", "+")) and "gemm_f32" in line]
    assert not changed, "the symbol alone makes no difference"


def test_diff_of_a_kernel_with_itself_is_fine(run, files):
    assert run("diff", "small.json", "small.json")[:2] == (0, "The two texts are equal.\n")
    code, out, _ = run("diff", "small.json", "small.json", "--json")
    assert (code, json.loads(out)) == (0, {"fields": [], "text": ""})


def test_list_is_a_table_or_json(run):
    assert "double buffer" in run("list")[1]
    entries = json.loads(run("list", "--json")[1])
    assert {"title", "symbol", "files", "problem", "schedule", "target"} == set(entries[0])


@pytest.mark.parametrize(
    "arguments", [("emti", "x"), ("emit",), ("demo", "--on", "gpu"), ("check", "--examples", "0"), ("diff", "a")]
)
def test_bad_usage_exits_with_2(run, arguments):
    code, out, err = run(*arguments)
    assert (code, out) == (2, "")
    assert "Error:" in err.splitlines()[-1]


def test_a_misspelt_command_is_offered_the_right_one(run):
    assert "emit" in run("emti", "x")[2]


def test_check_needs_hypothesis_and_says_how_to_get_it(run, monkeypatch):
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    code, _, err = run("check")
    assert (code, err.splitlines()[-1]) == (2, "Error: gemmgen check needs Hypothesis: pip install 'gemmgen[test]'")


def test_check_prints_what_it_covered(run, files):
    code, out, err = run("check", "small.json", "--examples", "3", "--processes", "1")
    assert (code, out.splitlines()[-1]) == (0, "No fault.")
    assert "call.beta" in out
    assert err.splitlines()[-1].startswith("Checking 3/3")
    code, out, _ = run("check", "small.json", "--examples", "2", "--processes", "1", "--json")
    assert code == 0
    assert json.loads(out)["examples"] == 2
    assert json.loads(out)["failure"] is None


@pytest.mark.parametrize("text", ["{", "[]", "{}"])
def test_a_replay_that_is_none_is_one_line(run, text):
    code, out, err = run("check", "--replay", text)
    assert (code, out, len(err.splitlines())) == (2, "", 1)


def test_no_gpu_is_one_sentence(run, monkeypatch):
    monkeypatch.setattr("gemmgen.runtime.context.device_available", lambda: "There is no GPU.")
    code, out, err = run("check", "--on", "cuda", "--examples", "1")
    assert (code, out, err.splitlines()[-1]) == (2, "", "There is no GPU.")


def test_demo_runs_and_exits_with_its_verdict(run):
    code, out, _ = run("demo", "--on", "cpu", "--json")
    found = json.loads(out)
    assert code == 0
    assert found["on"] == "cpu"
    assert [kernel["verdict"] for kernel in found["kernels"]] == ["ok"] * len(found["kernels"])
    assert {kernel["path"] for kernel in found["kernels"]} == {"scheduled"}
    assert all(0 < kernel["error"] <= kernel["bound"] for kernel in found["kernels"])


def test_a_wrong_kernel_fails_the_demo(run, monkeypatch):
    monkeypatch.setattr("gemmgen.api.demo._RUNNERS", {"cpu": lambda kernel, inputs, d: 1.0})
    code, out, _ = run("demo", "--on", "cpu")
    assert code == 1
    assert "0 of 6 kernels are right." in out


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_completion_is_written_for_each_shell(shell):
    environment = {**os.environ, "_GEMMGEN_COMPLETE": f"{shell}_source"}
    done = subprocess.run(
        [sys.executable, "-m", "gemmgen"], env=environment, capture_output=True, text=True, check=False
    )
    assert "gemmgen" in done.stdout
    assert "Traceback" not in done.stderr
