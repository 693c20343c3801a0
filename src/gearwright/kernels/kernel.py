"""The kernel object: a function of the dynamics compiled for one machine."""

from __future__ import annotations

import hashlib
import pickle
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, fields
from functools import partial
from typing import Any

import numpy as np

from gearwright.errors import InputError
from gearwright.kernels import programs
from gearwright.kernels.call import GeneralCall
from gearwright.kernels.compile import built, layout_of, stored
from gearwright.kernels.graph import Operations
from gearwright.kernels.inputs import Array, checked_point
from gearwright.kernels.machine_parameters import machine_with, nominal, require_free
from gearwright.kernels.source import c_source
from gearwright.kernels.trace import Task, traced
from gearwright.kernels.vectorcall import inherit_vectorcall
from gearwright.mechanism import Mechanism, assemble
from gearwright.mechanism.rows import suggestion
from gearwright.parts import Robot
from gearwright.text import listed


@dataclass(frozen=True)
class Recipe:
    """Everything a kernel is made from; what is pickled of it.

    Args:
        function: name of the public function.
        source: the machine, or the robot whose parameters are inputs.
        parameters: paths of the parameters that are inputs.
        fixed: what is decided before running, as (name, value) pairs.
        wrt: inputs that the result is differentiated by.
    """

    function: str
    source: Robot | Mechanism
    parameters: tuple[str, ...] = ()
    fixed: tuple[tuple[str, Any], ...] = ()
    wrt: tuple[str, ...] = ()

    def task(self) -> Task:
        """What to trace."""
        mech = self.source if isinstance(self.source, Mechanism) else assemble(self.source)
        symbolic = partial(_machine, self.source, self.parameters) if self.parameters else None
        program = programs.BY_NAME[self.function]
        return Task(program, mech, dict(self.fixed), symbolic, len(self.parameters), self.wrt)

    def identity(self) -> str:
        """The machine and its symbolic parameters, exactly: every number to the last digit."""
        if isinstance(self.source, Mechanism):
            numbers = tuple(getattr(self.source, field.name) for field in fields(self.source))
            return f"{numbers!r} {self.parameters!r}"
        return f"{hashlib.sha256(pickle.dumps(self.source)).hexdigest()} {self.parameters!r}"


def _machine(source: Robot | Mechanism, paths: Sequence[str], values: Sequence[Any]) -> Mechanism:
    return machine_with(source, dict(zip(paths, values, strict=True)))


class Kernel(partial[Array]):
    """A function of the dynamics compiled for one machine.

    Called like the function without its first argument: `k(q, v, a)`, arrays of any leading axes that broadcast, and
    `out=` for the result, which must not overlap an input. Kernels with parameters take `parameters=` (..., P), those
    with wrenches or a moving base `wrenches=` and `base_motion=`; all may also be given by position, in the order
    of `inputs` and then `out`. Arrays are quickest when they are float64 in C order, all of them with one axis or all
    with two. Several threads may call it at once; long batches are spread over the cores (`GEARWRIGHT_THREADS`). It can
    be pickled and used after a fork.

    >>> import gearwright as gw
    >>> arm = gw.Mechanism([gw.Body("arm", mass=2, com=(0.5, 0, 0), inertia=np.diag([0, 0.1, 0.1]))])
    >>> k = gw.compile(gw.inverse_dynamics, arm)
    >>> k(np.array([0.0]), np.array([0.0]), np.array([1.0]))
    array([0.6])
    """

    _recipe: Recipe
    _task: Task
    _general: GeneralCall
    operations: Operations
    """Additions, multiplications, divisions, sines of one state."""

    def __new__(cls, recipe: Recipe, only_stored: bool = False) -> Kernel:
        """Compile a recipe, or take it from the cache; with `only_stored`, a LookupError if it is not there."""
        task = recipe.task()
        made = stored(task, recipe.identity()) if only_stored else built(task, recipe.identity())
        if made is None:
            raise LookupError("not in the cache")
        general = GeneralCall(task, recipe.parameters, made.code, made.operations.arithmetic)
        entry = general if made.code is None else made.code.builtin(recipe.function, general)
        self = super().__new__(cls, entry)
        self._recipe, self._task, self._general, self.operations = recipe, task, general, made.operations
        return self

    def computed(self, arrays: Mapping[str, Array]) -> Array:
        """The result for arrays that were checked already, by the names of the inputs."""
        return self._general.computed(arrays, None)

    def __reduce__(self) -> tuple[type[Kernel], tuple[Recipe]]:
        return Kernel, (self._recipe,)

    def __repr__(self) -> str:
        inputs = ", ".join(f"{name} {size}" for name, size in self._task.sizes().items())
        what = f"d {self.name} / d ({', '.join(self._recipe.wrt)})" if self._recipe.wrt else self.name
        return f"<Kernel {what} of {inputs}: result {self._task.shape()}, {self.operations.arithmetic} operations>"

    @property
    def name(self) -> str:
        """The name of the function."""
        return self._recipe.function

    @property
    def inputs(self) -> dict[str, int]:
        """Every input with its number of entries; all may be given by position in this order."""
        return self._task.sizes()

    @property
    def parameters(self) -> tuple[str, ...]:
        """Paths of the parameters that are inputs."""
        return self._recipe.parameters

    @property
    def nominal(self) -> Array:
        """The parameters' values in the machine it was compiled for, (P,)."""
        return np.array([nominal(self._recipe.source, path) for path in self.parameters])

    @property
    def columns(self) -> dict[str, slice]:
        """For a derivative, where along the last axis each input's columns are."""
        found, start = {}, 0
        for name, count in self._task.columns().items():
            found[name] = slice(start, start + count)
            start += count
        return found

    def jacobian(self, *inputs: str) -> Kernel:
        """The kernel of the exact derivative by one or more inputs, (..., *shape, columns).

        Columns of several inputs stand side by side (see `columns`); one kernel for all inputs costs less than one for
        each. Without arguments, all inputs. A derivative by q has n columns: free and
        spherical joints turn about body axes.
        """
        if self._recipe.wrt:
            raise InputError(f"{self!r} is a derivative already. Differentiate the function's own kernel.")
        known = list(self._task.sizes())
        for name in inputs:
            if name not in known:
                raise InputError(
                    f"{self.name}: there is no input {name!r} to differentiate by. {suggestion(name, known)}"
                )
        r = self._recipe
        return Kernel(Recipe(r.function, r.source, r.parameters, r.fixed, tuple(inputs) or tuple(known)))

    def source(self, language: str = "c") -> str:
        """The program as source text: C99 without allocation that needs nothing but `sin` and `cos`.

        `integrate` and `difference` of free and spherical joints also need `sqrt` and `atan2`. A derivative has the
        name of its function with `_by_` and the inputs.
        """
        if language != "c":
            raise InputError(f"there is no source in {language!r}. Use 'c'.")
        name = "_".join([self.name, *(["by", *self._recipe.wrt] if self._recipe.wrt else [])])
        return c_source(traced(self._task), name, self._task.sizes(), layout_of(self._task).outputs)


