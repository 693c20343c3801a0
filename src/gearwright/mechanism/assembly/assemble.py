"""From parts to the flat machine: wheels are lumped into the links that carry them, and what is left are spins."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from heapq import heappop, heappush

from gearwright.algebra import Inertia, Tensor, is_number, is_zero
from gearwright.errors import InputError, PartError, StructureError
from gearwright.mechanism import checks
from gearwright.mechanism.dependent_motors import warn_of_dependent_motors
from gearwright.mechanism.drive_graph import robot_graph
from gearwright.mechanism.elements import Actuator, BodyFrame, Spring, matrix, vector
from gearwright.mechanism.gear_graph import GearGraph
from gearwright.mechanism.mechanism import Mechanism
from gearwright.mechanism.rows import plain
from gearwright.mechanism.structure_drives import drive_actuator, drive_springs, drive_stator, drive_wheels, shaft_names
from gearwright.mechanism.structure_geometry import Links
from gearwright.mechanism.structure_lumping import Lump, Placed, augmented, spin_and_lump
from gearwright.mechanism.structure_motors import motor_actuator, motor_spring, rotor, stator
from gearwright.mechanism.structure_springs import passive_springs
from gearwright.mechanism.structure_tendons import armature_spins, tendon_actuators, tendon_spins
from gearwright.mechanism.structure_trains import TrainStructure
from gearwright.mechanism.train_lines import lines_of_trains
from gearwright.parts import Link, Payload, Robot, TrainMotor
from gearwright.text import did_you_mean


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
            f"assemble: a {type(robot).__name__} is not a Robot. Give the parts; a Mechanism is assembled already."
        )
    with lines_of_trains(robot.trains):
        mech = _assembled(robot)
    if robot.trains:
        warn_of_dependent_motors(robot.name, mech)
    return mech


def _assembled(robot: Robot) -> Mechanism:
    ordered = parents_first(robot.links)
    links, train = Links(ordered), TrainStructure(ordered, robot.trains)
    spins_and_lumps = [spin_and_lump(wheel) for wheel in _wheels(robot, links, train)]
    lumps = [lump for _, lump in spins_and_lumps if lump]
    lumps += _other_lumps(robot, links, train)
    carried: dict[str, list[Inertia]] = {}
    for lump in lumps:
        carried.setdefault(lump.link, []).append(lump.inertia)
    return Mechanism(
        bodies=[augmented(link, carried.get(link.name, [])) for link in ordered],
        spins=[
            *(spin for spin, _ in spins_and_lumps),
            *armature_spins(links),
            *tendon_spins(links, robot.tendons),
        ],
        shafts=_shafts(robot, train),
        springs=_springs(robot, links, train),
        actuators=_actuators(robot, links, train),
        gravity=robot.gravity,
        frames=[BodyFrame(f.name, f.link, f.rotation, f.position) for f in robot.frames],
    )


def _wheels(robot: Robot, links: Links, train: TrainStructure) -> Iterator[Placed]:
    """Everything that turns: rotors and gears of the drives, then wheels and rotors of the trains."""
    for drive in robot.drives:
        yield from drive_wheels(links, drive)
    if robot.trains:
        yield from train.placed
        for motor in train.motors:
            wheel = rotor(train, motor)
            if not (is_zero(wheel.inertia) and is_zero(wheel.mass)):
                yield wheel


def _other_lumps(robot: Robot, links: Links, train: TrainStructure) -> list[Lump]:
    """What the links carry beside wheels: the stators of motors, and the payload."""
    lumps = [lump for drive in robot.drives for lump in drive_stator(links, drive)]
    lumps += [lump for motor in train.motors for lump in stator(train, motor)]
    return lumps if robot.payload is None else [*lumps, _payload(robot, robot.payload)]


def _elastic_motors(train: TrainStructure) -> list[TrainMotor]:
    """The motors of trains that drive through a spring."""
    return [motor for motor in train.motors if motor.stiffness is not None]


def _shafts(robot: Robot, train: TrainStructure) -> list[str]:
    """Speeds that move no link: motors and stages behind springs, and wheels of trains that nothing ties."""
    of_drives = [name for drive in robot.drives for name in shaft_names(drive)]
    return [*of_drives, *train.free, *(motor.name for motor in _elastic_motors(train))]


def _springs(robot: Robot, links: Links, train: TrainStructure) -> list[Spring]:
    """Springs of elastic drives, of motors in trains, and of the joints themselves."""
    of_drives = [spring for drive in robot.drives for spring in drive_springs(links, drive)]
    of_trains = [motor_spring(train, motor) for motor in _elastic_motors(train)]
    return [*of_drives, *of_trains, *passive_springs(links, robot.springs)]


def _actuators(robot: Robot, links: Links, train: TrainStructure) -> list[Actuator]:
    """One actuator per drive, per motor of a train and per motor of a tendon."""
    of_drives = [drive_actuator(links, drive) for drive in robot.drives]
    of_trains = [motor_actuator(train, motor) for motor in train.motors]
    return [*of_drives, *of_trains, *tendon_actuators(links, robot.tendons)]


def gear_graph(robot: Robot) -> GearGraph:
    """The functional graph of a robot: its links, joints, wheels, and every gear pair of its trains and drives."""
    return robot_graph(robot, TrainStructure(parents_first(robot.links), robot.trains))


def parents_first(links: Sequence[Link]) -> list[Link]:
    """The links in their order, but every parent before its children; circles are left for the machine to refuse."""
    known = {link.name for link in links} - {"base"}
    children: dict[str, list[int]] = {}
    for i, link in enumerate(links):
        children.setdefault(link.parent if link.parent in known else "base", []).append(i)
    ready, order = children.pop("base", []), []
    while ready:  # the smallest number first; a list of ascending numbers is a heap
        order.append(heappop(ready))
        for child in children.pop(links[order[-1]].name, []):
            heappush(ready, child)
    return [links[i] for i in [*order, *sorted(set(range(len(links))) - set(order))]]


def _payload(robot: Robot, payload: Payload) -> Lump:
    link = payload.link if payload.link is not None else robot.last_link().name
    if link not in [k.name for k in robot.links]:
        raise StructureError(f"payload: there is no link {link!r}. {did_you_mean(link, [k.name for k in robot.links])}")
    mass = plain("payload, mass", payload.mass)
    rows = matrix("payload, inertia", payload.inertia)
    checks.symmetric("payload, inertia", rows)
    tensor = Tensor.of([tuple(row) for row in rows])
    if is_number(mass) and mass < 0:
        raise PartError(f"payload: mass {mass} kg is negative. Give 0 or more.")
    checks.body("payload", mass, tensor, effective=False)
    # Fernini (44)-(49), (63)-(68)
    return Lump(link, Inertia.of_body(mass, vector("payload, position", payload.position), tensor))
