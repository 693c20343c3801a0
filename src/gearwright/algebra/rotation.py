"""A 3 x 3 matrix of nine scalars: a rotation or any other linear map of vectors."""

from __future__ import annotations

from collections.abc import Sequence

from gearwright.algebra.scalar import Scalar
from gearwright.algebra.vector import Vec


class Rot:
    """Nine scalars in three rows; `R @ v` transforms a vector from the child's axes to the parent's.

    >>> turn = Rot.about_axis(Vec(0, 0, 1), cos=0, sin=1)     # a quarter turn about_axis z
    >>> turn @ Vec(1, 0, 0)
    Vec(0, 1, 0)
    >>> turn.T @ Vec(0, 1, 0)
    Vec(1, 0, 0)
    """

    __slots__ = ("a", "b", "c")
    __array_ufunc__ = None

    def __init__(self, a: Vec, b: Vec, c: Vec) -> None:
        self.a, self.b, self.c = a, b, c

    @staticmethod
    def from_rows(rows: Rot | Sequence[Sequence[Scalar]]) -> Rot:
        """A matrix from three rows of three scalars."""
        if isinstance(rows, Rot):
            return rows
        a, b, c = rows
        return Rot(Vec.from_values(a), Vec.from_values(b), Vec.from_values(c))

    @staticmethod
    def about_axis(axis: Vec, cos: Scalar, sin: Scalar) -> Rot:
        """Rodrigues' formula: the rotation about a unit axis by the angle of that cosine and sine.

        R = cos 1 + sin S(e) + (1 - cos) e e'   (handbook chapter of Vukobratovic and Potkonjak, eq. 20.108).
        """
        e, versine = axis, 1 - cos  # Vukobratovic (20.107)-(20.111), corrected
        s = e * sin
        return Rot(
            Vec(cos + versine * (e.x * e.x), versine * (e.x * e.y) - s.z, versine * (e.x * e.z) + s.y),
            Vec(versine * (e.x * e.y) + s.z, cos + versine * (e.y * e.y), versine * (e.y * e.z) - s.x),
            Vec(versine * (e.x * e.z) - s.y, versine * (e.y * e.z) + s.x, cos + versine * (e.z * e.z)),
        )

    @staticmethod
    def from_quaternion(w: Scalar, x: Scalar, y: Scalar, z: Scalar) -> Rot:
        """Return the rotation of a nonzero quaternion of any length, without a square root."""
        k = 2 / (w * w + x * x + y * y + z * z)
        return Rot(
            Vec(1 - k * (y * y + z * z), k * (x * y - w * z), k * (x * z + w * y)),
            Vec(k * (x * y + w * z), 1 - k * (x * x + z * z), k * (y * z - w * x)),
            Vec(k * (x * z - w * y), k * (y * z + w * x), 1 - k * (x * x + y * y)),
        )

    @staticmethod
    def cross_matrix(v: Vec) -> Rot:
        """S(v), the matrix of the vector product: S(v) @ u = v x u."""
        return Rot(Vec(0.0, -v.z, v.y), Vec(v.z, 0.0, -v.x), Vec(-v.y, v.x, 0.0))

    @staticmethod
    def acceleration_field(omega: Vec, alpha: Vec) -> Rot:
        """S(alpha) + S(omega) S(omega): times r, the acceleration of a point at r relative to the origin."""
        w = omega
        xx, yy, zz = w.x * w.x, w.y * w.y, w.z * w.z
        xy, xz, yz = w.x * w.y, w.x * w.z, w.y * w.z
        return Rot(
            Vec(-(yy + zz), xy - alpha.z, xz + alpha.y),
            Vec(xy + alpha.z, -(xx + zz), yz - alpha.x),
            Vec(xz - alpha.y, yz + alpha.x, -(xx + yy)),
        )

    def __repr__(self) -> str:
        return f"Rot({self.a!r}, {self.b!r}, {self.c!r})"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Rot) and self.rows() == other.rows()

    def __hash__(self) -> int:
        return hash(self.rows())

    def rows(self) -> tuple[tuple[Scalar, ...], ...]:
        """Three rows of three scalars."""
        return tuple(self.a), tuple(self.b), tuple(self.c)

    def columns(self) -> tuple[Vec, Vec, Vec]:
        """The three columns: the child's axes in the parent's axes."""
        a, b, c = self.a, self.b, self.c
        return Vec(a.x, b.x, c.x), Vec(a.y, b.y, c.y), Vec(a.z, b.z, c.z)

    @property
    def T(self) -> Rot:
        """The transpose; for a rotation, the inverse."""
        return Rot(*self.columns())

    def __matmul__(self, v: Vec) -> Vec:
        return Vec(self.a.dot(v), self.b.dot(v), self.c.dot(v))

    def after(self, other: Rot) -> Rot:
        """Return the matrix product self other: rotation `other` first, then `self`."""
        columns = [self @ column for column in other.columns()]
        return Rot(*columns).T

    def __add__(self, other: Rot) -> Rot:
        return Rot(self.a + other.a, self.b + other.b, self.c + other.c)

    def __sub__(self, other: Rot) -> Rot:
        return Rot(self.a - other.a, self.b - other.b, self.c - other.c)

    def __mul__(self, factor: Scalar) -> Rot:
        return Rot(self.a * factor, self.b * factor, self.c * factor)


IDENTITY = Rot(Vec(1.0, 0.0, 0.0), Vec(0.0, 1.0, 0.0), Vec(0.0, 0.0, 1.0))
"""The identity rotation."""
