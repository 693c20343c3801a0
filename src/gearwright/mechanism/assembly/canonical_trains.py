"""The canonical form of a robot's gear trains: coaxial wheels on the innermost link (Chen and Wang, section 2)."""

from __future__ import annotations

from dataclasses import replace

from gearwright.argument_kinds import check_arguments
from gearwright.mechanism.assembly.assemble import parents_first
from gearwright.mechanism.assembly.trains import TrainStructure
from gearwright.parts import Gearwheel, Link, Robot, Train, TrainMotor
from gearwright.parts.structure.frame_changes import (
    IDENTITY_PLACEMENT,
    FramePlacement,
    frame_placement,
    motor_in_frame,
    wheel_in_frame,
)


@check_arguments
def canonical_trains(robot: Robot) -> Robot:
    """Return the same robot with every wheel about the joint axis of its carrier moved to the carrier's parent.

    No path of its graph then has an axis twice, and every wheel belongs to one primary link: at rest it is a part of
    the virtual link. The motion is the same; the joint that supports a wheel's weight is not, so use the original
    robot for `reactions`.

    >>> from gearwright.catalogue import load
    >>> drawn = load("grm3")
    >>> [w.carrier for w in drawn.trains[0].wheels], [w.carrier for w in canonical_trains(drawn).trains[0].wheels]
    (['base', 'link1', 'link2', 'link2'], ['base', 'base', 'link1', 'link2'])
    """
    structure = TrainStructure(parents_first(robot.links), robot.trains)
    carriers = {(circuit.gear.first, circuit.gear.second): circuit.carrier for circuit in structure.graph.circuits}
    graph = structure.graph.canonical_graph()
    links = {link.name: link for link in robot.links}

    def rehang_train(train: Train) -> Train:
        homes = {wheel.name: graph.carrier_of(wheel.name) for wheel in train.wheels}
        moves = {wheel.name: _place_on_carrier(links, wheel, homes[wheel.name]) for wheel in train.wheels}
        wheels = [
            replace(wheel_in_frame(wheel, moves[wheel.name]), carrier=homes[wheel.name], axis=wheel.axis)
            if homes[wheel.name] != wheel.carrier
            else wheel
            for wheel in train.wheels
        ]
        carrier_of_wheel = {wheel.name: wheel.carrier for wheel in train.wheels}
        motors = [_rehung_motor(motor, carrier_of_wheel[motor.wheel], moves[motor.wheel]) for motor in train.motors]
        meshes = [replace(mesh, carrier=carriers[mesh.first, mesh.second]) for mesh in train.meshes]
        return replace(train, wheels=wheels, meshes=meshes, motors=motors)

    return replace(robot, trains=tuple(rehang_train(train) for train in robot.trains))


def _rehung_motor(motor: TrainMotor, carrier: str, move: FramePlacement) -> TrainMotor:
    """Return the motor of a moved wheel; its stator stays on its original link."""
    if move is IDENTITY_PLACEMENT:
        return motor
    stator = carrier if motor.stator is None else motor.stator
    return replace(motor, stator=stator, motor=motor_in_frame(motor.motor, move))


def _place_on_carrier(links: dict[str, Link], wheel: Gearwheel, home: str) -> FramePlacement:
    """Return the frame of the original carrier in that of the new one; points on the common axis stay there."""
    place, link = IDENTITY_PLACEMENT, wheel.carrier
    while link != home:
        joint = links[link].joint
        place = frame_placement(joint.position, joint.rotation).compose_with(place)
        link = links[link].parent
    return place
