"""Targets: device limits as data."""

from __future__ import annotations

import pickle

import pytest

import gemmgen as gg
from gemmgen.target import DEFAULT_TARGET, TARGETS, nearest, resolve

# NVIDIA's guide: opt-in shared bytes a block, warps and blocks resident on an SM.
GUIDE = {
    "sm_70": (98_304, 64, 32),
    "sm_72": (98_304, 64, 32),
    "sm_75": (65_536, 32, 16),
    "sm_80": (166_912, 64, 32),
    "sm_86": (101_376, 48, 16),
    "sm_87": (166_912, 48, 16),
    "sm_89": (101_376, 48, 24),
    "sm_90": (232_448, 64, 32),
    "sm_100": (232_448, 64, 32),
    "sm_103": (232_448, 64, 32),
    "sm_110": (232_448, 48, 24),
    "sm_120": (101_376, 48, 24),
    "sm_121": (101_376, 48, 24),
}


@pytest.mark.parametrize("name", GUIDE)
def test_limits(name):
    target = resolve(name)
    assert (target.shared_bytes_per_block_optin, target.warps_per_sm, target.blocks_per_sm) == GUIDE[name]
    assert target.registers_per_sm == 65_536
    assert target.max_threads_per_block == 1024
    assert target.max_registers_per_thread == 255
    assert "Programming Guide" in target.source
    # From compute capability 8.0 on the system keeps 1 KiB of each block's shared memory.
    assert target.shared_bytes_per_sm == target.shared_bytes_per_block_optin + target.shared_bytes_reserved


def test_names_say_what_they_are():
    for name, target in TARGETS.items():
        assert target.name == name
        assert name == f"sm_{target.capability}{'a' if target.arch_specific else ''}"
        if target.arch_specific:
            plain = TARGETS[name.removesuffix("a")]
            assert plain.shared_bytes_per_block_optin == target.shared_bytes_per_block_optin
    assert DEFAULT_TARGET in TARGETS


def test_targets_are_plain_data():
    target = resolve("sm_90a")
    assert resolve(target) is target
    assert pickle.loads(pickle.dumps(target)) == target  # noqa: S301
    assert hash(target) == hash(resolve("sm_90a"))


@pytest.mark.parametrize(
    ("raw", "near"),
    [
        ("sm_91", "sm_90"), ("sm90", "sm_90"), ("90a", "sm_90a"), ("compute_86", "sm_86"), ("SM_120A", "sm_120a"),
        ("sm_60", "sm_70"), ("sm_999", "sm_121"), ("sm_", "sm_90"), ("hopper", "sm_80"), (90, "sm_80"), (None, "sm_80"),
        ("9" * 9999, "sm_121"), ("\u0663\u0662", "sm_80"),
    ],
)  # fmt: skip
def test_nearest(raw, near):
    assert nearest(raw) == near


def test_unknown_names_are_refused():
    with pytest.raises(gg.ScheduleError, match=r"^GG004: target='sm_91' is not one of sm_70, .* Use target='sm_90'\.$"):
        resolve("sm_91")
    with pytest.raises(gg.ScheduleError, match="target=<list>"):
        resolve([])
