r"""One rigid contact with friction: its forces or impulses inside the cone.

With the contact's normal and tangents, $u^+ = u + W P$: open where it separates, sticking inside the cone, or sliding
with $P_t = -\mu P_n d$, whose slip direction d is searched case by case.
Restricted Python: `impulse_cone` interprets it, the event engine compiles and prints it.
"""

from __future__ import annotations

from math import cos, pi, sin

from gearwright.compiling import Floats, sqrt
from gearwright.functions.constrained.contact_workspace import ContactWorkspace
from gearwright.functions.constrained.dependent_equations import solve_dependent

CONE_ERROR_RATIO = 1e-11
"""Speed error, relative to the largest speed, that is zero."""

MOVABLE_ROW_RATIO = 1e-12
"""Diagonal entry of W, relative to the largest, below which a row is immobile."""

SLIP_DIRECTION_COUNT = 72
"""Number of directions between which the direction of sliding is searched."""

SLIP_BISECTIONS = 50
"""Number of bisections of the angle between two of them."""

DEPENDENT_TANGENTS_RATIO = 1e-11
"""Determinant of the responses of two tangents, relative to their square, below which both move along one direction."""

SLIP_STEP_COSINE, SLIP_STEP_SINE = cos(2 * pi / SLIP_DIRECTION_COUNT), sin(2 * pi / SLIP_DIRECTION_COUNT)
"""Cosine and sine of the angle between two directions in which sliding is searched."""


def reduce_tangents(s: ContactWorkspace) -> int:
    """Number of directions in which impulses change the slip; a single one is written to `contact_axis`.

    -1 if the contact also slides across the only one, as on a belt: then it does not stick.
    """
    W = s.contact_matrix
    x = 0.0
    y = 0.0
    if s.contact_rows > 1 and W[4] > MOVABLE_ROW_RATIO * W[0]:
        x = W[4]
    if s.contact_rows > 2 and W[8] > MOVABLE_ROW_RATIO * W[0]:
        y = W[8]
    if x == 0.0 and y == 0.0:
        return 0
    if x > 0.0 and y > 0.0:
        if W[4] * W[8] - W[5] * W[7] > DEPENDENT_TANGENTS_RATIO * (x + y) * (x + y):
            return 2
        size = sqrt(W[4] * W[4] + W[7] * W[7])
        s.contact_axis[0] = W[4] / size
        s.contact_axis[1] = W[7] / size
    else:
        s.contact_axis[0] = 1.0 if x > 0.0 else 0.0
        s.contact_axis[1] = 0.0 if x > 0.0 else 1.0
    u = s.contact_speeds
    across = u[1] * s.contact_axis[1] - u[2] * s.contact_axis[0]
    if x > 0.0 and y > 0.0 and abs(across) > CONE_ERROR_RATIO * (abs(u[0]) + abs(u[1]) + abs(u[2])):
        return -1
    return 1


def slide_along(s: ContactWorkspace, dx: float, dy: float) -> int:
    """Impulses of sliding along a direction, and the slip after them across and along it; 0 if there are none."""
    W = s.contact_matrix
    mu = s.contact_facts[0]
    answer = W[0] - mu * (W[1] * dx + W[2] * dy)
    if not (answer > MOVABLE_ROW_RATIO * W[0]):
        return 0
    P = s.contact_impulse
    P[0] = -s.contact_speeds[0] / answer
    P[1] = -mu * P[0] * dx
    P[2] = -mu * P[0] * dy
    x = s.contact_speeds[1] + W[3] * P[0] + W[4] * P[1] + W[5] * P[2]
    y = s.contact_speeds[2] + W[6] * P[0] + W[7] * P[1] + W[8] * P[2]
    s.contact_turn = dx * y - dy * x
    s.contact_ahead = dx * x + dy * y
    return 1


def solve_cone(s: ContactWorkspace, slides: int) -> int:
    """Impulses inside the friction cone, along a given slip (`slides`) or case by case; 1 if there are none."""
    P = s.contact_impulse
    for i in range(3):
        P[i] = 0.0
    if s.contact_speeds[0] >= 0.0:
        return 0
    if slides != 0:
        return 0 if slide_along(s, s.contact_slip[0], s.contact_slip[1]) != 0 else 1
    ways = reduce_tangents(s)
    if ways >= 0 and sticks_in_cone(s, ways) != 0:
        return 0
    if ways == 1:
        return slide_either_way(s)
    if ways == 0:
        return 1
    return find_slip_direction(s)


def slide_either_way(s: ContactWorkspace) -> int:
    """Impulses of sliding along the only direction of slip, one way or the other; 1 if there are none.

    A slip of rounding counts: where one impulse stops normal and tangent, those inside the cone are not unique.
    """
    u = s.contact_speeds
    rounding = CONE_ERROR_RATIO * (abs(u[0]) + abs(u[1]) + abs(u[2]))
    for k in range(2):
        sense = 1.0 if k == 0 else -1.0
        found = slide_along(s, sense * s.contact_axis[0], sense * s.contact_axis[1])
        if found != 0 and s.contact_ahead > -rounding:
            return 0
    return 1


