"""One of each gear, and the inertia of a motor of 1e-4 kg m2 at the joint.

Spur, internal, idler, bevel, worm, belt, chain, planetary (each member held), stepped, Wolfrom, harmonic, cycloidal, RV
and gears in series; rack and ball screw drive a prismatic joint. A planetary stage of 18, 27 and 72 teeth with its ring
held has the ratio 5, so the motor has 1e-4 * 5^2 = 0.0025 kg m2 at the joint.
"""

import gearwright as gw
from gearwright.parts import (
    Belt,
    Bevel,
    Cycloidal,
    Drive,
    Harmonic,
    Joint,
    Link,
    Motor,
    Planetary,
    Rack,
    Robot,
    Screw,
    Series,
    Spur,
    Wolfrom,
    Worm,
)

stage = {"sun": 18, "planet": 27, "ring": 72}
GEARS = {
    "spur": Spur(driver=20, driven=60),
    "internal": Spur(driver=20, driven=60, internal=True),
    "with an idler": Spur(driver=20, driven=60, idlers=(35,)),
    "bevel": Bevel(driver=20, driven=40),
    "worm": Worm(starts=1, wheel=40),
    "belt": Belt(driver=0.02, driven=0.06, distance=0.2, line_density=0.05, towards=(1, 0, 0)),
    "chain": Belt(driver=0.03, driven=0.09, distance=0.3, line_density=0.6, towards=(1, 0, 0), kind="chain"),
    "planetary, ring held": Planetary(**stage, held="ring"),
    "planetary, carrier held": Planetary(**stage, held="carrier"),
    "planetary, sun held": Planetary(**stage, held="sun"),
    "stepped planets": Planetary(sun=20, planet=40, second_planet=25, ring=85),
    "Wolfrom": Wolfrom(sun=12, planet=24, ring=60, second_planet=21, second_ring=57),
    "harmonic": Harmonic(flexspline=200, circular=202),
    "cycloidal": Cycloidal(pins=40),
    "RV": Cycloidal(pins=40, sun=16, planet=32),
    "two stages": Series(stages=[Spur(driver=20, driven=60), Planetary(**stage)]),
    "rack": Rack(teeth=20, module=0.002),
    "ball screw": Screw(lead=0.01, hand="left"),
}
felt = {}
for name, gear in GEARS.items():
    slides = name in ("rack", "ball screw")
    joint = Joint("joint", "prismatic" if slides else "revolute", (0, 0, 1))
    link = Link("link", joint=joint, mass=1.0, inertia=[[1, 0, 0], [0, 1, 0], [0, 0, 1]])
    mech = gw.assemble(Robot(name, [link], [Drive("joint", Motor(1e-4), gear, axis=(0, 0, 1))]))
    felt[name] = gw.mass_matrix(mech, [0.0])[0, 0] - 1.0
    print(f"{name:24} ratio {gear.ratio:10.4f}   reflected {felt[name]:9.5f} {'kg' if slides else 'kg m2'}")
assert abs(felt["planetary, ring held"] - 0.0025) < 1e-12
