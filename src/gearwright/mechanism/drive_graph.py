"""The gear graph of a whole robot: its links, its trains, and what is inside the gears of its drives."""

from __future__ import annotations

from gearwright.mechanism.gear_graph import GearGraph
from gearwright.mechanism.gear_graph_pairs import GearPair, TurningPair
from gearwright.mechanism.joint_kinds import joint_kind
from gearwright.mechanism.structure_drives import drive_sense, shaft_names
from gearwright.mechanism.structure_geometry import Links
from gearwright.mechanism.structure_trains import TrainStructure
from gearwright.parts import Drive, Robot
from gearwright.parts.inside import DRIVEN, JOINT, MOUNT, inside
from gearwright.parts.mounting import mount_of


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
