"""Closed forms and complete models of machines with closed loops, against the numbers of the same functions."""

from __future__ import annotations

import ctypes
import shutil
import subprocess
from dataclasses import replace

import numpy as np
import pytest

import gearwright as gw
from gearwright.actuation import DcMotorData, complete_model, dc_motor
from gearwright.errors import InputError
from gearwright.forces.contact.contacts_of_robot import loop_laws
from gearwright.functions.constrained.closing import speed_directions
from gearwright.parts import Drive, Gear, Motor
from support.mechanisms import four_bar, with_parallelogram
from support.parallel_ankle import parallel_ankle

MOTION = {
    "mass_matrix": 1,
    "gravity": 1,
    "potential_energy": 1,
    "kinetic_energy": 2,
    "bias": 2,
    "inverse_dynamics": 3,
    "regressor": 3,
}
"""Functions, and how many of q, v, a they take."""
DATA = DcMotorData(torque_constant=0.05, resistance=0.5, inductance=1e-3)


@pytest.mark.parametrize("name", MOTION)
def test_a_four_bar_cut_at_two_places(name):
    """G depends on the configuration: its symbols have definitions, and the values are those of the function."""
    for cut in ("rocker", "crank"):
        robot = four_bar(cut)
        mech = gw.assemble(robot)
        form = gw.closed_form(name, robot)
        state = [mech.closed([0.9]), [1.3], [0.7]][: MOTION[name]]
        assert form.evaluate(*state) == pytest.approx(getattr(gw, name)(mech, *state), rel=1e-12, abs=1e-12)
        assert ("G31" in form.loops) == (name != "potential_energy")


def test_expressions_and_c_of_a_four_bar(tmp_path):
    robot = four_bar("rocker")
    mech = gw.assemble(robot)
    form = gw.closed_form("bias", robot)
    q = mech.closed([0.9])
    wanted = gw.bias(mech, q, [1.3])
    values = {**form.symbols, "dq1": 1.3, **{f"q{k + 1}": x for k, x in enumerate(q)}}
    assert float(form.expression().subs(values)[0]) == pytest.approx(wanted[0], rel=1e-12)
    assert "G_{31}" in form.latex()
    if shutil.which("gcc") is None:
        pytest.skip("no compiler")
    (tmp_path / "bias.c").write_text(form.c())
    subprocess.run(["gcc", "-shared", "-fPIC", "-o", "bias.so", "bias.c", "-lm"], cwd=tmp_path, check=True)
    out = (ctypes.c_double * 1)()
    ctypes.CDLL(str(tmp_path / "bias.so")).bias((ctypes.c_double * 3)(*q), (ctypes.c_double * 1)(1.3), out)
    assert out[0] == pytest.approx(wanted[0], rel=1e-12)


@pytest.mark.parametrize("name", [*MOTION, "coriolis_matrix"])
def test_a_parallelogram_has_the_equations_of_a_machine_of_followers(name):
    """Its G is constant, so no symbol of it remains: the same text."""
    forms = [gw.closed_form(name, with_parallelogram(gw.load("elbow"), by)) for by in ("loop", "followers")]
    assert forms[0].loops == {}
    assert forms[0].python() == forms[1].python()


def test_the_gravity_of_the_palletiser():
    robot = gw.load("palletiser")
    mech = gw.assemble(robot)
    indices = list(mech.independent_indices)
    q = mech.reference[indices] + 0.1
    form = gw.closed_form("gravity", robot)
    assert form.evaluate(q) == pytest.approx(gw.gravity(mech, mech.closed(q)), abs=1e-12)


def test_what_has_no_closed_form_is_named():
    with pytest.raises(InputError, match=r"coriolis|Coriolis.*G21.*bias"):
        gw.closed_form("coriolis_matrix", four_bar("rocker"))
    with pytest.raises(gw.errors.GearwrightError, match=r"closed.form"):
        gw.closed_form("gravity", parallel_ankle())


def test_the_complete_model_of_a_parallelogram():
    models = []
    for by in ("loop", "followers"):
        robot = with_parallelogram(gw.load("elbow"), by)
        models.append(complete_model(robot, [dc_motor(robot, f"j{k}", DATA) for k in (1, 2, 3)]))
    assert models[0].state_names == models[1].state_names
    rng = np.random.default_rng(0)
    x, u = 0.3 * rng.normal(size=(4, 9)), rng.normal(size=(4, 3))
    assert models[0].rates(x, u) == pytest.approx(models[1].rates(x, u), rel=1e-9, abs=1e-9)
    assert models[0].input_matrix(x) == pytest.approx(models[1].input_matrix(x), rel=1e-9, abs=1e-9)


@pytest.mark.parametrize("cut", ["rocker", "crank"])
def test_the_complete_model_of_a_four_bar_is_its_run(cut):
    """A motor at the crank, another with a rotor of the machine at the dependent rocker, and a damper there."""
    from scipy.integrate import solve_ivp

    drive = Drive("rocker_joint", Motor(2e-4, torque_constant=0.5, resistance=0.5), Gear(20.0), "base", (0, 0, 1))
    robot = replace(four_bar(cut).with_joint("rocker_joint", damping=0.3), independent=["crank_joint"])
    robot = robot.with_drive(drive)
    rocker = DcMotorData(torque_constant=0.5, resistance=0.5, inductance=1e-3)
    tree = gw.assemble(robot, "tree")
    motors = [dc_motor(robot, "crank_joint", DATA), dc_motor(robot, "rocker_joint", rocker)]
    model = complete_model(robot, motors)
    q = gw.assemble(robot).closed([0.8])
    start = gw.State(q, speed_directions(gw.assemble(robot), q) @ [1.3])
    run = gw.simulate(
        robot, start, until=2e-3, laws=[*loop_laws(robot), *gw.forces.friction_laws(robot, tree), *motors], samples=2,
        inputs={"crank_joint.voltage": 1.0, "rocker_joint.voltage": 2.0},
        integrator=gw.analysis.IntegratorOptions(rtol=1e-11, atol=1e-13),
    )  # fmt: skip
    x = solve_ivp(lambda t, x: model.rates(x, [1.0, 2.0]), (0, 2e-3), [0.8, 1.3, 0, 0], rtol=1e-11, atol=1e-13).y[:, -1]
    crank = tree.speeds.index("crank_joint")
    found = [run.q[-1, crank], run.v[-1, crank], run["crank_joint.current"][-1], run["rocker_joint.current"][-1]]
    assert x == pytest.approx(found, rel=1e-8)
