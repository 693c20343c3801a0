"""Pitch points of common gears: cylinders, cones, worms, belts."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from gearwright.algebra import Scalar
from gearwright.algebra.differentiation.dual_arrays import cross_product, matrix_product, stack_arrays
from gearwright.algebra.differentiation.dual_numbers import DUAL_FLOATS
from gearwright.parts.gears.forces.gear_statics import (
    X_DIRECTION,
    Y_DIRECTION,
    Z_DIRECTION,
    BeltSpans,
    MemberContact,
    MovingMember,
    unit_vector,
)

WheelPair = tuple[tuple[MovingMember, MovingMember], MemberContact]
"""Driver and driven wheel, and their contacts."""


def planar_unit_vector(angle: Scalar) -> Scalar:
    """The unit vector at an angle from x towards y."""
    return stack_arrays([DUAL_FLOATS.cos(angle), DUAL_FLOATS.sin(angle), 0.0], ())


def planets_on(circle: Scalar, count: int) -> list[MovingMember]:
    """Planets on a circle of the carrier, the first one at x."""
    places = (circle * planar_unit_vector(2 * math.pi * k / count) for k in range(count))
    return [MovingMember(f"planet{k + 1}", at=at, on="carrier", bearing="planet pin") for k, at in enumerate(places)]


def cylinder_contact(
    first: MovingMember, second: MovingMember, radius: Scalar, out: Scalar, helix_angle: Scalar = 0.0, **more: Any
) -> MemberContact:
    """Return the contact of two wheels on parallel axes; the first has external teeth and meets the second along `out`.

    Args:
        first: the wheel with external teeth.
        second: the other wheel.
        radius: pitch radius of the first [m].
        out: unit vector from the first's axis to the pitch point.
        helix_angle: of the first, positive for a right-handed helix [rad].
        more: further fields of the contact.
    """
    across = cross_product(first.axis, out)
    along = DUAL_FLOATS.cos(helix_angle) * across - DUAL_FLOATS.sin(helix_angle) * first.axis
    title = more.pop("title", f"{first.name}-{second.name}")
    return MemberContact(title, first.name, second.name, first.at + radius * out, along, out, **more)


def cone_angles(driver: Scalar, driven: Scalar, shaft_angle: Scalar) -> tuple[Scalar, Scalar]:
    r"""Pitch cone angles of a bevel pair by the teeth of both, $\tan\delta_1 = \sin\Sigma / (z_2 / z_1 + \cos\Sigma)$.

    >>> [round(math.degrees(x), 2) for x in cone_angles(20, 40, math.radians(90))]
    [26.57, 63.43]
    """
    first = DUAL_FLOATS.arctan2(DUAL_FLOATS.sin(shaft_angle), driven / driver + DUAL_FLOATS.cos(shaft_angle))
    return first, shaft_angle - first


def bevel_contact(cone: tuple[Scalar, Scalar], radius: Scalar, spiral_angle: Scalar = 0.0, **more: Any) -> WheelPair:
    """Return a bevel pair with its apex at the origin, the driven wheel about z; the force acts at mid-face.

    Args:
        cone: pitch cone angles of driver and driven wheel [rad].
        radius: pitch radius of the driven wheel at mid-face [m].
        spiral_angle: of spiral or skew teeth at mid-face [rad].
        more: further fields of the contact.
    """
    sine, cosine = DUAL_FLOATS.sin(cone[1]), DUAL_FLOATS.cos(cone[1])
    line = stack_arrays([sine, 0.0, cosine], ())  # the common line of both cones
    apart = stack_arrays([-cosine, 0.0, sine], ())
    at = radius / sine * line
    axis = stack_arrays([DUAL_FLOATS.sin(sum(cone)), 0.0, DUAL_FLOATS.cos(sum(cone))], ())
    driver, driven = (
        MovingMember(name, e, matrix_product(at, e) * e) for name, e in (("driver", axis), ("driven", Z_DIRECTION))
    )
    along = DUAL_FLOATS.cos(spiral_angle) * Y_DIRECTION + DUAL_FLOATS.sin(spiral_angle) * line
    return (driver, driven), MemberContact("driver-driven", "driver", "driven", at, along, apart, **more)


def worm_contact(radius: Scalar, wheel_radius: Scalar, lead_angle: Scalar, **more: Any) -> WheelPair:
    """A worm along y that touches its wheel, about z, at x.

    Args:
        radius: pitch radius of the worm [m].
        wheel_radius: pitch radius of the wheel [m].
        lead_angle: of the thread [rad], positive for a right-handed thread.
        more: further fields of the contact.
    """
    worm, wheel = MovingMember("worm", Y_DIRECTION, (radius + wheel_radius) * X_DIRECTION), MovingMember("wheel")
    along = DUAL_FLOATS.cos(lead_angle) * Y_DIRECTION - DUAL_FLOATS.sin(lead_angle) * Z_DIRECTION
    return (worm, wheel), MemberContact(
        "worm-wheel", "worm", "wheel", wheel_radius * X_DIRECTION, along, -X_DIRECTION, **more
    )


def belt_spans(driver: Scalar, driven: Scalar, distance: Scalar, crossed: bool, pretension: Scalar) -> BeltSpans:
    """The two spans of a belt from the driver's pulley, at the origin, to the driven one, at x."""
    sign = -1.0 if crossed else 1.0
    cosine = (driver - sign * driven) / distance  # of the angle from x to the tangent point on the first pulley
    sine = DUAL_FLOATS.sqrt(1 - cosine * cosine)
    ends = []
    for mirror in (1.0, -1.0):
        out = stack_arrays([cosine, mirror * sine, 0.0], ())
        near, far = driver * out, distance * X_DIRECTION + sign * driven * out
        ends.append((near, unit_vector(near - far)))
    (at, along), (other_at, other_along) = ends
    words: dict[str, Any] = {"other_at": other_at, "other_along": other_along, "pretension": pretension}
    return BeltSpans("driver-driven", "driver", "driven", at, along, np.zeros(3), 0.0, **words)


