"""A finger of three joints between two tendons: a motor winds up the flexor, the extensor runs over pulleys.

Both are elastic cords that never push. The winch is a shaft of the machine: the flexor's free length decreases as the
winch turns, so the cord pulls at the finger and at the winch. The energy of the run balances to 1e-09.
"""

import numpy as np

import gearwright as gw
from gearwright.forces import (
    Coordinate,
    ElementDeflection,
    Line,
    NonlinearSpring,
    Pulley,
    TorqueCurve,
    compliant_stops,
    tendon,
)

SIZES = {"near": (0.0, 0.05, 0.05), "middle": (0.05, 0.03, 0.03), "far": (0.03, 0.02, 0.02)}  # place, mass, length
bodies = [
    gw.Body(
        name,
        k - 1,
        position=(x, 0, 0),
        mass=mass,
        com=(length / 2, 0, 0),
        inertia=np.diag([1e-6, 1e-6 + mass * length**2 / 12, 1e-6 + mass * length**2 / 12]),
    )
    for k, (name, (x, mass, length)) in enumerate(SIZES.items())
]
finger = gw.Mechanism(
    bodies, spins=[gw.Spin("rotor", -1, (0, 0, 1), 2e-5, {"winch": 1.0})], shafts=["winch"], gravity=(0, -9.81, 0)
)

flexor = tendon(finger, [("base", (-0.03, -0.008, 0)), ("near", (0.025, -0.007, 0)), ("far", (0.012, -0.005, 0))])
stretch = Coordinate.for_machine(finger, "flexor", lambda c: flexor.function(c) + 0.008 * c.coordinate("winch"))
route = [("base", (-0.03, 0.004, 0))]
for name, radius, along in zip(SIZES, (0.006, 0.005, 0.004), (0.025, 0.015, 0.012), strict=True):
    route += [Pulley(name, radius, axis=(0, 0, -1)), (name, (along, radius - 0.002, 0))]
extensor = tendon(finger, route, name="extensor")

laws = [
    compliant_stops("flexor", stretch, -1.0, 0.122, 4000.0, 10.0, unit="N", smooth=True),
    compliant_stops("extensor", extensor, -1.0, 0.121, 400.0, 2.0, unit="N", smooth=True),
    *(
        NonlinearSpring(f"{x}.skin", ElementDeflection(Line.for_machine(finger, x)), TorqueCurve(0.02, 0.02), 1e-3)
        for x in SIZES
    ),
]
run = gw.simulate(finger, until=0.6, extra_laws=laws, inputs={"tau.winch": 0.02}, samples=61)
print("joint angles [deg]:", np.rad2deg(run.q[-1, :3]).round(1), " flexor [N]:", run["flexor.torque"][-1].round(2))
assert run.q[-1, :3].sum() < -0.3, "the finger bends"
assert min(run[f"{x}.torque"].min() for x in ("flexor", "extensor")) > -1e-9, "tendons do not push"
assert run.drift < 1e-09
