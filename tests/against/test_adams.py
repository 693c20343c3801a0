"""One-body mechanisms against MSC Adams: joints as closed loops of a free body, with their reactions.

The files have six digits and the errors of Adams' own integration: the reaction of the prismatic joint, which is
constant, is off by up to 6e-4 N of 4.9 N.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import gearwright as gw
from gearwright import forces
from gearwright.contact import Constraint, fixed_frame
from support.references import Reference

ADAMS = Reference("MSC Adams, mechanisms of one body")
GRAVITY = (0, 0, -9.80665)
HELD = {
    "Revolute_Case02": ("x", "y", "z", "rx", "ry"),
    "Prismatic_Case02": ("x", "y", "rx", "ry", "rz"),
    "Cylindrical_Case03": ("x", "y", "rx", "ry"),
    "Spherical_Case01": ("x", "y", "z"),
    "RotSpring_Case01": ("x", "y", "z", "rx", "ry"),
}
"""What the joints of a free body hold in the axes of the ground's marker."""


def matrix(quaternion: list[float]) -> np.ndarray:
    from scipy.spatial.transform import Rotation

    w, x, y, z = quaternion
    return Rotation.from_quat([x, y, z, w]).as_matrix()


def free_body(case: dict[str, Any]) -> tuple[gw.Mechanism, np.ndarray]:
    """The body with its frame at the centre of mass, on a free joint, with its marker as a frame; and its start."""
    inertia = np.diag(case["inertia_cm_diagonal"])
    body = gw.Body("body", -1, "free", mass=case["mass"], inertia=inertia)
    frames = []
    if "joint" in case:
        marker, R = case["joint"]["body_marker"], matrix(case["cm_quaternion"])
        place = R.T @ (np.array(marker["position"], dtype=float) - case["cm_position"])
        frames.append(gw.BodyFrame("marker", "body", R.T @ matrix(marker["quaternion_wxyz"]), place))
    start = np.array([*case["cm_position"], *case["cm_quaternion"]], dtype=float)
    start[3:] /= np.linalg.norm(start[3:])
    return gw.Mechanism([body], gravity=GRAVITY, frames=frames), start


def read(reference: Path, name: str) -> tuple[dict[str, Any], np.ndarray]:
    case = json.loads((reference / "adams" / "models.json").read_text())[name]
    return case, np.genfromtxt(reference / "adams" / f"{name}.csv", delimiter=",", names=True)


@pytest.mark.parametrize("name", HELD)
def test_a_joint_as_a_closed_loop(name, reference):
    case, rows = read(reference, name)
    mech, start = free_body(case)
    ground = case["joint"]["ground_marker"]
    R = matrix(ground["quaternion_wxyz"])
    joint = Constraint("joint", "marker", fixed_frame("ground", ground["position"], R), held=HELD[name])
    laws: list[gw.forces.Law] = [joint]
    exact = gw.analysis.IntegratorOptions(rtol=1e-10, atol=1e-12)
    if "spring" in case:
        spring = case["spring"]
        angle = forces.angle(mech, "body", "base", axis=tuple(R[:, 2]), name="angle")
        laws.append(forces.NonlinearSpring(
            "spring", forces.ElementDeflection(angle), forces.TorqueCurve(spring["stiffness_Nm_per_rad"]),
            damping=spring["damping_Nms_per_rad"],
        ))  # fmt: skip
    run = gw.simulate(mech, start, until=rows["t"][-1], samples=rows["t"], laws=laws, integrator=exact)
    place, wanted = (np.column_stack([rows[x] for x in names]) for names in (("x", "y", "z"), ("fx", "fy", "fz")))
    early = rows["t"] <= (1.0 if name == "Spherical_Case01" else 5.0)  # its error in Adams grows to 7e-4 m
    ADAMS.agrees(f"{name}, position, relative", ((run.q[:, :3] - place) / (1 + np.abs(place).max()))[early], 1e-5)
    along = np.array([run[f"joint.force.{x}"] if x in HELD[name] else 0 * run.t for x in ("x", "y", "z")])
    found = -(R @ along).T
    ADAMS.agrees(f"{name}, reaction [N]", (found - wanted)[early], 1e-3)
    if "spring" in case:
        return  # the file adds the torque of the spring
    about = np.array([run[f"joint.torque.{x}"] if x in HELD[name] else 0 * run.t for x in ("rx", "ry", "rz")])
    moment = -(R @ about).T + np.cross(gw.placement(mech, run.q, "marker").position - ground["position"], found)
    wanted = np.column_stack([rows[x] for x in ("tx", "ty", "tz")])
    ADAMS.agrees(f"{name}, moment, relative", (moment - wanted) / max(np.abs(wanted).max(), 1.0), 1e-4)


def test_a_constant_distance(reference):
    case, rows = read(reference, "Distance_Case03")
    mech, start = free_body(case)
    ground = case["joint"]["ground_marker"]["position"]
    assert not any(ground)
    length = forces.Coordinate.for_machine(mech, "length", lambda c: c.point("marker").dot(c.point("marker")) - 4.0)
    rod = Constraint.from_lines("rod", [length])
    exact = gw.analysis.IntegratorOptions(rtol=1e-10, atol=1e-12)
    run = gw.simulate(mech, start, until=rows["t"][-1], samples=rows["t"], laws=[rod], integrator=exact)
    place = np.column_stack([rows[x] for x in ("x", "y", "z")])
    ADAMS.agrees("Distance_Case03, position [m]", run.q[:, :3] - place, 1e-4)
