"""Elastic machines: their equations in blocks, and the motor motion behind a link motion."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from gearwright.algebra import Operations
from gearwright.argument_kinds import check_arguments
from gearwright.arrays import Array
from gearwright.dynamics.elastic_drives import first_shaft, spring_matrices
from gearwright.dynamics.elastic_drives import motor_motion as recursion
from gearwright.errors import InputError
from gearwright.functions.backend import detached_copy, on_collected
from gearwright.functions.dynamics import coriolis_matrix, gravity, mass_matrix
from gearwright.functions.elastic.shaft_equations import (
    ShaftPlan,
    elastic_machine,
    plan_shafts,
    stiffness_and_damping,
)
from gearwright.functions.special_kernels import ProgramKernels
from gearwright.mechanism import Mechanism, RobotOrMech
from gearwright.programs import ClosedMechanism
from gearwright.programs.inputs import checked_array
from gearwright.programs.program import Fixed, Inputs, Program
from gearwright.text import listed_names


class ElasticForm(NamedTuple):
    """The generalized model of an elastic machine, H a + C v + g + K_e q + D_e v = tau + preload.

    `l` counts the joints, `s` the shafts, n = l + s. H1 (..., l, l) is the inertia of the links with their wheels at
    rest and of the wheels that the joints drive; H2 (..., l, s) the inertial coupling of the shafts' wheels and the
    links; H3 (..., s, s) the constant inertia of the shafts; C (..., n, n) is by Christoffel symbols; g (..., n); K_e,
    D_e (n, n) are stiffness and damping of the springs; preload (n,) of springs with a nonzero rest position. q is per
    speed.
    """

    H1: Array
    H2: Array
    H3: Array
    C: Array
    g: Array
    K_e: Array
    D_e: Array
    preload: Array

    @property
    def H(self) -> Array:
        """[[H1, H2], [H2', H3]], (..., n, n)."""
        lower = np.concatenate([np.swapaxes(self.H2, -1, -2), self.H3], axis=-1)
        return np.concatenate([np.concatenate([self.H1, self.H2], axis=-1), lower], axis=-2)


def elastic_form(mech: RobotOrMech, q: ArrayLike, v: ArrayLike) -> ElasticForm:
    r"""Return the equations of an elastic machine in blocks (Melhem and Loria, section 3, corrected).

    $\begin{bmatrix} H_1 & H_2 \\ H_2' & H_3 \end{bmatrix} a + C v + g + K_e q + D_e v = \tau$. With motors on the links
    before their joints H2 is strictly upper triangular; it is the term that Spong's model neglects.

    Args:
        mech: the machine; one without shafts has empty H2 and H3.
        q: configuration [rad, m], (..., nq).
        v: speeds [rad/s, m/s], (..., n).

    >>> import gearwright as gw
    >>> from gearwright.parts import Drive, Gear, Link, Motor, Robot
    >>> table = Link("table", mass=10, inertia=np.diag([0.5, 0.5, 1.0]))
    >>> drive = Drive("table", Motor(inertia=1e-4), Gear(ratio=100, stiffness=5000))
    >>> gw.elastic.elastic_form(gw.assemble(Robot("r", [table], [drive])), [0.0, 0.0], [0.0, 0.0]).K_e
    array([[ 5000., -5000.],
           [-5000.,  5000.]])
    """
    mech = elastic_machine("elastic_form", mech)
    _require_linear_springs(mech)
    H, C, first = mass_matrix(mech, q), coriolis_matrix(mech, q, v), first_shaft(mech)
    K, D = stiffness_and_damping(mech)  # Melhem (23), (26)
    preload = np.array(spring_matrices(mech).preload, dtype=np.float64)
    blocks = H[..., :first, :first], H[..., :first, first:], H[..., first:, first:]  # Melhem (33)
    return ElasticForm(*blocks, C, gravity(mech, q), K, D, preload)


def _require_linear_springs(mech: Mechanism) -> None:
    """Raise an error for a spring whose force is not linear in the independent coordinates of closed loops."""
    dependent = set() if mech.closure is None else {k for group in mech.closure.groups for k in group.dependent}
    for spring in mech.springs:
        ends = sorted({k for k, _ in spring.terms} & dependent)
        if ends:
            raise InputError(
                f"elastic_form: spring {spring.name!r} acts on {mech.tree.speeds[ends[0]]!r}, which follows from other "
                "joints through the loops, so its force is not linear in the independent coordinates. Use bias, which "
                "contains the force, or linearise."
            )


class MotorMotion(NamedTuple):
    """The motion of a whole elastic machine, each (..., n): joints, then shafts at the joint side.

    q [rad, m], v, a, and the generalized forces tau [Nm, N]: motor forces on shafts, zero on joints behind springs. For
    a joint with neither motor nor spring, tau is the required force; the motion is feasible only where it is zero.
    `actuator_torques(mech, tau)` are the motor torques.
    """

    q: Array
    v: Array
    a: Array
    tau: Array


@check_arguments
def motor_motion(
    mech: RobotOrMech,
    q: ArrayLike,
    v: ArrayLike,
    a: ArrayLike,
    jerk: ArrayLike,
    snap: ArrayLike,
    derivatives: Sequence[ArrayLike] = (),
) -> MotorMotion:
    r"""Return motor motion and torques for a motion of the joints: inverse dynamics of an elastic machine.

    The equation of a joint behind a spring determines the motor position, $K \theta = K q + M a + C v + g$; its second
    derivative determines the motor acceleration and the torque. Without inertial coupling of the rotors and links
    (H2 = 0) this requires the joints' jerk and snap. A rotor coupled to a link nearer the base contributes its own
    acceleration to that link's equation, whose motor then requires two more derivatives, and so on towards the base: up
    to 2 (n + 1) for a chain of n joints (De Luca and Book). `required_derivative_orders` counts them for a machine.
    Springs in series add two derivatives each. All derivatives are exact, by Taylor series through the recursion.

    With dampers D the motor motion has a transient exp(-K t / D). The result is the motion after its decay,
    $\theta = (1 - (D/K) d/dt + (D/K)^2 d^2/dt^2 ...) (...)$, which requires four more derivatives and becomes more
    accurate with every further one; the torque is exact for the returned state.

    Args:
        mech: the machine.
        q: coordinates of the joints alone, without shafts [rad, m], (..., joints); with closed loops, of the
            independent ones, and the result is in independent speeds.
        v: their speeds.
        a: their accelerations.
        jerk: their third derivatives.
        snap: their fourth derivatives.
        derivatives: their fifth, sixth, ... derivatives as far as needed.

    >>> import gearwright as gw
    >>> from gearwright.parts import Drive, Gear, Link, Motor, Robot
    >>> table = Link("table", mass=10, inertia=np.diag([0.5, 0.5, 1.0]))
    >>> drive = Drive("table", Motor(inertia=1e-4), Gear(ratio=100, stiffness=5000))
    >>> mech = gw.assemble(Robot("r", [table], [drive]))
    >>> gw.motor_motion(mech, [0.1], [0.0], [10.0], [0.0], [50.0]).tau         # 1 * (10 + 50/5000) + 1 * 10
    array([ 0.  , 20.01])
    """
    mech = elastic_machine("motor_motion", mech)
    setup = _motor_motion_setup(mech)
    shaft_plan = setup.plan
    arrays = dict(zip(("q", "v", "a", "jerk", "snap"), (q, v, a, jerk, snap), strict=True))
    arrays |= {f"derivative {5 + k}": x for k, x in enumerate(derivatives)}
    if len(arrays) <= shaft_plan.order:
        raise InputError(_missing_derivatives_text(shaft_plan, len(arrays) - 1))
    joints = first_shaft(mech)
    checked_arrays = {
        name: checked_array("motor_motion", mech, name, x, joints, mech.speeds[:joints])
        for name, x in list(arrays.items())[: None if shaft_plan.damped else shaft_plan.order + 1]
    }
    if isinstance(mech, ClosedMechanism):
        still = np.zeros((*checked_arrays["q"].shape[:-1], len(mech.shafts)))
        checked_arrays["near"] = mech.closed(np.concatenate([checked_arrays["q"], still], axis=-1))
    return MotorMotion(*np.moveaxis(setup.kernels.run_program(_MOTOR_MOTION_PROGRAM, checked_arrays), -2, 0))


class _MotorMotionSetup(NamedTuple):
    """Plan and kernels for the motor motion of a machine."""

    plan: ShaftPlan
    kernels: ProgramKernels


_MOTOR_MOTION_SETUPS: dict[int, _MotorMotionSetup] = {}


def _motor_motion_setup(mech: Mechanism) -> _MotorMotionSetup:
    """Return the plan and the kernels of a machine, cached for its lifetime."""
    number = id(mech)
    if number not in _MOTOR_MOTION_SETUPS:
        shaft_plan = plan_shafts(mech)
        _MOTOR_MOTION_SETUPS[number] = _MotorMotionSetup(
            shaft_plan, ProgramKernels(detached_copy(mech), {"plan": shaft_plan})
        )
        on_collected(
            mech, partial(_MOTOR_MOTION_SETUPS.pop, number, None)
        )  # refers to the table itself: globals are cleared when Python exits
    return _MOTOR_MOTION_SETUPS[number]


def required_derivative_orders(mech: RobotOrMech) -> dict[str, int]:
    """Return per shaft the highest derivative of the joints' motion that `motor_motion` requires; 4 is the snap.

    >>> import gearwright as gw
    >>> from dataclasses import replace
    >>> arm = gw.load("elbow")
    >>> for drive in arm.drives:
    ...     arm = arm.with_drive(replace(drive, gear=replace(drive.gear, stiffness=8000.0)))
    >>> required_derivative_orders(gw.assemble(arm))
    {'j1.motor': 7, 'j2.motor': 5, 'j3.motor': 4}
    """
    return dict(plan_shafts(elastic_machine("required_derivative_orders", mech)).needed)


def _missing_derivatives_text(shaft_plan: ShaftPlan, order_given: int) -> str:
    names = {3: "jerk", 4: "snap"}
    wanted = listed_names(f"{shaft} the {order}th" for shaft, order in shaft_plan.needed.items() if order > order_given)
    why = "rotors are coupled to the links that carry them, or springs are in series"
    approximations = {"spong": "the coupling"} | ({"undamped": "the dampers"} if shaft_plan.damped else {})
    remedies = " or ".join(
        f"approximate(mech, {kind!r}), which neglects {omitted}" for kind, omitted in approximations.items()
    )
    return (
        f"motor_motion: {'springs have dampers, ' * shaft_plan.damped}{why}, so the motors require higher derivatives "
        f"of the joints' motion than the {names.get(order_given, f'{order_given}th')}: {wanted}. Give "
        f"derivatives=(fifth, sixth, ...) up to the {shaft_plan.order}th, or use {remedies}."
    )


def _run_motor_motion(mech: Mechanism, ops: Operations, x: Inputs, fixed: Fixed) -> Any:
    plan: ShaftPlan = fixed["plan"]
    derivatives = [values for name, values in x.items() if name != "near"]
    spare = len(derivatives) - 1 - plan.order
    return recursion(mech, plan.steps, derivatives, ops, spare, x.get("near", ()))


_MOTOR_MOTION_PROGRAM = Program(
    "motor_motion", ("q", "v", "a", "jerk", "snap"), _run_motor_motion, lambda m, _: (4, m.n)
)
