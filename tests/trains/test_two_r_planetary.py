"""The planar arm of Fernini: every reference number, and what the printed sign of the sun would do."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from scipy.optimize import minimize_scalar

import gearwright as gw
from gearwright.motion import polynomial
from gearwright.parts import with_parameters

END = np.deg2rad([30.0, 45.0])
TIMES = [0, 0.25, 0.5, 0.75, 1]
TORQUES = {
    3: [(227.5920, 56.8980), (298.6110, 82.2689), (203.9032, 46.3049), (105.1272, -3.2184), (162.5516, 14.7263)],
    4: [(227.8274, 56.8980), (299.1427, 82.6087), (204.1306, 46.3049), (105.0389, -3.5583), (162.7555, 14.7263)],
    5: [(228.0629, 56.8980), (299.6744, 82.9486), (204.3580, 46.3049), (104.9506, -3.8981), (162.9594, 14.7263)],
    6: [(228.2983, 56.8980), (300.2057, 83.2885), (204.5854, 46.3049), (104.8627, -4.2380), (163.1633, 14.7263)],
}
PEAKS = {  # tau1, tau2, kinetic energy, each with its time
    3: ((299.4219, 0.2701), (82.5507, 0.2698), (18.0967, 0.4944)),
    4: ((299.9584, 0.2701), (82.8962, 0.2699), (18.2334, 0.4944)),
    5: ((300.4950, 0.2701), (83.2417, 0.2700), (18.3701, 0.4945)),
    6: ((301.0311, 0.2702), (83.5872, 0.2700), (18.5067, 0.4945)),
}
HALF_A_DIGIT = 5.1e-5


def motion(t, start=(0.0, 0.0), end=END):
    """Joint interpolation with 35 t^4 - 84 t^5 + 70 t^6 - 20 t^7."""
    t = np.asarray(t, dtype=float)[..., None]
    s = 35 * t**4 - 84 * t**5 + 70 * t**6 - 20 * t**7
    sd = 140 * t**3 * (1 - t) ** 3
    sdd = 420 * t**2 * (1 - t) ** 2 * (1 - 2 * t)
    step = np.subtract(end, start)
    return start + s * step, sd * step, sdd * step


def torque(mech, t):
    return gw.inverse_dynamics(mech, *motion(t))


def energy(mech, t):
    q, v, _ = motion(t)
    return gw.kinetic_energy(mech, q, v)


def peak(curve):
    coarse = max(np.linspace(0, 1, 201), key=lambda t: float(curve(t)))
    found = minimize_scalar(
        lambda t: -float(curve(t)), bounds=(coarse - 0.01, coarse + 0.01), method="bounded", options={"xatol": 1e-9}
    )
    return -found.fun, found.x


@pytest.fixture(params=[3, 4, 5, 6])
def planets(request):
    return request.param


TABLE = {3: (29.0, 0.4), 4: (29.12, 0.4028), 5: (29.24, 0.4056), 6: (29.36, 0.4083)}
"""Table 1: mass and central inertia of link 1 with its gears, per number of planets."""


def machine(n):
    """The arm with the numbers of Table 1, its gears' masses counted in the links as there."""
    robot = gw.load(f"planetary_2r_{n}")
    mass, zz = TABLE[n]
    first, second = robot.links
    printed = replace(first, mass=mass, com=(0.2, 0, 0), inertia=np.diag([0.02, zz - 0.01, zz]))
    return gw.assemble(replace(robot, links=(printed, second), drives=[included(d) for d in robot.drives]))


def included(drive):
    members = {name: replace(getattr(drive.gear, name), included=True) for name in ("sun_member", "planet_member")}
    return replace(drive, gear=replace(drive.gear, **members))


def test_torques(planets):
    np.testing.assert_allclose(torque(machine(planets), TIMES), TORQUES[planets], rtol=0, atol=HALF_A_DIGIT)


def test_peaks(planets):
    mech = machine(planets)
    for k, curve in enumerate((lambda t: torque(mech, t)[0], lambda t: torque(mech, t)[1], lambda t: energy(mech, t))):
        value, when = peak(curve)
        assert value == pytest.approx(PEAKS[planets][k][0], abs=HALF_A_DIGIT)
        assert when == pytest.approx(PEAKS[planets][k][1], abs=1e-4)  # the printed times are samples of a flat top


def coupling_inertia(mech):
    """G_s I_s + n G_p I_p of the stage at joint 2."""
    return sum(spin.inertia * spin.ratio[1] for spin in mech.spins)


