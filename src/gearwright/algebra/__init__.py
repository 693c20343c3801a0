"""Arithmetic for any scalar type: vectors, rotations, tensors, inertias, quaternions.

A scalar is any type with addition and multiplication: a float, a NumPy array of 10,000 values, a CasADi `SX`, a SymPy
expression, a JAX tracer. Three scalars form a `Vec`, nine a `Rot`, ten an `Inertia`. This package does not depend on
the type of a scalar, so all algorithms built on it work for every type.
"""

from gearwright.algebra.hinge import Hinge
from gearwright.algebra.inertia import Inertia
from gearwright.algebra.mass_moments import MassMoments
from gearwright.algebra.operations import ARRAYS, FLOATS
from gearwright.algebra.rotation import IDENTITY, Rot
from gearwright.algebra.scalar import (
    MatrixLike,
    Operations,
    OptionalMatrix,
    OptionalVector,
    Scalar,
    VectorLike,
    is_number,
    is_zero,
)
from gearwright.algebra.tensor import Tensor
from gearwright.algebra.vector import UNIT_AXES, X_AXIS, Y_AXIS, Z_AXIS, ZERO, Vec

__all__ = [
    "ARRAYS",
    "FLOATS",
    "IDENTITY",
    "UNIT_AXES",
    "X_AXIS",
    "Y_AXIS",
    "ZERO",
    "Z_AXIS",
    "Hinge",
    "Inertia",
    "MassMoments",
    "MatrixLike",
    "Operations",
    "OptionalMatrix",
    "OptionalVector",
    "Rot",
    "Scalar",
    "Tensor",
    "Vec",
    "VectorLike",
    "is_number",
    "is_zero",
]
