"""Programs whose inputs count neither coordinates nor speeds."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from gearwright.mechanism import Mechanism
from gearwright.programs.program import Fixed, Program


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
