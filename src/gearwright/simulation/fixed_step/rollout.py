"""Motions of batches of states or parameters with a fixed step."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from types import MappingProxyType
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from gearwright.argument_kinds import check_arguments
from gearwright.arguments import as_float_array, whole_number
from gearwright.arrays import Array
from gearwright.dynamics.integration_steps import STEP_METHODS
from gearwright.errors import GearwrightWarning, InputError, SlowerWarning, caller_stack_level
from gearwright.forces import Law
from gearwright.forces.contact.contacts_of_robot import without_loops
from gearwright.functions.backend import kernel_mode
from gearwright.mechanism import Mechanism, tree_of
from gearwright.parts import Robot
from gearwright.plots import band_figure, notebook_html, save_if_path
from gearwright.simulation.acting_laws import RobotLaws, acting_laws, driven_inputs
from gearwright.simulation.fixed_step.compiled_rollout import (
    FixedStep,
    SameObject,
    fixed_step,
    nominal_laws,
    stepping_remarks,
)
from gearwright.simulation.fixed_step.controlled_step import HELD_OUTPUT_PREFIX, controller_feeds
from gearwright.simulation.fixed_step.differentiated_step import (
    INPUT_PREFIX,
    MIN_DIFFERENTIATED_SWEEPS,
    START_PREFIX,
    differentiated_step,
    nominal_number,
)
from gearwright.simulation.fixed_step.embedded_loops import (
    keeps_all_loops,
    require_closed_start,
    require_fixed_loops,
    warn_of_left_branches,
    whole_forces,
    whole_start,
)
from gearwright.simulation.fixed_step.gauss_seidel_sweeps import required_sweeps
from gearwright.simulation.fixed_step.inputs_and_checks import (
    RolloutInterrupted,
    clipped_input_remarks,
    common_batch,
    require_steps,
)
from gearwright.simulation.fixed_step.step_program import MOREAU_METHOD
from gearwright.system import (
    Controller,
    LawController,
    control_law_of,
    find_parameter,
    require_controller_parameters,
)
from gearwright.system.kernels.traced_laws import law_survey
from gearwright.system.system import System
from gearwright.text import did_you_mean


class Rollout(NamedTuple):
    """Recorded motions.

    Args:
        t: times [s], (T,).
        q: configurations, (T, ..., nq).
        v: speeds, (T, ..., n).
        states: per state of the laws its values, (T, ...).
        drift: error of the energy balance at the end [J], (...): energy gained less supplied plus dissipated; None
            except for "moreau".
        penetration: largest penetration of stops and contacts [rad, m], (...); None except for "moreau".
        sensitivities: per signal ("q", "v", states of laws) and name the derivatives, (T, ..., nq), (T, ..., n) or
            (T, ...).

    >>> import gearwright as gw
    >>> rollout(gw.assemble(gw.load("elbow")), np.zeros((5, 3)), np.zeros(3), 100, 1e-3)
    <Rollout: 0 to 0.1 s, 101 samples, batch (5,), 3 speeds>
    """

    t: Array
    q: Array
    v: Array
    states: Mapping[str, Array]
    drift: Array | None = None
    penetration: Array | None = None
    sensitivities: Mapping[str, Mapping[str, Array]] = MappingProxyType({})

    def plot(self, path: str | Path | None = None) -> Any:
        """A figure with median, interquartile range and full range per coordinate; with `path` it is saved too."""
        members = self.q.reshape(len(self.t), -1, self.q.shape[-1])
        return save_if_path(
            band_figure(self.t, "time [s]", {f"q{k + 1}": members[..., k] for k in range(members.shape[-1])}), path
        )

    def __repr__(self) -> str:
        span = f"{self.t[0]:g} to {self.t[-1]:g} s, {len(self.t)} samples" if len(self.t) else "empty"
        return f"<Rollout: {span}, batch {self.q.shape[1:-1]}, {self.v.shape[-1]} speeds>"

    def _repr_html_(self) -> str:
        return notebook_html(self)


@check_arguments
@dataclass(frozen=True, kw_only=True)
class RolloutOptions:
    """Options of `rollout`.

    Args:
        every: steps per recorded sample.
        states: initial states of laws by name, (...); default: the initial values of the laws.
        sweeps: Gauss-Seidel sweeps of "moreau" per step; default: until the impulses are consistent.

    >>> RolloutOptions(every=10).sweeps is None
    True
    """

    every: int = 1
    states: Mapping[str, ArrayLike] | None = None
    sweeps: int | None = None

    def __post_init__(self) -> None:
        whole_number("RolloutOptions", "every", self.every, least=1, example=10)
        if self.sweeps is not None:
            whole_number("RolloutOptions", "sweeps", self.sweeps, least=1, example=10)


DEFAULT_ROLLOUT_OPTIONS = RolloutOptions()


@check_arguments
def rollout(
    robot_or_mech: Robot | Mechanism,
    q0: ArrayLike,
    v0: ArrayLike,
    steps: int,
    step: float,
    *,
    method: str | None = None,
    inputs: Any = None,
    controller: Controller | None = None,
    laws: Sequence[Law] | None = None,
    extra_laws: Sequence[Law] = (),
    parameters: Mapping[str, ArrayLike] | None = None,
    sensitivities: Sequence[str] = (),
    options: RolloutOptions = DEFAULT_ROLLOUT_OPTIONS,
) -> Rollout:
    r"""Simulate a batch of motions with a fixed step, all steps in machine code.

    "euler" is semi-implicit: $v^+ = v + h\,a(q, v, \tau)$, $q^+ = q \oplus h v^+$; "rk4" is the classical method of
    fourth order. "moreau" takes laws with modes (stick-slip friction, stops, backlash, clutches, gear losses) by time
    stepping: Moreau's midpoint rule with projected Gauss-Seidel, of first order. Long batches use all cores
    (`GEARWRIGHT_THREADS`).

    Args:
        robot_or_mech: a robot (with the laws of its file unless `laws` are given; parameters are then paths of its
            file) or a machine (without laws).
        q0: initial configurations, (..., nq); leading axes are the batch. With closed loops q0, v0 and tau may be
            independent coordinates, speeds and forces.
        v0: initial speeds, (..., n); broadcast with q0, states of laws and parameters.
        steps: number of steps, a multiple of `options.every`.
        step: duration of a step [s].
        method: "euler", "rk4" or "moreau"; default: "moreau" if a law has modes or constraints, else "euler".
        inputs: generalized forces tau: constant (..., n); with one axis more than the batch, (steps, ..., n) held over
            each step or (2 steps + 1, ..., n) at the beginning, middle and end of each step. Or a mapping from "tau"
            and the names of inputs of laws, each (...) or with time first, to such arrays.
        controller: a controller of `gw.control`, or `gw.Controller(function, scalars=True)`; forces are added to tau,
            as in `gw.simulate`. Parameters change the machine, not the controller's model of it.
        laws: laws instead of those of the robot; a warning names the excluded laws; () for none. "euler" and "rk4" take
            laws with one mode, without constraints and direction-dependent losses (motors, smooth friction, springs):
            friction, stops and gaps of the robot become smooth; direction-dependent losses and contacts raise an error
            that names them; closed loops are embedded: independent speeds are integrated, Newton steps close the loops
            after every step. "moreau" takes all laws unchanged, loops as constraints.
        extra_laws: laws in addition to those of the robot.
        parameters: parameters of the robot or machine by path, (...), such as {"payload.mass": masses}, and of laws by
            their names, such as {"elbow.friction.coulomb": torques}, and gains of the controller ({"pd.kp.0": gains}).
        sensitivities: what the motion is differentiated by, exactly: paths of parameters of the robot, machine or laws,
            initial states (`start.q.<coordinate>`, `start.v.<speed>`, `start.<state>`) and constant changes of inputs
            (`input.tau.<speed>`, `input.<input>`). "moreau" then does the same number of sweeps in every step.
        options: steps per recorded sample, initial states of laws, Gauss-Seidel sweeps of "moreau".

    Returns:
        1 + steps / options.every samples, the first at t = 0; fewer, with a GearwrightWarning, after Ctrl-C.

    >>> import gearwright as gw
    >>> swing = gw.Mechanism([gw.Body("arm", axis=(0, 1, 0), mass=1, com=(0, 0, -1.0))])
    >>> sparse = RolloutOptions(every=500)
    >>> run = gw.rollout(swing, [[0.001], [0.002]], [0.0], steps=1000, step=1e-3, method="rk4", options=sparse)
    >>> (1e3 * run.q[:, 0, 0]).round(3)   # cos(sqrt(9.81) t) at 0, 0.5 and 1 s
    array([ 1.   ,  0.005, -1.   ])
    """
    every, sweeps = options.every, options.sweeps
    require_steps(step, steps, every)
    forces, law_inputs = _forces_and_law_inputs(inputs)
    values = {path: as_float_array("rollout", path, x) for path, x in _as_mapping("parameters", parameters).items()}
    step_options: dict[str, Any] = {} if sweeps is None else {"sweeps": sweeps, "tries": 1}
    control = None if controller is None else control_law_of("rollout", controller, tree_of("rollout", robot_or_mech))
    if control is not None:
        step_options["control"] = control.law
    require_controller_parameters(robot_or_mech, None if control is None else control.law, values)
    acting = _rollout_laws(robot_or_mech, (laws, extra_laws), law_inputs, control, method in STEP_METHODS)
    method = _default_method(robot_or_mech, acting) if method is None else method
    engine = fixed_step(
        robot_or_mech, acting, method, work=method == MOREAU_METHOD, parameters=tuple(values), **step_options
    )
    x0 = engine.start_states(*whole_start(robot_or_mech, q0, v0), options.states or {})
    lead = common_batch({"states": x0.shape[:-1], **{path: x.shape for path, x in values.items()}})
    rows = int(np.prod(lead, dtype=int))
    x = np.ascontiguousarray(np.broadcast_to(x0, (*lead, x0.shape[-1]))).reshape(rows, x0.shape[-1])
    numbers = np.stack([np.broadcast_to(x, lead).reshape(rows) for x in values.values()], axis=-1) if values else None
    forces = {name: whole_forces(robot_or_mech, as_float_array("rollout", name, tau)) for name, tau in forces.items()}
    input_values = _input_array(engine, lead, steps, forces, law_inputs)
    closed = engine.system.closed
    if closed is not None and rows:
        _require_embeddable(robot_or_mech, engine, x, (*engine.parameters, *sensitivities))
    engine.require_valid(x, step, numbers)
    if method == MOREAU_METHOD and sweeps is None and rows:
        engine = engine.with_sweeps(required_sweeps(engine.system, x, step))
    for remark in engine.remarks if kernel_mode() != "off" else ():
        warnings.warn(f"rollout: {remark}", SlowerWarning, stacklevel=2)
    for remark in engine.approximations:
        warnings.warn(f"rollout: {remark}", GearwrightWarning, stacklevel=caller_stack_level())
    controller_inputs = () if control is None else controller_feeds(control, method, step, steps)
    try:
        record = engine.run_steps(x, input_values, step, steps, every, parameters=numbers, control=controller_inputs)
    except RolloutInterrupted as stopped:
        record = stopped.record
        reached = f"{step * every * (len(record) - 1):g} s"
        warnings.warn(
            f"rollout: stopped by the user at t = {reached}; the samples so far are kept.",
            GearwrightWarning,
            stacklevel=2,
        )
    result = _as_rollout(engine, record.reshape(len(record), *lead, x.shape[-1]), step * every)
    if sensitivities and len(record) == 1 + steps // every:
        feeds = (input_values, step, steps, every, controller_inputs)
        columns = _sensitivity_columns(engine, robot_or_mech, acting, sensitivities, x, numbers, feeds)
        result = result._replace(sensitivities=columns(lead))
    if closed is not None and rows:
        warn_of_left_branches(closed, record[..., : closed.nq], result.t)
    _warn_of_clipped_inputs(engine, nominal_laws(robot_or_mech, acting), (input_values, record), step, every)
    if method != MOREAU_METHOD:
        return result
    _warn_of_steps(engine, record)
    drift = engine.energy_drift(record[0], record[-1], input_values[[0, -1]], step, float(result.t[-1]), numbers)
    return result._replace(
        drift=drift.reshape(lead), penetration=record[-1, :, engine.states.index("largest.penetration")].reshape(lead)
    )


def _require_embeddable(source: Robot | Mechanism, engine: FixedStep, x: Array, names: Sequence[str]) -> None:
    """Raise an error for states and parameters that embedded loops do not support."""
    closed, system = engine.system.closed, engine.system
    assert closed is not None
    require_closed_start(closed, x[:, system.q], x[:, system.v])
    for name in names:
        if name.startswith(START_PREFIX):
            raise InputError(
                f"rollout: {name!r}: of embedded closed loops there are no sensitivities to initial states. Use "
                "method='moreau', which treats loops as constraints."
            )
    laws = engine.parametric_laws
    of_machine = [name for name in names if not name.startswith(INPUT_PREFIX) and find_parameter(laws, name) is None]
    require_fixed_loops(source, closed, x[:, system.q], of_machine)


def _sensitivity_columns(
    engine: FixedStep,
    source: Robot | Mechanism,
    laws: tuple[Law, ...] | RobotLaws,
    names: Sequence[str],
    x: Array,
    numbers: Array | None,
    feeds: tuple[Array, float, int, int, Sequence[Array]],
) -> Callable[[tuple[int, ...]], Mapping[str, Mapping[str, Array]]]:
    """Sensitivities of a batch from states x (N, nx), as a function of the shape of the batch."""
    inputs, step, steps, every, control = feeds
    options = {"sweeps": max(engine.sweeps, MIN_DIFFERENTIATED_SWEEPS), "control": engine.control}
    tangent = differentiated_step(source, laws, engine.method, names, options, engine.parameters)
    nominal = engine.parametric_laws
    columns = [
        np.full(len(x), nominal_number(source, nominal, path))
        if path not in engine.parameters
        else np.broadcast_to(numbers, (len(x), len(engine.parameters)))[:, engine.parameters.index(path)]  # type: ignore[arg-type]
        for path in tangent.parameters
    ]
    start = tangent.with_first_columns(x[:, [engine.states.index(state) for state in tangent.plain_states]])
    values = np.stack(columns, axis=-1) if columns else None
    record = tangent.run_steps(start, inputs, step, steps, every, parameters=values, control=control)
    if tangent.method == MOREAU_METHOD:
        _warn_of_steps(tangent, record)
    slopes = tangent.split_columns(record)[1]
    return lambda lead: tangent.sensitivity_series(slopes.reshape(len(slopes), *lead, *slopes.shape[2:]))


def _rollout_laws(
    robot: Robot | Mechanism,
    laws_and_extra: tuple[Any, Any],
    inputs: Mapping[str, Any],
    control: LawController | None,
    smooth: bool,
) -> tuple[Law, ...] | RobotLaws:
    """The given laws, or those of the robot, with the motors whose inputs are given by name."""
    laws, extra_laws = laws_and_extra
    input_names = frozenset(inputs) | (frozenset() if control is None else driven_inputs(control))
    if laws is None and isinstance(robot, Robot):
        return RobotLaws(input_names, tuple(extra_laws), smooth)
    mech = tree_of("rollout", robot)
    return acting_laws("rollout", robot, mech, laws_and_extra, input_names, smooth=smooth).laws_with_warning("rollout")


def stepping_engine(
    robot: Robot | Mechanism, input_names: Sequence[str], method: str | None = None, parameters: Sequence[str] = ()
) -> FixedStep:
    """The fixed-step simulation of a robot with its laws.

    Args:
        robot: a robot, or a machine without laws.
        input_names: of motors and laws.
        method: "euler", "rk4" or "moreau"; default as in `rollout`.
        parameters: paths of parameters that are inputs.
    """
    acting = _rollout_laws(robot, (None, ()), dict.fromkeys(input_names, 0.0), None, method in STEP_METHODS)
    return fixed_step(robot, acting, method or _default_method(robot, acting), parameters=tuple(parameters))


def _default_method(robot: Robot | Mechanism, laws: tuple[Law, ...] | RobotLaws) -> str:
    return MOREAU_METHOD if _needs_time_stepping(robot, laws) else "euler"


def _needs_time_stepping(robot: Robot | Mechanism, laws: tuple[Law, ...] | RobotLaws) -> bool:
    """Whether a law has modes, holds or drags, which only time stepping takes."""
    if laws == ():
        return False
    try:
        return _has_modes_or_holds(SameObject(robot), laws)
    except TypeError:  # a law cannot be a key
        return _has_modes_or_holds.__wrapped__(SameObject(robot), laws)


@lru_cache(maxsize=32)
def _has_modes_or_holds(source: SameObject, laws: tuple[Law, ...] | RobotLaws) -> bool:
    robot = source.source
    acting = nominal_laws(robot, laws)
    if keeps_all_loops(robot, acting):  # embedded, if the other laws permit
        acting = without_loops(robot, acting)
    if not acting or any(len(law.modes) > 1 for law in acting):
        return bool(acting)
    survey = law_survey(System(tree_of("rollout", robot), acting))
    return bool(survey.holds or survey.drags)


def _warn_of_steps(engine: FixedStep, record: Array) -> None:
    """Warn of inconsistent impulses and of contacts that gained energy or jammed, for the worst members."""
    watched = ("largest.residual", "contacts.gain", "jamming.law")
    worst = (np.argmax(record[-1, :, engine.states.index(name)]) for name in watched)
    for k in sorted({int(member) for member in worst}):
        which_state = f" (state {k} of the batch)" if record.shape[1] > 1 else ""
        for remark in stepping_remarks(engine, record[-1, k]):
            warnings.warn(f"rollout{which_state}: {remark}", GearwrightWarning, stacklevel=caller_stack_level())


def _warn_of_clipped_inputs(
    engine: FixedStep, laws: Sequence[Law], series: tuple[Array, Array], step: float, every: int
) -> None:
    """Warn of inputs, and of recorded outputs of a sampled controller, that the electronics of a law clip."""
    input_values, record = series
    between = step if len(input_values) <= every * (len(record) - 1) else 0.5 * step
    inputs = {name: input_values[..., engine.mech.n + k] for k, name in enumerate(engine.system.inputs)}
    held = {
        name.removeprefix(HELD_OUTPUT_PREFIX): record[..., engine.states.index(name)]
        for name in engine.states
        if name.startswith(HELD_OUTPUT_PREFIX)
    }
    remarks = [
        *clipped_input_remarks(laws, inputs, between * np.arange(len(input_values), dtype=np.float64)),
        *clipped_input_remarks(laws, held, step * every * np.arange(len(record), dtype=np.float64)),
    ]
    for remark in remarks:
        warnings.warn(f"rollout: {remark}", GearwrightWarning, stacklevel=caller_stack_level())


def _forces_and_law_inputs(inputs: Any) -> tuple[dict[str, ArrayLike], dict[str, ArrayLike]]:
    """The generalized forces by the name of their argument, and the inputs of laws by name."""
    if not isinstance(inputs, Mapping):
        return {} if inputs is None else {"inputs": inputs}, {}
    forces = {name: values for name, values in inputs.items() if name == "tau"}
    return forces, {name: values for name, values in inputs.items() if name not in forces}


def _as_mapping(name: str, argument: object) -> Mapping[str, ArrayLike]:
    if argument is None:
        return {}
    if not isinstance(argument, Mapping):
        raise InputError(
            f"rollout: {name} is a {type(argument).__name__}; give a mapping from names to numbers or arrays."
        )
    return argument


def _input_array(
    engine: FixedStep, lead: tuple[int, ...], steps: int, forces: dict[str, ArrayLike], inputs: Mapping[str, ArrayLike]
) -> Array:
    """Forces and inputs of laws side by side, (moments, rows or 1, nu)."""
    law_inputs = engine.system.inputs
    for name in inputs:
        if name not in law_inputs:
            raise InputError(f"rollout: there is no input {name!r}. {did_you_mean(name, law_inputs)}")
    parts = [
        (name, as_float_array("rollout", name, x)) for name, x in (forces or {"tau": np.zeros(engine.mech.n)}).items()
    ]
    parts += [
        (name, as_float_array("rollout", name, inputs.get(name, x.initial))[..., None])
        for name, x in law_inputs.items()
    ]
    timed = {name: _with_time(name, x, lead) for name, x in parts}
    lengths = {len(x) for x in timed.values()} - {1}
    if len(lengths) > 1 or not lengths <= {steps, 2 * steps + 1}:
        described = ", ".join(f"{name} {len(x)}" for name, x in timed.items())
        raise InputError(
            f"rollout: the inputs have different numbers of times: {described}. Give each once, or all of them {steps} "
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


def _as_rollout(engine: FixedStep, record: Array, period: float) -> Rollout:
    mech = engine.mech
    t: Array = period * np.arange(len(record), dtype=np.float64)
    end = mech.nq + mech.n
    state_names = (*engine.system.states, *(x.name for x in engine.plan.controller_states))
    states = {name: record[..., end + k] for k, name in enumerate(state_names)}
    return Rollout(t, record[..., : mech.nq], record[..., mech.nq : end], states)
