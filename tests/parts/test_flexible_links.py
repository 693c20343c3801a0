"""Flexible links cut into segments, and an elastic base: against the theory of beams and of rigid bodies on springs."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.linalg import eigh

import gearwright as gw
from gearwright.errors import JointError, PartError, StructureError
from gearwright.parts import (
    Beam,
    Drive,
    ElasticBase,
    Frame,
    Gear,
    Gearwheel,
    Joint,
    JointSpring,
    Link,
    Mesh,
    Motor,
    PassiveSpring,
    Payload,
    Robot,
    Train,
    with_beam,
    with_elastic_base,
)

CANTILEVER = np.array([1.8751040687, 4.6940911330, 7.8547574382])
"""Roots of cosh(x) cos(x) = -1."""


def stiffness(mech) -> np.ndarray:
    return sum(s.stiffness * np.outer(s.row, s.row) for s in mech.springs)


def frequencies(mech) -> np.ndarray:
    """Angular frequencies about the straight, unloaded beam."""
    return np.sqrt(eigh(stiffness(mech), gw.mass_matrix(mech, np.zeros(mech.n)), eigvals_only=True))


def cantilever(**words) -> Robot:
    beam = Beam(**{"length": 1.6, "line_density": 2.5, "bending": (None, 70.0), "segments": 20, **words})
    return with_beam(Robot("rod", [Link("boom", joint=Joint(kind="fixed"))], gravity=(0, 0, 0)), "boom", beam)


@pytest.mark.parametrize("direction", [(1, 0, 0), (0.3, -0.5, 0.8)])
def test_bending_frequencies_of_a_cantilever(direction):
    found = frequencies(gw.assemble(cantilever(direction=direction)))[:3]
    theory = CANTILEVER**2 * np.sqrt(70.0 / 2.5) / 1.6**2
    assert found == pytest.approx(theory, rel=0.01)


def test_modes_of_a_cantilever_are_those_of_a_beam():
    """At 20 segments the first three are within 1 % of theory, and the first shape is that of a beam."""
    mech = gw.assemble(cantilever())
    found = gw.analysis.vibration_modes(mech, np.zeros(mech.n))
    theory = CANTILEVER**2 * np.sqrt(70.0 / 2.5) / 1.6**2 / (2 * np.pi)
    assert found.frequencies[:3] == pytest.approx(theory, rel=0.01)
    x = CANTILEVER[0] * np.arange(21) / 20
    share = (np.sinh(x[-1]) - np.sin(x[-1])) / (np.cosh(x[-1]) + np.cos(x[-1]))
    turns = np.diff(np.sinh(x) + np.sin(x) - share * (np.cosh(x) - np.cos(x)))
    assert found.shapes[:, 0] == pytest.approx(turns / turns[0], abs=0.01)


def test_they_converge_with_the_square_of_the_segments():
    theory = CANTILEVER**2 * np.sqrt(70.0 / 2.5) / 1.6**2
    errors = [frequencies(gw.assemble(cantilever(segments=n)))[:3] / theory - 1 for n in (10, 20)]
    assert errors[0] / errors[1] == pytest.approx([4, 4, 4], rel=0.05)


def test_both_planes_and_torsion():
    """Bending about two axes and the fixed-free rod in torsion, (2k - 1) pi/2 sqrt(GJ / rho Ip) / L."""
    mech = gw.assemble(cantilever(bending=(30.0, 70.0), torsion=25.0, polar_inertia=4e-3))
    found = frequencies(mech)
    for EI in (30.0, 70.0):
        theory = CANTILEVER**2 * np.sqrt(EI / 2.5) / 1.6**2
        assert np.abs(found[:, None] / theory - 1).min(axis=0) == pytest.approx(0, abs=0.01)
    torsion = np.array([1, 3, 5]) * np.pi / 2 * np.sqrt(25.0 / 4e-3) / 1.6
    assert np.abs(found[:, None] / torsion - 1).min(axis=0) == pytest.approx(0, abs=0.01)


def test_static_deflection_by_a_tip_load():
    """F L^3 / (3 EI) for a small force at the tip."""
    robot = cantilever()
    mech = gw.assemble(Robot("rod", robot.links, frames=[Frame("tip", "boom.20", (0.04, 0, 0))], gravity=(0, 0, 0)))
    J = gw.jacobian(mech, np.zeros(mech.n), "tip")[2]
    assert J @ np.linalg.solve(stiffness(mech), J) == pytest.approx(1.6**3 / (3 * 70.0), rel=2e-3)


def test_the_material_damps_in_proportion():
    mech = gw.assemble(cantilever(damping=2e-3))
    assert [s.damping / s.stiffness for s in mech.springs] == pytest.approx([2e-3] * 20)


def hung() -> Robot:
    """A boom with a hub, and on it a child, a motor, a frame and a payload."""
    links = [
        Link("boom", joint=Joint("lift", axis=(0, 1, 0)), mass=2.0, com=(0.05, 0, 0), inertia=np.eye(3) * 0.01),
        Link(
            "hand", "boom", Joint("wrist", axis=(0, 1, 0), position=(1.0, 0.1, 0)), 1.0, (0.1, 0, 0), np.eye(3) * 1e-3
        ),
    ]
    drives = [
        Drive("lift", Motor(1e-4, 0.5), Gear(50)),
        Drive("wrist", Motor(1e-4, 0.5, position=(0.8, 0.1, 0)), Gear(50)),
    ]
    return Robot("crane", links, drives, Payload(3.0, (0.5, 0, 0.1), "boom"), [Frame("eye", "boom", (0.9, 0, 0.2))])


def test_what_sits_on_the_beam_keeps_its_place():
    robot = with_beam(hung(), "boom", Beam(1.0, 4.0, bending=(500.0, None), segments=5))
    assert [k.name for k in robot.links] == ["boom", *(f"boom.{k}" for k in range(1, 6)), "hand"]
    assert robot.link("hand").parent == "boom.5"
    assert robot.drive("wrist").mounted_on == "boom.5"
    assert (robot.payload.link, robot.frames[0].link) == ("boom.3", "boom.5")
    rigid = hung()
    rod = Link("rod", "boom", Joint(kind="fixed"), 4.0, (0.5, 0, 0), np.diag([0, 4 / 12, 4 / 12]))
    whole = Robot("crane", [rigid.links[0], rod, rigid.links[1]], rigid.drives, rigid.payload, rigid.frames)
    straight, stiff = gw.assemble(robot), gw.assemble(whole)
    for angles in ((0.3, -0.7), (-1.0, 0.4)):
        q = np.zeros(straight.n)
        q[[0, -1]] = angles
        E = np.zeros((straight.n, 2))
        E[0, 0] = E[-1, 1] = 1
        assert E.T @ gw.mass_matrix(straight, q) @ E == pytest.approx(gw.mass_matrix(stiff, angles), rel=1e-12)
        assert E.T @ gw.gravity(straight, q) == pytest.approx(gw.gravity(stiff, angles), rel=1e-12)
        for name in ("hand", "eye"):
            assert gw.placement(straight, q, name)[1] == pytest.approx(gw.placement(stiff, angles, name)[1])


def test_a_payload_without_a_link_stays_on_the_last_one():
    robot = Robot("rod", [Link("boom", mass=1.0, com=(0.1, 0, 0))], payload=Payload(2.0, (1.0, 0, 0)))
    assert with_beam(robot, "boom", Beam(1.0, 1.0, bending=(1.0, None), segments=3)).payload.link == "boom.3"


def block(**words) -> Robot:
    """A heavy block on an elastic base, with one small joint so that the robot is one."""
    arm = Link("arm", joint=Joint("j", axis=(0, 0, 1), position=(0, 0, 0.2)), mass=1e-9, inertia=np.eye(3) * 1e-6)
    robot = Robot("block", [arm], [Drive("j", Motor(1e-4, 0.5))], gravity=(0, 0, 0))
    return with_elastic_base(robot, ElasticBase(mass=50.0, inertia=np.diag([2.0, 3.0, 4.0]), **words))


def test_a_block_on_six_springs():
    k = (1e5, 2e5, 3e5, 4e3, 5e3, 6e3)
    mech = gw.assemble(block(stiffness=k, damping=(1, 2, 3, 4, 5, 6)))
    assert mech.speeds[:6] == tuple(f"support.{way}" for way in ("x", "y", "z", "rx", "ry", "rz"))
    assert [s.damping for s in mech.springs] == [1, 2, 3, 4, 5, 6]
    # About its centre of mass the block's six motions are apart; the small link and its rotor change the mass a bit.
    M = gw.mass_matrix(mech, np.zeros(mech.n))[:6, :6]
    found = np.sqrt(np.array(k) / np.diag(M))
    assert found == pytest.approx(np.sqrt(np.array(k) / [50, 50, 50, 2, 3, 4]), rel=0.02)


def test_a_held_direction_has_no_joint():
    mech = gw.assemble(block(stiffness=(None, None, 3e5, 4e3, None, None)))
    assert mech.speeds == ("support.z", "support.rx", "j")


def test_a_stiffness_matrix_is_what_the_springs_make():
    rng = np.random.default_rng(3)
    A = rng.normal(size=(6, 6))
    K, D = A @ A.T * 1e4 + 1e3 * np.eye(6), np.outer(A[0], A[0])
    mech = gw.assemble(block(stiffness=K.tolist(), damping=D.tolist()))
    assert stiffness(mech)[:6, :6] == pytest.approx(K)
    assert sum(s.damping * np.outer(s.row, s.row) for s in mech.springs)[:6, :6] == pytest.approx(D)


def test_wheels_on_the_base_move_with_it():
    wheel = Gearwheel("w", "base", "j1", 1e-3, mass=0.4, position=(0, 0, 0.3))
    link = Link("arm", joint=Joint("j1", axis=(0, 0, 1)), mass=2, com=(0.2, 0, 0), inertia=np.eye(3) * 0.1)
    train = Train(
        "t",
        [wheel, Gearwheel("v", "base", (0, 0, 1), 2e-3)],
        [Mesh("w", "v", teeth=(20, 40)), Mesh("v", "arm", teeth=(20, 60))],
    )
    base = ElasticBase((1e5, None, None, None, 1e3, None), position=(0, 0, -0.5), mass=10, inertia=np.eye(3))
    mech = gw.assemble(with_elastic_base(Robot("r", [link], trains=[train]), base))
    spin = next(s for s in mech.spins if s.name == "w")
    assert mech.bodies[int(spin.carrier)].name == "support"
    assert tuple(spin.rest.position) == pytest.approx((0, 0, 0.8))
    q = [0.01, 0.02, 0.3]
    rest = gw.placement(mech, [0, 0, 0.3], "arm")[1]
    assert rest == pytest.approx([0, 0, 0])
    assert gw.placement(mech, q, "arm")[1] == pytest.approx([0.01 + 0.5 * np.sin(0.02), 0, -0.5 + 0.5 * np.cos(0.02)])


def test_springs_along_joints_and_on_followers():
    links = [
        Link("a", mass=1, com=(0.1, 0, 0), inertia=np.eye(3) * 0.1),
        Link(
            "b",
            "a",
            Joint("b", axis=(0, 0, 1), follows=("a", 2.0, 0.3), spring=JointSpring(10.0, 1.0, 0.1)),
            1,
            (0.1, 0, 0),
        ),
        Link("c", "b", Joint(axis=(0, 0, 1), spring=JointSpring(7.0, 0.5, -0.2)), 1, (0.1, 0, 0)),
    ]
    springs = [PassiveSpring("tendon", {"b": 0.5, "c": -1.0}, 3.0, 0.2, 0.4)]
    mech = gw.assemble(Robot("r", links, springs=springs, gravity=(0, 0, 0)))
    for q in ([0.2, -0.4], [1.0, 0.7]):
        b = 2 * q[0] + 0.3
        potential = 5 * (b - 0.1) ** 2 + 3.5 * (q[1] + 0.2) ** 2 + 1.5 * (0.5 * b - q[1] - 0.4) ** 2
        assert gw.potential_energy(mech, q) == pytest.approx(potential)


TRAIN = Train("t", [Gearwheel("w", "boom", "wrist", 1e-3)], [Mesh("w", "hand", ratio=1.0)])
REFUSED = {
    "matrix": (
        lambda: ElasticBase(np.diag([1, 1, 1, 1, 1, -1.0]).tolist()),
        PartError,
        r"elastic base: stiffness.*positive definite.*-1\b",
    ),
    "unsymmetric": (
        lambda: ElasticBase((np.eye(6) + np.eye(6, k=1)).tolist()),
        PartError,
        "elastic base: stiffness.*symmetric",
    ),
    "five numbers": (lambda: ElasticBase([1.0] * 5), PartError, "x, y, z, rx, ry, rz"),
    "negative stiffness of the base": (
        lambda: ElasticBase((1e5, None, -1.0, None, None, None)),
        PartError,
        r"elastic base: stiffness along z=-1\.0",
    ),
    "negative damping of the base": (
        lambda: ElasticBase((1e5, None, 1e5, None, None, None), (1.0, None, -2.0, None, None, None)),
        PartError,
        r"elastic base: damping along z=-2\.0",
    ),
    "held": (lambda: ElasticBase([None] * 6), PartError, "elastic base: .*rigid"),
    "stiff beam": (lambda: Beam(1.0, 1.0), PartError, "beam: .*bending.*torsion"),
    "torsion without inertia": (
        lambda: Beam(1.0, 1.0, bending=(2.0, 2.0), torsion=1.0, modes=1),
        PartError,
        "beam: .*polar_inertia",
    ),
    "no segments": (lambda: Beam(1.0, 1.0, torsion=1.0, segments=0), PartError, "beam: segments 0"),
    "negative rigidity": (lambda: Beam(1.0, 1.0, bending=(-2.0, None)), PartError, r"bending 1=-2\.0"),
    "trains": (
        lambda: with_beam(Robot("r", hung().links, trains=[TRAIN]), "boom", Beam(1.0, 1.0, torsion=1.0)),
        StructureError,
        "link 'boom'.*train 't'",
    ),
    "floating": (
        lambda: with_elastic_base(Robot("r", [Link("t", joint=Joint(kind="free"))]), ElasticBase([1.0] * 6)),
        StructureError,
        "robot 'r'.*floating",
    ),
    "no limits at all": (
        lambda: Joint("a", limits=None),
        gw.errors.InputError,
        "limits is None.*Limits",
    ),
    "negative joint spring": (
        lambda: JointSpring(-1.0),
        gw.errors.TrainError,
        r"joint spring: stiffness=-1\.0",
    ),
    "spring on a ball": (
        lambda: gw.assemble(Robot("r", [Link("b", joint=Joint("ball", "spherical", spring=JointSpring(1.0)))])),
        JointError,
        "joint 'ball' is spherical",
    ),
    "spring on nothing": (
        lambda: gw.assemble(Robot("r", hung().links, springs=[PassiveSpring("s", {"wrest": 1.0}, 1.0)])),
        StructureError,
        "joint 'wrest'.*'wrist'",
    ),
}


@pytest.mark.parametrize("case", REFUSED)
def test_refusals(case):
    make, kind, message = REFUSED[case]
    with pytest.raises(kind, match=message):
        make()
