"""The redundant models of Melhem and Loria: printed numbers, structure, existence of left inverses, integration."""

from __future__ import annotations

import casadi
import numpy as np
import pytest
from scipy.integrate import solve_ivp

import gearwright as gw
from gearwright.algebra.operations import FLOATS
from gearwright.dynamics.other_formulations.melhem_loria_blocks import block_layout, equimomental_points, free_bodies
from gearwright.errors import InputError
from gearwright.parts import Drive, Gear, Joint, Link, Motor, Robot
from gearwright.programs import redundant_programs
from gearwright.programs.program import flatten_scalars
from support.chains import elastic_machine
from support.compare import relative

HALF_A_DIGIT = 5.1e-9
EXACT = ("full", "absolute", "link_frames", "points")
STATE = [0.3, -0.5, 0.302, -0.501], [0.7, -0.4, 0.75, -0.38]
RX = np.array([[1.0, 0, 0], [0, 0, -1], [0, 1, 0]])


def two_joints() -> gw.Mechanism:
    """The first two joints of the elbow, elastic, in body frames at the joints: z0 and z1 are the joint axes."""
    links = [
        Link("l1", joint=Joint("j1"), mass=6, com=RX @ [0, -0.05, 0], inertia=np.diag([0.05, 0.05, 0.03])),
        Link("l2", "l1", Joint("j2", rotation=RX), 5, (0.2, 0, 0), np.diag([0.01, 0.09, 0.09])),
    ]
    drives = [
        Drive("j1", Motor(5e-4, 0.9, 4e-4), Gear(120, stiffness=8000), "base", (0, 0, 1)),
        Drive("j2", Motor(3e-4, 0.8, 2.5e-4, RX @ [0, -0.1, 0]), Gear(100, stiffness=6000), "l1", RX @ [0, 1, 0]),
    ]
    return gw.assemble(Robot("two_joints", links, drives))


def chain(*joints: tuple[str, tuple[float, float, float]]) -> gw.Mechanism:
    """Links along x with these joints and axes, every moving joint driven by a rotor of its own through a spring."""
    links, drives, parent = [], [], "base"
    for i, (kind, axis) in enumerate(joints):
        joint = Joint(f"j{i}", kind, axis, position=(0.3 if i else 0, 0, 0))
        links.append(Link(f"b{i}", parent, joint, 2.0 + i, (0.1, 0.02, -0.03), np.diag([0.02, 0.03, 0.04])))
        motor = Motor(1e-4, 0.3, 8e-5, (0.05, 0, 0))
        drive = Drive(f"j{i}", motor, Gear(50, stiffness=2000), parent, (0, 0.6, 0.8))
        drives += [drive] if kind != "fixed" else []
        parent = f"b{i}"
    return gw.assemble(Robot("chain", links, drives))


X, Y, Z, SKEW = (1, 0, 0), (0, 1, 0), (0, 0, 1), (0.6, 0, 0.8)
R, P = "revolute", "prismatic"


@pytest.mark.parametrize("form", EXACT)
def test_printed_digits_of_the_elastic_arm(form):
    model, (q, v) = gw.elastic.RedundantModel(two_joints(), form), STATE
    found = model.project(q, v)
    inertia, *_ = found
    printed = [[0.25594232, 0, 0, 0.03], [0, 0.29, 0, 0], [0, 0, 7.2, 0], [0.03, 0, 0, 3]]
    assert inertia == pytest.approx(np.array(printed), abs=HALF_A_DIGIT)
    assert found.C @ v == pytest.approx([-0.06597133, -0.05772491, 0, 0], abs=HALF_A_DIGIT)
    assert found.g == pytest.approx([0, 8.60908493, 0, 0], abs=HALF_A_DIGIT)
    J = model.jacobian(q)
    assert J.T @ model.elastic_forces(q) == pytest.approx([-16, 6, 16, -6], abs=1e-9)
    speeds, rates = model.rates(q, J @ v, [0, 0, 3, 40])
    assert speeds == pytest.approx(v)
    a = [61.04611769, -50.17710353, -1.80555556, 14.72287216]
    assert rates == pytest.approx(J @ a + model.jacobian_rate(q, v) @ v, abs=1e-6)


def test_the_term_that_the_paper_omits():
    model = gw.elastic.RedundantModel(two_joints())
    assert model.project(*STATE).omitted == pytest.approx([-0.00942448, -0.01649283, 0, 0], abs=HALF_A_DIGIT)


