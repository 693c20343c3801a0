"""The redundant models as programs over scalars of any kind.

Their velocities are those of the links and rotors as they are, so no machine is prepared for them; the layout of the
model is among what is fixed.
"""

from __future__ import annotations

from gearwright.dynamics.other_formulations import melhem_loria
from gearwright.dynamics.pose import place
from gearwright.dynamics.springs import add_springs
from gearwright.mechanism import Mechanism
from gearwright.programs.program import Fixed, Program

LAYOUT = "layout"
"""What is fixed before running: the blocks of the model."""


def _tall(mech: Mechanism, fixed: Fixed) -> tuple[int, ...]:
    return (fixed[LAYOUT].size, mech.n)


def _long(_: Mechanism, fixed: Fixed) -> tuple[int, ...]:
    return (fixed[LAYOUT].size,)


def _square(_: Mechanism, fixed: Fixed) -> tuple[int, ...]:
    return (fixed[LAYOUT].size, fixed[LAYOUT].size)


JACOBIAN = Program(
    "RedundantModel.jacobian",
    ("q",),
    lambda m, ops, x, fixed: melhem_loria.jacobian(fixed[LAYOUT], place(m, x["q"], ops), ops),
    _tall,
)
JACOBIAN_RATE = Program(
    "RedundantModel.jacobian_rate",
    ("q", "v"),
    lambda m, ops, x, fixed: melhem_loria.jacobian_rate(fixed[LAYOUT], place(m, x["q"], ops), x["v"], ops),
    _tall,
)
QUADRATIC = Program(
    "RedundantModel.quadratic",
    ("nu",),
    lambda _, ops, x, fixed: melhem_loria.quadratic(fixed[LAYOUT], x["nu"]),
    _long,
)
QUADRATIC_MATRIX = Program(
    "RedundantModel.quadratic_matrix",
    ("nu",),
    lambda _, ops, x, fixed: melhem_loria.quadratic_matrix(fixed[LAYOUT], x["nu"]),
    _square,
)
WEIGHTS = Program(
    "RedundantModel.weights",
    ("q",),
    lambda m, ops, x, fixed: melhem_loria.weights(fixed[LAYOUT], place(m, x["q"], ops)),
    _long,
)
SPRING_FORCES = Program(
    "RedundantModel.elastic_forces",
    ("q", "v"),
    lambda m, ops, x, _: add_springs(place(m, x["q"], ops), x["v"], [0.0] * m.n),
    lambda m, _: (m.n,),
)
