"""Bad trains: every message names the part, the value, the rule and the way out."""

from __future__ import annotations

import re

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
        "'w' has two carriers, '0' and '1'. Keep one turning pair",
    ),
    "not connected": (
        lambda: GearGraph(pairs(*TWO, ("9", "x", "e"))),
        "'x' is not connected to '0': its carriers end at '9'",
    ),
    "circle": (lambda: GearGraph(pairs(("1", "2", "a"), ("2", "1", "b"))), "the carriers form a circle: 2 -> 1 -> 2"),
    "circle further in": (
        lambda: GearGraph(pairs(("1", "x", "c"), ("1", "2", "a"), ("2", "1", "b"))),
        "the carriers form a circle: 1 -> 2 -> 1",
    ),
    "same name": (
        lambda: GearGraph(pairs(("0", "1", "a", "w"), ("0", "w", "d"))),
        "two turning pairs are called 'w'",
    ),
    "unknown gear": (
        lambda: GearGraph(pairs(*TWO), [GearPair("w", "v", 2.0)]),
        "gear pair w-v: 'v' is neither a link nor a wheel. Known are: 0, 1, w.",
    ),
    "carrier on neither axis": (
        lambda: GearGraph(pairs(*TWO, ("1", "2", "b")), [GearPair("w", "1", 2.0, "2")]).rates(["1", "2"]),
        "gear pair w-1: its carrier '2' shares no single axis (between them lie a, b, d) with 'w'",
    ),
    "no common link": (
        lambda: GearGraph(pairs(*TWO, ("1", "2", "b")), [GearPair("w", "2", 2.0)]).rates(["1", "2"]),
        "gear pair w-2: no link is coaxial with both gears (the axes between them are d, a, b)",
    ),
    "coaxial gears": (
        lambda: GearGraph(pairs(("0", "1", "a"), ("0", "w", "a")), [GearPair("w", "1", 2.0, "0")]).rates(["1"]),
        "both gears turn about axis 'a' of '0'; coaxial gears cannot mesh",
    ),
    "over-constrained": (
        lambda: GearGraph(
            pairs(*TWO, ("0", "x", "e")), [GearPair("w", "1", -2.0), GearPair("x", "w", -2.0), GearPair("x", "1", 3.0)]
        ).rates(["1"]),
        "over-constrained: gear pair w-1 has the ratio -2.0, but the way round through x-w (-2.0), x-1 (3.0) makes it "
        "-1.5. Change a ratio or remove a gear pair.",
    ),
    "locked": (
        lambda: GearGraph(pairs(*TWO), [GearPair("w", "1", -2.0), GearPair("w", "1", -3.0)]).rates(["1"]),
        "gear pair w-1 has the ratio -2.0, but the way round through a second pair of the same gears makes it -3.0",
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
        ).rates(["sun", "ring"]),
        "gear pair sun-p has the ratio -2.0, but the way round through ring-p (0.5), x-arm (-3.0), x-sun (-2.0) "
        "contradicts it: together they ask for (-2.33333) sun + (4) ring = 0",
    ),
    "zero ratio": (lambda: GearPair("w", "1", 0.0), "gear pair w-1: ratio 0.0 must be finite and not zero"),
    "no ratio": (lambda: GearPair("w", "1", float("nan")), "gear pair w-1: ratio nan must be finite and not zero"),
    "teeth without end": (lambda: GearPair.of_teeth("w", "1", (float("inf"), 20)), "w has inf teeth"),
    "unknown input": (
        lambda: GearGraph(pairs(*TWO)).structure_matrix(["1", "w"], ["v"]),
        "'v' is neither a link nor a wheel. Known are: 1, w.",
    ),
    "end of the chain": (lambda: GearGraph(pairs(*TWO)).open_chain("v"), "'v' is neither a link nor a wheel"),
    "carrier of the base": (lambda: GearGraph(pairs(*TWO)).carrier_of("0"), "'0' is the base, which nothing carries"),
    "under-constrained": (
        lambda: GearGraph(pairs(*TWO, ("0", "x", "e")), [GearPair("w", "x", -2.0)]).rates(["1"]),
        "under-constrained: no gear pair fixes the speed of",
    ),
}


