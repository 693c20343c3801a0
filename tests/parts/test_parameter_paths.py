"""Parameter paths: every number by its words, over scalars of any kind."""

from __future__ import annotations

import casadi
import numpy as np
import pytest

import gearwright as gw
from gearwright.errors import InputError
from gearwright.files import read_yaml
from gearwright.parts.parameter_paths import parameter, with_parameters

ROBOT = read_yaml("""
robot: arm
links:
  - name: upper
    parent: base
    joint: {name: shoulder, axis: [0, 0, 1], damping: 0.5, limits: {speed: 3}}
    mass: 5
    com: [0.2, 0.01, 0.02]
    inertia: {xx: 0.01, yy: 0.09, zz: 0.09, xz: 0.002}
  - name: v1.fore
    parent: upper
    joint: {name: elbow, axis: [0, 1, 0], position: [0.4, 0, 0]}
    mass: 3
    com: [0.1, 0, 0]
drives:
  - {joint: shoulder, motor: {inertia: 2e-4, mass: 0.3, position: [0, 0, -0.1]}, gear: {ratio: 50}}
  - joint: elbow
    motor: {inertia: 1e-4}
    gear: {kind: planetary, sun: 18, planet: 27, ring: 72, sun_member: {inertia: 3e-6}}
payload: {mass: 2, position: [0.3, 0, 0]}
frames: [{name: tool, link: v1.fore, position: [0.35, 0, 0.05]}]
""")
VALUES = {
    "upper.mass": 5,
    "upper.com.x": 0.2,
    "upper.inertia.xz": 0.002,
    "v1.fore.mass": 3,
    "shoulder.motor.inertia": 2e-4,
    "shoulder.motor.position.z": -0.1,
    "shoulder.gear.ratio": 50,
    "elbow.gear.sun_member.inertia": 3e-6,
    "shoulder.damping": 0.5,
    "shoulder.limits.speed": 3,
    "elbow.position.x": 0.4,
    "payload.mass": 2,
    "payload.position.x": 0.3,
    "gravity.z": -9.81,
    "tool.position.z": 0.05,
}


@pytest.mark.parametrize("path", VALUES)
def test_read_and_replaced(path):
    assert parameter(ROBOT, path) == VALUES[path]
    changed = with_parameters(ROBOT, {path: 7.5})
    assert parameter(changed, path) == 7.5
    assert all(parameter(changed, other) == x for other, x in VALUES.items() if other != path)
    assert parameter(ROBOT, path) == VALUES[path]


def test_a_symbol_reaches_spin_and_carrier():
    J = casadi.SX.sym("J")
    mech = gw.assemble(with_parameters(ROBOT, {"elbow.motor.inertia": J, "upper.mass": 5.0}))
    spin = next(s for s in mech.spins if s.name == "elbow.rotor")
    assert casadi.depends_on(spin.inertia, J)
    assert any(casadi.depends_on(casadi.SX(x), J) for x in mech.bodies[0].inertia)


def test_an_off_diagonal_element_stays_symmetric():
    rows = with_parameters(ROBOT, {"upper.inertia.xz": 0.005}).links[0].inertia
    assert rows[0][2] == rows[2][0] == 0.005


@pytest.mark.parametrize(
    ("path", "says"),
    [
        ("uper.mass", "Did you mean 'upper'"),
        ("upper.mas", "'upper.mas'.*'mass'"),
        ("sholder.motor.inertia", "'sholder.*'shoulder'"),
        ("shoulder.motor.inertai", "inertai'.*'inertia'"),
        ("shoulder.gear.stiffness", "'shoulder.gear.stiffness'"),
        ("upper.com", "'upper.com'"),
        ("upper.com.w", "upper.com.w.*'w'"),
        ("upper.mass.x", "'upper.mass.x'.*'x'"),
        ("upper.name", "'upper.name'"),
        ("upper", "'upper'"),
        (7, "7"),
    ],
)
def test_unknown_paths(path, says):
    with pytest.raises(InputError, match=says):
        parameter(ROBOT, path)
    if path != "shoulder.gear.stiffness":  # a number may be put where there was none
        with pytest.raises(InputError, match=says):
            with_parameters(ROBOT, {path: 1.0})


def test_a_robot_without_payload():
    from dataclasses import replace

    with pytest.raises(InputError, match=r"'payload\.mass'.*payload"):
        parameter(replace(ROBOT, payload=None), "payload.mass")


def test_entries_of_one_tensor_are_parameters_in_any_order():
    """The first row holds a symbol when the second is replaced."""
    paths = ["hand.inertia.xx", "hand.inertia.yy", "hand.inertia.zz"]
    link = gw.parts.Link(
        "hand", joint=gw.parts.Joint("j", axis=(1, 2, 3)), mass=1.0, inertia=np.diag([0.02, 0.03, 0.04])
    )
    robot = gw.parts.Robot("bench", [link])
    for order in (paths, paths[::-1]):
        kernel = gw.compile("mass_matrix", robot, parameters=order)
        values = [{"xx": 0.05, "yy": 0.06, "zz": 0.07}[path[-2:]] for path in order]
        expected = (0.05 + 4 * 0.06 + 9 * 0.07) / 14
        assert kernel([0.3], parameters=values)[0, 0] == pytest.approx(expected, rel=1e-12)
