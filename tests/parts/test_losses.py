"""What gears lose: statics of worms, planetary power flow mesh by mesh, series, tables over speed."""

from __future__ import annotations

import math

import numpy as np
import pytest

from gearwright.errors import TrainError
from gearwright.parts import (
    Bevel,
    Gear,
    Losses,
    Planetary,
    Screw,
    Series,
    Spur,
    Wolfrom,
    Worm,
    gear_losses,
    interpolated_losses,
)
from gearwright.parts.gears.losses import tooth_loss_factor


def test_back_driving_from_statics():
    """The same load loses the same torque both ways; at one half nothing is left."""
    driving = gear_losses(Gear(100, efficiency=0.8))[0]
    load = 10.0
    lost = load / driving.efficiency - load
    assert driving.back_efficiency == pytest.approx((load - lost) / load)
    assert gear_losses(Gear(100, efficiency=0.5))[0].back_efficiency == 0
    assert gear_losses(Gear(100, efficiency=0.4))[0].back_efficiency < 0


@pytest.mark.parametrize("lead", [0.05, 0.2, 0.6])
@pytest.mark.parametrize("friction", [0.02, 0.1, 0.25])
def test_worm_is_an_inclined_plane(lead, friction):
    """Without pressure angle: tan(lead) / tan(lead +- angle of friction); it locks when the lead is the smaller one."""
    gear = Worm(wheel=40, lead_angle=lead, friction_coefficient=friction, pressure_angle=0.0)
    rho = math.atan(friction)
    row = gear_losses(gear)[0]
    assert row.efficiency == pytest.approx(math.tan(lead) / math.tan(lead + rho))
    assert row.back_efficiency == pytest.approx(math.tan(lead - rho) / math.tan(lead))
    assert (row.back_efficiency <= 0) == (lead <= rho)


def test_worm_by_its_forces():
    """The normal force of a thread with pressure angle and friction, resolved along and around the worm."""
    lead, mu, alpha = 0.25, 0.08, math.radians(20)
    along, across = math.cos(lead), math.sin(lead)
    ideal = math.tan(lead)

    def tangential_per_axial(friction):
        tangential = math.cos(alpha) * across + friction * along
        axial = math.cos(alpha) * along - friction * across
        return tangential / axial

    gear = Worm(wheel=40, lead_angle=lead, friction_coefficient=mu)
    assert gear.thread_efficiencies[0] == pytest.approx(ideal / tangential_per_axial(mu))
    assert gear.thread_efficiencies[1] == pytest.approx(tangential_per_axial(-mu) / ideal)


def sliding_loss(first, second, internal, pressure, samples=200_001):
    """Mean of sliding speed / pitch speed over a mesh cycle, by rolling involutes in numbers; normal force shared."""
    sign = -1.0 if internal else 1.0
    r1, r2 = first / 2, second / 2
    path = []
    for r, tip in ((r1, r1 + 1), (r2, r2 + sign)):
        path.append(abs(math.sqrt(tip**2 - (r * math.cos(pressure)) ** 2) - r * math.sin(pressure)))
    pitch = math.pi * math.cos(pressure)
    x = (np.arange(samples) + 0.5) / samples * pitch
    contacts = -path[0] + x[:, None] + pitch * np.arange(5)
    inside = contacts <= path[1]
    # Sliding speed at the distance s from the pitch point: s (w1 + w2), with the pitch speed r1 w1 = 1.
    slide = np.abs(contacts) * (1 / r1 + sign / r2) * inside
    force = 1 / (inside.sum(axis=1) * math.cos(pressure))  # normal force per unit of tangential force
    return float(np.mean(slide.sum(axis=1) * force))


@pytest.mark.parametrize(("first", "second", "internal"), [(20, 60, False), (25, 65, False), (33, 117, True)])
@pytest.mark.parametrize("degrees", [14.5, 20, 25])
def test_friction_of_teeth_loses_the_sliding_power(first, second, internal, degrees):
    pressure = math.radians(degrees)
    factor = tooth_loss_factor(first, second, internal, pressure)
    assert factor == pytest.approx(sliding_loss(first, second, internal, pressure), rel=1e-4)