@pytest.mark.parametrize("case", GRAPHS)
def test_graphs(case):
    make, message = GRAPHS[case]
    with pytest.raises(TrainError, match=re.escape(message)):
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
    "disconnected": (lambda: robot([W]), "wheel 'w' is disconnected: it meshes with nothing"),
    "unknown carrier": (
        lambda: robot([Gearwheel("w", "l9")], [Mesh("w", "l1", 2.0)]),
        "wheel 'w': its carrier 'l9' is neither a link nor a wheel",
    ),
    "unknown wheel of a mesh": (
        lambda: robot([W], [Mesh("ww", "l1", 2.0)]),
        "mesh 'ww'-'l1': there is no link or wheel 'ww'. Did you mean 'w'?",
    ),
    "name of a link": (lambda: robot([Gearwheel("l1")]), "wheel 'l1' has the name of a link"),
    "twice": (lambda: robot([W, W]), "two wheels are called 'w'"),
    "two carriers": (
        lambda: robot([W, Gearwheel("w", "l1", "j2")], [Mesh("w", "l3", 2.0)]),
        "wheel 'w' has two carriers, 'l2' and 'l1'. Keep one",
    ),
    "tooth sum": (lambda: stage((18, 27, 80)), "ring 80 ≠ sun 18 + 2 × planet 27 = 72 teeth. Change one of the three."),
    "spacing": (lambda: stage((18, 27, 72), 4), "4 evenly spaced planets cannot be assembled: sun 18 + ring 72 = 90"),
    "touching": (lambda: stage((18, 27, 72), 5), "5 planets of 27 teeth touch each other"),
    "teeth of one gear": (lambda: Mesh("a", "b", teeth=(20,)), "mesh 'a'-'b': teeth (20,): give two numbers"),
    "no teeth": (lambda: Mesh("a", "b", teeth=(float("nan"), 20)), "mesh 'a'-'b': a has nan teeth"),
    "ring like its pinion": (
        lambda: Mesh("a", "b", teeth=(20, 20), kind="internal"),
        "mesh 'a'-'b': teeth (20, 20) of an internal pair are equal. Its ring must be larger.",
    ),
    "both sizes": (lambda: Mesh("a", "b", teeth=(20, 30), radii=(0.1, 0.2)), "give either its ratio, or the teeth or"),
    "radii": (lambda: Mesh("a", "b", radii=(0.1, -0.2)), "mesh 'a'-'b': b=-0.2 must be a positive finite number"),
    "radius": (lambda: Gearwheel("w", radius=float("nan")), "wheel 'w': radius=nan must be a finite number"),
    "unknown axis": (
        lambda: robot([Gearwheel("w", "l2", "j33")], [Mesh("w", "l3", 2.0)]),
        "wheel 'w': its axis 'j33' is neither a joint nor another wheel. Did you mean 'j3'?",
    ),
    "axes in a circle": (
        lambda: robot([Gearwheel("w", "l2", "v"), Gearwheel("v", "l2", "w")], [Mesh("w", "v", 2.0)]),
        "wheels take their axis from each other: w -> v -> w",
    ),
    "axis of a wheel elsewhere": (
        lambda: robot([W, Gearwheel("x", "l2", (0, 0, 1)), Gearwheel("v", "l1", "x", 1e-3)], (), (), ["w", "v", "x"]),
        "wheel 'v' on 'l1' takes its axis from wheel 'x' on 'l2'",
    ),
    "count": (lambda: Gearwheel("w", count=10**6), "count 1000000 is not a number of wheels from 1 to 100"),
    "axis elsewhere": (
        lambda: robot([Gearwheel("w", "base", "j3", 1e-3)], free=["w"]),
        "wheel 'w': its carrier 'base' is on neither side of joint 'j3'",
    ),
    "zero ratio": (lambda: Mesh("a", "b", 0.0), "mesh 'a'-'b': ratio 0.0"),
    "no ratio": (lambda: Mesh("a", "b"), "mesh 'a'-'b': give either its ratio, or the teeth or radii"),
    "non-integer teeth": (lambda: Mesh("a", "b", teeth=(20, 30.5)), "mesh 'a'-'b': b has 30.5 teeth"),
    "not parallel": (
        lambda: robot([Gearwheel("w", "l2", (1, 2, 3), 1e-3)], [Mesh("w", "l3", teeth=(20, 30), carrier="l2")]),
        "do not fit: external gears need parallel axes",
    ),
    "drives nothing": (
        lambda: robot([W, Gearwheel("still", "l2", (0, 0, 1))], [Mesh("w", "still", 2.0)], [TrainMotor("m", "still")]),
        "under-constrained: no gear pair fixes the speed of",
    ),
    "stator turns along": (
        lambda: robot([Gearwheel("w", "l2", "j3", 1e-3)], (), [TrainMotor("m", "w", "w")], ["w"]),
        "motor 'm' drives nothing: its rotor 'w' never turns relative to its stator 'w'",
    ),
    "unknown wheel of a motor": (
        lambda: robot([W], (), [TrainMotor("m", "v")], ["w"]),
        "motor 'm': its wheel 'v' is none of the train's",
    ),
    "unknown free wheel": (lambda: robot([W], [Mesh("w", "l3", 2.0)], (), ["v"]), "free 'v' is not a wheel"),
    "wheel on wheel": (
        lambda: robot(
            [W, Gearwheel("p", "w", (0, 0, 1), 1e-3, count=3)],
            [Mesh("w", "l1", 2.0, carrier="l2"), Mesh("p", "l3", 2.0)],
        ),
        "its axis must be 'parallel' or 'radial'",
    ),
    "nested shafts": (
        lambda: nested_shafts("n", ["a", "b"], ["A", "B"], [1.0, 2.0], [0.0]),
        "nested shafts 'n': 2 joints and 2 links need 1 ratios",
    ),
}


