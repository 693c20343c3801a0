"""The public functions of the dynamics: arrays in, arrays out.

Every one takes a machine or a robot. Everywhere: SI units and radians; arrays are float64, the last axis is the
coordinate, any leading axes are a batch and broadcast. q is (..., nq); v, a, tau are (..., n); torques and speeds are
those at the gear output.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from gearwright.argument_kinds import check_arguments
from gearwright.arrays import Array
from gearwright.dynamics import configuration
from gearwright.dynamics import regressor as linear
from gearwright.errors import InputError
from gearwright.forces.contact.contacts_of_robot import loop_laws
from gearwright.functions.constrained.closing import closed_integral, whole_motion
from gearwright.functions.public_call import run_program
from gearwright.mechanism import RobotOrMech, tree_of
from gearwright.programs import ClosedMechanism, dynamics_programs, kinematic_programs, machine_of
from gearwright.programs.inputs import checked_point
from gearwright.programs.placement import Placement

Wrenches = Mapping[int | str, ArrayLike]
"""Body or frame -> (..., 6): force, then moment about the origin of that body or frame, world axes, acting on it."""

BaseMotion = tuple[ArrayLike, ArrayLike, ArrayLike]
"""(angular velocity, angular acceleration, linear acceleration of the origin), each (..., 3), base axes."""


def inverse_dynamics(
    mech: RobotOrMech,
    q: ArrayLike,
    v: ArrayLike,
    a: ArrayLike,
    wrenches: Wrenches | None = None,
    base_motion: BaseMotion | None = None,
) -> Array:
    r"""Return the generalized forces for a motion, $\tau = M(q) a + C(q, v) v + g(q) + \text{springs} - J' w$.

    Recursive Newton-Euler equations of augmented links and spins, linear in the number of bodies.

    Args:
        mech: the machine, or a robot.
        q: configuration [rad, m], (..., nq).
        v: speeds [rad/s, m/s], (..., n).
        a: accelerations [rad/s2, m/s2], (..., n).
        wrenches: external wrenches [N, Nm] per body.
        base_motion: motion of the base.

    Returns:
        Generalized forces [Nm, N], (..., n).

    >>> import gearwright as gw
    >>> wheel = gw.Body("arm", mass=2, com=(0.5, 0, 0), inertia=np.diag([0, 0.1, 0.1]))
    >>> rotor = gw.Spin("rotor", "base", axis=(0, 0, 1), inertia=1e-4, ratio=[100])
    >>> gw.inverse_dynamics(gw.Mechanism([wheel], [rotor]), [0.0], [0.0], [1.0])   # 0.1 + 2 * 0.5^2 + 100^2 * 1e-4
    array([1.6])
    """
    return run_program(dynamics_programs.INVERSE_DYNAMICS, mech, (q, v, a), wrenches=wrenches, base_motion=base_motion)


def forward_dynamics(
    mech: RobotOrMech,
    q: ArrayLike,
    v: ArrayLike,
    tau: ArrayLike,
    wrenches: Wrenches | None = None,
    base_motion: BaseMotion | None = None,
) -> Array:
    r"""Return the accelerations for given forces, $M(q) a = \tau - \text{bias}(q, v)$ [rad/s2, m/s2], (..., n).

    Short chains and machines whose drives couple many joints: elimination of the mass matrix in an order chosen from
    the tree and the ratio rows. Chains of 14 joints and more, whose wheels each act within one joint: the
    articulated-body algorithm, with a number of operations proportional to the number of links.
    """
    return run_program(
        dynamics_programs.FORWARD_DYNAMICS, mech, (q, v, tau), wrenches=wrenches, base_motion=base_motion
    )


def bias(
    mech: RobotOrMech,
    q: ArrayLike,
    v: ArrayLike,
    wrenches: Wrenches | None = None,
    base_motion: BaseMotion | None = None,
) -> Array:
    r"""Return the forces at zero acceleration, $C v + g + \text{springs and dampers} - J' w$ [Nm, N], (..., n)."""
    return run_program(dynamics_programs.BIAS, mech, (q, v), wrenches=wrenches, base_motion=base_motion)


