"""A symmetric tensor of six scalars."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from gearwright.algebra.hinge import Hinge, rotate_in_plane, rotate_tensor_in_plane
from gearwright.algebra.rotation import Rot
from gearwright.algebra.scalar import Scalar
from gearwright.algebra.vector import Vec


class Tensor:
    """Six elements of a symmetric matrix, in the order xx, xy, xz, yy, yz, zz (elements, not products of inertia).

    >>> Tensor.diagonal(1, 2, 3) @ Vec(1, 1, 1)
    Vec(1.0, 2.0, 3.0)
    """

    __slots__ = ("xx", "xy", "xz", "yy", "yz", "zz")

    def __init__(self, xx: Scalar, xy: Scalar, xz: Scalar, yy: Scalar, yz: Scalar, zz: Scalar) -> None:
        self.xx, self.xy, self.xz, self.yy, self.yz, self.zz = xx, xy, xz, yy, yz, zz

    @staticmethod
    def diagonal(xx: Scalar, yy: Scalar, zz: Scalar) -> Tensor:
        """A tensor in its principal axes."""
        return Tensor(xx, 0.0, 0.0, yy, 0.0, zz)

    @staticmethod
    def from_rows(rows: Tensor | Sequence[Sequence[Scalar]]) -> Tensor:
        """A tensor from the rows of a symmetric matrix; the upper triangle is read."""
        if isinstance(rows, Tensor):
            return rows
        (xx, xy, xz), (_, yy, yz), (_, _, zz) = rows
        return Tensor(xx, xy, xz, yy, yz, zz)

    @staticmethod
    def dyad(e: Vec, factor: Scalar = 1.0) -> Tensor:
        """The dyad factor e e'."""
        f = e * factor
        return Tensor(f.x * e.x, f.x * e.y, f.x * e.z, f.y * e.y, f.y * e.z, f.z * e.z)

    @staticmethod
    def of_point_mass(r: Vec, mass: Scalar) -> Tensor:
        """The inertia of a point mass at r about the origin, m (r.r 1 - r r')."""
        s = r * mass
        return Tensor(
            s.y * r.y + s.z * r.z,
            -(s.x * r.y),
            -(s.x * r.z),
            s.x * r.x + s.z * r.z,
            -(s.y * r.z),
            s.x * r.x + s.y * r.y,
        )

    @staticmethod
    def of_revolution(e: Vec, axial: Scalar, transverse: Scalar) -> Tensor:
        """The inertia of a body of revolution about its centre: transverse 1 + (axial - transverse) e e'."""
        return Tensor.diagonal(transverse, transverse, transverse) + Tensor.dyad(e, axial - transverse)

    def __iter__(self) -> Iterator[Scalar]:
        return iter((self.xx, self.xy, self.xz, self.yy, self.yz, self.zz))

    def __repr__(self) -> str:
        return f"Tensor({', '.join(repr(x) for x in self)})"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Tensor) and tuple(self) == tuple(other)

    def __hash__(self) -> int:
        return hash(tuple(self))

    def rows(self) -> tuple[tuple[Scalar, ...], ...]:
        """The full matrix as three rows."""
        return (self.xx, self.xy, self.xz), (self.xy, self.yy, self.yz), (self.xz, self.yz, self.zz)

    def full_matrix(self) -> Rot:
        """The full matrix as nine scalars."""
        return Rot.from_rows(self.rows())

    def __add__(self, other: Tensor) -> Tensor:
        return Tensor(*(x + y for x, y in zip(self, other, strict=True)))

    def __sub__(self, other: Tensor) -> Tensor:
        return Tensor(*(x - y for x, y in zip(self, other, strict=True)))

    def __matmul__(self, v: Vec) -> Vec:
        return Vec(
            self.xx * v.x + self.xy * v.y + self.xz * v.z,
            self.xy * v.x + self.yy * v.y + self.yz * v.z,
            self.xz * v.x + self.yz * v.y + self.zz * v.z,
        )

    def rotated_by(self, R: Rot) -> Tensor:
        """The same tensor in other axes, R I R'."""
        if isinstance(R, Hinge):
            return self._rotated_by_hinge(R)
        half = R.after(self.full_matrix())
        p, q, r = half.a, half.b, half.c
        return Tensor(p.dot(R.a), p.dot(R.b), p.dot(R.c), q.dot(R.b), q.dot(R.c), r.dot(R.c))

    def _rotated_by_hinge(self, R: Hinge) -> Tensor:
        xx, xy, yy = rotate_tensor_in_plane(R.turn, self.xx, self.xy, self.yy)
        xz, yz = rotate_in_plane(R.turn, self.xz, self.yz)
        yy, yz, zz = rotate_tensor_in_plane(R.tilt, yy, yz, self.zz)
        return Tensor(xx, *rotate_in_plane(R.tilt, xy, xz), yy, yz, zz)
