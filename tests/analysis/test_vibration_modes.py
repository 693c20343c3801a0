"""Modes against theory: two inertias, chains of masses, Rayleigh's bounds, damping, gravity."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import gearwright as gw
from gearwright.analysis import natural_frequencies
from gearwright.errors import InputError
from support.compare import relative
from support.elastic_arms import elastic, elastic_elbow, random_elastic, turntable

TURN = 2 * np.pi
PLACE = [0.3, -0.5, 0.8]


def masses(count: int, spring: float = 400.0, mass: float = 2.0, damping: float = 0.0) -> gw.Mechanism:
    """Equal masses on a line, each tied to its neighbours and the ends to walls; joints count from the neighbour."""
    bodies = [
        gw.Body(f"m{k}", k - 1, "prismatic", axis=(1, 0, 0), mass=mass, inertia=np.eye(3) * 1e-3) for k in range(count)
    ]
    rows = [{f"m{k}": 1.0} for k in range(count)] + [{f"m{k}": 1.0 for k in range(count)}]
    return gw.Mechanism(bodies, springs=[gw.Spring(f"k{k}", row, spring, damping) for k, row in enumerate(rows)])


@given(st.floats(0.1, 10), st.floats(0.1, 10), st.floats(100, 1e5))
@settings(deadline=None, max_examples=20)
def test_two_inertias(rotor, link, stiffness):
    """Free: sqrt(k (1/Jm + 1/Jl)), shape (1/Jl, -1/Jm); motor held: sqrt(k/Jl)."""
    mech = turntable(rotor, link, stiffness)
    free = gw.analysis.vibration_modes(mech, [0.4], rigid_motions=True)
    assert free.frequencies[0] == 0
    assert TURN * free.frequencies[1] == pytest.approx(np.sqrt(stiffness * (1 / rotor + 1 / link)), rel=1e-12)
    assert free.shapes[0, 1] * link == pytest.approx(-free.shapes[1, 1] * rotor, rel=1e-9)
    assert free.shapes[0, 0] == pytest.approx(free.shapes[1, 0], rel=1e-9)
    assert not free.damping.any()
    held = gw.analysis.vibration_modes(mech, [0.4], motors="held")
    assert TURN * held.frequencies == pytest.approx([np.sqrt(stiffness / link)], rel=1e-12)
    assert abs(held.shapes[1, 0]) < 1e-12


@pytest.mark.parametrize("count", [1, 4, 9])
def test_chain_of_masses(count):
    """2 sqrt(k/m) sin(j pi / (2 (N + 1))) with sines as shapes."""
    found = gw.analysis.vibration_modes(masses(count), np.zeros(count))
    j = np.arange(1, count + 1)
    assert relative(TURN * found.frequencies, 2 * np.sqrt(200) * np.sin(j * np.pi / 2 / (count + 1))) < 1e-12
    shapes = np.cumsum(found.shapes, axis=0)  # from distances between neighbours to places
    sines = np.sin(np.outer(j, j) * np.pi / (count + 1))
    overlap = (
        np.abs(np.einsum("ij,ij->j", shapes, sines)) / np.linalg.norm(shapes, axis=0) / np.linalg.norm(sines, axis=0)
    )
    assert np.abs(overlap - 1).max() < 1e-12


@pytest.mark.parametrize("damping", [1.0, 60.0])
def test_damping_of_a_chain_is_that_of_each_mode(damping):
    """Proportional dampers D = (d/k) K: zeta = d w / (2 k), overdamped ones included, frequencies unchanged."""
    found = gw.analysis.vibration_modes(masses(5, damping=damping), np.zeros(5))
    w = 2 * np.sqrt(200) * np.sin(np.arange(1, 6) * np.pi / 12)
    assert relative(TURN * found.frequencies, w) < 1e-9
    assert relative(found.damping, damping * w / 800) < 1e-9
    assert (found.damping > 1).any() == (damping == 60.0)


def test_rigid_motions_are_held_unless_they_are_shown():
    """Two inertias on one shaft: sqrt(k (1/J1 + 1/J2)) alone (Den Hartog), and nothing that falls or stands still."""
    mech = turntable(2.0, 3.0, 5000.0)
    found = gw.analysis.vibration_modes(mech, [0.4])
    assert TURN * found.frequencies == pytest.approx([np.sqrt(5000.0 * (1 / 2.0 + 1 / 3.0))], rel=1e-12)
    assert natural_frequencies(mech, [0.4]) == pytest.approx(found.frequencies, rel=1e-10)


def test_held_rigid_motions_leave_the_vibrations_as_they_are():
    """harmonic_6 has six of each: without gravity they are apart, R' M x = 0, and in gravity nothing is unstable."""
    robot = gw.load("harmonic_6")
    floating = gw.assemble(replace(robot, gravity=(0.0, 0.0, 0.0)))
    q = np.array([0.2, -0.4, 0.7, 0.3, -0.5, 0.1])
    free, found = (gw.analysis.vibration_modes(floating, q, rigid_motions=rigid) for rigid in (True, False))
    np.testing.assert_allclose(free.frequencies[:6], 0.0, atol=1e-9)
    np.testing.assert_allclose(found.frequencies, free.frequencies[6:], rtol=1e-9)
    np.testing.assert_allclose(found.damping, free.damping[6:], rtol=1e-7)
    heavy = gw.analysis.vibration_modes(robot, np.zeros(6))
    assert not heavy.growth_rates.any()
    assert (heavy.frequencies > 30).all()
    batch = gw.analysis.vibration_modes(floating, [q, np.zeros(6)])
    np.testing.assert_allclose(batch.frequencies[0], found.frequencies, rtol=1e-12)


