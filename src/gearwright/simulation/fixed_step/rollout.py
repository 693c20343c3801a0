"""Motions of batches of states or parameters with a fixed step."""

from __future__ import annotations

import warnings
from collections.abc import Mapping, Sequence
from functools import lru_cache
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from gearwright.argument_kinds import check_arguments
from gearwright.arguments import as_floats, whole
from gearwright.arrays import Array
from gearwright.dynamics.integration_steps import METHODS
from gearwright.errors import GearwrightWarning, InputError, SlowerWarning, depth_of_the_caller
from gearwright.forces.law import Law
from gearwright.functions.backend import kernel_mode
from gearwright.mechanism import Mechanism, machine_of
from gearwright.parts import Robot
from gearwright.plots import saved
from gearwright.plots.curves import bands
from gearwright.plots.notebook import notebook
from gearwright.simulation.acting_laws import RobotLaws, acting_laws, driven_inputs
from gearwright.simulation.fixed_step.compiled_rollout import FixedStep, fixed_step, nominal_laws, stepping_remarks
from gearwright.simulation.fixed_step.controlled_step import controller_feeds
from gearwright.simulation.fixed_step.gauss_seidel_sweeps import sweeps_for
from gearwright.simulation.fixed_step.inputs_and_checks import Interrupted, common_batch, require_steps
from gearwright.simulation.fixed_step.step_program import MOREAU
from gearwright.system.controllers.controller import Controller
from gearwright.system.controllers.law_controller import LawController
from gearwright.system.controllers.scalar_law import control_law_of
from gearwright.system.kernels.traced_laws import surveyed
from gearwright.system.system import System
from gearwright.text import did_you_mean


class Rollout(NamedTuple):
    """Recorded motions.

    Args:
        t: times [s], (T,).
        q: configurations, (T, ..., nq).
        v: speeds, (T, ..., n).
        states: per state of the laws its values, (T, ...).
        drift: what is missing in the books at the end [J], (...): energy gained less supplied plus dissipated; None
            but for "moreau".
        penetration: how far something has been beyond a stop at most [rad, m], (...); None but for "moreau".
    """

    t: Array
    q: Array
    v: Array
    states: Mapping[str, Array]
    drift: Array | None = None
    penetration: Array | None = None

    def plot(self, path: str | Path | None = None) -> Any:
        """Per coordinate the median of all members, and what half of them and all of them span; also into a file."""
        members = self.q.reshape(len(self.t), -1, self.q.shape[-1])
        return saved(bands(self.t, "time [s]", {f"q{k + 1}": members[..., k] for k in range(members.shape[-1])}), path)

    def _repr_html_(self) -> str:
        return notebook(self)


