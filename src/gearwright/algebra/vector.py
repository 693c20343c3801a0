"""A vector of three scalars."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from gearwright.algebra.scalar import Scalar


class Vec:
    """Three scalars that add, scale, and multiply as `dot` and `cross`.

    >>> Vec(1, 0, 0).cross(Vec(0, 1, 0)) * 2
    Vec(0, 0, 2)
    """

    __slots__ = ("x", "y", "z")
    __array_ufunc__ = None  # the product array * Vec is computed by Vec

    def __init__(self, x: Scalar, y: Scalar, z: Scalar) -> None:
        self.x, self.y, self.z = x, y, z

    @staticmethod
    def from_values(values: Vec | Sequence[Scalar]) -> Vec:
        """A vector from any three scalars.

        >>> Vec.from_values([1, 2, 3])
        Vec(1, 2, 3)
        """
        if isinstance(values, Vec):
            return values
        x, y, z = values
        return Vec(x, y, z)

    def __iter__(self) -> Iterator[Scalar]:
        return iter((self.x, self.y, self.z))

    def __repr__(self) -> str:
        return f"Vec({self.x!r}, {self.y!r}, {self.z!r})"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Vec) and tuple(self) == tuple(other)

    def __hash__(self) -> int:
        return hash((self.x, self.y, self.z))

    def __add__(self, other: Vec) -> Vec:
        return Vec(self.x + other.x, self.y + other.y, self.z + other.z)

    def __sub__(self, other: Vec) -> Vec:
        return Vec(self.x - other.x, self.y - other.y, self.z - other.z)

    def __neg__(self) -> Vec:
        return Vec(-self.x, -self.y, -self.z)

    def __mul__(self, factor: Scalar) -> Vec:
        return Vec(self.x * factor, self.y * factor, self.z * factor)

    __rmul__ = __mul__

    def dot(self, other: Vec) -> Scalar:
        """The scalar product."""
        return self.x * other.x + self.y * other.y + self.z * other.z

    def cross(self, other: Vec) -> Vec:
        """The vector product, self x other."""
        return Vec(
            self.y * other.z - self.z * other.y,
            self.z * other.x - self.x * other.z,
            self.x * other.y - self.y * other.x,
        )


ZERO = Vec(0.0, 0.0, 0.0)
"""The vector of structural zeros."""

X_AXIS, Y_AXIS, Z_AXIS = UNIT_AXES = (Vec(1.0, 0.0, 0.0), Vec(0.0, 1.0, 0.0), Vec(0.0, 0.0, 1.0))
"""The axes of a frame, in its own coordinates."""
