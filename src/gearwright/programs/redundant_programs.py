"""The redundant models as programs over generic scalars.

Their velocities are those of the links and rotors themselves, so the machine is not simplified; the layout of the model
is a fixed option.
"""

from __future__ import annotations

from gearwright.dynamics.other_formulations import melhem_loria
from gearwright.dynamics.pose import place_machine
from gearwright.dynamics.springs import add_springs
from gearwright.mechanism import Mechanism
from gearwright.programs.program import Fixed, Program

LAYOUT = "layout"
"""Name of the fixed option with the blocks of the model."""


def _jacobian_shape(mech: Mechanism, fixed: Fixed) -> tuple[int, ...]:
    return (fixed[LAYOUT].size, mech.n)


def _vector_shape(_: Mechanism, fixed: Fixed) -> tuple[int, ...]:
    return (fixed[LAYOUT].size,)


def _matrix_shape(_: Mechanism, fixed: Fixed) -> tuple[int, ...]:
    return (fixed[LAYOUT].size, fixed[LAYOUT].size)


REDUNDANT_JACOBIAN = Program(
    "RedundantModel.jacobian",
    ("q",),
    lambda m, ops, x, fixed: melhem_loria.redundant_jacobian(fixed[LAYOUT], place_machine(m, x["q"], ops), ops),
    _jacobian_shape,
)
REDUNDANT_JACOBIAN_RATE = Program(
    "RedundantModel.jacobian_rate",
    ("q", "v"),
    lambda m, ops, x, fixed: melhem_loria.redundant_jacobian_rate(
        fixed[LAYOUT], place_machine(m, x["q"], ops), x["v"], ops
    ),
    _jacobian_shape,
)
REDUNDANT_QUADRATIC = Program(
    "RedundantModel.quadratic",
    ("nu",),
    lambda _, ops, x, fixed: melhem_loria.quadratic_forces(fixed[LAYOUT], x["nu"]),
    _vector_shape,
)
REDUNDANT_QUADRATIC_MATRIX = Program(
    "RedundantModel.quadratic_matrix",
    ("nu",),
    lambda _, ops, x, fixed: melhem_loria.quadratic_matrix(fixed[LAYOUT], x["nu"]),
    _matrix_shape,
)
REDUNDANT_WEIGHTS = Program(
    "RedundantModel.weights",
    ("q",),
    lambda m, ops, x, fixed: melhem_loria.weight_forces(fixed[LAYOUT], place_machine(m, x["q"], ops)),
    _vector_shape,
)
REDUNDANT_SPRING_FORCES = Program(
    "RedundantModel.elastic_forces",
    ("q", "v"),
    lambda m, ops, x, _: add_springs(place_machine(m, x["q"], ops), x["v"], [0.0] * m.n),
    lambda m, _: (m.n,),
)
