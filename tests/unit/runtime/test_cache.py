"""The cache of compiled files: private, atomic, self-checking, bounded."""

from __future__ import annotations

import multiprocessing
import os
import stat
import time

import pytest

from gemmgen.errors import EnvironmentUnavailable
from gemmgen.runtime.cache import Cache, cache_folder, key_of


def test_what_was_stored_is_loaded(tmp_path):
    cache = Cache(tmp_path / "a b" / "c'd é")
    assert cache.load("k") is None
    cache.store("k", b"content")
    assert cache.load("k") == b"content"


def test_the_folder_is_its_owners_alone(tmp_path):
    cache = Cache(tmp_path / "cubin")
    cache.store("k", b"")
    assert stat.S_IMODE(cache.folder.stat().st_mode) == 0o700


def test_a_folder_that_others_can_write_is_refused(tmp_path):
    folder = tmp_path / "cubin"
    folder.mkdir()
    folder.chmod(0o777)
    with pytest.raises(EnvironmentUnavailable, match=r"can be written by others\. Run chmod 700"):
        Cache(folder).load("k")


@pytest.mark.parametrize("damage", [lambda b: b[:-1], lambda b: b"", lambda b: b[:-1] + b"!", lambda b: b + b"x"])
def test_a_damaged_entry_counts_as_absent(tmp_path, damage):
    cache = Cache(tmp_path)
    cache.store("k", b"content")
    path = tmp_path / "k"
    path.write_bytes(damage(path.read_bytes()))
    assert cache.load("k") is None


def test_what_a_killed_process_left_is_no_entry_and_goes_in_the_end(tmp_path):
    cache = Cache(tmp_path)
    old, new = tmp_path / ".unfinished-old", tmp_path / ".unfinished-new"
    for path in (old, new):
        path.write_bytes(b"half")
    os.utime(old, (time.time() - 7200,) * 2)
    cache.store("k", b"content")
    assert not old.exists()
    assert new.exists()


def test_the_oldest_entries_go_when_the_limit_is_reached(tmp_path):
    cache = Cache(tmp_path, limit_bytes=3000)
    for age, key in ((30, "a"), (20, "b"), (10, "c")):
        cache.store(key, bytes(1000))
        os.utime(tmp_path / key, (time.time() - age,) * 2)
    cache.store("d", bytes(1000))
    assert [cache.load(key) is None for key in "abcd"] == [True, True, False, False]


def test_a_failed_write_leaves_nothing(tmp_path, monkeypatch):
    cache = Cache(tmp_path)
    monkeypatch.setattr("pathlib.Path.replace", lambda *_: (_ for _ in ()).throw(OSError("disk full")))
    with pytest.raises(OSError, match="disk full"):
        cache.store("k", b"content")
    assert list(tmp_path.iterdir()) == []


def test_keys_depend_on_every_part_and_on_where_it_ends():
    keys = {key_of("ab", "c"), key_of("a", "bc"), key_of("abc"), key_of("ab", "c", "")}
    assert len(keys) == 4


def test_the_folder_can_be_chosen(tmp_path, monkeypatch):
    monkeypatch.setenv("GEMMGEN_CACHE_DIR", str(tmp_path))
    assert cache_folder("cubin") == tmp_path / "cubin"


def _write_many(folder, content, count):
    cache = Cache(folder)
    for _ in range(count):
        cache.store("k", content)


def test_concurrent_writers_never_show_half_an_entry(tmp_path):
    contents = [bytes([letter]) * 200_000 for letter in b"ab"]
    context = multiprocessing.get_context("spawn")
    writers = [context.Process(target=_write_many, args=(tmp_path, content, 40)) for content in contents]
    for writer in writers:
        writer.start()
    path, cache, seen = tmp_path / "k", Cache(tmp_path), set()
    while any(writer.is_alive() for writer in writers):
        if path.exists():
            found = cache.load("k")
            assert found in contents
            seen.add(found)
    for writer in writers:
        writer.join()
        assert writer.exitcode == 0
    assert seen
