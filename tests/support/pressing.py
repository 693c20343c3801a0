"""A pen of an arm on a desk: what tests of control in contact share."""

from __future__ import annotations

import gearwright as gw
from gearwright.contact import Constraint, Plane, fixed_frame, project

ARM = gw.assemble(gw.load("elbow"))
DESK = Plane((0.0, 0.0, 0.1), (0, 0, 1))
PEN = Constraint("pen", "tool", fixed_frame("desk", (0, 0, 0.1)), held=("z",))
START = project(ARM, [0.3, -0.3, 0.9], [PEN])
HERE = gw.placement(ARM, START.q, "tool")
FINE = {"method": "adaptive", "integrator": gw.analysis.IntegratorOptions(rtol=1e-10, atol=1e-12)}
