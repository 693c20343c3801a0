"""Tolerances of the projection onto constraints, read by the projection in Python and by the event loop."""

from __future__ import annotations

PROJECTION_TOLERANCE = 1e-14
"""Constraint error [m, rad], relative to the largest coordinate, below which no projection is done."""

CONVERGED_PROJECTION_ERROR = 1e-9
"""Constraint error [m, rad] below which a Newton step without further decrease ends the projection."""

WEAK_DIRECTION_RATIO = 1e-4
"""Relative singular value below which directions are not corrected: they would amplify errors."""

MAX_PROJECTION_STEPS = 40
"""Largest number of Newton steps."""

DEPENDENT_ROWS_RATIO = 1e-6
"""Relative singular value up to which rows along coordinates are linearly dependent."""

POSITION_JUMP_LIMIT, SPEED_JUMP_LIMIT = 1e-4, 1e-2
"""Largest violation of a moving constraint after a step [m, rad; m/s, rad/s]; above it, the constraint has jumped."""
