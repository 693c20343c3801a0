"""The published robots of example-robot-data: each loads, and without drives is the robot that Pinocchio reads."""

from __future__ import annotations

import warnings
from dataclasses import replace
from importlib.metadata import files
from pathlib import Path

import numpy as np
import pytest
from lxml import etree

import gearwright as gw
from gearwright.errors import GearwrightWarning
from gearwright.files.urdf.reader import read_urdf, read_urdf_with_report
from gearwright.parts import Robot
from support.compare import relative

pin = pytest.importorskip("pinocchio")  # has no wheel for Windows

FILES = sorted(Path(str(f.locate())) for f in files("example-robot-data") or () if f.suffix == ".urdf")
IDS = ["-".join([f.parts[-3].removesuffix("_description"), f.stem]) for f in FILES]
EMPTY = "ur3"
"""A published file that holds no link at all."""


def test_all_of_them_are_here() -> None:
    assert len(FILES) == 69


class PinocchioRobot:
    """Pinocchio's model of the same file, with followers and joints that move nothing projected away: v_pin = G v."""

    def __init__(self, file: Path, robot: Robot, mech: gw.Mechanism) -> None:
        self.model = pin.buildModelFromUrdf(str(file))
        self.data = self.model.createData()
        self.coordinate = {name: i for i, name in enumerate(mech.coordinates)}
        self.joints = {link.joint_name: link.joint for link in robot.links}
        self.G = np.zeros((self.model.nv, mech.n))
        for j in range(1, self.model.njoints):
            leader, factor, _ = self._motion(self.model.names[j])
            if leader is not None:
                self.G[self.model.idx_vs[j], mech.speeds.index(leader)] = factor

    def _motion(self, name: str) -> tuple[str | None, float, float]:
        """A joint's position as factor times a coordinate plus offset."""
        factor, offset = 1.0, 0.0
        while (follows := self.joints[name].follows) is not None:
            name, offset, factor = follows[0], offset + factor * follows[2], factor * follows[1]
        return (None, 0.0, 0.0) if self.joints[name].kind == "fixed" else (name, factor, offset)

    def q(self, q: np.ndarray) -> np.ndarray:
        full = pin.neutral(self.model)
        for j in range(1, self.model.njoints):
            leader, factor, offset = self._motion(self.model.names[j])
            if leader is None:
                continue
            angle, at = factor * q[self.coordinate[leader]] + offset, self.model.idx_qs[j]
            if self.model.nqs[j] == 2:
                full[at : at + 2] = np.cos(angle), np.sin(angle)
            else:
                full[at] = angle
        return full

    def mass_matrix(self, q: np.ndarray) -> np.ndarray:
        M = pin.crba(self.model, self.data, self.q(q))
        M = np.triu(M) + np.triu(M, 1).T
        return self.G.T @ M @ self.G

    def gravity(self, q: np.ndarray) -> np.ndarray:
        return self.G.T @ pin.computeGeneralizedGravity(self.model, self.data, self.q(q))


@pytest.mark.parametrize("file", FILES, ids=IDS)
def test_mass_matrix_and_gravity_are_those_of_pinocchio(file: Path) -> None:
    robot, _ = read_urdf_with_report(file)
    if file.stem == EMPTY:
        assert robot.links == ()
        return
    mech = gw.assemble(replace(robot, drives=()))
    outside = PinocchioRobot(file, robot, mech)
    rng = np.random.default_rng(7)
    for _ in range(2):
        q = rng.uniform(-2, 2, mech.nq)
        assert relative(gw.mass_matrix(mech, q), outside.mass_matrix(q)) < 1e-9
        assert relative(gw.gravity(mech, q), outside.gravity(q), scale=1.0) < 1e-9


@pytest.mark.parametrize("file", FILES, ids=IDS)
def test_it_assembles_with_its_drives(file: Path) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", GearwrightWarning)
        robot = read_urdf(file)
    if robot.links:
        motors = [motor for train in robot.trains for motor in train.motors]
        assert len(gw.assemble(robot).actuators) == len(robot.drives) + len(motors)


@pytest.mark.parametrize("name", ["talos_reduced", "pr2", "romeo_laas_small", "icub", "panda", "quadrotor_base"])
def test_it_survives_being_written(name: str, tmp_path: Path) -> None:
    """Differentials, followers, negative moments, slides: written as URDF with a sidecar, the robot comes back."""
    (file,) = [file for file in FILES if file.stem == name]
    robot, _ = read_urdf_with_report(file)
    gw.save(robot, tmp_path / "robot.urdf")
    before, after = gw.assemble(robot), gw.assemble(read_urdf_with_report(tmp_path / "robot.urdf")[0])
    assert (after.speeds, after.actuators) == (before.speeds, before.actuators)
    q = np.random.default_rng(3).uniform(-1, 1, before.nq)
    assert relative(gw.mass_matrix(after, q), gw.mass_matrix(before, q)) < 1e-12
    assert relative(gw.gravity(after, q), gw.gravity(before, q), scale=1.0) < 1e-12


def test_how_many_break_which_rule() -> None:
    """The counts were made beforehand, with other tools."""
    reports = [read_urdf_with_report(file)[1] for file in FILES]

    def count(*words: str) -> int:
        return sum(
            any(word in line.message for line in report.accepted_problems for word in words) for report in reports
        )

    # A body with a negative moment violates the triangle inequality too; it is told of the graver fault.
    assert (count("triangle inequality", "negative"), count("negative")) == (16, 4)


def test_what_they_carry() -> None:
    roots = [etree.parse(file, etree.XMLParser(recover=True)).getroot() for file in FILES]
    robots = {file: read_urdf_with_report(file) for file in FILES}
    driven = [root.find("./transmission/joint") is not None for root in roots]
    mimics = [root.find(".//mimic") is not None for root in roots]
    assert (sum(driven), sum(mimics)) == (29, 13)
    for file, has_transmission, has_mimic in zip(FILES, driven, mimics, strict=True):
        robot, report = robots[file]
        told = " ".join([*report.ignored, *map(str, report.accepted_problems)])
        assert not has_transmission or robot.drives or robot.trains or "transmission" in told
        assert not has_mimic or any(link.joint.follows for link in robot.links) or "mimic" in told or "fixed" in told