@pytest.mark.parametrize("case", TRAINS)
def test_trains(case):
    make, message = TRAINS[case]
    with pytest.raises((TrainError, StructureError), match=re.escape(message)):
        make()


GEARS = {
    "tooth sum": (
        lambda: Planetary(sun=20, planet=30, ring=81),
        "planetary: ring 81 ≠ sun 20 + 2 × planet 30 = 80 teeth. Change one of the three.",
    ),
    "spacing": (
        lambda: Planetary(sun=20, planet=31, ring=82, planets=4),
        "4 evenly spaced planets cannot be assembled: sun 20 + ring 82 = 102 is not a multiple of 4",
    ),
    "touching": (lambda: Planetary(sun=20, planet=40, ring=100, planets=5), "5 planets of 40 teeth touch each other"),
    "non-integer": (lambda: Planetary(sun=20.5, planet=30, ring=80.5), "planetary: sun has 20.5 teeth"),
    "text": (lambda: Planetary(sun="many", planet=30, ring=80), "sun has 'many' teeth, which is not a number"),
    "held": (lambda: Planetary(sun=20, planet=30, ring=80, held="planet"), "held 'planet' is unknown"),
    "input held": (lambda: Planetary(sun=20, planet=30, ring=80, held="ring", input="ring"), "input 'ring' is unknown"),
    "no place": (
        lambda: Planetary(sun=20, planet=20, ring=60, planets=4, planet_member=Member(1e-4, 0.1)),
        "its planets have mass 0.1 kg but no place. Give the radius",
    ),
    "two planets": (
        lambda: Planetary(sun=20, planet=20, ring=60, planets=2, radius=0.04, planet_member=Member(1e-4, 0.1)),
        "2 planets with mass are not the same from every side. Give `towards`",
    ),
    "no planets": (lambda: Planetary(sun=20, planet=20, ring=60, planets=0), "planetary: planets 0 is not a whole"),
    "no radius": (lambda: Planetary(sun=20, planet=20, ring=60, planets=4, radius=-0.1), "planetary: radius=-0.1 must"),
    "touching cranks": (
        lambda: Cycloidal(pins=40, sun=16, planet=32, planets=6),
        "cycloidal: 6 planets of 32 teeth touch each other",
    ),
    "teeth": (lambda: Spur(driver=float("nan"), driven=20), "spur: driver has nan teeth. Give a whole number"),
    "stepped": (
        lambda: Planetary(sun=20, planet=40, second_planet=30, ring=85),
        "sun 20 + planet 40 = 60 does not meet ring 85 - second planet 30 = 55",
    ),
    "wolfrom standing still": (
        lambda: Wolfrom(sun=12, planet=24, ring=60, second_planet=24, second_ring=60),
        "make the output stand still",
    ),
    "ring too small": (lambda: Spur(driver=60, driven=20, internal=True), "the ring has 20 teeth, not more than"),
    "touching pulleys": (lambda: Belt(driver=0.1, driven=0.1, distance=0.15), "touch at a distance of 0.15 m"),
    "belt without distance": (lambda: Belt(driver=0.1, driven=0.1, line_density=1.0), "no distance of its axes"),
    "rack twice": (lambda: Rack(radius=0.02, teeth=20, module=0.002), "either the pinion's radius, or"),
    "harmonic": (lambda: Harmonic(flexspline=202, circular=200), "not more than the flexspline's 202"),
    "one disc": (lambda: Cycloidal(pins=30, discs=1, disc_member=Member(1e-4, 0.2)), "one disc alone is not balanced"),
    "stage": (lambda: Series(stages=[Gear(10.0)]), "stage 1 is a Gear, which cannot stand in a series"),
    "two springs without inertia between": (
        lambda: Series(stages=[Spur(driver=20, driven=40, stiffness=10.0)], stiffness=20.0),
        "its last stage has a stiffness of its own, and the series has 20.0 too",
    ),
    "efficiency": (lambda: Spur(driver=20, driven=40, efficiency=1.5), "efficiency 1.5 is not between 0 and 1"),
    "transverse member": (lambda: Member(1.0, transverse_inertia=(1.0, -1.0)), "transverse_inertia=-1.0 must be"),
    "negative member": (lambda: Member(-1.0), "gear member: inertia=-1.0 must be a finite number of 0 or more"),
}


@pytest.mark.parametrize("case", GEARS)
def test_gears(case):
    make, message = GEARS[case]
    with pytest.raises(TrainError, match=re.escape(message)):
        make()


def test_driven_member_far_from_its_joint():
    gear = Spur(driver=20, driven=40, driven_member=Member(1e-3, 0.1))
    with pytest.raises(TrainError, match="which does not lie in 'base'"):
        gw.assemble(Robot("arm", chain(), [Drive("j3", gear=gear, mounted_on="base", axis=(0, 0, 1))]))


def test_gear_mounted_on_the_driven_link():
    with pytest.raises(TrainError, match=re.escape("turns the other way round. Mount it on 'l2'")):
        gw.assemble(Robot("arm", chain(), [Drive("j3", gear=Spur(driver=20, driven=40), mounted_on="l3")]))