@check_arguments
def rollout(
    robot_or_mech: Robot | Mechanism,
    q0: ArrayLike,
    v0: ArrayLike,
    steps: int,
    step: float,
    *,
    method: str | None = None,
    tau: ArrayLike | None = None,
    laws: Sequence[Law] | None = None,
    extra_laws: Sequence[Law] = (),
    states0: Mapping[str, ArrayLike] | None = None,
    inputs: Mapping[str, ArrayLike] | None = None,
    every: int = 1,
    parameters: Mapping[str, ArrayLike] | None = None,
    sweeps: int | None = None,
    controller: Controller | None = None,
) -> Rollout:
    r"""Many motions at once with a fixed step, all steps in machine code.

    "euler" is semi-implicit: $v^+ = v + h\,a(q, v, \tau)$, $q^+ = q \oplus h v^+$; "rk4" is the classical method of
    fourth order. "moreau" takes laws with modes, friction that sticks, stops, backlash, clutches and lossy gears, by
    time stepping: Moreau's midpoint rule with projected Gauss-Seidel, of first order. Long batches are spread over the
    cores (`GEARWRIGHT_THREADS`).

    Args:
        robot_or_mech: a robot (with the laws of its file unless `laws` are given; parameters are then paths of its
            file) or a machine (without any).
        q0: configurations at the beginning, (..., nq); leading axes are the batch.
        v0: speeds at the beginning, (..., n); broadcast with q0, states0 and parameters.
        steps: number of steps, a multiple of `every`.
        step: duration of a step [s].
        method: "euler", "rk4" or "moreau"; unless given "moreau" where a law has modes or holds, else "euler".
        tau: generalized forces: constant (..., n); with one axis more than the batch, (steps, ..., n) held over each
            step or (2 steps + 1, ..., n) at the beginning, middle and end of each step.
        laws: laws instead of those of the robot, of which a warning names what is left out; () for none. "euler" and
            "rk4" take laws with one mode, without holds and drags (motors, smooth friction, springs): friction, stops
            and gaps of the robot become smooth, losses by the direction of power, loops and contacts are refused by
            name. "moreau", the default then, takes all as they are.
        extra_laws: laws beside those of the robot.
        states0: states of laws at the beginning by name, (...); their own initial values unless given.
        inputs: inputs of laws by name, (...) or with time first as for tau.
        every: steps per recorded sample.
        parameters: numbers of the robot or machine by path, (...), such as {"payload.mass": masses}, and of laws by
            their names, such as {"elbow.friction.coulomb": torques}.
        sweeps: how often "moreau" goes through all impulses of a step; unless given, until they are consistent.
        controller: what `gw.control` makes, or `gw.Controller(function, scalars=True)`; forces are added to tau, as in
            `gw.simulate`. With parameters the machine changes, what the
            controller knows of it does not.

    Returns:
        1 + steps / every samples, the first at the beginning; fewer, with a GearwrightWarning, after Ctrl-C.

    >>> import gearwright as gw
    >>> swing = gw.Mechanism([gw.Body("arm", axis=(0, 1, 0), mass=1, com=(0, 0, -1.0))])
    >>> run = gw.rollout(swing, [[0.001], [0.002]], [0.0], steps=1000, step=1e-3, method="rk4", every=500)
    >>> (1e3 * run.q[:, 0, 0]).round(3)   # cos(sqrt(9.81) t) at 0, 0.5 and 1 s
    array([ 1.   ,  0.005, -1.   ])
    """
    require_steps(step, steps, every)
    values = {path: as_floats("rollout", path, x) for path, x in _mapping("parameters", parameters).items()}
    more: dict[str, Any] = {}
    if sweeps is not None:
        more |= {"sweeps": whole("rollout", "sweeps", sweeps, least=1, example=10), "tries": 1}
    control = (
        None if controller is None else control_law_of("rollout", controller, machine_of("rollout", robot_or_mech))
    )
    if control is not None:
        more["control"] = control.law
    acting = _acting(robot_or_mech, (laws, extra_laws), _mapping("inputs", inputs), control, method in METHODS)
    if method is None:
        method = MOREAU if _needs_time_stepping(robot_or_mech, acting) else "euler"
    engine = fixed_step(robot_or_mech, acting, method, work=method == MOREAU, parameters=tuple(values), **more)
    x0 = engine.start(q0, v0, _mapping("states0", states0))
    lead = common_batch({"states": x0.shape[:-1], **{path: x.shape for path, x in values.items()}})
    rows = int(np.prod(lead, dtype=int))
    x = np.ascontiguousarray(np.broadcast_to(x0, (*lead, x0.shape[-1]))).reshape(rows, x0.shape[-1])
    numbers = np.stack([np.broadcast_to(x, lead).reshape(rows) for x in values.values()], axis=-1) if values else None
    given = _inputs(engine, lead, steps, tau, _mapping("inputs", inputs))
    engine.require_sound(x, step, numbers)
    if method == MOREAU and sweeps is None and rows:
        engine = engine.with_sweeps(sweeps_for(engine.system, x, step))
    for remark in engine.remarks if kernel_mode() != "off" else ():
        warnings.warn(f"rollout: {remark}", SlowerWarning, stacklevel=2)
    for remark in engine.approximations:
        warnings.warn(f"rollout: {remark}", GearwrightWarning, stacklevel=depth_of_the_caller())
    fed = () if control is None else controller_feeds(control, method, step, steps)
    try:
        record = engine.run(x, given, step, steps, every, parameters=numbers, control=fed)
    except Interrupted as stopped:
        record = stopped.record
        reached = f"{step * every * (len(record) - 1):g} s"
        warnings.warn(
            f"rollout: stopped by the user at t = {reached}; what was computed is kept.",
            GearwrightWarning,
            stacklevel=2,
        )
    found = _named(engine, record.reshape(len(record), *lead, x.shape[-1]), step * every)
    if method != MOREAU:
        return found
    _warn_of(engine, record)
    drift = engine.drift(record[0], record[-1], given[[0, -1]], step, float(found.t[-1]), numbers)
    return found._replace(
        drift=drift.reshape(lead), penetration=record[-1, :, engine.states.index("largest.penetration")].reshape(lead)
    )


