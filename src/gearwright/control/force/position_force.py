"""Hybrid position/force control, on what is rigid and on what gives way, as users make it."""

from __future__ import annotations

from typing import Any

from numpy.typing import ArrayLike

from gearwright.arguments import number
from gearwright.control.frame_references import CLOCK, force_reference, frame_reference, per_axis, side_by_side
from gearwright.control.joint_side import known_feedback
from gearwright.control.known_contact import KnownContact, known_contact
from gearwright.control.known_environment import KnownEnvironment
from gearwright.control.operational import require_movable
from gearwright.control.position_force_law import ForceGains, PositionForce
from gearwright.control.tracking import frequency_gains
from gearwright.errors import InputError
from gearwright.mechanism import RobotOrMech
from gearwright.system.law_controller import LawController, law_controller


def hybrid(
    robot: RobotOrMech,
    contact: Any,
    reference: Any,
    force: Any,
    frequency: ArrayLike = 10.0,
    damping: ArrayLike = 1.0,
    *,
    integral: float = 0.0,
    observer: float = 100.0,
    quiet: float = 20.0,
    orientation: bool = False,
    unseen_damping: float = 0.0,
    feedback: str = "both",
) -> LawController:
    r"""Motion along a rigid surface, and force against it (Raibert and Craig, in operational space).

    $\tau = J^T (\Lambda (a - \dot J v) - F) + b(q, v)$: along free axes a as in `operational_space`, along held ones
    $a = -c\,\dot s$ and $F = F_r + k_i \int (F_r - \hat F)\,dt$. On the surface the force is then $F$ at once and the
    motion is not disturbed by it. Off it, the frame is driven to the surface at about $F_r / (\Lambda c)$.

    $\hat F$ is what a sensor shows where the contact is `gw.contact.Measured` (there and in the run): what the model
    lacks then dies out with the poles of $T s^2 + s + k_i$. Without a sensor it is seen in the momentum, $\dot{\hat F}
    = g (F - \hat F)$; what the model of the robot lacks then counts as force, and is not corrected.

    Args:
        robot: the robot, or a machine.
        contact: the `gw.contact.Constraint`, or the `Contact` on a plane, cylinder or sphere, that goes into the
            simulation; relative to the base, or to a `MovingFrame` that moves by a law of time.
        reference: of the frame, as for `operational_space`, in the world; what it says along held axes does not count.
        force: per held axis, in the axes of the contact, on the robot (a surface pushes outwards) [N, Nm]:
            numbers, a Trajectory of forces, or a function of time that returns (forces,).
        frequency: [rad/s] of errors along free axes, one number or one per axis of the contact (of a surface its
            two tangents where the frame is, `surface.tangents_at`, then the normal).
        damping: 1 is critical.
        integral: $k_i$ [1/s]; 0: the model alone.
        observer: g [1/s], where no sensor is.
        quiet: c [1/s].
        orientation: whether the orientation is controlled, or the position alone.
        unseen_damping: damps joint motion that the frame does not see, of redundant arms [Nms/rad].
        feedback: of elastic drives: "both" (places at the joints, speeds at the motors), "motor" or "joint".

    >>> import gearwright as gw
    >>> from gearwright.contact import Constraint, fixed_frame, project
    >>> arm = gw.assemble(gw.load("elbow"))
    >>> pen = Constraint("pen", "tool", fixed_frame("desk", (0, 0, 0.1)), held=("z",))
    >>> start = project(arm, [0.3, -0.3, 0.9], [pen])
    >>> control = gw.control.hybrid(arm, pen, gw.placement(arm, start.q, "tool"), 15.0)
    >>> run = gw.simulate(arm, start, until=0.1, laws=[pen], controller=control, samples=3)
    >>> bool(abs(run["pen.force.z"] - 15.0).max() < 1e-6)
    True
    """
    caller = "control.hybrid"
    found = known_contact(caller, contact)
    if found.environment is not None:
        raise InputError(f"{caller}: {contact.name!r} gives way. Use gw.control.position_force.")
    gains = _gains(caller, integral=integral, observer=observer, quiet=quiet)
    common = (reference, force, frequency, damping, orientation, unseen_damping, feedback)
    return _made(caller, robot, found, gains, *common)