@pytest.mark.parametrize("joints", [1, 2, 3, 4])
def test_sizes_and_ranks(joints):
    mech = elastic_machine(np.random.default_rng(joints), [R] * joints)
    sizes = {"full": (15, 12), "absolute": (12, 12), "reduced": (12, 12), "link_frames": (15, 12), "points": (36, 36)}
    for form, (size, rank) in sizes.items():
        model = gw.elastic.RedundantModel(mech, form)
        ranks = model.ranks(model.configurations(10))
        assert (model.size, ranks.inertia) == (size * joints, rank * joints), form
        assert (ranks.jacobian, ranks.links) == (2 * joints, joints)
        assert ranks.rotors in (None, joints)
        assert len(set(model.names)) == model.size
    full = gw.elastic.RedundantModel(mech)
    assert full.names[0] == "b0.vx"
    assert full.names[-1] == f"d{joints - 1}.rotor.spin.wz"


def test_blocks_of_the_generalized_inertia():
    """H2 strictly upper triangular, H3 diagonal and constant, none of them dependent on the motors' angles."""
    model = gw.elastic.RedundantModel(elastic_machine(np.random.default_rng(5), [R, R, P, R]))
    q = model.configurations(4)
    inertia, *_ = model.project(q, np.zeros(8))
    push, spin = inertia[:, :4, 4:], inertia[:, 4:, 4:]
    assert np.abs(np.tril(push)).max() < 1e-12
    assert np.abs(push).max() > 1e-4
    assert spin == pytest.approx(np.tile(np.diag(np.diag(spin[0])), (4, 1, 1)), abs=1e-12)
    turned = q + np.array([0, 0, 0, 0, 0.3, -1.1, 2.0, 0.7])
    again, *_ = model.project(turned, np.zeros(8))
    assert again == pytest.approx(inertia, abs=1e-12)
    assert np.abs(model.jacobian(turned) - model.jacobian(q)).max() > 0.1, "J2 does depend on them"


def test_rotor_inertia_is_diagonal_and_its_spin_constant():
    model = gw.elastic.RedundantModel(elastic_machine(np.random.default_rng(5), [R, P, R]))
    M2 = model.inertia[27:36, 27:36]
    assert np.abs(M2 - np.diag(np.diag(M2))).max() == 0
    J3 = model.jacobian(model.configurations(6))[:, 36:]
    assert np.ptp(J3, axis=0).max() == 0
    assert np.abs(model.jacobian_rate(model.configurations(6), np.ones(6))[:, 36:]).max() == 0


def test_planar_arms_need_no_quadratic_terms():
    """What is left out does not work where all bodies turn about one direction."""
    model = gw.elastic.RedundantModel(planar())
    q, v = model.configurations(5), np.random.default_rng(1).uniform(-2, 2, (5, 4))
    assert np.abs(model.project(q, v).omitted).max() < 1e-12
    assert np.abs(model.quadratic(model.velocities(q, v))).max() > 1e-3


def planar() -> gw.Mechanism:
    links = [
        Link(
            "b0", joint=Joint("j0"), mass=2, com=(0.2, 0, 0), inertia=[[0.02, 0, 0.005], [0, 0.03, 0], [0.005, 0, 0.04]]
        ),
        Link("b1", "b0", Joint("j1", position=(0.4, 0, 0)), 1, (0.1, 0, 0), np.diag([0.01, 0.02, 0.02])),
    ]
    drives = [Drive(f"j{i}", Motor(1e-4, 0.3), Gear(50, stiffness=2000)) for i in range(2)]
    return gw.assemble(Robot("planar", links, drives))


@pytest.mark.parametrize("joints", [[(R, Z), (P, SKEW)], [(P, X), (R, Z)], [(P, X), (P, SKEW), (R, Y), (R, X)]])
def test_mixed_chains_that_have_a_constant_left_inverse(joints):
    model = gw.elastic.RedundantModel(chain(*joints))
    L = model.constant_left_inverse()
    q = model.configurations(30, seed=7, slide=2.0)
    assert np.abs(L @ model.jacobian(q) - np.eye(model.mech.n)).max() < 1e-9


@pytest.mark.parametrize("joints", [[(R, Z), (P, X)], [(R, Z), (R, Y), (P, X)]])
def test_mixed_chains_without_one_say_so_and_offer_the_variant(joints):
    mech = chain(*joints)
    with pytest.raises(InputError, match=rf"\bj{len(joints) - 1}\b.*'full'.*'link_frames'"):
        gw.elastic.RedundantModel(mech).constant_left_inverse()
    variant = gw.elastic.RedundantModel(mech, "link_frames")
    q = variant.configurations(30, seed=7)
    assert np.abs(variant.constant_left_inverse() @ variant.jacobian(q) - np.eye(mech.n)).max() < 1e-12


