"""Machines with closed loops in other programs: FMU, CasADi, JAX, torch, C, MuJoCo and URDF."""

from __future__ import annotations

import subprocess
import warnings

import mujoco
import numpy as np
import pytest

import gearwright as gw
from gearwright.export import mujoco_check, write_urdf
from gearwright.export.fmi import build
from gearwright.parts import Frame, Joint, Link, Loop, Robot
from support.closed_machines import parallel_robot, parallel_robots
from support.parallel_ankle import ankle_machine, parallel_ankle

ROBOT = gw.load("palletiser")
MECH = gw.assemble(ROBOT)
Q = MECH.closed([0.4, 0.3, 0.15, -0.5])
V = np.array([0.8, -0.5, 0.6, 1.5])
needs_compiler = pytest.mark.skipif(build.find_compiler() is None, reason="there is no C compiler")


@needs_compiler
def test_an_fmu_moves_as_simulate(tmp_path):
    """Friction of pins, losses of gears and the loops: the same run, and forces of the loops among its outputs."""
    fmpy = pytest.importorskip("fmpy")
    state = gw.State(Q, V)
    run = gw.simulate(
        ROBOT, state, until=0.2, samples=5, integrator=gw.analysis.IntegratorOptions(rtol=1e-11, atol=1e-12)
    )
    report = gw.export.fmu(ROBOT, tmp_path / "p.fmu", version="3.0", state=state)
    names = [f"q.{name}" for name in MECH.coordinates]
    found = fmpy.simulate_fmu(str(report.path), fmi_type="CoSimulation", stop_time=0.2, output_interval=0.05,
                              relative_tolerance=1e-9, output=names, record_events=False)  # fmt: skip
    assert np.ptp(run["q.crank"]) > 0.05
    for name in names:
        assert np.abs(found[name] - run[name]).max() < 1e-7


def test_functions_of_other_libraries_and_their_derivatives():
    """Along closed configurations, dq = G dq_i, every library has the slope of the kernel."""
    jax, torch = pytest.importorskip("jax"), pytest.importorskip("torch")
    jax.config.update("jax_enable_x64", True)
    mech = ankle_machine()
    q, v, a = mech.closed([0.15, -0.1]), np.array([1.0, -0.7]), np.array([5.0, 8.0])
    tau = gw.inverse_dynamics(mech, q, v, a)
    slope = gw.compile(gw.inverse_dynamics, mech).jacobian("q")(q, v, a)
    G = gw.integrate(mech, q, 1e-6 * np.eye(mech.n)) - gw.integrate(mech, q, -1e-6 * np.eye(mech.n))
    G = G.T / 2e-6
    f = gw.casadi_function(gw.inverse_dynamics, mech)
    assert np.array(f(q, v, a)).ravel() == pytest.approx(tau, rel=1e-12)
    assert np.array(f.jacobian()(q, v, a, 0)[0]) @ G == pytest.approx(slope, abs=1e-6 * np.abs(slope).max())
    g = gw.jax_function(gw.inverse_dynamics, mech)
    assert np.array(g(q, v, a)) == pytest.approx(tau, rel=1e-12)
    assert np.array(jax.jacobian(g)(q, v, a)) @ G == pytest.approx(slope, abs=1e-6 * np.abs(slope).max())
    h = gw.torch_function(gw.inverse_dynamics, mech)
    inputs = [torch.tensor(x, requires_grad=True) for x in (q, v, a)]
    out = h(*inputs)
    assert out.detach().numpy() == pytest.approx(tau, rel=1e-12)
    rows = np.array([torch.autograd.grad(x, inputs[0], retain_graph=True)[0].numpy() for x in out])
    assert rows @ G == pytest.approx(slope, abs=1e-6 * np.abs(slope).max())


@needs_compiler
def test_a_c_package_passes_its_own_test(tmp_path):
    names = ["inverse_dynamics", "forward_dynamics", "mass_matrix", "motor_ratios", "placement:tool"]
    gw.export.c(MECH, tmp_path, names, name="palletiser")
    sources = [tmp_path / "palletiser.c", tmp_path / "palletiser_selftest.c"]
    subprocess.run(["gcc", "-O1", *sources, "-lm", "-o", tmp_path / "t"], check=True)
    done = subprocess.run([tmp_path / "t"], capture_output=True, text=True, check=False)
    assert done.stdout == "palletiser: 0 values differ\n"


def test_mujoco_computes_the_same_forces_with_every_rotor_as_a_body():
    """Its own recursion of the open tree in the closed motion, projected: no soft equality takes part."""
    rng = np.random.default_rng(1)
    q = MECH.closed(rng.uniform(-0.3, 0.5, (5, 4)))
    found = mujoco_check(ROBOT, q, rng.normal(size=(5, 4)), rng.normal(size=(5, 4)))
    assert found.tau.shape == (5, 4)
    assert found.torque_error < 1e-12
    assert found.energy_error < 1e-12


