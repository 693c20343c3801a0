"""A harmonic drive before and after a stiffer reducer.

All three joints of the elbow arm get harmonic drives; the shoulder's of 6000 Nm/rad is then replaced by one four times
as stiff. The resonance with the largest response of the link moves from 13.2 Hz to 22.6 Hz; the figure shows both.
"""

from dataclasses import replace
from pathlib import Path
from tempfile import gettempdir

import numpy as np

import gearwright as gw
from gearwright.parts import Harmonic
from gearwright.plots import save_figure


def arm(shoulder: float) -> gw.Mechanism:
    """The elbow arm with harmonic drives of the given stiffness [Nm/rad] in its shoulder."""
    robot = gw.load("elbow")
    for drive, stiffness in zip(robot.drives, (8000.0, shoulder, 3000.0), strict=True):
        gear = Harmonic(reduction=100, held="flexspline", stiffness=stiffness, damping=3.0)
        robot = robot.with_drive(replace(drive, gear=gear))
    return gw.assemble(robot)


q, sweep = [0.0, 0.5, -0.8], np.geomspace(3, 100, 1500)
soft, stiff = (gw.analysis.frequency_response(arm(k), q, "j2", sweep) for k in (6000.0, 24000.0))
for name, found in (("soft", soft), ("stiff", stiff)):
    print(f"{name:5} resonances at {found.resonances.round(1)} Hz, antiresonances of the motor at", end=" ")
    print(f"{found.antiresonances['j2.motor'].round(1)} Hz")
print("modes with held motors:", gw.analysis.vibration_modes(arm(6000.0), q, "held").frequencies.round(1), "Hz")
print(
    "figure:",
    save_figure(
        soft.plot(others={"24000 Nm/rad": stiff}, name="6000 Nm/rad"), Path(gettempdir()) / "harmonic_resonance.png"
    ),
)

before, after = (found.frequencies[np.argmax(np.abs(found.acceleration_response[:, 1]))] for found in (soft, stiff))
print(f"the largest response of the link is at {before:.1f} Hz, then at {after:.1f} Hz")
assert abs(before - 13.2) < 0.1
assert abs(after - 22.6) < 0.1
