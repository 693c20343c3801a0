"""The teeth of a gear at one speed: torque in against torque out, and when it begins to turn."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from gearwright.algebra import Operations, Scalar
from gearwright.arguments import require_range
from gearwright.errors import TrainError
from gearwright.forces.speed_tables import interpolated
from gearwright.parts import Losses

LEAST = 1e-3
"""Back-driving efficiencies closer to 0 are taken as this: at 0 the joint feels a lock and the motor nothing at all."""


@dataclass(frozen=True)
class Mesh:
    """Efficiencies and torques without load at one speed, all torques at the motor's side.

    Args:
        drive: driving efficiency eta'.
        back: back-driving efficiency eta''; not positive: self-locking.
        input_torque: torque without load at the motor's side, A.
        output_torque: torque without load at the joint's side, B.
    """

    drive: Scalar
    back: Scalar
    input_torque: Scalar
    output_torque: Scalar

    def scaled(self, factor: Scalar) -> Mesh:
        """The same with torques in another unit: times a step they are impulses."""
        return Mesh(self.drive, self.back, factor * self.input_torque, factor * self.output_torque)

    def gain(self, driving: bool) -> Scalar:
        """What the teeth make of a torque."""
        return self.drive if driving else 1.0 / self.back

    def loss(self, entering: Scalar, sense: float, driving: bool) -> Scalar:
        """T - O while it turns."""
        leaving = self.gain(driving) * (entering - sense * self.input_torque) - sense * self.output_torque
        return entering - leaving

    def flank(self, entering: Scalar, sense: float, driving: bool, ops: Operations) -> Scalar:
        """What is positive as long as the flanks of a mode are in contact."""
        push = sense * entering - self.input_torque
        return push if driving else ops.where(self.back < 0, push, -push)

    def margin(self, entering: Scalar, leaving: Scalar, sense: float, ops: Operations) -> Scalar:
        """How much more torque, in a sense, it takes to begin to turn that way."""
        return self._push(leaving, sense, ops) - sense * entering

    def taken(self, leaving: Scalar, sense: Scalar, ops: Operations) -> Scalar:
        r"""The torque T that must enter while it turns in a sense so that O leaves.

        $s T = A + \max(\omega / \eta', \eta'' \omega)$ with $\omega = s O + B$: the flank follows from its sign.
        """
        return sense * self._push(leaving, sense, ops)

    def _push(self, leaving: Scalar, sense: Scalar, ops: Operations) -> Scalar:
        """The same torque counted in the sense of the speed."""
        out = sense * leaving + self.output_torque
        return self.input_torque + ops.maximum(out / self.drive, self.back * out)

    def jams(self, answer: Scalar, ops: Operations) -> Scalar:
        r"""Whether no motion fits the friction of a self-locking gear that the joint turns.

        While the joint turns the motor's inertia $J_m$ and its own $J_l$ (at the motor's side) under the load Q, the
        acceleration is $(\tau_m - |\eta''| Q) / (J_m - |\eta''| J_l)$: with $J_m < |\eta''| J_l$ it is less the more
        the motor helps, and there is none when it does not. In general, one more unit of loss takes $\sigma$ off the
        torque T into the gear (here $J_m / (J_m + J_l)$), and the sign of $1 + (1/\eta'' - 1) \sigma$ decides.

        Args:
            answer: how T changes with a force along the motor's line while the motor's flanks push, which is
                $-\sigma / (1 + (\eta' - 1) \sigma)$.
            ops: operations of its scalars.
        """
        share = -answer / (1.0 + (self.drive - 1.0) * answer)
        return ops.where(self.back > 0, False, 1.0 + (1.0 / self.back - 1.0) * share > 0)


def mesh_at(table: Sequence[Losses], output_torque: Scalar, speed: Scalar, ops: Operations) -> Mesh:
    """The mesh at a speed of the motor, interpolated in the table."""

    def value(column: str) -> Scalar:
        return interpolated(tuple((row.speed, getattr(row, column)) for row in table), speed, ops)

    back = value("back")
    back = ops.where(back > 0, ops.maximum(back, LEAST), ops.minimum(back, -LEAST))
    return Mesh(value("efficiency"), back, value("no_load_torque"), output_torque)


def refuse_impossible(name: str, table: Sequence[Losses], output_torque: Scalar) -> None:
    """What the parts' own checks leave: an empty table, and a torque without load that drives."""
    if not table:
        raise TrainError(f"{name}: no losses are given. Give at least one Losses(efficiency=...).")
    hint = "What is lost without load always brakes."
    require_range(name, "output_torque", output_torque, least=0, unit="Nm", hint=hint, error=TrainError)