def test_a_run_of_mujoco_keeps_the_loops(tmp_path):
    """Loops are `connect`; with stiff equalities and short steps the fall is that of simulate."""
    report = gw.export.mjcf(ROBOT, tmp_path / "p.xml", rotors="reflected", sidecar=False)
    assert not [line for line in report.not_representable if "loop" in line]
    model = mujoco.MjModel.from_xml_path(str(tmp_path / "p.xml"))
    assert model.neq == 3
    assert set(model.eq_type) == {int(mujoco.mjtEq.mjEQ_CONNECT)}
    assert [loop.held for loop in gw.load(tmp_path / "p.xml").loops] == [("x", "z")] * 3
    model.opt.timestep, model.opt.integrator = 1e-4, int(mujoco.mjtIntegrator.mjINT_RK4)
    model.opt.disableflags |= int(mujoco.mjtDisableBit.mjDSBL_LIMIT)
    for part in ("dof_frictionloss",):
        getattr(model, part)[:] = 0
    data = mujoco.MjData(model)
    at = [int(model.joint(name).qposadr[0]) for name in MECH.coordinates]
    data.qpos[at] = Q
    while data.time < 0.15 - 5e-5:
        mujoco.mj_step(model, data)
    damped = [law for law in gw.laws(ROBOT) if not law.name.endswith((".gear", ".stops"))]
    run = gw.simulate(ROBOT, Q, until=0.15, samples=2, laws=damped)
    assert abs(run.q[-1, 1] - Q[1]) > 0.03
    assert np.abs(data.qpos[at] - run.q[-1]).max() < 1e-4


COLLECTION = [name for name in parallel_robots() if name != "digit_like_2legs_6D"]


@pytest.mark.parametrize("form", ["urdf_plus", "list"])
@pytest.mark.parametrize("name", ["palletiser", "ankle", *COLLECTION])
def test_loops_are_written_to_urdf_and_read_again(name, form, tmp_path):
    """With the sidecar the robot is the same; without it, loops, motors and dynamics of the links are."""
    robot = {"palletiser": lambda: ROBOT, "ankle": parallel_ankle}.get(name, lambda: parallel_robot(name))()
    assert write_urdf(robot, tmp_path / "r.urdf", loops=form) == ()
    assert (tmp_path / "r.yaml").exists() == (form == "list")
    assert ("<loop" in (tmp_path / "r.urdf").read_text()) == (form == "urdf_plus")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        again = gw.load(tmp_path / "r.urdf")
        (tmp_path / "r.gearwright.yaml").unlink()
        alone, mech = gw.load(tmp_path / "r.urdf"), gw.assemble(robot)
    assert again.loops == robot.loops
    assert {drive.joint for drive in alone.drives} == {drive.joint for drive in robot.drives}
    if any(link.joint.kind == "universal" for link in robot.links):
        return  # crossed hinges in URDF: other coordinates
    rng = np.random.default_rng(0)
    q = gw.integrate(mech, mech.reference, 0.02 * rng.normal(size=mech.n))
    v, a = rng.normal(size=(2, mech.n))
    other = gw.assemble(alone, independent=mech.speeds, start=_by_name(mech, q, gw.assemble(alone, "tree")))
    order = [other.speeds.index(speed) for speed in mech.speeds]
    back = np.argsort(order)
    tau = gw.inverse_dynamics(other, other.reference, v[back], a[back])[order]
    assert tau == pytest.approx(gw.inverse_dynamics(mech, q, v, a), rel=1e-9, abs=1e-9)


def _by_name(mech, q, tree):
    values = dict(zip(mech.coordinates, q, strict=True))
    return [values[name] for name in tree.coordinates]


def test_a_loop_that_urdf_cannot_say_is_named(tmp_path):
    weight = {"mass": 1.0, "inertia": np.diag([0.1] * 3)}
    links = [
        Link("one", joint=Joint("one", axis=(0, 1, 0)), **weight),
        Link("two", "one", Joint("two", axis=(1, 0, 0), position=(0.5, 0, 0)), com=(0.1, 0, 0), **weight),
    ]
    robot = Robot("r", links, frames=[Frame("tip", "two", (0.2, 0, 0))], loops=[Loop("edge", ("tip", "base"), ("z",))])
    (said,) = write_urdf(robot, tmp_path / "r.urdf", loops="list")
    assert "'edge'" in said
    assert gw.load(tmp_path / "r.urdf").loops == robot.loops  # by the sidecar
    with pytest.raises(gw.errors.InputError, match="loops='tree'"):
        write_urdf(robot, tmp_path / "r.urdf", loops="tree")
