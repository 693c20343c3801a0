"""The compiled fixed-step simulation of one machine with its laws."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache, partial
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from gearwright.algebra import Scalar
from gearwright.arguments import as_float_array
from gearwright.arrays import Array
from gearwright.compiling.compile import array_layout
from gearwright.compiling.llvm.python_entry import THREADED_WORK
from gearwright.compiling.rollout_loop import RolloutCode, compile_rollout
from gearwright.compiling.threads import run_over_rows, thread_count
from gearwright.errors import CompilationError, InputError, NotTraceableError
from gearwright.forces import Law
from gearwright.forces.contact.contacts_of_robot import without_loops
from gearwright.functions.backend import kernel_mode
from gearwright.mechanism import Mechanism, tree_of
from gearwright.parts import Robot, with_parameters
from gearwright.programs.inputs import checked_array
from gearwright.programs.program import VectorProgram
from gearwright.simulation.acting_laws import RobotLaws
from gearwright.simulation.fixed_step.batch_program import BatchProgram, energy_program
from gearwright.simulation.fixed_step.controlled_step import (
    controlled_step_program,
    controller_states,
    require_known_ports,
)
from gearwright.simulation.fixed_step.embedded_loops import embedded_loops
from gearwright.simulation.fixed_step.inputs_and_checks import (
    RolloutInterrupted,
    TimedFeeds,
    common_batch,
    divergence_error,
    first_states,
    input_feeds,
    parameter_rows,
    require_steps,
)
from gearwright.simulation.fixed_step.linear_model import StepLinearisation
from gearwright.simulation.fixed_step.step_program import (
    IMPULSE_ITERATE,
    INPUT_MOMENTS,
    MOREAU_METHOD,
    STEPPING_STATES,
    WORK_STATES,
    StepPlan,
    require_steppable,
    step_program,
)
from gearwright.simulation.fixed_step.step_stability import require_stable
from gearwright.system import ControlLaw, ParametricLaw, find_parameter, require_numbers
from gearwright.system.kernels.observation import Observation, observe_states
from gearwright.system.system import System
from gearwright.system.time_stepping.step import MAX_STEP_TRIES, jamming_remark, observe_fixed_steps
from gearwright.system.time_stepping.step_tries import SWEEP_RELATIVE_TOLERANCE, SWEEP_SPEED_TOLERANCE
from gearwright.text import did_you_mean, listed_names
from gearwright.tracing.casadi_interpreter import evaluate_job
from gearwright.tracing.recipe import kernel_request
from gearwright.tracing.trace import TraceJob, trace_graph

REMARKED_GAIN_RATIO, NEGLIGIBLE_GAIN = 1e-4, 1e-15
"""Energy gained by contacts up to which there is no remark: relative to the dissipated energy (friction that changes
its sign within a step leaves up to 1e-5), and rounding [J]."""

OPERATIONS_PER_CALL, STEPS_PER_CALL = 2e8, 10_000
"""Numbers [1] of operations, and of steps, between two checks for Ctrl-C."""


class ParametricSystem(NamedTuple):
    """A machine with its laws whose numbers are inputs of programs; `parametric_system` makes it.

    Args:
        job: the machine with those of its numbers that are inputs; its program is replaced.
        system: the machine and its laws with their present numbers.
        law_paths: paths of the numbers of laws, and of a control law.
        varied_laws: as in `StepPlan`.
        control_paths: those of the control law.
    """

    job: TraceJob
    system: System
    law_paths: tuple[str, ...]
    varied_laws: Callable[[Sequence[Scalar], Mechanism], tuple[Law, ...]] | None
    control_paths: tuple[str, ...] = ()

    def plan(self, method: str) -> StepPlan:
        """The plan of a step with these numbers as inputs."""
        return StepPlan(
            method, law_paths=self.law_paths, control_paths=self.control_paths, varied_laws=self.varied_laws
        )


def parametric_system(
    source: Robot | Mechanism,
    laws: tuple[Law, ...] | RobotLaws,
    parameters: Sequence[str],
    embeds_loops: bool = False,
    control: ControlLaw | None = None,
) -> ParametricSystem:
    """The system with the numbers at some paths as inputs: of laws, of a control law, or of the robot or machine.

    With `embeds_loops`, closed loops are no laws: the independent speeds are integrated, see `System.closed`.
    """
    acting = nominal_laws(source, laws)
    acting, closed = embedded_loops(source, acting) if embeds_loops else (acting, None)
    controllers = () if control is None else (control,)
    of_control = tuple(path for path in parameters if find_parameter(controllers, path) is not None)
    of_laws = tuple(path for path in parameters if path in of_control or find_parameter(acting, path) is not None)
    of_machine = tuple(path for path in parameters if path not in of_laws)
    job = kernel_request("forward_dynamics", source, of_machine, {}, answer="simulate").trace_job()
    varied_laws = None
    if isinstance(source, Robot) and isinstance(laws, RobotLaws) and acting and of_machine:
        varied_laws = partial(_varied_laws, source, laws, of_machine, closed is not None)
    return ParametricSystem(job, System(job.mech, acting, closed=closed), of_laws, varied_laws, of_control)


class FixedStep:
    """Many steps of one method in one call; `fixed_step` makes it.

    The vector of states is x = [q, v, states of the laws, and with `work` the supplied and dissipated work]; the vector
    of inputs is u = [tau, inputs of the laws].
    """

    def __init__(
        self,
        source: Robot | Mechanism,
        laws: tuple[Law, ...] | RobotLaws,
        method: str,
        work: bool,
        parameters: tuple[str, ...],
        sweeps: int = 10,
        control: ControlLaw | None = None,
        tries: int = MAX_STEP_TRIES,
    ) -> None:
        if method not in INPUT_MOMENTS:
            raise InputError(f"fixed_step: there is no method {method!r}. {did_you_mean(method, INPUT_MOMENTS)}")
        self._arguments = (source, laws, method, work, parameters, sweeps, control, tries)
        self.method, self.parameters, self.sweeps, self.control = method, parameters, sweeps, control
        parametric = parametric_system(source, laws, parameters, method != MOREAU_METHOD, control)
        job = parametric.job
        self.mech, self.system = job.mech, parametric.system
        require_steppable(self.system, method)
        self.plan = replace(
            parametric.plan(method), work=work, sweeps=sweeps, controller_states=controller_states(control), tries=tries
        )
        self._iterate = np.array(self.plan.first_iterate(self.system))
        self.further_states = self.plan.further_states(self.system)
        positions, speeds = (f"q.{x}" for x in self.mech.coordinates), (f"v.{x}" for x in self.mech.speeds)
        self.states = (*positions, *speeds, *(x.name for x in self.further_states))
        self._job = replace(job, program=self._step_program(control))
        self.inputs = (*(f"tau.{speed}" for speed in self.mech.speeds), *self.system.inputs)

    def _step_program(self, control: ControlLaw | None) -> VectorProgram:
        if control is None:
            return step_program(self.system, self.plan)
        require_known_ports(control, self.system)
        return controlled_step_program(self.system, self.plan, control)

    def __reduce__(self) -> tuple[Any, tuple[Any, ...]]:
        return FixedStep, self._arguments

    def __repr__(self) -> str:
        return f"<FixedStep {self.method}: {len(self.states)} states, {len(self.inputs)} inputs>"

    @cached_property
    def _compiled_loop(self) -> tuple[RolloutCode | None, int, str]:
        """The loop and the operations of a step; None if it cannot be compiled, with the reason."""
        if kernel_mode() == "off":
            return None, 0, "the steps run in Python, not in machine code: GEARWRIGHT_KERNELS is off."
        graph = trace_graph(self._job)
        try:
            loop = compile_rollout(graph, array_layout(self._job), self.plan.tries if len(self._iterate) else 1)
            why = f"a step has {len(graph.nodes):,} operations, too many for LLVM." if loop is None else ""
            return loop, graph.operation_count.arithmetic_count if loop else 0, why
        except CompilationError as error:
            return None, 0, f"the steps run in Python, not in machine code: {error}."

    @property
    def remarks(self) -> tuple[str, ...]:
        """Why the steps do not run in machine code; () if they do."""
        return tuple(filter(None, [self._compiled_loop[2]]))

    @property
    def approximations(self) -> tuple[str, ...]:
        """Where time stepping deviates from the laws, with the names of these laws."""
        laws = self.system.laws if self.method == MOREAU_METHOD else ()
        sentences = dict.fromkeys(law.fixed_step_remark for law in laws if law.fixed_step_remark)
        return tuple(
            f"{listed_names(law.name for law in laws if law.fixed_step_remark == sentence)}: {sentence}"
            for sentence in sentences
        )

    def start_states(self, q: ArrayLike, v: ArrayLike, states: Mapping[str, ArrayLike] | None = None) -> Array:
        """States x (..., nx) from q, v and the states of laws; those not given start at their initial values."""
        mech, further = self.mech, self.further_states
        initial_values = dict(states or {})
        for name in initial_values:
            if name not in (x.name for x in further):
                raise InputError(
                    f"fixed_step: there is no state {name!r}. {did_you_mean(name, [x.name for x in further])}"
                )
        law_states = [as_float_array("fixed_step", x.name, initial_values.get(x.name, x.initial)) for x in further]
        positions = checked_array("fixed_step", mech, "q0", q, mech.nq, mech.coordinates)
        speeds = checked_array("fixed_step", mech, "v0", v, mech.n)
        shapes = {"q": positions.shape[:-1], "v": speeds.shape[:-1]}
        lead = common_batch(
            {**shapes, **{quantity.name: x.shape for quantity, x in zip(further, law_states, strict=True)}}
        )
        parts = [
            np.broadcast_to(x, (*lead, x.shape[-1])) for x in (positions, speeds, *(x[..., None] for x in law_states))
        ]
        return np.concatenate(parts, axis=-1)

    def require_stable(self, x0: ArrayLike, h: float, parameters: ArrayLike | None = None) -> None:
        """Raise an error if a step is too long for the fastest mode at one of the states x0 (N, nx)."""
        x = np.asarray(x0, dtype=np.float64)[:, : self.system.law_slice.stop]
        numbers = [feed[0] for feed in self._split_parameters(self._parameter_rows(parameters, len(x)))]
        require_stable(self._linear_model, x, float(h), numbers)

    @cached_property
    def _linear_model(self) -> StepLinearisation:
        return StepLinearisation(self.system, self.plan, self._job)

    @cached_property
    def _energy_program(self) -> BatchProgram:
        return BatchProgram(replace(self._job, program=energy_program(self.system, self.plan)))

    def require_valid(self, x0: Array, h: float, parameters: Array | None = None) -> None:
        """Raise an error for invalid numbers of a law, or a step that is too long, for any member of a batch."""
        if parameters is not None and self.plan.law_paths:
            columns = [self.parameters.index(path) for path in self.plan.law_paths]
            require_numbers(self.parametric_laws, self.plan.law_paths, parameters[:, columns])
        self.require_stable(x0, h, parameters)

    @property
    def parametric_laws(self) -> tuple[ParametricLaw, ...]:
        """The laws and the control law, whose numbers can be parameters."""
        return self.system.laws if self.control is None else (*self.system.laws, self.control)

    def with_sweeps(self, sweeps: int) -> FixedStep:
        """The same with another number of sweeps per try."""
        source, laws, method, work, parameters, _, control, tries = self._arguments
        return fixed_step(
            source, laws, method, work=work, parameters=parameters, sweeps=sweeps, control=control, tries=tries
        )

    def energy_drift(
        self, begin: Array, end: Array, inputs: Array, h: float, t: float, parameters: Array | None = None
    ) -> Array:
        """The error of the energy balance [J] between two records (N, nx) with `work` and inputs (2, N or 1, nu)."""
        first, last = (
            self.energies(x, u, when, h, parameters) for x, u, when in ((begin, inputs[0], 0.0), (end, inputs[1], t))
        )
        works = self.system.law_slice.stop + len(self.plan.controller_states)
        work_balance = (end - begin)[:, works : works + 2] @ np.array([1.0, -1.0])
        return np.asarray(last - first - work_balance, dtype=np.float64)

    def run_steps(
        self,
        x0: ArrayLike,
        inputs: ArrayLike | None = None,
        h: float = 1e-3,
        steps: int = 1,
        every: int = 1,
        *,
        start: float = 0.0,
        parameters: ArrayLike | None = None,
        control: Sequence[Array] = (),
    ) -> Array:
        """States (1 + steps/every, N, nx) after 0, `every`, 2 `every`, ... steps; no others are stored.

        The steps run in calls of a fraction of a second; between them Ctrl-C raises a KeyboardInterrupt whose `record`
        has the samples so far.

        Args:
            x0: states at the beginning, (N, nx).
            inputs: (1, N or 1, nu) constant; (steps, N or 1, nu) held over each step; or (2 steps + 1, N or 1, nu) at
                the beginning, middle and end of each step (only "rk4" uses the middle). Default: zero forces and the
                initial values of the laws.
            h: step [s].
            steps: number of steps, a multiple of `every`.
            every: steps per recorded state.
            start: time at the beginning [s].
            parameters: (N or 1, P) values of the parameters that are inputs.
            control: inputs of a control law, from `controller_feeds`.
        """
        require_steps(h, steps, every)
        begin = first_states(self.mech, self.states, x0)
        record = np.empty((1 + steps // every, *begin.shape))
        record[0] = begin
        input_values = [[self.system.initial_inputs]] if inputs is None else inputs
        feeds = input_feeds(self.inputs, input_values, steps, len(begin), INPUT_MOMENTS[self.method])
        feeds += [*control, *self._split_parameters(self._parameter_rows(parameters, len(begin)))]
        done, size = 0, self._steps_per_call(len(begin))
        try:
            while done < len(record) - 1:
                end = min(done + max(1, size // every), len(record) - 1)
                if not self._advance_samples(
                    TimedFeeds(feeds, start, h, done * every), record[done : end + 1], every, size
                ):
                    raise divergence_error(self.states, record[: end + 1], start, h * every)
                done = end
        except KeyboardInterrupt:
            raise RolloutInterrupted(record[: done + 1]) from None
        return record

    def _parameter_rows(self, parameters: ArrayLike | None, rows: int) -> Array:
        return parameter_rows(self.parameters, parameters, rows)

    def _split_parameters(self, rows: Array) -> list[Array]:
        """Numbers of laws, then those of the machine, where there are any."""
        law_columns = [self.parameters.index(path) for path in self.plan.law_paths]
        machine_columns = [k for k in range(len(self.parameters)) if k not in law_columns]
        return [np.ascontiguousarray(rows[None, :, columns]) for columns in (law_columns, machine_columns) if columns]

    def _steps_per_call(self, rows: int) -> int:
        """Number of steps per call: all rows together take a fraction of a second."""
        _, work, _ = self._compiled_loop
        return max(1, min(int(OPERATIONS_PER_CALL / (rows * work)), STEPS_PER_CALL)) if work else 1

    def _advance_samples(self, feeds: TimedFeeds, record: Array, every: int, size: int) -> bool:
        """Compute some samples; samples that are far apart are computed in several calls."""
        if size >= every:
            return self._fill_record(feeds.feeds_during(0, (len(record) - 1) * every), record, every)
        between = np.array([record[0], record[0]])
        for k in range(0, every, size):
            steps, between[0] = min(size, every - k), between[1]
            if not self._fill_record(feeds.feeds_during(k, steps), between, steps):
                break
        record[1] = between[1]
        return bool(np.isfinite(record[1]).all())

    def observe(self, x: Array, inputs: Array, t: Array, h: float = 1e-3) -> Observation:
        """Accelerations, signals and energies at states x (N, nx) with inputs (N, nu) at times t (N,), step h [s]."""
        if self.method == MOREAU_METHOD:
            return observe_fixed_steps(self.system, self.sweeps, h, x, inputs, t)
        return observe_states(self.system, x, inputs, t)

    def energies(self, x: Array, inputs: Array, t: float, h: float, parameters: ArrayLike | None = None) -> Array:
        """The energies [J] of machine and laws at states x (N, nx) with inputs (N or 1, nu) at the time t [s]."""
        feeds = [
            np.array([[t, h]]),
            inputs,
            *(feed[0] for feed in self._split_parameters(self._parameter_rows(parameters, len(x)))),
        ]
        return self._energy_program.evaluate([x, *feeds])[:, 0]

    def _fill_record(self, feeds: Sequence[Array], record: Array, every: int) -> bool:
        """Compute all samples; long batches on several threads."""
        code, work, _ = self._compiled_loop
        feeds = [self._iterate[None, None], *feeds] if len(self._iterate) else feeds
        if code is None:
            return self._fill_in_python(feeds, record, every)
        rows, steps = record.shape[1], (len(record) - 1) * every
        if rows * steps * work < THREADED_WORK:
            return code.run_steps(feeds, record, (0, rows), every)
        return run_over_rows(
            lambda begin, end: code.run_steps(feeds, record, (begin, end), every), rows, thread_count()
        )

    def _fill_in_python(self, feeds: Sequence[Array], record: Array, every: int) -> bool:
        """The same without machine code, one step at a time."""
        names, x = [*self._job.input_sizes()][1:], record[0]
        for k in range((len(record) - 1) * every):
            now = {name: feed[k if len(feed) > 1 else 0] for name, feed in zip(names, feeds, strict=True)}
            x = self._one_step({"x": x, **now})
            if (k + 1) % every == 0:
                record[(k + 1) // every] = x
        return True

    def _one_step(self, values: dict[str, Array]) -> Array:
        """The states after a step without machine code, repeated until its impulses are consistent."""
        size = values["x"].shape[-1]
        if not len(self._iterate):
            return evaluate_job(self._job, values)
        for _ in range(self.plan.tries):
            result = evaluate_job(self._job, values)
            values[IMPULSE_ITERATE] = result[:, size:]
            if not (result[:, -1] > 1).any():
                break
        return result[:, :size]


def nominal_laws(source: Robot | Mechanism, laws: tuple[Law, ...] | RobotLaws) -> tuple[Law, ...]:
    """The active laws with the robot's nominal numbers."""
    if not isinstance(laws, RobotLaws):
        return laws
    assert isinstance(source, Robot), "only a robot has laws"
    return laws.laws_for(source, tree_of("rollout", source))


