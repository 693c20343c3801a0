"""A gear and the friction of its motor at constant speed: torques of both sides, and the efficiency map."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import ArrayLike

from gearwright.algebra import ARRAYS
from gearwright.argument_kinds import check_arguments
from gearwright.arguments import number_array
from gearwright.arrays import Array
from gearwright.errors import InputError
from gearwright.forces.friction.stick_slip import total_sliding_friction
from gearwright.forces.transmission.load_friction import load_friction_mesh
from gearwright.forces.transmission.mesh_efficiency import MeshEfficiency, mesh_at_speed
from gearwright.parts import Friction, GearType, gear_losses


@check_arguments
@dataclass(frozen=True)
class SteadyGear:
    r"""A gear at constant speed, with the friction of the motor's shaft: what a test bench measures.

    The laws are those of a simulated drive: the losses of the gear by direction of power, and friction F at the motor,
    $T = \mathrm{sign}(\omega) F(|\omega|) + \max(O / \eta', \eta'' O)$ with the output torque O at the motor side.

    Args:
        gear: with losses from its geometry and friction, its efficiency or its table.
        friction: at the motor's shaft, where the gear has no own bearings.

    >>> from gearwright.parts import Friction, Worm
    >>> worm = SteadyGear(Worm(wheel=40, lead_angle=0.06, friction_coefficient=0.1), Friction(coulomb=0.01))
    >>> worm.input_torque([10.0, 10.0], [50.0, -50.0]).round(3).tolist()    # lifting, lowering: self-locking
    [0.707, -0.202]
    >>> worm.efficiency(10.0, 50.0).round(3).item()
    0.353
    """

    gear: GearType
    friction: Friction = field(default_factory=Friction)

    def __post_init__(self) -> None:
        load = self.friction.load
        if load is not None and (load.has_memory or gear_losses(self.gear)):
            cause = "quadratic terms follow the torque with a lag" if load.has_memory else "the gear has losses too"
            raise InputError(
                f"steady gear: the friction depends on the load, and {cause}. Give the fractions motor and joint of "
                "LoadFriction alone."
            )

    def input_torque(self, output_torque: ArrayLike, speed: ArrayLike) -> Array:
        """The torque of the motor [Nm] for a torque or force that the gear exerts at its output.

        Args:
            output_torque: [Nm], of a screw or rack [N]; positive in the direction of positive output speed.
            speed: of the motor [rad/s], not 0.
        """
        speeds = _moving_speeds(speed)
        output = number_array("steady gear", "output_torque", output_torque) / float(self.gear.ratio)
        return np.asarray(self._mesh(speeds).required_input(output, np.sign(speeds), ARRAYS), dtype=np.float64)

    def output_torque(self, input_torque: ArrayLike, speed: ArrayLike) -> Array:
        """The torque or force at the output for a torque of the motor; NaN where a self-locking gear would be driven.

        Args:
            input_torque: of the motor [Nm].
            speed: of the motor [rad/s], not 0.
        """
        speeds = _moving_speeds(speed)
        sense, mesh = np.sign(speeds), self._mesh(speeds)
        push = sense * number_array("steady gear", "input_torque", input_torque) - mesh.input_torque
        driven = np.where(np.asarray(mesh.back) > 0, push / mesh.back, np.nan)
        output = np.where(push >= 0, mesh.drive * push, driven) - mesh.output_torque
        return np.asarray(float(self.gear.ratio) * sense * output, dtype=np.float64)

    def efficiency(self, output_torque: ArrayLike, speed: ArrayLike) -> Array:
        """Output power / input power while the motor drives, the inverse while the load drives; 0 if both supply power.

        Args:
            output_torque: as in `input_torque`.
            speed: of the motor [rad/s], not 0.
        """
        speeds = _moving_speeds(speed)
        output = number_array("steady gear", "output_torque", output_torque) / float(self.gear.ratio) * speeds
        entering = self.input_torque(output_torque, speed) * speeds
        with np.errstate(divide="ignore", invalid="ignore"):
            ratio = np.where(output > 0, output / entering, np.where(entering < 0, entering / output, 0.0))
        return np.asarray(ratio, dtype=np.float64)

    def _mesh(self, speeds: Array) -> MeshEfficiency:
        """The mesh at speeds of the motor, with the friction of its shaft."""
        magnitudes = np.abs(speeds)
        if self.friction.load is not None:
            return load_friction_mesh(self.friction, magnitudes, 0.0, ARRAYS)
        friction = total_sliding_friction(self.friction, magnitudes, ARRAYS)
        table = gear_losses(self.gear)
        if not table:
            return MeshEfficiency(1.0, 1.0, friction, 0.0)
        mesh = mesh_at_speed(table, 0.0, magnitudes, ARRAYS)
        return MeshEfficiency(mesh.drive, mesh.back, mesh.input_torque + friction, 0.0)


def _moving_speeds(speed: ArrayLike) -> Array:
    speeds = number_array("steady gear", "speed", speed)
    if not (speeds != 0).all():
        raise InputError(
            "steady gear: speed 0: friction at rest has no single value. Give the speed of the motor while it turns."
        )
    return speeds