def test_wrong_sign_of_the_sun():
    """The printed +2 instead of Willis's -2: peaks, and a coupling inertia eleven times as large."""
    mech = machine(3)
    wrong = replace(
        mech,
        spins=tuple(replace(s, ratio=tuple(abs(b) for b in s.ratio)) for s in mech.spins),
    )
    found = [
        peak(curve)[0]
        for curve in (lambda t: torque(wrong, t)[0], lambda t: torque(wrong, t)[1], lambda t: energy(wrong, t))
    ]
    assert found == pytest.approx([299.7931, 82.7981, 18.2205], abs=HALF_A_DIGIT)
    assert coupling_inertia(mech) == pytest.approx(0.0062, abs=5.1e-6)
    assert coupling_inertia(wrong) == pytest.approx(0.06916, abs=5.1e-6)


def test_three_planets_are_the_table():
    """The file states link and gears apart; with three planets their sum is the first row of Table 1."""
    built, printed = gw.assemble(gw.load("planetary_2r_3")), machine(3)
    motions = motion(np.linspace(0, 1, 21))
    np.testing.assert_allclose(
        gw.inverse_dynamics(built, *motions), gw.inverse_dynamics(printed, *motions), rtol=0, atol=1e-11
    )
    assert built.bodies[0].mass == pytest.approx(29.0, abs=1e-14)


@pytest.mark.parametrize("n", [3, 4, 5, 6])
def test_one_file_for_any_number_of_planets(n):
    """The name is the file with another parameter, and its closed form has the number of planets as a symbol."""
    arm = gw.load("planetary_2r")
    same = with_parameters(arm, {"j1.gear.planets": n, "j2.gear.planets": n})
    named = gw.load(f"planetary_2r_{n}")
    assert (named.links, named.drives) == (same.links, same.drives)
    assert f"{n} planets" in named.description
    q, v, a = (x[0] for x in motion([0.3]))
    form = gw.closed_form(gw.inverse_dynamics, arm, names="file")
    assert form.symbols["n"] == 3
    np.testing.assert_allclose(form.evaluate(q, v, a, n=n), gw.inverse_dynamics(named, q, v, a), rtol=1e-13)


def test_the_number_of_planets_is_swept():
    """A sweep over both numbers gives what the named robots give; a number that cannot be assembled says so."""
    way = polynomial([0.0, 0.0], END, duration=1.0, order=7)
    counts = (3, 4, 6, 7)
    points = [{"j1.gear.planets": n, "j2.gear.planets": n} for n in counts]
    found = gw.sweep(gw.load("planetary_2r"), points, way, options=gw.design.SweepOptions(workers=1))
    q, v, a = motion(np.linspace(0, 1, 201))
    for k, n in enumerate(counts[:-1]):
        peaks = np.abs(gw.inverse_dynamics(gw.load(f"planetary_2r_{n}"), q, v, a)).max(axis=0)
        assert [found["peak.j1"][k], found["peak.j2"][k]] == pytest.approx(peaks, rel=1e-12)
    assert found["peak.j1"][0] == pytest.approx(299.42, abs=0.01)
    assert list(found.errors) == [3]
    assert found.errors[3].startswith("TrainError")


def test_every_planet_adds_the_same():
    """What n planets bring is n times what one brings: M is linear in n, and a planet adds its mass to joint 1."""
    M = [gw.mass_matrix(gw.load(f"planetary_2r_{n}"), [0.2, 0.7]) for n in (3, 4, 5, 6)]
    steps = np.diff(M, axis=0)
    np.testing.assert_allclose(steps, np.broadcast_to(steps[0], steps.shape), atol=1e-13)
    own, mass, away, round_centre, ratio = 0.00314, 0.12, 0.4, 0.06, 4.0
    carried = own + mass * (away**2 + round_centre**2)
    assert steps[0][0, 0] == pytest.approx(carried + own * ratio**2, abs=1e-13)  # stage 2 at rest, stage 1 turning
    assert steps[0][0, 1] == pytest.approx(own * ratio, abs=1e-13)
    assert steps[0][1, 1] == pytest.approx(own * ratio**2, abs=1e-13)


@pytest.mark.parametrize("n", [3, 4, 5, 6])
def test_a_second_engine_along_the_motion(n):
    """MuJoCo with sun and planets as bodies of their own, as the paper used SolidWorks (figures 7, 9, 11, 13)."""
    found = gw.export.mujoco_check(gw.load(f"planetary_2r_{n}"), *motion(np.linspace(0, 1, 41)))
    assert found.torque_error < 1e-13
    assert found.energy_error < 1e-13


