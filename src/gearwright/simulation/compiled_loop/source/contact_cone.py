r"""The event loop, forces of one contact that are not unique: those in its friction cone, or as near to it as possible.

The forces along all lines are $\lambda + N z$, N being the null space. As in `system.contact_cones`, Newton's method
finds the z with the least squared distance of the contact's force from its cone, first from smaller cones.
"""

from __future__ import annotations

from gearwright.compiling import Floats, array_tail, sqrt
from gearwright.simulation.compiled_loop.source.elimination import solve_by_elimination, weighted_product
from gearwright.simulation.compiled_loop.source.workspace import LoopWorkspace
from gearwright.system.contact_cones import (
    CONE_MARGINS,
    CONE_NEWTON_STEPS,
    CONE_STEP_HALVINGS,
    CONE_TOLERANCE,
    CURVATURE_DAMPING,
)

CONE_MARGIN_COUNT = len(CONE_MARGINS)


def move_into_cone(s: LoopWorkspace, rank: int, size: int) -> None:
    """Change the least forces, in pivot order, along the null space, so that the contact pushes and does not slip."""
    free = size - rank
    normalise_null_space(s, free, size)
    scale = list_contact_forces(s, free, size)
    if cone_violation(s, s.cone_forces) <= 0.0:
        return
    for f in range(free):
        s.cone_offset[f] = 0.0
    for k in range(CONE_MARGIN_COUNT):
        approach_cone(s, free, CONE_MARGINS[k] * scale, CONE_TOLERANCE * scale)
        offset_forces(s, s.cone_offset, s.cone_offset, 0.0, free)
        if cone_violation(s, s.cone_trial) <= CONE_TOLERANCE * scale:
            break
    for f in range(free):
        for j in range(size):
            s.right[j * s.columns] += s.null[f * size + j] * s.cone_offset[f]


def normalise_null_space(s: LoopWorkspace, free: int, size: int) -> None:
    """Make the null vectors orthogonal and of unit length over the multipliers of all holds."""
    for f in range(free):
        vector = array_tail(s.null, f * size)
        for g in range(f):
            other = array_tail(s.null, g * size)
            part = weighted_product(s, vector, other, size, 1)
            for j in range(size):
                vector[j] -= part * other[j]
        length = sqrt(weighted_product(s, vector, vector, size, 1))
        for j in range(size):
            vector[j] = vector[j] / length


def list_contact_forces(s: LoopWorkspace, free: int, size: int) -> float:
    """List forces of the contact and their rows of the null space; returns the largest multiplier of all holds."""
    for r in range(3):
        s.cone_forces[r] = 0.0
        for f in range(free):
            s.cone_null[r * free + f] = 0.0
    s.cone_friction = 0.0
    largest = 0.0
    for m in range(s.member_count):
        place = s.member_place[m]
        unknown = s.member_unknown[m]
        share = s.place_factor[place] / s.squares[unknown]
        for j in range(size):
            if s.order[j] == unknown:
                largest = max(largest, abs(share * s.right[j * s.columns]))
                for r in range(s.contact_rows):
                    if s.contact_places[r] == place:
                        s.cone_forces[r] = share * s.right[j * s.columns]
                        for f in range(free):
                            s.cone_null[r * free + f] = share * s.null[f * size + j]
                        if r > 0:
                            s.cone_friction = s.contact_facts[0]
    return largest


def cone_violation(s: LoopWorkspace, force: Floats) -> float:
    """The violation of the cone by a force; at most 0 inside."""
    across = sqrt(force[1] * force[1] + force[2] * force[2])
    return max(across - s.cone_friction * force[0], -force[0])


def offset_forces(s: LoopWorkspace, offset: Floats, step: Floats, part: float, free: int) -> None:
    """Write the forces of the contact at an offset along the null space, plus a part of a step."""
    for r in range(3):
        s.cone_trial[r] = s.cone_forces[r]
        for f in range(free):
            s.cone_trial[r] += s.cone_null[r * free + f] * (offset[f] + part * step[f])


def approach_cone(s: LoopWorkspace, free: int, margin: float, rounding: float) -> None:
    """Change the offset to that of the least distance from the cone that is reduced by a margin."""
    offset_forces(s, s.cone_offset, s.cone_offset, 0.0, free)
    value = cone_distance(s, margin)
    for _ in range(CONE_NEWTON_STEPS):
        if value <= 0.0 or write_newton_step(s, free) <= CONE_TOLERANCE * sqrt(value):
            return
        if solve_by_elimination(s.null_matrix, s.null_right, s.z, free, 1) != 0:
            return
        part = -1.0
        trial = value
        is_smaller = 0
        for _ in range(CONE_STEP_HALVINGS):
            offset_forces(s, s.cone_offset, s.null_right, part, free)
            trial = cone_distance(s, margin)
            if trial <= value:
                is_smaller = 1
                break
            part = 0.5 * part
        if is_smaller == 0:
            return
        for f in range(free):
            s.cone_offset[f] += part * s.null_right[f]
        decrease = value - trial
        value = trial
        if decrease <= CONE_TOLERANCE * value or value <= rounding * rounding:
            return


def write_newton_step(s: LoopWorkspace, free: int) -> float:
    """Write the equations of a Newton step along the null space; returns the largest entry of the gradient."""
    largest = 0.0
    for f in range(free):
        slope = 0.0
        for r in range(3):
            slope += s.cone_null[r * free + f] * s.cone_slope[r]
        s.null_right[f] = slope
        largest = max(largest, abs(slope))
        for g in range(free):
            total = CURVATURE_DAMPING if f == g else 0.0
            for r in range(3):
                for i in range(3):
                    total += s.cone_null[r * free + f] * s.cone_curvature[3 * r + i] * s.cone_null[i * free + g]
            s.null_matrix[f * free + g] = total
    return largest


def cone_distance(s: LoopWorkspace, margin: float) -> float:
    """Half the squared distance of the written forces from the reduced cone; writes its gradient and its Hessian."""
    x = s.cone_trial
    mu = s.cone_friction
    n = x[0] - margin
    across = sqrt(x[1] * x[1] + x[2] * x[2])
    slope = s.cone_slope
    curvature = s.cone_curvature
    for i in range(3):
        slope[i] = 0.0
        for j in range(3):
            curvature[3 * i + j] = 0.0
    if not (across > mu * n) and n >= 0.0:
        return 0.0
    if mu * across <= -n:  # the apex is nearest
        slope[0] = n
        slope[1] = x[1]
        slope[2] = x[2]
        for i in range(3):
            curvature[4 * i] = 1.0
        return 0.5 * (n * n + across * across)
    length = sqrt(1.0 + mu * mu)
    excess = (across - mu * n) / length
    turning = excess / max(across, 1e-300) / length
    for i in range(3):
        side = -mu / length if i == 0 else x[i] / max(across, 1e-300) / length
        slope[i] = excess * side
        for j in range(3):
            other = -mu / length if j == 0 else x[j] / max(across, 1e-300) / length
            curvature[3 * i + j] = side * other
            if i > 0 and j > 0:
                curvature[3 * i + j] += turning * ((1.0 if i == j else 0.0) - side * other * length * length)
    return 0.5 * excess * excess
