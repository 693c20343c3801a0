"""A robot as plain data, for `info` and programs."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from gearwright.algebra import ZERO
from gearwright.errors import GearwrightError
from gearwright.files.formats import MJCF_ENDINGS, URDF_ENDINGS
from gearwright.files.permissions import Permissions
from gearwright.functions.actuation import reflected_inertias
from gearwright.functions.dynamics import mass_matrix, neutral
from gearwright.mechanism import BASE, Body, Mechanism, Rest
from gearwright.parts import Loop, Robot
from gearwright.programs import ClosedMechanism, machine_of

if TYPE_CHECKING:
    from gearwright.files.import_report import ImportReport


def read_report(path: Path, permissions: Permissions) -> ImportReport | None:
    """Return the import report of a URDF or MJCF; None for other files."""
    ending = path.suffix.lower()
    if ending in URDF_ENDINGS:
        from gearwright.files.urdf.reader import read_urdf_with_report

        return read_urdf_with_report(path, permissions=permissions)[1]
    if ending in MJCF_ENDINGS:
        from gearwright.files.mjcf.reader import read_mjcf_with_report

        return read_mjcf_with_report(path, permissions)[1]
    return None


def describe_robot(robot: Robot, mech: Mechanism, report: ImportReport | None = None) -> dict[str, Any]:
    """Return everything that `info` shows, as plain data; `report` is the import report of a URDF or MJCF."""
    closed = _closed_machine(robot)
    machine = mech if closed is None else closed
    q = neutral(mech) if closed is None else closed.reference
    total = dict(zip(machine.speeds, np.diag(mass_matrix(machine, q)).tolist(), strict=True))
    wheels = dict(zip(machine.speeds, reflected_inertias(machine, q).tolist(), strict=True))
    return {
        "robot": robot.name,
        "description": robot.description,
        "gravity": [float(x) for x in mech.gravity],
        "mass": float(sum(body.mass for body in mech.bodies)),
        "coordinates": list(mech.coordinates),
        "speeds": [{"name": name, "wheels": wheels.get(name), "total": total.get(name)} for name in mech.speeds],
        "independent": list(machine.speeds),
        "links": [_link_data(mech, robot, body) for body in mech.bodies],
        "wheels": [_wheel_data(mech, k) for k in range(len(mech.spins))],
        "springs": [
            {"name": s.name, "stiffness": float(s.stiffness), "damping": float(s.damping)} for s in mech.springs
        ],
        "payload": None if robot.payload is None else {"mass": float(robot.payload.mass), "place": robot.payload_place},
        "loops": [
            {"name": x.name, "frames": list(x.frames), "held": list(x.held), "joints": _joints_of_loop(mech, x)}
            for x in robot.loops
        ],
        "redundant": [] if closed is None else list(closed.redundant),
        "degrees_of_freedom": degrees_of_freedom(robot, mech),
        "frames": [{"name": f.name, "link": mech.carrier_name(f.body)} for f in mech.frames],
        "notes": list(report.notes) if report else [],
        "left_out": [*report.ignored, *report.not_representable] if report else [],
    }


def _joints_of_loop(mech: Mechanism, loop: Loop) -> list[str]:
    """Return the joints around a loop, from its first frame to the second; a joint that closes it is among them."""
    bodies = [mech.place_of(frame)[0] for frame in loop.frames]
    there, back = (mech.body_paths[body] if body != BASE else () for body in bodies)
    around = [i for i in (*there, *reversed(back)) if (i in there) != (i in back)]
    return [mech.bodies[i].speed_name for i in around if mech.bodies[i].kind.speeds]


def _closed_machine(robot: Robot) -> ClosedMechanism | None:
    """Return the machine with closed loops; None without loops, or if they cannot be closed."""
    try:
        mech = machine_of("info", robot) if robot.loops else None
    except GearwrightError:
        return None
    return mech if isinstance(mech, ClosedMechanism) else None


def degrees_of_freedom(robot: Robot, mech: Mechanism) -> int | None:
    """Return the degrees of freedom of a robot with its loops; None if the loops cannot be closed."""
    from gearwright.planning.paths.motions_of_closed_robots import ClosedLoopRobot

    closed = ClosedLoopRobot.from_robot(robot, mech)
    try:
        return mech.n if closed is None else closed.mobility
    except GearwrightError:
        return None


def _link_data(mech: Mechanism, robot: Robot, body: Body) -> dict[str, Any]:
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


def _wheel_data(mech: Mechanism, k: int) -> dict[str, Any]:
    spin = mech.spins[k]
    body_at_rest = spin.rest if spin.rest is not None else Rest(0.0, ZERO, 0.0)
    return {
        "name": spin.name,
        "carrier": mech.carrier_name(spin.carrier),
        "axis": [float(x) for x in spin.axis],
        "mass": float(body_at_rest.mass),
        "position": [float(x) for x in body_at_rest.position],
        "inertia": float(spin.inertia),
        "coupling": float(spin.coupling_inertia),
        "ratio": {mech.speeds[index]: float(ratio) for index, ratio in spin.terms},
    }
