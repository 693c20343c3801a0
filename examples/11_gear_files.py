"""Every part as a file to start from: the robots of the folder `gears`.

Each file has one part with the masses of its members: spur, internal, idler, bevel, several stages, belt, chain, rack
and pinion, worm, ball screw, planetary (each member held, and none), stepped planets, planetary stages in series,
Wolfrom, harmonic, cycloidal, RV, elastic shaft, bevel differential and nested shafts; 23 in all. Copy one, and look
at it with `gearwright train FILE`. The turning wheels make the joint heavier and couple it with the joint before it;
where members are not bodies of revolution, the neglected part is stated.
"""

from pathlib import Path

import numpy as np

import gearwright as gw

files = sorted((Path(__file__).parent / "gears").glob("*.yaml"))
for file in files:
    robot = gw.load(file)
    mech = gw.assemble(robot)
    before, joint = 0, len(robot.links) - 1
    still = np.zeros(mech.n)
    M = gw.mass_matrix(mech, still)
    wheels = gw.equations.explain(mech, still, still, still).mass_matrices.sum(axis=0)
    print(f"\n{robot.name}: {', '.join(spin.name for spin in mech.spins)}")
    for motor, row in zip(mech.actuators, gw.actuation.structure_matrix(mech).T, strict=True):
        terms = [f"{ratio:.6g} {speed}" for ratio, speed in zip(row, mech.speeds, strict=True) if ratio]
        print(f"  motor {motor.name} turns at", " + ".join(terms))
    print(f"  at {mech.speeds[joint]}: {M[joint, joint]:.5g}, of which the wheels {wheels[joint, joint]:.3g}")
    print(f"  they couple it with {mech.speeds[before]} by {wheels[before, joint]:.3g}")
    for drive in robot.drives:
        if error := getattr(drive.gear, "averaging_error", 0.0):
            print(f"  averaged over a turn: inertia across the axis within {error:.3g} kg m2")
assert len(files) == 23
