"""Flexible links by modes: against beams in theory, spinning beams in the literature, segments, and finite elements."""

from __future__ import annotations

import random
import zipfile

import numpy as np
import pytest
from scipy.linalg import eigh

import gearwright as gw
from gearwright.errors import FileError, GearwrightError
from gearwright.parts import (
    Beam,
    Drive,
    FlexibleBody,
    Frame,
    Gear,
    Joint,
    Link,
    Motor,
    Payload,
    Robot,
    assumed_modes,
    craig_bampton,
    load_flexible_body,
    with_beam,
    with_flexible_body,
)

CANTILEVER = np.array([1.8751040687, 4.6940911330, 7.8547574382])
"""Roots of cosh(x) cos(x) = -1."""
LENGTH, DENSITY, EI = 1.6, 2.5, 70.0
UNIT = np.sqrt(EI / DENSITY) / LENGTH**2
"""Unit of frequencies, sqrt(EI / rho A L^4) [rad/s]."""


def boom(axis=(0, 0, 1), kind="revolute", **options) -> Robot:
    beam = Beam(**{"length": LENGTH, "line_density": DENSITY, "bending": (None, EI), "segments": 20, **options})
    return with_beam(Robot("rod", [Link("boom", joint=Joint("hub", kind, axis=axis))], gravity=(0, 0, 0)), "boom", beam)


def stiffness(mech) -> np.ndarray:
    return sum(s.stiffness * np.outer(s.row, s.row) for s in mech.springs)


def frequencies(mech) -> np.ndarray:
    return np.sqrt(eigh(stiffness(mech), gw.mass_matrix(mech, np.zeros(mech.n)), eigvals_only=True))


@pytest.mark.parametrize("stiffening", [True, False])
def test_modes_of_a_cantilever(stiffening):
    """Three modes have the frequencies of 20 segments, which are those of a beam within 1 %."""
    modal = frequencies(gw.assemble(boom(kind="fixed", modes=3, stiffening=stiffening)))
    segments = frequencies(gw.assemble(boom(kind="fixed")))
    assert modal == pytest.approx(segments[:3], rel=1e-9)
    assert modal == pytest.approx(CANTILEVER**2 * UNIT, rel=0.01)


def test_both_planes_and_torsion():
    robot = boom(kind="fixed", bending=(30.0, EI), torsion=25.0, polar_inertia=4e-3, modes=2)
    mech = gw.assemble(robot)
    assert mech.speeds == ("boom.bend1", "boom.bend2", "boom.sway1", "boom.sway2", "boom.twist1", "boom.twist2")
    bending = [CANTILEVER[:2] ** 2 * np.sqrt(x / DENSITY) / LENGTH**2 for x in (30.0, EI)]
    torsion = np.array([1, 3]) * np.pi / 2 * np.sqrt(25.0 / 4e-3) / LENGTH
    assert frequencies(mech) == pytest.approx(np.sort(np.concatenate([*bending, torsion])), rel=0.01)
    linear = gw.assemble(
        boom(kind="fixed", bending=(30.0, EI), torsion=25.0, polar_inertia=4e-3, modes=2, stiffening=False)
    )
    assert frequencies(linear) == pytest.approx(frequencies(mech), rel=1e-9)


def spinning(mech, speed: float) -> float:
    """Lowest frequency about the straight beam that spins with its hub at a given constant speed."""
    n = mech.n - 1

    def force(x):
        q, v = np.concatenate([[0.0], x]), np.concatenate([[speed], np.zeros(n)])
        return gw.inverse_dynamics(mech, q, v, np.zeros(n + 1))[1:]

    step = 1e-6 * np.eye(n)
    K = np.array([(force(x) - force(-x)) / 2e-6 for x in step]).T
    M = gw.mass_matrix(mech, np.zeros(n + 1))[1:, 1:]
    return float(np.sqrt(eigh((K + K.T) / 2, M, eigvals_only=True)[0]))


SPUN = {0: 3.5160, 1: 3.6816, 2: 4.1373, 3: 4.7973, 4: 5.5850, 5: 6.4495, 6: 7.3604}
"""Flapping of a clamped beam over the speed of its hub of radius zero, in `UNIT` (Wright, Smith, Thresher, 1982)."""


