"""Common parts of laws that track a joint motion: measured joints, errors, gains."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from gearwright.algebra import Operations, Scalar
from gearwright.arguments import numbers_by_name
from gearwright.control.joint_side import JointSide, JointSideLaw
from gearwright.control.references import REFERENCE_NAMES, reference_entries
from gearwright.dynamics.closed_loops.closed_dynamics import placed_machine
from gearwright.dynamics.closed_loops.closing import step_to_closed
from gearwright.dynamics.configuration import difference
from gearwright.dynamics.inverse_dynamics import gravity, inverse_dynamics
from gearwright.errors import InputError
from gearwright.mechanism import Mechanism, RobotOrMech
from gearwright.parts import Robot
from gearwright.programs import approximate, machine_of
from gearwright.system.controllers.control_law import Measurement
from gearwright.text import listed_names

Gains = tuple[float, ...]
"""One number per joint."""


class TrackingErrors(NamedTuple):
    """Measured positions and speeds of the joints, and their errors to the reference."""

    q: list[Scalar]
    v: list[Scalar]
    position: list[Scalar]
    speed: list[Scalar]


@dataclass(frozen=True)
class TrackingLaw(JointSideLaw):
    """A law that tracks q_ref, v_ref, a_ref of the joints by joint-side forces.

    Args:
        mech: the controlled machine.
        feedback: side on which elastic drives are measured: "joint", "motor" or "both".
    """

    mech: Mechanism
    feedback: str

    @property
    def references(self) -> Mapping[str, tuple[str, ...]]:
        """Position, speed and acceleration of the joints."""
        return reference_entries(self.mech, self.joint_side.joint_count, 3)

    @property
    def model(self) -> Mechanism:
        """The machine with rigid springs."""
        return self.joint_side.rigid_machine

    def tracking_errors(self, measured: Measurement) -> TrackingErrors:
        """Return the errors of position and speed; for spherical and free joints in their own axes."""
        q, v = (
            self.joint_side.joint_positions(measured.q, self.feedback),
            self.joint_side.joint_speeds(measured.v, self.feedback),
        )
        q_ref, v_ref = (measured.reference[name] for name in REFERENCE_NAMES[:2])
        return TrackingErrors(q, v, configuration_error(self.mech, q, q_ref, measured.ops), subtract_vectors(v_ref, v))


def configuration_error(mech: Mechanism, q: Sequence[Scalar], q_ref: Sequence[Scalar], ops: Operations) -> list[Scalar]:
    """Return the difference to the reference; of closed loops that of the independent coordinates."""
    if mech.closure is None:
        return difference(mech, q, q_ref, ops)
    return subtract_vectors(q_ref, [q[k] for k in mech.independent_indices])


def model_forces(
    measured: Measurement, q: Sequence[Scalar], v: Sequence[Scalar], a: Sequence[Scalar]
) -> Sequence[Scalar]:
    """Return the inverse dynamics of the law's model at a whole configuration."""
    pose, speed_map = placed_machine(measured.model, q, measured.ops)
    speeds = speed_map.speeds(v)
    return speed_map.forces(inverse_dynamics(pose, speeds, speed_map.accelerations(speeds, a)))


def model_gravity(measured: Measurement, q: Sequence[Scalar]) -> Sequence[Scalar]:
    """Return the gravity forces of the law's model at a whole configuration."""
    pose, speed_map = placed_machine(measured.model, q, measured.ops)
    return speed_map.forces(gravity(pose))


def reference_configuration(measured: Measurement) -> Sequence[Scalar]:
    """Return the whole configuration of the reference; loops are closed by Newton steps from the measured one."""
    q_ref, mech = measured.reference[REFERENCE_NAMES[0]], measured.model
    if mech.closure is None:
        return q_ref
    step = configuration_error(mech, measured.q, q_ref, measured.ops)
    return step_to_closed(mech.tree, mech.closure, measured.q, step, measured.ops).q


def subtract_vectors(x: Sequence[Scalar], y: Sequence[Scalar]) -> list[Scalar]:
    """Return x - y."""
    return [a - b for a, b in zip(x, y, strict=True)]


def add_vectors(*terms: Sequence[Scalar]) -> list[Scalar]:
    """Return the sum of vectors."""
    total = list(terms[0])
    for term in terms[1:]:
        total = [a + b for a, b in zip(total, term, strict=True)]
    return total


def scale_entries(gains: Gains, x: Sequence[Scalar]) -> list[Scalar]:
    """Return the gains times x, element by element."""
    return [gain * value for gain, value in zip(gains, x, strict=True)]


def per_joint(caller: str, name: str, value: Any, side: JointSide, *, above: float | None = None) -> Gains:
    """Return one finite number per joint; a single number applies to all."""
    least = 0.0 if above is None else None
    return tuple(numbers_by_name(caller, name, value, side.joint_names, above=above, least=least).tolist())


def frequency_gains(frequency: Gains, damping: Gains) -> tuple[Gains, Gains]:
    r"""Gains of $\ddot e + 2 \zeta \omega \dot e + \omega^2 e = 0$: $\omega^2$ and $2 \zeta \omega$.

    >>> frequency_gains((10.0,), (1.0,))
    ((100.0,), (20.0,))
    """
    pairs = list(zip(frequency, damping, strict=True))
    return tuple(w * w for w, _ in pairs), tuple(2 * d * w for w, d in pairs)


def controller_model(caller: str, model: RobotOrMech | str | None, side: JointSide) -> Mechanism | None:
    """Return the model of a controller: an approximation by name, another machine, or None for its own."""
    if model is None:
        return None
    result = approximate(side.rigid_machine, model) if isinstance(model, str) else machine_of(caller, model)
    if isinstance(model, Robot) or not isinstance(model, str):
        result = JointSide(result).rigid_machine
    if tuple(result.speeds) != side.joint_names:
        raise InputError(
            f"{caller}: the model has the joints {listed_names(result.speeds)}, the controlled machine "
            f"{listed_names(side.joint_names)}. "
            "Give a model of the same joints."
        )
    return result
