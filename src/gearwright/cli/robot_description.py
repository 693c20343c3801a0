"""A robot as plain data, for people and programs."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from gearwright.algebra import ZERO
from gearwright.errors import GearwrightError
from gearwright.files.formats import MJCF_ENDINGS, URDF_ENDINGS
from gearwright.files.permissions import Permissions
from gearwright.functions.dynamics import mass_matrix, neutral
from gearwright.mechanism import Body, Mechanism, Rest
from gearwright.mechanism.reflected_inertia import reflected_inertia
from gearwright.parts import Robot

if TYPE_CHECKING:
    from gearwright.files.import_report import Report


def reading_report(path: Path, permissions: Permissions) -> Report | None:
    """How a URDF or MJCF was read; other files say what they mean."""
    ending = path.suffix.lower()
    if ending in URDF_ENDINGS:
        from gearwright.files.urdf.reader import read_urdf_with_report

        return read_urdf_with_report(path, permissions=permissions)[1]
    if ending in MJCF_ENDINGS:
        from gearwright.files.mjcf.reader import read_mjcf_with_report

        return read_mjcf_with_report(path, permissions)[1]
    return None


def describe(robot: Robot, mech: Mechanism, report: Report | None = None) -> dict[str, Any]:
    """Everything `info` shows, as plain data; `report` is how a URDF or MJCF was read."""
    total = np.diag(mass_matrix(mech, neutral(mech))).tolist()
    return {
        "robot": robot.name,
        "description": robot.description,
        "gravity": [float(x) for x in mech.gravity],
        "mass": float(sum(body.mass for body in mech.bodies)),
        "coordinates": list(mech.coordinates),
        "speeds": [
            {"name": name, "wheels": float(felt), "total": inertia}
            for name, felt, inertia in zip(mech.speeds, reflected_inertia(mech), total, strict=True)
        ],
        "links": [_link(mech, robot, body) for body in mech.bodies],
        "wheels": [_wheel(mech, k) for k in range(len(mech.spins))],
        "springs": [
            {"name": s.name, "stiffness": float(s.stiffness), "damping": float(s.damping)} for s in mech.springs
        ],
        "loops": [{"name": x.name, "frames": list(x.frames), "held": list(x.held)} for x in robot.loops],
        "degrees_of_freedom": degrees_of_freedom(robot, mech),
        "frames": [{"name": f.name, "link": mech.carrier_name(f.body)} for f in mech.frames],
        "notes": list(report.notes) if report else [],
        "left_out": [*report.ignored, *report.lost] if report else [],
    }


def degrees_of_freedom(robot: Robot, mech: Mechanism) -> int | None:
    """How many speeds the loops of a robot leave free; None where its loops cannot be closed."""
    from gearwright.planning.paths.motions_of_closed_robots import ClosedRobot

    closed = ClosedRobot.of(robot, mech)
    try:
        return mech.n if closed is None else closed.mobility
    except GearwrightError:
        return None


def _link(mech: Mechanism, robot: Robot, body: Body) -> dict[str, Any]:
    limits = robot.link(body.name).joint.limits
    return {
        "name": body.name,
        "parent": mech.carrier_name(body.parent),
        "joint": body.speed_name,
        "kind": body.joint,
        "follows": body.follows[0] if body.follows else None,
        "mass": float(body.mass),
        "com": [float(x) for x in body.com],
        "effective": body.effective,
        "limits": {key: value for key, value in vars(limits).items() if value is not None},
    }


def _wheel(mech: Mechanism, k: int) -> dict[str, Any]:
    spin = mech.spins[k]
    rest = spin.rest if spin.rest is not None else Rest(0.0, ZERO, 0.0)
    return {
        "name": spin.name,
        "carrier": mech.carrier_name(spin.carrier),
        "axis": [float(x) for x in spin.axis],
        "mass": float(rest.mass),
        "position": [float(x) for x in rest.position],
        "inertia": float(spin.inertia),
        "coupling": float(spin.coupled),
        "ratio": {mech.speeds[index]: float(ratio) for index, ratio in spin.terms},
    }
