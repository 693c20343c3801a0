"""Solids of trains: gears, shafts, motors, carriers of planets and belts."""

from __future__ import annotations

from collections.abc import Iterator
from math import pi
from typing import Any

import numpy as np

from gearwright.arrays import Array
from gearwright.parts import TrainMotor
from gearwright.scene.drive_solids import ROTOR_SLENDERNESS, rotor_radius, stator_and_rotor
from gearwright.scene.reducers import belt_mesh, pulley_mesh
from gearwright.scene.solid import Solid, rotation_about_z, scaled_row
from gearwright.scene.toothed_gears import bevel_gear_mesh, carrier_mesh, external_gear_mesh, internal_gear_mesh
from gearwright.scene.trains.axis_lines import TrainPlacement, axis_lines
from gearwright.scene.trains.shafts import ShaftAxis, TrainShaft, shaft_axes
from gearwright.scene.trains.tooth_phases import contact_point, meshing_angle, set_tooth_phases
from gearwright.scene.trains.train_gears import (
    BELT,
    BEVEL,
    COAXIAL,
    INTERNAL,
    TrainGear,
    size_bevel_pairs,
    size_parallel_pairs,
    train_pairs,
)
from gearwright.scene.triangles import Triangles, cylinder_mesh, join_meshes, rotation_towards

TUBE_OPACITY = 0.55
"""Opacity of a tube in which other shafts run."""


