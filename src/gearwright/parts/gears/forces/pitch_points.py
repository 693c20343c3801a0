"""Where the members of common gears touch: cylinders, cones, worms, belts."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from gearwright.arrays import Array
from gearwright.parts.gears.forces.gear_statics import Contact, Spans, Turning, X, Y, Z

Pair = tuple[tuple[Turning, Turning], Contact]
"""Driver and driven wheel, and where they touch."""


def towards(angle: float) -> Array:
    """The unit vector at an angle from x towards y."""
    return np.array([math.cos(angle), math.sin(angle), 0.0])


def planets_on(circle: float, count: int) -> list[Turning]:
    """Planets on a circle of the carrier, the first one at x."""
    places = (circle * towards(2 * math.pi * k / count) for k in range(count))
    return [Turning(f"planet{k + 1}", at=at, on="carrier", bearing="planet pin") for k, at in enumerate(places)]


def cylinders(
    first: Turning, second: Turning, radius: float, out: Array, helix_angle: float = 0.0, **more: Any
) -> Contact:
    """Two wheels on parallel axes: the first one, with its teeth outside, touches the second in the direction `out`.

    Args:
        first: the wheel with its teeth outside.
        second: the other one.
        radius: pitch radius of the first [m].
        out: unit vector from the first's axis to the pitch point.
        helix_angle: of the first, positive where it is right-handed [rad].
        more: further words of the contact.
    """
    along = math.cos(helix_angle) * np.cross(first.axis, out) - math.sin(helix_angle) * first.axis
    title = more.pop("title", f"{first.name}-{second.name}")
    return Contact(title, first.name, second.name, first.at + radius * out, along, out, **more)


def cone_angles(driver: float, driven: float, shaft_angle: float) -> tuple[float, float]:
    r"""Pitch cone angles of a bevel pair by the teeth of both, $\tan\delta_1 = \sin\Sigma / (z_2 / z_1 + \cos\Sigma)$.

    >>> [round(math.degrees(x), 2) for x in cone_angles(20, 40, math.radians(90))]
    [26.57, 63.43]
    """
    first = math.atan2(math.sin(shaft_angle), driven / driver + math.cos(shaft_angle))
    return first, shaft_angle - first


def cones(cone: tuple[float, float], radius: float, spiral_angle: float = 0.0, **more: Any) -> Pair:
    """A bevel pair with its apex at the origin, the driven wheel about z; the middle of the teeth carries.

    Args:
        cone: pitch cone angles of driver and driven wheel [rad].
        radius: of the driven wheel's pitch circle in the middle of its teeth [m].
        spiral_angle: of curved or inclined teeth, there [rad].
        more: further words of the contact.
    """
    shafts, own = sum(cone), cone[1]
    line = np.array([math.sin(own), 0.0, math.cos(own)])  # the common line of both cones
    apart = np.array([-math.cos(own), 0.0, math.sin(own)])
    at = radius / math.sin(own) * line
    axis = np.array([math.sin(shafts), 0.0, math.cos(shafts)])
    driver, driven = (Turning(name, e, (at @ e) * e) for name, e in (("driver", axis), ("driven", Z)))
    along = math.cos(spiral_angle) * Y + math.sin(spiral_angle) * line
    return (driver, driven), Contact("driver-driven", "driver", "driven", at, along, apart, **more)


def thread(radius: float, wheel_radius: float, lead_angle: float, **more: Any) -> Pair:
    """A worm along y that touches its wheel, about z, at x.

    Args:
        radius: pitch radius of the worm [m].
        wheel_radius: pitch radius of the wheel [m].
        lead_angle: of the thread [rad], positive where it is right-handed.
        more: further words of the contact.
    """
    worm, wheel = Turning("worm", Y, (radius + wheel_radius) * X), Turning("wheel")
    along = math.cos(lead_angle) * Y - math.sin(lead_angle) * Z
    return (worm, wheel), Contact("worm-wheel", "worm", "wheel", wheel_radius * X, along, -X, **more)


def spans(driver: float, driven: float, distance: float, crossed: bool, pretension: float) -> Spans:
    """The two spans of a belt from the driver's pulley, at the origin, to the driven one, at x."""
    sign = -1.0 if crossed else 1.0
    half = math.acos((driver - sign * driven) / distance)  # where a span leaves the first pulley, from x
    ends = []
    for mirror in (1.0, -1.0):
        out = np.array([math.cos(half), mirror * math.sin(half), 0.0])
        near, far = driver * out, distance * X + sign * driven * out
        ends.append((near, (near - far) / np.linalg.norm(near - far)))
    (at, along), (other_at, other_along) = ends
    words: dict[str, Any] = {"other_at": other_at, "other_along": other_along, "pretension": pretension}
    return Spans("driver-driven", "driver", "driven", at, along, np.zeros(3), 0.0, **words)


Parts = tuple[list[Turning], list[Contact]]
"""Members, and where they touch."""


def cycloid(pins: int, discs: int, e: float, pin_circle: float, output_circle: float) -> Parts:
    r"""Discs on an eccentric: where they touch the pins around them, and the pins in their holes.

    The lines of all pin forces run through the pitch point at $e Z$. With forces in proportion to their levers, on half
    of many pins, and $K = e Z / R$, what they do together has besides $F_t$ the radial part
    $2 / \pi \, (1 / K - (1 - K^2) / (2 K^2) \ln((1 + K) / (1 - K))) F_t$, which draws the disc towards the pitch point.
    The pins in the holes push towards the axis, those on one side of it, at $\pi R_w / 4$ together.
    """
    K = e * pins / pin_circle
    inwards = 2 / math.pi * (1 / K - (1 - K * K) / (2 * K * K) * math.log((1 + K) / (1 - K)))
    members, contacts = [Turning("eccentric"), Turning("pins"), Turning("output")], []
    for k in range(discs):
        out = towards(2 * math.pi * k / discs)
        disc, aside = Turning(f"disc{k + 1}", at=e * out, on="eccentric", bearing="disc bearing"), np.cross(Z, out)
        members.append(disc)
        words: dict[str, Any] = {"pressure_angle": math.atan(inwards), "carrier": "eccentric"}
        contacts.append(Contact("disc-pins", disc.name, "pins", e * pins * out, aside, -out, **words))
        far = math.pi / 4 * output_circle * aside
        holes: dict[str, Any] = {"other_at": disc.at - far, "other_along": out, "words": ("", None)}
        contacts.append(Spans("disc-output", disc.name, "output", disc.at + far, out, np.zeros(3), 0.0, **holes))
    return members, contacts
