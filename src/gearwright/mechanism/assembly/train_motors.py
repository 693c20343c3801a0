"""Motors of free trains: rotors, elastic shafts, and the rows of rotor minus stator."""

from __future__ import annotations

from gearwright.algebra import Vec, is_number, is_zero
from gearwright.errors import TrainError
from gearwright.mechanism import checks
from gearwright.mechanism.assembly.drives import rotor_wheel
from gearwright.mechanism.assembly.link_geometry import row_sum
from gearwright.mechanism.assembly.trains import RowOfSpeeds, TrainStructure
from gearwright.mechanism.assembly.wheel_lumping import Lump, Placed, point_mass
from gearwright.mechanism.elements import Actuator, Spring, vector
from gearwright.mechanism.joints.kinds import joint_kind
from gearwright.mechanism.rows import plain
from gearwright.parts import Gearwheel, TrainMotor
from gearwright.text import did_you_mean


def rotor(train: TrainStructure, motor: TrainMotor) -> Placed:
    """The rotor as a wheel beside the one it is fixed to; behind an elastic shaft it has a speed of its own."""
    wheel = _wheel(train, motor)
    e, _ = train.axis_and_point(wheel)
    owner = f"{motor.name}.rotor"
    ratio = {motor.name: 1.0} if motor.stiffness is not None else train.row(wheel.name)
    body = rotor_wheel(owner, motor.motor, 1.0, e, _place(train, motor))
    inertia = plain(owner, body.inertia)
    across = inertia * 0.5 if body.transverse_inertia is None else plain(owner, body.transverse_inertia)
    mass = plain(owner, body.mass)
    return Placed(
        owner,
        wheel.carrier,
        e,
        body.position,
        ratio,
        inertia,
        mass,
        across,
        coupling=body.coupling,
        included=body.included,
    )


def stator(train: TrainStructure, motor: TrainMotor) -> list[Lump]:
    """The stator at rest on the link that carries it, which must be the one that carries the rotor."""
    mass = 0.0 if motor.motor.included else plain(f"motor {motor.name!r}, stator, mass", motor.motor.mass_at_rest)
    if is_zero(mass):
        return []
    carrier = _wheel(train, motor).carrier
    if motor.stator not in (None, carrier):
        raise TrainError(
            f"motor {motor.name!r}: its stator has a mass of {mass} kg and sits on {motor.stator!r}, its rotor on "
            f"{carrier!r}, in whose frame its place is stated. Put the stator's mass into {motor.stator!r}."
        )
    return point_mass(carrier, mass, _place(train, motor))


def _place(train: TrainStructure, motor: TrainMotor) -> Vec:
    """Where a motor is in the frame of its wheel's carrier: as stated, or where the wheel is."""
    if motor.motor.position is not None:
        return vector(f"motor {motor.name!r}", motor.motor.position)
    return train.axis_and_point(_wheel(train, motor))[1]


def _wheel(train: TrainStructure, motor: TrainMotor) -> Gearwheel:
    if motor.wheel not in train.wheels:
        raise TrainError(
            f"motor {motor.name!r}: its wheel {motor.wheel!r} is none of the train's. "
            f"{did_you_mean(motor.wheel, train.wheels)}"
        )
    wheel = train.wheels[motor.wheel]
    if wheel.carrier in train.wheels:
        raise TrainError(
            f"motor {motor.name!r} would orbit with wheel {wheel.carrier!r}. Put it on a wheel that a link carries."
        )
    if not train.row(wheel.name):
        raise TrainError(
            f"motor {motor.name!r} drives nothing: wheel {motor.wheel!r} stands still whatever the joints do. "
            "Check the meshes, or leave the motor out."
        )
    return wheel


def motor_spring(train: TrainStructure, motor: TrainMotor) -> Spring:
    """The elastic shaft between a rotor and its wheel."""
    row = {motor.name: 1.0, **{name: -b for name, b in train.row(motor.wheel).items()}}
    return Spring(f"{motor.name}.spring", row, motor.stiffness, motor.damping)


def motor_actuator(train: TrainStructure, motor: TrainMotor) -> Actuator:
    """The motor's column of the structure matrix: the row of rotor minus stator."""
    wheel = _wheel(train, motor)
    e, _ = train.axis_and_point(wheel)
    rotor_row = {motor.name: 1.0} if motor.stiffness is not None else train.row(wheel.name)
    stator = motor.stator if motor.stator is not None else wheel.carrier
    if stator in train.wheels:
        row = _against_wheel(train, motor, wheel, e, train.wheels[stator])
    else:
        row = _turning(train, motor, wheel.carrier, e, stator)
    total = row_sum(rotor_row, row)
    if not total:
        raise TrainError(
            f"motor {motor.name!r} drives nothing: its rotor {motor.wheel!r} never turns relative to its stator "
            f"{stator!r}. Put the stator on another link."
        )
    return Actuator(motor.name, total)


def _against_wheel(
    train: TrainStructure, motor: TrainMotor, wheel: Gearwheel, e: Vec, stator: Gearwheel
) -> RowOfSpeeds:
    """What a stator on a coaxial wheel takes off the rotor's row."""
    e2, _ = train.axis_and_point(stator)
    frames = [train.where.turn(link) for link in (wheel.carrier, stator.carrier)]
    cosine = (frames[0] @ e).dot(frames[1] @ e2)
    if not is_number(cosine) or abs(abs(cosine) - 1) > 1e-9:
        raise TrainError(
            f"motor {motor.name!r}: rotor {wheel.name!r} and stator {stator.name!r} are not coaxial. "
            "Put the stator on a coaxial wheel or on a link."
        )
    own = {name: -round(cosine) * b for name, b in train.row(stator.name).items()}
    return row_sum(_turning(train, motor, wheel.carrier, e, stator.carrier), own)


def _turning(train: TrainStructure, motor: TrainMotor, carrier: str, e: Vec, stator: str) -> RowOfSpeeds:
    """Rate of the rotor's carrier relative to the stator's link about the rotor's axis, e . (Jw_carrier - Jw_stator).

    It is constant when one rotating joint lies between the two, or when all that do are parallel to the axis.
    """
    links = train.where
    links.require(f"motor {motor.name!r}: its stator is on", stator)
    turning = [(link, sign) for link, sign in links.between(stator, carrier) if joint_kind(link.joint.kind).turns]
    axis = links.turn(carrier) @ e
    row: RowOfSpeeds = {}
    for link, sign in turning:
        owner = f"joint {link.joint_name!r}, axis"
        cosine = axis.dot(links.turn(link.name) @ checks.unit(owner, vector(owner, link.joint.axis)))
        parallel = is_number(cosine) and abs(abs(cosine) - 1) < 1e-9
        if not joint_kind(link.joint.kind).single or (len(turning) > 1 and not parallel):
            raise TrainError(
                f"motor {motor.name!r}: joint {link.joint_name!r} between its rotor on {carrier!r} and its stator on "
                f"{stator!r} is not parallel to the rotor's axis, so its ratio would depend on the configuration. Put "
                "the stator nearer to the rotor."
            )
        row = row_sum(row, {link.joint_name: sign * (round(cosine) if parallel else cosine)})
    return links.over_speeds(row)
