"""Placements of links from rotations, axes, standard and modified Denavit-Hartenberg parameters, or vectors.

All become one form: a body frame on its joint. What the fields of a link state (centre of mass, inertia, motors on it,
frames, children) refers to the *link's frame* of the form chosen: the joint frame itself (origin and axis, modified
DH), the frame at the far end of the link (standard DH), or the frame at the centre of mass (vectors). `Seat.frame` is
that frame in the body frame, so that each number is transformed once.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import cos, pi, sin

from gearwright.algebra import IDENTITY, Rot, Vec
from gearwright.errors import JointError
from gearwright.parts.link import UNSTATED, StatedFrame, StatedLength
from gearwright.parts.structure.frame_changes import HERE, PartPlace

__all__ = ["HERE", "PartPlace", "X", "Y", "Z", "of_rpy", "turned"]

QUARTERS = ((1.0, 0.0), (0.0, 1.0), (-1.0, 0.0), (0.0, -1.0))
"""Cosine and sine of 0, 90, 180 and 270 degrees."""

X, Y, Z = Vec(1.0, 0.0, 0.0), Vec(0.0, 1.0, 0.0), Vec(0.0, 0.0, 1.0)


def turned(axis: Vec, angle: float) -> Rot:
    """The rotation about a unit axis; whole quarter turns are exact, to the last bit.

    >>> turned(Vec(0.0, 0.0, 1.0), pi / 2) @ Vec(1.0, 0.0, 0.0)
    Vec(0.0, 1.0, 0.0)
    """
    quarters = round(angle / (pi / 2))
    if angle == quarters * (pi / 2):
        return IDENTITY if quarters % 4 == 0 else Rot.about(axis, *QUARTERS[quarters % 4])
    return Rot.about(axis, cos(angle), sin(angle))


def of_rpy(roll: float, pitch: float, yaw: float) -> Rot:
    """Fixed axes: Rz(yaw) Ry(pitch) Rx(roll)."""
    return turned(Z, yaw).after(turned(Y, pitch)).after(turned(X, roll))


@dataclass(frozen=True)
class Seat:
    """How a link sits on its parent.

    Args:
        joint: the joint frame (the body frame at q = 0) in the frame in which the parent's words are stated.
        axis: the joint's axis in the body frame.
        frame: the frame in which this link's own words are stated, in its body frame.
        stated: the same, with the letters that its lengths have in the file.
    """

    joint: PartPlace
    axis: Vec
    frame: PartPlace = HERE
    stated: StatedFrame = UNSTATED


def standard_dh(a: float, alpha: float, d: float, theta: float) -> Seat:
    """Standard Denavit-Hartenberg: frame i = Rot(z, theta) Trans(z, d) Trans(x, a) Rot(x, alpha) after frame i - 1.

    The joint turns about (or slides along) z of frame i - 1; the link's words are in frame i, at its far end. For a
    revolute joint theta is the offset of q, for a prismatic one d is.
    """
    twist = turned(X, alpha)  # Chen (4)-(6)
    stated = StatedFrame(twist, lengths=(StatedLength("a", a, X), StatedLength("d", d, Z)))
    return Seat(PartPlace(turned(Z, theta)), Z, PartPlace(twist, Vec(a, 0.0, d)), stated)


def modified_dh(a: float, alpha: float, d: float, theta: float) -> Seat:
    """Modified Denavit-Hartenberg: frame i = Rot(x, alpha) Trans(x, a) Rot(z, theta) Trans(z, d) after frame i - 1.

    a and alpha are those of the link before; frame i sits on its own joint, so the link's words need no moving.
    """
    tilt = turned(X, alpha)
    stated = StatedFrame(joint=(StatedLength("a", a, X), StatedLength("d", d, tilt @ Z)))
    position = Vec(a, 0.0, 0.0) + tilt @ Vec(0.0, 0.0, d)
    return Seat(PartPlace(tilt.after(turned(Z, theta)), position), Z, stated=stated)


@dataclass(frozen=True)
class Vectors:
    """The vectors of Vukobratovic and Potkonjak for the joint S_j between links j - 1 and j, mass centres C.

    Args:
        e: unit vector of the joint in frame j (eq. 20.2).
        e_before: the same vector in frame j - 1 (eq. 20.5).
        r: from S_j to C_j in frame j (eq. 20.3); for a linear joint from the moving point S''_j.
        r_before: from S_j to C_{j-1} in frame j - 1 (eq. 20.4); for a linear joint from the zero point S'_j.
        specificity: r*_{j,j}, used instead of r when r is parallel to e.
        specificity_before: r*_{j-1,j}, used instead of r_before when that is parallel to e.
        alpha: the constant angle of a linear joint [rad].
    """

    e: Vec
    e_before: Vec
    r: Vec
    r_before: Vec
    specificity: Vec | None = None
    specificity_before: Vec | None = None
    alpha: float = 0.0

    def seat(self) -> Seat:
        """The joint in the frame at C_{j-1}; the body frame sits on S_j with the axes of frame j.

        The extended joint, A0 = [e a b]_{j-1} [e a b]_j' (eq. 20.106); a linear joint is turned further by the constant
        alpha with Rodrigues' formula (20.108, with the scalar product e . V).
        """
        e, e_before = _unit("e", self.e), _unit("e_before", self.e_before)
        here = _triad(e, _reach("r", "specificity", self.r, self.specificity, e), 1.0)
        before = _reach("r_before", "specificity_before", self.r_before, self.specificity_before, e_before)
        extended = _triad(e_before, before, -1.0).after(here.T)  # Vukobratovic (20.106)
        if self.alpha:
            extended = Rot.about(e_before, cos(self.alpha), sin(self.alpha)).after(extended)
        return Seat(PartPlace(extended, -self.r_before), e, PartPlace(position=self.r))  # Vukobratovic (20.2)-(20.8)


def _triad(e: Vec, r: Vec, sign: float) -> Rot:
    """The columns e, a, b of eqs. 20.101 to 20.103: a = +-e x (r x e) / |...|, b = e x a."""
    a = _unit("a", e.cross(r.cross(e)) * sign)  # Vukobratovic (20.100)-(20.103)
    return Rot(e, a, e.cross(a)).T  # Vukobratovic (20.104)-(20.105), corrected


def _reach(name: str, special: str, r: Vec, instead: Vec | None, e: Vec) -> Vec:
    """The vector that defines the extended position: r, or the specificity vector where r is parallel to e."""
    chosen = r if instead is None else instead
    across, length = e.cross(chosen), chosen.dot(chosen) ** 0.5
    if across.dot(across) ** 0.5 <= 1e-9 * max(length, 1e-9):
        which = name if instead is None else special
        raise JointError(
            f"{which} {tuple(chosen)} is parallel to the axis, so it defines no extended position. "
            f"Give {special}: a vector across the axis, such as a unit vector."
        )
    return chosen


def _unit(name: str, e: Vec) -> Vec:
    length = e.dot(e) ** 0.5
    if length < 1e-12:
        raise JointError(f"{name} {tuple(e)} has no direction. Give a vector of non-zero length.")
    return e if abs(length - 1) < 1e-15 else e * (1 / length)