@check_arguments
def reactions(
    mech: RobotOrMech,
    q: ArrayLike,
    v: ArrayLike,
    a: ArrayLike,
    wrenches: Wrenches | None = None,
    base_motion: BaseMotion | None = None,
    *,
    contact: Mapping[str, ArrayLike] | None = None,
    laws: Sequence[Any] | None = None,
    extra_laws: Sequence[Any] = (),
) -> Array:
    """Return the total wrench from parent to body across every joint, (..., bodies, 6).

    Force [N], then moment [Nm] about the joint origin, body axes: bearing reactions plus drive. Forces of loops and
    other constraints are included by `laws`: by default the robot's own loops. A machine with closed loops takes
    independent or all speeds and accelerations.

    Args:
        mech: the machine, or the robot.
        q: configuration, (..., nq).
        v: speeds, (..., n).
        a: accelerations, (..., n).
        wrenches: body or frame -> (..., 6), force then moment about its origin, world axes.
        base_motion: (angular velocity, angular acceleration, linear acceleration) of the base, base axes.
        contact: forces of the constraints by the names of their series (`rod.force.x`), each (...), such as those of
            a simulation. Unless given, they are those with which the actuators alone produce the motion; where these
            are not unique (dependent rows, redundant drives), the minimum-norm ones.
        laws: constraints that replace the loops of the robot; () for none.
        extra_laws: constraints in addition to the loops of the robot.
    """
    q, v, a = whole_motion("reactions", mech, q, v, a)
    if laws is None and isinstance(mech, ClosedMechanism):
        laws = loop_laws(mech)
    if laws is not None or len(extra_laws) or contact is not None or getattr(mech, "loops", None):
        from gearwright.functions.constrained.closed_reactions import closing_wrenches

        wrenches = closing_wrenches(mech, (q, v, a), wrenches, base_motion, contact, (laws, extra_laws))
    tree = tree_of("reactions", mech)
    return run_program(dynamics_programs.REACTIONS, tree, (q, v, a), wrenches=wrenches, base_motion=base_motion)


def mass_matrix(mech: RobotOrMech, q: ArrayLike) -> Array:
    r"""Return the mass matrix $M = M_{links} + \sum_j J b b' + J_c (b h' + h b')$ [kg m2, kg m, kg], (..., n, n)."""
    return run_program(dynamics_programs.MASS_MATRIX, mech, (q,))


def axial_rates(mech: RobotOrMech, q: ArrayLike) -> Array:
    """Return axial rates h of every spin: rate of its carrier about its axis per unit of each speed, (..., spins, n).

    Where h is zero the wheel exerts no moment on its carrier and its coupling to the links vanishes.
    """
    return run_program(dynamics_programs.AXIAL_RATES, mech, (q,))


def gravity(mech: RobotOrMech, q: ArrayLike) -> Array:
    """Return the generalized forces that balance gravity, without springs [Nm, N], (..., n)."""
    return run_program(dynamics_programs.GRAVITY_FORCES, mech, (q,))


def coriolis_matrix(mech: RobotOrMech, q: ArrayLike, v: ArrayLike) -> Array:
    """Return the Coriolis matrix C (..., n, n) by Christoffel symbols: C v are velocity forces, dM/dt - 2 C is skew."""
    return run_program(dynamics_programs.CORIOLIS_MATRIX, mech, (q, v))


def kinetic_energy(mech: RobotOrMech, q: ArrayLike, v: ArrayLike) -> Array:
    """Return the kinetic energy T = 1/2 v' M v [J], (...)."""
    return run_program(dynamics_programs.KINETIC_ENERGY, mech, (q, v))


def potential_energy(mech: RobotOrMech, q: ArrayLike) -> Array:
    """Return the potential energy of gravity (zero at the base origin) and springs [J], (...)."""
    return run_program(dynamics_programs.POTENTIAL_ENERGY, mech, (q,))


def momentum(mech: RobotOrMech, q: ArrayLike, v: ArrayLike) -> Array:
    """Return linear momentum [kg m/s] and angular momentum about the base origin [kg m2/s], world axes, (..., 6)."""
    return run_program(dynamics_programs.MOMENTUM, mech, (q, v))


def centre_of_mass(mech: RobotOrMech, q: ArrayLike) -> Array:
    """Return the common centre of mass of all bodies, wheels included [m], world axes, (..., 3)."""
    if not sum(body.mass for body in tree_of("centre_of_mass", mech).bodies):
        raise InputError("centre_of_mass: the total mass of the machine is 0 kg. Give at least one body a mass.")
    return run_program(dynamics_programs.CENTRE_OF_MASS, mech, (q,))


def placement(mech: RobotOrMech, q: ArrayLike, body: int | str) -> Placement:
    """Return rotation (..., 3, 3) and position (..., 3) of a body or frame in the world; also `.yaw_pitch_roll`."""
    tree_of("placement", mech).place_of(body)
    flat = run_program(dynamics_programs.PLACEMENT, mech, (q,), {"body": body})
    return Placement(flat[..., :9].reshape(*flat.shape[:-1], 3, 3), flat[..., 9:])


