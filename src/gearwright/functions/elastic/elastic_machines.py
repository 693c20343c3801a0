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
from gearwright.functions.backend import twin, when_gone
from gearwright.functions.dynamics import coriolis_matrix, gravity, mass_matrix
from gearwright.functions.elastic.shaft_equations import Plan, plan, stiffness_and_damping
from gearwright.functions.special_kernels import OwnKernels
from gearwright.mechanism import Mechanism, RobotOrMech, machine_of
from gearwright.programs.inputs import checked
from gearwright.programs.program import Fixed, Inputs, Program
from gearwright.text import listed


class ElasticForm(NamedTuple):
    """The generalized model of an elastic machine, H a + C v + g + K_e q + D_e v = tau + preload.

    `l` counts the joints, `s` the shafts, n = l + s. H1 (..., l, l) are the links with their wheels at rest and the
    wheels that the joints drive; H2 (..., l, s) is how the shafts' wheels push on the links; H3 (..., s, s) the inertia
    of the shafts, constant; C (..., n, n) of Christoffel symbols; g (..., n); K_e, D_e (n, n) the springs' stiffness
    and damping; preload (n,) of springs whose rest is not zero. q counts per speed.
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
    r"""The equations of an elastic machine in blocks (Melhem and Loria, section 3, corrected).

    $\begin{bmatrix} H_1 & H_2 \\ H_2' & H_3 \end{bmatrix} a + C v + g + K_e q + D_e v = \tau$. With motors on the links
    before their joints H2 is strictly upper triangular; it is what rotors on moving links add to the model of Spong.

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
    mech = machine_of("elastic_form", mech)
    H, C, first = mass_matrix(mech, q), coriolis_matrix(mech, q, v), first_shaft(mech)
    K, D = stiffness_and_damping(mech)  # Melhem (23), (26)
    preload = np.array(spring_matrices(mech).preload, dtype=np.float64)
    blocks = H[..., :first, :first], H[..., :first, first:], H[..., first:, first:]  # Melhem (33)
    return ElasticForm(*blocks, C, gravity(mech, q), K, D, preload)


class MotorMotion(NamedTuple):
    """The motion of a whole elastic machine, each (..., n): joints, then shafts at the joint side.

    q [rad, m], v, a, and the generalized forces tau [Nm, N] that drive it: on shafts the motors', zero on joints
    behind springs. A joint with neither motor nor spring keeps the force it would need, so that the motion is possible
    only where that is zero. `actuator_torques(mech, tau)` are the torques at the motors.
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
    r"""Inverse dynamics of an elastic machine: motor motion and torques for a motion of its joints.

    The equation of a joint behind a spring gives the motor's place, $K \theta = K q + M a + C v + g$; its second
    derivative gives the motor's acceleration, and with it the torque. Without push of the rotors on the links (H2 = 0)
    that takes the joints' jerk and snap. A rotor that pushes on a link nearer the base puts its own acceleration into
    that link's equation, whose motor then takes two more derivatives, and so on towards the base: up to 2 (n + 1) for a
    chain of n joints (De Luca and Book). `needed_derivatives` counts them for a machine. Several springs in a row add
    two derivatives for each. All derivatives are exact, by Taylor series through the recursion.

    With dampers D the motor motion has a transient of its own, exp(-K t / D). Found is the motion that remains when it
    has died out, $\theta = (1 - (D/K) d/dt + (D/K)^2 d^2/dt^2 ...) (...)$, which takes four derivatives more and gets
    more exact with every further one; the torque that is returned fits the state that is returned exactly.

    Args:
        mech: the machine.
        q: coordinates of the joints alone, without shafts [rad, m], (..., joints).
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
    mech = machine_of("motor_motion", mech)
    known = _known(mech)
    found = known.plan
    arrays = dict(zip(("q", "v", "a", "jerk", "snap"), (q, v, a, jerk, snap), strict=True))
    arrays |= {f"derivative {5 + k}": x for k, x in enumerate(derivatives)}
    if len(arrays) <= found.order:
        raise InputError(_too_few(found, len(arrays) - 1))
    joints = first_shaft(mech)
    ready = {
        name: checked("motor_motion", mech, name, x, joints, mech.speeds[:joints])
        for name, x in list(arrays.items())[: None if found.damped else found.order + 1]
    }
    return MotorMotion(*np.moveaxis(known.kernels.run(_PROGRAM, ready), -2, 0))


class _Known(NamedTuple):
    """What is known of the motor motion of a machine."""

    plan: Plan
    kernels: OwnKernels


_KNOWN: dict[int, _Known] = {}


def _known(mech: Mechanism) -> _Known:
    """The plan and the kernels of a machine, as long as it lives."""
    number = id(mech)
    if number not in _KNOWN:
        found = plan(mech)
        _KNOWN[number] = _Known(found, OwnKernels(twin(mech), {"plan": found}))
        when_gone(mech, partial(_KNOWN.pop, number, None))  # holds the table: names are gone when Python ends
    return _KNOWN[number]


def needed_derivatives(mech: RobotOrMech) -> dict[str, int]:
    """Per shaft the highest derivative of the joints' motion that `motor_motion` takes for it; 4 is the snap.

    >>> import gearwright as gw
    >>> from dataclasses import replace
    >>> arm = gw.load("elbow")
    >>> for drive in arm.drives:
    ...     arm = arm.with_drive(replace(drive, gear=replace(drive.gear, stiffness=8000.0)))
    >>> needed_derivatives(gw.assemble(arm))
    {'j1.motor': 7, 'j2.motor': 5, 'j3.motor': 4}
    """
    return dict(plan(machine_of("needed_derivatives", mech)).needed)


def _too_few(found: Plan, given: int) -> str:
    names = {3: "jerk", 4: "snap"}
    wanted = listed(f"{shaft} the {order}th" for shaft, order in found.needed.items() if order > given)
    why = "rotors push on the links that carry them, or several springs lie in a row"
    ways = {"spong": "the push"} | ({"undamped": "the dampers"} if found.damped else {})
    out = " or ".join(f"approximate(mech, {kind!r}), which leaves {what} out" for kind, what in ways.items())
    return (
        f"motor_motion: {'springs have dampers, ' * found.damped}{why}, so that the motors take higher derivatives of "
        f"the joints' motion than the {names.get(given, f'{given}th')}: {wanted}. Give derivatives=(fifth, sixth, ...) "
        f"up to the {found.order}th, or use {out}."
    )


def _run(mech: Mechanism, ops: Operations, x: Inputs, fixed: Fixed) -> Any:
    plan: Plan = fixed["plan"]
    return recursion(mech, plan.steps, list(x.values()), ops, spare=len(x) - 1 - plan.order)


_PROGRAM = Program("motor_motion", ("q", "v", "a", "jerk", "snap"), _run, lambda m, _: (4, m.n))
