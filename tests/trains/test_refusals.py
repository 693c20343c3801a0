"""Bad trains: every message names the part, the value, the rule and the way out."""

from __future__ import annotations

import pytest

import gearwright as gw
from gearwright.errors import StructureError, TrainError
from gearwright.mechanism import GearGraph, GearPair, TurningPair
from gearwright.parts import (
    Belt,
    Cycloidal,
    Drive,
    Gear,
    Gearwheel,
    Harmonic,
    Member,
    Mesh,
    Planetary,
    Rack,
    Robot,
    Series,
    Spur,
    Train,
    TrainMotor,
    Wolfrom,
    nested_shafts,
)
from trains.arms import chain


def pairs(*made):
    return [TurningPair(*pair) for pair in made]


TWO = (("0", "1", "a"), ("0", "w", "d"))
GRAPHS = {
    "two carriers": (
        lambda: GearGraph(pairs(*TWO, ("1", "w", "d"))),
        "'w'.*carriers.*'0'.*'1'",
    ),
    "not connected": (
        lambda: GearGraph(pairs(*TWO, ("9", "x", "e"))),
        "'x'.*'0'.*'9'",
    ),
    "circle": (lambda: GearGraph(pairs(("1", "2", "a"), ("2", "1", "b"))), "2 -> 1 -> 2"),
    "circle further in": (
        lambda: GearGraph(pairs(("1", "x", "c"), ("1", "2", "a"), ("2", "1", "b"))),
        "1 -> 2 -> 1",
    ),
    "same name": (
        lambda: GearGraph(pairs(("0", "1", "a", "w"), ("0", "w", "d"))),
        "turning pairs.*'w'",
    ),
    "unknown gear": (
        lambda: GearGraph(pairs(*TWO), [GearPair("w", "v", 2.0)]),
        "w-v.*'v'.* 0, 1, w",
    ),
    "carrier on neither axis": (
        lambda: GearGraph(pairs(*TWO, ("1", "2", "b")), [GearPair("w", "1", 2.0, "2")]).turning_rates(["1", "2"]),
        "w-1.*carrier '2'.*a, b, d.*'w'",
    ),
    "no common link": (
        lambda: GearGraph(pairs(*TWO, ("1", "2", "b")), [GearPair("w", "2", 2.0)]).turning_rates(["1", "2"]),
        "w-2.*d, a, b",
    ),
    "coaxial gears": (
        lambda: GearGraph(pairs(("0", "1", "a"), ("0", "w", "a")), [GearPair("w", "1", 2.0, "0")]).turning_rates(["1"]),
        "axis 'a'.*'0'",
    ),
    "over-constrained": (
        lambda: GearGraph(
            pairs(*TWO, ("0", "x", "e")), [GearPair("w", "1", -2.0), GearPair("x", "w", -2.0), GearPair("x", "1", 3.0)]
        ).turning_rates(["1"]),
        r"over-constrained.*w-1.*-2\.0.*x-w \(-2\.0\), x-1 \(3\.0\).*-1\.5",
    ),
    "locked": (
        lambda: GearGraph(pairs(*TWO), [GearPair("w", "1", -2.0), GearPair("w", "1", -3.0)]).turning_rates(["1"]),
        r"w-1.*-2\.0.*-3\.0",
    ),
    "over-constrained planetary": (
        lambda: GearGraph(
            pairs(("0", "sun", "a"), ("0", "ring", "a"), ("0", "arm", "a"), ("arm", "p", "b"), ("0", "x", "x")),
            [
                GearPair("sun", "p", -2.0, "arm"),
                GearPair("ring", "p", 0.5, "arm"),
                GearPair("x", "sun", -2.0),
                GearPair("x", "arm", -3.0),
            ],
        ).turning_rates(["sun", "ring"]),
        r"sun-p.*-2\.0.*ring-p \(0\.5\), x-arm \(-3\.0\), x-sun \(-2\.0\).*\(-2\.33333\) sun \+ \(4\) ring = 0",
    ),
    "zero ratio": (lambda: GearPair("w", "1", 0.0), r"w-1.*ratio 0\.0"),
    "no ratio": (lambda: GearPair("w", "1", float("nan")), "w-1.*ratio nan"),
    "teeth without end": (lambda: GearPair.of_teeth("w", "1", (float("inf"), 20)), "w has inf teeth"),
    "unknown input": (
        lambda: GearGraph(pairs(*TWO)).structure_matrix(["1", "w"], ["v"]),
        "'v'.* 1, w",
    ),
    "end of the chain": (lambda: GearGraph(pairs(*TWO)).open_chain("v"), "'v'"),
    "carrier of the base": (lambda: GearGraph(pairs(*TWO)).carrier_of("0"), "'0'"),
    "under-constrained": (
        lambda: GearGraph(pairs(*TWO, ("0", "x", "e")), [GearPair("w", "x", -2.0)]).turning_rates(["1"]),
        "under-constrained",
    ),
}


