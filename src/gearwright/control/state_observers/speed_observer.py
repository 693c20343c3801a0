"""The observer of speeds from positions alone, on the redundant "points" model of Melhem and Loria."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import ArrayLike

from gearwright.algebra import Scalar
from gearwright.argument_kinds import check_arguments
from gearwright.arguments import number_array, real_number, whole_number
from gearwright.arrays import Array
from gearwright.control.gains import balanced_configuration
from gearwright.control.joint_side import joint_side
from gearwright.control.joint_tracking import add_vectors, subtract_vectors
from gearwright.control.observers import require_force_outputs, speed_forces
from gearwright.control.task_space.frame_motion import matrix_product
from gearwright.control.wrapped_law import WrappedLaw, continuous_law
from gearwright.dynamics.elastic_drives import spring_matrices
from gearwright.dynamics.energy import kinetic_energy as kinetic_energy_at
from gearwright.dynamics.forward_dynamics import forward_dynamics
from gearwright.dynamics.pose import place_machine
from gearwright.errors import InputError
from gearwright.forces import Quantity
from gearwright.functions.elastic.redundant_models import RedundantModel
from gearwright.functions.elastic.redundant_structure import coriolis_constant, coriolis_constant_bound
from gearwright.mechanism import RobotOrMech, tree_of
from gearwright.system.controllers.control_law import Decision, Measurement, checked_decision
from gearwright.system.controllers.law_controller import LawController, law_controller

CONTRACTION_TERMS = 3.0
"""Number [1] of terms c V of the Coriolis forces in the proof: estimate, its saturation, true speeds."""


@dataclass(frozen=True)
class SpeedObserverBound:
    r"""The gain of a speed observer and its proven bound.

    With the energy norm $\|x\|^2 = x' H(q) x$, $V = \sqrt{2 T}$ and the Coriolis constant c, the error
    $e = v - \hat v$ satisfies $\frac{d}{dt}\|e\| \le -(k - 3 c V)\,\|e\| + \|d\|_{H^{-1}}$ from any initial error, as
    long as the kinetic energy of the motion is at most T; d are forces unknown to the model.

    Args:
        gain: k [1/s].
        kinetic_energy: T, the bound of the kinetic energy [J].
        coriolis_constant: c, over the sampled configurations [1/(s sqrt(J))].
        coriolis_constant_bound: the product of the constants of properties P2 and P3, at least c.
    """

    gain: float
    kinetic_energy: float
    coriolis_constant: float
    coriolis_constant_bound: float

    @property
    def speed_norm(self) -> float:
        """V, the bound of the speeds in the energy norm."""
        return math.sqrt(2 * self.kinetic_energy)

    @property
    def rate(self) -> float:
        """Proven rate of convergence, k - 3 c V [1/s]."""
        return self.gain - CONTRACTION_TERMS * self.coriolis_constant * self.speed_norm

    def error(self, initial: float, t: ArrayLike, disturbance: float = 0.0) -> Array:
        """Return the bound of ||e|| at times t for an initial ||e|| and a bound of unknown forces in the norm H^-1."""
        decay = np.exp(-self.rate * np.asarray(t, dtype=float))
        bound: Array = initial * decay + disturbance / self.rate * (1 - decay)
        return bound


@check_arguments
def speed_observer_bound(
    robot: RobotOrMech, kinetic_energy: float, rate: float = 50.0, configurations: int = 200, seed: int = 0
) -> SpeedObserverBound:
    r"""Return the gain of a speed observer with a proven rate of convergence, k = rate + 3 c V.

    Args:
        robot: the robot, or a machine: a chain with elastic joints, or with rigid ones.
        kinetic_energy: bound of the kinetic energy of the motion [J], rotors included.
        rate: desired rate of convergence [1/s].
        configurations: number of random configurations over which the constants are bounded.
        seed: of these configurations.

    >>> import gearwright as gw
    >>> bound = gw.control.speed_observer_bound(gw.load("elastic_elbow"), 25.0, rate=50.0, configurations=50)
    >>> round(bound.gain), round(bound.rate), bound.coriolis_constant_bound > 1000 * bound.coriolis_constant
    (118, 50, True)
    """
    caller = "control.speed_observer_bound"
    energy = real_number(caller, "kinetic_energy", kinetic_energy, above=0.0, unit="J", example=20.0)
    desired_rate = real_number(caller, "rate", rate, above=0.0, unit="1/s", example=50.0)
    count = whole_number(caller, "configurations", configurations, least=1)
    mech = tree_of(caller, robot)
    model = RedundantModel(mech, "points", "elastic" if mech.shafts else "rigid")
    q = model.configurations(count, seed)
    c = coriolis_constant(model, q)
    gain = desired_rate + CONTRACTION_TERMS * c * math.sqrt(2 * energy)
    return SpeedObserverBound(gain, energy, c, coriolis_constant_bound(model, q))


@dataclass(frozen=True)
class SpeedObserverLaw(WrappedLaw):
    """A law with speeds estimated from positions: w = z + k q, z' = a(q, w, tau) - k w.

    The Coriolis forces of the model are C(q, s w) w with s w in the ball of speeds with the bounded kinetic energy.

    Args:
        gain: k [1/s].
        kinetic_energy: bound of the kinetic energy [J].
        start: configuration at the start.
    """

    gain: float = 1.0
    kinetic_energy: float = 1.0
    start: tuple[float, ...] = ()

    @property
    def states(self) -> tuple[Quantity, ...]:
        """States of the law, and z of the observer, `observer.<speed>`; at the start the estimates are zero."""
        initial = zip(self.mech.speeds, self.start, strict=True)
        return (*self.inner.states, *(Quantity(f"observer.{x}", "", -self.gain * q) for x, q in initial))

    @property
    def signals(self) -> tuple[Quantity, ...]:
        """Estimates of the speeds, `estimate.v.<speed>`."""
        return (*self.inner.signals, *(Quantity(f"estimate.v.{x}", "") for x in self.mech.speeds))

    def decide(self, measured: Measurement) -> Decision:
        """Return the law's outputs for the estimated speeds, and the rates of the observer."""
        inner_count = len(self.inner.states)
        z = measured.states[inner_count:]
        w = [x + self.gain * y for x, y in zip(z, measured.q, strict=True)]
        decision = checked_decision(self.inner, replace(measured, v=w, states=measured.states[:inner_count]))
        pose = place_machine(self.mech, measured.q, measured.ops)
        # C(q, s w) w = C(q, r w) r w with r^2 = s: the Coriolis forces of slower speeds
        energy = measured.ops.maximum(kinetic_energy_at(pose, w), self.kinetic_energy)
        r = measured.ops.sqrt(measured.ops.sqrt(self.kinetic_energy / energy))
        slower = [r * x for x in w]
        damping = matrix_product(spring_matrices(self.mech).damping, subtract_vectors(w, slower))
        forces = subtract_vectors(speed_forces(self.mech, self.inner, decision), damping)
        a = forward_dynamics(pose, slower, forces)
        rates: list[Scalar] = add_vectors(a, [-self.gain * x for x in w])
        signals = {f"estimate.v.{name}": x for name, x in zip(self.mech.speeds, w, strict=True)}
        return replace(decision, rates=[*decision.rates, *rates], signals={**decision.signals, **signals})