MembersAndContacts = tuple[list[MovingMember], list[MemberContact]]
"""Members, and their contacts."""


def cycloidal_contacts(
    pins: int, discs: int, e: Scalar, pin_circle: Scalar, output_circle: Scalar
) -> MembersAndContacts:
    r"""Return the discs on an eccentric with their contacts: ring pins around them and output pins in their holes.

    The lines of action of all pin forces pass through the pitch point at $e Z$. With forces in proportion to their
    lever arms, on half of many pins, and $K = e Z / R$, their resultant has in addition to $F_t$ the radial component
    $2 / \pi \, (1 / K - (1 - K^2) / (2 K^2) \ln((1 + K) / (1 - K))) F_t$, which pulls the disc towards the pitch point.
    The resultant of the output pins acts at $\pi R_w / 4$, on one side of the axis.
    """
    K = e * pins / pin_circle
    inwards = 2 / math.pi * (1 / K - (1 - K * K) / (2 * K * K) * DUAL_FLOATS.log((1 + K) / (1 - K)))
    members, contacts = [MovingMember("eccentric"), MovingMember("pins"), MovingMember("output")], []
    for k in range(discs):
        out = planar_unit_vector(2 * math.pi * k / discs)
        disc, aside = (
            MovingMember(f"disc{k + 1}", at=e * out, on="eccentric", bearing="disc bearing"),
            np.cross(Z_DIRECTION, out),
        )
        members.append(disc)
        words: dict[str, Any] = {"pressure_angle": DUAL_FLOATS.arctan2(inwards, 1.0), "carrier": "eccentric"}
        contacts.append(MemberContact("disc-pins", disc.name, "pins", e * pins * out, aside, -out, **words))
        far = math.pi / 4 * output_circle * aside
        holes: dict[str, Any] = {"other_at": disc.at - far, "other_along": out, "words": ("", None)}
        contacts.append(BeltSpans("disc-output", disc.name, "output", disc.at + far, out, np.zeros(3), 0.0, **holes))
    return members, contacts
