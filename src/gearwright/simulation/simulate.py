"""`simulate`: a run from a robot, a state and inputs, with an integrator chosen by the decay rates at its start."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np

from gearwright.argument_kinds import check_arguments
from gearwright.arguments import increasing_array, is_single_value, real_number, whole_number
from gearwright.arrays import Array
from gearwright.errors import InputError, SimulationError
from gearwright.forces import Law
from gearwright.functions import neutral
from gearwright.mechanism import Mechanism, tree_of
from gearwright.parts import Robot
from gearwright.simulation.acting_laws import RobotLaws, acting_laws, named_inputs
from gearwright.simulation.checks.energy_balance import (
    FAILURE_DRIFT,
    REMARK_DRIFT,
    drift_error,
    drift_limit,
    drift_remark,
    excess_drift,
    laws_without_energy_balance,
)
from gearwright.simulation.checks.joint_effort import (
    effort_remarks,
    input_bounds,
    input_limits,
    saturation_remarks,
    start_remarks,
    voltage_remarks,
)
from gearwright.simulation.engine_choice import EngineChoice
from gearwright.simulation.events import Event
from gearwright.simulation.fixed_step.compiled_rollout import parametric_system
from gearwright.simulation.fixed_step.differentiated_step import SensitivityNames, nominal_number
from gearwright.simulation.fixed_step.fixed_step_run import INTERRUPTED_REMARK, run_fixed
from gearwright.simulation.fixed_step.step_program import MOREAU_METHOD
from gearwright.simulation.instability import with_instability_cause
from gearwright.simulation.integrators.constraint_projection import projected_start
from gearwright.simulation.integrators.integrator_options import IntegratorOptions
from gearwright.simulation.integrators.methods import PROJECTED_METHOD, has_sundials
from gearwright.simulation.integrators.stiffness_detection import fastest_decay, needs_implicit_method
from gearwright.simulation.recorder import Recorder
from gearwright.simulation.run import Run
from gearwright.simulation.sensitivities.balance_derivatives import BalanceDerivatives
from gearwright.simulation.sensitivities.run_sensitivities import run_sensitivities
from gearwright.simulation.simulation import Simulation
from gearwright.system.controllers.controller import as_controller
from gearwright.system.inputs import gather_inputs
from gearwright.system.open_systems.open_system import state_names
from gearwright.system.state import State, initial_state, state_vector
from gearwright.system.system import System
from gearwright.system.vector_program import NoKernelError
from gearwright.text import did_you_mean

SMOOTH_METHODS = ("euler", "rk4")
"""The fixed-step methods for laws without modes."""

FIXED_STEP_METHODS = (*SMOOTH_METHODS, MOREAU_METHOD)
METHODS_WITHOUT_ERROR_CONTROL = (*FIXED_STEP_METHODS, PROJECTED_METHOD)
"""The methods without error control; the step determines their error."""

SIMULATION_METHODS = ("adaptive", "stiff", PROJECTED_METHOD, *FIXED_STEP_METHODS)


def choose_method(simulation: Simulation, x: Array, method: str | None) -> tuple[str, str]:
    """The method, and the remark on its choice."""
    if method is not None:
        if method not in SIMULATION_METHODS:
            raise InputError(f"simulate: there is no method {method!r}. {did_you_mean(method, SIMULATION_METHODS)}")
        return method, f"method: {_method_title(method)}, as requested."
    decay, span = fastest_decay(simulation.smooth_rates(x), x), float(simulation.times[-1] - simulation.times[0])
    if needs_implicit_method(decay, span):
        return "stiff", (
            f"method: {_method_title('stiff')}, because the fastest decay rate is {decay:.3g} 1/s, a time constant of "
            f"{1 / (decay * span):.0e} of the run."
        )
    return (
        "adaptive",
        f"method: {_method_title('adaptive')}; tolerances {simulation.rtol:g} relative, {simulation.atol:g} absolute.",
    )


def _method_title(method: str) -> str:
    in_python = "BDF of SUNDIALS" if has_sundials() else "Radau of SciPy"
    return {
        "adaptive": "adaptive (Dormand-Prince 8(5,3))",
        "stiff": f"stiff (Radau IIA of order 9; in Python {in_python})",
        PROJECTED_METHOD: "fixed-step Dormand-Prince 5, each step projected onto the constraints",
        "euler": "fixed-step semi-implicit Euler, compiled",
        "rk4": "fixed-step Runge-Kutta 4, compiled",
        MOREAU_METHOD: "fixed-step time stepping (Moreau's midpoint rule), compiled",
    }[method]


DEFAULT_PROJECTED_STEP = 1e-3
"""Default step of the projected method [s]."""

DEFAULT_INTEGRATOR = IntegratorOptions()


@check_arguments
def simulate(
    robot_or_mech: Robot | Mechanism,
    state: Any = None,
    until: float = 1.0,
    *,
    inputs: Any = None,
    controller: Any = None,
    laws: Sequence[Law] | None = None,
    extra_laws: Sequence[Law] = (),
    method: str | None = None,
    events: Sequence[Event | Callable[..., float]] = (),
    samples: int | Sequence[float] = 1001,
    integrator: IntegratorOptions = DEFAULT_INTEGRATOR,
    saturate: bool = False,
    sensitivities: Sequence[str] = (),
) -> Run:
    """Simulate a robot with its friction, losses, stops and motors, or a machine with the given laws.

    Args:
        robot_or_mech: a robot (with the laws of its file unless `laws` are given) or a machine (without laws).
        state: initial State, (q, v), or q alone for a start at rest; default: neutral and at rest.
        until: end time [s].
        inputs: forces tau (n,), a function of time that returns them, or a mapping from input names
            (`tau.<speed>`, `<motor>.torque`, `<drive>.voltage`, ...) to numbers, functions of time or (times, values).
        controller: function (t, State) -> forces or mapping of inputs, or a Controller (sampled, or with states).
        laws: laws instead of those of the robot; a remark names the excluded laws; () for none.
        extra_laws: laws in addition to those of the robot: a push at the tool, a wall, a brake.
        method: "adaptive" (Dormand-Prince 8), "stiff" (Radau IIA of order 9; in Python SUNDIALS' BDF, or SciPy's
            Radau), "projected" (Dormand-Prince 5 with a fixed step, all laws and events; for loops that pass singular
            positions), or compiled with a fixed step: "euler" (semi-implicit), "rk4" (both with smooth friction, stops
            and gaps) or "moreau" (time stepping, all laws unchanged, first order); default: chosen from the problem.
        events: functions (t, State) -> number whose zeros are located, or Events.
        samples: number of equally spaced samples, or their times [s]: the start is always one of them, and the run ends
            at the last.
        integrator: tolerances and event loop of the adaptive methods, or the step of the fixed-step methods.
        saturate: whether to clip forces at the `effort` of their joints and torques at the maximum of their motors;
            otherwise a remark reports where they exceed it.
        sensitivities: what the run is differentiated by, exactly and through its events: paths of parameters of the
            robot, machine or laws, initial states (`start.q.<coordinate>`, `start.v.<speed>`, `start.<state>`) and
            constant changes of inputs (`input.tau.<speed>`, `input.<input>`). `run.sensitivities["q"][path]` is (T,
            nq).

    Returns:
        The run. `run.remarks` state the chosen method and the reason.

    >>> import gearwright as gw
    >>> run = gw.simulate(gw.assemble(gw.load("elbow")), [0.0, 0.5, 0.0], until=0.2)
    >>> bool(run.drift < 1e-6)
    True
    """
    if sensitivities:
        options: dict[str, Any] = {"inputs": inputs, "laws": laws, "extra_laws": extra_laws, "method": method}
        options |= {"saturate": saturate, "events": events}
        _require_differentiable(controller, method)
        quiet = replace(integrator, progress=False)
        rerun = partial(simulate, robot_or_mech, state, until, **options, integrator=quiet)
        run = simulate(robot_or_mech, state, until, **options, samples=samples, integrator=integrator)
        return _with_sensitivities(
            robot_or_mech, run, sensitivities, lambda times: rerun(samples=times.tolist()), options
        )
    mech = _machine_of(robot_or_mech)
    start = initial_state(mech, state, robot_or_mech)
    times = _sample_times(until, samples)
    step = integrator.step
    control = as_controller(controller)
    input_names = named_inputs(inputs, control, start)
    chosen = acting_laws(
        "simulate", robot_or_mech, mech, (laws, extra_laws), input_names, smooth=method in SMOOTH_METHODS
    )
    system = System(mech, chosen.laws, control.states if control else {})
    input_signals = gather_inputs(
        mech, {quantity.name: quantity.initial for quantity in system.inputs.values()}, inputs
    )
    limits = input_limits(robot_or_mech, mech, saturate)
    if saturate:
        input_signals = replace(input_signals, bounds=input_bounds(input_signals.names, limits))
    recorder = Recorder(system, input_signals.names, getattr(robot_or_mech, "name", "machine"))
    recorder.remarks.extend([*chosen.remarks, *start_remarks(robot_or_mech, mech, np.asarray(start.q))])
    x = state_vector(system, start)
    watched = tuple(e if isinstance(e, Event) else Event(e, getattr(e, "__name__", "event")) for e in events)
    tolerances = (integrator.rtol, integrator.atol)
    choice = EngineChoice(system, integrator.engine, recorder.remarks)
    simulation = Simulation(
        system, input_signals, control, method or "adaptive", *tolerances, watched, recorder, times, choice
    )
    x = projected_start(
        system,
        float(times[0]),
        x,
        simulation.held_inputs(float(times[0]), x),
        simulation.first_modes(float(times[0]), x),
    )
    simulation.may_switch = method is None
    simulation.method, why = choose_method(simulation, x, method)
    recorder.remarks.insert(0, why)  # before the remarks made while choosing it
    if simulation.method in FIXED_STEP_METHODS:
        with simulation.monitor.watching(float(times[0]), float(times[-1]), integrator.progress):
            return _with_energy_check(simulation, run_fixed(simulation, x, step), limits)
    if simulation.method == PROJECTED_METHOD:
        simulation.step = DEFAULT_PROJECTED_STEP if step is None else step
    elif step is not None:
        methods = ", ".join(METHODS_WITHOUT_ERROR_CONTROL)
        raise InputError(
            f"simulate: integrator.step={step} is for the methods {methods}. Remove it, or choose one of them."
        )
    return _run_adaptive(simulation, x, integrator.progress, limits)


def _require_differentiable(controller: Any, method: str | None) -> None:
    """Raise an error for runs whose sensitivities are not known."""
    if controller is not None:
        raise InputError(
            "simulate: sensitivities of a run with a controller are not available. Use gw.rollout(..., controller=, "
            "sensitivities=), which differentiates the closed loop, or write the controller as a law."
        )
    if method in FIXED_STEP_METHODS:
        raise InputError(f"simulate: for sensitivities with method={method!r} use gw.rollout(..., sensitivities=).")


def _with_sensitivities(
    robot: Robot | Mechanism,
    run: Run,
    names: Sequence[str],
    rerun: Callable[[Array], Run],
    options: Mapping[str, Any],
) -> Run:
    """The run with its sensitivities, and remarks on them."""
    mech, inputs = _machine_of(robot), options["inputs"]
    input_names, extra_laws = named_inputs(inputs, None, State(neutral(mech))), tuple(options["extra_laws"])
    laws: tuple[Law, ...] | RobotLaws
    if options["laws"] is None and isinstance(robot, Robot):
        laws = RobotLaws(frozenset(input_names), extra_laws)
    else:
        laws = acting_laws("simulate", robot, mech, (options["laws"], extra_laws), input_names, smooth=False).laws
    paths = SensitivityNames(tuple(names)).parameters
    parametric = parametric_system(robot, laws, paths)
    system = parametric.system
    inputs_of_system = (*(f"tau.{speed}" for speed in mech.speeds), *system.inputs)
    SensitivityNames(tuple(names)).require_known("simulate", state_names(system), inputs_of_system)
    numbers = tuple(nominal_number(robot, system.laws, path) for path in paths)
    initial = {quantity.name: quantity.initial for quantity in system.inputs.values()}
    breaks = gather_inputs(mech, initial, inputs).break_times
    try:
        series, remarks = run_sensitivities(BalanceDerivatives(parametric, paths, numbers), names, rerun, run, breaks)
    except NoKernelError as error:
        raise InputError(f"simulate: sensitivities need laws over scalars: {error}") from None
    return replace(run, sensitivities=series, remarks=(*run.remarks, *remarks))


def _run_adaptive(simulation: Simulation, x: Array, progress: bool | None, limits: Mapping[str, float]) -> Run:
    recorder = simulation.recorder
    try:
        with simulation.monitor.watching(float(simulation.times[0]), float(simulation.times[-1]), progress):
            simulation.run_to_end(x)
    except KeyboardInterrupt:
        recorder.remarks.append(INTERRUPTED_REMARK.format(recorder.last_time))
    except SimulationError as error:
        why = with_instability_cause(simulation, x, error)
        why.run = recorder.run_so_far() if len(recorder) else None
        raise why from None
    return _with_energy_check(simulation, recorder.run_so_far(), limits)


def _with_energy_check(simulation: Simulation, run: Run, limits: Mapping[str, float]) -> Run:
    """The run with remarks on its energy balance and joint limits; an error if the balance is wrong.

    A fixed-step run gets a remark only, since the user chooses its error with the step.
    """
    remarks = effort_remarks(run, limits, simulation.inputs.bounds is not None)
    clipped = (*saturation_remarks(run, simulation.system.laws), *voltage_remarks(run))
    run = replace(run, remarks=(*run.remarks, *remarks, *clipped))
    controlled = simulation.method not in METHODS_WITHOUT_ERROR_CONTROL
    rtol, atol = (simulation.rtol, simulation.atol) if controlled else (0.0, 0.0)
    drift = excess_drift(run, atol)
    if drift <= drift_limit(rtol, REMARK_DRIFT):
        return run
    unbalanced = (
        []
        if simulation.method == MOREAU_METHOD
        else laws_without_energy_balance(simulation.system, simulation.recorder.sample_instants())
    )
    run = replace(run, remarks=(*run.remarks, drift_remark(drift, unbalanced)))
    if controlled and not unbalanced and drift > drift_limit(rtol, FAILURE_DRIFT):
        raise drift_error(drift, simulation.method, run)
    return run


def _machine_of(robot_or_mech: Any) -> Mechanism:
    return tree_of("simulate", robot_or_mech)


def _sample_times(until: Any, samples: Any) -> Array:
    end = real_number("simulate", "until", until, above=0.0, unit="seconds")
    if is_single_value(samples):
        return np.linspace(0.0, end, whole_number("simulate", "samples", samples, least=2, example=1001))
    times = increasing_array("simulate", "samples", samples)
    if times[0] < 0 or times[-1] > end * (1 + 1e-12):
        raise InputError(
            f"simulate: samples run from {times[0]:g} to {times[-1]:g} s; they must be times from 0 up to `until`, "
            f"{end:g} s. Remove the others, or extend `until`."
        )
    return times if times[0] == 0 else np.concatenate([[0.0], times])