def test_friction_of_teeth_gives_every_mesh_its_efficiency():
    """Sun and ring meshes differ; helical teeth have a shorter path of contact; a bevel pair is its virtual spurs."""
    stage = Planetary(sun=25, planet=65, ring=155, friction_coefficient=0.1)
    sun, ring = (1 - 0.1 * tooth_loss_factor(a, b, c, math.radians(20)) for a, b, c in ((25, 65, 0), (65, 155, 1)))
    assert stage.mesh_efficiencies == pytest.approx({"sun": sun, "ring": ring})
    assert gear_losses(stage)[0].efficiency == pytest.approx((1 + 155 / 25 * sun * ring) / (1 + 155 / 25))
    straight, helical = (
        gear_losses(Spur(driver=20, driven=50, helix_angle=x, friction_coefficient=0.1))[0] for x in (0.0, 0.4)
    )
    assert helical.efficiency > straight.efficiency
    miter = gear_losses(Bevel(driver=30, driven=30, friction_coefficient=0.1))[0].efficiency
    virtual = 30 * math.sqrt(2)
    assert miter == pytest.approx(1 - 0.1 * tooth_loss_factor(virtual, virtual, False, math.radians(20)))


@pytest.mark.parametrize("friction", [0.02, 0.1, 0.25])
def test_screw_is_an_inclined_plane(friction):
    """tan(lead) / tan(lead +- angle of friction), which flanks at an angle enlarge."""
    gear = Screw(lead=0.004, diameter=0.011, friction_coefficient=friction, pressure_angle=0.5)
    lead, rho = math.atan(0.004 / (math.pi * 0.011)), math.atan(friction / math.cos(0.5))
    row = gear_losses(gear)[0]
    assert row.efficiency == pytest.approx(math.tan(lead) / math.tan(lead + rho))
    assert row.back_efficiency == pytest.approx(math.tan(lead - rho) / math.tan(lead))


ETA0 = 0.98**2
"""Two meshes of 0.98: the stage with its carrier at rest."""


@pytest.mark.parametrize(
    ("held", "driving", "back"),
    [  # Published formulas of two-shaft epicyclic gears, i0 = -Zr/Zs = -4.
        ("carrier", ETA0, ETA0),
        ("ring", (1 + 4 * ETA0) / 5, 5 / (1 + 4 / ETA0)),
        ("sun", (1 + ETA0 / 4) / 1.25, 1.25 / (1 + 1 / (4 * ETA0))),
    ],
)
def test_planetary_power_flow(held, driving, back):
    row = gear_losses(Planetary(sun=18, planet=27, ring=72, held=held, mesh_efficiency=0.98))[0]
    assert row.efficiency == pytest.approx(driving)
    assert row.back_efficiency == pytest.approx(back)


def test_wolfrom_by_the_forces_on_its_planets():
    """Tooth forces on the stepped planet, friction in each mesh against the rolling power; the carrier is free."""
    gear = Wolfrom(sun=12, planet=24, ring=60, second_planet=21, second_ring=57, mesh_efficiency=0.99)
    s = gear.member_rates
    c, eta = s["carrier"], 0.99
    # Torques T of sun, held ring, second ring: sum T = 0; powers relative to the carrier with the losses of each mesh.
    # Driving: the sun feeds the planets, the held ring (relative to the carrier it turns backwards) feeds or takes.
    for signs in np.ndindex(2, 2, 2):
        factor = [eta if feeds else 1 / eta for feeds in signs]
        rolling = np.array([(s["sun"] - c) * factor[0], -c * factor[1], (1 - c) * factor[2]])
        T = np.linalg.solve([[1, 0, 0], [1, 1, 1], rolling], [1.0, 0.0, 0.0])
        power = T * np.array([s["sun"] - c, -c, 1 - c])
        if all((p > 0) == bool(feeds) for p, feeds in zip(power, signs, strict=True)):
            assert gear_losses(gear)[0].efficiency == pytest.approx(-T[2] / (T[0] * s["sun"]))
            return
    pytest.fail("no consistent power flow")


def test_high_ratio_wolfrom_locks_before_its_efficiency_is_gone():
    teeth = {"sun": 12, "planet": 24, "ring": 60, "second_planet": 21, "second_ring": 57}
    found = [gear_losses(Wolfrom(**teeth, mesh_efficiency=eta))[0] for eta in (0.99, 0.98, 0.95)]
    assert [row.back_efficiency > 0 for row in found] == [True, True, False]
    assert all(row.efficiency > 0.4 for row in found)


def test_every_idler_adds_a_mesh():
    row = gear_losses(Spur(driver=20, driven=60, idlers=(17, 19), mesh_efficiency=0.98))[0]
    assert row.efficiency == pytest.approx(0.98**3)


def test_stages_multiply_and_their_no_load_torques_reach_the_motor():
    stages = [
        Spur(driver=20, driven=60, efficiency=0.95, back_efficiency=0.94, no_load_torque=0.01),
        Spur(driver=20, driven=80, efficiency=0.9, back_efficiency=0.88, no_load_torque=0.06),
    ]
    (row,) = gear_losses(Series(stages=stages))
    assert (row.efficiency, row.back_efficiency) == pytest.approx((0.95 * 0.9, 0.94 * 0.88))
    assert row.no_load_torque == pytest.approx(0.01 + 0.06 / (3 * 0.95))