@pytest.mark.parametrize("speed", SPUN)
def test_a_spinning_beam_stiffens(speed):
    """Out of the plane of rotation; in the plane the square of the speed is taken off (Southwell)."""
    flapping = gw.assemble(boom(bending=(None, EI), across=(0, 0, 1), segments=40, modes=4))
    assert spinning(flapping, speed * UNIT) == pytest.approx(SPUN[speed] * UNIT, rel=2e-3)
    lagging = gw.assemble(boom(bending=(EI, None), across=(0, 0, 1), segments=40, modes=4))
    assert spinning(lagging, speed * UNIT) == pytest.approx(np.sqrt(SPUN[speed] ** 2 - speed**2) * UNIT, rel=4e-3)
    linear = gw.assemble(boom(bending=(None, EI), across=(0, 0, 1), segments=20, modes=4, stiffening=False))
    assert spinning(linear, speed * UNIT) == pytest.approx(SPUN[0] * UNIT, rel=4e-3)


def crane() -> Robot:
    """A boom with a hub, a driven hand on its end, a frame and a payload."""
    links = [
        Link("boom", joint=Joint("lift", axis=(0, 1, 0)), mass=2.0, com=(0.05, 0, 0), inertia=np.eye(3) * 0.01),
        Link(
            "hand", "boom", Joint("wrist", axis=(1, 0, 0), position=(1.0, 0.1, 0)), 1.0, (0.1, 0, 0), np.eye(3) * 1e-2
        ),
    ]
    drives = [
        Drive("lift", Motor(1e-4, 0.5), Gear(50)),
        Drive("wrist", Motor(3e-3, 0.5, 2e-3, position=(1.0, 0.1, 0)), Gear(50), axis=(0, 0.6, 0.8)),
    ]
    return Robot("crane", links, drives, Payload(3.0, (0.5, 0, 0.1), "boom"), [Frame("eye", "boom", (0.9, 0, 0.2))])


def test_assumed_modes_are_the_segments_held_to_the_modes():
    """Exactly, at large deflections and speeds, with a rotor on the tip: M = A' M_s A and A' (C v + g)_s."""
    options = {"length": 1.0, "line_density": 4.0, "bending": (500.0, 300.0), "segments": 6}
    modal, free = (gw.assemble(with_beam(crane(), "boom", Beam(**options, modes=m))) for m in (2, None))
    names = [f"boom.{way}{k}" for way in ("bend", "sway") for k in (1, 2)]
    assert modal.speeds == ("lift", *names, "wrist")
    angles = {body.name: body.follows for body in modal.bodies if body.follows is not None}
    A = np.zeros((free.n, modal.n))
    A[free.speeds.index("lift"), 0] = A[free.speeds.index("wrist"), -1] = 1.0
    for name, (leader, factor, _) in angles.items():
        segment, way = name.split(".")[1], str(leader).split(".")[1].rstrip("12")
        A[free.speeds.index(f"boom.{segment}.{way}"), modal.speeds.index(leader)] = factor
    rng = np.random.default_rng(4)
    for _ in range(3):
        x, v, a = rng.normal(size=(3, modal.n)) * 0.3
        assert gw.mass_matrix(modal, x) == pytest.approx(A.T @ gw.mass_matrix(free, A @ x) @ A, rel=1e-9, abs=1e-12)
        forces = A.T @ gw.inverse_dynamics(free, A @ x, A @ v, A @ a)
        assert gw.inverse_dynamics(modal, x, v, a) == pytest.approx(forces, rel=1e-8, abs=1e-9)


def random_body(seed: int) -> FlexibleBody:
    rng = np.random.default_rng(seed)
    A = rng.normal(size=(3, 3))
    return FlexibleBody(
        rng.normal(size=(5, 3)),
        rng.uniform(0.1, 1, 5),
        rng.normal(size=(3, 5, 6)),
        A @ A.T + 2 * np.eye(3),
        damping=0.01,
    )