class TrainScene:
    """The trains of a robot as solids: every gear touches its mates, on a shaft or carrier.

    Args:
        space: the trains, the bodies and the size of the robot.
    """

    def __init__(self, space: TrainPlacement) -> None:
        self.space = space
        self.lines = axis_lines(space.train, space.poses)
        self.pairs = train_pairs(space, self.lines)
        size_bevel_pairs(space, self.pairs)
        size_parallel_pairs(space, self.pairs)
        self.axes = shaft_axes(space, self.pairs)
        set_tooth_phases(self.pairs)
        self.gears = list(dict.fromkeys(gear for pair in self.pairs for gear in pair.gears))
        self._names = self._solid_names()
        self.motor_ends: dict[str, tuple[float, float, float]] = {}
        self.motors = [solid for motor in space.train.motors for solid in self._motor(motor)]

    def solids(self) -> list[Solid]:
        """Gears, motors, shafts, carriers and belts."""
        gears = [solid for gear in self.gears for solid in self._gear_solids(gear)]
        shafts = [solid for axis in self.axes.values() for shaft in axis.shafts for solid in self._shaft(axis, shaft)]
        return [*gears, *self.motors, *shafts, *self._carriers(), *self._belts()]

    def shaft(self, name: str, label: str) -> TrainShaft | None:
        """The shaft of a wheel or link on an axis."""
        axis = self.axes.get(label)
        return next((shaft for shaft in axis.shafts if shaft.name == name), None) if axis is not None else None

    # Gears

    def _solid_names(self) -> dict[TrainGear, str]:
        """The wheel's name; if it has several gears, with the partner's."""
        partners: dict[TrainGear, list[str]] = {}
        for pair in self.pairs:
            for gear, other in (pair.gears, pair.gears[::-1]):
                partners.setdefault(gear, []).append(other.shaft)
        counts = [gear.shaft for gear in self.gears]
        return {
            gear: (gear.shaft if gear.shaft in self.space.train.wheels else f"{gear.shaft}.gear")
            + (f".{partners[gear][0]}" if counts.count(gear.shaft) > 1 else "")
            for gear in self.gears
        }

    def _gear_solids(self, gear: TrainGear) -> Iterator[Solid]:
        wheel = self.space.train.wheels.get(gear.shaft)
        count = wheel.count if wheel is not None and gear.line.arm else 1
        name = self._names[gear]
        kind = "ring" if gear.kind == INTERNAL else "planet" if gear.line.arm else "gear"
        mates = tuple(
            mate
            for pair in self.pairs
            if gear in pair.gears and pair.kind not in (BELT, COAXIAL)
            for mate in self._solid_names_of(pair.gears[1 - pair.gears.index(gear)])
        )
        for k in range(count):
            around = 2 * pi * k / count
            phase = gear.phase or 0.0 if k == 0 else self._phase_of_planet(gear, around)
            solid = Solid(
                name if count == 1 else f"{name}{k + 1}",
                kind,
                *self._frame(gear, around)[:1],
                self._gear_mesh(gear, phase),
                *self._frame(gear, around)[1:3],
                **self._motion(gear, around),
                pitch_radius=gear.radius,
                mates=mates,
            )
            yield solid

    def _solid_names_of(self, gear: TrainGear) -> list[str]:
        wheel = self.space.train.wheels.get(gear.shaft)
        count = wheel.count if wheel is not None and gear.line.arm else 1
        return [self._names[gear]] if count == 1 else [f"{self._names[gear]}{k + 1}" for k in range(count)]

    def _gear_mesh(self, gear: TrainGear, phase: float) -> Triangles:
        shaft = self.shaft(gear.shaft, gear.line.label)
        bore = 0.98 * shaft.radius if shaft is not None else 0.35 * gear.radius
        module = 2 * gear.radius / gear.teeth if gear.teeth else 0.0
        if gear.kind == BELT:
            return pulley_mesh(gear.radius, gear.width, bore)
        if gear.kind == BEVEL:
            cone = gear.cone
            if gear.side > 0:
                return bevel_gear_mesh(gear.teeth, gear.radius, cone, gear.width, bore, phase)
            flipped = bevel_gear_mesh(gear.teeth, gear.radius, cone, gear.width, bore, -phase)
            return flipped.with_pose(np.diag([1.0, -1.0, -1.0]), (0, 0, 0))
        if gear.kind == INTERNAL and gear.teeth:
            return internal_gear_mesh(gear.teeth, module, gear.width, phase)
        if not gear.teeth:
            return cylinder_mesh(gear.radius, gear.width, bore)
        return external_gear_mesh(gear.teeth, module, gear.width, phase, bore)

    def _phase_of_planet(self, gear: TrainGear, around: float) -> float:
        """The phase of a further planet: its teeth mesh with those of the wheel in the middle."""
        arm = self.lines[gear.line.arm]
        pair = next(pair for pair in self.pairs if gear in pair.gears)
        other = pair.gears[1 - pair.gears.index(gear)]
        turn = _rotation_about(arm.direction, around)
        if gear.teeth == 0 or (other.line is not arm and np.linalg.norm(other.line.offset_to(arm)) > 1e-7):
            return gear.phase or 0.0
        centre, contact = (arm.point + turn @ (p - arm.point) for p in (gear.centre, contact_point(pair)))
        if gear.kind == BEVEL:  # its frame orbits with it: the tooth of the sun decides
            relative_angle = (-around * float(arm.direction @ other.line.direction)) * other.teeth / gear.teeth
            return (gear.phase or 0.0) + relative_angle
        return meshing_angle(other, other.centre, other.phase or 0.0, gear, centre, contact)

    # Frames

    def body_of(self, name: str) -> str:
        """The body on which a wheel turns, or the link to which a gear is fixed."""
        wheels = self.space.train.wheels
        if name not in wheels:
            return name
        carrier = wheels[name].carrier
        return wheels[carrier].carrier if carrier in wheels else carrier

    def on_body(self, body: str, rotation: Array, point: Array) -> tuple[Array, Array]:
        """A pose in the base frame, in the frame of a body."""
        own, origin = self.space.poses[body]
        return own.T @ rotation, own.T @ (point - origin)

    def _frame(self, gear: TrainGear, around: float) -> tuple[str, Array, Array]:
        body = self.body_of(gear.shaft)
        if gear.line.arm:
            arm = self.lines[gear.line.arm]
            return (body, *self.on_body(body, rotation_towards(arm.direction), arm.point))
        return (body, *self.on_body(body, rotation_towards(gear.line.direction), gear.centre))

    def _motion(self, gear: TrainGear, around: float) -> dict[str, Any]:
        train = self.space.train
        wheel = train.wheels.get(gear.shaft)
        if wheel is None:
            return {}
        motion: dict[str, Any] = {"turning": scaled_row(train.wheel_row(gear.shaft), 1.0)}
        if gear.line.arm:
            arm = self.lines[gear.line.arm]
            frame = rotation_towards(arm.direction)
            turn = rotation_about_z(around)
            parallel = gear.kind != BEVEL
            motion["arm"] = turn @ frame.T @ (gear.centre - arm.point)
            motion["tilt"] = (np.eye(3) if parallel else turn) @ frame.T @ rotation_towards(gear.line.direction)
            if wheel.carrier in train.wheels:
                motion["orbit"] = scaled_row(train.wheel_row(wheel.carrier), 1.0)
        return motion

    # Motors

    def _motor(self, motor: TrainMotor) -> Iterator[Solid]:
        train, wheel = self.space.train, self.space.train.wheels[motor.wheel]
        axis = next((a for a in self.axes.values() if any(shaft.name == motor.wheel for shaft in a.shafts)), None)
        if axis is None or wheel.carrier in train.wheels:
            return
        shaft = self.shaft(motor.wheel, axis.line.label)
        assert shaft is not None
        radius = max(rotor_radius(motor.motor, self.space.reach), 1.3 * shaft.radius)
        length = 2 * ROTOR_SLENDERNESS * min(radius, rotor_radius(motor.motor, self.space.reach))
        occupied = [end for other in axis.shafts for gear in other.gears for end in gear.extent]
        occupied += [
            end for name, ends in self.motor_ends.items() if self.shaft(name, axis.line.label) for end in ends[:2]
        ]
        end = max(occupied) if axis.outward > 0 else min(occupied)
        height = end + axis.outward * (0.5 * length + 0.6 * radius)
        self.motor_ends[motor.wheel] = (height - 0.5 * length, height + 0.5 * length, 1.35 * radius)
        shaft.reach_to(height)
        row = {motor.name: 1.0} if motor.stiffness is not None else train.wheel_row(motor.wheel)
        frame = self.on_body(wheel.carrier, rotation_towards(axis.line.direction), axis.line.point_at(height))
        yield from stator_and_rotor(
            motor.name, wheel.carrier, frame, scaled_row(row, 1.0), (radius, length, 0.98 * shaft.radius)
        )

    # Shafts, carriers and belts

    def _shaft(self, axis: ShaftAxis, shaft: TrainShaft) -> Iterator[Solid]:
        is_link = shaft.name not in self.space.train.wheels
        if any(gear.line.arm for gear in shaft.gears):
            return  # planets turn on the pins of their carrier
        low, high = shaft.low, shaft.high
        single = max(gear.width for gear in shaft.gears)
        if shaft.name not in self.motor_ends and not is_link:  # a bearing beyond its last gear
            outward = shaft.gears[-1].side if shaft.gears[-1].kind == BEVEL else axis.outward
            low, high = (low, high + 0.6 * single) if outward > 0 else (low - 0.6 * single, high)
        middle, length = (low + high) / 2, high - low
        wall = cylinder_mesh(shaft.radius, length, shaft.bore)
        pieces = [wall] + [web for gear in shaft.gears for web in self._ring_web(axis, shaft, gear, middle)]
        body = self.body_of(shaft.name)
        frame = self.on_body(body, rotation_towards(shaft.line.direction), shaft.line.point_at(middle))
        row = {} if is_link else scaled_row(self.space.train.wheel_row(shaft.name), 1.0)
        opacity = TUBE_OPACITY if shaft.bore else 1.0  # the shafts inside are seen
        yield Solid(f"{shaft.name}.shaft", "shaft", body, join_meshes(pieces), *frame, row, opacity=opacity)

    def _ring_web(self, axis: ShaftAxis, shaft: TrainShaft, gear: TrainGear, middle: float) -> Iterator[Triangles]:
        """The disc that joins a ring to its shaft, beside its teeth."""
        if gear.kind == INTERNAL:
            module = 2 * gear.radius / max(gear.teeth, 30)
            side = gear.height + axis.outward * 0.7 * gear.width - middle
            disc = cylinder_mesh(gear.radius + 3.5 * module, 0.2 * gear.width, shaft.bore or 0.5 * shaft.radius)
            yield disc.with_pose(np.eye(3), (0, 0, side))

    def _carriers(self) -> Iterator[Solid]:
        """Plates with a pin for each planet, fixed to the link or wheel that carries them."""
        train = self.space.train
        for gear in self.gears:
            wheel = train.wheels.get(gear.shaft)
            if not gear.line.arm or wheel is None or gear.kind == BEVEL:
                continue
            arm = self.lines[gear.line.arm]
            offset = gear.centre - arm.point
            height = float(arm.direction @ offset)
            radius = float(np.linalg.norm(offset - height * arm.direction))
            frame = rotation_towards(arm.direction)
            local = frame.T @ offset
            axis = self.axes.get(gear.line.arm)
            side = -1.0 if axis is None else float(-axis.outward)  # away from the shafts of sun and ring
            flip = np.diag([1.0, 1.0, 1.0]) if side < 0 else np.diag([1.0, -1.0, -1.0])
            turn = rotation_about_z(float(np.arctan2(local[1], local[0])))
            plate = carrier_mesh(wheel.count, radius, gear.radius, gear.width).with_pose(turn @ flip, (0, 0, height))
            hub_start, hub_end = (
                height + side * 0.85 * gear.width,
                0.0 if side * height < 0 else height + 3 * side * gear.width,
            )
            hub = cylinder_mesh(0.5 * radius, abs(hub_end - hub_start)).with_pose(
                np.eye(3), (0, 0, (hub_start + hub_end) / 2)
            )
            mesh = join_meshes([plate, hub])
            on_wheel = wheel.carrier in train.wheels
            body = train.wheels[wheel.carrier].carrier if on_wheel else wheel.carrier
            row = scaled_row(train.wheel_row(wheel.carrier), 1.0) if on_wheel else {}
            yield Solid(f"{gear.shaft}.carrier", "carrier", body, mesh, *self.on_body(body, frame, arm.point), row)

    def _belts(self) -> Iterator[Solid]:
        for pair in self.pairs:
            if pair.kind != BELT:
                continue
            first, second = pair.gears
            offset = first.line.offset_to(second.line)
            distance, body = float(np.linalg.norm(offset)), pair.carrier
            if distance <= abs(first.radius - second.radius) or body not in self.space.poses:
                continue
            rotation = rotation_towards(first.line.direction, offset)
            mesh = belt_mesh(first.radius, second.radius, distance, first.width, "crossed" in pair.mesh.kind)
            name = f"{first.shaft}.{second.shaft}.belt"
            yield Solid(name, "belt", body, mesh, *self.on_body(body, rotation, first.centre))


def _rotation_about(axis: Array, angle: float) -> Array:
    frame = rotation_towards(axis)
    return np.asarray(frame @ rotation_about_z(angle) @ frame.T)