@pytest.mark.parametrize("case", GRAPHS)
def test_graphs(case):
    make, message = GRAPHS[case]
    with pytest.raises(TrainError, match=message):
        make()


def robot(wheels=(), meshes=(), motors=(), free=()):
    return gw.assemble(Robot("arm", chain(), trains=[Train("t", wheels, meshes, motors, free)]))


W = Gearwheel("w", "l2", "j3", 1e-3)


def stage(teeth, planets=3):
    """A planetary stage drawn freely: the ring is link 2, link 3 carries the planets."""
    wheels = [Gearwheel("sun", "l2", "j3", 1e-3), Gearwheel("p", "l3", "parallel", 1e-4, count=planets)]
    sun = Mesh("sun", "p", teeth=teeth[:2], carrier="l3")
    return robot(wheels, [sun, Mesh("l2", "p", teeth=(teeth[2], teeth[1]), kind="internal", carrier="l3")])


TRAINS = {
    "disconnected": (lambda: robot([W]), "wheel 'w'.*disconnected"),
    "unknown carrier": (
        lambda: robot([Gearwheel("w", "l9")], [Mesh("w", "l1", 2.0)]),
        "wheel 'w'.*carrier 'l9'",
    ),
    "unknown wheel of a mesh": (
        lambda: robot([W], [Mesh("ww", "l1", 2.0)]),
        "mesh 'ww'-'l1'.*'ww'.*'w'",
    ),
    "name of a link": (lambda: robot([Gearwheel("l1")]), "wheel 'l1'.*name"),
    "twice": (lambda: robot([W, W]), "wheels.*'w'"),
    "two carriers": (
        lambda: robot([W, Gearwheel("w", "l1", "j2")], [Mesh("w", "l3", 2.0)]),
        "wheel 'w'.*carriers.*'l2'.*'l1'",
    ),
    "tooth sum": (lambda: stage((18, 27, 80)), r"ring 80 ≠ sun 18 \+ 2 × planet 27 = 72"),
    "spacing": (lambda: stage((18, 27, 72), 4), r"4 .*planets.*sun 18 \+ ring 72 = 90"),
    "touching": (lambda: stage((18, 27, 72), 5), "5 planets of 27 teeth"),
    "teeth of one gear": (lambda: Mesh("a", "b", teeth=(20,)), r"mesh 'a'-'b'.*\(20,\)"),
    "no teeth": (lambda: Mesh("a", "b", teeth=(float("nan"), 20)), "mesh 'a'-'b': a has nan teeth"),
    "ring like its pinion": (
        lambda: Mesh("a", "b", teeth=(20, 20), kind="internal"),
        r"mesh 'a'-'b'.*teeth \(20, 20\).*internal",
    ),
    "both sizes": (lambda: Mesh("a", "b", teeth=(20, 30), radii=(0.1, 0.2)), "mesh 'a'-'b'.*ratio.*teeth.*radii"),
    "radii": (lambda: Mesh("a", "b", radii=(0.1, -0.2)), r"mesh 'a'-'b': b=-0\.2"),
    "radius": (lambda: Gearwheel("w", radius=float("nan")), "wheel 'w': radius=nan"),
    "unknown axis": (
        lambda: robot([Gearwheel("w", "l2", "j33")], [Mesh("w", "l3", 2.0)]),
        "wheel 'w'.*axis 'j33'.*'j3'",
    ),
    "axes in a circle": (
        lambda: robot([Gearwheel("w", "l2", "v"), Gearwheel("v", "l2", "w")], [Mesh("w", "v", 2.0)]),
        "w -> v -> w",
    ),
    "axis of a wheel elsewhere": (
        lambda: robot([W, Gearwheel("x", "l2", (0, 0, 1)), Gearwheel("v", "l1", "x", 1e-3)], (), (), ["w", "v", "x"]),
        "wheel 'v'.*'l1'.*wheel 'x'.*'l2'",
    ),
    "count": (lambda: Gearwheel("w", count=10**6), "count 1000000.*100"),
    "axis elsewhere": (
        lambda: robot([Gearwheel("w", "base", "j3", 1e-3)], free=["w"]),
        "wheel 'w'.*carrier 'base'.*joint 'j3'",
    ),
    "zero ratio": (lambda: Mesh("a", "b", 0.0), r"mesh 'a'-'b': ratio 0\.0"),
    "no ratio": (lambda: Mesh("a", "b"), "mesh 'a'-'b'.*ratio.*teeth.*radii"),
    "non-integer teeth": (lambda: Mesh("a", "b", teeth=(20, 30.5)), r"mesh 'a'-'b': b.*30\.5 teeth"),
    "not parallel": (
        lambda: robot([Gearwheel("w", "l2", (1, 2, 3), 1e-3)], [Mesh("w", "l3", teeth=(20, 30), carrier="l2")]),
        "external.*parallel",
    ),
    "drives nothing": (
        lambda: robot([W, Gearwheel("still", "l2", (0, 0, 1))], [Mesh("w", "still", 2.0)], [TrainMotor("m", "still")]),
        "under-constrained",
    ),
    "stator turns along": (
        lambda: robot([Gearwheel("w", "l2", "j3", 1e-3)], (), [TrainMotor("m", "w", "w")], ["w"]),
        "motor 'm'.*rotor 'w'.*stator 'w'",
    ),
    "unknown wheel of a motor": (
        lambda: robot([W], (), [TrainMotor("m", "v")], ["w"]),
        "motor 'm'.*wheel 'v'",
    ),
    "unknown free wheel": (lambda: robot([W], [Mesh("w", "l3", 2.0)], (), ["v"]), "free 'v'"),
    "wheel on wheel": (
        lambda: robot(
            [W, Gearwheel("p", "w", (0, 0, 1), 1e-3, count=3)],
            [Mesh("w", "l1", 2.0, carrier="l2"), Mesh("p", "l3", 2.0)],
        ),
        "axis.*'parallel'.*'radial'",
    ),
    "nested shafts": (
        lambda: nested_shafts("n", ["a", "b"], ["A", "B"], [1.0, 2.0], [0.0]),
        "nested shafts 'n': 2 joints.*2 links.*1 ratios",
    ),
}


