"""Wheels as meshes: closed, of the size their teeth say, and teeth that mesh lie in gaps."""

from __future__ import annotations

from math import cos, pi, sin

import numpy as np
import pytest
from matplotlib.path import Path as Outline

from gearwright.parts import (
    Belt,
    Bevel,
    Cycloidal,
    Gear,
    Harmonic,
    Planetary,
    Rack,
    Screw,
    Series,
    Spur,
    Wolfrom,
    Worm,
)
from gearwright.scene.gear_form import GearSpace
from gearwright.scene.gear_form_table import gear_forms
from gearwright.scene.solid import rotation_about_z
from gearwright.scene.tooth_profiles import involute_outline, trapezoidal_outline
from gearwright.scene.toothed_gears import meshing_phase, ring_meshing_phase
from gearwright.scene.triangles import box_mesh, cylinder_mesh, rod_mesh, rotation_towards, sphere_mesh, wheel_mesh

ROOM = GearSpace(0.05, 0.01, joint_axis=np.array([1.0, 0.0, 0.0]))
GEARS = [
    Spur(driver=20, driven=60),
    Spur(driver=20, driven=60, idlers=(31,)),
    Spur(driver=20, driven=61, internal=True),
    Bevel(driver=20, driven=40),
    Planetary(sun=18, planet=27, ring=72),
    Planetary(sun=40, planet=20, ring=80, planets=4, held="carrier"),
    Wolfrom(sun=18, planet=27, ring=72, second_planet=24, second_ring=69),
    Harmonic(reduction=100),
    Cycloidal(pins=12),
    Belt(driver=0.02, driven=0.06, distance=0.3),
    Worm(wheel=40),
    Screw(lead=0.01),
    Rack(teeth=20, module=0.002),
    Gear(30),
    Series(stages=[Spur(driver=20, driven=60), Planetary(sun=18, planet=27, ring=72)]),
]


def edges_of(mesh):
    return np.concatenate([mesh.faces[:, [0, 1]], mesh.faces[:, [1, 2]], mesh.faces[:, [2, 0]]])


def assert_closed(mesh):
    """Every edge is met once in each direction: no holes, and all triangles face outwards."""
    there = {tuple(edge) for edge in edges_of(mesh).tolist()}
    assert all((b, a) in there for a, b in there)


@pytest.mark.parametrize("gear", GEARS, ids=lambda gear: gear.kind)
def test_members_are_solids_that_face_outwards(gear):
    forms = gear_forms(gear, ROOM)
    assert forms
    for form in forms:
        assert np.isfinite(form.mesh.vertices).all()
        assert form.mesh.volume > 0, form.name


def test_tubes_and_boxes_are_closed():
    for mesh in (wheel_mesh(involute_outline(18, 0.01), 0.004, 0.005), box_mesh(1, 2, 3), cylinder_mesh(1.0, 2.0)):
        assert_closed(mesh)


@pytest.mark.parametrize(
    ("mesh", "volume"),
    [(box_mesh(1, 2, 3), 6.0), (cylinder_mesh(1.0, 2.0), 2 * pi), (sphere_mesh(1.0, 60), 4 / 3 * pi)],
    ids=["box", "cylinder", "sphere"],
)
def test_volumes_are_those_of_the_solids(mesh, volume):
    assert mesh.volume == pytest.approx(volume, rel=0.02)  # as many corners as can be seen


def test_a_rod_ends_where_it_is_told():
    assert rod_mesh((0.0, 0.3, 0.4), 0.01, 1.0).vertices @ (0.0, 0.6, 0.8) == pytest.approx(
        np.clip(rod_mesh((0.0, 0.3, 0.4), 0.01, 1.0).vertices @ (0.0, 0.6, 0.8), -0.01, 0.51)
    )


def test_towards_turns_z_into_the_direction():
    for direction in ((1, 2, 3), (0, 0, -1), (-1, 0, 0)):
        turn = rotation_towards(direction)
        assert turn @ turn.T == pytest.approx(np.eye(3))
        assert np.linalg.det(turn) == pytest.approx(1)
        assert turn[:, 2] == pytest.approx(np.array(direction) / np.linalg.norm(direction))