def test_damped_two_inertias():
    """zeta = d/2 sqrt((1/Jm + 1/Jl)/k); the rigid motion stays free."""
    found = gw.analysis.vibration_modes(turntable(2.0, 3.0, 5000.0, 8.0), [0.0], rigid_motions=True)
    both = 1 / 2 + 1 / 3
    assert found.frequencies[0] == 0
    assert not found.eigenvalues[0].any()
    assert TURN * found.frequencies[1] == pytest.approx(np.sqrt(5000 * both), rel=1e-9)
    assert found.damping[1] == pytest.approx(8 / 2 * np.sqrt(both / 5000), rel=1e-9)


def test_complex_modes_solve_the_equations():
    """(s^2 M + s D + K) x = 0 for every mode of an arm with unequal dampers, K by differences of gravity."""
    robot = elastic("elbow", (8000.0, 6000.0, 3000.0))
    for drive, d in zip(robot.drives, (3.0, 40.0, 9.0), strict=True):
        robot = robot.with_drive(replace(drive, gear=replace(drive.gear, damping=d)))
    mech = gw.assemble(robot)
    q = np.array([*PLACE, 0, 0, 0])
    form, step = gw.elastic.elastic_form(mech, q, 0 * q), 1e-5
    slope = np.array(
        [(gw.gravity(mech, q + step * e) - gw.gravity(mech, q - step * e)) / (2 * step) for e in np.eye(6)]
    ).T
    found = gw.analysis.vibration_modes(mech, q, rigid_motions=True)
    assert np.abs(found.shapes.imag).max() > 1e-3
    for k in range(6):
        s = found.eigenvalues[k, 0]
        if abs(s.imag) > 1e-6 * abs(s):
            x = found.shapes[:, k]
            terms = s**2 * (form.H @ x), s * (form.D_e @ x), (form.K_e + slope) @ x
            assert np.abs(sum(terms)).max() < 1e-7 * max(np.abs(t).max() for t in terms)
    assert np.abs(found.shapes).max(axis=0) == pytest.approx(np.ones(6))


def test_eigenvalues_are_those_of_the_linear_model():
    mech = gw.assemble(elastic_elbow(damping=11.0))
    q = np.array([*PLACE, 0, 0, 0])
    A, _ = gw.linearise(mech, q, 0 * q, gw.bias(mech, q, 0 * q))
    expected = np.sort_complex(np.linalg.eigvals(A))
    found = np.sort_complex(gw.analysis.vibration_modes(mech, q, rigid_motions=True).eigenvalues.ravel())
    assert np.abs(np.sort(np.abs(found)) - np.sort(np.abs(expected))).max() < 1e-5 * np.abs(expected).max()


@settings(max_examples=15, deadline=None)
@given(st.integers(0, 2**31), st.lists(st.sampled_from(["revolute", "prismatic"]), min_size=1, max_size=4))
def test_rayleigh(seed, kinds):
    """Without gravity: every quotient lies between the extremes, holding motors interlaces, stiffer never slower."""
    mech = replace(random_elastic(seed, kinds), gravity=(0, 0, 0))
    rng = np.random.default_rng(seed)
    q = rng.uniform(-1, 1, len(kinds))
    free, held = (natural_frequencies(mech, q, motors, rigid_motions=True) for motors in ("free", "held"))
    full = np.concatenate([q, np.zeros(len(mech.shafts))])
    form = gw.elastic.elastic_form(mech, full, 0 * full)
    x = rng.normal(size=(mech.n, 20))
    quotient = np.einsum("ij,ij->j", x, form.K_e @ x) / np.einsum("ij,ij->j", x, form.H @ x)
    assert (quotient <= (TURN * free[-1]) ** 2 * (1 + 1e-9)).all()
    assert (free[: len(kinds)] == 0).all()
    assert (free[: len(held)] <= held * (1 + 1e-9)).all()
    assert (held <= free[len(free) - len(held) :] * (1 + 1e-9)).all()
    stiffer = replace(mech, springs=[replace(s, stiffness=s.stiffness * rng.uniform(1, 3)) for s in mech.springs])
    assert (natural_frequencies(stiffer, q, rigid_motions=True) >= free * (1 - 1e-9)).all()


