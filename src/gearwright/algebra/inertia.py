"""The ten inertial parameters of a rigid body."""

from __future__ import annotations

from collections.abc import Iterator

from gearwright.algebra.rotation import Rot
from gearwright.algebra.scalar import Scalar
from gearwright.algebra.tensor import Tensor
from gearwright.algebra.vector import ZERO, Vec


class Inertia:
    """Mass m [kg], first moment m c [kg m] and tensor about the *origin* [kg m2]: the ten inertial parameters.

    >>> Inertia.of_body(2.0, Vec(0.5, 0, 0), Tensor.diagonal(0, 0.25, 0.25)).tensor.zz
    0.75
    """

    __slots__ = ("mass", "moment", "tensor")

    def __init__(self, mass: Scalar, moment: Vec, tensor: Tensor) -> None:
        self.mass, self.moment, self.tensor = mass, moment, tensor

    @staticmethod
    def of_body(mass: Scalar, com: Vec, central: Tensor) -> Inertia:
        """From the tensor about the centre of mass, by Steiner's theorem."""
        return Inertia(mass, com * mass, central + Tensor.of_point_mass(com, mass))

    @staticmethod
    def zero_inertia() -> Inertia:
        """The zero inertia."""
        return Inertia(0.0, ZERO, Tensor.diagonal(0.0, 0.0, 0.0))

    def __iter__(self) -> Iterator[Scalar]:
        """The ten parameters [m, mcx, mcy, mcz, Ixx, Ixy, Ixz, Iyy, Iyz, Izz]."""
        return iter((self.mass, *self.moment, *self.tensor))

    def __repr__(self) -> str:
        return f"Inertia({self.mass!r}, {self.moment!r}, {self.tensor!r})"

    def __add__(self, other: Inertia) -> Inertia:
        return Inertia(self.mass + other.mass, self.moment + other.moment, self.tensor + other.tensor)

    def transformed_by(self, R: Rot, r: Vec) -> Inertia:
        """Return the inertia in a frame in which its own frame has rotation R and origin r."""
        h, m = R @ self.moment, self.mass
        s = h + r * (m * 0.5)  # r h' + h r' + m r r' = r s' + s r'
        cross = Tensor(
            2 * (r.y * s.y + r.z * s.z),
            -(r.x * s.y + s.x * r.y),
            -(r.x * s.z + s.x * r.z),
            2 * (r.x * s.x + r.z * s.z),
            -(r.y * s.z + s.y * r.z),
            2 * (r.x * s.x + r.y * s.y),
        )
        return Inertia(m, h + r * m, self.tensor.rotated_by(R) + cross)

    def inertia_wrench(self, angular: Vec, linear: Vec) -> tuple[Vec, Vec]:
        """Force and moment about the origin for an acceleration field: the product with the 6 x 6 inertia.

        F = m a + alpha x h,  N = I alpha + h x a. With velocities instead, the momentum.
        """
        h = self.moment
        return linear * self.mass + angular.cross(h), self.tensor @ angular + h.cross(linear)