inherit_vectorcall(Kernel)


def compile(
    function: Callable[..., Any] | str,
    robot_or_mech: Robot | Mechanism,
    parameters: Sequence[str] = (),
    **fixed: Any,
) -> Kernel:
    """Compile a function of the dynamics for one robot or machine.

    Args:
        function: a public function such as `gw.inverse_dynamics`, or its name.
        robot_or_mech: a robot (parameters are then paths of its file, and their wheels follow) or a machine.
        parameters: paths of numbers that stay inputs, such as "payload.mass", "j2.motor.inertia", "j2.gear.ratio".
        fixed: what the function takes beside arrays: `body=` and `point=` of a Jacobian; `wrenches=` the bodies and
            frames that feel wrenches; `base_motion=True`.

    Returns:
        The kernel.

    >>> import gearwright as gw
    >>> arm = gw.Mechanism([gw.Body("arm", mass=2, com=(0.5, 0, 0), inertia=np.diag([0, 0.1, 0.1]))])
    >>> k = gw.compile(gw.mass_matrix, arm, parameters=["arm.mass"])
    >>> k(np.array([0.0]), parameters=np.array([[2.0], [4.0]])).ravel()
    array([0.6, 1.1])
    """
    return Kernel(recipe_of(function, robot_or_mech, parameters, fixed))


def recipe_of(
    function: Callable[..., Any] | str,
    robot_or_mech: Robot | Mechanism,
    parameters: Sequence[str],
    fixed: Mapping[str, Any],
) -> Recipe:
    """What `compile` was asked for, checked."""
    name = function if isinstance(function, str) else _name_of(function)
    if name not in programs.BY_NAME:
        raise InputError(f"compile: {name!r} cannot be compiled. {suggestion(name, programs.BY_NAME)}")
    if not isinstance(robot_or_mech, Robot | Mechanism):
        raise InputError(
            f"compile: the second argument is a {type(robot_or_mech).__name__}; give a Robot or a Mechanism."
        )
    paths = _several("parameters", parameters)
    if len(set(paths)) < len(paths):
        raise InputError(f"compile: a parameter is named twice in {listed(paths)}. Name each once.")
    mech = robot_or_mech if isinstance(robot_or_mech, Mechanism) else assemble(robot_or_mech)
    for path in paths:
        require_free(path)
        nominal(robot_or_mech, path)
    return Recipe(name, robot_or_mech if paths else mech, paths, _decided(name, mech, fixed))


def _name_of(function: Callable[..., Any]) -> str:
    """The name of one of Gearwright's own functions; somebody else's of the same name is another function."""
    own = str(getattr(function, "__module__", "")).startswith("gearwright.")
    return str(getattr(function, "__name__", function)) if own else repr(function)


def _several(what: str, value: Any) -> tuple[Any, ...]:
    """A sequence of names; one alone may stand for itself."""
    if isinstance(value, str):
        return (value,)
    if not isinstance(value, Iterable):
        raise InputError(f"compile: {what}={value!r} must be a sequence of names.")
    return tuple(value)


def _decided(name: str, mech: Mechanism, fixed: Mapping[str, Any]) -> tuple[tuple[str, Any], ...]:
    """What is fixed, checked and in a form that compares and pickles."""
    program = programs.BY_NAME[name]
    allowed = {*program.options, *(("wrenches", "base_motion") if program.outside else ())}
    for option in fixed:
        if option not in allowed:
            raise InputError(f"compile: {name} has no option {option!r}. {suggestion(option, allowed)}")
    decided = {option: value for option, value in fixed.items() if value is not None and value is not False}
    if "body" in program.options:
        if "body" not in decided:
            raise InputError(f"compile: {name} needs body=, the body or frame it is for.")
        mech.place_of(decided["body"])
    if "point" in decided:
        decided["point"] = checked_point("compile", decided["point"])
    if "wrenches" in decided:
        bodies = _several("wrenches", decided["wrenches"])
        decided["wrenches"] = tuple(mech.name_of(body) for body in bodies)
    return tuple(sorted(decided.items()))
