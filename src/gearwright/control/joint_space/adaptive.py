"""Adaptive control on the regressor (Slotine and Li)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from numpy.typing import ArrayLike

from gearwright.algebra import Scalar
from gearwright.argument_kinds import check_arguments
from gearwright.arguments import numbers_by_name
from gearwright.control.in_larger_machine import joint_controller
from gearwright.control.joint_side import JOINT_FEEDBACK, joint_side
from gearwright.control.joint_tracking import Gains, TrackingLaw, add_vectors, per_joint, scale_entries
from gearwright.control.references import REFERENCE_NAMES, read_reference
from gearwright.dynamics.closed_loops.closed_dynamics import placed_machine
from gearwright.dynamics.regressor import parameter_names, parameters, regressor
from gearwright.errors import InputError
from gearwright.forces import Quantity
from gearwright.mechanism import Mechanism, RobotOrMech
from gearwright.programs import machine_of
from gearwright.system import LawController
from gearwright.system.controllers.control_law import Decision, Measurement
from gearwright.text import did_you_mean

ADAPTIVE_CALLER = "control.adaptive"


@dataclass(frozen=True)
class AdaptiveLaw(TrackingLaw):
    """u = Y(q, v, vr, ar) p + K s, p' = G Y' s, with s = vr - v, vr = v_ref + L e, ar = a_ref + L e'."""

    slope: Gains = ()
    kd: Gains = ()
    columns: tuple[int, ...] = ()
    adaptation: Gains = ()
    start: Gains = ()

    @property
    def name(self) -> str:
        """Name of the kernel and of the C function."""
        return "adaptive"

    @property
    def states(self) -> tuple[Quantity, ...]:
        """The adapted parameters, `adapted.<parameter>`."""
        names = parameter_names(self.joint_side.rigid_machine)
        return tuple(Quantity(f"adapted.{names[k]}", "", x) for k, x in zip(self.columns, self.start, strict=True))

    @property
    def signals(self) -> tuple[Quantity, ...]:
        """The combined errors s, `sliding.<joint>`."""
        return tuple(Quantity(f"sliding.{name}", "") for name in self.joint_side.joint_names)

    def decide(self, measured: Measurement) -> Decision:
        """Return the model's forces with adapted parameters, plus the feedback of s."""
        errors = self.tracking_errors(measured)
        vr = add_vectors(measured.reference[REFERENCE_NAMES[1]], scale_entries(self.slope, errors.position))
        ar = add_vectors(measured.reference[REFERENCE_NAMES[2]], scale_entries(self.slope, errors.speed))
        s = [a - b for a, b in zip(vr, errors.v, strict=True)]
        Y = _split_regressor(measured, errors.v, vr, ar)
        nominal = parameters(measured.model)
        values = [float(x) if k not in self.columns else 0.0 for k, x in enumerate(nominal)]
        adapted = dict(zip(self.columns, measured.states, strict=True))
        force = [_sum_terms(row[k] * adapted.get(k, values[k]) for k in range(len(row))) for row in Y]
        u = add_vectors(force, scale_entries(self.kd, s))
        rates = [
            gain * _sum_terms(row[k] * error for row, error in zip(Y, s, strict=True))
            for k, gain in zip(self.columns, self.adaptation, strict=True)
        ]
        signals = {f"sliding.{name}": x for name, x in zip(self.joint_side.joint_names, s, strict=True)}
        return Decision(self.joint_side.driven_forces(u), rates=rates, signals=signals)


def _sum_terms(terms: Any) -> Scalar:
    total: Scalar = 0.0
    for term in terms:
        total = total + term
    return total


