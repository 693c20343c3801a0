"""State spaces: exact slopes of the robot with its laws, names that python-control takes, laws refused by name."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.linalg import expm
from scipy.signal import StateSpace

import gearwright as gw
from gearwright.errors import GearwrightWarning, InputError
from gearwright.export import state_space
from gearwright.forces import Line
from gearwright.forces.law import Action, Force, Law
from support.compare import relative
from support.machines import random_design

Q = np.array([0.2, -0.4, 0.3])
POSE = np.array([0.3, -0.6, 0.4, 0.2, 0.5, -0.1])


@pytest.mark.parametrize("name", ["elbow", "elastic_elbow", "wrist_puma"])
def test_torques_alone_give_the_linear_model(name):
    mech = gw.assemble(gw.load(name))
    q, v = np.resize(Q, mech.n), np.resize([0.5, -0.2, 0.1], mech.n)
    model = state_space(mech, q, v, u=v)
    A, B = gw.linearise(mech, q, v, v)
    assert relative(model.A, A) < 1e-12
    assert relative(model.B, B) < 1e-12


@pytest.mark.parametrize("kinds", [("free", "revolute"), ("planar", "spherical"), ("helical", "universal")])
def test_joints_of_all_kinds_move_in_the_tangent(kinds):
    mech = random_design(np.random.default_rng(4), kinds, springs=1).written()
    rng = np.random.default_rng(0)
    q = gw.integrate(mech, gw.neutral(mech), rng.uniform(-0.5, 0.5, mech.n))
    v, tau = rng.uniform(-1, 1, (2, mech.n))
    model = state_space(mech, q, v, u=tau)
    A, B = gw.linearise(mech, q, v, tau)
    assert len(model.states) == 2 * mech.n == len(model.A)
    assert relative(model.A, A) < 1e-11
    assert relative(model.B, B) < 1e-12


def test_without_inputs_those_that_hold_the_arm_are_found():
    arm = gw.load("elbow")
    assert relative(state_space(arm, Q).u, gw.gravity(arm, Q)) < 1e-9


def test_elastic_drives_give_way_under_their_load():
    """Motors alone drive; the shafts are found so that the springs carry the links."""
    arm = gw.load("elastic_elbow")
    mech = gw.assemble(arm)
    model = state_space(arm, np.concatenate([Q, Q]), inputs="motor_torque")
    assert np.abs(model.x[:3] - Q).max() == 0
    assert np.abs(model.x[3:6] - Q).max() > 1e-4
    tau = gw.actuation.structure_matrix(mech) @ model.u
    assert np.abs(gw.forward_dynamics(mech, model.x[:6], np.zeros(6), tau)).max() < 1e-6


def test_voltage_model_follows_small_steps_of_a_run():
    arm = gw.load("manutec_r3_full")
    kept = [law for law in gw.laws(arm, inputs=["*"]) if "friction" not in law.name]
    names = [f"{drive.title}.voltage" for drive in arm.drives]
    mech = gw.assemble(arm)
    q = np.concatenate([POSE, POSE[:3]])
    with pytest.warns(GearwrightWarning, match=r"joint4\.friction"):
        model = state_space(arm, q, inputs=names, laws=kept)
    assert model.inputs == tuple(name.replace(".", "_") for name in names)
    step, until = 1e-3 * np.arange(1, len(names) + 1), 0.02
    own = [name for law in kept for name in (state.name for state in law.states)]
    law_states = dict(zip(own, model.x[2 * mech.n :], strict=True))
    start = gw.State(model.x[: mech.n], np.zeros(mech.n), law_states)
    inputs = dict(zip(names, model.u + step, strict=True))
    run = gw.simulate(
        arm, start, until, laws=kept, inputs=inputs, integrator=gw.analysis.IntegratorOptions(rtol=1e-11, atol=1e-13)
    )
    k = len(model.A)
    block = np.zeros((k + 1, k + 1))
    block[:k, :k], block[:k, k] = model.A, model.B @ step
    expected = expm(block * until)[:k, k]
    moved = np.concatenate([run.q[-1] - model.x[: mech.n], run.v[-1]])
    assert relative(moved, expected[: 2 * mech.n]) < 2e-3
    assert np.abs(moved).max() > 1e-7


def test_friction_is_linearised_where_it_slides_and_refused_where_it_sticks():
    arm = gw.load("puma560")
    q = np.full(6, 0.2)
    with pytest.raises(InputError, match=r"law 'joint1.friction'"):
        state_space(arm, q)
    sliding = state_space(arm, q, np.full(6, 0.3))
    without = state_space(arm, q, np.full(6, 0.3), laws=())
    assert sliding.modes["joint1.friction"] != "stuck"
    M = gw.mass_matrix(arm, q)
    viscous = -(M @ (sliding.A - without.A)[6:, 6:])
    assert np.abs(sliding.u - without.u).max() > 0.1
    assert (np.diag(viscous) > 0).all()


class Bent(Law):
    """A force that is steeper on one side of a speed than on the other."""

    name = "bent"

    def act(self, mode, s):
        return Action((Force(Line.for_machine(s.mech, "j1"), -s.ops.maximum(s.v[0], 0.0)),))


def test_a_law_that_bends_here_is_refused_and_elsewhere_taken():
    arm = gw.load("elbow")
    with pytest.raises(InputError, match="law 'bent'"):
        state_space(arm, Q, laws=[Bent()])
    turning = np.array([0.5, 0.0, 0.0])
    tau = gw.inverse_dynamics(arm, Q, turning, np.zeros(3))
    steeper = state_space(arm, Q, turning, u=tau, laws=[Bent()]).A - state_space(arm, Q, turning, u=tau).A
    assert relative(steeper[3:, 3], -np.linalg.inv(gw.mass_matrix(arm, Q))[:, 0]) < 1e-12


def test_scipy_and_python_control_take_it():
    model = state_space(gw.load("elbow"), Q, outputs=["q.j2", "v.j2"])
    assert StateSpace(*model.matrices).A.shape == (6, 6)
    assert model.outputs == ("q_j2", "v_j2")
    control = pytest.importorskip("control")
    system = control.ss(*model.matrices, **model.names)
    assert system.input_labels == ["tau_j1", "tau_j2", "tau_j3"]
    assert relative(system.A, model.A) == 0


def test_refuses_what_it_cannot_do():
    arm = gw.load("elbow")
    for call, message in (
        (lambda: state_space(arm, Q, outputs=["q.j9"]), "'q.j9'"),
        (lambda: state_space(arm, Q, u={"tau.j9": 1.0}), "'tau.j9'"),
        (lambda: state_space(arm, Q, u=[1.0]), r"\bu\b.* 3 .*tau\.j1, tau\.j2, tau\.j3"),
        (lambda: state_space(arm, [Q, Q]), r"q has shape \(2, 3\)"),
        (lambda: state_space(arm, Q, states={"x": 1.0}), "'x'"),
        (lambda: state_space(arm, Q, inputs="steam"), "inputs='steam'"),
        (lambda: state_space(arm, Q, inputs="voltage"), "inputs='voltage'"),
        (lambda: state_space(arm, Q, inputs=["tau.j1"]), "inputs tau.j1 .*'v.j"),
        (lambda: state_space("elbow", Q), "'elbow'"),
    ):
        with pytest.raises(InputError, match=message):
            call()


def test_a_configuration_that_leaves_a_loop_open_is_named_with_the_function():
    with pytest.raises(InputError, match=r"^export\.state_space: q leaves the loop equation"):
        state_space(gw.load("palletiser"), np.full(10, 0.3))