def _varied_laws(
    source: Robot,
    laws: RobotLaws,
    paths: tuple[str, ...],
    embeds_loops: bool,
    values: Sequence[Scalar],
    mech: Mechanism,
) -> tuple[Law, ...]:
    """The laws of a robot with other parameter values, which may be symbols."""
    try:
        varied = laws.laws_for(with_parameters(source, dict(zip(paths, values, strict=True))), mech)
        return without_loops(source, varied) if embeds_loops else varied
    except NotTraceableError as error:
        raise InputError(
            f"rollout: one of {listed_names(paths)} determines which laws the robot has, so it cannot vary within a "
            f"batch ({error}). Make one rollout per value, or exclude the laws with laws=()."
        ) from None


def fixed_step(
    robot_or_mech: Robot | Mechanism,
    laws: Sequence[Law] | RobotLaws = (),
    method: str = "euler",
    *,
    work: bool = False,
    parameters: Sequence[str] = (),
    sweeps: int = 10,
    control: ControlLaw | None = None,
    tries: int = MAX_STEP_TRIES,
) -> FixedStep:
    """A fixed-step simulation, compiled at its first run; made once per machine, laws and method.

    Args:
        robot_or_mech: a machine, or a robot whose parameters are inputs.
        laws: the active laws, or those of the robot: with one mode, without holds and drags; for "moreau" all that
            define `stepped`.
        method: "euler" (semi-implicit), "rk4" or "moreau".
        work: whether the supplied and dissipated work are integrated as states.
        parameters: paths of parameters that are inputs, as for `compile`, or of numbers of laws.
        sweeps: of "moreau": Gauss-Seidel sweeps over all impulses per try of a step.
        control: a control law that closes the loop.
        tries: of "moreau": most repetitions of the sweeps until the impulses of a step are consistent.
    """
    tree_of("fixed_step", robot_or_mech)
    if not isinstance(laws, Sequence | RobotLaws):
        raise InputError(f"fixed_step: laws is a {type(laws).__name__}; give a sequence of laws, () for none.")
    paths = (parameters,) if isinstance(parameters, str) else tuple(parameters)
    chosen = laws if isinstance(laws, RobotLaws) else tuple(laws)
    arguments = (chosen, method, work, paths, sweeps, control, tries)
    for key in (robot_or_mech, SameObject(robot_or_mech)):
        try:
            return _cached_fixed_step(key, *arguments)
        except TypeError:  # something in it cannot be a key
            continue
    return FixedStep(robot_or_mech, *arguments)


