"""From parts to the flat machine: wheels are lumped into the links that carry them, and what is left are spins."""

from __future__ import annotations

from collections.abc import Sequence

from gearwright.algebra import Inertia, Tensor, is_number, is_zero
from gearwright.errors import InputError, PartError, StructureError
from gearwright.mechanism import checks
from gearwright.mechanism.elements import Frame, matrix, vector
from gearwright.mechanism.gear_graph import GearGraph
from gearwright.mechanism.mechanism import Mechanism
from gearwright.mechanism.rows import plain, suggestion
from gearwright.mechanism.structure_drives import drive_actuator, drive_springs, drive_stator, drive_wheels, shaft_names
from gearwright.mechanism.structure_geometry import Links
from gearwright.mechanism.structure_lumping import Lump, augmented, spin_and_lump
from gearwright.mechanism.structure_motors import motor_actuator, motor_spring, rotor, stator
from gearwright.mechanism.structure_springs import passive_springs
from gearwright.mechanism.structure_tendons import armature_spins, tendon_actuators, tendon_spins
from gearwright.mechanism.structure_trains import TrainStructure
from gearwright.parts import Link, Payload, Robot


def assemble(robot: Robot) -> Mechanism:
    """The flat machine of a robot: augmented links, spins, shafts and springs of elastic drives, actuators, frames.

    Runs over scalars of any kind, so that a rotor inertia or a payload can stay symbolic: spin and carrier follow.

    >>> from gearwright.parts import Drive, Gear, Link, Motor
    >>> arm = Robot("arm", [Link("upper", mass=2, com=(0.2, 0, 0))], [Drive("upper", Motor(1e-4), Gear(100))])
    >>> assemble(arm).spins[0].ratio
    (100.0,)
    """
    if not isinstance(robot, Robot):
        raise InputError(
            f"assemble: a {type(robot).__name__} is no Robot. Give the parts; a Mechanism is assembled already."
        )
    ordered = parents_first(robot.links)
    links, train = Links(ordered), TrainStructure(ordered, robot.trains)
    soft = [motor for motor in train.motors if motor.stiffness is not None]
    wheels = [wheel for drive in robot.drives for wheel in drive_wheels(links, drive)]
    if robot.trains:
        rotors = [rotor(train, motor) for motor in train.motors]
        wheels += [*train.placed, *(r for r in rotors if not (is_zero(r.inertia) and is_zero(r.mass)))]
    made = [spin_and_lump(wheel) for wheel in wheels]
    lumps = [lump for _, lump in made if lump]
    lumps += [lump for drive in robot.drives for lump in drive_stator(links, drive)]
    lumps += [lump for motor in train.motors for lump in stator(train, motor)]
    if robot.payload is not None:
        lumps.append(_payload(robot, robot.payload))
    return Mechanism(
        bodies=[augmented(link, [lump.inertia for lump in lumps if lump.link == link.name]) for link in ordered],
        spins=[*(spin for spin, _ in made), *armature_spins(links), *tendon_spins(links, robot.tendons)],
        shafts=[
            *(name for drive in robot.drives for name in shaft_names(drive)),
            *train.free,
            *(motor.name for motor in soft),
        ],
        springs=[
            *(spring for drive in robot.drives for spring in drive_springs(links, drive)),
            *(motor_spring(train, m) for m in soft),
            *passive_springs(links, robot.springs),
        ],
        actuators=[
            *(drive_actuator(links, drive) for drive in robot.drives),
            *(motor_actuator(train, motor) for motor in train.motors),
            *tendon_actuators(links, robot.tendons),
        ],
        gravity=robot.gravity,
        frames=[Frame(f.name, f.link, f.rotation, f.position) for f in robot.frames],
    )


def gear_graph(robot: Robot) -> GearGraph:
    """The functional graph of a robot's trains: its links, joints, wheels and gear pairs."""
    return TrainStructure(parents_first(robot.links), robot.trains).graph


def parents_first(links: Sequence[Link]) -> list[Link]:
    """The links in their order, but every parent before its children; circles are left for the machine to refuse."""
    waiting, ordered, placed = list(links), [], {"base"}
    known = {link.name for link in links}
    while waiting:
        ready = next((k for k in waiting if k.parent in placed or k.parent not in known), waiting[0])
        waiting.remove(ready)
        ordered.append(ready)
        placed.add(ready.name)
    return ordered


def _payload(robot: Robot, payload: Payload) -> Lump:
    link = payload.link if payload.link is not None else robot.last_link().name
    if link not in [k.name for k in robot.links]:
        raise StructureError(f"payload: there is no link {link!r}. {suggestion(link, [k.name for k in robot.links])}")
    mass = plain("payload, mass", payload.mass)
    rows = matrix("payload, inertia", payload.inertia)
    checks.symmetric("payload, inertia", rows)
    tensor = Tensor.of([tuple(row) for row in rows])
    if is_number(mass) and mass < 0:
        raise PartError(f"payload: mass {mass} kg is negative. Give 0 or more.")
    checks.body("payload", mass, tensor, effective=False)
    return Lump(link, Inertia.of_body(mass, vector("payload, position", payload.position), tensor))
