"""Wheels that roll on each other, from positions and radii alone: no tooth counts, no signs, no ratios."""

from __future__ import annotations

import numpy as np

import gearwright as gw
from gearwright.parts import Robot


class Motion:
    """Velocities of points of a robot's links, one row per unit of every speed, at one configuration."""

    def __init__(self, links, q) -> None:
        self.mech, self.q = gw.assemble(Robot("links", links)), q

    def place(self, link, point=(0, 0, 0)):
        """A point of a link in the base frame."""
        if link == "base":
            return np.asarray(point, dtype=float)
        R, p = gw.placement(self.mech, self.q, link)
        return p + R @ np.asarray(point)

    def direction(self, link, e):
        """A unit direction of a link in base axes."""
        e = np.asarray(e) / np.linalg.norm(e)
        return e if link == "base" else gw.placement(self.mech, self.q, link)[0] @ e

    def velocity(self, link, point):
        """Velocity of the point of a link that is at `point` in the base frame, (speeds, 3)."""
        if link == "base":
            return np.zeros((self.mech.n, 3))
        R, p = gw.placement(self.mech, self.q, link)
        return gw.jacobian(self.mech, self.q, link, R.T @ (point - p))[:3].T


def rolling(rim, carrier, axis, centre, point, along):
    """The rate about `axis` through `centre` at which a wheel's rim moves like `rim` at `point`.

    `carrier` is the velocity of the wheel's carrier at that point; velocities are compared `along` the common tangent.
    """
    return ((rim - carrier) @ along) / (np.cross(axis, point - centre) @ along)
