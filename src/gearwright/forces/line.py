"""Lines along which forces act, as rows over the generalised speeds."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from gearwright.algebra import Operations, Scalar
from gearwright.errors import InputError
from gearwright.forces.shared_kinematics import SharedKinematics
from gearwright.mechanism import Mechanism, RobotOrMech, Row, Terms, full_row, nonzero_terms, row_dot, tree_of
from gearwright.text import listed_names


class Line:
    r"""A coordinate s of one machine: a force f along it is the generalised force b f, with the row b = ds/dq.

    A constant row is a `ConstantLine`; `Line.for_machine` creates it. A row that depends on the configuration or on
    time is a `Coordinate`; it is available after `placed_in`. Along a placed line

    - speed: $\dot s = b \cdot v + \partial s / \partial t$
    - acceleration: $\ddot s = b \cdot a + drift$, where the drift is $\dot b \cdot v$ plus the terms of explicit time

    Laws use their situation (`situation.position(line)`, `speed`, `acceleration`), which places lines for them.

    >>> import gearwright as gw
    >>> arm = gw.assemble(gw.load("elbow"))
    >>> Line.for_machine(arm, {"j2": 100.0}).speed([0.0, 0.02, 0.0])
    2.0
    """

    terms: Terms
    """(speed index, factor) where the row is not zero; of a coordinate only after it is placed."""

    speeds: tuple[str, ...]
    inlet: Line | None = None

    @property
    def is_constant(self) -> bool:
        """Whether its row is constant."""
        return False

    @property
    def time_rate(self) -> Scalar:
        """The part of the speed along it that is due to explicit time."""
        return 0.0

    @property
    def drift(self) -> Scalar:
        """The acceleration along it at constant speeds."""
        return 0.0

    @property
    def name(self) -> str:
        """Its name in messages."""
        raise NotImplementedError

    @staticmethod
    def for_machine(mech: RobotOrMech, row: str | Row) -> ConstantLine:
        """Return the line of a speed given by name, of a mapping from speed names to factors, or of a full row."""
        machine = mech if isinstance(mech, Mechanism) else tree_of("coordinate", mech)
        named_row: Row = {row: 1.0} if isinstance(row, str) else row
        entries = nonzero_terms(full_row("line", named_row, machine.layout.speed_indices))
        if not entries:
            raise InputError(f"line: the row {row!r} is zero, so no force acts along it. Name at least one speed.")
        return ConstantLine(entries, tuple(machine.layout.coordinate_of[index] for index, _ in entries), machine.speeds)

    def placed_in(self, kinematics: SharedKinematics) -> Line:
        """The line with its row at the current configuration."""
        return self

    def record_branches(self, kinematics: SharedKinematics, ops: Operations) -> None:
        """Evaluate it with operations that record its branch points."""

    def position(self, q: Sequence[Scalar]) -> Scalar:
        """The coordinate along the line, s [rad, m]."""
        raise NotImplementedError

    def speed(self, v: Sequence[Scalar]) -> Scalar:
        """The speed along the line."""
        return row_dot(self.terms, v) + self.time_rate

    def acceleration(self, a: Sequence[Scalar]) -> Scalar:
        """The acceleration along the line."""
        return row_dot(self.terms, a) + self.drift

    def share_of(self, other_line: Line) -> float:
        """The factor c for which this line is c times the other one, or its inlet; they must be parallel."""
        if (other_line.inlet or other_line) == self:
            return 1.0
        if not self.is_constant or not other_line.is_constant:
            raise self._not_parallel_error(other_line)
        own_terms, other_terms = dict(self.terms), dict((other_line.inlet or other_line).terms)
        index = next(iter(other_terms))
        factor = float(own_terms.get(index, 0.0)) / float(other_terms[index])
        if own_terms.keys() != other_terms.keys() or any(
            abs(own_terms[k] - factor * other_terms[k]) > 1e-9 * abs(own_terms[k]) for k in other_terms
        ):
            raise self._not_parallel_error(other_line)
        return factor

    def _not_parallel_error(self, other_line: Line) -> InputError:
        return InputError(
            f"line: {self.name} is not parallel to {other_line.name}, so a force along one does not act through the "
            "other. Give both along the same motor."
        )


@dataclass(frozen=True)
class ConstantLine(Line):
    """A constant row b over the speeds of one machine; `Line.for_machine` creates it.

    Args:
        terms: (speed index, factor) where the row is not zero.
        coordinate_indices: the coordinate index of each term, -1 for a speed without one (of a free, spherical or
            planar joint).
        speeds: names of all speeds of the machine.
        inlet: for the push of a drag whose flow is along another line than its force (the loss of a mesh far from the
            motor): the line of the flow.
    """

    terms: Terms
    coordinate_indices: tuple[int, ...]
    speeds: tuple[str, ...]
    inlet: Line | None = None

    @property
    def is_constant(self) -> bool:
        """True."""
        return True

    def placed_in(self, kinematics: SharedKinematics) -> Line:
        """The line itself; an inlet that depends on the configuration is placed."""
        if self.inlet is None or self.inlet.is_constant:
            return self
        return replace(self, inlet=self.inlet.placed_in(kinematics))

    @property
    def name(self) -> str:
        """The names of its speeds, for messages."""
        return listed_names((self.speeds[index] for index, _ in self.terms), " and ")

    def position(self, q: Sequence[Scalar]) -> Scalar:
        """The coordinate along the line, b . q [rad, m]."""
        total: Scalar = 0.0
        for (index, factor), coordinate in zip(self.terms, self.coordinate_indices, strict=True):
            if coordinate < 0:
                raise InputError(
                    f"line: speed {self.speeds[index]!r} of a free, spherical or planar joint is not the rate of a "
                    "coordinate. For laws that depend on positions use other joints, or a coordinate "
                    "(gw.forces.distance, tendon, angle, displacement, Coordinate)."
                )
            total = total + factor * q[coordinate]
        return total

    def speed(self, v: Sequence[Scalar]) -> Scalar:
        """The speed along the line, b . v."""
        return row_dot(self.terms, v)

    def acceleration(self, a: Sequence[Scalar]) -> Scalar:
        """The acceleration along the line, b . a."""
        return row_dot(self.terms, a)