def test_nodes_move_as_the_modes_say():
    """Kinetic energy of point masses at R(q) (x + sum Phi eta), by differences; potential eta' K eta / 2."""
    body = random_body(2)
    arm = Robot("arm", [Link("l", joint=Joint("j", axis=(0, 0.6, 0.8)))], gravity=(0, 0, 0))
    mech = gw.assemble(with_flexible_body(arm, "l", body))
    assert mech.speeds == ("j", "l.mode1", "l.mode2", "l.mode3")
    turn = gw.assemble(Robot("arm", [Link("l", joint=Joint("j", axis=(0, 0.6, 0.8)), inertia=np.eye(3))]))

    def positions(q):
        R = gw.placement(turn, q[:1], "l").rotation
        return (body.positions + np.einsum("m,mkx->kx", q[1:], body.modes[:, :, :3])) @ R.T

    rng = np.random.default_rng(0)
    for _ in range(3):
        q, v = rng.normal(size=(2, 4))
        velocities = (positions(q + 1e-6 * v) - positions(q - 1e-6 * v)) / 2e-6
        energy = 0.5 * np.sum(body.masses[:, None] * velocities**2)
        assert gw.kinetic_energy(mech, q, v) == pytest.approx(energy, rel=1e-8)
        assert gw.potential_energy(mech, q) == pytest.approx(0.5 * q[1:] @ body.stiffness @ q[1:], rel=1e-12)
    damping = sum(s.damping * np.outer(s.row, s.row) for s in mech.springs)[1:, 1:]
    assert damping == pytest.approx(0.01 * body.stiffness, rel=1e-9, abs=1e-12)


def test_a_rotor_on_a_flexible_body_is_the_rotor_as_a_body():
    """The motor of a hand on a node: as a spin, and as a link of its own that turns 50 times as fast."""
    body = FlexibleBody(
        [[0.5, 0, 0], [1.0, 0.1, 0]],
        [1.0, 0.5],
        np.random.default_rng(3).normal(size=(2, 2, 6)),
        np.diag([40.0, 90.0]),
    )
    whole = gw.assemble(with_flexible_body(crane(), "boom", body))
    bare = crane()
    rotor = Link(
        "rotor",
        "boom",
        Joint("spin", axis=(0, 0.6, 0.8), position=(1.0, 0.1, 0), follows=("wrist", 50.0, 0.0)),
        0.5,
        (0, 0, 0),
        2e-3 * np.eye(3) + 1e-3 * np.outer([0, 0.6, 0.8], [0, 0.6, 0.8]),
    )
    apart = Robot("crane", [*bare.links, rotor], bare.drives[:1], bare.payload, bare.frames)
    explicit = gw.assemble(with_flexible_body(apart, "boom", body))
    assert whole.speeds == explicit.speeds
    rng = np.random.default_rng(8)
    q, v, a = rng.normal(size=(3, 4, whole.n)) * 0.5
    assert gw.inverse_dynamics(whole, q, v, a) == pytest.approx(gw.inverse_dynamics(explicit, q, v, a), rel=1e-9)


