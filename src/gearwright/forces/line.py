"""Lines: along what a force acts, as a row over the generalized speeds."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from gearwright.algebra import Scalar
from gearwright.errors import InputError
from gearwright.mechanism import Mechanism
from gearwright.mechanism.rows import Row, Terms, along, full_row, terms
from gearwright.text import listed


@dataclass(frozen=True)
class Line:
    """A row b over the speeds of one machine: a force f along it is the generalized force b f.

    Args:
        terms: (speed index, factor) where the row is not zero.
        places: per term the index of the coordinate, -1 where a speed (of a free, spherical or planar joint) has none.
        speeds: names of all speeds of the machine.
        inlet: for the push of a drag whose flow is counted along another line than its force acts (the loss of a mesh
            far from the motor): the line along which forces enter.

    >>> import gearwright as gw
    >>> arm = gw.assemble(gw.load("elbow"))
    >>> Line.of(arm, {"j2": 100.0}).speed([0.0, 0.02, 0.0])
    2.0
    """

    terms: Terms
    places: tuple[int, ...]
    speeds: tuple[str, ...]
    inlet: Line | None = None

    @staticmethod
    def of(mech: Mechanism, row: str | Row) -> Line:
        """The line of a speed given by name, of a mapping from speed names to factors, or of a full row."""
        named: Row = {row: 1.0} if isinstance(row, str) else row
        entries = terms(full_row("line", named, mech.layout.index))
        if not entries:
            raise InputError(f"line: the row {row!r} is zero, so nothing acts along it. Name at least one speed.")
        return Line(entries, tuple(mech.layout.coordinate_of[index] for index, _ in entries), mech.speeds)

    @property
    def name(self) -> str:
        """The speeds it runs along, for messages."""
        return listed((self.speeds[index] for index, _ in self.terms), " and ")

    def position(self, q: Sequence[Scalar]) -> Scalar:
        """The coordinate along the line, b . q [rad, m]."""
        total: Scalar = 0.0
        for (index, factor), place in zip(self.terms, self.places, strict=True):
            if place < 0:
                raise InputError(
                    f"line: speed {self.speeds[index]!r} of a free, spherical or planar joint has no coordinate of its "
                    "own. Let laws that depend on positions act along other joints."
                )
            total = total + factor * q[place]
        return total

    def speed(self, v: Sequence[Scalar]) -> Scalar:
        """The speed along the line, b . v; with accelerations in place of v, the acceleration along it."""
        return along(self.terms, v)

    def share_of(self, other: Line) -> float:
        """The factor c with which this line is c times the other one, or its inlet; they must be parallel."""
        mine, its = dict(self.terms), dict((other.inlet or other).terms)
        index = next(iter(its))
        factor = float(mine.get(index, 0.0)) / float(its[index])
        if mine.keys() != its.keys() or any(abs(mine[k] - factor * its[k]) > 1e-9 * abs(mine[k]) for k in its):
            raise InputError(
                f"line: {self.name} is not parallel to {other.name}, so a force along the one does not run through the "
                "other. Give both along the same motor."
            )
        return factor