def test_open_assumptions():
    """Centre of mass of link 2 at 0.25 m; no gravity."""
    robot = gw.load("planetary_2r_3")
    far = replace(robot, links=(robot.links[0], replace(robot.links[1], com=(0.25, 0.0, 0.0))))
    mech = gw.assemble(far)
    found = [
        peak(curve)[0]
        for curve in (lambda t: torque(mech, t)[0], lambda t: torque(mech, t)[1], lambda t: energy(mech, t))
    ]
    assert found == pytest.approx([327.8467, 105.3726, 22.5327], abs=HALF_A_DIGIT)
    floating = gw.assemble(replace(robot, gravity=(0, 0, 0)))
    found = [peak(curve)[0] for curve in (lambda t: torque(floating, t)[0], lambda t: torque(floating, t)[1])]
    assert found == pytest.approx([72.4471, 26.0838], abs=HALF_A_DIGIT)


def test_energy_of_the_motion_and_the_other_posture():
    """Work of the motors = change of energy; elbow-down and elbow-up reach the same point with different effort."""
    mech = machine(3)
    t = np.linspace(0, 1, 4001)
    ends = {"down": (END, END * 0), "up": ((END[0] + END[1], -END[1]), (0.0, 0.0))}
    effort = {}
    for posture, (end, start) in ends.items():
        q, v, a = motion(t, start, end)
        power = np.einsum("ti,ti->t", gw.inverse_dynamics(mech, q, v, a), v)
        work = np.trapezoid(power, t)
        change = gw.potential_energy(mech, q[-1]) - gw.potential_energy(mech, q[0])
        assert work == pytest.approx(float(change), abs=1e-6)
        effort[posture] = np.trapezoid(np.abs(power), t)
    tip = [gw.placement(mech, end, "tool").position for end, _ in ends.values()]
    np.testing.assert_allclose(tip[0], tip[1], atol=1e-12)
    assert abs(effort["up"] - effort["down"]) > 1.0


def test_sphere_as_payload():
    """A sphere of 2 kg, radius 0.05 m: its own inertia 2/5 m r^2 adds exactly that to joint 2's inertia."""
    robot = gw.load("planetary_2r_3")
    own = 0.4 * 2 * 0.05**2
    point = gw.assemble(robot.with_payload(2.0, (0.4, 0, 0)))
    sphere = gw.assemble(robot.with_payload(2.0, (0.4, 0, 0), inertia=own * np.eye(3)))
    difference = gw.mass_matrix(sphere, [0.1, 0.2]) - gw.mass_matrix(point, [0.1, 0.2])
    np.testing.assert_allclose(difference, own * np.ones((2, 2)), atol=1e-14)


def test_the_path_by_inverse_kinematics():
    """From (0.8, 0) to (0.4499, 0.5864) m, elbow down: the printed places are those of 0 and of 30 and 45 degrees."""
    arm = gw.load("planetary_2r_3")
    places = np.array([[0.8, 0, 0], [0.4499, 0.5864, 0]])
    found = gw.inverse_kinematics(arm, "tool", (None, places), start=[0.1, 0.1], tolerance=1e-6)
    assert found.reached.all()
    assert found.q[0] == pytest.approx([0, 0], abs=2e-3), "stretched: the angles follow from a root"
    assert found.q[1] == pytest.approx(END, abs=2e-4)
    straight = places[1] - places[0]
    J = gw.jacobian(arm, [1e-6, -2e-6], "tool")[:2]
    assert np.linalg.cond(J) > 1e5, "a straight line cannot start from the stretched arm"
    assert np.linalg.norm(straight) == pytest.approx(0.683, abs=1e-3)


def test_the_table_cannot_be():
    """Table 1 lets link 1 grow by less than a planet's own inertia; what is missing changes no torque by 0.1 %."""
    mechs = {n: machine(n) for n in (3, 4, 5, 6)}
    printed = [mechs[n].bodies[0].inertia.zz for n in (3, 4, 5, 6)]
    own = mechs[3].spins[1].inertia / 3
    mass = mechs[4].bodies[0].mass - mechs[3].bodies[0].mass
    assert own == pytest.approx(0.00314)
    assert mass == pytest.approx(0.12)
    assert np.diff(printed).max() < own, "each planet brings at least its own inertia"
    least = own + mass * 29 / 29.12 * 0.2**2
    assert least == pytest.approx(0.0079, abs=5e-5)
    link = mechs[6].bodies[0]
    grown = replace(link, inertia=np.diag([0.03, link.inertia.yy, printed[0] + 3 * least]))
    q, v, a = motion(np.linspace(0, 1, 101))
    more = gw.inverse_dynamics(replace(mechs[6], bodies=(grown, *mechs[6].bodies[1:])), q, v, a)
    less = gw.inverse_dynamics(mechs[6], q, v, a)
    assert 0 < np.abs(more - less).max() < 1e-3 * np.abs(less).max()
