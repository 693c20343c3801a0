"""Friction on compliant surfaces: Coulomb's cone, sticking, closed forms, the rigid limit, both engines, files."""

from __future__ import annotations

import numpy as np
import pytest

import gearwright as gw
from gearwright.contact import Contact, Plane, SoftContact
from gearwright.errors import InputError, PartError
from gearwright.parts import Joint, Link, Robot

G, MASS, MU, K, D = 9.81, 2.0, 0.3, 1e5, 600.0
TIGHT = gw.analysis.IntegratorOptions(rtol=1e-10, atol=1e-12)


def block(axes=("x", "z")) -> Robot:
    """A mass on slides along the axes, above the plane z = 0."""
    names, links = {"x": (1, 0, 0), "y": (0, 1, 0), "z": (0, 0, 1)}, []
    for parent, axis in zip((None, *axes), axes, strict=False):
        mass = MASS if axis == axes[-1] else 0.0
        joint = Joint(axis, kind="prismatic", axis=names[axis])
        links.append(Link(axis, *([parent] if parent else []), joint=joint, mass=mass))
    return Robot("block", links)


def mat(**settings) -> SoftContact:
    return SoftContact("z", Plane((0, 0, 0), (0, 0, 1)), K, D, name="mat", **{"friction": MU} | settings)


def resting(robot: Robot, speeds) -> dict:
    """The start of a block that rests on the mat, deformed by its weight."""
    q = [0.0] * (len(robot.links) - 1) + [-MASS * G / K]
    return {"state": (q, speeds), "states": {"mat.deformation": MASS * G / K}}


def simulate(robot, start, until, laws, **settings):
    return gw.simulate(robot, gw.State(*start["state"], start["states"]), until=until, laws=laws, **settings)


def test_a_sliding_block_is_braked_by_mu_g_and_then_rests():
    """v = v0 - mu g t once the mat has sheared; all kinetic energy is dissipated."""
    robot, v0 = block(), 1.0
    stop = v0 / (MU * G)
    run = simulate(robot, resting(robot, [v0, 0.0]), 2 * stop, [mat()], samples=401, integrator=TIGHT)
    sliding = (run.t > 0.1) & (run.t < 0.9 * stop)
    np.testing.assert_allclose(np.diff(run.v[sliding, 0]) / np.diff(run.t[sliding]), -MU * G, rtol=1e-6)
    along = [axis[0] for axis in mat().surface.tangent_axes]
    friction = along[0] * run["mat.force_1"] + along[1] * run["mat.force_2"]
    np.testing.assert_allclose(friction[sliding], -MU * MASS * G, rtol=1e-6)
    assert np.abs(run.v[-1]).max() < 1e-6
    assert run["energy.dissipated"][-1] == pytest.approx(0.5 * MASS * v0**2, rel=1e-5)
    assert run.drift < 1e-7


def test_below_the_cone_it_sticks_elastically():
    """A force below mu N shears the mat as a damped oscillator: m x'' + d x' + k x = F."""
    robot, force = block(), 0.8 * MU * MASS * G
    damped = SoftContact("z", mat().surface, K, 20.0, name="mat", friction=MU, tangential_stiffness=4e3)
    run = simulate(
        robot,
        resting(robot, [0.0, 0.0]),
        0.4,
        [damped],
        inputs={"tau.x": lambda t: 0.4 * force},
        samples=81,
        integrator=TIGHT,
    )
    s, k = 20.0 / (2 * MASS), 4e3
    w = np.sqrt(k / MASS - s * s)
    exact = 0.4 * force / k * (1 - np.exp(-s * run.t) * (np.cos(w * run.t) + s / w * np.sin(w * run.t)))
    np.testing.assert_allclose(run["q.x"], exact, atol=1e-9)
    for name in ("mat.slip_1", "mat.slip_2"):
        np.testing.assert_allclose(run[name], 0.0, atol=1e-9)


@pytest.mark.parametrize("surface", [Plane((0, 0, 0), (0, 0, 1)), gw.contact.Sphere((0, 0, -2.0), 2.0)])
def test_friction_stays_in_the_cone_and_opposes_the_slip(surface):
    """In the plane, with a force that turns; while it slips |f| = mu F, and no power comes from the surface."""
    robot = block(("x", "y", "z"))
    law = SoftContact("z", surface, K, D, name="mat", friction=MU)
    inputs = {
        "tau.x": lambda t: 12.0 * (1 - t) * np.cos(9 * t),
        "tau.y": lambda t: 12.0 * (1 - t) * np.sin(9 * t),
        "tau.z": lambda t: -9.0,
    }
    run = simulate(robot, resting(robot, [0.2, -0.1, 0.0]), 1.0, [law], inputs=inputs, samples=501)
    friction = np.stack([run["mat.force_1"], run["mat.force_2"]], axis=-1)
    slip = np.stack([run["mat.slip_1"], run["mat.slip_2"]], axis=-1)
    limit, speed = MU * run["mat.force"], np.linalg.norm(slip, axis=1)
    assert np.all(np.linalg.norm(friction, axis=1) <= limit * (1 + 1e-9))
    slips = speed > 1e-4
    assert 0.2 < slips.mean() < 1.0
    np.testing.assert_allclose(friction[slips], -limit[slips, None] * slip[slips] / speed[slips, None], rtol=1e-6)
    assert np.all(np.diff(run["energy.dissipated"]) > -1e-9)
    assert run.drift < 1e-6


