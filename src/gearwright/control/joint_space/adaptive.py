"""Adaptive control on the regressor (Slotine and Li)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from numpy.typing import ArrayLike

from gearwright.algebra import Scalar
from gearwright.argument_kinds import check_arguments
from gearwright.arguments import one_or_each
from gearwright.control.joint_side import JOINT, joint_side
from gearwright.control.joint_tracking import Gains, Tracking, per_joint, plus, scaled
from gearwright.control.references import WORDS, reference_of
from gearwright.dynamics.regressor import parameter_names, parameters, regressor
from gearwright.errors import InputError
from gearwright.forces.law import Quantity
from gearwright.mechanism import Mechanism, RobotOrMech, machine_of
from gearwright.system.controllers.control_law import Decision, Measurement
from gearwright.system.controllers.law_controller import LawController, law_controller
from gearwright.text import did_you_mean

CALLER = "control.adaptive"


@dataclass(frozen=True)
class Adaptive(Tracking):
    """u = Y(q, v, vr, ar) p + K s, p' = G Y' s, with s = vr - v, vr = v_ref + L e, ar = a_ref + L e'."""

    slope: Gains = ()
    kd: Gains = ()
    columns: tuple[int, ...] = ()
    adaptation: Gains = ()
    start: Gains = ()

    @property
    def name(self) -> str:
        """What the kernel and the C function are called."""
        return "adaptive"

    @property
    def states(self) -> tuple[Quantity, ...]:
        """The parameters that are adapted, `adapted.<parameter>`."""
        names = parameter_names(self.side.rigid)
        return tuple(Quantity(f"adapted.{names[k]}", "", x) for k, x in zip(self.columns, self.start, strict=True))

    @property
    def signals(self) -> tuple[Quantity, ...]:
        """The combined errors s, `sliding.<joint>`."""
        return tuple(Quantity(f"sliding.{name}", "") for name in self.side.names)

    def decide(self, measured: Measurement) -> Decision:
        """The model's forces with adapted parameters, and what drives s to zero."""
        found = self.errors(measured)
        vr = plus(measured.reference[WORDS[1]], scaled(self.slope, found.position))
        ar = plus(measured.reference[WORDS[2]], scaled(self.slope, found.speed))
        s = [a - b for a, b in zip(vr, found.v, strict=True)]
        Y = _split_regressor(measured, found.v, vr, ar)
        known = parameters(measured.model)
        values = [float(x) if k not in self.columns else 0.0 for k, x in enumerate(known)]
        adapted = dict(zip(self.columns, measured.states, strict=True))
        force = [_sum(row[k] * adapted.get(k, values[k]) for k in range(len(row))) for row in Y]
        u = plus(force, scaled(self.kd, s))
        rates = [
            gain * _sum(row[k] * error for row, error in zip(Y, s, strict=True))
            for k, gain in zip(self.columns, self.adaptation, strict=True)
        ]
        signals = {f"sliding.{name}": x for name, x in zip(self.side.names, s, strict=True)}
        return Decision(self.side.forces(u), rates=rates, signals=signals)


def _sum(terms: Any) -> Scalar:
    total: Scalar = 0.0
    for term in terms:
        total = total + term
    return total


def _split_regressor(
    measured: Measurement, v: Sequence[Scalar], vr: Sequence[Scalar], ar: Sequence[Scalar]
) -> list[list[Scalar]]:
    """Y of M ar + C(q, v) vr + g = Y p.

    With Christoffel's C, C(q, v) vr = (h(v + vr) - h(v - vr)) / 4 where h(w) = C(q, w) w: the regressor at three
    motions gives it.
    """
    still = [0.0] * len(v)
    summed, apart = [a + b for a, b in zip(v, vr, strict=True)], [a - b for a, b in zip(v, vr, strict=True)]
    accelerated = regressor(measured.pose, still, ar)
    fast, slow = regressor(measured.pose, summed, still), regressor(measured.pose, apart, still)
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
    r"""Adaptive control (Slotine and Li): parameters of the model are corrected while the robot moves.

    $\tau = Y(q, v, v_r, a_r)\,\hat p + K_d s$, $\dot{\hat p} = \Gamma Y' s$ with $s = v_r - v$,
    $v_r = \dot q_d + \Lambda (q_d - q)$. $V = \frac12 s' M s + \frac12 \tilde p' \Gamma^{-1} \tilde p$ then falls as
    $\dot V = -s' K_d s$: the tracking error goes to zero, the parameters only as far as the motion excites them.

    Args:
        robot: the robot, or a machine with rigid drives and no springs.
        reference: a Trajectory of the joints, or a function of time that returns (q, v, a).
        slope: $\Lambda$ [1/s], one number or one per joint.
        kd: $K_d$ [Nms/rad].
        adaptation: $\Gamma$, one number or one per adapted parameter, in units of the parameter over energy.
        adapted: names of parameters (`gw.parameter_names`); those of the last body unless given.
        start: values to begin with by name; those of the model unless given.
    """
    mech = machine_of(CALLER, robot)
    side = joint_side(CALLER, mech)
    if mech.shafts or mech.springs:
        raise InputError(f"{CALLER}: the machine has springs. Give approximate(mech, 'rigid'), or another controller.")
    names, values = parameter_names(mech), [float(x) for x in parameters(mech)]
    chosen = _chosen(names, mech, adapted)
    begin = dict(start or {})
    for name in begin:
        if name not in chosen:
            raise InputError(f"{CALLER}: start names {name!r}, which is not adapted. {did_you_mean(name, chosen)}")
    columns = tuple(names.index(name) for name in chosen)
    first = tuple(float(begin.get(name, values[k])) for name, k in zip(chosen, columns, strict=True))
    found = reference_of(CALLER, reference, mech)
    rates = tuple(one_or_each(CALLER, "adaptation", adaptation, chosen, least=0.0).tolist())
    gains = per_joint(CALLER, "slope", slope, side, above=0.0), per_joint(CALLER, "kd", kd, side, above=0.0)
    law = Adaptive(mech, JOINT, *gains, columns, rates, first)
    return law_controller(law, found.at, found.breaks)


def _chosen(names: Sequence[str], mech: Mechanism, adapted: Sequence[str] | None) -> list[str]:
    if adapted is None:
        last = (len(mech.bodies) - 1) * 10
        return list(names[last : last + 10])
    for name in adapted:
        if name not in names:
            raise InputError(f"{CALLER}: there is no parameter {name!r}. {did_you_mean(name, names)}")
    return list(adapted)
