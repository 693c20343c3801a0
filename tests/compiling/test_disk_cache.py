"""The cache on disk: hits, damage, foreign entries and folders, several writers, bounded size."""

from __future__ import annotations

import errno
import hashlib
import io
import os
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest

import gearwright as gw
from gearwright.compiling.host import disk_cache
from gearwright.compiling.host.known_processor import host_processor
from gearwright.compiling.kernel import Kernel
from gearwright.errors import CacheWarning
from gearwright.parts import Joint, Link, Robot
from gearwright.tracing.recipe import KernelRequest

ROOT = Path(__file__).parents[2]


@pytest.fixture
def cache(tmp_path, monkeypatch):
    host_processor()  # stored once per process, in whichever folder it is asked for first
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

    monkeypatch.setattr("gearwright.compiling.compile.trace_graph", refuse)
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
    "facts that are none": lambda data: sealed(data[32 : data.index(b"\n", 32) + 1] + b"\2" + bytes(7) + b"{]"),
}


def sealed(rest: bytes) -> bytes:
    """An entry's bytes with a hash that is right."""
    return hashlib.sha256(rest).digest() + rest


@pytest.mark.parametrize("damage", DAMAGE.values(), ids=DAMAGE.keys())
def test_damaged_entries_are_made_anew(arm, cache, damage):
    expected = compiled(arm)
    (path,) = cache.glob("*.kernel")
    whole = path.read_bytes()
    path.write_bytes(damage(whole))
    assert np.array_equal(compiled(arm), expected)
    assert path.read_bytes() == whole


def test_an_entry_of_another_key_is_made_anew(arm, cache):
    """Whole and well hashed, but put under a name that is not its own."""
    expected = compiled(arm)
    (path,) = cache.glob("*.kernel")
    whole = path.read_bytes()
    gw.compile(gw.kinetic_energy, arm)
    (other,) = set(cache.glob("*.kernel")) - {path}
    os.replace(other, path)
    assert np.array_equal(compiled(arm), expected)
    assert path.read_bytes() == whole


LINKS = {"symbolic": os.symlink, "hard": os.link}


@pytest.mark.parametrize("link", LINKS.values(), ids=LINKS.keys())
def test_entries_that_are_links_are_made_anew(arm, cache, tmp_path, link):
    compiled(arm)
    (path,) = cache.glob("*.kernel")
    elsewhere = tmp_path / "elsewhere"
    path.rename(elsewhere)
    link(elsewhere, path)
    assert disk_cache.read_entry(path.stem) is None
    compiled(arm)
    assert not path.is_symlink()
    assert path.stat().st_nlink == 1
    assert elsewhere.exists()


owners = pytest.mark.skipif(not hasattr(os, "geteuid"), reason="the system has no owners")


@owners
def test_an_entry_that_is_a_pipe_does_not_wait(cache):
    cache.mkdir(mode=0o700)
    os.mkfifo(cache / "key.kernel")
    assert disk_cache.read_entry("key") is None


@owners
@pytest.mark.parametrize("mode", [0o620, 0o602])
def test_entries_that_others_may_write_are_made_anew(arm, cache, mode):
    expected = compiled(arm)
    (path,) = cache.glob("*.kernel")
    path.chmod(mode)
    assert disk_cache.read_entry(path.stem) is None
    assert np.array_equal(compiled(arm), expected)
    assert path.stat().st_mode & 0o777 == 0o600


@owners
@pytest.mark.parametrize("mode", [0o777, 0o770, 0o702, 0o1777])
def test_a_folder_that_others_may_write_is_not_used_and_said_once(arm, cache, mode):
    expected = compiled(arm)
    (path,) = cache.glob("*.kernel")
    path.write_bytes(b"somebody else's")
    cache.chmod(mode)
    with pytest.warns(CacheWarning, match=rf"{cache} .*mode {mode:03o}.*GEARWRIGHT_CACHE") as heard:
        results = [compiled(arm), compiled(arm)]
    assert np.array_equal(results, [expected, expected])
    assert len(heard) == 1
    assert heard[0].filename == __file__
    assert path.read_bytes() == b"somebody else's"
    cache.chmod(0o700)
    compiled(arm)
    assert len(path.read_bytes()) > 1000


@owners
def test_a_folder_of_somebody_else_is_not_used(cache, monkeypatch):
    disk_cache.write_entry("key", disk_cache.CacheEntry({}, b"code"))
    monkeypatch.setattr(os, "geteuid", lambda: os.stat(cache).st_uid + 1)
    with pytest.warns(CacheWarning, match=rf"{cache} .*user {os.stat(cache).st_uid}\b"):
        assert disk_cache.read_entry("key") is None


@owners
def test_of_a_linked_folder_the_real_one_is_checked(cache, tmp_path):
    real = tmp_path / "real"
    real.mkdir(mode=0o700)
    cache.symlink_to(real)
    entry = disk_cache.CacheEntry({"operations": [1]}, b"code")
    disk_cache.write_entry("key", entry)
    assert disk_cache.read_entry("key") == entry
    real.chmod(0o777)
    with pytest.warns(CacheWarning, match=rf"{cache} .*mode 777"):
        assert disk_cache.read_entry("key") is None