def beam_elements(count: int, torsion: float = 50.0, axial: float = 1e6) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Positions, mass and stiffness of a clamped beam along x of Euler-Bernoulli elements with consistent masses."""
    h = LENGTH / count
    d = np.diag([1, h, 1, h])
    bend = EI / h**3 * d @ np.array([[12, 6, -12, 6], [6, 4, -6, 2], [-12, -6, 12, -6], [6, 2, -6, 4]]) @ d
    mass = np.array([[156, 22, 54, -13], [22, 4, 13, -3], [54, 13, 156, -22], [-13, -3, -22, 4]])
    mass = DENSITY * h / 420 * d @ mass @ d
    K, M = np.zeros((2, 6 * (count + 1), 6 * (count + 1)))
    for e in range(count):
        a, b = 6 * e, 6 * e + 6
        for ids, signs in (
            ((a + 1, a + 5, b + 1, b + 5), (1, 1, 1, 1)),
            ((a + 2, a + 4, b + 2, b + 4), (1, -1, 1, -1)),
        ):
            S = np.outer(signs, signs)
            K[np.ix_(ids, ids)] += bend * S
            M[np.ix_(ids, ids)] += mass * S
        for ids, k, m in (((a, b), axial / h, DENSITY * h), ((a + 3, b + 3), torsion / h, 1e-3 * h)):
            K[np.ix_(ids, ids)] += k * np.array([[1, -1], [-1, 1]])
            M[np.ix_(ids, ids)] += m / 6 * np.array([[2, 1], [1, 2]])
    return np.outer(np.linspace(0, LENGTH, count + 1), [1, 0, 0]), M, K


def test_craig_bampton_keeps_frequencies_and_statics():
    """Frequencies of a cantilever, and F L^3 / (3 EI) under a load at the interface, to which the modes are exact."""
    body = craig_bampton(*beam_elements(24), root=0, interface=[24], modes=6)
    assert len(body.modes) == 12
    _, M, K = beam_elements(24)
    full = np.sqrt(eigh(K[6:, 6:], M[6:, 6:], eigvals_only=True))
    reduced = np.sqrt(np.diag(body.stiffness))
    assert reduced[:4] == pytest.approx(full[:4], rel=1e-3)
    assert 2 * np.pi * body.frequencies[:4] == pytest.approx(np.repeat(CANTILEVER[:2] ** 2, 2) * UNIT, rel=5e-3)
    robot = Robot("rod", [Link("boom", joint=Joint(kind="fixed"))], frames=[Frame("tip", "boom", (LENGTH, 0, 0))])
    mech = gw.assemble(with_flexible_body(robot, "boom", body))
    J = gw.jacobian(mech, np.zeros(mech.n), "tip")
    compliance = J @ np.linalg.solve(stiffness(mech), J.T)
    assert [compliance[1, 1], compliance[2, 2]] == pytest.approx([LENGTH**3 / (3 * EI)] * 2, rel=1e-9)
    assert compliance[5, 5] == pytest.approx(LENGTH / EI, rel=1e-9)
    assert compliance[3, 3] == pytest.approx(LENGTH / 50.0, rel=1e-9)


def test_finite_elements_move_as_segments():
    """A falling boom with a tip mass: 30 elements and 20 segments, deflection of the tip over 0.3 s."""
    hub = Link("boom", joint=Joint("lift", axis=(0, 1, 0)), mass=1.0, inertia=np.eye(3) * 0.05)
    robot = Robot(
        "rod", [hub], payload=Payload(0.5, (LENGTH, 0, 0), "boom"), frames=[Frame("tip", "boom", (LENGTH, 0, 0))]
    )
    x, M, K = beam_elements(16)
    keep = [6 * k + j for k in range(17) for j in (2, 4)]  # bending in the plane of gravity alone
    rigid = np.setdiff1d(np.arange(6 * 17), keep)
    K[np.ix_(rigid, rigid)] *= 1e4
    body = craig_bampton(x, M, K, root=0, interface=[], modes=3)
    imported = with_flexible_body(robot, "boom", body)
    assumed = with_beam(
        robot, "boom", Beam(LENGTH, DENSITY, bending=(None, EI), across=(0, 0, 1), segments=12, modes=2)
    )
    cut = with_beam(robot, "boom", Beam(LENGTH, DENSITY, bending=(None, EI), across=(0, 0, 1), segments=12))
    ends = []
    for model in (imported, assumed, cut):
        mech = gw.assemble(model)
        run = gw.simulate(mech, (np.zeros(mech.n), np.zeros(mech.n)), until=0.3, samples=4)
        ends.append(gw.placement(mech, run.q, "tip").position[:, [0, 2]])
    assert ends[1] == pytest.approx(ends[2], abs=2e-3)
    assert ends[0] == pytest.approx(ends[2], abs=5e-3)
    assert np.abs(ends[2][-1, 1]) > 0.3


def test_files_keep_a_body(tmp_path):
    body = assumed_modes(Beam(1.0, 2.0, bending=(40.0, None), segments=4, modes=2, damping=1e-3))
    body.save(tmp_path / "boom.npz")
    again = load_flexible_body(tmp_path / "boom.npz")
    for name in ("positions", "masses", "modes", "stiffness", "inertias", "damping"):
        assert np.array_equal(getattr(again, name), getattr(body, name))
    np.savez(tmp_path / "less.npz", positions=np.zeros((1, 3)))
    with pytest.raises(FileError, match="'masses'"):
        load_flexible_body(tmp_path / "less.npz")
    (tmp_path / "text.npz").write_text("no archive")
    with pytest.raises(FileError, match="NumPy"):
        load_flexible_body(tmp_path / "text.npz")


def test_broken_archives_are_refused(tmp_path, monkeypatch):
    """Any byte may be wrong; the header of an array may state any shape, and a small file may unpack to a large one."""
    path, rng = tmp_path / "boom.npz", random.Random(0)
    FlexibleBody([[1.0, 0, 0]], [0.5], [[[0, 1.0, 0, 0, 0, 1.5]]], [[120.0]]).save(path)
    content, refused = path.read_bytes(), 0
    for _ in range(200):
        broken = bytearray(content)
        for _ in range(rng.choice((1, 3, 20))):
            broken[rng.randrange(len(broken))] = rng.randrange(256)
        path.write_bytes(broken[: rng.choice((len(broken), rng.randrange(len(broken))))])
        try:
            load_flexible_body(path)
        except FileError:
            refused += 1
    assert refused > 100
    header = b"\x93NUMPY\x01\x00v\x00" + b"{'descr': '<f8', 'fortran_order': False, 'shape': (10**9, 10**6), }"
    header = header.replace(b"10**9", b"1000000000").replace(b"10**6", b"1000000").ljust(127) + b"\n"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("masses.npy", header)
    with pytest.raises(FileError):
        load_flexible_body(path)
    path.write_bytes(content)
    monkeypatch.setattr("gearwright.parts.builders.modal_bodies.MAX_BYTES", 500)
    with pytest.raises(FileError, match="500"):
        load_flexible_body(path)


X, M, K = beam_elements(2)
REFUSED = {
    "mode of one node": lambda: FlexibleBody(np.zeros((2, 3)), [1, 1], np.ones((1, 1, 6)), [[1.0]]),
    "negative mass": lambda: FlexibleBody(np.zeros((1, 3)), [-1.0], np.ones((1, 1, 6)), [[1.0]]),
    "rigid mode": lambda: FlexibleBody(np.zeros((1, 3)), [1.0], np.ones((1, 1, 6)), [[0.0]]),
    "words": lambda: FlexibleBody("nodes", [1.0], np.ones((1, 1, 6)), [[1.0]]),
    "empty": lambda: FlexibleBody(np.zeros((0, 3)), [], np.ones((1, 0, 6)), [[1.0]]),
    "masked": lambda: FlexibleBody(np.zeros((1, 3)), np.ma.masked_array([1.0], [True]), np.ones((1, 1, 6)), [[1.0]]),
    "huge": lambda: FlexibleBody(np.zeros((1, 3)), [1.0], np.ones((1, 1, 6)), [[1e308]]),
    "unsymmetric inertia": lambda: FlexibleBody(
        np.zeros((1, 3)), [1.0], np.ones((1, 1, 6)), [[1.0]], inertias=np.arange(9.0).reshape(1, 3, 3)
    ),
    "loose inner nodes": lambda: craig_bampton(np.zeros((3, 3)), np.eye(18), np.zeros((18, 18)), 0, [1], 0),
    "negative damping": lambda: FlexibleBody(np.zeros((1, 3)), [1.0], np.ones((1, 1, 6)), [[1.0]], damping=-1.0),
    "root at the interface": lambda: craig_bampton(X, M, K, 0, [0]),
    "wrong shapes": lambda: craig_bampton(X, M[:3, :3], K, 0, [2]),
    "too many modes": lambda: craig_bampton(X, M, K, 0, [2], modes=99),
    "modes of a beam": lambda: Beam(1.0, 1.0, bending=(1.0, None), segments=3, modes=4),
    "beam without modes": lambda: assumed_modes(Beam(1.0, 1.0, bending=(1.0, None))),
}


@pytest.mark.parametrize("make", REFUSED.values(), ids=REFUSED)
def test_what_cannot_be_is_refused(make):
    with pytest.raises(GearwrightError):
        make()
