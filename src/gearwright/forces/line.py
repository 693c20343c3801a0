"""Lines: along what a force acts, as a row over the generalized speeds."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from gearwright.algebra import Operations, Scalar
from gearwright.errors import InputError
from gearwright.forces.shared_kinematics import Scene
from gearwright.mechanism import Mechanism
from gearwright.mechanism.rows import Row, Terms, along, full_row, terms
from gearwright.text import listed


class Line:
    r"""A coordinate s of one machine: a force f along it is the generalized force b f, with the row b = ds/dq.

    A row that is the same everywhere is a `ConstantLine`; `Line.of` makes it. One that depends on the configuration or
    on time is a `Coordinate`, and has a row only where it is `placed`. Along a placed line

    - speed: $\dot s = b \cdot v + \partial s / \partial t$
    - acceleration: $\ddot s = b \cdot a + drift$, where the drift is $\dot b \cdot v$ and what explicit time adds

    Laws ask their situation (`situation.position(line)`, `speed`, `acceleration`), which places lines for them.

    >>> import gearwright as gw
    >>> arm = gw.assemble(gw.load("elbow"))
    >>> Line.of(arm, {"j2": 100.0}).speed([0.0, 0.02, 0.0])
    2.0
    """

    terms: Terms
    """(speed index, factor) where the row is not zero; a coordinate has them only where it is placed."""

    speeds: tuple[str, ...]
    inlet: Line | None = None

    @property
    def constant(self) -> bool:
        """Whether its row is the same everywhere."""
        return False

    @property
    def rate(self) -> Scalar:
        """What explicit time adds to the speed along it."""
        return 0.0

    @property
    def drift(self) -> Scalar:
        """The acceleration along it while no speed changes."""
        return 0.0

    @property
    def name(self) -> str:
        """What it is called in messages."""
        raise NotImplementedError

    @staticmethod
    def of(mech: Mechanism, row: str | Row) -> ConstantLine:
        """The line of a speed given by name, of a mapping from speed names to factors, or of a full row."""
        named: Row = {row: 1.0} if isinstance(row, str) else row
        entries = terms(full_row("line", named, mech.layout.index))
        if not entries:
            raise InputError(f"line: the row {row!r} is zero, so nothing acts along it. Name at least one speed.")
        return ConstantLine(entries, tuple(mech.layout.coordinate_of[index] for index, _ in entries), mech.speeds)

    def placed(self, scene: Scene) -> Line:
        """The line where the machine is, with its row."""
        return self

    def watched(self, scene: Scene, ops: Operations) -> None:
        """Compute it with other operations, which note where it bends."""

    def position(self, q: Sequence[Scalar]) -> Scalar:
        """The coordinate along the line, s [rad, m]."""
        raise NotImplementedError

    def speed(self, v: Sequence[Scalar]) -> Scalar:
        """The speed along the line."""
        return along(self.terms, v) + self.rate

    def acceleration(self, a: Sequence[Scalar]) -> Scalar:
        """The acceleration along the line."""
        return along(self.terms, a) + self.drift

    def share_of(self, other: Line) -> float:
        """The factor c with which this line is c times the other one, or its inlet; they must be parallel."""
        if (other.inlet or other) == self:
            return 1.0
        if not self.constant or not other.constant:
            raise self._unparallel(other)
        mine, its = dict(self.terms), dict((other.inlet or other).terms)
        index = next(iter(its))
        factor = float(mine.get(index, 0.0)) / float(its[index])
        if mine.keys() != its.keys() or any(abs(mine[k] - factor * its[k]) > 1e-9 * abs(mine[k]) for k in its):
            raise self._unparallel(other)
        return factor

    def _unparallel(self, other: Line) -> InputError:
        return InputError(
            f"line: {self.name} is not parallel to {other.name}, so a force along the one does not run through the "
            "other. Give both along the same motor."
        )


@dataclass(frozen=True)
class ConstantLine(Line):
    """A row b over the speeds of one machine that is the same everywhere; `Line.of` makes it.

    Args:
        terms: (speed index, factor) where the row is not zero.
        places: per term the index of the coordinate, -1 where a speed (of a free, spherical or planar joint) has none.
        speeds: names of all speeds of the machine.
        inlet: for the push of a drag whose flow is counted along another line than its force acts (the loss of a mesh
            far from the motor): the line along which forces enter.
    """

    terms: Terms
    places: tuple[int, ...]
    speeds: tuple[str, ...]
    inlet: Line | None = None

    @property
    def constant(self) -> bool:
        """It is."""
        return True

    def placed(self, scene: Scene) -> Line:
        """The same; an inlet that depends on the configuration is placed."""
        if self.inlet is None or self.inlet.constant:
            return self
        return replace(self, inlet=self.inlet.placed(scene))

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
                    "own. Let laws that depend on positions act along other joints, or along a coordinate "
                    "(gw.forces.distance, tendon, angle, displacement, Coordinate)."
                )
            total = total + factor * q[place]
        return total

    def speed(self, v: Sequence[Scalar]) -> Scalar:
        """The speed along the line, b . v."""
        return along(self.terms, v)

    def acceleration(self, a: Sequence[Scalar]) -> Scalar:
        """The acceleration along the line, b . a."""
        return along(self.terms, a)
