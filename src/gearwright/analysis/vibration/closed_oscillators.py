"""Small vibrations of machines with closed loops, in their independent speeds."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from gearwright.arrays import Array
from gearwright.functions import bias, mass_matrix
from gearwright.functions.public_call import program_derivative
from gearwright.programs import ClosedMechanism
from gearwright.programs.dynamics_programs import BIAS


class Oscillator(NamedTuple):
    """M x'' + D x' + K x = f, small motions about a configuration: each (..., n, n); K includes gravity."""

    M: Array
    D: Array
    K: Array


def closed_joints(mech: ClosedMechanism, q: Array) -> Array:
    """The configuration that closes the loops at independent coordinates, or those of the joints without shafts.

    Configurations of other sizes are unchanged. Shafts that are not given are at zero.
    """
    indices = list(mech.independent_indices)
    joints = [k for k, index in enumerate(indices) if index < mech.nq - len(mech.shafts)]
    if not q.ndim or q.shape[-1] == mech.nq:
        return q
    if q.shape[-1] == len(joints) != len(indices):
        independent = np.zeros((*q.shape[:-1], len(indices)))
        independent[..., joints] = q
        q = independent
    return mech.closed(q) if q.shape[-1] == len(indices) else q


def closed_oscillator(mech: ClosedMechanism, q: Array, function: str) -> Oscillator:
    """The oscillator in independent speeds at closed configurations, with springs that carry the weight.

    K is the derivative of G'(g + K_e (q - q_0)) along the loops. It depends on the forces of the springs, since G
    changes with the configuration.
    """
    balanced, n = _with_balanced_shafts(mech, q), mech.n
    slopes = program_derivative(BIAS, mech, {"q": balanced, "v": np.zeros(n)}, function)
    return Oscillator(mass_matrix(mech, balanced), slopes[..., n:], slopes[..., :n])


def _with_balanced_shafts(mech: ClosedMechanism, q: Array) -> Array:
    """The configurations with shafts that deflect their springs as the weight requires; other joints are held."""
    if not mech.shafts:
        return q
    first, at_rest = mech.nq - len(mech.shafts), np.zeros(mech.n)
    joints = [k for k, speed in enumerate(mech.closure.independent) if speed < mech.tree.n - len(mech.shafts)]
    weight = bias(mech, q, at_rest)[..., joints]
    slopes = np.empty((*weight.shape, len(mech.shafts)))
    for k in range(len(mech.shafts)):
        moved = np.array(q)
        moved[..., first + k] += 1.0
        slopes[..., k] = bias(mech, moved, at_rest)[..., joints] - weight  # springs are linear
    balanced = np.array(q)
    for row in np.ndindex(*q.shape[:-1]):
        balanced[row][first:] -= np.linalg.lstsq(slopes[row], weight[row], rcond=1e-9)[0]
    return balanced
