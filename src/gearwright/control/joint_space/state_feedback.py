"""Feedback of the whole state: of rigid machines q and v, of elastic ones those of the motors too."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from gearwright.argument_kinds import check_arguments
from gearwright.arguments import is_function, numbers
from gearwright.arrays import Array
from gearwright.control.gains import balanced
from gearwright.control.joint_side import JointSide, JointSideLaw, Rows, joint_side, product, sparse
from gearwright.control.joint_tracking import minus, plus
from gearwright.control.references import WORDS, Reference, reference_of
from gearwright.dynamics.configuration import difference
from gearwright.errors import InputError
from gearwright.functions.dynamics import inverse_dynamics
from gearwright.functions.elastic.shaft_equations import plan
from gearwright.mechanism import Mechanism, RobotOrMech, approximate, machine_of
from gearwright.motion.trajectory import Trajectory
from gearwright.motion_demands.shaft_motion.whole_motion import whole_motion
from gearwright.system.controllers.control_law import Decision, Measurement
from gearwright.system.controllers.law_controller import LawController, law_controller
from gearwright.system.system import System
from gearwright.text import listed

CALLER, TAU = "control.state_feedback", "tau_ref"
SAMPLES = 1001
"""At how many times the motion of motors is computed; polynomials that meet their accelerations join them."""


@dataclass(frozen=True)
class StateFeedback(JointSideLaw):
    """tau = tau_ref + K [q_ref - q; v_ref - v] on the driven speeds, with references of all speeds, shafts included.

    Args:
        mech: the controlled machine.
        gains: K, a row per driven speed over [q, v].
    """

    mech: Mechanism
    gains: Rows

    @property
    def name(self) -> str:
        """What the kernel and the C function are called."""
        return "state_feedback"

    @property
    def references(self) -> Mapping[str, tuple[str, ...]]:
        """Position and speed of joints and shafts, and the forces that go with them."""
        driven = tuple(self.mech.speeds[k] for k in self.side.driven)
        return {WORDS[0]: tuple(self.mech.coordinates), WORDS[1]: tuple(self.mech.speeds), TAU: driven}

    def decide(self, measured: Measurement) -> Decision:
        """The nominal forces, and the gains times what is missing."""
        wanted, pace, tau = measured.reference.values()
        missing = [*difference(self.mech, measured.q, wanted, measured.ops), *minus(pace, measured.v)]
        return Decision(plus(tau, product(self.gains, missing)))


@check_arguments
def state_feedback(
    robot: RobotOrMech, reference: Any, K: ArrayLike, model: RobotOrMech | str | None = None
) -> LawController:
    r"""Feedback of the whole state with nominal forces: $\tau = \tau_r + K\,[q_r - q;\ v_r - v]$.

    Of an elastic machine the reference of the joints is completed by the motion of the motors and their torques
    (`gw.motor_motion`): a feedforward through the springs. Columns of K that are zero are not measured: motor-side
    feedback has zeros at the joints, link-side feedback zeros at the motors. `gw.control.lqr` and `gw.control.poles`
    give gains.

    Args:
        robot: the robot, or a machine.
        reference: a Trajectory of the joints, or a configuration of the joints to hold.
        K: gains, (driven speeds, 2 n): a row per joint or motor shaft that is driven, columns [q, v].
        model: another machine of the same speeds for the nominal forces, such as "spong", whose motors need fewer
            derivatives of the motion.
    """
    mech = machine_of(CALLER, robot)
    side = joint_side(CALLER, mech)
    rows = numbers(CALLER, "K", K, axes=2)
    if rows.shape != (side.count, 2 * mech.n):
        raise InputError(
            f"{CALLER}: K has shape {rows.shape}; it must be ({side.count}, {2 * mech.n}): a row for each of "
            f"{listed(side.outputs)}, columns for q and v of {listed(mech.speeds)}."
        )
    known = _model(mech, model)
    found = _completed(reference, mech, known, side)
    return law_controller(StateFeedback(mech, sparse(rows)), found.at, found.breaks)


def _model(mech: Mechanism, model: RobotOrMech | str | None) -> Mechanism:
    found = mech if model is None else approximate(mech, model) if isinstance(model, str) else machine_of(CALLER, model)
    if tuple(found.speeds) != tuple(mech.speeds):
        raise InputError(f"{CALLER}: the model has the speeds {listed(found.speeds)}; it must have those of the robot.")
    return found


def _completed(given: Any, mech: Mechanism, model: Mechanism, side: JointSide) -> Reference:
    """References of all speeds and the forces, for a motion of the joints."""
    orders = plan(model).order + 1 if mech.shafts else 3
    if is_function(given) and not isinstance(given, Trajectory):
        raise InputError(f"{CALLER}: give a Trajectory of the joints, or a configuration to hold.")
    if isinstance(given, Trajectory) and mech.shafts and given.smoothness < orders - 2:
        raise InputError(
            f"{CALLER}: the motion has {given.smoothness} continuous derivatives, the motors need {orders - 2}. Plan a "
            "smoother one (motion.smoothed adds a derivative), or give model='spong', which needs 3."
        )
    motion, breaks = _whole(given, mech, model, side)
    driven = list(side.driven)

    def at(t: Array) -> Array:
        q, v, a = motion(t)
        return np.concatenate([q, v, inverse_dynamics(model, q, v, a)[:, driven]], axis=-1)

    return Reference(at, breaks, given)


def _whole(
    given: Any, mech: Mechanism, model: Mechanism, side: JointSide
) -> tuple[Callable[[Array], Sequence[Array]], tuple[float, ...]]:
    """Times -> (q, v, a) of all speeds, and the kinks."""
    base = reference_of(CALLER, given, mech)
    if not mech.shafts:
        return lambda t: np.split(base.at(t), [mech.nq, mech.nq + mech.n], axis=-1), base.breaks
    if isinstance(given, Trajectory):
        whole = whole_motion(System(model), given, None, {}, 0, SAMPLES)
        return lambda t: [whole.at(t, k) for k in range(3)], base.breaks
    held = base.at(np.zeros(1))[0, : side.count]
    standing = balanced(model, held), np.zeros(mech.n), np.zeros(mech.n)
    return lambda t: [np.tile(x, (len(t), 1)) for x in standing], ()