def _acting(
    robot: Robot | Mechanism,
    given: tuple[Any, Any],
    inputs: Mapping[str, Any],
    control: LawController | None,
    smooth: bool,
) -> tuple[Law, ...] | RobotLaws:
    """The laws given, or those that a robot brings; motors join in where something of theirs is given by name."""
    laws, extra_laws = given
    named = frozenset(inputs) | (frozenset() if control is None else driven_inputs(control))
    if laws is None and isinstance(robot, Robot):
        return RobotLaws(named, tuple(extra_laws), smooth)
    mech = machine_of("rollout", robot)
    return acting_laws("rollout", robot, mech, given, named, smooth=smooth).warned("rollout")


def _needs_time_stepping(robot: Robot | Mechanism, laws: tuple[Law, ...] | RobotLaws) -> bool:
    """Whether a law has modes, holds something, or drags: other fixed steps do not take it."""
    if laws == ():
        return False
    try:
        return _stepped_in_time(robot, laws)
    except TypeError:  # something in it cannot be a key
        return _stepped_in_time.__wrapped__(robot, laws)


@lru_cache(maxsize=32)
def _stepped_in_time(robot: Robot | Mechanism, laws: tuple[Law, ...] | RobotLaws) -> bool:
    acting = nominal_laws(robot, laws)
    if not acting or any(len(law.modes) > 1 for law in acting):
        return bool(acting)
    found = surveyed(System(machine_of("rollout", robot), acting))
    return bool(found.holds or found.drags)


def _warn_of(engine: FixedStep, record: Array) -> None:
    """Say so where impulses are not consistent, contacts gain energy or strike by sliding, of the worst members."""
    watched = ("largest.residual", "contacts.gain", "jamming.law")
    worst = (np.argmax(record[-1, :, engine.states.index(name)]) for name in watched)
    for k in sorted({int(one) for one in worst}):
        where = f" (state {k} of the batch)" if record.shape[1] > 1 else ""
        for remark in stepping_remarks(engine, record[-1, k]):
            warnings.warn(f"rollout{where}: {remark}", GearwrightWarning, stacklevel=depth_of_the_caller())


def _mapping(name: str, given: object) -> Mapping[str, ArrayLike]:
    if given is None:
        return {}
    if not isinstance(given, Mapping):
        raise InputError(
            f"rollout: {name} is a {type(given).__name__}; give a mapping from names to numbers or arrays."
        )
    return given


def _inputs(
    engine: FixedStep, lead: tuple[int, ...], steps: int, tau: ArrayLike | None, inputs: Mapping[str, ArrayLike]
) -> Array:
    """Forces and inputs of laws side by side, (moments, rows or 1, nu)."""
    known = engine.system.inputs
    for name in inputs:
        if name not in known:
            raise InputError(f"rollout: there is no input {name!r}. {did_you_mean(name, known)}")
    parts = [("tau", as_floats("rollout", "tau", np.zeros(engine.mech.n) if tau is None else tau))]
    parts += [(name, as_floats("rollout", name, inputs.get(name, x.initial))[..., None]) for name, x in known.items()]
    timed = {name: _with_time(name, x, lead) for name, x in parts}
    lengths = {len(x) for x in timed.values()} - {1}
    if len(lengths) > 1 or not lengths <= {steps, 2 * steps + 1}:
        found = ", ".join(f"{name} {len(x)}" for name, x in timed.items())
        raise InputError(
            f"rollout: the numbers of moments of inputs do not fit: {found}. Give each once, or all of them {steps} "
            f"times (held over each step), or all of them {2 * steps + 1} times (beginning, middle and end of steps)."
        )
    shape = np.broadcast_shapes(*(x.shape[:2] for x in timed.values()))
    return np.concatenate([np.broadcast_to(x, (*shape, x.shape[-1])) for x in timed.values()], axis=-1)


def _with_time(name: str, x: Array, lead: tuple[int, ...]) -> Array:
    """An input as (moments or 1, rows or 1, size)."""
    if x.ndim <= len(lead) + 1:
        x = x[None]
    size = x.shape[-1]
    try:
        if all(axis == 1 for axis in x.shape[1:-1]):
            return x.reshape(len(x), 1, size)
        return np.broadcast_to(x, (len(x), *lead, size)).reshape(len(x), -1, size)
    except ValueError:
        raise InputError(
            f"rollout: {name} has shape {x.shape[:-1]}, which does not fit a batch {lead}. Give one value, one per "
            "state, or either of them per step with time as the first axis."
        ) from None


def _named(engine: FixedStep, record: Array, period: float) -> Rollout:
    mech = engine.mech
    t: Array = period * np.arange(len(record), dtype=np.float64)
    end = mech.nq + mech.n
    named = (*engine.system.states, *(x.name for x in engine.plan.beside))
    states = {name: record[..., end + k] for k, name in enumerate(named)}
    return Rollout(t, record[..., : mech.nq], record[..., mech.nq : end], states)