def test_stages_with_tables_meet_at_the_motors_speeds():
    """The second stage turns three times slower than the motor."""
    stages = [
        Spur(driver=20, driven=60, losses=[Losses(0, 0.9), Losses(300, 0.96)]),
        Spur(driver=20, driven=80, losses=[Losses(0, 0.8), Losses(50, 0.9)]),
    ]
    rows = gear_losses(Series(stages=stages))
    assert [row.speed for row in rows] == [0, 150, 300]
    assert [row.efficiency for row in rows] == pytest.approx([0.9 * 0.8, 0.93 * 0.9, 0.96 * 0.9])


def test_a_locking_stage_locks_the_series():
    stages = [
        Worm(wheel=40, lead_angle=0.05, friction_coefficient=0.1),
        Worm(wheel=40, lead_angle=0.05, friction_coefficient=0.1),
    ]
    assert gear_losses(Series(stages=stages))[0].back_efficiency < 0


def test_between_and_beyond_the_speeds_of_a_table():
    table = [Losses(10, 0.6, 0.4, 0.2), Losses(20, 0.8, 0.7, 0.1)]
    for speed, expected in ((0, 0.6), (15, 0.7), (-15, 0.7), (99, 0.8)):
        assert interpolated_losses(table, speed).efficiency == pytest.approx(expected)
    assert interpolated_losses(table, 15).no_load_torque == pytest.approx(0.15)
    assert interpolated_losses((), 3.0).is_lossless


def test_a_gear_that_loses_nothing_has_no_losses():
    assert gear_losses(Gear(50)) == ()
    assert gear_losses(Spur(driver=20, driven=60)) == ()
    assert gear_losses(Gear(50, no_load_torque=0.02))[0].no_load_torque == 0.02


REFUSED = {
    "above one": (lambda: Gear(2, efficiency=1.2), r"efficiency 1\.2"),
    "mesh above one": (lambda: Spur(driver=9, driven=9, mesh_efficiency=1.01), r"mesh_efficiency=1\.01"),
    "back above one": (lambda: Gear(2, efficiency=0.9, back_efficiency=1.1), r"back_efficiency 1\.1"),
    "back alone": (lambda: Gear(2, back_efficiency=0.9), r"back_efficiency 0\.9.*efficiency"),
    "locks though efficient": (
        lambda: Gear(2, efficiency=0.9, back_efficiency=0.0),
        r"back_efficiency 0\.0.*efficiency 0\.9.*0\.8889",
    ),
    "better backwards": (
        lambda: Gear(2, efficiency=0.5, back_efficiency=0.95),
        r"back_efficiency 0\.95.*efficiency 0\.5",
    ),
    "in a table": (lambda: Gear(2, losses=[Losses(0, 0.9, -0.5)]), r"back_efficiency -0\.5.*efficiency 0\.9"),
    "no-load that drives": (lambda: Gear(2, no_load_torque=-1.0), r"no_load_torque=-1\.0"),
    "falling speeds": (lambda: Gear(2, losses=[Losses(5), Losses(1)]), r"speeds \[5, 1\]"),
    "twice": (lambda: Gear(2, efficiency=0.9, losses=[Losses()]), "efficiency and losses"),
    "twice by meshes": (
        lambda: Planetary(sun=18, planet=27, ring=72, efficiency=0.9, mesh_efficiency=0.99),
        "planetary: efficiency and mesh_efficiency",
    ),
    "twice by friction": (
        lambda: Spur(driver=20, driven=60, friction_coefficient=0.1, mesh_efficiency=0.99),
        "mesh_efficiency and friction_coefficient",
    ),
    "friction of teeth below zero": (
        lambda: Spur(driver=20, driven=60, friction_coefficient=-0.1),
        r"friction_coefficient=-0\.1",
    ),
    "teeth that lose contact": (
        lambda: gear_losses(Spur(driver=20, driven=20, helix_angle=1.2, friction_coefficient=0.1)),
        "contact ratio",
    ),
    "half a screw": (lambda: Screw(lead=0.002, diameter=0.01), "screw:.*diameter and friction_coefficient"),
    "half a worm": (lambda: Worm(wheel=40, lead_angle=0.1), "worm:.*lead_angle and friction_coefficient"),
    "worm that lets nothing through": (
        lambda: Worm(wheel=40, lead_angle=1.4, friction_coefficient=0.3),
        r"worm: friction_coefficient 0\.3 and lead_angle 1\.4 rad.*efficiency -",
    ),
}


@pytest.mark.parametrize("case", REFUSED)
def test_refusals(case):
    make, message = REFUSED[case]
    with pytest.raises(TrainError, match=message):
        make()
