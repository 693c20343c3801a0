"""What is touched gives way: spring and damper, mass behind them, an outer spring before the mass, and their limits."""

from __future__ import annotations

import numpy as np
import pytest

import gearwright as gw
from gearwright.contact import Contact, Plane, SoftContact, with_wall
from gearwright.errors import InputError

FACE = Plane((0, 0, 0), (-1, 0, 0))


def slider(mass: float = 1.0) -> gw.parts.Robot:
    """A mass that slides along x."""
    link = gw.parts.Link("ram", joint=gw.parts.Joint(kind="prismatic", axis=(1, 0, 0)), mass=mass)
    return gw.parts.Robot("slider", [link])


def test_a_massless_spring_is_half_a_swing():
    """In contact for half a period; it leaves with the speed with which it came."""
    k, v = 400.0, 0.3
    law = SoftContact("ram", Plane((0.1, 0, 0), (-1, 0, 0)), k, name="mat")
    run = gw.simulate(slider(), ([0.0], [v]), until=0.8, laws=[law], samples=33, method="adaptive")
    touch, leave = (event.t for event in run.events)
    assert touch == pytest.approx(0.1 / v, abs=1e-8)
    assert leave - touch == pytest.approx(np.pi / np.sqrt(k), abs=1e-8)
    assert run.v[-1, 0] == pytest.approx(-v, rel=1e-8)
    assert run.drift < 1e-7


def test_a_damped_surface_never_pulls_and_comes_back_by_itself():
    law = SoftContact("ram", Plane((0.1, 0, 0), (-1, 0, 0)), 400.0, 25.0, name="mat")
    run = gw.simulate(slider(), ([0.0], [0.5]), until=1.0, laws=[law], samples=201, method="adaptive")
    assert (run["mat.force"] >= -1e-9).all()
    released = run["mat.deformation"][np.array(run.modes["mat"]) == "free"]
    assert released.max() > 1e-4  # it is left behind
    assert released[-1] < 1e-4
    assert -0.5 < run.v[-1, 0] < 0
    assert run.drift < 1e-7


def test_hertz():
    """The largest deformation: k d^2.5 / 2.5 is the kinetic energy."""
    k, v = 1e5, 0.4
    law = SoftContact("ram", Plane((0.01, 0, 0), (-1, 0, 0)), k, exponent=1.5, name="ball")
    run = gw.simulate(
        slider(2.0),
        ([0.0], [v]),
        until=0.1,
        laws=[law],
        samples=2001,
        method="adaptive",
        integrator=gw.analysis.IntegratorOptions(rtol=1e-10),
    )
    assert run["ball.deformation"].max() == pytest.approx((2.5 * v**2 / k) ** 0.4, rel=1e-5)
    assert run.v[-1, 0] == pytest.approx(-v, rel=1e-6)


def test_a_mass_on_a_spring_behind_a_plastic_impact():
    """Three phases with a dynamic environment: both go on together, then the wall swings back and throws it off."""
    m, k = 3.0, 500.0
    robot = with_wall(slider(), "wall", Plane((0.1, 0, 0), (-1, 0, 0)), m, k)
    law = Contact("ram", FACE, relative_to="wall", name="blow")
    run = gw.simulate(robot, ([0.0, 0.0], [1.0, 0.0]), until=0.8, laws=[law], samples=161, method="adaptive")
    touch, leave = (event.t for event in run.events if event.name == "blow")
    assert touch == pytest.approx(0.1, abs=1e-8)
    assert leave - touch == pytest.approx(np.pi / np.sqrt(k / (m + 1)), abs=1e-6)
    assert run["energy.dissipated"][-1] == pytest.approx(0.5 * m / (m + 1), rel=1e-7)
    assert run.drift < 1e-7


def _desk(weight: bool, normal=(0, 0, 1)) -> gw.parts.Robot:
    """A ram above a desk of 4 kg on a spring of 4 kN/m."""
    return with_wall(slider(), "desk", Plane((0, 0, 0.2), normal), 4.0, 4e3, 60.0, weight=weight)


def test_a_wall_rests_until_it_is_touched():
    """Equation (20.94) has no weight: a desk stays where it is stated; asked for, it sags by m g / k = 9.81 mm."""
    supported, heavy = (
        gw.simulate(_desk(weight), ([0.0, 0.0], [0.0, 0.0]), until=1.0, samples=11) for weight in (False, True)
    )
    assert abs(supported["q.desk"]).max() < 1e-12
    assert heavy["q.desk"][-1] == pytest.approx(-4.0 * 9.81 / 4e3, rel=1e-3)


