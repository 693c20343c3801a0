"""Motors of free trains: rotors, elastic shafts, and the rows of rotor minus stator."""

from __future__ import annotations

from gearwright.algebra import Vec, is_number, is_zero
from gearwright.errors import TrainError
from gearwright.mechanism import checks
from gearwright.mechanism.assembly.drives import rotor_wheel
from gearwright.mechanism.assembly.link_geometry import row_sum
from gearwright.mechanism.assembly.trains import RowOfSpeeds, TrainStructure
from gearwright.mechanism.assembly.wheel_lumping import Lump, PlacedWheel, point_mass
from gearwright.mechanism.elements import Actuator, Spring, checked_vector
from gearwright.mechanism.joints.kinds import joint_kind
from gearwright.mechanism.rows import as_number
from gearwright.parts import Gearwheel, TrainMotor
from gearwright.text import did_you_mean


def train_rotor(train: TrainStructure, motor: TrainMotor) -> PlacedWheel:
    """Return the rotor as a wheel coaxial with the one it drives; with an elastic shaft it has its own speed."""
    wheel = _motor_wheel(train, motor)
    e, _ = train.axis_and_point(wheel)
    owner = f"{motor.name}.rotor"
    ratio = {motor.name: 1.0} if motor.stiffness is not None else train.wheel_row(wheel.name)
    body = rotor_wheel(owner, motor.motor, 1.0, e, _motor_position(train, motor))
    inertia = as_number(owner, body.inertia)
    across = inertia * 0.5 if body.transverse_inertia is None else as_number(owner, body.transverse_inertia)
    mass = as_number(owner, body.mass)
    return PlacedWheel(
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


def train_stator(train: TrainStructure, motor: TrainMotor) -> list[Lump]:
    """Return the stator as a mass on the link that carries it; on another link than the rotor's, on their axis."""
    mass = 0.0 if motor.motor.included else as_number(f"motor {motor.name!r}, stator, mass", motor.motor.mass_at_rest)
    if is_zero(mass):
        return []
    carrier = _motor_wheel(train, motor).carrier
    stator = carrier if motor.stator is None else motor.stator
    position = _motor_position(train, motor)
    place = None if stator in train.wheels else train.link_geometry.point_seen_from(position, carrier, stator)
    if place is None:
        raise TrainError(
            f"motor {motor.name!r}: its stator has a mass of {mass} kg and is mounted on {stator!r}, its rotor on "
            f"{carrier!r}, in whose frame its position {tuple(position)} is stated: that point moves in {stator!r}. "
            f"Give a position on the axis of the joint between them, or add the stator's mass to {stator!r}."
        )
    return point_mass(stator, mass, place)


def _motor_position(train: TrainStructure, motor: TrainMotor) -> Vec:
    """Return a motor's position in the frame of its wheel's carrier: as stated, or that of the wheel."""
    if motor.motor.position is not None:
        return checked_vector(f"motor {motor.name!r}", motor.motor.position)
    return train.axis_and_point(_motor_wheel(train, motor))[1]


def _motor_wheel(train: TrainStructure, motor: TrainMotor) -> Gearwheel:
    if motor.wheel not in train.wheels:
        raise TrainError(
            f"motor {motor.name!r}: its wheel {motor.wheel!r} is not a wheel of the train. "
            f"{did_you_mean(motor.wheel, train.wheels)}"
        )
    wheel = train.wheels[motor.wheel]
    if wheel.carrier in train.wheels:
        raise TrainError(
            f"motor {motor.name!r} would orbit with wheel {wheel.carrier!r}. Mount it on a wheel that a link carries."
        )
    if not train.wheel_row(wheel.name):
        raise TrainError(
            f"motor {motor.name!r} has no effect: wheel {motor.wheel!r} stands still in every motion of the joints. "
            "Check the meshes, or remove the motor."
        )
    return wheel


def motor_spring(train: TrainStructure, motor: TrainMotor) -> Spring:
    """Return the elastic shaft between a rotor and its wheel."""
    row = {motor.name: 1.0, **{name: -b for name, b in train.wheel_row(motor.wheel).items()}}
    return Spring(f"{motor.name}.spring", row, motor.stiffness, motor.damping)


def motor_actuator(train: TrainStructure, motor: TrainMotor) -> Actuator:
    """Return the motor's column of the structure matrix: the row of rotor minus stator."""
    wheel = _motor_wheel(train, motor)
    e, _ = train.axis_and_point(wheel)
    rotor_row = {motor.name: 1.0} if motor.stiffness is not None else train.wheel_row(wheel.name)
    stator = motor.stator if motor.stator is not None else wheel.carrier
    if stator in train.wheels:
        row = _coaxial_stator_row(train, motor, wheel, e, train.wheels[stator])
    else:
        row = _carrier_rate_row(train, motor, wheel.carrier, e, stator)
    total = row_sum(rotor_row, row)
    if not total:
        raise TrainError(
            f"motor {motor.name!r} has no effect: its rotor {motor.wheel!r} never turns relative to its stator "
            f"{stator!r}. Mount the stator on another link."
        )
    return Actuator(motor.name, total)


def _coaxial_stator_row(
    train: TrainStructure, motor: TrainMotor, wheel: Gearwheel, e: Vec, stator: Gearwheel
) -> RowOfSpeeds:
    """Return the row of a stator on a coaxial wheel, which is subtracted from the rotor's row."""
    e2, _ = train.axis_and_point(stator)
    frames = [train.link_geometry.rotation_in_base(link) for link in (wheel.carrier, stator.carrier)]
    cosine = (frames[0] @ e).dot(frames[1] @ e2)
    if not is_number(cosine) or abs(abs(cosine) - 1) > 1e-9:
        raise TrainError(
            f"motor {motor.name!r}: rotor {wheel.name!r} and stator {stator.name!r} are not coaxial. "
            "Mount the stator on a coaxial wheel or on a link."
        )
    stator_row = {name: -round(cosine) * b for name, b in train.wheel_row(stator.name).items()}
    return row_sum(_carrier_rate_row(train, motor, wheel.carrier, e, stator.carrier), stator_row)


def _carrier_rate_row(train: TrainStructure, motor: TrainMotor, carrier: str, e: Vec, stator: str) -> RowOfSpeeds:
    """Return the rate of the rotor's carrier relative to the stator's link about the axis e.

    It is e . (Jw_carrier - Jw_stator), which is constant if one rotating joint is between the two, or if all of them
    are parallel to the axis.
    """
    links = train.link_geometry
    links.require_link(f"motor {motor.name!r}: its stator is on", stator)
    turning = [
        (link, sign) for link, sign in links.joints_between(stator, carrier) if joint_kind(link.joint.kind).has_rotation
    ]
    axis = links.rotation_in_base(carrier) @ e
    row: RowOfSpeeds = {}
    for link, sign in turning:
        owner = f"joint {link.joint_name!r}, axis"
        cosine = axis.dot(
            links.rotation_in_base(link.name) @ checks.unit_axis(owner, checked_vector(owner, link.joint.axis))
        )
        parallel = is_number(cosine) and abs(abs(cosine) - 1) < 1e-9
        if not joint_kind(link.joint.kind).has_one_coordinate or (len(turning) > 1 and not parallel):
            raise TrainError(
                f"motor {motor.name!r}: joint {link.joint_name!r} between its rotor on {carrier!r} and its stator on "
                f"{stator!r} is not parallel to the rotor's axis, so its ratio would depend on the configuration. "
                "Mount the stator closer to the rotor."
            )
        row = row_sum(row, {link.joint_name: sign * (round(cosine) if parallel else cosine)})
    return links.row_over_speeds(row)
