"""The program: what a public function computes over scalars of any kind, stated once for every backend.

The inputs of a `Program` count coordinates and speeds; a `VectorProgram` has inputs of sizes of their own.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeAlias

from gearwright.algebra import Operations, Rot, Scalar, Tensor, Vec
from gearwright.mechanism import Mechanism

Inputs: TypeAlias = Mapping[str, Sequence[Scalar]]
"""Per input its scalars."""

Fixed: TypeAlias = Mapping[str, Any]
"""What is decided before running: a body, a point, which bodies feel wrenches."""

WRENCH = "wrench."
"""An input called wrench.<body> is a wrench on that body."""

BASE_MOTION = "base_motion"
"""The input that holds the motion of the base."""

WRENCH_ENTRIES = ("fx", "fy", "fz", "mx", "my", "mz")
BASE_MOTION_ENTRIES = tuple(f"{kind}.{axis}" for kind in ("omega", "alpha", "acceleration") for axis in "xyz")


@dataclass(frozen=True)
class Program:
    """A function of the dynamics over scalars of any kind.

    Args:
        name: its public name.
        inputs: names of its inputs.
        run: (machine, operations, inputs, fixed) -> scalars, nested as they come (`flatten` makes them a list).
        shape: (machine, fixed) -> shape of the result for one state.
        outside: whether external wrenches and base motion may be among the inputs.
        growth: power of the number of bodies with which its operations grow.
        linear: whether they grow linearly on a machine all the same.
        options: names of what must or may be fixed before running.
        parts: machine -> (name, shape) of what the public function returns one by one; None: it returns one array.
        per_coordinate: the inputs with a number per coordinate; the others have one per speed.
        entries: names of the entries of inputs that count neither coordinates nor speeds.
        ready: kernels of machines in use, by the identity of the machine.
    """

    name: str
    inputs: tuple[str, ...]
    run: Callable[[Mechanism, Operations, Inputs, Fixed], Any]
    shape: Callable[[Mechanism, Fixed], tuple[int, ...]]
    outside: bool = False
    growth: int = 1
    linear: Callable[[Mechanism], bool] = lambda _: False
    options: tuple[str, ...] = ()
    parts: Callable[[Mechanism], dict[str, tuple[int, ...]]] | None = None
    per_coordinate: tuple[str, ...] = ("q",)
    entries: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    ready: dict[int, Callable[..., Any]] = field(default_factory=dict, repr=False, compare=False)

    def sizes(self, mech: Mechanism, fixed: Fixed) -> dict[str, int]:
        """Every input with its number of scalars, in the order of the public arguments."""
        sizes = {name: len(self.entry_names(mech, name)) for name in self.inputs}
        for body in fixed.get("wrenches", ()):
            sizes[WRENCH + body] = 6
        if fixed.get("base_motion"):
            sizes[BASE_MOTION] = 9
        return sizes

    def results(self, mech: Mechanism, fixed: Fixed) -> dict[str, tuple[int, ...]]:
        """What the public function returns: per result its shape for one state, in the order of the scalars."""
        return {"out": self.shape(mech, fixed)} if self.parts is None else self.parts(mech)

    def entry_names(self, mech: Mechanism, name: str) -> Sequence[str]:
        """What the entries of an input are called."""
        if name.startswith(WRENCH):
            return WRENCH_ENTRIES
        if name == BASE_MOTION:
            return BASE_MOTION_ENTRIES
        if name in self.entries:
            return self.entries[name]
        return mech.coordinates if name in self.per_coordinate else mech.speeds


def flatten(nested: Any) -> list[Scalar]:
    """The scalars of nested lists, vectors and matrices, in order.

    >>> flatten([1, Vec(2, 3, 4), [[5]]])
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
    """A program whose inputs have sizes of their own, and names of their entries where somebody states them."""

    contents: dict[str, int] = field(default_factory=dict)
    names: dict[str, tuple[str, ...]] = field(default_factory=dict)

    def sizes(self, mech: Mechanism, fixed: Fixed) -> dict[str, int]:
        """Every input with its number of scalars."""
        return dict(self.contents)

    def entry_names(self, mech: Mechanism, name: str) -> Sequence[str]:
        """What the entries of an input are called; numbers where nobody says."""
        return self.names.get(name) or tuple(map(str, range(self.contents[name])))