def position_force(
    robot: RobotOrMech,
    contact: Any,
    reference: Any,
    force: Any,
    frequency: ArrayLike = 10.0,
    damping: ArrayLike = 1.0,
    *,
    environment: KnownEnvironment | None = None,
    force_frequency: float = 30.0,
    force_damping: float = 1.0,
    approach: float = 0.0,
    integral: float = 0.0,
    observer: float = 100.0,
    quiet: float = 20.0,
    orientation: bool = False,
    unseen_damping: float = 0.0,
    feedback: str = "both",
) -> LawController:
    r"""Motion along a surface that gives way, and force against it, with the environment's dynamics in the law.

    The environment answers with $F = m \ddot\delta + r(\delta, \dot\delta)$ (Vukobratovic and Potkonjak, section
    20.5.3), linear or not. Along the normal the frame gets the acceleration with which the force is as wanted:
    with mass $\ddot\delta = (F_r - r) / m$, and the force is $F_r$ at once. On a massless damped surface the force's
    error obeys $\dot e + \omega e = 0$, on a massless spring $\ddot e + 2 \zeta \omega \dot e + \omega^2 e = 0$.
    Along the tangents it moves as in `operational_space`.

    Args:
        robot: the robot, or a machine; without the wall, which `gw.control.within` adds.
        contact: the `SoftContact` on a plane, cylinder or sphere that goes into the simulation, or a `Contact` with
            the surface where it is at rest; relative to the base, or to a `MovingFrame` that moves by a law of time.
        reference: of the frame, as for `operational_space`, in the world; what it says along the normal does not count.
        force: on the robot along the normal [N]: a number, a Trajectory of forces, or a function of time that returns
            (force, its rate, its second derivative), of which as many as the environment's order asks for, plus one.
        frequency: [rad/s] of errors along the surface, one number or one per axis (its tangents, then the normal).
        damping: 1 is critical.
        environment: what the controller knows of it; that of the SoftContact unless given.
        force_frequency: $\omega$ of the force's errors [rad/s].
        force_damping: $\zeta$.
        approach: speed at which the surface is looked for from outside [m/s].
        integral: adds $k_i \int (F_r - \hat F)\,dt$ to what is wanted [1/s], for an environment that is not known well.
        observer: how fast $\hat F$, seen in the momentum, follows the force, where no sensor is [1/s].
        quiet: damping of the approach [1/s].
        orientation: whether the orientation is controlled, or the position alone.
        unseen_damping: damps joint motion that the frame does not see, of redundant arms [Nms/rad].
        feedback: of elastic drives: "both" (places at the joints, speeds at the motors), "motor" or "joint".
    """
    caller = "control.position_force"
    found = known_contact(caller, contact, environment)
    if found.environment is None:
        raise InputError(f"{caller}: {contact.name!r} does not give way. Give `environment`, or use gw.control.hybrid.")
    number(caller, "force_frequency", force_frequency, above=0.0, unit="rad/s", example=30.0)
    number(caller, "force_damping", force_damping, above=0.0, example=1.0)
    number(caller, "approach", approach, least=0.0, unit="m/s", example=0.05)
    own = {"frequency": force_frequency, "damping": force_damping, "approach": approach}
    gains = _gains(caller, integral=integral, observer=observer, quiet=quiet, **own)
    common = (reference, force, frequency, damping, orientation, unseen_damping, feedback)
    return _made(caller, robot, found, gains, *common)


def _gains(caller: str, *, integral: float, observer: float, quiet: float, **own: float) -> ForceGains:
    number(caller, "integral", integral, least=0.0, unit="1/s", example=10.0)
    number(caller, "observer", observer, above=0.0, unit="1/s", example=100.0)
    number(caller, "quiet", quiet, least=0.0, unit="1/s", example=20.0)
    return ForceGains(integral=float(integral), observer=float(observer), quiet=float(quiet), **own)


def _made(
    caller: str,
    robot: RobotOrMech,
    found: KnownContact,
    gains: ForceGains,
    reference: Any,
    force: Any,
    frequency: ArrayLike,
    damping: ArrayLike,
    orientation: bool,
    unseen_damping: float,
    feedback: str,
) -> LawController:
    size = 6 if orientation else 3
    side = require_movable(caller, robot, found.frame, size)
    if max(found.held) >= size:
        raise InputError(f"{caller}: the contact holds {', '.join(found.names)}. Use orientation=True.")
    number(caller, "unseen_damping", unseen_damping, least=0.0)
    kp, kd = frequency_gains(per_axis(caller, "frequency", frequency, size), per_axis(caller, "damping", damping, size))
    law = PositionForce(
        side.mech,
        known_feedback(caller, feedback),
        touching=found,
        size=size,
        kp=kp,
        kd=kd,
        gains=gains,
        unseen_damping=float(unseen_damping),
    )
    motion = frame_reference(caller, found.frame, size, reference, side)
    both = side_by_side(motion, force_reference(caller, force, found.names, law.order + 1))
    followed = side_by_side(both, CLOCK) if found.moves else both
    return law_controller(law, followed.at, followed.breaks)
