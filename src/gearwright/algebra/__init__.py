"""Arithmetic of scalars of any kind: vectors, rotations, tensors, inertias, quaternions.

A scalar is anything that adds and multiplies: a float, a NumPy array of 10,000 values, a CasADi `SX`, a SymPy
expression, a JAX tracer. Three make a `Vec`, nine a `Rot`, ten an `Inertia`. Nothing in this package looks at what a
scalar is, so everything built from it runs on all of them.
"""

from gearwright.algebra.hinge import Hinge
from gearwright.algebra.inertia import Inertia
from gearwright.algebra.mass_moments import Moments
from gearwright.algebra.rotation import IDENTITY, Rot
from gearwright.algebra.scalar import Operations, Scalar, is_number, is_zero
from gearwright.algebra.tensor import Tensor
from gearwright.algebra.vector import ZERO, Vec

__all__ = [
    "IDENTITY",
    "ZERO",
    "Hinge",
    "Inertia",
    "Moments",
    "Operations",
    "Rot",
    "Scalar",
    "Tensor",
    "Vec",
    "is_number",
    "is_zero",
]
