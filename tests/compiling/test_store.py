"""The cache on disk: hits, damage, several writers, bounded size."""

from __future__ import annotations

import os
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

import gearwright as gw
from gearwright.compiling import store
from gearwright.compiling.kernel import Kernel
from gearwright.parts import Joint, Link, Robot
from gearwright.tracing.recipe import Recipe


@pytest.fixture
def cache(tmp_path, monkeypatch):
    monkeypatch.setenv("GEARWRIGHT_CACHE", str(tmp_path / "cache"))
    return tmp_path / "cache"


def compiled(arm) -> np.ndarray:
    x = np.full(arm.n, 0.3)
    return gw.compile(gw.gravity, arm)(x)


def test_a_hit_does_not_trace(arm, cache, monkeypatch):
    expected = compiled(arm)
    assert len(list(cache.glob("*.kernel"))) == 1

    def refuse(_):
        raise AssertionError("traced although the kernel is in the cache")

    monkeypatch.setattr("gearwright.compiling.compile.traced", refuse)
    assert np.array_equal(compiled(arm), expected)


def test_another_process_hits_without_casadi(cache):
    script = """
import sys, numpy as np, gearwright as gw
arm = gw.Mechanism([gw.Body("arm", mass=2.0, com=(0.5, 0, 0), axis=(0, 1, 0))])
print(gw.compile(gw.gravity, arm)(np.array([0.25]))[0], "casadi" in sys.modules)
"""
    lines = [subprocess.check_output([sys.executable, "-c", script], text=True).split() for _ in range(2)]
    assert lines[0][0] == lines[1][0]
    assert [line[1] for line in lines] == ["True", "False"]


DAMAGE = {
    "cut": lambda data: data[: len(data) // 2],
    "empty": lambda data: b"",
    "last bit": lambda data: data[:-1] + bytes([data[-1] ^ 1]),
    "first bit": lambda data: bytes([data[0] ^ 1]) + data[1:],
    "middle": lambda data: data[:50] + b"garbage" + data[57:],
    "longer": lambda data: data + b"x",
}


@pytest.mark.parametrize("damage", DAMAGE.values(), ids=DAMAGE.keys())
def test_damaged_entries_are_made_anew(arm, cache, damage):
    expected = compiled(arm)
    (path,) = cache.glob("*.kernel")
    whole = path.read_bytes()
    path.write_bytes(damage(whole))
    assert np.array_equal(compiled(arm), expected)
    assert path.read_bytes() == whole


def test_the_machine_is_part_of_the_key(arm, cache):
    compiled(arm)
    heavier = gw.Mechanism(arm.bodies, arm.spins, arm.shafts, arm.springs, gravity=(0, 0, -1.62))
    compiled(heavier)
    gw.compile(gw.mass_matrix, arm)
    gw.compile(gw.gravity, arm).jacobian("q")
    assert len(list(cache.glob("*.kernel"))) == 4


def test_numbers_count_to_the_last_digit(cache):
    """Arrays print eight digits; the key must know all of them, also where parameters are symbolic."""
    for digits in (0.2, 0.2 + 1e-13):
        robot = Robot("one", [Link("arm", mass=2.0, com=np.array([digits, 0.0, 0.0]), joint=Joint(axis=(0, 1, 0)))])
        gw.compile(gw.gravity, robot)
        gw.compile(gw.gravity, robot, parameters=["arm.mass"])
    assert len(list(cache.glob("*.kernel"))) == 4


def test_only_stored_kernels_can_be_asked_for(arm, cache):
    assert Kernel.from_cache(Recipe("gravity", arm)) is None
    Kernel(Recipe("gravity", arm))
    assert Kernel.from_cache(Recipe("gravity", arm)).operations.additions > 0


def test_several_writers(arm, cache):
    entry = store.Entry({"operations": [1, 2, 3, 4, 5, 6]}, bytes(100_000))
    with ThreadPoolExecutor(8) as pool:
        list(pool.map(lambda k: store.write(f"key{k % 3}", entry), range(60)))
        assert all(found in (entry, None) for found in pool.map(lambda k: store.read(f"key{k % 3}"), range(60)))
    assert store.read("key1") == entry
    assert not list(cache.glob(".*.tmp"))


def test_the_size_is_bounded_and_the_oldest_go_first(cache, monkeypatch):
    monkeypatch.setattr(store, "LIMIT", 10_000)
    for k in range(8):
        store.write(f"key{k}", store.Entry({}, bytes(2000)))
        os.utime(cache / f"key{k}.kernel", (1000 + k, 1000 + k))
    store.read("key4")  # used now
    store.write("key8", store.Entry({}, bytes(2000)))
    left = {path.stem for path in cache.glob("*.kernel")}
    assert {"key4", "key8"} <= left
    assert "key3" not in left
    assert sum(path.stat().st_size for path in cache.iterdir()) <= 10_000


@pytest.mark.parametrize("where", ["/proc/nowhere", "off"])
def test_no_directory_is_no_error(arm, where, monkeypatch, inverse):
    monkeypatch.setenv("GEARWRIGHT_CACHE", where)
    assert np.isfinite(compiled(arm)).all()


def test_a_file_in_the_way_is_no_error(arm, tmp_path, monkeypatch):
    (tmp_path / "cache").write_text("not a directory")
    monkeypatch.setenv("GEARWRIGHT_CACHE", str(tmp_path / "cache"))
    assert np.isfinite(compiled(arm)).all()
