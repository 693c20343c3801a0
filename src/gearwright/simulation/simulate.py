"""`simulate`: from a robot, a state and inputs to a run, by the integrator that suits the decay rates at its start."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from gearwright.argument_kinds import check_arguments
from gearwright.arguments import increasing, is_single, number, whole
from gearwright.arrays import Array
from gearwright.errors import InputError, SimulationError
from gearwright.forces.law import Law
from gearwright.mechanism import Mechanism, machine_of
from gearwright.parts import Robot
from gearwright.simulation.acting_laws import acting_laws, named_inputs
from gearwright.simulation.checks.energy_balance import (
    REMARKABLE,
    WRONG,
    failure,
    limit,
    missing,
    remark_on,
    unbooked_laws,
)
from gearwright.simulation.checks.joint_effort import (
    bounds_of,
    effort_remarks,
    largest_inputs,
    saturation_remarks,
    start_remarks,
    voltage_remarks,
)
from gearwright.simulation.events import Event
from gearwright.simulation.fixed_step.fixed_step_run import STOPPED, run_fixed
from gearwright.simulation.fixed_step.step_program import MOREAU
from gearwright.simulation.instability import explained
from gearwright.simulation.integrators.constraint_projection import kept_start
from gearwright.simulation.integrators.methods import PROJECTED, has_sundials
from gearwright.simulation.integrators.stiffness_detection import fastest_decay
from gearwright.simulation.progress import noted_interruption, reporting
from gearwright.simulation.recorder import Recorder
from gearwright.simulation.run import Run
from gearwright.simulation.simulation import Simulation
from gearwright.system.controllers.controller import controller_of
from gearwright.system.inputs import gathered
from gearwright.system.state import initial_state, state_vector
from gearwright.system.system import System
from gearwright.text import did_you_mean

SMOOTHED = ("euler", "rk4")
"""The methods of fixed steps that take laws without modes."""

FIXED = (*SMOOTHED, MOREAU)
UNCONTROLLED = (*FIXED, PROJECTED)
"""The methods whose error is the choice of whoever gives the step."""

METHODS = ("adaptive", "stiff", PROJECTED, *FIXED)

MANY = 5e3
"""An explicit method takes about one step per three over the fastest decay rate; more than this many are too many."""


def choose(work: Simulation, x: Array, method: str | None) -> tuple[str, str]:
    """The method, and a sentence that says why."""
    if method is not None:
        if method not in METHODS:
            raise InputError(f"simulate: there is no method {method!r}. {did_you_mean(method, METHODS)}")
        return method, f"method: {_title(method)}, as asked."
    decay, span = fastest_decay(work.smooth_rates(x), x), float(work.times[-1] - work.times[0])
    if decay * span / 3 > MANY:
        return "stiff", (
            f"method: {_title('stiff')}, because something decays at {decay:.3g} 1/s, within "
            f"{1 / (decay * span):.0e} of the run."
        )
    return "adaptive", f"method: {_title('adaptive')}; tolerances {work.rtol:g} relative, {work.atol:g} absolute."


def _title(method: str) -> str:
    stiff = "BDF of SUNDIALS" if has_sundials() else "Radau of SciPy"
    return {
        "adaptive": "adaptive (Dormand-Prince 8(5,3))",
        "stiff": f"stiff ({stiff})",
        PROJECTED: "fixed-step Dormand-Prince 5, what is held is put back after each step",
        "euler": "fixed-step semi-implicit Euler, compiled",
        "rk4": "fixed-step Runge-Kutta 4, compiled",
        MOREAU: "fixed-step time stepping (Moreau's midpoint rule), compiled",
    }[method]


DEFAULT_STEP = 1e-3
"""The step of the projected method [s] unless one is given."""

FINEST = 2.3e-14
"""The smallest relative tolerance: a hundred roundings of a float."""


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
    step: float | None = None,
    samples: int | Sequence[float] = 1001,
    rtol: float = 1e-8,
    atol: float = 1e-10,
    progress: bool | None = None,
    saturate: bool = False,
) -> Run:
    """Simulate a robot with its friction, losses, stops and motors, or a machine with the laws given.

    Args:
        robot_or_mech: a robot (with the laws of its file unless `laws` are given) or a machine (without any).
        state: initial State, (q, v), or q alone for a start at rest; neutral and at rest unless given.
        until: end time [s].
        inputs: forces tau (n,), a function of time that returns them, or a mapping from input names
            (`tau.<speed>`, `<motor>.torque`, `<drive>.voltage`, ...) to numbers, functions of time or (times, values).
        controller: function (t, State) -> forces or mapping of inputs, or a Controller (sampled, or with states).
        laws: laws instead of those of the robot, of which a remark names what is left out; () for none.
        extra_laws: laws beside those of the robot: a push at the tool, a wall, a brake.
        method: "adaptive" (Dormand-Prince 8), "stiff" (SUNDIALS' BDF, or SciPy's Radau), "projected" (Dormand-Prince 5
            with a fixed step, all laws and events; for loops that pass singular positions), or compiled with a fixed
            step: "euler" (semi-implicit), "rk4" (both take friction, stops and gaps smooth) or "moreau" (time stepping,
            all laws as they are, first order); chosen from the problem unless given.
        events: functions (t, State) -> number to watch for zeros, or Events.
        step: step of the fixed-step methods [s].
        samples: how many equally spaced samples to record, or the times themselves: the start is always one of
            them, and the run ends at the last.
        rtol: relative tolerance of the adaptive methods, from 2.3e-14 to 1.
        atol: absolute tolerance, positive.
        progress: whether to show a progress bar; on a terminal, for runs that take a while, unless given.
        saturate: whether to cut forces at the `effort` of their joints and torques at the largest of their motors;
            otherwise a remark says where they go beyond.

    Returns:
        The run. `run.remarks` say which method was chosen and why.

    >>> import gearwright as gw
    >>> run = gw.simulate(gw.assemble(gw.load("elbow")), [0.0, 0.5, 0.0], until=0.2)
    >>> bool(run.drift < 1e-6)
    True
    """
    mech = _machine(robot_or_mech)
    begin = initial_state(mech, state)
    times = _times(until, samples)
    rtol = number("simulate", "rtol", rtol, least=FINEST, below=1.0, example=1e-8)
    atol = number("simulate", "atol", atol, above=0.0, example=1e-10)
    step = None if step is None else number("simulate", "step", step, above=0.0, unit="seconds", example=1e-3)
    control = controller_of(controller)
    named = named_inputs(inputs, control, begin)
    chosen = acting_laws("simulate", robot_or_mech, mech, (laws, extra_laws), named, smooth=method in SMOOTHED)
    system = System(mech, chosen.laws, control.states if control else {})
    given = gathered(mech, {one.name: one.initial for one in system.inputs.values()}, inputs)
    largest = largest_inputs(robot_or_mech, mech, saturate)
    if saturate:
        given = replace(given, bounds=bounds_of(given.names, largest))
    recorder = Recorder(system, given.names, getattr(robot_or_mech, "name", "machine"))
    recorder.remarks.extend([*chosen.remarks, *start_remarks(robot_or_mech, mech, np.asarray(begin.q))])
    x = state_vector(system, begin)
    watched = tuple(e if isinstance(e, Event) else Event(e, getattr(e, "__name__", "event")) for e in events)
    work = Simulation(system, given, control, method or "adaptive", rtol, atol, watched, recorder, times)
    x = kept_start(
        system, float(times[0]), x, work.held_inputs(float(times[0]), x), work.first_modes(float(times[0]), x)
    )
    work.may_change = method is None
    work.method, why = choose(work, x, method)
    recorder.remarks.insert(0, why)  # whatever choosing it made us say
    if work.method in FIXED:
        with reporting(float(times[0]), float(times[-1]), progress) as work.report, noted_interruption() as work.obey:
            return _judged(work, run_fixed(work, x, step), largest)
    if work.method == PROJECTED:
        work.step = DEFAULT_STEP if step is None else step
    elif step is not None:
        methods = ", ".join(UNCONTROLLED)
        raise InputError(f"simulate: step={step} is for the methods {methods}. Leave it out, or name one.")
    return _adaptive(work, x, progress, largest)


def _adaptive(work: Simulation, x: Array, progress: bool | None, largest: Mapping[str, float]) -> Run:
    recorder = work.recorder
    try:
        with (
            reporting(float(work.times[0]), float(work.times[-1]), progress) as work.report,
            noted_interruption() as work.obey,
        ):
            work.run(x)
    except KeyboardInterrupt:
        recorder.remarks.append(STOPPED.format(recorder.last))
    except SimulationError as error:
        why = explained(work, x, error)
        why.run = recorder.run() if len(recorder) else None
        raise why from None
    return _judged(work, recorder.run(), largest)


def _judged(work: Simulation, run: Run, largest: Mapping[str, float]) -> Run:
    """The run with what its books and the limits of its joints say about it; an error where it is wrong.

    With a fixed step the error of a run is the user's choice: a remark will do.
    """
    remarks = effort_remarks(run, largest, work.inputs.bounds is not None)
    clipped = (*saturation_remarks(run, work.system.laws), *voltage_remarks(run))
    run = replace(run, remarks=(*run.remarks, *remarks, *clipped))
    controlled = work.method not in UNCONTROLLED
    rtol, atol = (work.rtol, work.atol) if controlled else (0.0, 0.0)
    drift = missing(run, atol)
    if drift <= limit(rtol, REMARKABLE):
        return run
    unbooked = [] if work.method == MOREAU else unbooked_laws(work.system, work.recorder.instants())
    run = replace(run, remarks=(*run.remarks, remark_on(drift, unbooked)))
    if controlled and not unbooked and drift > limit(rtol, WRONG):
        raise failure(drift, work.method, run)
    return run


def _machine(given: Any) -> Mechanism:
    return machine_of("simulate", given)


def _times(until: Any, samples: Any) -> Array:
    end = number("simulate", "until", until, above=0.0, unit="seconds")
    if is_single(samples):
        return np.linspace(0.0, end, whole("simulate", "samples", samples, least=2, example=1001))
    times = increasing("simulate", "samples", samples)
    if times[0] < 0 or times[-1] > end * (1 + 1e-12):
        raise InputError(
            f"simulate: samples run from {times[0]:g} to {times[-1]:g} s; they must be times from 0 up to `until`, "
            f"{end:g} s. Leave out the others, or simulate longer."
        )
    return times if times[0] == 0 else np.concatenate([[0.0], times])
