"""`assemble_tree`: the flat machine of a robot, with wheels at rest lumped into links and their rotation as spins.

Also the gear graph of a whole robot: its links, its trains, and the members of its drives' gears. Errors about trains
name the file and the line of the part.
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
from gearwright.mechanism.assembly.link_geometry import LinkGeometry
from gearwright.mechanism.assembly.springs_and_tendons import (
    armature_spins,
    passive_springs,
    tendon_actuators,
    tendon_spins,
)
from gearwright.mechanism.assembly.train_motors import motor_actuator, motor_spring, train_rotor, train_stator
from gearwright.mechanism.assembly.trains import TrainStructure
from gearwright.mechanism.assembly.wheel_lumping import Lump, PlacedWheel, augmented_body, spin_and_lump
from gearwright.mechanism.elements import Actuator, BodyFrame, Spring, checked_matrix, checked_vector
from gearwright.mechanism.gear_graphs.graph import GearGraph
from gearwright.mechanism.gear_graphs.pairs import GearPair, TurningPair
from gearwright.mechanism.joints.kinds import joint_kind
from gearwright.mechanism.mechanism import Mechanism
from gearwright.mechanism.rows import as_number
from gearwright.parts import Drive, Link, Payload, Robot, Train, TrainMotor
from gearwright.parts.builders.mounting import mounting_link
from gearwright.parts.gears.topology import DRIVEN_MEMBER, JOINT_AXIS, MOUNT_MEMBER, gear_topology
from gearwright.parts.trains.train import TrainSource
from gearwright.text import did_you_mean

# Lines of files in messages


@contextmanager
def train_lines_in_errors(trains: Sequence[Train]) -> Iterator[None]:
    """Add to errors raised inside the file and line of the part of a train that they name first."""
    try:
        yield
    except GearwrightError as error:
        place = first_stated_part(trains, str(error))
        if place is not None and error.line is None:
            error.set_location(place.source, place.line)
        raise


def first_stated_part(trains: Sequence[Train], message: str) -> TrainSource | None:
    """Return the part of a train that a message names first, if it was read from a file."""
    matches = []
    for stated in (part for train in trains for part in train.stated):
        places = [message.find(words) for words in _names_in_messages(stated.part) if words in message]
        if places:
            matches.append((min(places), -len(stated.part), stated))
    return min(matches)[2] if matches else None


def _names_in_messages(part: str) -> tuple[str, ...]:
    """Return the names of a part in messages: a mesh is also a gear pair, a wheel also a speed."""
    if "'-'" in part:
        return part, f"gear pair {part.replace(chr(39), '')}"
    kind, _, name = part.partition(" ")
    if kind != "wheel":
        return (part,)
    return part, f"wheels are called {name}", f"speed of {name}", f"each other: {name.strip(chr(39))} ->"


# The gear graph


def robot_graph(robot: Robot, trains: TrainStructure) -> GearGraph:
    """Return the functional graph: thin edges for joints, wheels and members of gears, heavy ones for every mesh.

    The last member of a rigid drive is its link. The last member before an elastic drive's spring is a shaft, a vertex
    with a rate of its own. Drives on neither side of their joint and those with springs in series are excluded.
    """
    graph = trains.graph
    turning, gears = list(graph.turning), list(graph.gears)
    for drive in robot.drives:
        if is_in_graph(trains.link_geometry, drive):
            more_turning, more_gears = _drive_pairs(trains.link_geometry, drive)
            turning += more_turning
            gears += more_gears
    return GearGraph(turning, gears, graph.base)


def is_in_graph(links: LinkGeometry, drive: Drive) -> bool:
    """Whether a drive's gear is in the graph: on the parent of its joint, with one spring at most."""
    link = links.by_joint[drive.joint]
    return (
        joint_kind(link.joint.kind).has_one_coordinate
        and mounting_link(drive, link) == link.parent
        and len(shaft_names(drive)) < 2
    )