@pytest.mark.parametrize("case", TRAINS)
def test_trains(case):
    make, message = TRAINS[case]
    with pytest.raises((TrainError, StructureError), match=message):
        make()


GEARS = {
    "tooth sum": (
        lambda: Planetary(sun=20, planet=30, ring=81),
        r"planetary: ring 81 ≠ sun 20 \+ 2 × planet 30 = 80",
    ),
    "spacing": (
        lambda: Planetary(sun=20, planet=31, ring=82, planets=4),
        r"4 .*planets.*sun 20 \+ ring 82 = 102",
    ),
    "touching": (lambda: Planetary(sun=20, planet=40, ring=100, planets=5), "5 planets of 40 teeth"),
    "non-integer": (lambda: Planetary(sun=20.5, planet=30, ring=80.5), r"planetary: sun.*20\.5 teeth"),
    "text": (lambda: Planetary(sun="many", planet=30, ring=80), "sun.*'many' teeth"),
    "held": (lambda: Planetary(sun=20, planet=30, ring=80, held="planet"), "held 'planet'"),
    "input held": (lambda: Planetary(sun=20, planet=30, ring=80, held="ring", input="ring"), "input 'ring'"),
    "no place": (
        lambda: Planetary(sun=20, planet=20, ring=60, planets=4, planet_member=Member(1e-4, 0.1)),
        r"planets.*0\.1 kg.*radius",
    ),
    "two planets": (
        lambda: Planetary(sun=20, planet=20, ring=60, planets=2, radius=0.04, planet_member=Member(1e-4, 0.1)),
        "2 planets.*towards",
    ),
    "no planets": (lambda: Planetary(sun=20, planet=20, ring=60, planets=0), "planetary: planets 0"),
    "no radius": (lambda: Planetary(sun=20, planet=20, ring=60, planets=4, radius=-0.1), r"planetary: radius=-0\.1"),
    "touching cranks": (
        lambda: Cycloidal(pins=40, sun=16, planet=32, planets=6),
        "cycloidal: 6 planets of 32 teeth",
    ),
    "teeth": (lambda: Spur(driver=float("nan"), driven=20), "spur: driver.*nan teeth"),
    "stepped": (
        lambda: Planetary(sun=20, planet=40, second_planet=30, ring=85),
        r"sun 20 \+ planet 40 = 60 .*ring 85 - second planet 30 = 55",
    ),
    "wolfrom standing still": (
        lambda: Wolfrom(sun=12, planet=24, ring=60, second_planet=24, second_ring=60),
        "wolfrom: rings 60, 60 and planets 24, 24",
    ),
    "ring too small": (lambda: Spur(driver=60, driven=20, internal=True), "spur: the ring has 20 teeth"),
    "touching pulleys": (
        lambda: Belt(driver=0.1, driven=0.1, distance=0.15),
        r"belt: pulleys of radius 0\.1 and 0\.1 m.*0\.15 m",
    ),
    "belt without distance": (lambda: Belt(driver=0.1, driven=0.1, line_density=1.0), "belt:.*line density.*distance"),
    "rack twice": (lambda: Rack(radius=0.02, teeth=20, module=0.002), "rack:.*radius.*teeth and module"),
    "harmonic": (lambda: Harmonic(flexspline=202, circular=200), "harmonic:.*200 teeth.*202"),
    "one disc": (lambda: Cycloidal(pins=30, discs=1, disc_member=Member(1e-4, 0.2)), "cycloidal:.*disc.*2 or more"),
    "stage": (lambda: Series(stages=[Gear(10.0)]), "series: stage 1 .*Gear"),
    "two springs without inertia between": (
        lambda: Series(stages=[Spur(driver=20, driven=40, stiffness=10.0)], stiffness=20.0),
        r"series:.*last stage.*20\.0",
    ),
    "efficiency": (lambda: Spur(driver=20, driven=40, efficiency=1.5), r"efficiency 1\.5"),
    "transverse member": (lambda: Member(1.0, transverse_inertia=(1.0, -1.0)), r"transverse_inertia=-1\.0"),
    "negative member": (lambda: Member(-1.0), r"gear member: inertia=-1\.0"),
}


@pytest.mark.parametrize("case", GEARS)
def test_gears(case):
    make, message = GEARS[case]
    with pytest.raises(TrainError, match=message):
        make()


def test_driven_member_far_from_its_joint():
    gear = Spur(driver=20, driven=40, driven_member=Member(1e-3, 0.1))
    with pytest.raises(TrainError, match="'base'"):
        gw.assemble(Robot("arm", chain(), [Drive("j3", gear=gear, mounted_on="base", axis=(0, 0, 1))]))


def test_gear_mounted_on_the_driven_link():
    with pytest.raises(TrainError, match="'l2'"):
        gw.assemble(Robot("arm", chain(), [Drive("j3", gear=Spur(driver=20, driven=40), mounted_on="l3")]))