@pytest.mark.parametrize("form", ["full", "link_frames", "points"])
def test_fixed_links_are_bodies_like_others(form):
    mech = chain((R, Z), ("fixed", X), (P, SKEW), ("fixed", X), (R, Y))
    model = gw.elastic.RedundantModel(mech, form)
    assert model.size == {"full": 57, "link_frames": 57, "points": 144}[form]
    q, v = model.configurations(1)[0], np.array([1.0, -0.5, 0.7, 0.4, -0.3, 0.2])
    found = model.project(q, v)
    assert relative(found.H, gw.mass_matrix(mech, q)) < 1e-12
    assert relative(found.C @ v, gw.coriolis_matrix(mech, q, v) @ v) < 1e-10
    if form != "points":
        L = model.constant_left_inverse()
        assert np.abs(L @ model.jacobian(model.configurations(30, seed=7)) - np.eye(6)).max() < 1e-9


def test_points_have_no_constant_left_inverse():
    with pytest.raises(InputError, match=r"\bj0, j1, j0\.motor, j1\.motor\b.*'points'"):
        gw.elastic.RedundantModel(chain((R, Z), (R, X)), "points").constant_left_inverse()


def test_models_without_constant_left_inverse_move_too():
    mech = chain((R, Z), (P, X))
    q, v, tau = [0.3, 0.2, 0.31, 0.19], [1.0, -0.5, 0.8, -0.4], [0, 0, 5.0, -3.0]
    for form in ("full", "points"):
        model = gw.elastic.RedundantModel(mech, form)
        speeds, rates = model.rates(q, model.velocities(q, v), tau)
        assert speeds == pytest.approx(v)
        a = gw.forward_dynamics(mech, q, v, tau)
        assert relative(rates, model.jacobian(q) @ a + model.jacobian_rate(q, v) @ v) < 1e-9


def test_equimomental_points():
    """Six points with the mass, centre and second moments of every piece."""
    mech = elastic_machine(np.random.default_rng(2), [R, P])
    for part in free_bodies(mech):
        points = np.array([tuple(p) for p in equimomental_points(part, FLOATS.sqrt)])
        tensor = sum(part.mass / 6 * (p @ p * np.eye(3) - np.outer(p, p)) for p in points)
        assert points.sum(axis=0) == pytest.approx(np.zeros(3), abs=1e-15)
        assert tensor == pytest.approx(np.array(part.tensor.rows()), rel=1e-12, abs=1e-16)


@pytest.mark.parametrize("thin", [(0.0, 0.01, 0.01), (0.01, 0.0, 0.01), (0.02, 0.01, 0.01), (0.0, 0.0, 0.0)])
def test_equimomental_points_of_rods_discs_and_points(thin):
    part = free_bodies(two_joints())[0]
    part = part._replace(tensor=type(part.tensor).diagonal(*thin))
    points = np.array([tuple(p) for p in equimomental_points(part, FLOATS.sqrt)])
    tensor = sum(part.mass / 6 * (p @ p * np.eye(3) - np.outer(p, p)) for p in points)
    assert tensor == pytest.approx(np.diag(thin), abs=1e-15)


def test_separated_link_is_the_link_before_assembly():
    link, _, rotor, _ = free_bodies(two_joints())
    assert (link.mass, rotor.mass) == pytest.approx((6, 0.9))
    assert tuple(link.com) == pytest.approx(tuple(RX @ [0, -0.05, 0]))
    assert np.array(link.tensor.rows()) == pytest.approx(np.diag([0.05, 0.05, 0.03]))


@pytest.mark.parametrize("form", [*EXACT, "reduced"])
def test_rate_of_the_jacobian_is_exact(form):
    """The programs run over CasADi too, which differentiates J along the motion without any difference quotient."""
    mech = elastic_machine(np.random.default_rng(9), [R, P, R])
    model, plan = gw.elastic.RedundantModel(mech, form), {redundant_programs.LAYOUT: block_layout(mech, form, FLOATS)}
    q, v = casadi.SX.sym("q", 6), casadi.SX.sym("v", 6)
    inputs = {"q": [q[k] for k in range(6)], "v": [v[k] for k in range(6)]}
    J = casadi.vertcat(*flatten_scalars(redundant_programs.REDUNDANT_JACOBIAN.run(mech, casadi, inputs, plan)))
    slope = casadi.Function("slope", [q, v], [casadi.jtimes(J, q, v)])
    where, speeds = np.random.default_rng(1).uniform(-1, 1, (2, 6))
    expected = slope(where, speeds).full().reshape(model.size, 6)
    assert relative(model.jacobian_rate(where, speeds), expected) < 1e-12


