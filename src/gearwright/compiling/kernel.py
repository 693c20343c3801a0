"""The kernel object: a function of the dynamics compiled for one machine."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np

from gearwright.argument_kinds import check_arguments
from gearwright.arrays import Array
from gearwright.compiling.call import GeneralCall
from gearwright.compiling.compile import Built, built, layout_of, stored
from gearwright.compiling.host.machine_code import known_layout
from gearwright.errors import InputError
from gearwright.mechanism import Mechanism
from gearwright.parts import Robot
from gearwright.plots.notebook import table
from gearwright.text import did_you_mean
from gearwright.tracing.c_source import c_source
from gearwright.tracing.graph import OperationCount
from gearwright.tracing.parameters import nominal
from gearwright.tracing.recipe import Recipe, recipe_of
from gearwright.tracing.trace import TraceJob, traced

SLOW_ENTRY = "this Python or NumPy lays out its objects in another way, so calls go through Python"


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
    _job: TraceJob
    _general: GeneralCall
    operations: OperationCount
    """Additions, multiplications, divisions, sines of one state."""
    remarks: tuple[str, ...]
    """Why it is slower than it could be: too large for machine code, or for its optimisation; () for most kernels."""

    def __new__(cls, recipe: Recipe, made: Built | None = None) -> Kernel:
        """Compile a recipe, or take it from the cache; `made` is what somebody found there already."""
        job = recipe.job()
        if made is None:
            made = built(job, recipe.identity())
        general = GeneralCall(job, recipe.parameters, made.code, made.operations.arithmetic)
        entry = general if made.code is None else made.code.builtin(recipe.function, general)
        self = super().__new__(cls, entry)
        self._recipe, self._job, self._general = recipe, job, general
        self.operations = made.operations
        slow_entry = () if made.code is None or known_layout() else (SLOW_ENTRY,)
        self.remarks = (*made.remarks, *slow_entry)
        return self

    @classmethod
    def from_cache(cls, recipe: Recipe) -> Kernel | None:
        """The kernel if an earlier process left it in the cache."""
        made = stored(recipe.job(), recipe.identity())
        return None if made is None else cls(recipe, made)

    @property
    def job(self) -> TraceJob:
        """What was traced."""
        return self._job

    def computed(self, arrays: Mapping[str, Array]) -> Array:
        """The result for arrays that were checked already, by the names of the inputs."""
        return self._general.computed(arrays, None)

    @property
    def has_code(self) -> bool:
        """Whether it is machine code; a program above the size limit is not."""
        return self._general.code is not None

    def __reduce__(self) -> tuple[type[Kernel], tuple[Recipe]]:
        return Kernel, (self._recipe,)

    def _repr_html_(self) -> str:
        rows = [(name, size) for name, size in self._job.sizes().items()]
        facts = [("result", self._job.shape()), ("operations", self.operations.arithmetic)]
        return table(["kernel", self.name], [*rows, *facts, *(("remark", one) for one in self.remarks)])

    def __repr__(self) -> str:
        inputs = ", ".join(f"{name} {size}" for name, size in self._job.sizes().items())
        what = f"d {self.name} / d ({', '.join(self._recipe.wrt)})" if self._recipe.wrt else self.name
        return f"<Kernel {what} of {inputs}: result {self._job.shape()}, {self.operations.arithmetic} operations>"

    @property
    def name(self) -> str:
        """The name of the function."""
        return self._recipe.function

    @property
    def inputs(self) -> dict[str, int]:
        """Every input with its number of entries; all may be given by position in this order."""
        return self._job.sizes()

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
        for name, count in self._job.columns().items():
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
        known = list(self._job.sizes())
        for name in inputs:
            if name not in known:
                raise InputError(
                    f"{self.name}: there is no input {name!r} to differentiate by. {did_you_mean(name, known)}"
                )
        return Kernel(replace(self._recipe, wrt=tuple(inputs) or tuple(known)))

    def source(self, language: str = "c") -> str:
        """The program as source text: C99 without allocation that needs nothing but `sin` and `cos`.

        `integrate` and `difference` of free and spherical joints also need `sqrt` and `atan2`. A derivative has the
        name of its function with `_by_` and the inputs.
        """
        if language != "c":
            raise InputError(f"there is no source in {language!r}. Use 'c'.")
        name = "_".join([self.name, *(["by", *self._recipe.wrt] if self._recipe.wrt else [])])
        return c_source(traced(self._job), name, self._job.sizes(), layout_of(self._job).outputs)


@check_arguments
def compile(
    function: Callable[..., Any] | str,
    robot_or_mech: Robot | Mechanism,
    parameters: str | Sequence[str] = (),
    approximation: str = "exact",
    **fixed: Any,
) -> Kernel:
    """Compile a function of the dynamics for one robot or machine.

    Args:
        function: a public function such as `gw.inverse_dynamics`, or its name.
        robot_or_mech: a robot (parameters are then paths of its file, and their wheels follow) or a machine.
        parameters: paths of numbers that stay inputs, such as "payload.mass", "j2.motor.inertia", "j2.gear.ratio".
        approximation: the machine as a simpler tool sees it, one of the kinds of `approximate`; the parameters stay
            those of the robot.
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
    recipe = recipe_of(function, robot_or_mech, parameters, fixed)
    return Kernel(replace(recipe, approximation=approximation))