def jacobian(
    mech: RobotOrMech,
    q: ArrayLike,
    body: int | str,
    point: Sequence[float] = (0.0, 0.0, 0.0),
    axes: str = "world",
) -> Array:
    r"""Return the Jacobian J (..., 6, n): velocity of a point fixed in a body, frame or wheel, then angular velocity.

    A wheel (`"j3.rotor"`) turns at the rate $b v$ about its axis e relative to its carrier: its angular velocity is
    $\omega_c + e\, b v$, spin included, and its centre moves with the carrier.

    Args:
        mech: the machine, or a robot.
        q: configuration [rad, m], (..., nq).
        body: a body, a frame, or a wheel by name.
        point: the point in the body's or frame's axes [m]; of a wheel, from its centre in the axes of its carrier.
        axes: axes of the result: "world", or "body" (those of the body or frame; of a wheel, those of its carrier).

    >>> import gearwright as gw
    >>> gw.jacobian(gw.load("elbow"), [0.3, -0.5, 0.8], "j3.rotor", axes="body")[3:].round(4) + 0.0   # 80 about x
    array([[-0.4794,  0.    , 80.    ],
           [ 0.8776,  0.    ,  0.    ],
           [ 0.    ,  1.    ,  0.    ]])
    """
    return run_program(kinematic_programs.JACOBIAN, mech, (q,), _point_options("jacobian", mech, body, point, axes))


def jacobian_rate(
    mech: RobotOrMech,
    q: ArrayLike,
    v: ArrayLike,
    body: int | str,
    point: Sequence[float] = (0.0, 0.0, 0.0),
    axes: str = "world",
) -> Array:
    """Time derivative dJ/dt (..., 6, n) of `jacobian`; the acceleration of the point is J a + dJ/dt v.

    With axes="body" it is the derivative of the Jacobian in body axes: J a + dJ/dt v are the rates of the velocities
    in body axes.
    """
    return run_program(
        kinematic_programs.JACOBIAN_RATE, mech, (q, v), _point_options("jacobian_rate", mech, body, point, axes)
    )


def _point_options(
    function: str, mech: RobotOrMech, body: int | str, point: Sequence[float], axes: str
) -> dict[str, Any]:
    options: dict[str, Any] = {"body": body, "point": checked_point(function, point)}
    if not isinstance(axes, str) or axes != "world":
        options["axes"] = axes
    kinematic_programs.jacobian_point(tree_of(function, mech), options)
    return options


def regressor(mech: RobotOrMech, q: ArrayLike, v: ArrayLike, a: ArrayLike) -> Array:
    """Return the regressor Y (..., n, parameters) with tau = Y pi; the order of pi is that of `parameter_names`."""
    return run_program(dynamics_programs.REGRESSOR, mech, (q, v, a))


def parameters(mech: RobotOrMech) -> Array:
    """Return the parameters pi: per body [m, mc, tensor about its origin], one inertia per spin, k and d per spring."""
    return np.array(linear.parameters(tree_of("parameters", mech)), dtype=np.float64)


def parameter_names(mech: RobotOrMech) -> list[str]:
    """Return the names of the parameters, such as 'upper.m', 'upper.Ixx', 'elbow.rotor.J'."""
    return linear.parameter_names(tree_of("parameter_names", mech))


def neutral(mech: RobotOrMech) -> Array:
    """Return the configuration with all coordinates zero and all quaternions (1, 0, 0, 0), (nq,).

    For a machine with closed loops it is the reference configuration, which closes them.
    """
    machine = machine_of("neutral", mech)
    if isinstance(machine, ClosedMechanism):
        return np.array(machine.reference)
    return np.array(configuration.neutral(machine))


def integrate(mech: RobotOrMech, q: ArrayLike, v: ArrayLike) -> Array:
    """Return the configuration after motion from q at constant speeds v for one unit of time, (..., nq)."""
    machine = machine_of("integrate", mech)
    if isinstance(machine, ClosedMechanism):
        return closed_integral(machine, q, v)
    return run_program(dynamics_programs.INTEGRATE, mech, (q, v))


def difference(mech: RobotOrMech, q0: ArrayLike, q1: ArrayLike) -> Array:
    """Return the constant speeds that lead from q0 to q1 in one unit of time, (..., n)."""
    return run_program(dynamics_programs.DIFFERENCE, mech, (q0, q1))


def lagrange_form(mech: RobotOrMech, q: ArrayLike, v: ArrayLike) -> tuple[Array, Array, Array]:
    """Return (B, H, g) of the Lagrange equations B a + H v + g = tau by Jacobians, without springs.

    An independent formulation (Sciavicco, Siciliano and Villani, eqs 14 to 19) for machines without free and spherical
    joints, for checks and teaching.
    """
    n = machine_of("lagrange_form", mech).n
    flat = run_program(dynamics_programs.LAGRANGE_FORM, mech, (q, v))
    return _square_block(flat, n, 0), _square_block(flat, n, n**2), flat[..., 2 * n**2 :]


def recursive_form(mech: RobotOrMech, q: ArrayLike, v: ArrayLike) -> tuple[Array, Array]:
    """Return (H, h) of H a + h = tau by recursive forming (Vukobratovic and Potkonjak, 20.32 to 20.60, corrected)."""
    n = machine_of("recursive_form", mech).n
    flat = run_program(dynamics_programs.RECURSIVE_FORM, mech, (q, v))
    return _square_block(flat, n, 0), flat[..., n**2 :]


def _square_block(flat: Array, n: int, start: int) -> Array:
    return flat[..., start : start + n**2].reshape(*flat.shape[:-1], n, n)
