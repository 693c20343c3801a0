"""Robots that come with other packages, read from MJCF, against MuJoCo; packages that are not installed are skipped."""

from __future__ import annotations

import importlib.util
from functools import cache
from pathlib import Path

import pytest

from gearwright.errors import FileError
from support.mjcf_agreement import Agreement

PACKAGES = ("dm_control", "gymnasium", "gymnasium_robotics", "robosuite")
CHANGE_THE_BIAS = ("fluid", "damping", "stiffness", "spatial tendon", "gravity compensation", "slack", "polynomial")
"""Of what is left out, or is a law instead, what would be in the bias."""
RUNS = {
    "gymnasium": ("walker2d.xml", "half_cheetah.xml", "reacher.xml", "inverted_double_pendulum.xml"),
    "dm_control": ("acrobot.xml", "cheetah.xml", "finger.xml", "pendulum.xml"),
    "robosuite": ("door.xml", "omron_mobile_base.xml"),
}
"""Ten models whose motion does not depend on contact alone."""


@cache
def files(package: str) -> tuple[Path, ...]:
    """The MJCF files of a package, which is not imported."""
    spec = importlib.util.find_spec(package)
    if spec is None or not spec.submodule_search_locations:
        pytest.skip(f"{package} is not installed")
    return tuple(sorted(path for place in spec.submodule_search_locations for path in Path(place).rglob("*.xml")))


def models(package: str) -> list[Agreement]:
    """Those that load alone: scenes, pieces and files with missing parts are refused."""
    found = []
    for path in files(package):
        try:
            found.append(Agreement(path))
        except FileError:
            continue
    return found


@pytest.mark.slow
@pytest.mark.parametrize("package", PACKAGES)
def test_mass_matrix_and_bias_of_every_model(package):
    found = models(package)
    assert found
    for one in found:
        mass, bias = one.errors()
        name = one.robot.name
        assert mass < 1e-9, name
        told = any(word in line for line in one.report.not_representable for word in CHANGE_THE_BIAS)
        told = told or any("tendon" in note and "gw.laws" in note for note in one.report.notes)
        assert bias < 1e-9 or told, (name, one.report.not_representable)


@pytest.mark.slow
@pytest.mark.parametrize(("package", "name"), [(package, name) for package, names in RUNS.items() for name in names])
def test_a_second_of_motion(package, name):
    path = next((path for path in files(package) if path.name == name), None)
    if path is None:
        pytest.skip(f"this version of {package} has no {name}")
    assert Agreement(path).run_error(step=2e-4) < 1e-4
