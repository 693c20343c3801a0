"""Mass moments of a body: the ten parameters of an `Inertia` in the form with the cheapest change of frame."""

from __future__ import annotations

from gearwright.algebra.inertia import Inertia
from gearwright.algebra.rotation import Rot
from gearwright.algebra.scalar import Scalar
from gearwright.algebra.tensor import Tensor
from gearwright.algebra.vector import Vec


class MassMoments:
    """Mass m, first moment h and second moment P = sum m r r' of a body's points: I = tr(P) 1 - P.

    >>> MassMoments.from_inertia(Inertia(2.0, Vec(0.2, 0, 0), Tensor.diagonal(0, 0.03, 0.03))).second.xx
    0.03
    """

    __slots__ = ("first", "mass", "second")

    def __init__(self, mass: Scalar, first: Vec, second: Tensor) -> None:
        self.mass, self.first, self.second = mass, first, second

    @staticmethod
    def from_inertia(inertia: Inertia) -> MassMoments:
        """P = 1/2 tr(I) 1 - I."""
        t = inertia.tensor
        xx, yy, zz = 0.5 * (t.yy + t.zz - t.xx), 0.5 * (t.zz + t.xx - t.yy), 0.5 * (t.xx + t.yy - t.zz)
        return MassMoments(inertia.mass, inertia.moment, Tensor(xx, -t.xy, -t.xz, yy, -t.yz, zz))

    def __add__(self, other: MassMoments) -> MassMoments:
        return MassMoments(self.mass + other.mass, self.first + other.first, self.second + other.second)

    def transformed_by(self, R: Rot, r: Vec) -> MassMoments:
        """Return the moments in a frame in which its own has rotation R and origin r: P' = R P R' + r s' + s r'."""
        h, m = R @ self.first, self.mass
        s = h + r * (m * 0.5)
        shift_terms = Tensor(
            2 * (r.x * s.x),
            r.x * s.y + s.x * r.y,
            r.x * s.z + s.x * r.z,
            2 * (r.y * s.y),
            r.y * s.z + s.y * r.z,
            2 * (r.z * s.z),
        )
        return MassMoments(m, h + r * m, self.second.rotated_by(R) + shift_terms)

    def angular_moment(self, alpha: Vec) -> Vec:
        """Return I alpha, the moment for an angular acceleration about the origin."""
        P = self.second
        return Vec(
            (P.yy + P.zz) * alpha.x - P.xy * alpha.y - P.xz * alpha.z,
            (P.zz + P.xx) * alpha.y - P.xy * alpha.x - P.yz * alpha.z,
            (P.xx + P.yy) * alpha.z - P.xz * alpha.x - P.yz * alpha.y,
        )

    def inertia_wrench(self, angular: Vec, linear: Vec) -> tuple[Vec, Vec]:
        """Force and moment about the origin for an acceleration field: F = m a + alpha x h, N = I alpha + h x a."""
        return linear * self.mass + angular.cross(self.first), self.angular_moment(angular) + self.first.cross(linear)

    def field_wrench(self, field: Rot, linear: Vec) -> tuple[Vec, Vec]:
        """Return force and moment about the origin for the acceleration `linear` + `field` r of a point at r.

        F = m a + U h and N = h x a + sum m r x U r; the sum is the axial vector of U P (Newton's law for every mass
        point, equivalent to Euler's equation).
        """
        U, P = field, self.second
        turning = Vec(
            P.yz * (U.c.z - U.b.y) + P.xy * U.c.x - P.xz * U.b.x + P.yy * U.c.y - P.zz * U.b.z,
            P.xz * (U.a.x - U.c.z) + P.yz * U.a.y - P.xy * U.c.y + P.zz * U.a.z - P.xx * U.c.x,
            P.xy * (U.b.y - U.a.x) + P.xz * U.b.z - P.yz * U.a.z + P.xx * U.b.x - P.yy * U.a.y,
        )
        return linear * self.mass + field @ self.first, self.first.cross(linear) + turning
