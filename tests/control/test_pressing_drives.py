"""Control in contact through drives, in batches and as C, and what is refused."""

from __future__ import annotations

import re
import shutil
from dataclasses import replace

import numpy as np
import pytest

import gearwright as gw
from gearwright.contact import Constraint, Contact, ForceSensor, SoftContact, fixed_frame, project
from gearwright.control import KnownEnvironment
from gearwright.errors import InputError
from support.controllers_in_c import compiled_c
from support.pressing import ARM, DESK, HERE, PEN, START


def electric(name, most):
    """A robot whose motors have windings, and electronics of so many volts."""
    robot = gw.load(name)
    data = {"torque_constant": 0.1, "resistance": 1.0, "inductance": 1e-3, "max_voltage": most}
    return replace(robot, drives=tuple(replace(x, motor=replace(x.motor, **data)) for x in robot.drives))


def pressed_by_voltages(name, most, until, quiet=20.0, frequency=15.0, shift=0.0):
    robot = electric(name, most)
    mech, pen = gw.assemble(robot), ForceSensor(PEN, 2e-3)
    at = HERE.rotation, HERE.position + np.array([shift, 0.0, 0.0])
    plan = gw.control.hybrid_control(
        mech, pen, at, 20.0, gains=gw.control.ForceGains(frequency=frequency, integral=6.0, constraint_damping=quiet)
    )
    control = gw.control.with_motor_outputs(plan, robot, "voltage")
    laws = [*gw.laws(robot, inputs=control.law.outputs), pen]
    q = [*START.q] * (mech.n // 3)
    return gw.simulate(robot, q, until=until, laws=laws, controller=control, samples=1 + round(50 * until))


def test_rigid_drives_press_by_their_voltages_and_say_when_these_do_not_suffice():
    enough, little = (pressed_by_voltages("elbow", most, 1.0, shift=0.02) for most in (48.0, 3.0))
    assert not [text for text in enough.remarks if "voltage" in text]
    said = [text for text in little.remarks if "voltage" in text]
    assert said
    assert re.search(r"\b4\.986 V .* 3 V ", "".join(said))
    assert max(np.abs(little[f"j{k}.terminal_voltage"]).max() for k in (1, 2, 3)) == pytest.approx(3.0)
    for run in (enough, little):
        assert run["pen.force.z"][-1] == pytest.approx(20.0, abs=0.05)
        assert run["pen.x"][-1] == pytest.approx(HERE.position[0] + 0.02, abs=1e-5)
    assert np.abs(little["pen.force.z"] - 20.0).max() > 1.1 * np.abs(enough["pen.force.z"][1:] - 20.0).max()


def test_elastic_drives_come_to_rest_with_the_force_wanted():
    """Springs without damping, motors by voltages: what swings at first dies out, and the force is the one wanted."""
    run = pressed_by_voltages("elastic_elbow", 48.0, 4.0)
    error = np.abs(run["pen.force.z"] - 20.0)
    late, early = error[run.t > 3.0].max(), error[run.t < 1.0].max()
    assert late < 0.12 * early
    assert abs(np.mean(run["pen.force.z"][run.t > 2.0]) - 20.0) < 0.2
    assert np.abs(run["pen.x"][run.t > 2.0] - HERE.position[0]).max() < 1e-4


@pytest.mark.skipif(shutil.which("gcc") is None, reason="gcc is not installed")
def test_force_control_runs_in_batches_and_as_c(tmp_path):
    """The same law in a rollout by time stepping on a soft desk, as a kernel and as C."""
    mat = ForceSensor(SoftContact("tool", DESK, 2e4, 60.0, name="mat"))
    above = project(ARM, START.q, [Constraint("up", "tool", fixed_frame("up", (0, 0, 0.102)), held=("z",))]).q
    at = gw.placement(ARM, above, "tool")
    plan = gw.control.position_force(
        ARM,
        mat,
        (at.rotation, at.position),
        25.0,
        gains=gw.control.ForceGains(frequency=20.0, approach=0.05, integral=5.0),
    )
    control = gw.control.with_sampling(plan, 2e-3)
    run = gw.simulate(ARM, above, until=0.3, laws=[mat], controller=control, samples=151)
    out = gw.rollout(
        ARM,
        above,
        np.zeros(3),
        600,
        5e-4,
        method="moreau",
        laws=[mat],
        controller=control,
        options=gw.analysis.RolloutOptions(every=4),
    )
    np.testing.assert_allclose(out.q, run.q, atol=2e-4)
    sensor = out.states["mat.force.measured"]
    assert sensor[-1] == pytest.approx(run["mat.force.measured"][-1], rel=2e-2)
    law = control.law
    in_c = compiled_c(ARM, control, tmp_path)
    for k in (0, 40, 100, 149):
        wanted = [x[0] for x in control.references(out.t[k : k + 1]).values()]
        given = [out.q[k], out.v[k], *wanted, sensor[k : k + 1], np.array([out.states[x.name][k] for x in law.states])]
        np.testing.assert_allclose(in_c(*given), control.kernel(*given), rtol=1e-12, atol=1e-12)
        held = np.array([out.states[f"held.{x}"][k + 1] for x in law.outputs])
        np.testing.assert_allclose(control.kernel(*given)[:3], held, rtol=1e-9)


def test_what_does_not_fit_is_refused():
    at = (HERE.rotation, HERE.position)
    ball = gw.contact.Sphere((0.5, 0, 0), 0.1)
    two_axes = gw.control.ForceGains(frequency=[10.0, 10.0])
    for words, made in (
        ("is not a contact", lambda: gw.control.hybrid_control(ARM, "pen", at, 1.0)),
        (
            r"tool.*gw\.control\.position_force",
            lambda: gw.control.hybrid_control(ARM, SoftContact("tool", DESK, 2e4), at, 1.0),
        ),
        (r"tool.*gw\.control\.hybrid", lambda: gw.control.position_force(ARM, Contact("tool", DESK), at, 1.0)),
        (
            "'tool.contact'.*'link1'",
            lambda: gw.control.hybrid_control(ARM, Contact("tool", ball, relative_to="link1"), at, 1.0),
        ),
        (
            "'rod'.*'link1'",
            lambda: gw.control.hybrid_control(ARM, Constraint("rod", "tool", "link1", held=("x",)), at, 1.0),
        ),
        (
            "rx.*orientation=True",
            lambda: gw.control.hybrid_control(ARM, Constraint("p", "tool", held=("rx",)), at, 1.0),
        ),
        (r"force has shape \(2,\)", lambda: gw.control.hybrid_control(ARM, PEN, at, [1.0, 2.0])),
        ("KnownEnvironment.*stiffness", lambda: KnownEnvironment()),
        ("exponent", lambda: KnownEnvironment(1e4, exponent=2.0)),
        ("damping", lambda: KnownEnvironment(1e4, -1.0)),
        (
            "mass = 0.0",
            lambda: gw.control.admittance(ARM, "tool", at, gw.control.TargetAdmittance(mass=0.0, damping=1.0)),
        ),
        ("observer=0", lambda: gw.control.AdmittanceGains(observer=0)),
        ("force_frequency=0", lambda: gw.control.ForceGains(force_frequency=0)),
        ("integral=-1", lambda: gw.control.ForceGains(integral=-1)),
        (r"ForceGains: frequency", lambda: gw.control.ForceGains(frequency=[1.0, -1.0, 1.0])),
        (r"frequency has shape \(2,\)", lambda: gw.control.hybrid_control(ARM, PEN, at, 1.0, gains=two_axes)),
        (
            r"approach=0\.05.*gw\.control\.position_force",
            lambda: gw.control.hybrid_control(ARM, PEN, at, 1.0, gains=gw.control.ForceGains(approach=0.05)),
        ),
        (
            "in_larger_machine: .*j1, j2, j3",
            lambda: gw.control.in_larger_machine(gw.control.hybrid_control(ARM, PEN, at, 1.0), gw.load("puma560")),
        ),
        ("ForceSensor: 'pen'", lambda: ForceSensor(PEN.name)),
        ("ForceSensor pen: time_constant=0.0", lambda: ForceSensor(PEN, 0.0)),
    ):
        with pytest.raises(InputError, match=words):
            made()
    control = gw.control.hybrid_control(ARM, ForceSensor(PEN), at, 20.0, gains=gw.control.ForceGains(integral=5.0))
    with pytest.raises(InputError, match=r"'hybrid'.*pen\.force\.z\.measured.*gw\.contact\.ForceSensor"):
        gw.simulate(ARM, START, until=0.1, laws=[PEN], controller=control)
    with pytest.raises(InputError, match=r"rollout: .*'pen\.force\.z\.measured'.*gw\.contact\.ForceSensor"):
        gw.rollout(ARM, START.q, START.v, 10, 1e-3, method="moreau", laws=[PEN], controller=control)