def _drive_pairs(links: LinkGeometry, drive: Drive) -> tuple[list[TurningPair], list[GearPair]]:
    link, gear = links.by_joint[drive.joint], gear_topology(drive.gear)
    label, shafts = link.joint_name, shaft_names(drive)
    output = shafts[0] if shafts else link.name
    names = {MOUNT_MEMBER: link.parent, DRIVEN_MEMBER: output} | {
        t.member: f"{drive.title}.{t.member}" for t in gear.members
    }
    axes = {JOINT_AXIS: label} | {t.axis: f"{drive.title}.{t.axis}" for t in gear.members if t.axis != JOINT_AXIS}
    turning = [TurningPair(names[t.carrier], names[t.member], axes[t.axis]) for t in gear.members]
    if shafts:
        turning.insert(0, TurningPair(link.parent, output, label, output))
    # Coaxial members turn about the joint's axis; the sign of the drive's own axis is part of its input mesh.
    sense = drive_sense(links, drive) if not any(t.axis == JOINT_AXIS for t in gear.members) else 1
    gears = [
        GearPair(names[m.first], names[m.second], m.ratio * (sense if m.first == gear.input else 1), names[m.carrier])
        for m in gear.meshes
    ]
    return turning, gears


# The flat machine


def assemble_tree(robot: Robot) -> Mechanism:
    """Return the flat machine of a robot: augmented links, spins, shafts, springs, actuators and frames.

    Works with any scalar type, so a rotor inertia or a payload can be symbolic in both spin and carrier.

    >>> from gearwright.parts import Drive, Gear, Link, Motor
    >>> arm = Robot("arm", [Link("upper", mass=2, com=(0.2, 0, 0))], [Drive("upper", Motor(1e-4), Gear(100))])
    >>> assemble_tree(arm).spins[0].ratio
    (100.0,)
    """
    if not isinstance(robot, Robot):
        raise InputError(
            f"assemble: robot is a {type(robot).__name__}, not a Robot. Give a Robot; a Mechanism is already assembled."
        )
    with train_lines_in_errors(robot.trains):
        mech = _assemble_machine(robot)
    if robot.trains:
        warn_of_dependent_motors(robot.name, mech)
    return mech


def _assemble_machine(robot: Robot) -> Mechanism:
    ordered = parents_first(robot.links)
    links, train = LinkGeometry(ordered), TrainStructure(ordered, robot.trains)
    spins_and_lumps = [spin_and_lump(wheel) for wheel in _placed_wheels(robot, links, train)]
    lumps = [lump for _, lump in spins_and_lumps if lump]
    lumps += _other_lumps(robot, links, train)
    carried: dict[str, list[Inertia]] = {}
    for lump in lumps:
        carried.setdefault(lump.link, []).append(lump.inertia)
    return Mechanism(
        bodies=[augmented_body(link, carried.get(link.name, [])) for link in ordered],
        spins=[
            *(spin for spin, _ in spins_and_lumps),
            *armature_spins(links),
            *tendon_spins(links, robot.tendons),
        ],
        shafts=_shaft_names(robot, train),
        springs=_all_springs(robot, links, train),
        actuators=_all_actuators(robot, links, train),
        gravity=robot.gravity,
        frames=[BodyFrame(f.name, f.link, f.rotation, f.position) for f in robot.frames],
    )


def _placed_wheels(robot: Robot, links: LinkGeometry, train: TrainStructure) -> Iterator[PlacedWheel]:
    """Yield all wheels: rotors and gears of the drives, then wheels and rotors of the trains."""
    for drive in robot.drives:
        yield from drive_wheels(links, drive)
    if robot.trains:
        yield from train.placed_wheels
        for motor in train.motors:
            wheel = train_rotor(train, motor)
            if not (is_zero(wheel.inertia) and is_zero(wheel.mass)):
                yield wheel


