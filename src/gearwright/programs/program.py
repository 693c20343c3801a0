"""The program: the computation of a public function over generic scalars, defined once for every backend.

The inputs of a `Program` have one entry per coordinate or speed; those of a `VectorProgram` have arbitrary sizes.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeAlias

from gearwright.algebra import Operations, Rot, Scalar, Tensor, Vec
from gearwright.mechanism import Mechanism

Inputs: TypeAlias = Mapping[str, Sequence[Scalar]]
"""The scalars of each input by name."""

Fixed: TypeAlias = Mapping[str, Any]
"""Options that are fixed before running: a body, a point, the bodies with wrenches."""

WRENCH = "wrench."
"""An input wrench.<body> is a wrench on that body."""

BASE_MOTION = "base_motion"
"""The input that holds the motion of the base."""

WRENCH_ENTRIES = ("fx", "fy", "fz", "mx", "my", "mz")
BASE_MOTION_ENTRIES = tuple(f"{kind}.{axis}" for kind in ("omega", "alpha", "acceleration") for axis in "xyz")


def _check_body(mech: Mechanism, fixed: Fixed) -> object:
    return mech.place_of(fixed["body"]) if "body" in fixed else None


@dataclass(frozen=True)
class Program:
    """A function of the dynamics over generic scalars.

    Args:
        name: its public name.
        inputs: names of its inputs.
        run: (machine, operations, inputs, fixed) -> scalars, nested in any way (`flatten_scalars` makes them a list).
        shape: (machine, fixed) -> shape of the result for one state.
        takes_external_loads: whether external wrenches and base motion may be among the inputs.
        growth: exponent of the growth of its operations with the number of bodies.
        passes: how often it goes through all bodies, for the estimate of its time without a kernel.
        linear: whether they nevertheless grow linearly on a given machine.
        options: names of required and optional fixed values.
        check_options: (machine, fixed) raises an error if the fixed values do not fit the machine.
        parts: machine -> (name, shape) of the separate results of the public function; None: it returns one array.
        per_coordinate: the inputs with one entry per coordinate; the others have one per speed.
        entries: names of the entries of inputs that are neither per coordinate nor per speed.
        optional_inputs: further inputs, present if the fixed value of the same name is True.
        needs_closed_loops: whether its configurations must close the loops of a machine that has them; geometry at a
            whole configuration does not need it.
        ready: kernels of machines in use, by the identity of the machine.
    """

    name: str
    inputs: tuple[str, ...]
    run: Callable[[Mechanism, Operations, Inputs, Fixed], Any]
    shape: Callable[[Mechanism, Fixed], tuple[int, ...]]
    takes_external_loads: bool = False
    growth: int = 1
    passes: int = 1
    linear: Callable[[Mechanism], bool] = lambda _: False
    options: tuple[str, ...] = ()
    check_options: Callable[[Mechanism, Fixed], object] = _check_body
    parts: Callable[[Mechanism], dict[str, tuple[int, ...]]] | None = None
    per_coordinate: tuple[str, ...] = ("q",)
    entries: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    optional_inputs: tuple[str, ...] = ()
    needs_closed_loops: bool = True
    ready: dict[int, Callable[..., Any]] = field(default_factory=dict, repr=False, compare=False)

    def input_sizes(self, mech: Mechanism, fixed: Fixed) -> dict[str, int]:
        """The number of scalars of every input, in the order of the public arguments."""
        scalar_counts = {name: len(self.entry_names(mech, name)) for name in self.inputs}
        for body in fixed.get("wrenches", ()):
            scalar_counts[WRENCH + body] = 6
        if fixed.get("base_motion"):
            scalar_counts[BASE_MOTION] = 9
        for name in self.optional_inputs:
            if fixed.get(name):
                scalar_counts[name] = len(self.entries[name])
        return scalar_counts

    def result_shapes(self, mech: Mechanism, fixed: Fixed) -> dict[str, tuple[int, ...]]:
        """The shape of each result of the public function for one state, in the order of the scalars."""
        return {"out": self.shape(mech, fixed)} if self.parts is None else self.parts(mech)

    def entry_names(self, mech: Mechanism, name: str) -> Sequence[str]:
        """The names of the entries of an input."""
        if name.startswith(WRENCH):
            return WRENCH_ENTRIES
        if name == BASE_MOTION:
            return BASE_MOTION_ENTRIES
        if name in self.entries:
            return self.entries[name]
        return mech.coordinates if name in self.per_coordinate else mech.speeds


def flatten_scalars(nested: Any) -> list[Scalar]:
    """The scalars of nested lists, vectors and matrices, in order.

    >>> flatten_scalars([1, Vec(2, 3, 4), [[5]]])
    [1, 2, 3, 4, 5]
    """
    return list(_scalars_in(nested))


def _scalars_in(nested: Any) -> Iterator[Scalar]:
    if isinstance(nested, Rot | Tensor):
        nested = nested.rows()
    if isinstance(nested, list | tuple | Vec):
        for item in nested:
            yield from _scalars_in(item)
    else:
        yield nested


@dataclass(frozen=True)
class VectorProgram(Program):
    """A program whose inputs have arbitrary sizes, and optionally names of their entries."""

    vector_sizes: dict[str, int] = field(default_factory=dict)
    names: dict[str, tuple[str, ...]] = field(default_factory=dict)

    def input_sizes(self, mech: Mechanism, fixed: Fixed) -> dict[str, int]:
        """The number of scalars of every input."""
        return dict(self.vector_sizes)

    def entry_names(self, mech: Mechanism, name: str) -> Sequence[str]:
        """The names of the entries of an input; numbers by default."""
        return self.names.get(name) or tuple(map(str, range(self.vector_sizes[name])))
