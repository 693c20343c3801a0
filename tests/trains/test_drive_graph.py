"""The meshes inside the gears of drives are edges of the gear graph: solved, they turn every wheel as assembled."""

from __future__ import annotations

import numpy as np
import pytest

import gearwright as gw
from gearwright.catalogue import robots
from gearwright.mechanism import BASE, GearGraph, GearPair, TurningPair, gear_graph
from gearwright.parts import Drive, Link, Member, Planetary, Robot, Series, Spur, Wolfrom
from gearwright.parts.gears.topology import DRIVEN_MEMBER, MOUNT_MEMBER, gear_topology

SOLID = Member(1e-4)
GEARS = {
    "ring held": Planetary(sun=18, planet=27, ring=72, held="ring", sun_member=SOLID, planet_member=SOLID),
    "carrier held": Planetary(sun=40, planet=20, ring=80, held="carrier", sun_member=SOLID, planet_member=SOLID),
    "sun held": Planetary(sun=18, planet=27, ring=72, held="sun", ring_member=SOLID, planet_member=SOLID),
    "stepped": Planetary(sun=20, planet=30, second_planet=20, ring=70, planets=2, sun_member=SOLID),
    "wolfrom": Wolfrom(sun=12, planet=24, ring=60, second_planet=21, second_ring=57, planet_member=SOLID),
    "idlers": Spur(driver=20, driven=60, idlers=(30, 25), idler_members=(SOLID, SOLID), driver_member=SOLID),
    "series": Series(stages=[Spur(driver=20, driven=60), Planetary(sun=18, planet=27, ring=72, sun_member=SOLID)]),
}


def moving_speeds(mech, graph):
    titles = {pair.title for pair in graph.turning}
    return [name for name in mech.speeds if name in titles]


@pytest.mark.parametrize("robot", [name for name in robots() if name not in ("mini_cheetah",)])
def test_the_graph_turns_the_wheels_of_every_bundled_robot(robot):
    """Rates of the graph, relative to the link that carries a wheel, are the ratio rows of the assembled machine."""
    loaded = gw.load(robot)
    mech, graph = gw.assemble(loaded, "tree"), gear_graph(loaded)
    rates = graph.turning_rates(moving_speeds(mech, graph))
    for spin in (spin for spin in mech.spins if spin.name in graph.links):
        home = "base" if spin.carrier == BASE else mech.bodies[int(spin.carrier)].name
        row = graph.relative_row(rates, home, spin.name)
        for k, speed in enumerate(mech.speeds):
            assert row.get(speed, 0.0) == pytest.approx(spin.ratio[k], abs=1e-12), (spin.name, speed)


@pytest.mark.parametrize("name", GEARS)
def test_the_meshes_make_the_ratio(name):
    """The gear alone: mount, driven member, its own members; its input turns at the gear's ratio."""
    gear = GEARS[name]
    found = gear_topology(gear)
    axis = {"joint": "joint"}
    turning = [TurningPair(MOUNT_MEMBER, DRIVEN_MEMBER, "joint")]
    turning += [TurningPair(t.carrier, t.member, axis.get(t.axis, t.axis)) for t in found.members]
    graph = GearGraph(turning, [GearPair(*m) for m in found.meshes], MOUNT_MEMBER)
    assert graph.degrees_of_freedom == 1
    assert graph.turning_rates([DRIVEN_MEMBER])[found.input][DRIVEN_MEMBER] == pytest.approx(gear.ratio, rel=1e-12)


@pytest.mark.parametrize("name", GEARS)
def test_members_in_a_robot(name):
    """In a robot the vertices bear the names of the wheels, so that each can be looked up."""
    arm = Link("arm", mass=1, com=(0.1, 0, 0), inertia=np.diag([0.1, 0.1, 0.1]))
    robot = Robot("one", [arm], [Drive("arm", gear=GEARS[name])])
    graph, mech = gear_graph(robot), gw.assemble(robot)
    rates = graph.turning_rates(["arm"])
    for spin in (spin for spin in mech.spins if spin.name in graph.links):
        home = "base" if spin.carrier == BASE else "arm"
        assert graph.relative_row(rates, home, spin.name).get("arm", 0.0) == pytest.approx(spin.ratio[0], rel=1e-12)
    assert len(graph.gears) == len(gear_topology(GEARS[name]).meshes)
