"""The oracle: Pinocchio with every wheel and every planet as its own body, projected on the machine's speeds."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
import pytest

pin = pytest.importorskip("pinocchio")  # has no wheel for Windows

Z = np.array([0.0, 0.0, 1.0])


@dataclass
class Explicit:
    """Bodies added in any order; each joint turns (or slides) at `row` per unit of the named speeds."""

    speeds: tuple[str, ...]
    gravity: tuple[float, float, float] = (0.0, 0.0, -9.81)
    bodies: dict[str, dict] = field(default_factory=dict)

    def add(
        self,
        name,
        parent,
        row,
        *,
        axis=Z,
        rotation=None,
        position=(0, 0, 0),
        mass=0.0,
        com=(0, 0, 0),
        inertia=None,
        slides=False,
    ):
        """A body on `parent` ("base" or a body) with its joint frame at rotation, position; inertia is central."""
        self.bodies[name] = {
            "parent": parent,
            "row": np.array([row.get(speed, 0.0) for speed in self.speeds]),
            "axis": np.asarray(axis, dtype=float) / np.linalg.norm(axis),
            "place": pin.SE3(
                np.eye(3) if rotation is None else np.asarray(rotation, dtype=float), np.asarray(position, dtype=float)
            ),
            "inertia": pin.Inertia(
                mass, np.asarray(com, dtype=float), np.zeros((3, 3)) if inertia is None else np.asarray(inertia)
            ),
            "slides": slides,
        }

    def wheel(self, name, carrier, row, axis, axial, transverse, mass=0.0, position=(0, 0, 0)):
        """A body of revolution about its own axis through its centre of mass."""
        e = np.asarray(axis, dtype=float) / np.linalg.norm(axis)
        tensor = transverse * np.eye(3) + (axial - transverse) * np.outer(e, e)
        self.add(name, carrier, row, axis=e, position=position, mass=mass, inertia=tensor)

    def build(self):
        """The model; each subtree is added contiguously, or Pinocchio's mass matrix comes out wrong."""
        model, rows = pin.Model(), []
        model.gravity.linear = np.array(self.gravity)

        def descend(name: str, parent: int) -> None:
            for child, body in self.bodies.items():
                if body["parent"] == name:
                    kind = pin.JointModelPrismaticUnaligned if body["slides"] else pin.JointModelRevoluteUnaligned
                    index = model.addJoint(parent, kind(body["axis"]), body["place"], child)
                    model.appendBodyToJoint(index, body["inertia"], pin.SE3.Identity())
                    rows.append(body["row"])
                    descend(child, index)

        descend("base", 0)
        return model, np.array(rows)

    def mass_matrix(self, q):
        model, G = self.build()
        full = pin.crba(model, model.createData(), G @ q)
        full = np.triu(full) + np.triu(full, 1).T
        return G.T @ full @ G

    def torque(self, q, v, a):
        model, G = self.build()
        return G.T @ pin.rnea(model, model.createData(), G @ q, G @ v, G @ a)


def worst(ours, theirs):
    """Largest difference relative to the largest entry."""
    return float(np.abs(np.asarray(ours) - theirs).max() / np.abs(theirs).max())
