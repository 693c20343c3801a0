"""Runs: series with units, files, pictures, comparisons."""

import numpy as np
import pytest

import gearwright as gw
from gearwright.errors import FileError, InputError


@pytest.fixture(scope="module")
def run():
    return gw.simulate(gw.assemble(gw.load("elbow")), [0.0, 0.5, 0.0], until=0.2, samples=21)


@pytest.mark.parametrize("ending", ["csv", "parquet"])
def test_a_saved_run_comes_back_to_the_last_bit(run, tmp_path, ending):
    again = gw.Run.read(run.save(tmp_path / f"deep/run.{ending}"))
    np.testing.assert_array_equal(again.t, run.t)
    assert list(again.series) == list(run.series)
    for name in run.series:
        np.testing.assert_array_equal(again[name], run[name])
    if ending == "parquet":
        assert again.units == run.units


def test_blocks_units_and_names(run):
    assert run.q.shape == run.v.shape == run.a.shape == run.tau.shape == (21, 3)
    assert run.units["v.j2"] == "rad/s"
    assert run.units["tau.j1"] == "Nm"
    assert run.units["energy.kinetic"] == "J"
    with pytest.raises(InputError, match=r"'v\.jj2'.*'v\.j2'"):
        run["v.jj2"]


def test_units_of_sliding_and_free_joints():
    mech = gw.Mechanism(
        [gw.Body("body", joint="free", mass=1, inertia=np.eye(3)), gw.Body("s", 0, "prismatic", mass=1)]
    )
    units = gw.simulate(mech, None, until=0.01, samples=2).units
    assert units["q.body.x"] == "m"
    assert units["q.body.qw"] == ""
    assert units["v.body.wx"] == "rad/s"
    assert units["v.body.vx"] == "m/s"
    assert units["tau.s"] == "N"


def test_a_run_compares_with_itself_and_sees_differences(run):
    other = gw.Run(run.t, {**run.series, "q.j2": run["q.j2"] + 0.1}, run.units)
    found = run.compare(other)
    assert found["q.j1"] < 1e-12
    assert found["q.j2"] == pytest.approx(0.1 / np.ptp(run["q.j2"]))


def test_a_picture_is_written(run, tmp_path):
    run.plot("q", "energy", path=tmp_path / "run.png")
    assert (tmp_path / "run.png").stat().st_size > 5000
    with pytest.raises(InputError, match=r"'current'.*q\.j1"):
        run.plot("current")


def test_wrong_endings_and_files_are_refused(run, tmp_path):
    with pytest.raises(InputError, match=r"run\.xlsx.*\.csv.*\.parquet"):
        run.save(tmp_path / "run.xlsx")
    (tmp_path / "bad.parquet").write_bytes(b"nonsense")
    with pytest.raises(FileError, match=r"bad\.parquet"):
        gw.Run.read(tmp_path / "bad.parquet")


def test_a_run_starts_at_zero_whenever_it_is_looked_at():
    """Samples that begin later do not let the run begin later."""
    arm = gw.load("elbow")
    late = gw.simulate(arm, ([0.3, 0.2, 0.1], [0.0, 0.0, 0.0]), 0.4, laws=(), samples=[0.3, 0.4])
    whole = gw.simulate(arm, ([0.3, 0.2, 0.1], [0.0, 0.0, 0.0]), 0.4, laws=(), samples=5)
    assert late.t.tolist() == [0.0, 0.3, 0.4]
    np.testing.assert_allclose(late.q[-1], whole.q[-1], atol=1e-8)