@owners
def test_the_folder_is_made_for_its_owner_alone(cache):
    before = os.umask(0)
    try:
        disk_cache.write_entry("key", disk_cache.CacheEntry({}, b"code"))
    finally:
        os.umask(before)
    assert cache.stat().st_mode & 0o777 == 0o700


@owners
def test_the_tests_pass_with_a_folder_that_others_may_write(tmp_path):
    """A warning is an error in tests, so they choose another folder."""
    folder = tmp_path / "open"
    folder.mkdir()
    folder.chmod(0o777)
    file = tmp_path / "test_cache_in_use.py"
    file.write_text(
        "import gearwright as gw\n\n\ndef test_compile():\n    gw.compile(gw.gravity, gw.load('elbow'))\n"
        "    assert gw.compiling.host.disk_cache.cache_directory() != "
        f"gw.compiling.host.disk_cache.Path({str(folder)!r})\n"
    )
    command = [
        sys.executable,
        "-m",
        "pytest",
        "-q",
        "-n0",
        "-p",
        "no:cacheprovider",
        "-c",
        str(ROOT / "pyproject.toml"),
    ]
    environment = {**os.environ, "GEARWRIGHT_CACHE": str(folder), "PYTHONPATH": os.pathsep.join(sys.path)}
    shared = [*command, "-p", "tests.conftest", "--rootdir", str(ROOT), str(file)]
    done = subprocess.run(shared, env=environment, cwd=ROOT, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
    assert not list(folder.iterdir())


FAILURES = {"while writing": "write", "while renaming": "replace"}


class FullDisk(io.BytesIO):
    """A file for which there is no space."""

    def write(self, _):
        raise OSError(errno.ENOSPC, "No space left on device")


@pytest.mark.parametrize("where", FAILURES.values(), ids=FAILURES.keys())
def test_a_full_disk_leaves_nothing_behind(cache, monkeypatch, where):
    if where == "write":
        monkeypatch.setattr(os, "fdopen", lambda handle, *_: os.close(handle) or FullDisk())
    else:
        monkeypatch.setattr(os, "replace", FullDisk.write)
    disk_cache.write_entry("key", disk_cache.CacheEntry({}, b"code"))
    assert list(cache.iterdir()) == []


def test_an_interrupted_write_leaves_nothing_behind(cache, monkeypatch):
    def interrupted(*_):
        raise KeyboardInterrupt

    monkeypatch.setattr(os, "replace", interrupted)
    with pytest.raises(KeyboardInterrupt):
        disk_cache.write_entry("key", disk_cache.CacheEntry({}, b"code"))
    assert list(cache.iterdir()) == []


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
    assert Kernel.from_cache(KernelRequest("gravity", arm)) is None
    Kernel(KernelRequest("gravity", arm))
    assert Kernel.from_cache(KernelRequest("gravity", arm)).operations.additions > 0


def test_several_writers(arm, cache):
    entry = disk_cache.CacheEntry({"operations": [1, 2, 3, 4, 5, 6]}, bytes(100_000))
    with ThreadPoolExecutor(8) as pool:
        list(pool.map(lambda k: disk_cache.write_entry(f"key{k % 3}", entry), range(60)))
        assert all(
            found in (entry, None) for found in pool.map(lambda k: disk_cache.read_entry(f"key{k % 3}"), range(60))
        )
    assert disk_cache.read_entry("key1") == entry
    assert not list(cache.glob(".*.tmp"))


def test_the_size_is_bounded_and_the_oldest_go_first(cache, monkeypatch):
    monkeypatch.setattr(disk_cache, "MAX_CACHE_BYTES", 10_000)
    for k in range(8):
        disk_cache.write_entry(f"key{k}", disk_cache.CacheEntry({}, bytes(2000)))
        os.utime(cache / f"key{k}.kernel", (1000 + k, 1000 + k))
    disk_cache.read_entry("key4")  # used now
    disk_cache.write_entry("key8", disk_cache.CacheEntry({}, bytes(2000)))
    left = {path.stem for path in cache.glob("*.kernel")}
    assert {"key4", "key8"} <= left
    assert "key3" not in left
    assert sum(path.stat().st_size for path in cache.iterdir()) <= 10_000


def test_a_directory_is_looked_through_at_the_first_entry_and_after_a_share_of_its_size(cache, monkeypatch):
    looks = []
    monkeypatch.setattr(disk_cache, "_remove_oldest", looks.append)
    monkeypatch.setattr(disk_cache, "MAX_CACHE_BYTES", 64_000)
    for k in range(12):
        disk_cache.write_entry(
            f"key{k}", disk_cache.CacheEntry({}, bytes(450))
        )  # 497 bytes with key and hash: 2,000 are a share
    assert disk_cache.CACHE_CHECK_SHARE == 32
    assert looks == [cache, cache, cache]


@pytest.mark.parametrize("where", ["/proc/nowhere", "off"])
def test_no_directory_is_no_error(arm, where, monkeypatch, inverse):
    monkeypatch.setenv("GEARWRIGHT_CACHE", where)
    assert np.isfinite(compiled(arm)).all()


def test_a_file_in_the_way_is_no_error(arm, tmp_path, monkeypatch):
    (tmp_path / "cache").write_text("not a directory")
    monkeypatch.setenv("GEARWRIGHT_CACHE", str(tmp_path / "cache"))
    assert np.isfinite(compiled(arm)).all()