def test_an_involute_tooth_is_as_wide_as_its_gap_on_the_pitch_circle():
    """pi/z either way: what makes equal gears mesh without play."""
    outline = Outline(involute_outline(24, 1.0))
    angle = np.linspace(0.0, 2 * pi, 4801)[:-1] + 1e-4
    inside = outline.contains_points(np.column_stack([np.cos(angle), np.sin(angle)]))
    assert inside.mean() == pytest.approx(0.5, abs=0.01)


def test_a_trapezoid_wheel_has_its_teeth():
    size = np.hypot(*trapezoidal_outline(20, 0.01).T)
    assert (np.diff(np.sign(size - 0.01)) > 0).sum() == 20


def turned(outline, angle, centre=(0.0, 0.0)):
    return outline @ rotation_about_z(angle)[:2, :2].T + np.array(centre)


@pytest.mark.parametrize(("teeth", "other"), [(18, 27), (20, 20), (17, 61)])
@pytest.mark.parametrize("direction", [0.0, 0.7, -2.0])
def test_teeth_that_mesh_lie_in_gaps_however_far_they_turned(teeth, other, direction):
    module = 0.001
    r, r2 = module * teeth / 2, module * other / 2
    centre = ((r + r2) * cos(direction), (r + r2) * sin(direction))
    phase = meshing_phase(teeth, 0.0, other, direction)
    for turn in np.linspace(0.0, 2 * pi / teeth, 5):
        first = turned(involute_outline(teeth, r), turn)
        second = turned(involute_outline(other, r2), phase - turn * teeth / other, centre)
        deep = Outline(second).contains_points(first, radius=-0.05 * module)
        assert not deep.any()
    wrong = turned(involute_outline(other, r2), phase + pi / other, centre)
    assert Outline(wrong).contains_points(turned(involute_outline(teeth, r), 0.0), radius=-0.05 * module).any()


@pytest.mark.parametrize("gear", [g for g in GEARS if isinstance(g, Planetary)], ids=lambda g: g.held)
def test_planets_mesh_with_sun_and_ring(gear):
    """Every planet's teeth lie in the gaps of the sun, and the ring's hole has room for them."""
    module, circle = 0.001, 0.0005 * (gear.sun + gear.planet)
    sun = Outline(involute_outline(gear.sun, module * gear.sun / 2))
    first = meshing_phase(gear.sun, 0.0, gear.planet, 0.0)
    hole = turned(
        involute_outline(gear.ring, module * gear.ring / 2, 1.25, 1.0),
        ring_meshing_phase(gear.planet, first, gear.ring, 0.0),
    )
    for k in range(gear.planets):
        direction = 2 * pi * k / gear.planets
        centre = (circle * cos(direction), circle * sin(direction))
        phase = meshing_phase(gear.sun, 0.0, gear.planet, direction)
        planet = turned(involute_outline(gear.planet, module * gear.planet / 2), phase, centre)
        assert not sun.contains_points(planet, radius=-0.05 * module).any()
        assert Outline(hole).contains_points(planet, radius=0.06 * module).all()


@pytest.mark.parametrize("gear", GEARS, ids=lambda gear: gear.kind)
def test_rates_of_members_are_those_of_the_wheels(gear):
    """What is drawn turns as fast as what the equations know by the same name."""
    drawn = {form.name: form.rate + form.orbit for form in gear_forms(gear, ROOM)}
    assert any(rate == pytest.approx(abs(gear.ratio)) for rate in map(abs, drawn.values()))
    if isinstance(gear, Planetary):
        assert {name: drawn[name] for name in ("sun", "ring", "carrier")} == pytest.approx(
            {name: gear.member_rates[name] for name in ("sun", "ring", "carrier")}
        )
        assert drawn["planet1"] == pytest.approx(gear.member_rates["planet"])


def test_a_kind_of_gear_that_nobody_drew_shows_nothing():
    class Novel:
        """A gear of another kind."""

    assert gear_forms(Novel(), ROOM) == []