@pytest.mark.parametrize("form", ["full", "absolute", "link_frames", "points"])
def test_integration_moves_as_the_generalized_model(form):
    """The state (q, nu) under motor torques, started at rest with twisted springs, against (q, v)."""
    mech = two_joints()
    model = gw.elastic.RedundantModel(mech, form)
    n, tau = mech.n, np.array([0, 0, 30.0, -20.0])
    q0, v0 = np.array(STATE)
    tight = {"rtol": 1e-9, "atol": 1e-11, "method": "DOP853"}

    def redundant(_, x):
        return np.concatenate(model.rates(x[:n], x[n:], tau))

    def generalized(_, x):
        return np.concatenate([x[n:], gw.forward_dynamics(mech, x[:n], x[n:], tau)])

    span = (0, 0.03 if form == "points" else 0.1)
    found = solve_ivp(redundant, span, np.concatenate([q0, model.velocities(q0, v0)]), **tight).y[:, -1]
    expected = solve_ivp(generalized, span, np.concatenate([q0, v0]), **tight).y[:, -1]
    assert found[:n] == pytest.approx(expected[:n], abs=1e-8)
    assert relative(found[n:], model.velocities(expected[:n], expected[n:])) < 1e-6
    energy = 0.5 * found[n:] @ model.inertia @ found[n:] + gw.potential_energy(mech, found[:n])
    work = tau @ (found[:n] - q0)
    assert energy - work == pytest.approx(gw.kinetic_energy(mech, q0, v0) + gw.potential_energy(mech, q0), rel=1e-7)


@pytest.mark.parametrize(
    ("form", "kinds"), [("full", [R, R, R]), ("absolute", [P, P]), ("link_frames", [R, P, R]), ("full", None)]
)
def test_integration_matches_a_simulation(form, kinds):
    """(q, nu) of chains of every kind, and of the elastic elbow, against `simulate` of the generalized model."""
    rng = np.random.default_rng(5)
    mech = gw.assemble(gw.load("elastic_elbow")) if kinds is None else elastic_machine(rng, kinds)
    model, n = gw.elastic.RedundantModel(mech, form), mech.n
    joints = n // 2
    q0, v0 = np.tile(rng.uniform(-0.5, 0.5, (2, joints)), 2)
    tau = np.concatenate([np.zeros(joints), rng.uniform(-5, 5, joints)])
    begin = np.concatenate([q0, model.velocities(q0, v0)])
    span = 0.02

    def rates(_, x):
        return np.concatenate(model.rates(x[:n], x[n:], tau))

    found = solve_ivp(rates, (0, span), begin, rtol=1e-9, atol=1e-11, method="DOP853").y[:, -1]
    run = gw.simulate(
        mech,
        (q0, v0),
        until=span,
        inputs=tau,
        samples=2,
        integrator=gw.analysis.IntegratorOptions(rtol=1e-10, atol=1e-12),
    )
    assert np.abs(run.q[-1] - q0 - span * v0).max() > 1e-5, "something happened"
    assert found[:n] == pytest.approx(run.q[-1], abs=1e-8)
    assert relative(found[n:], model.velocities(run.q[-1], run.v[-1])) < 1e-6


def test_norm_bounds_and_lipschitz_constant():
    """P1 to P3 hold at configurations and speeds that were not sampled; in revolute arms they are those of all q."""
    model = gw.elastic.RedundantModel(elastic_machine(np.random.default_rng(4), [R, R, R]))
    sampled, fresh = model.configurations(1500), model.configurations(200, seed=1)
    lower, upper = model.norm_bounds(sampled)
    norms = np.linalg.norm(model.jacobian(fresh), 2, axis=(1, 2))
    assert 0 < lower * 0.99 < norms.min()
    assert norms.max() < upper * 1.01
    inverse = np.linalg.norm(model.left_inverse(fresh), 2, axis=(1, 2))
    assert inverse.max() < model.inverse_norm_bounds(sampled).upper * 1.05
    constant = model.lipschitz_constant(sampled)
    x, y = np.random.default_rng(2).normal(size=(2, 200, 6))
    change = np.linalg.norm(model.jacobian_rate(fresh, x) - model.jacobian_rate(fresh, y), 2, axis=(1, 2))
    quotients = change / np.linalg.norm(x - y, axis=1)
    assert quotients.max() < constant * 1.01
    assert quotients.max() > 0.2 * constant, "the bound means something"


