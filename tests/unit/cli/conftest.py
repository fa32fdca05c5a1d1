"""What the tests of commands share: files to describe kernels, and a way to run the command line in their folder."""

from __future__ import annotations

import json

import pytest

from gemmgen.cli import main

SMALL = {"schedule": {"cta_tile": [32, 32, 8], "thread_tile": [2, 2]}, "target": "sm_80"}
LARGER = {"schedule": {"cta_tile": [64, 32, 8], "thread_tile": [2, 2]}, "target": "sm_80"}
# 64 * 32 threads are too many, and 5 does not divide 64.
ILLEGAL = {"schedule": {"cta_tile": [64, 64, 8], "thread_tile": [1, 1], "vector_a": 3, "stages": 7}}


@pytest.fixture
def run(capsys, monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)

    def call(*arguments: str) -> tuple[int, str, str]:
        with pytest.raises(SystemExit) as ended:
            main(list(arguments))
        said = capsys.readouterr()
        return ended.value.code, said.out, said.err

    return call


@pytest.fixture
def files(tmp_path):
    described = {"small": SMALL, "named": {**SMALL, "name": "mine"}, "larger": LARGER, "illegal": ILLEGAL}
    for name, content in described.items():
        (tmp_path / f"{name}.json").write_text(json.dumps(content))
    return tmp_path
