"""The compiled fixed-step simulation of one machine with its laws."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import cached_property, lru_cache, partial
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from gearwright.algebra import Scalar
from gearwright.arguments import as_floats
from gearwright.arrays import Array
from gearwright.compiling.compile import layout_of
from gearwright.compiling.llvm.python_entry import THREADED_WORK
from gearwright.compiling.rollout_loop import LoopCode, loop_code
from gearwright.compiling.threads import over_rows, thread_count
from gearwright.errors import CompilationError, InputError, NotTraceableError
from gearwright.forces.law import Law
from gearwright.functions.backend import kernel_mode
from gearwright.mechanism import Mechanism, machine_of
from gearwright.parts import Robot, with_parameters
from gearwright.programs.inputs import checked
from gearwright.programs.program import VectorProgram
from gearwright.simulation.acting_laws import RobotLaws
from gearwright.simulation.fixed_step.batch_program import BatchProgram, energy_program
from gearwright.simulation.fixed_step.controlled_step import controlled_step_program, law_states, require_driven
from gearwright.simulation.fixed_step.inputs_and_checks import (
    Clocked,
    Interrupted,
    common_batch,
    diverged,
    first_states,
    input_feeds,
    parameter_rows,
    require_steps,
)
from gearwright.simulation.fixed_step.linear_model import LinearModel
from gearwright.simulation.fixed_step.step_program import (
    ITERATE,
    LARGEST,
    MOMENTS,
    MOREAU,
    WORK,
    StepPlan,
    require_steppable,
    step_program,
)
from gearwright.simulation.fixed_step.step_stability import require_stable
from gearwright.system.controllers.control_law import ControlLaw
from gearwright.system.kernels.observation import Observation, observe
from gearwright.system.law_parameters import law_of, require_numbers
from gearwright.system.system import System
from gearwright.system.time_stepping.step import RELATIVE, TOLERANCE, TRIES, jamming_remark, observe_stepped
from gearwright.text import did_you_mean, listed
from gearwright.tracing.casadi_interpreter import evaluate_job
from gearwright.tracing.recipe import recipe_of
from gearwright.tracing.trace import traced

GAIN = 1e-3
"""Energy that contacts have gained, relative to what was dissipated, up to which nothing is said."""

PIECE, LONGEST = 2e8, 10_000
"""Operations, and steps, between two moments at which Ctrl-C is heard."""


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
        tries: int = TRIES,
    ) -> None:
        if method not in MOMENTS:
            raise InputError(f"fixed_step: there is no method {method!r}. {did_you_mean(method, MOMENTS)}")
        self._made_from = (source, laws, method, work, parameters, sweeps, control, tries)
        self.method, self.parameters, self.sweeps = method, parameters, sweeps
        acting = nominal_laws(source, laws)
        of_laws = tuple(path for path in parameters if law_of(acting, path) is not None)
        of_machine = tuple(path for path in parameters if path not in of_laws)
        job = recipe_of("forward_dynamics", source, of_machine, {}, answer="simulate").job()
        self.mech, self.system = job.mech, System(job.mech, acting)
        require_steppable(self.system, method)
        brought = None
        if isinstance(source, Robot) and isinstance(laws, RobotLaws) and acting and of_machine:
            brought = partial(_varied_laws, source, laws, of_machine)
        self.plan = StepPlan(method, work, of_laws, sweeps, law_states(control), brought, tries)
        self._iterate = np.array(self.plan.first_iterate(self.system))
        self.further = self.plan.states(self.system)
        at, pace = (f"q.{x}" for x in self.mech.coordinates), (f"v.{x}" for x in self.mech.speeds)
        self.states = (*at, *pace, *(x.name for x in self.further))
        self._job = replace(job, program=self._program(control))
        self.inputs = (*(f"tau.{speed}" for speed in self.mech.speeds), *self.system.inputs)

    def _program(self, control: ControlLaw | None) -> VectorProgram:
        if control is None:
            return step_program(self.system, self.plan)
        require_driven(control, self.system)
        return controlled_step_program(self.system, self.plan, control)

    def __reduce__(self) -> tuple[Any, tuple[Any, ...]]:
        return FixedStep, self._made_from

    def __repr__(self) -> str:
        return f"<FixedStep {self.method}: {len(self.states)} states, {len(self.inputs)} inputs>"

    @cached_property
    def _code(self) -> tuple[LoopCode | None, int, str]:
        """The loop and the operations of a step; None where it cannot be compiled, with the reason."""
        if kernel_mode() == "off":
            return None, 0, "the steps run in Python, not in machine code: GEARWRIGHT_KERNELS is off."
        graph = traced(self._job)
        try:
            loop = loop_code(graph, layout_of(self._job), self.plan.tries if len(self._iterate) else 1)
            why = f"a step has {len(graph.nodes):,} operations, too many for LLVM." if loop is None else ""
            return loop, graph.operations.arithmetic if loop else 0, why
        except CompilationError as error:
            return None, 0, f"the steps run in Python, not in machine code: {error}."

    @property
    def remarks(self) -> tuple[str, ...]:
        """Why its steps are slower than they could be, if they are."""
        return tuple(filter(None, [self._code[2]]))

    @property
    def approximations(self) -> tuple[str, ...]:
        """What time stepping does otherwise than laws say, with their names."""
        laws = self.system.laws if self.method == MOREAU else ()
        sentences = dict.fromkeys(law.approximation for law in laws if law.approximation)
        return tuple(f"{listed(law.name for law in laws if law.approximation == one)}: {one}" for one in sentences)

    def start(self, q: ArrayLike, v: ArrayLike, states: Mapping[str, ArrayLike] | None = None) -> Array:
        """States x (..., nx) from q, v and those states of laws that do not start at their initial values."""
        mech, further = self.mech, self.further
        given = dict(states or {})
        for name in given:
            if name not in (x.name for x in further):
                raise InputError(
                    f"fixed_step: there is no state {name!r}. {did_you_mean(name, [x.name for x in further])}"
                )
        own = [as_floats("fixed_step", x.name, given.get(x.name, x.initial)) for x in further]
        at = checked("fixed_step", mech, "q0", q, mech.nq, mech.coordinates)
        pace = checked("fixed_step", mech, "v0", v, mech.n)
        shapes = {"q": at.shape[:-1], "v": pace.shape[:-1]}
        lead = common_batch({**shapes, **{one.name: x.shape for one, x in zip(further, own, strict=True)}})
        parts = [np.broadcast_to(x, (*lead, x.shape[-1])) for x in (at, pace, *(x[..., None] for x in own))]
        return np.concatenate(parts, axis=-1)

    def require_stable(self, x0: ArrayLike, h: float, parameters: ArrayLike | None = None) -> None:
        """Refuse a step that is too long for the fastest mode at one of the states x0 (N, nx)."""
        x = np.asarray(x0, dtype=np.float64)[:, : self.system.own.stop]
        given = [feed[0] for feed in self._numbers(self._rows(parameters, len(x)))]
        require_stable(self._linear, x, float(h), given)

    @cached_property
    def _linear(self) -> LinearModel:
        return LinearModel(self.system, self.plan, self._job)

    @cached_property
    def _energies(self) -> BatchProgram:
        return BatchProgram(replace(self._job, program=energy_program(self.system, self.plan)))

    def require_sound(self, x0: Array, h: float, parameters: Array | None = None) -> None:
        """Refuse numbers that a law does not take, and a step that is too long, for any member of a batch."""
        if parameters is not None and self.plan.numbers:
            own = [self.parameters.index(path) for path in self.plan.numbers]
            require_numbers(self.system.laws, self.plan.numbers, parameters[:, own])
        self.require_stable(x0, h, parameters)

    def with_sweeps(self, sweeps: int) -> FixedStep:
        """The same with another number of sweeps per try."""
        source, laws, method, work, parameters, _, control, tries = self._made_from
        return fixed_step(
            source, laws, method, work=work, parameters=parameters, sweeps=sweeps, control=control, tries=tries
        )

    def drift(
        self, begin: Array, end: Array, inputs: Array, h: float, t: float, parameters: Array | None = None
    ) -> Array:
        """What is missing in the books between two records (N, nx) with `work`; inputs (2, N or 1, nu) go with them."""
        first, last = (
            self.energies(x, u, when, h, parameters) for x, u, when in ((begin, inputs[0], 0.0), (end, inputs[1], t))
        )
        works = self.system.own.stop + len(self.plan.beside)
        booked = (end - begin)[:, works : works + 2] @ np.array([1.0, -1.0])
        return np.asarray(last - first - booked, dtype=np.float64)

    def run(
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

        The steps run in pieces of a fraction of a second, between which Ctrl-C is heard: the KeyboardInterrupt then has
        the samples until there as its `record`.

        Args:
            x0: states at the beginning, (N, nx).
            inputs: (1, N or 1, nu) constant; (steps, N or 1, nu) held over each step; or (2 steps + 1, N or 1, nu) at
                the beginning, middle and end of each step (the middle matters to "rk4" alone). Zero forces and the
                laws' own initial values unless given.
            h: step [s].
            steps: number of steps, a multiple of `every`.
            every: steps per recorded state.
            start: time at the beginning [s].
            parameters: (N or 1, P) values of the parameters that are inputs.
            control: what a control law is fed with, as `controller_feeds` gives it.
        """
        require_steps(h, steps, every)
        begin = first_states(self.mech, self.states, x0)
        record = np.empty((1 + steps // every, *begin.shape))
        record[0] = begin
        given = [[self.system.first_inputs]] if inputs is None else inputs
        feeds = input_feeds(self.inputs, given, steps, len(begin), MOMENTS[self.method])
        feeds += [*control, *self._numbers(self._rows(parameters, len(begin)))]
        done, size = 0, self._piece(len(begin))
        try:
            while done < len(record) - 1:
                end = min(done + max(1, size // every), len(record) - 1)
                if not self._advance(Clocked(feeds, start, h, done * every), record[done : end + 1], every, size):
                    raise diverged(self.states, record[: end + 1], start, h * every)
                done = end
        except KeyboardInterrupt:
            raise Interrupted(record[: done + 1]) from None
        return record

    def _rows(self, parameters: ArrayLike | None, rows: int) -> Array:
        return parameter_rows(self.parameters, parameters, rows)

    def _numbers(self, rows: Array) -> list[Array]:
        """Numbers of laws, then those of the machine, where there are any."""
        own = [self.parameters.index(path) for path in self.plan.numbers]
        others = [k for k in range(len(self.parameters)) if k not in own]
        return [np.ascontiguousarray(rows[None, :, some]) for some in (own, others) if some]

    def _piece(self, rows: int) -> int:
        """Steps of all rows that take a fraction of a second."""
        _, work, _ = self._code
        return max(1, min(int(PIECE / (rows * work)), LONGEST)) if work else 1

    def _advance(self, feeds: Clocked, record: Array, every: int, size: int) -> bool:
        """Compute some samples; between two of them that are far apart, in pieces that nobody stores."""
        if size >= every:
            return self._filled(feeds.during(0, (len(record) - 1) * every), record, every)
        between = np.array([record[0], record[0]])
        for k in range(0, every, size):
            steps, between[0] = min(size, every - k), between[1]
            if not self._filled(feeds.during(k, steps), between, steps):
                break
        record[1] = between[1]
        return bool(np.isfinite(record[1]).all())

    def observe(self, x: Array, inputs: Array, t: Array, h: float = 1e-3) -> Observation:
        """What is seen at recorded states x (N, nx) of steps of h [s] with inputs (N, nu) at times t (N,)."""
        if self.method == MOREAU:
            return observe_stepped(self.system, self.sweeps, h, x, inputs, t)
        return observe(self.system, x, inputs, t)

    def energies(self, x: Array, inputs: Array, t: float, h: float, parameters: ArrayLike | None = None) -> Array:
        """The energies [J] of machine and laws at states x (N, nx) with inputs (N or 1, nu) at the time t [s]."""
        feeds = [np.array([[t, h]]), inputs, *(feed[0] for feed in self._numbers(self._rows(parameters, len(x))))]
        return self._energies.at([x, *feeds])[:, 0]

    def _filled(self, feeds: Sequence[Array], record: Array, every: int) -> bool:
        """Compute all samples; long batches on several threads."""
        code, work, _ = self._code
        feeds = [self._iterate[None, None], *feeds] if len(self._iterate) else feeds
        if code is None:
            return self._stepped(feeds, record, every)
        rows, steps = record.shape[1], (len(record) - 1) * every
        if rows * steps * work < THREADED_WORK:
            return code.run(feeds, record, (0, rows), every)
        return over_rows(lambda begin, end: code.run(feeds, record, (begin, end), every), rows, thread_count())

    def _stepped(self, feeds: Sequence[Array], record: Array, every: int) -> bool:
        """The same without machine code, step by step."""
        names, x = [*self._job.sizes()][1:], record[0]
        for k in range((len(record) - 1) * every):
            now = {name: feed[k if len(feed) > 1 else 0] for name, feed in zip(names, feeds, strict=True)}
            x = self._one_step({"x": x, **now})
            if (k + 1) % every == 0:
                record[(k + 1) // every] = x
        return True

    def _one_step(self, given: dict[str, Array]) -> Array:
        """The states after a step without machine code, tried until its impulses are consistent."""
        size = given["x"].shape[-1]
        if not len(self._iterate):
            return evaluate_job(self._job, given)
        for _ in range(self.plan.tries):
            found = evaluate_job(self._job, given)
            given[ITERATE] = found[:, size:]
            if not (found[:, -1] > 1).any():
                break
        return found[:, :size]


def nominal_laws(source: Robot | Mechanism, laws: tuple[Law, ...] | RobotLaws) -> tuple[Law, ...]:
    """The laws that act with the numbers that the robot states."""
    if not isinstance(laws, RobotLaws):
        return laws
    assert isinstance(source, Robot), "only a robot brings laws"
    return laws.of(source, machine_of("rollout", source))


def _varied_laws(
    source: Robot, laws: RobotLaws, paths: tuple[str, ...], values: Sequence[Scalar], mech: Mechanism
) -> tuple[Law, ...]:
    """The laws of a robot whose parameters have other values, of any kind."""
    try:
        return laws.of(with_parameters(source, dict(zip(paths, values, strict=True))), mech)
    except NotTraceableError as error:
        raise InputError(
            f"rollout: of {listed(paths)}, one decides which laws the robot has, so that it cannot vary within a batch "
            f"({error}). Make one rollout per value, or leave the laws out: laws=()."
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
    tries: int = TRIES,
) -> FixedStep:
    """A fixed-step simulation, compiled at its first run; made once per machine, laws and method.

    Args:
        robot_or_mech: a machine, or a robot whose parameters are inputs.
        laws: laws that act, or those that the robot brings: with one mode, without holds and drags; for "moreau" all
            that say how they act over a step.
        method: "euler" (semi-implicit), "rk4" or "moreau".
        work: whether the supplied and dissipated work run along as states.
        parameters: paths of numbers that are inputs, as for `compile`, or of numbers of laws.
        sweeps: of "moreau": how often all impulses are gone through per try of a step.
        control: a control law that closes the loop.
        tries: of "moreau": how often a step goes on with further sweeps until its impulses are consistent.
    """
    machine_of("fixed_step", robot_or_mech)
    if not isinstance(laws, Sequence | RobotLaws):
        raise InputError(f"fixed_step: laws is a {type(laws).__name__}; give a sequence of laws, () for none.")
    paths = (parameters,) if isinstance(parameters, str) else tuple(parameters)
    chosen = laws if isinstance(laws, RobotLaws) else tuple(laws)
    known = (robot_or_mech, chosen, method, work, paths, sweeps, control, tries)
    try:
        return _known(*known)
    except TypeError:  # something in it cannot be a key
        return FixedStep(*known)


def stepping_remarks(engine: FixedStep, x: Array) -> tuple[str, ...]:
    """Remarks on a motion that ends with x: inconsistent impulses, contacts that gained energy or struck by sliding."""
    residual, count, since, gain, jamming, at = x[[engine.states.index(one.name) for one in LARGEST[1:]]]
    found = []
    if count:
        sweeps = engine.sweeps * engine.plan.tries
        found.append(
            f"the impulses of {count:g} steps are not consistent after {sweeps} sweeps, the first at t = {since:g} s: "
            f"the largest residual is {residual:.2g} times the tolerance ({TOLERANCE:g} rad/s, m/s and {RELATIVE:g} of "
            "the largest impulse). Take a shorter step or more sweeps."
        )
    if WORK[1].name in engine.states and gain > GAIN * max(x[engine.states.index(WORK[1].name)], 0.0):
        found.append(
            f"contacts with friction gained {gain:.3g} J: time stepping takes Newton's restitution, which may add "
            "energy where the slip turns round in an impact. An event-driven method takes the energetic one."
        )
    if jamming:
        found.append(jamming_remark(engine.system, jamming, at))
    return tuple(found)


_known = lru_cache(maxsize=32)(FixedStep)
