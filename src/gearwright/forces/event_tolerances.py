"""Tolerances of modes and events, stated once: laws, force balance, mode search, event loops and exported C read them.

Guards are numbers in their own scale; a mode lasts as long as all its guards are positive.
"""

from __future__ import annotations

# Guards

GUARD_VIOLATION_LEVEL = 0.5e-9
"""Guards below minus this, relative to their scale, are violated."""

EVENT_LOCATION_LEVEL = 1e-9
"""An event is located where a guard reaches minus this, relative to its scale; down to half of it, its rate decides."""

NEAR_GUARD_LEVEL = 1e-6
"""Guards below this, relative to their scale, may end a mode in a search."""

# Rest and motion

BREAKAWAY_SPEED = 1e-8
"""Speed [rad/s, m/s] above which a line counts as moving: an impact elsewhere has ended sticking."""

LIMIT_REST_SPEED = 1e-10
"""Speed [rad/s, m/s] up to which the acceleration decides the direction of motion at a limit."""

ACCELERATION_NOISE = 1e-9
"""Accelerations [rad/s2, m/s2] below this are rounding where another law keeps the line at rest."""

ACCELERATION_ROUNDING_RATIO = 1e-10
"""Accelerations of contacts below this, relative to the largest, are rounding."""

CONTACT_REST_SPEED = 1e-5
"""Slip speed [m/s] below which a contact may stick; above it only the direction changes."""

RESIDUAL_CONTACT_SPEED = 1e-13
"""Residual speeds [m/s] of resting contacts above which they are removed."""

DIRECTION_THRESHOLD = 1e-12
"""Speeds [m/s] and forces [N] below this have no direction."""

HELD_SPEED_ROUNDING = 1e-14
"""Errors of held speeds up to this, relative to 1 and the largest speed, are rounding."""

ZERO_LENGTH_SQUARE = 1e-300
"""Added to the square of a length, whose root then has finite derivatives at zero."""

# Event location

EVENT_CHECKS_PER_STEP = 4
"""Times per step at which guards and branch points are checked, to detect those that change sign twice."""

NEAR_MINIMUM_RATIO = 0.02
"""Minima of the polynomial through the checks of a guard, relative to its range within the step, below which the guard
itself is looked at."""

NOISE_SPREAD = 1e-7
"""Range of a guard within a step, relative to its scale, below which its minima are rounding."""

MINIMUM_SCAN_POINTS = 32
"""Parts of a step in which the polynomial through the checks of a guard is searched for minima."""

MINIMUM_WINDOW = 1.0 / 64.0
"""Distance of the three values of a guard before a minimum, relative to the step."""

MAX_MINIMUM_SHIFT = 6.0
"""Largest distance of the minimum of a parabola from the middle one of its three values, relative to their distance."""

MINIMUM_REFINEMENTS = 4
"""Parabolas through values of a guard at a minimum."""

MINIMUM_PROBES = (0.5, 0.25, 0.75)
"""Where a guard is looked at before a minimum below zero, between the zero and the minimum."""

MIN_STEPS_WITH_EVENTS = 50
"""Least number of steps of a run with events, so that none is missed."""

EVENT_TIME_TOLERANCE = 1e-15
"""Tolerance of the time of an event [s]."""

EVENT_TIME_ROUNDING = 8.88e-16
"""The same, relative to the time."""

SCIPY_TIME_ROUNDING = 8.9e-16
"""The same relative to the time for SciPy's root finder, which accepts no less."""

SAME_TIME_TOLERANCE = 3.552713678800501e-15
"""Times closer than this (16 units of rounding), relative to themselves, count as equal."""

MAX_BRANCH_TRIALS = 12
"""Repetitions of a step over a branch point, each ending closer to it, before the step is accepted as it is."""

MAX_NEAR_BRANCH_POINTS = 200
"""Branch points within `NEAR_BRANCH_SPAN_RATIO` of the run after which they are no longer located."""

NEAR_BRANCH_SPAN_RATIO = 1e-6
"""Time between branch points below which they are close together, relative to the run."""

# Mode changes

MAX_EVENTS_WITHOUT_PROGRESS = 200
"""Successive events without progress in time after which a run ends."""

MAX_CHANGES_PER_LAW = 40
"""Changes per law after which the sequence of modes counts as not convergent."""

MAX_REPEATED_CHANGES_PER_LAW = 10
"""The same after an earlier failure to converge: then a search is faster."""

MAX_SEARCHED_MODES = 400
"""Largest number of mode sets in a search."""

# Impacts

IMPACT_DURATION = 1e-9
"""Nominal duration of an impact [s]: finite forces are negligible within it."""

MAX_IMPACT_DEPTH = 1e-5
"""Largest penetration [m] at an impact; beyond it the surface has jumped."""

RESTITUTION_HALVINGS, ENERGY_ROUNDING = 40, 1e-12
"""Resolution of the largest restitution without energy gain, and energy [J] that is rounding."""

MAX_FLANK_CHANGES = 8
"""Largest number of flank changes within one impact."""

# Rates

LARGEST_SPEED = 1e6
"""Speed above which a run has diverged [rad/s, m/s]."""

NEGLIGIBLE_RATE = 1e-100
"""Rates below this are set to zero; their squares would underflow and make the error estimate 0/0."""
