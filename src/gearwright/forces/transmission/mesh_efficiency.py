"""The mesh of a gear at one speed: input and output torque, and breakaway."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from gearwright.algebra import Operations, Scalar
from gearwright.arguments import require_range
from gearwright.errors import TrainError
from gearwright.forces.speed_tables import interpolate_table
from gearwright.parts import Losses

MIN_BACK_EFFICIENCY = 1e-3
"""Least magnitude of a back-driving efficiency [1]: at 0 the joint is locked and the motor unloaded."""


@dataclass(frozen=True)
class MeshEfficiency:
    """Efficiencies and no-load torques at one speed, all torques on the motor side.

    Args:
        drive: driving efficiency eta'.
        back: back-driving efficiency eta''; not positive: self-locking.
        input_torque: no-load torque of the motor side, A.
        output_torque: no-load torque of the joint side, B.
    """

    drive: Scalar
    back: Scalar
    input_torque: Scalar
    output_torque: Scalar

    def with_torque_factor(self, factor: Scalar) -> MeshEfficiency:
        """The mesh with scaled torques: times a step they are impulses."""
        return MeshEfficiency(self.drive, self.back, factor * self.input_torque, factor * self.output_torque)

    def torque_gain(self, driving: bool) -> Scalar:
        """The ratio of output to input torque of the teeth."""
        return self.drive if driving else 1.0 / self.back

    def torque_loss(self, entering: Scalar, sense: float, driving: bool) -> Scalar:
        """T - O while it turns."""
        output = self.torque_gain(driving) * (entering - sense * self.input_torque) - sense * self.output_torque
        return entering - output

    def flank_load(self, entering: Scalar, sense: float, driving: bool, ops: Operations) -> Scalar:
        """A value that is positive while the flanks of a mode are in contact."""
        push = sense * entering - self.input_torque
        return push if driving else ops.where(self.back < 0, push, -push)

    def starting_margin(self, entering: Scalar, leaving: Scalar, sense: float, ops: Operations) -> Scalar:
        """The margin of torque to breakaway in a direction."""
        return self._input_in_sense(leaving, sense, ops) - sense * entering

    def required_input(self, leaving: Scalar, sense: Scalar, ops: Operations) -> Scalar:
        r"""The input torque T for an output torque O while it turns in a direction.

        $s T = A + \max(\omega / \eta', \eta'' \omega)$ with $\omega = s O + B$: the flank follows from its sign.
        """
        return sense * self._input_in_sense(leaving, sense, ops)

    def _input_in_sense(self, leaving: Scalar, sense: Scalar, ops: Operations) -> Scalar:
        """The input torque in the direction of the speed."""
        out = sense * leaving + self.output_torque
        return self.input_torque + ops.maximum(out / self.drive, self.back * out)

    def is_jammed(self, response: Scalar, ops: Operations) -> Scalar:
        r"""Whether a self-locking gear that is back-driven has no consistent motion.

        While the joint drives the motor's inertia $J_m$ and its own $J_l$ (reflected to the motor) under the load Q,
        the acceleration is $(\tau_m - |\eta''| Q) / (J_m - |\eta''| J_l)$. With $J_m < |\eta''| J_l$ it decreases with
        the motor torque, and without motor torque there is no solution. In general, a unit of loss reduces the input
        torque T by $\sigma$ (here $J_m / (J_m + J_l)$), and the sign of $1 + (1/\eta'' - 1) \sigma$ decides.

        Args:
            response: change of T per force along the motor's line while the motor drives, which is
                $-\sigma / (1 + (\eta' - 1) \sigma)$.
            ops: operations of its scalars.
        """
        share = -response / (1.0 + (self.drive - 1.0) * response)
        return ops.where(self.back > 0, False, 1.0 + (1.0 / self.back - 1.0) * share > 0)


def mesh_at_speed(table: Sequence[Losses], output_torque: Scalar, speed: Scalar, ops: Operations) -> MeshEfficiency:
    """The mesh at a speed of the motor, interpolated in the table."""

    def column_value(column: str) -> Scalar:
        return interpolate_table(tuple((row.speed, getattr(row, column)) for row in table), speed, ops)

    back = column_value("back_driving_efficiency")
    back = ops.where(back > 0, ops.maximum(back, MIN_BACK_EFFICIENCY), ops.minimum(back, -MIN_BACK_EFFICIENCY))
    return MeshEfficiency(column_value("efficiency"), back, column_value("no_load_torque"), output_torque)


def require_possible_losses(name: str, table: Sequence[Losses], output_torque: Scalar) -> None:
    """Raise an error for an empty table or a negative no-load torque; the parts check the rest."""
    if not table:
        raise TrainError(f"{name}: no losses are given. Give at least one Losses(efficiency=...).")
    hint = "A no-load torque always opposes the motion."
    require_range(name, "output_torque", output_torque, least=0, unit="Nm", hint=hint, error=TrainError)