def test_a_stiff_surface_approaches_the_rigid_one_with_friction():
    """Pushed to and fro over its friction limit: the path approaches that of a rigid contact."""
    robot, errors = block(), []
    inputs = {"tau.x": lambda t: 9.0 * np.sin(12 * t)}
    rigid = Contact("z", Plane((0, 0, 0), (0, 0, 1)), friction=MU, name="mat")
    exact = gw.simulate(robot, [0.0, 0.0], until=1.0, laws=[rigid], inputs=inputs, samples=11)
    for k in (1e4, 1e5):
        law = SoftContact("z", Plane((0, 0, 0), (0, 0, 1)), k, 2 * np.sqrt(k * MASS), name="mat", friction=MU)
        start = {"state": ([0.0, -MASS * G / k], [0.0, 0.0]), "states": {"mat.deformation": MASS * G / k}}
        run = simulate(robot, start, 1.0, [law], inputs=inputs, samples=11)
        errors.append(np.abs(run["q.x"] - exact["q.x"]).max())
    assert np.abs(exact["q.x"]).max() > 0.01
    assert errors[1] < 0.35 * errors[0]
    assert errors[1] < 2e-3


def test_a_lifted_point_leaves_a_sheared_surface_that_recovers():
    """After release the shear decays with d / k, without force."""
    robot = block()
    light = SoftContact("z", Plane((0, 0, 0), (0, 0, 1)), 2e3, 100.0, name="mat", friction=MU)
    start = {"state": ([0.0, -0.01], [1.0, 0.0]), "states": {"mat.deformation": 0.01, "mat.shear_1": 1e-3}}
    run = simulate(robot, start, 0.5, [light], inputs={"tau.z": lambda t: 60.0}, samples=401, integrator=TIGHT)
    free = np.flatnonzero(np.array(run.modes["mat"]) == "free")
    first, last = free[0], free[20]
    assert run["mat.shear_1"][first] > 1e-5
    ratio = run["mat.shear_1"][last] / run["mat.shear_1"][first]
    assert ratio == pytest.approx(np.exp(-(run.t[last] - run.t[first]) * 20.0), rel=1e-5)
    assert np.all(run["mat.force_1"][free] == 0.0)
    assert run.drift < 1e-7


def test_time_stepping_converges_to_the_event_driven_run():
    robot, errors = block(), []
    law = SoftContact("z", Plane((0, 0, 0), (0, 0, 1)), 1e4, 100.0, name="mat", friction=MU)
    weight = {"mat.deformation": MASS * G / 1e4}
    q, v = [0.0, -MASS * G / 1e4], [0.6, 0.0]
    exact = gw.simulate(robot, gw.State(q, v, weight), until=0.5, laws=[law], samples=2, integrator=TIGHT)
    for step in (5e-4, 1e-4):
        options = gw.analysis.RolloutOptions(states=weight)
        run = gw.rollout(robot, q, v, round(0.5 / step), step, method="moreau", laws=[law], options=options)
        errors.append(np.abs(run.q[-1] - exact.q[-1]).max())
    assert errors[1] < 0.3 * errors[0]
    assert errors[1] < 1e-4


def test_a_file_states_friction_of_a_compliant_surface(tmp_path):
    text = """
robot: block
links:
  - {name: x, parent: base, joint: {kind: prismatic, axis: [1, 0, 0]}, mass: 0}
  - {name: z, parent: x, joint: {kind: prismatic, axis: [0, 0, 1]}, mass: 2}
environment:
  - name: mat
    frame: z
    surface: {plane: {point: [0, 0, 0], normal: [0, 0, 1]}}
    friction: 0.3
    behind: {stiffness: 1e5, damping: 600}
"""
    path = tmp_path / "block.yaml"
    path.write_text(text)
    (law,) = (x for x in gw.laws(gw.load(path)) if x.name == "mat")
    assert law == mat(relative_to="base")
    gw.save(gw.load(path), tmp_path / "again.yaml")
    assert gw.load(tmp_path / "again.yaml").environment == gw.load(path).environment
    path.write_text(text.replace(", damping: 600", ""))
    with pytest.raises(gw.errors.GearwrightError, match=r"mat.*friction=0\.3.*damping"):
        gw.load(path)


def test_bad_input_is_refused():
    plane = Plane((0, 0, 0), (0, 0, 1))
    with pytest.raises(InputError, match=r"mat: friction=0\.3.*damping"):
        SoftContact("z", plane, K, name="mat", friction=0.3)
    with pytest.raises(InputError, match=r"mat: friction=0\.3.*exponent=1\.5.*tangential_stiffness"):
        SoftContact("z", plane, K, D, 1.5, name="mat", friction=0.3)
    with pytest.raises(InputError, match=r"mat.*friction.*-1"):
        SoftContact("z", plane, K, D, name="mat", friction=-1.0)
    with pytest.raises(PartError, match=r"mat.*friction=0\.2.*damping"):
        gw.parts.ContactPoint("mat", "z", plane, friction=0.2, stiffness=1e4)