@check_arguments
def speed_observer(controller: LawController, q: ArrayLike, bound: SpeedObserverBound) -> LawController:
    r"""Return the controller with all speeds estimated from measured positions of joints and motors.

    In the redundant model of mass points (Melhem and Loria, form "points") the Coriolis forces are symmetric,
    $C(q, x) y = C(q, y) x$, without further quadratic terms. The observer $\hat v = z + k q$,
    $\dot z = H^{-1}(\tau - C(q, \sigma) \hat v - D \hat v - g - K q) - k \hat v$, where $\sigma$ is $\hat v$ limited to
    the ball of speeds with the bounded kinetic energy, then converges exponentially from any error, at the rate
    $k - 3 c V$ of `speed_observer_bound`. The controller uses the estimates: no speed is measured.

    Args:
        controller: a continuous controller of `gw.control` with forces as outputs.
        q: measured configuration at the start: of all coordinates, or of the joints, with motors that hold the weight.
        bound: gain and bound of the kinetic energy, of `speed_observer_bound`.

    >>> import gearwright as gw
    >>> arm = gw.load("elastic_elbow")
    >>> bound = gw.control.speed_observer_bound(arm, kinetic_energy=5.0, configurations=20)
    >>> control = gw.control.speed_observer(gw.control.pd(arm, [0.2, 0.1, 0.3], 2000, 100), [0.2, 0.1, 0.3], bound)
    >>> control.law.states[0].name
    'observer.j1'
    """
    caller = "control.speed_observer"
    law = continuous_law(caller, controller)
    mech = law.mech
    if not mech.speeds_are_rates:
        raise InputError(f"{caller}: the machine has free, spherical or planar joints. Give one without them.")
    side = joint_side(caller, mech)
    require_force_outputs(caller, law)
    start = number_array(caller, "q", q, axes=1)
    if mech.shafts and len(start) == side.joint_count:
        start = balanced_configuration(mech, start)
    if len(start) != mech.nq:
        joints = f", or {side.joint_count} for the joints" if mech.shafts else ""
        raise InputError(f"{caller}: q has {len(start)} numbers; give {mech.nq}, one per coordinate{joints}.")
    observer = SpeedObserverLaw(mech, law, bound.gain, bound.kinetic_energy, tuple(start.tolist()))
    return law_controller(observer, controller.follow, controller.breaks)