def sticks_in_cone(s: ContactWorkspace, ways: int) -> int:
    """Whether the least impulses that stop the contact are inside the cone; they are written."""
    size = 1 + ways
    reduce_response(s, ways)
    u = s.contact_speeds
    largest = max(abs(u[0]), max(abs(u[1]), abs(u[2])))
    for i in range(size * size):
        s.matrix[i] = s.path_matrix[i]
    for i in range(size):
        s.right[i] = -u[i]
    if ways == 1:
        s.right[1] = -u[1] * s.contact_axis[0] - u[2] * s.contact_axis[1]
    rank = solve_dependent(s, size, 1, CONE_ERROR_RATIO)
    if rank < size and not (s.residual <= CONE_ERROR_RATIO * largest):
        return 0
    take_least_impulses(s, rank, size)
    least = s.path_impulses
    across = 0.0
    for i in range(size):
        least[s.order[i]] = s.right[i]
    for i in range(1, size):
        across += least[i] * least[i]
    if not (sqrt(across) <= s.contact_facts[0] * least[0] * (1.0 + CONE_ERROR_RATIO)):
        return 0
    write_impulse(s, ways, least)
    return 1


def take_least_impulses(s: ContactWorkspace, rank: int, size: int) -> None:
    """Change a solution of dependent rows, in pivot order, to that of least norm: it is a combination of the rows."""
    row = s.matrix
    if rank == 1:
        square = 0.0
        for i in range(size):
            square += row[i] * row[i]
        part = s.right[0] * row[0] / square
        for i in range(size):
            s.right[i] = part * row[i]
    if rank == 2 and size == 3:
        x = row[1] * row[5] - row[2] * row[4]
        y = -row[0] * row[5]
        z = row[0] * row[4]
        part = (x * s.right[0] + y * s.right[1] + z * s.right[2]) / (x * x + y * y + z * z)
        s.right[0] -= part * x
        s.right[1] -= part * y
        s.right[2] -= part * z


def reduce_response(s: ContactWorkspace, ways: int) -> None:
    """Write the response matrix over the normal and the directions of slip."""
    W = s.contact_matrix
    R = s.path_matrix
    if ways == 2:
        for i in range(9):
            R[i] = W[i]
        return
    R[0] = W[0]
    if ways == 1:
        x = s.contact_axis[0]
        y = s.contact_axis[1]
        R[1] = W[1] * x + W[2] * y
        R[2] = x * W[3] + y * W[6]
        R[3] = x * (W[4] * x + W[5] * y) + y * (W[7] * x + W[8] * y)


def write_impulse(s: ContactWorkspace, ways: int, reduced: Floats) -> None:
    """Write impulses along the normal and the directions of slip as those along the tangents."""
    P = s.contact_impulse
    P[0] = reduced[0]
    P[1] = 0.0
    P[2] = 0.0
    if ways == 1:
        P[1] = reduced[1] * s.contact_axis[0]
        P[2] = reduced[1] * s.contact_axis[1]
    if ways == 2:
        P[1] = reduced[1]
        P[2] = reduced[2]


def find_slip_direction(s: ContactWorkspace) -> int:
    """Impulses of the first direction of sliding that the slip after them has; 1 if there is none."""
    x = -1.0
    y = 0.0
    known = slide_along(s, x, y)
    turn = s.contact_turn
    ahead = s.contact_ahead
    for _ in range(SLIP_DIRECTION_COUNT):
        new_x = SLIP_STEP_COSINE * x - SLIP_STEP_SINE * y
        new_y = SLIP_STEP_SINE * x + SLIP_STEP_COSINE * y
        new_known = slide_along(s, new_x, new_y)
        new_turn = s.contact_turn
        new_ahead = s.contact_ahead
        crosses = 0
        if known != 0 and new_known != 0 and turn * new_turn <= 0.0 and max(ahead, new_ahead) > 0.0:
            crosses = halve_slip_directions(s, x, y, new_x, new_y, turn)
        if crosses != 0:
            return 0
        x = new_x
        y = new_y
        known = new_known
        turn = new_turn
        ahead = new_ahead
    return 1


def halve_slip_directions(s: ContactWorkspace, x: float, y: float, other_x: float, other_y: float, turn: float) -> int:
    """Sliding between two directions where the slip crosses them; 1 if it points forward."""
    for _ in range(SLIP_BISECTIONS):
        middle_x = x + other_x
        middle_y = y + other_y
        size = sqrt(middle_x * middle_x + middle_y * middle_y)
        middle_x = middle_x / size
        middle_y = middle_y / size
        if slide_along(s, middle_x, middle_y) == 0:
            return 0
        if s.contact_turn * turn > 0.0:
            x = middle_x
            y = middle_y
        else:
            other_x = middle_x
            other_y = middle_y
    if s.contact_ahead > 0.0:
        return 1
    return 0
