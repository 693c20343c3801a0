"""A servo-hydraulic axis: a cylinder with a servo valve lifts a slide of 250 kg.

Oil is a spring: at mid stroke the slide oscillates at 2 A sqrt(beta/(V m)) = 271.6 rad/s. The command of the valve for
a lift of 0.2 m in 1 s follows from the motion with five derivatives (force, oil and spool in sequence) and stays below
its limit of 1; simulated with it, the slide follows the motion within 1e-6 m. The same lift in half the time needs
1.49, more than the valve can open; the program reports the excess, its time and its duration.
"""

import numpy as np

import gearwright as gw
from gearwright.forces import HydraulicCylinder, ServoValve, servo_cylinder
from gearwright.motion import polynomial

AREA, VOLUME, OIL, MASS = 1.96e-3, 8.0e-4, 9.6e8, 250.0  # 63 x 38.5 mm, 400 mm of stroke with its lines; oil with air

slide = gw.Mechanism([gw.Body("slide", joint="prismatic", axis=(0, 0, 1), mass=MASS)])
valve = ServoValve(rated_flow=40 / 60e3, rated_drop=70e5, frequency=2 * np.pi * 90, damping=0.8)  # 40 l/min at 70 bar
axis = servo_cylinder(
    slide,
    "slide",
    valve,
    HydraulicCylinder(area=AREA, volume=VOLUME, mass=9.0, bulk_modulus=OIL, leakage=2e-12, damping=400.0),
)

model = gw.actuation.complete_model(slide, [axis])
swings = np.linalg.eigvals([model.drift(x) - model.drift(0 * x) for x in np.eye(5)])
oil = max((z for z in swings if z.imag > 0), key=lambda z: z.real / abs(z))  # the least damped one
print(f"the slide oscillates on the oil at {abs(oil):.1f} rad/s, damping ratio {-oil.real / abs(oil):.3f}")

lift = polynomial([0.0], [0.2], duration=1.0, order=7)
asked = gw.demands(slide, lift, actuators=[axis])
print(asked.report())
run = gw.simulate(
    slide, asked.start, lift.duration, extra_laws=[axis], inputs=asked.input_signals, method="stiff", samples=51
)
error = np.abs(run.q - lift.at(run.t)).max()
print(f"load pressure {run['slide.load_pressure'].max() / 1e5:.1f} bar at most; tracking error {error:.1e} m")

hasty = gw.demands(slide, polynomial([0.0], [0.2], duration=0.5, order=7), actuators=[axis])
print(hasty.report())

assert asked.is_feasible
assert error < 1e-6
assert abs(hasty.excesses[0].largest - 1.49) < 0.01
assert abs(abs(oil) - 271.6) < 0.1
