"""`assemble`: the flat machine of a robot, its wheels lumped into the links that carry them, with the rest as spins.

Also the gear graph of a whole robot: its links, its trains, and the members of its drives' gears. Errors about trains
name the file and the line that state the part.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from heapq import heappop, heappush

from gearwright.algebra import Inertia, Tensor, is_number, is_zero
from gearwright.errors import GearwrightError, InputError, PartError, StructureError
from gearwright.mechanism import checks
from gearwright.mechanism.assembly.dependent_motors import warn_of_dependent_motors
from gearwright.mechanism.assembly.drives import (
    drive_actuator,
    drive_sense,
    drive_springs,
    drive_stator,
    drive_wheels,
    shaft_names,
)
from gearwright.mechanism.assembly.link_geometry import Links
from gearwright.mechanism.assembly.springs_and_tendons import (
    armature_spins,
    passive_springs,
    tendon_actuators,
    tendon_spins,
)
from gearwright.mechanism.assembly.train_motors import motor_actuator, motor_spring, rotor, stator
from gearwright.mechanism.assembly.trains import TrainStructure
from gearwright.mechanism.assembly.wheel_lumping import Lump, Placed, augmented, spin_and_lump
from gearwright.mechanism.elements import Actuator, BodyFrame, Spring, matrix, vector
from gearwright.mechanism.gear_graphs.graph import GearGraph
from gearwright.mechanism.gear_graphs.pairs import GearPair, TurningPair
from gearwright.mechanism.joints.kinds import joint_kind
from gearwright.mechanism.mechanism import Mechanism
from gearwright.mechanism.rows import plain
from gearwright.parts import Drive, Link, Payload, Robot, Train, TrainMotor
from gearwright.parts.builders.mounting import mount_of
from gearwright.parts.gears.topology import DRIVEN, JOINT, MOUNT, inside
from gearwright.parts.trains.train import Stated
from gearwright.text import did_you_mean

# Lines of files in messages


@contextmanager
def lines_of_trains(trains: Sequence[Train]) -> Iterator[None]:
    """Errors raised within say which file and line state the part of a train that they speak of first."""
    try:
        yield
    except GearwrightError as error:
        place = stated_first(trains, str(error))
        if place is not None and error.line is None:
            error.stated_at(place.source, place.line)
        raise


def stated_first(trains: Sequence[Train], message: str) -> Stated | None:
    """The part of a train that a message names first, if a file states it."""
    found = []
    for stated in (one for train in trains for one in train.stated):
        places = [message.find(words) for words in _called(stated.part) if words in message]
        if places:
            found.append((min(places), -len(stated.part), stated))
    return min(found)[2] if found else None


def _called(part: str) -> tuple[str, ...]:
    """How messages call a part: a mesh is a gear pair of its graph too, a wheel one of several or its speed."""
    if "'-'" in part:
        return part, f"gear pair {part.replace(chr(39), '')}"
    kind, _, name = part.partition(" ")
    if kind != "wheel":
        return (part,)
    return part, f"wheels are called {name}", f"speed of {name}", f"each other: {name.strip(chr(39))} ->"


# The gear graph


def robot_graph(robot: Robot, trains: TrainStructure) -> GearGraph:
    """The functional graph: thin edges for joints, wheels and members of gears, heavy ones for every mesh.

    A rigid drive's last member is its link. Behind an elastic drive's spring is a shaft, a vertex with a rate of its
    own. Left out are drives that sit on neither side of their joint, and those with several springs in a row.
    """
    graph = trains.graph
    turning, gears = list(graph.turning), list(graph.gears)
    for drive in robot.drives:
        if graph_has(trains.where, drive):
            more_turning, more_gears = _drive(trains.where, drive)
            turning += more_turning
            gears += more_gears
    return GearGraph(turning, gears, graph.base)


def graph_has(links: Links, drive: Drive) -> bool:
    """Whether a drive's gear is in the graph: on the parent of its joint, with one spring at most."""
    link = links.by_joint[drive.joint]
    return joint_kind(link.joint.kind).single and mount_of(drive, link) == link.parent and len(shaft_names(drive)) < 2


def _drive(links: Links, drive: Drive) -> tuple[list[TurningPair], list[GearPair]]:
    link, gear = links.by_joint[drive.joint], inside(drive.gear)
    label, shafts = link.joint_name, shaft_names(drive)
    output = shafts[0] if shafts else link.name
    names = {MOUNT: link.parent, DRIVEN: output} | {t.member: f"{drive.title}.{t.member}" for t in gear.members}
    axes = {JOINT: label} | {t.axis: f"{drive.title}.{t.axis}" for t in gear.members if t.axis != JOINT}
    turning = [TurningPair(names[t.carrier], names[t.member], axes[t.axis]) for t in gear.members]
    if shafts:
        turning.insert(0, TurningPair(link.parent, output, label, output))
    # Coaxial members are counted about the joint's axis; the sign of the drive's own axis is put into its input's mesh.
    sense = drive_sense(links, drive) if not any(t.axis == JOINT for t in gear.members) else 1
    gears = [
        GearPair(names[m.first], names[m.second], m.ratio * (sense if m.first == gear.input else 1), names[m.carrier])
        for m in gear.meshes
    ]
    return turning, gears


# The flat machine


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
            f"assemble: robot is a {type(robot).__name__}, not a Robot. Give parts; a Mechanism is assembled already."
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
    if payload.frame is not None:
        known = [*(x.name for x in robot.frames), *(k.name for k in robot.links)]
        raise StructureError(f"payload: there is no frame {payload.frame!r}. {did_you_mean(payload.frame, known)}")
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