def test_gravity_is_a_spring_or_its_opposite():
    """A pendulum on a spring: (k + m g l cos q)/J hanging, less when it stands."""
    J, m, length, k = 0.6, 2.0, 0.5, 100.0
    body = gw.Body("arm", axis=(0, 1, 0), mass=m, com=(0, 0, -length), inertia=np.diag([0.1, J - m * length**2, 0.1]))
    mech = gw.Mechanism([body], springs=[gw.Spring("k", {"arm": 1.0}, k)])
    for q in (0.0, 1.0, np.pi):
        expected = np.sqrt((k + m * 9.81 * length * np.cos(q)) / J)
        assert TURN * gw.analysis.vibration_modes(mech, [q]).frequencies[0] == pytest.approx(expected, rel=1e-12)
    soft = replace(mech, springs=[gw.Spring("k", {"arm": 1.0}, 5.0)])
    with pytest.raises(InputError, match=r"-4\.81 Nm/rad.*'arm'"):
        gw.analysis.vibration_modes(soft, [np.pi])


def test_what_falls_is_no_vibration():
    """An arm that stands upright with free motors: its rigid motion falls, s = +-sqrt(m g l / (J + Jm))."""
    link = gw.parts.Link("arm", mass=2.0, com=(0, 0, 0.5), inertia=np.diag([0.1, 0.1, 0.01]))
    robot = gw.parts.Robot(
        "pole",
        [replace(link, joint=replace(link.joint, axis=(0, 1, 0)))],
        [gw.parts.Drive("arm", gw.parts.Motor(inertia=1e-4), gw.parts.Gear(ratio=100, stiffness=1e8))],
    )
    found = gw.analysis.vibration_modes(gw.assemble(robot), [0.0], rigid_motions=True)
    assert found.frequencies[0] == 0
    assert np.sort(found.eigenvalues[0].real) == pytest.approx(np.sqrt(9.81 / 1.6) * np.array([-1, 1]), rel=1e-6)


def test_free_motions_of_a_damped_machine_are_apart():
    """Each is a motion that no spring feels, and kinetic energy is not shared between two of them."""
    mech = gw.assemble(gw.load("harmonic_6"))
    q = np.zeros(12)
    found = gw.analysis.vibration_modes(mech, q, rigid_motions=True)
    free = found.shapes[:, (np.abs(found.eigenvalues) == 0).all(axis=1)]
    assert free.shape[1] == 3
    rows = np.array([spring.row for spring in mech.springs])
    assert np.abs(rows @ free).max() < 1e-8
    energy = free.conj().T @ gw.mass_matrix(mech, q) @ free
    assert np.abs(energy - np.diag(np.diag(energy))).max() < 1e-8 * np.abs(energy).max()


def test_shafts_may_be_left_out_and_batches_work():
    mech = gw.assemble(elastic_elbow())
    places = np.array([PLACE, [0.0, 0.3, -1.0]])
    batch = gw.analysis.vibration_modes(mech, places, "held")
    assert batch.shapes.shape == (2, 6, 3)
    alone = gw.analysis.vibration_modes(mech, [*places[1], 0.5, 0.2, -0.4], "held")
    assert relative(batch.frequencies[1], alone.frequencies) < 1e-12
    assert relative(natural_frequencies(mech, places, "held"), batch.frequencies) < 1e-10


def test_bad_input():
    with pytest.raises(InputError, match=r"spring.*stiffness"):
        gw.analysis.vibration_modes(gw.assemble(gw.load("elbow")), PLACE)
    mech = gw.assemble(elastic_elbow())
    with pytest.raises(InputError, match=r"\bq\b.*\(4,\)"):
        gw.analysis.vibration_modes(mech, [0.0] * 4)
    with pytest.raises(InputError, match=r"motors='braked'.*free, held"):
        gw.analysis.vibration_modes(mech, PLACE, "braked")
    with pytest.raises(InputError, match="actuator"):
        gw.analysis.vibration_modes(replace(mech, actuators=()), PLACE, "held")
    with pytest.raises(InputError, match=r"robot.*machine"):
        gw.analysis.vibration_modes("elastic_elbow", PLACE)