def _other_lumps(robot: Robot, links: LinkGeometry, train: TrainStructure) -> list[Lump]:
    """Return the other masses on links: stators of motors, and the payload."""
    lumps = [lump for drive in robot.drives for lump in drive_stator(links, drive)]
    lumps += [lump for motor in train.motors for lump in train_stator(train, motor)]
    return lumps if robot.payload is None else [*lumps, _payload_lump(robot, robot.payload)]


def _elastic_motors(train: TrainStructure) -> list[TrainMotor]:
    """Return the motors of trains with elastic shafts."""
    return [motor for motor in train.motors if motor.stiffness is not None]


def _shaft_names(robot: Robot, train: TrainStructure) -> list[str]:
    """Return the speeds that move no link: motors and stages behind springs, and free wheels of trains."""
    of_drives = [name for drive in robot.drives for name in shaft_names(drive)]
    return [*of_drives, *train.free_wheels, *(motor.name for motor in _elastic_motors(train))]


def _all_springs(robot: Robot, links: LinkGeometry, train: TrainStructure) -> list[Spring]:
    """Return the springs of elastic drives, of motors in trains, and of joints."""
    of_drives = [spring for drive in robot.drives for spring in drive_springs(links, drive)]
    of_trains = [motor_spring(train, motor) for motor in _elastic_motors(train)]
    return [*of_drives, *of_trains, *passive_springs(links, robot.springs)]


def _all_actuators(robot: Robot, links: LinkGeometry, train: TrainStructure) -> list[Actuator]:
    """Return one actuator per drive, per motor of a train and per motor of a tendon."""
    of_drives = [drive_actuator(links, drive) for drive in robot.drives]
    of_trains = [motor_actuator(train, motor) for motor in train.motors]
    return [*of_drives, *of_trains, *tendon_actuators(links, robot.tendons)]


def gear_graph(robot: Robot) -> GearGraph:
    """The functional graph of a robot: its links, joints, wheels, and every gear pair of its trains and drives."""
    return robot_graph(robot, TrainStructure(parents_first(robot.links), robot.trains))


def parents_first(links: Sequence[Link]) -> list[Link]:
    """Return the links in their order with every parent before its children; the machine checks for cycles."""
    link_names = {link.name for link in links} - {"base"}
    children: dict[str, list[int]] = {}
    for i, link in enumerate(links):
        children.setdefault(link.parent if link.parent in link_names else "base", []).append(i)
    ready, order = children.pop("base", []), []
    while ready:  # the smallest number first; a list of ascending numbers is a heap
        order.append(heappop(ready))
        for child in children.pop(links[order[-1]].name, []):
            heappush(ready, child)
    return [links[i] for i in [*order, *sorted(set(range(len(links))) - set(order))]]


def _payload_lump(robot: Robot, payload: Payload) -> Lump:
    if payload.frame is not None:
        place_names = [*(x.name for x in robot.frames), *(k.name for k in robot.links)]
        raise StructureError(
            f"payload: there is no frame {payload.frame!r}. {did_you_mean(payload.frame, place_names)}"
        )
    link = payload.link if payload.link is not None else robot.last_link().name
    if link not in [k.name for k in robot.links]:
        raise StructureError(f"payload: there is no link {link!r}. {did_you_mean(link, [k.name for k in robot.links])}")
    mass = as_number("payload, mass", payload.mass)
    rows = checked_matrix("payload, inertia", payload.inertia)
    checks.check_symmetry("payload, inertia", rows)
    tensor = Tensor.from_rows([tuple(row) for row in rows])
    if is_number(mass) and mass < 0:
        raise PartError(f"payload: mass {mass} kg is negative. Give 0 or more.")
    checks.check_body("payload", mass, tensor, effective=False)
    # Fernini (44)-(49), (63)-(68)
    return Lump(link, Inertia.of_body(mass, checked_vector("payload, position", payload.position), tensor))