def test_norms_of_the_left_inverses_of_both_parts():
    """P2: of J1 and J3 each, at configurations that were not sampled; the bound of J3 is 1 / min k."""
    mech = gw.assemble(gw.load("elastic_elbow"))
    model = gw.elastic.RedundantModel(mech)
    sampled, fresh = model.configurations(800), model.configurations(100, seed=1)
    J1 = model.jacobian(fresh)[:, :27, :3]
    norms = np.linalg.norm(np.linalg.pinv(J1), 2, axis=(1, 2))
    lower, upper = model.inverse_norm_bounds(sampled, "J1")
    assert lower * 0.99 < norms.min() < norms.max() < upper * 1.01
    assert model.inverse_norm_bounds(sampled[:5], "J3") == pytest.approx((1 / 80, 1 / 80))
    with pytest.raises(InputError, match=r"'absolute'.*'J3'.*'J'"):
        gw.elastic.RedundantModel(mech, "absolute").inverse_norm_bounds(fresh, "J3")


def test_lipschitz_constant_of_the_left_inverse():
    """Eq. (17): the slope of the pseudoinverse is that of differences, and the bound holds where it was not sampled."""
    model = gw.elastic.RedundantModel(elastic_machine(np.random.default_rng(4), [R, R]))
    constant = model.inverse_lipschitz_constant(model.configurations(600))
    fresh, step = model.configurations(50, seed=1), 1e-6
    x = np.random.default_rng(2).normal(size=(50, 4))
    rate = (model.left_inverse(fresh + step * x) - model.left_inverse(fresh - step * x)) / (2 * step)
    quotients = np.linalg.norm(rate, 2, axis=(1, 2)) / np.linalg.norm(x, axis=1)
    assert 0.1 * constant < quotients.max() < constant * 1.01


def test_a_prismatic_arm_has_a_constant_jacobian():
    model = gw.elastic.RedundantModel(chain((P, X), (P, SKEW)), "absolute")
    q = model.configurations(10)
    lower, upper = model.norm_bounds(q[:, [0, 1, 2, 3]])
    assert lower == pytest.approx(upper)


def test_lipschitz_constant_of_one_turning_link():
    """A link on the base axis with its centre at 0.1 m: dJ/dt = 0.1 e', whose size per unit speed is 0.1."""
    link = Link("arm", mass=2, com=(0.1, 0, 0), inertia=np.diag([0.01, 0.02, 0.02]))
    mech = gw.assemble(Robot("pendulum", [link], [Drive("arm", Motor(1e-4, 0.3), Gear(50, stiffness=2000))]))
    model = gw.elastic.RedundantModel(mech)
    assert model.lipschitz_constant(model.configurations(20)) == pytest.approx(0.1)
    assert model.norm_bounds(model.configurations(20)) == pytest.approx((50, 50))


def test_batches_are_single_states():
    model = gw.elastic.RedundantModel(elastic_machine(np.random.default_rng(4), [R, P]), "link_frames")
    q, v, a = np.random.default_rng(0).uniform(-1, 1, (3, 2, 3, 4))
    Q_all, rates = model.reactions(q, v, a), model.rates(q, model.velocities(q, v), a)
    assert Q_all.shape == (2, 3, model.size)
    assert Q_all[1, 2] == pytest.approx(model.reactions(q[1, 2], v[1, 2], a[1, 2]))
    single = model.rates(q[1, 2], model.velocities(q[1, 2], v[1, 2]), a[1, 2])
    for many, one in zip(rates, single, strict=True):
        assert many[1, 2] == pytest.approx(one)


def test_kinematic_constraints_hold_all_velocities_of_motions_and_no_others():
    """13 n constraints leave 2 n free: velocities of the chain obey them, others do not; they are not constant."""
    model = gw.elastic.RedundantModel(gw.load("elastic_elbow"))
    q, v = model.configurations(4), np.random.default_rng(1).normal(size=(4, 6))
    A, nu = model.constraints(q), model.velocities(q, v)
    assert A.shape == (4, 39, 45)
    np.testing.assert_allclose(A @ nu[..., None], 0, atol=1e-11)
    np.testing.assert_allclose(A @ np.swapaxes(A, -1, -2), np.broadcast_to(np.eye(39), (4, 39, 39)), atol=1e-12)
    assert np.abs(A @ (nu + 0.1)[..., None]).max() > 1e-2
    assert np.abs(A[1] @ nu[0]).max() > 1e-3