def stepping_remarks(engine: FixedStep, x: Array) -> tuple[str, ...]:
    """Remarks on a motion that ends with x: inconsistent impulses, contacts that gained energy or jammed."""
    residual, count, since, gain, jamming, jam_time = x[
        [engine.states.index(quantity.name) for quantity in STEPPING_STATES[1:]]
    ]
    remarks = []
    if count:
        sweeps = engine.sweeps * engine.plan.tries
        remarks.append(
            f"the impulses of {count:g} steps are not consistent after {sweeps} sweeps, the first at t = {since:g} s: "
            f"the largest residual is {residual:.2g} times the tolerance (at most {SWEEP_SPEED_TOLERANCE:g} rad/s, m/s "
            f"and {SWEEP_RELATIVE_TOLERANCE:g} of the largest impulse). Take a shorter step or more sweeps."
        )
    if WORK_STATES[1].name in engine.states and gain > max(
        REMARKED_GAIN_RATIO * x[engine.states.index(WORK_STATES[1].name)], NEGLIGIBLE_GAIN
    ):
        remarks.append(
            f"contacts with friction gained {gain:.3g} J: time stepping uses Newton's law of restitution, which may "
            "add energy if the slip reverses in an impact. An event-driven method uses the energetic law."
        )
    if jamming:
        remarks.append(jamming_remark(engine.system, jamming, jam_time))
    return tuple(remarks)


@dataclass(frozen=True, eq=False)
class SameObject:
    """A robot or machine with parts that cannot be hashed as a key of caches, equal to itself only."""

    source: Robot | Mechanism

    def __eq__(self, other: object) -> bool:
        return isinstance(other, SameObject) and other.source is self.source

    def __hash__(self) -> int:
        return id(self.source)


@lru_cache(maxsize=32)
def _cached_fixed_step(source: Robot | Mechanism | SameObject, *arguments: Any) -> FixedStep:
    return FixedStep(source.source if isinstance(source, SameObject) else source, *arguments)
