"""Admittance control: what a frame feels moves its reference, as a mass on a spring would move."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from numpy.typing import ArrayLike

from gearwright.argument_kinds import check_arguments
from gearwright.arguments import number
from gearwright.control.joint_side import known_feedback
from gearwright.control.joint_tracking import Gains, Tracking, frequency_gains, minus, plus, scaled
from gearwright.control.observers import expected_rates, residual
from gearwright.control.task_space.frame_motion import frame_motion
from gearwright.control.task_space.frame_references import frame_reference, per_axis
from gearwright.control.task_space.operational_law import ACCELERATION, AXES, POSE, TWIST, Operational
from gearwright.control.task_space.operational_space import FrameName, require_movable
from gearwright.errors import InputError
from gearwright.forces.law import Quantity
from gearwright.forces.shared_kinematics import Scene
from gearwright.mechanism import RobotOrMech
from gearwright.system.controllers.control_law import Decision, Measurement
from gearwright.system.controllers.law_controller import LawController, law_controller

CALLER = "control.admittance"


@dataclass(frozen=True)
class Admittance(Tracking):
    """Operational space around a reference that gives way: m y'' + d y' + k y = F seen, reference + y is followed.

    Args:
        mech: the controlled machine.
        feedback: where elastic drives are measured.
        inner: the law that follows.
        mass: m per axis of the world [kg].
        damping: d [Ns/m].
        stiffness: k [N/m].
        observer: how fast the force is seen [1/s].
    """

    inner: Operational = field(kw_only=True)
    mass: Gains = ()
    damping: Gains = ()
    stiffness: Gains = ()
    observer: float = 100.0

    @property
    def name(self) -> str:
        """What the kernel and the C function are called."""
        return "admittance"

    @property
    def references(self) -> Mapping[str, tuple[str, ...]]:
        """Pose, velocity and acceleration of the frame where nothing pushes."""
        return self.inner.references

    @property
    def states(self) -> tuple[Quantity, ...]:
        """How far the reference has given way, its speed, and the momentum expected."""
        own = (Quantity(f"{word}.{x}", unit) for word, unit in (("give", "m"), ("pace", "m/s")) for x in AXES[:3])
        return (*own, *(Quantity(f"momentum.{x}", "") for x in self.side.names))

    @property
    def signals(self) -> tuple[Quantity, ...]:
        """The force seen, `<frame>.force.<axis>`, world axes."""
        return tuple(Quantity(f"{self.inner.frame}.force.{x}", "N") for x in AXES[:3])

    def decide(self, measured: Measurement) -> Decision:
        """Follow the reference that gives way."""
        q, v = self.side.position(measured.q, self.feedback), self.side.speed(measured.v, self.feedback)
        give, pace, expected = measured.states[:3], measured.states[3:6], measured.states[6:]
        frame = frame_motion(Scene(measured.model, q, v, measured.ops), self.inner.frame, self.inner.size)
        watched = residual(frame.mass, v, expected, self.observer)
        force = frame.felt(watched)[:3]
        spring = plus(scaled(self.stiffness, give), scaled(self.damping, pace))
        quickening = [f / m for f, m in zip(minus(force, spring), self.mass, strict=True)]
        moved = {POSE: give, TWIST: pace, ACCELERATION: quickening}
        told = {
            word: [*plus(measured.reference[word][:3], y), *measured.reference[word][3:]] for word, y in moved.items()
        }
        tau = self.inner.joint_forces(replace(measured, reference=told))
        rates = [*pace, *quickening, *expected_rates(frame.pose, v, tau, watched)]
        signals = {x.name: f for x, f in zip(self.signals, force, strict=True)}
        return Decision(self.side.forces(tau), rates=rates, signals=signals)


@check_arguments
def admittance(
    robot: RobotOrMech,
    frame: FrameName,
    reference: Any,
    mass: ArrayLike,
    damping: ArrayLike,
    stiffness: ArrayLike = 0.0,
    *,
    frequency: ArrayLike = 30.0,
    observer: float = 200.0,
    orientation: bool = False,
    unseen_damping: float = 0.0,
    feedback: str = "both",
) -> LawController:
    r"""A frame that gives way to what it feels like a mass on a spring, $m \ddot y + d \dot y + k y = \hat F$.

    `operational_space` follows the reference moved by y, so that the frame shows the mass m instead of its own, rotors
    included. The force is seen in the momentum, $\dot{\hat F} = g (F - \hat F)$, no sensor is needed; friction that the
    model does not know counts as force. Only the position gives way. On a stiff surface the mass must not be much
    smaller than the frame's own, or observer and contact swing up together.

    Args:
        robot: the robot, or a machine.
        frame: the body or frame.
        reference: where it is to be when nothing pushes, as for `operational_space`.
        mass: m [kg], one number or one per axis of the world.
        damping: d [Ns/m].
        stiffness: k [N/m]; 0: it is led by the hand and stays.
        frequency: of the position control [rad/s], one number or one per axis.
        observer: g [1/s].
        orientation: whether the orientation is controlled, or the position alone.
        unseen_damping: damps joint motion that the frame does not see, of redundant arms [Nms/rad].
        feedback: of elastic drives: "both" (places at the joints, speeds at the motors), "motor" or "joint".
    """
    size = 6 if orientation else 3
    side = require_movable(CALLER, robot, frame, size)
    number(CALLER, "observer", observer, above=0.0, unit="1/s", example=200.0)
    number(CALLER, "unseen_damping", unseen_damping, least=0.0)
    m, d, k = (
        per_axis(CALLER, name, x, 3) for name, x in (("mass", mass), ("damping", damping), ("stiffness", stiffness))
    )
    if not all(m):
        raise InputError(f"{CALLER}: mass = {mass!r}; it must be positive. Give a mass, or use gw.control.impedance.")
    gains = frequency_gains(per_axis(CALLER, "frequency", frequency, size), (1.0,) * size)
    place = known_feedback(CALLER, feedback)
    inner = Operational(side.mech, place, frame, size, *gains, False, float(unseen_damping))
    law = Admittance(side.mech, place, inner=inner, mass=m, damping=d, stiffness=k, observer=float(observer))
    found = frame_reference(CALLER, frame, size, reference, side)
    return law_controller(law, found.at, found.breaks)
