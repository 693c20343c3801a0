"""Placements of links from rotations, axes, standard and modified Denavit-Hartenberg parameters, or vectors.

All are converted to one form: a body frame on its joint. The fields of a link (centre of mass, inertia, motors, frames,
children) refer to the *link's frame* of the chosen form: the joint frame itself (origin and axis, modified DH), the
frame at the far end of the link (standard DH), or the frame at the centre of mass (vectors). `LinkPlacement.frame` is
that frame in the body frame; each number is transformed once.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import cos, pi, sin

from gearwright.algebra import IDENTITY, X_AXIS, Y_AXIS, Z_AXIS, Rot, Vec
from gearwright.errors import JointError
from gearwright.parts.link import LINK_FRAME, StatedFrame, StatedLength
from gearwright.parts.structure.frame_changes import IDENTITY_PLACEMENT, FramePlacement

__all__ = ["IDENTITY_PLACEMENT", "X_AXIS", "Y_AXIS", "Z_AXIS", "FramePlacement", "rotation_about", "rotation_of_rpy"]

QUARTER_TURN_COS_SIN = ((1.0, 0.0), (0.0, 1.0), (-1.0, 0.0), (0.0, -1.0))
"""Cosine and sine of 0, 90, 180 and 270 degrees."""


def rotation_about(axis: Vec, angle: float) -> Rot:
    """Return the rotation about a unit axis; multiples of a quarter turn are exact.

    >>> rotation_about(Vec(0.0, 0.0, 1.0), pi / 2) @ Vec(1.0, 0.0, 0.0)
    Vec(0.0, 1.0, 0.0)
    """
    quarters = round(angle / (pi / 2))
    if angle == quarters * (pi / 2):
        return IDENTITY if quarters % 4 == 0 else Rot.about_axis(axis, *QUARTER_TURN_COS_SIN[quarters % 4])
    return Rot.about_axis(axis, cos(angle), sin(angle))


def rotation_of_rpy(roll: float, pitch: float, yaw: float) -> Rot:
    """Return the rotation about fixed axes, Rz(yaw) Ry(pitch) Rx(roll)."""
    return rotation_about(Z_AXIS, yaw).after(rotation_about(Y_AXIS, pitch)).after(rotation_about(X_AXIS, roll))


@dataclass(frozen=True)
class LinkPlacement:
    """The placement of a link on its parent.

    Args:
        joint: the joint frame (the body frame at q = 0) in the frame of the parent's fields.
        axis: the joint's axis in the body frame.
        frame: the frame of this link's fields, in its body frame.
        stated: the same, with the symbols of its lengths in the file.
    """

    joint: FramePlacement
    axis: Vec
    frame: FramePlacement = IDENTITY_PLACEMENT
    stated: StatedFrame = LINK_FRAME


def standard_dh(a: float, alpha: float, d: float, theta: float) -> LinkPlacement:
    """Standard Denavit-Hartenberg: frame i = Rot(z, theta) Trans(z, d) Trans(x, a) Rot(x, alpha) after frame i - 1.

    The joint axis is z of frame i - 1; the link's fields refer to frame i, at its far end. The offset of q is theta for
    a revolute joint and d for a prismatic one.
    """
    twist = rotation_about(X_AXIS, alpha)  # Chen (4)-(6)
    stated = StatedFrame(twist, lengths=(StatedLength("a", a, X_AXIS), StatedLength("d", d, Z_AXIS)))
    return LinkPlacement(
        FramePlacement(rotation_about(Z_AXIS, theta)), Z_AXIS, FramePlacement(twist, Vec(a, 0.0, d)), stated
    )


def modified_dh(a: float, alpha: float, d: float, theta: float) -> LinkPlacement:
    """Modified Denavit-Hartenberg: frame i = Rot(x, alpha) Trans(x, a) Rot(z, theta) Trans(z, d) after frame i - 1.

    a and alpha are those of the previous link; frame i is at its own joint, so the link's fields need no
    transformation.
    """
    tilt = rotation_about(X_AXIS, alpha)
    stated = StatedFrame(joint=(StatedLength("a", a, X_AXIS), StatedLength("d", d, tilt @ Z_AXIS)))
    position = Vec(a, 0.0, 0.0) + tilt @ Vec(0.0, 0.0, d)
    return LinkPlacement(FramePlacement(tilt.after(rotation_about(Z_AXIS, theta)), position), Z_AXIS, stated=stated)


@dataclass(frozen=True)
class VukobratovicVectors:
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

    def link_placement(self) -> LinkPlacement:
        """Return the joint in the frame at C_{j-1}; the body frame is at S_j with the axes of frame j.

        The extended joint, A0 = [e a b]_{j-1} [e a b]_j' (eq. 20.106); a linear joint is rotated further by the
        constant alpha with Rodrigues' formula (20.108, with the scalar product e . V).
        """
        e, e_before = _unit_vector("e", self.e), _unit_vector("e_before", self.e_before)
        own_triad = _axis_triad(e, _extension_vector("r", "specificity", self.r, self.specificity, e), 1.0)
        before = _extension_vector("r_before", "specificity_before", self.r_before, self.specificity_before, e_before)
        extended = _axis_triad(e_before, before, -1.0).after(own_triad.T)  # Vukobratovic (20.106)
        if self.alpha:
            extended = Rot.about_axis(e_before, cos(self.alpha), sin(self.alpha)).after(extended)
        return LinkPlacement(
            FramePlacement(extended, -self.r_before), e, FramePlacement(position=self.r), StatedFrame(offset=self.r)
        )  # Vukobratovic (20.2)-(20.8)


def _axis_triad(e: Vec, r: Vec, sign: float) -> Rot:
    """The columns e, a, b of eqs. 20.101 to 20.103: a = +-e x (r x e) / |...|, b = e x a."""
    a = _unit_vector("a", e.cross(r.cross(e)) * sign)  # Vukobratovic (20.100)-(20.103)
    return Rot(e, a, e.cross(a)).T  # Vukobratovic (20.104)-(20.105), corrected


def _extension_vector(name: str, special: str, r: Vec, instead: Vec | None, e: Vec) -> Vec:
    """The vector that defines the extended position: r, or the specificity vector where r is parallel to e."""
    chosen = r if instead is None else instead
    across, length = e.cross(chosen), chosen.dot(chosen) ** 0.5
    if across.dot(across) ** 0.5 <= 1e-9 * max(length, 1e-9):
        field = name if instead is None else special
        raise JointError(
            f"{field} {tuple(chosen)} is parallel to the axis and does not define the extended position. Give "
            f"{special}: a vector that is not parallel to the axis."
        )
    return chosen


def _unit_vector(name: str, e: Vec) -> Vec:
    length = e.dot(e) ** 0.5
    if length < 1e-12:
        raise JointError(f"{name} {tuple(e)} is zero. Give a vector of non-zero length.")
    return e if abs(length - 1) < 1e-15 else e * (1 / length)
