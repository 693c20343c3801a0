"""Wheels as links of a URDF: each turns on its carrier, coupled to its joint by <mimic> or <transmission>."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np

from gearwright.algebra import IDENTITY, Tensor, Vec
from gearwright.errors import InputError
from gearwright.export.mujoco.bodies import MassProperties
from gearwright.export.mujoco.rotors import ExportedWheels, RotorBody, carrier_mass_properties, exported_wheels
from gearwright.export.urdf.wheel_forms import WHEEL_FORMS, WheelForm
from gearwright.files.urdf.writer import LinkInertial
from gearwright.mechanism import Mechanism
from gearwright.parts import Drive, Gear, Joint, Limits, Link, Motor, Robot
from gearwright.text import did_you_mean, unique_name

UNLIMITED_WHEEL_ANGLE = 1e9
"""Range [rad] of a wheel that follows a prismatic joint without limits."""


@dataclass(frozen=True)
class RobotWithWheels:
    """A robot with its wheels as links, their inertials, and remarks on what URDF cannot represent."""

    robot: Robot
    inertials: dict[str, LinkInertial]
    not_representable: tuple[str, ...]


def with_wheels(robot: Robot, mech: Mechanism, form: WheelForm) -> RobotWithWheels:
    """Return the robot for a URDF; `form` "at rest" keeps the wheels in the links that carry them."""
    if form not in WHEEL_FORMS:
        raise InputError(f"write_urdf: wheels is {form!r}. {did_you_mean(form, WHEEL_FORMS)}")
    if form == "at rest":
        bodies = {b.name: LinkInertial(b.mass, b.com, b.inertia) for b in mech.bodies}
        return RobotWithWheels(robot, bodies, ())
    exported = exported_wheels(mech, "bodies", physical=False)
    omissions = [*exported.not_representable, *_reflected_remarks(exported), *_untied_remarks(mech, exported)]
    exported.bodies = [rotor for rotor in exported.bodies if len(rotor.row) == 1]
    inertials = {b.name: _link_inertial(carrier_mass_properties(mech, exported, i)) for i, b in enumerate(mech.bodies)}
    names = {link.name for link in robot.links} | {link.joint_name for link in robot.links}
    links = list(_wheel_links(robot, mech, exported.bodies, names, form == "mimic"))
    turns = dict(zip((link.name for link in links), exported.bodies, strict=True))
    inertials |= {name: _link_inertial(replace(rotor.weight, com=np.zeros(3))) for name, rotor in turns.items()}
    drives = [replace(drive, motor=Motor()) for drive in robot.drives]  # the rotor is a link now
    if form == "transmission":
        drives += [
            _wheel_transmission(name, rotor)
            for name, rotor in turns.items()
            if next(iter(rotor.row)) not in mech.shafts
        ]
    explicit = replace(robot, links=[*robot.links, *links], drives=drives)
    return RobotWithWheels(explicit, inertials, tuple(omissions))


def _wheel_links(
    robot: Robot, mech: Mechanism, rotors: list[RotorBody], names: set[str], mimic: bool
) -> Iterator[Link]:
    for rotor in rotors:
        ((speed, ratio),) = rotor.row.items()
        name = unique_name(rotor.name, names)
        carrier = mech.carrier_name(rotor.carrier)
        follows = (speed, ratio, 0.0) if mimic and speed not in mech.shafts else None
        limits = Limits() if speed in mech.shafts else _wheel_limits(robot.link_of_joint(speed).joint, ratio)
        place = tuple(rotor.weight.com)
        yield Link(name, carrier, Joint(name, "revolute", tuple(rotor.axis), IDENTITY, place, limits, follows))


def _wheel_limits(leader: Joint, ratio: float) -> Limits:
    """Return the limits of a wheel by those of its leader: some tools require limits of both or of neither."""
    position = leader.limits.position
    if position is None:
        return Limits() if leader.kind == "revolute" else Limits((-UNLIMITED_WHEEL_ANGLE, UNLIMITED_WHEEL_ANGLE))
    ends = sorted(ratio * x for x in position)
    return Limits((ends[0], ends[1]))


def _wheel_transmission(name: str, rotor: RotorBody) -> Drive:
    """Return a simple transmission from the wheel, as its actuator, to its joint."""
    ((joint, ratio),) = rotor.row.items()
    return Drive(joint, Motor(), Gear(ratio), name=name)


def _link_inertial(weight: MassProperties) -> LinkInertial:
    tensor = Tensor.from_rows([tuple(float(x) for x in row) for row in weight.tensor])
    return LinkInertial(weight.mass, Vec(*(float(x) for x in weight.com)), tensor)


def _reflected_remarks(exported: ExportedWheels) -> Iterator[str]:
    for name in (*exported.joints, *(name for name, _, _ in exported.tendons), *exported.actuators):
        yield f"inertia of {name!r}, known only as reflected inertia"


def _untied_remarks(mech: Mechanism, exported: ExportedWheels) -> Iterator[str]:
    for rotor in exported.bodies:
        if len(rotor.row) > 1:
            yield f"wheel {rotor.name!r} depends on several joints, which URDF cannot represent: it is at rest"
        elif next(iter(rotor.row)) in mech.shafts:
            yield f"the spring of {next(iter(rotor.row))!r}: its wheel {rotor.name!r} turns freely"
