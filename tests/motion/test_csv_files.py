"""Motions in CSV files: read as written, derived where they may be, refused with file, line and column otherwise."""

from __future__ import annotations

import numpy as np
import pytest

import gearwright as gw
from gearwright.errors import FileError
from gearwright.motion.csv_files import read_recording, write_columns
from support.mutations import broken

ARM = gw.Mechanism(
    [gw.Body("upper", mass=1, com=(0.1, 0, 0)), gw.Body("fore", "upper", position=(0.3, 0, 0), mass=1, com=(0.1, 0, 0))]
)
FLOATING = gw.Mechanism([gw.Body("box", joint="free", mass=1, inertia=np.eye(3))])
T = np.linspace(0, 2, 401)
Q = np.column_stack([np.sin(2 * T), np.cos(3 * T)])
V = np.column_stack([2 * np.cos(2 * T), -3 * np.sin(3 * T)])
A = np.column_stack([-4 * np.sin(2 * T), -9 * np.cos(3 * T)])
NAMES = ["upper", "fore"]


def write(path, **columns):
    names = [f"{letter}.{name}" for letter in columns for name in NAMES]
    path.write_text(write_columns(names, np.column_stack(list(columns.values())), T))
    return path


def refused(path, text, *words, mech=ARM):
    path.write_text(text)
    with pytest.raises(FileError) as caught:
        read_recording(path, mech)
    for word in (path.name, *words):
        assert word in str(caught.value)


def test_everything_given_is_read_to_the_last_bit(tmp_path):
    motion, remarks = read_recording(write(tmp_path / "m.csv", q=Q, v=V, a=A), ARM)
    for found, written in ((motion.t, T), (motion.q, Q), (motion.v, V), (motion.a, A)):
        assert np.array_equal(found, written)
    assert remarks == ()


def test_columns_in_any_order_with_foreign_ones(tmp_path):
    path = tmp_path / "m.csv"
    path.write_text("\ufeffq.fore, q.upper,t,a.fore,a.upper,v.fore,v.upper,mode\n2,1,0,6,5,4,3,auto\n\n")
    motion, remarks = read_recording(path, ARM)
    assert motion.q.tolist() == [[1, 2]]
    assert motion.v.tolist() == [[3, 4]]
    assert motion.a.tolist() == [[5, 6]]
    assert "mode" in remarks[0]


@pytest.mark.parametrize("given", [{"q": Q}, {"q": Q, "v": V}])
def test_missing_rates_are_derived(tmp_path, given):
    motion, remarks = read_recording(write(tmp_path / "m.csv", **given), ARM)
    assert np.abs(motion.v - V).max() < 1e-8
    assert np.abs(motion.a - A).max() < 1e-5
    assert "accelerations" in remarks[0]
    assert ("speeds" in remarks[0]) == ("v" not in given)


def test_quaternions_are_not_differentiated(tmp_path):
    header = ",".join(["t", *(f"q.{name}" for name in FLOATING.coordinates)])
    rows = "\n".join(f"{t},0,0,0,1,0,0,0" for t in range(10))
    refused(tmp_path / "m.csv", f"{header}\n{rows}\n", "v.box.vx", "quaternion", mech=FLOATING)


GOOD = "t,q.upper,q.fore\n" + "\n".join(f"{k},0,0" for k in range(8)) + "\n"


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", ["empty"]),
        ("\n \n", ["empty"]),
        ("t,q.upper,q.fore\n", ["no rows"]),
        (GOOD.replace("q.fore", "q.for"), ["'q.for'", "q.fore"]),
        (GOOD.replace("t,", "time,"), ["column t"]),
        (GOOD.replace("q.fore", "elbow"), ["column q.fore"]),
        (GOOD.replace("q.fore", "q.upper"), ["'q.upper'"]),
        (GOOD.replace(",q.fore", ",q.fore,v.upper").replace(",0,0", ",0,0,0"), ["column v.fore"]),
        (GOOD.replace("3,0,0", "3,0"), ["line 5", "2 values"]),
        (GOOD.replace("3,0,0", "3,nan,0"), ["line 5", "q.upper", "'nan'"]),
        (GOOD.replace("3,0,0", "3,0,inf"), ["line 5", "q.fore", "'inf'"]),
        (GOOD.replace("3,0,0", "3,0,"), ["line 5", "q.fore", "''"]),
        (GOOD.replace("3,0,0", "\n\n3,0,x"), ["line 7", "q.fore", "'x'"]),
        (GOOD.replace("3,0,0", "2,0,0"), ["line 5", "time 2"]),
        ("\n".join(GOOD.splitlines()[:5]), ["4 rows"]),
        (GOOD.replace(",", ";"), ["column t"]),
        (GOOD.replace("3,0,0", "3,1e308,0").replace("4,0,0", "3.000001,-1e308,0"), ["overflows"]),
    ],
)
def test_bad_files_are_refused(tmp_path, text, words):
    refused(tmp_path / "m.csv", text, *words)


def test_unreadable_files_are_refused(tmp_path):
    with pytest.raises(FileError, match=r"nowhere\.csv"):
        read_recording(tmp_path / "nowhere.csv", ARM)
    with pytest.raises(FileError, match=tmp_path.name):
        read_recording(tmp_path, ARM)
    with pytest.raises(FileError, match="/dev/zero"):
        read_recording("/dev/zero", ARM)
    (tmp_path / "b.csv").write_bytes(b"t,q.upper\n\xff\xfe\x00")
    with pytest.raises(FileError, match=r"b\.csv.*0xff.*\b10\b"):
        read_recording(tmp_path / "b.csv", ARM)


def test_broken_files_are_read_or_refused(tmp_path):
    names = [f"{letter}.{name}" for letter in "qva" for name in NAMES]
    whole = write_columns(names, np.column_stack([Q, V, A])[:12], T[:12])
    part = write_columns(names[:2], Q[:12], T[:12])
    path = tmp_path / "m.csv"
    read = 0
    for seed in range(1500):
        path.write_bytes(broken(seed, [whole, part])[1])
        try:
            motion, _ = read_recording(path, ARM)
        except FileError:
            continue
        read += 1
        assert all(np.isfinite(x).all() for x in (motion.t, motion.q, motion.v, motion.a))
        assert motion.q.shape == motion.v.shape == motion.a.shape == (len(motion.t), 2)
    assert 100 < read < 1400