@pytest.mark.parametrize("normal", [(0, 0, 1), (0.6, 0, 0.8), (0, 0, -1)])
def test_a_wall_swings_alike_however_it_faces(normal):
    """m x'' + d x' + k x = 0 in any direction: x = exp(-d t / 2 m) cos(w t) + ..., the solution of a textbook."""
    m, k, d, x0 = 4.0, 4e3, 60.0, -0.01
    run = gw.simulate(
        _desk(False, normal),
        ([0.0, x0], [0.0, 0.0]),
        until=0.5,
        samples=51,
        integrator=gw.analysis.IntegratorOptions(rtol=1e-10, atol=1e-12),
    )
    s = d / (2 * m)
    w = np.sqrt(k / m - s**2)
    exact = x0 * np.exp(-s * run.t) * (np.cos(w * run.t) + s / w * np.sin(w * run.t))
    np.testing.assert_allclose(run["q.desk"], exact, atol=1e-9)


def test_a_mass_that_nothing_holds_is_refused():
    with pytest.raises(InputError, match=r"desk.*39\.24 N.*weight=True"):
        with_wall(slider(), "desk", Plane((0, 0, 0.2), (0, 0, -1)), 4.0, damping=10.0)
    falling = with_wall(slider(), "desk", Plane((0, 0, 0.2), (0, 0, -1)), 4.0, weight=True)
    run = gw.simulate(falling, ([0.0, 0.0], [0.0, 0.0]), until=0.5, samples=3)
    assert run["q.desk"][-1] == pytest.approx(9.81 / 8, rel=1e-9)


def test_an_outer_spring_that_is_stiff_approaches_the_impact():
    """Two deformations and no impact. Damped critically it gives back exp(-2) of the speed: what is lost approaches
    what an impact with this restitution loses, ever more closely as it is stiffer."""
    m, errors = 3.0, []
    robot = with_wall(slider(), "wall", Plane((0.1, 0, 0), (-1, 0, 0)), m, 500.0)
    for k in (1e5, 1e6, 1e7):
        damping = 2 * np.sqrt(k * m / (m + 1))
        law = SoftContact("ram", FACE, k, damping, relative_to="wall", name="skin")
        run = gw.simulate(robot, ([0.0, 0.0], [1.0, 0.0]), until=0.12, laws=[law], samples=7, method="adaptive")
        assert run.drift < 1e-7
        errors.append(abs(run["energy.dissipated"][-1] - 0.5 * m / (m + 1) * (1 - np.exp(-4))))
    assert errors[2] < 0.5 * errors[1] < 0.25 * errors[0]
    assert errors[2] < 1e-5


def test_a_stiff_surface_approaches_the_rigid_one():
    """An arm that leans on a mat: joint speeds approach those on a rigid table in proportion to 1/k."""
    mech, q = gw.assemble(gw.load("elbow")), [0.2, -0.5, 1.0]
    plane = Plane((0, 0, gw.placement(mech, q, "link3")[1][2]), (0, 0, 1))
    rigid = gw.simulate(mech, q, until=0.1, laws=[Contact("link3", plane, name="table")], samples=3)
    errors = []
    for k in (1e5, 1e6):
        mat = SoftContact("link3", plane, k, 2 * np.sqrt(k), name="mat")
        run = gw.simulate(mech, q, until=0.1, laws=[mat], samples=3)
        errors.append(np.abs(run.q[-1] - rigid.q[-1]).max())
    assert errors[1] < 0.2 * errors[0]
    assert errors[1] < 2e-4


def test_a_heavy_wall_approaches_the_rigid_one():
    lost = []
    for m in (1e2, 1e4):
        robot = with_wall(slider(), "wall", Plane((0.1, 0, 0), (-1, 0, 0)), m)
        law = Contact("ram", FACE, relative_to="wall", name="blow")
        run = gw.simulate(robot, ([0.0, 0.0], [1.0, 0.0]), until=0.2, laws=[law], samples=3, method="adaptive")
        lost.append(0.5 - run["energy.dissipated"][-1])
    assert lost == pytest.approx([0.5 / 101, 0.5 / 10001], rel=1e-6)


def test_bad_input():
    with pytest.raises(InputError, match=r"ram\.contact: stiffness=-1\.0"):
        SoftContact("ram", FACE, -1.0)
    with pytest.raises(InputError, match=r"ram\.contact: damping=-1\.0"):
        SoftContact("ram", FACE, 1.0, -1.0)
    with pytest.raises(InputError, match=r"ram\.contact: .*exponent.* 2\.0"):
        SoftContact("ram", FACE, 1.0, exponent=2.0)
    with pytest.raises(InputError, match=r"wall: mass=-1\.0"):
        with_wall(slider(), "wall", FACE, mass=-1.0)
    with pytest.raises(InputError, match=r"'ram\.contact'.* 0\.5 m .*ram\.contact\.deformation"):
        gw.simulate(slider(), [0.5], until=0.1, laws=[SoftContact("ram", FACE, 1e3)])