def _split_regressor(
    measured: Measurement, v: Sequence[Scalar], vr: Sequence[Scalar], ar: Sequence[Scalar]
) -> list[list[Scalar]]:
    """Return Y of M ar + C(q, v) vr + g = Y p.

    With Christoffel's C, C(q, v) vr = (h(v + vr) - h(v - vr)) / 4 where h(w) = C(q, w) w: the regressor at three
    motions gives it.
    """
    zeros = [0.0] * len(v)
    total, difference = [a + b for a, b in zip(v, vr, strict=True)], [a - b for a, b in zip(v, vr, strict=True)]
    pose, speed_map = placed_machine(measured.model, measured.q, measured.ops)
    accelerated, fast, slow = (
        speed_map.rows(regressor(pose, speed_map.speeds(w), speed_map.accelerations(speed_map.speeds(w), a)))
        for w, a in ((zeros, ar), (total, zeros), (difference, zeros))
    )
    return [
        [m + 0.25 * (a - b) for m, a, b in zip(*rows, strict=True)]
        for rows in zip(accelerated, fast, slow, strict=True)
    ]


@check_arguments
def adaptive(
    robot: RobotOrMech,
    reference: Any,
    slope: ArrayLike,
    kd: ArrayLike,
    adaptation: ArrayLike,
    adapted: Sequence[str] | None = None,
    start: Mapping[str, float] | None = None,
) -> LawController:
    r"""Return an adaptive controller (Slotine and Li): parameters of the model are adapted online.

    $\tau = Y(q, v, v_r, a_r)\,\hat p + K_d s$, $\dot{\hat p} = \Gamma Y' s$ with $s = v_r - v$,
    $v_r = \dot q_d + \Lambda (q_d - q)$. $V = \frac12 s' M s + \frac12 \tilde p' \Gamma^{-1} \tilde p$ then decreases
    as $\dot V = -s' K_d s$: the tracking error goes to zero, the parameters only as far as the motion excites them.

    Args:
        robot: the robot, or a machine with rigid drives and no springs.
        reference: a Trajectory of the joints, or a function of time that returns (q, v, a).
        slope: $\Lambda$ [1/s], one value or one per joint.
        kd: $K_d$ [Nms/rad].
        adaptation: $\Gamma$, one value or one per adapted parameter, in units of the parameter over energy.
        adapted: names of parameters (`gw.parameter_names`); by default those of the last body.
        start: initial values by name; by default those of the model.
    """
    mech = machine_of(ADAPTIVE_CALLER, robot)
    side = joint_side(ADAPTIVE_CALLER, mech)
    if mech.shafts or mech.springs:
        raise InputError(
            f"{ADAPTIVE_CALLER}: the machine has springs. Give approximate(mech, 'rigid'), or another controller."
        )
    names, values = parameter_names(mech), [float(x) for x in parameters(mech)]
    adapted_names = _adapted_names(names, mech, adapted)
    start_values = dict(start or {})
    for name in start_values:
        if name not in adapted_names:
            raise InputError(f"{ADAPTIVE_CALLER}: start: {name!r} is not adapted. {did_you_mean(name, adapted_names)}")
    columns = tuple(names.index(name) for name in adapted_names)
    initial = tuple(float(start_values.get(name, values[k])) for name, k in zip(adapted_names, columns, strict=True))
    target = read_reference(ADAPTIVE_CALLER, reference, mech)
    rates = tuple(numbers_by_name(ADAPTIVE_CALLER, "adaptation", adaptation, adapted_names, least=0.0).tolist())
    gains = (
        per_joint(ADAPTIVE_CALLER, "slope", slope, side, above=0.0),
        per_joint(ADAPTIVE_CALLER, "kd", kd, side, above=0.0),
    )
    law = AdaptiveLaw(mech, JOINT_FEEDBACK, *gains, columns, rates, initial)
    return joint_controller(law, target.at, target.breaks)


def _adapted_names(names: Sequence[str], mech: Mechanism, adapted: Sequence[str] | None) -> list[str]:
    if adapted is None:
        last = (len(mech.bodies) - 1) * 10
        return list(names[last : last + 10])
    for name in adapted:
        if name not in names:
            raise InputError(f"{ADAPTIVE_CALLER}: parameter {name!r} is unknown. {did_you_mean(name, names)}")
    return list(adapted)
