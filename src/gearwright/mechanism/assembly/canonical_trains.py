"""The canonical form of a robot's gear trains: coaxial wheels hung on the innermost link (Chen and Wang, section 2)."""

from __future__ import annotations

from dataclasses import replace

from gearwright.argument_kinds import check_arguments
from gearwright.mechanism.assembly.assemble import parents_first
from gearwright.mechanism.assembly.trains import TrainStructure
from gearwright.parts import Gearwheel, Link, Robot, Train, TrainMotor
from gearwright.parts.structure.frame_changes import HERE, PartPlace, moved_motor, moved_wheel, placement


@check_arguments
def canonical_trains(robot: Robot) -> Robot:
    """The same robot with every wheel that turns about the joint of its carrier hung on the carrier's parent.

    No path of its graph then has an axis twice, and every wheel belongs to one primary link: at rest it is a part of
    the virtual link. The motion is the same; which joint bears a wheel's weight is not, so `reactions` of the drawn
    robot are those of the drawing.

    >>> from gearwright.catalogue import load
    >>> drawn = load("grm3")
    >>> [w.carrier for w in drawn.trains[0].wheels], [w.carrier for w in canonical_trains(drawn).trains[0].wheels]
    (['base', 'link1', 'link2', 'link2'], ['base', 'base', 'link1', 'link2'])
    """
    structure = TrainStructure(parents_first(robot.links), robot.trains)
    carriers = {(circuit.gear.first, circuit.gear.second): circuit.carrier for circuit in structure.graph.circuits}
    graph = structure.graph.canonical()
    links = {link.name: link for link in robot.links}

    def rehung(train: Train) -> Train:
        homes = {wheel.name: graph.carrier_of(wheel.name) for wheel in train.wheels}
        moves = {wheel.name: _way(links, wheel, homes[wheel.name]) for wheel in train.wheels}
        wheels = [
            replace(moved_wheel(wheel, moves[wheel.name]), carrier=homes[wheel.name], axis=wheel.axis)
            if homes[wheel.name] != wheel.carrier
            else wheel
            for wheel in train.wheels
        ]
        drawn = {wheel.name: wheel.carrier for wheel in train.wheels}
        motors = [_moved(motor, drawn[motor.wheel], moves[motor.wheel]) for motor in train.motors]
        meshes = [replace(mesh, carrier=carriers[mesh.first, mesh.second]) for mesh in train.meshes]
        return replace(train, wheels=wheels, meshes=meshes, motors=motors)

    return replace(robot, trains=tuple(rehung(train) for train in robot.trains))


def _moved(motor: TrainMotor, carrier: str, move: PartPlace) -> TrainMotor:
    """The motor of a re-hung wheel: its stator stays where it was drawn."""
    if move is HERE:
        return motor
    stator = carrier if motor.stator is None else motor.stator
    return replace(motor, stator=stator, motor=moved_motor(motor.motor, move))


def _way(links: dict[str, Link], wheel: Gearwheel, home: str) -> PartPlace:
    """The frame of the drawn carrier in that of its new one; what lies on the joints' common axis stays there."""
    place, link = HERE, wheel.carrier
    while link != home:
        joint = links[link].joint
        place = placement(joint.position, joint.rotation).then(place)
        link = links[link].parent
    return place
