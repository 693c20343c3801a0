"""The compiled fixed-step simulation of one machine with its laws."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import cached_property, lru_cache
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from gearwright.arguments import as_floats
from gearwright.arrays import Array
from gearwright.compiling.compile import layout_of
from gearwright.compiling.entry import THREADED_WORK
from gearwright.compiling.rollout_code import LoopCode, loop_code
from gearwright.compiling.threads import over_rows, thread_count
from gearwright.dynamics.configuration import quaternions
from gearwright.dynamics.fixed_steps import METHODS
from gearwright.errors import CompilationError, InputError
from gearwright.forces.law import Law
from gearwright.functions.service import kernel_mode
from gearwright.mechanism import Mechanism, machine_of
from gearwright.parts import Robot
from gearwright.programs.batch import evaluate
from gearwright.programs.inputs import checked, not_finite
from gearwright.simulation.controlled_steps import controlled_step_program, law_states, require_driven
from gearwright.simulation.rollout_checks import Clocked, Interrupted, common_batch, diverged, require_steps
from gearwright.simulation.rollout_stability import require_stable
from gearwright.simulation.step_program import WORK, require_steppable, step_program
from gearwright.system.control_law import ControlLaw
from gearwright.system.observation import Observation, observe
from gearwright.system.system import System
from gearwright.system.vector_program import VectorProgram
from gearwright.text import did_you_mean, listed
from gearwright.tracing.recipe import recipe_of
from gearwright.tracing.trace import PARAMETERS, traced, traced_function
from gearwright.tracing.virtual_machine import evaluate_traced

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
        laws: tuple[Law, ...],
        method: str,
        work: bool,
        parameters: tuple[str, ...],
        control: ControlLaw | None = None,
    ) -> None:
        if method not in METHODS:
            raise InputError(f"fixed_step: there is no method {method!r}. {did_you_mean(method, METHODS)}")
        self._made_from = (source, laws, method, work, parameters, control)
        self.method, self.parameters = method, parameters
        task = recipe_of("forward_dynamics", source, parameters, {}).task()
        self.mech, self.system = task.mech, System(task.mech, laws)
        require_steppable(self.system)
        own, works = tuple(self.system.states.values()), WORK if work else ()
        self.further = (*own, *law_states(control), *works)
        at, pace = (f"q.{x}" for x in self.mech.coordinates), (f"v.{x}" for x in self.mech.speeds)
        self.states = (*at, *pace, *(x.name for x in self.further))
        self._task = replace(task, program=self._program(control, work))
        self.inputs = (*(f"tau.{speed}" for speed in self.mech.speeds), *self.system.inputs)

    def _program(self, control: ControlLaw | None, work: bool) -> VectorProgram:
        if control is None:
            return step_program(self.system, self.method, work)
        require_driven(control, self.system)
        return controlled_step_program(self.system, self.method, work, control, len(self.states))

    def __reduce__(self) -> tuple[Any, tuple[Any, ...]]:
        return FixedStep, self._made_from

    def __repr__(self) -> str:
        return f"<FixedStep {self.method}: {len(self.states)} states, {len(self.inputs)} inputs>"

    @cached_property
    def _code(self) -> tuple[LoopCode | None, int, str]:
        """The loop and the operations of a step; None where it cannot be compiled, with the reason."""
        if kernel_mode() == "off":
            return None, 0, "the steps run in Python, not in machine code: GEARWRIGHT_KERNELS is off."
        graph = traced(self._task)
        try:
            loop = loop_code(graph, layout_of(self._task))
            why = f"a step has {len(graph.nodes):,} operations, too many for LLVM." if loop is None else ""
            return loop, graph.operations.arithmetic if loop else 0, why
        except CompilationError as error:
            return None, 0, f"the steps run in Python, not in machine code: {error}."

    @property
    def remarks(self) -> tuple[str, ...]:
        """Why its steps are slower than they could be, if they are."""
        return tuple(filter(None, [self._code[2]]))

    @cached_property
    def _function(self) -> Any:
        """The traced step, for when there is no machine code."""
        return traced_function(self._task)

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
        at, pace = checked("fixed_step", mech, "q", q, mech.nq), checked("fixed_step", mech, "v", v, mech.n)
        shapes = {"q": at.shape[:-1], "v": pace.shape[:-1]}
        lead = common_batch({**shapes, **{one.name: x.shape for one, x in zip(further, own, strict=True)}})
        parts = [np.broadcast_to(x, (*lead, x.shape[-1])) for x in (at, pace, *(x[..., None] for x in own))]
        return np.concatenate(parts, axis=-1)

    def require_stable(self, x0: ArrayLike, h: float) -> None:
        """Refuse a step that is too long for the fastest mode at a state x0 (nx,)."""
        require_stable(self.system, np.asarray(x0, dtype=np.float64)[: self.system.own.stop], float(h), self.method)

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
        begin = self._begin(x0)
        record = np.empty((1 + steps // every, *begin.shape))
        record[0] = begin
        given = self._moments(inputs, steps, len(begin)), control, self._parameters(parameters, len(begin))
        feeds = [feed for group in given for feed in group]
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

    def observe(self, x: Array, inputs: Array, t: Array) -> Observation:
        """What is seen at recorded states x (N, nx) with inputs (N, nu) at times t (N,)."""
        return observe(self.system, x, inputs, t)

    def _filled(self, feeds: Sequence[Array], record: Array, every: int) -> bool:
        """Compute all samples; long batches on several threads."""
        code, work, _ = self._code
        if code is None:
            return self._stepped(feeds, record, every)
        rows, steps = record.shape[1], (len(record) - 1) * every
        if rows * steps * work < THREADED_WORK:
            return code.run(feeds, record, (0, rows), every)
        return over_rows(lambda begin, end: code.run(feeds, record, (begin, end), every), rows, thread_count())

    def _stepped(self, feeds: Sequence[Array], record: Array, every: int) -> bool:
        """The same without machine code, step by step."""
        names, x = [*self._task.sizes()][1:], record[0]
        for k in range((len(record) - 1) * every):
            now = {name: feed[k if len(feed) > 1 else 0] for name, feed in zip(names, feeds, strict=True)}
            if self.parameters:
                x = evaluate_traced(self._task, {"x": x, **now}, self._function)
            else:
                x = evaluate(self._task.program, self.mech, {"x": x, **now}, {})
            if (k + 1) % every == 0:
                record[(k + 1) // every] = x
        return True

    def _begin(self, x0: ArrayLike) -> Array:
        """The first states, finite and with quaternions of length one."""
        x = as_floats("fixed_step", "x0", x0)
        if x.ndim != 2 or x.shape[-1] != len(self.states) or not len(x):
            raise InputError(
                f"fixed_step: x0 has shape {x.shape}; it must be (N, {len(self.states)}): {listed(self.states)}."
            )
        if not np.isfinite(x).all():
            raise InputError(f"fixed_step: {not_finite(self.states, 'x0', x)} Give finite numbers.")
        if self.mech.nq != self.mech.n:
            checked("fixed_step", self.mech, "q", x[:, : self.mech.nq], self.mech.nq)
            x = x.copy()
            for four in quaternions(self.mech):
                x[:, four] /= np.linalg.norm(x[:, four], axis=1, keepdims=True)
        return x

    def _moments(self, inputs: ArrayLike | None, steps: int, rows: int) -> list[Array]:
        """The inputs at each moment of a step that the method looks at."""
        moments = METHODS[self.method].moments
        if inputs is None:
            inputs = [[self.system.first_inputs]]
        u = np.ascontiguousarray(as_floats("fixed_step", "inputs", inputs))
        lengths = (1, steps, 2 * steps + 1)
        if u.ndim != 3 or len(u) not in lengths or u.shape[1] not in (1, rows) or u.shape[2] != len(self.inputs):
            raise InputError(
                f"fixed_step: inputs have shape {u.shape}; they must be (1, {steps} or {2 * steps + 1}, 1 or {rows}, "
                f"{len(self.inputs)}): {listed(self.inputs)}."
            )
        if not np.isfinite(u).all():
            raise InputError(f"fixed_step: {not_finite(self.inputs, 'inputs', u)} Give finite numbers.")
        if len(u) == 2 * steps + 1:
            return [u[:-1:2], u[1::2], u[2::2]][:moments]
        return [u] * moments

    def _parameters(self, parameters: ArrayLike | None, rows: int) -> list[Array]:
        if not self.parameters and parameters is None:
            return []
        count = len(self.parameters)
        p = as_floats("fixed_step", PARAMETERS, np.zeros(0) if parameters is None else parameters)
        if not count or p.ndim != 2 or p.shape[0] not in (1, rows) or p.shape[1] != count or not np.isfinite(p).all():
            wanted = listed(self.parameters) or "none"
            raise InputError(
                f"fixed_step: the parameters that are inputs are: {wanted}. Give parameters= (1 or {rows}, {count}), "
                f"all finite; it has shape {p.shape}."
            )
        return [np.ascontiguousarray(p)[None]]


def fixed_step(
    robot_or_mech: Robot | Mechanism,
    laws: Sequence[Law] = (),
    method: str = "euler",
    *,
    work: bool = False,
    parameters: Sequence[str] = (),
    control: ControlLaw | None = None,
) -> FixedStep:
    """A fixed-step simulation, compiled at its first run; made once per machine, laws and method.

    Args:
        robot_or_mech: a machine, or a robot whose parameters are inputs.
        laws: laws with one mode, without holds and drags.
        method: "euler" (semi-implicit) or "rk4".
        work: whether the supplied and dissipated work run along as the last two states.
        parameters: paths of numbers that are inputs, as for `compile`.
        control: a control law that closes the loop.
    """
    machine_of("fixed_step", robot_or_mech)
    if not isinstance(laws, Sequence):
        raise InputError(f"fixed_step: laws is a {type(laws).__name__}; give a sequence of laws, () for none.")
    paths = (parameters,) if isinstance(parameters, str) else tuple(parameters)
    known = (robot_or_mech, tuple(laws), method, work, paths, control)
    try:
        return _known(*known)
    except TypeError:  # something in it cannot be a key
        return FixedStep(*known)


_known = lru_cache(maxsize=32)(FixedStep)
