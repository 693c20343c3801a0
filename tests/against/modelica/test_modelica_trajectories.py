"""Every reference trajectory of the Modelica Standard Library that we have, against our simulation."""

from __future__ import annotations

import re
from dataclasses import replace

import numpy as np
import pytest

import gearwright as gw
from support import modelica_moving, modelica_robot, modelica_shafts, modelica_space
from support.modelica import CHAOS, INEXACT, NOT_UNIQUE, extent, read, simulated, span
from support.modelica_agreement import COARSE, FINE, WITHIN, agreements, stated
from support.modelica_models import MODELS

ENOUGH = 0.8
"""Part of the time that must agree, except for signals that are excused."""

LONG = ("BevelGear1D", "MovingActuatedDrive", "Rotor1D_3", "GearConstraint3", "FullRobot", "OneAxis")
SLOW = [pytest.param(name, marks=pytest.mark.slow) if name.endswith(LONG) else name for name in MODELS]


@pytest.mark.parametrize("name", SLOW)
def test_trajectory(reference, name):
    """The reference agrees as long as our own runs do; chaotic motions as long as a run at its own tolerance does."""
    model = MODELS[name](reference)
    found, said = agreements(model, reference), stated(name)
    assert set(said) == {row.signal for row in found}
    for row in found:
        reason = model.excuse(row.signal)
        if reason is None:
            assert row.own >= ENOUGH, f"{row.signal}: our own runs agree for {row.own:.0%} of the time only"
            assert row.theirs >= row.own, f"{row.signal}: the reference leaves us after {row.theirs:.1%} of the time"
        elif reason == CHAOS:
            assert row.loose < ENOUGH, f"{row.signal} is not chaotic"
            assert row.theirs >= 0.75 * row.loose, (
                f"{row.signal}: {row.theirs:.1%}, a loose run of ours {row.loose:.1%}"
            )
        assert row.span >= said[row.signal] - 0.02, f"{row.signal}: the manual says {said[row.signal]:.3f}"


def test_every_file_and_column_is_compared(reference):
    """Only the flags of Modelica's friction, which change within an instant, have no counterpart here."""
    files = {path.stem for path in (reference / "modelica").glob("*.csv")}
    assert files == set(MODELS)
    for name, build in MODELS.items():
        left = set(read(reference, name)) - set(build(reference).signals) - {"time"}
        assert all(re.fullmatch(r".*\.start(For|Back)ward", column) for column in left), (name, left)


def off(reference, model, *signals):
    """How long a changed model agrees with the reference, in the signal that agrees least."""
    columns = read(reference, model.file)
    motion, t = simulated(model, columns["time"], COARSE), columns["time"]
    parts = [span(t, model.signals[x](motion), columns[x], WITHIN, extent(columns[x])) for x in signals]
    return min(parts)


def without_coupling(model):
    return replace(model, mech=gw.approximate(model.mech, "reflected"))


def other_loss(model):
    loss = model.laws[0]
    return replace(model, laws=[replace(loss, table=(replace(loss.table[0], efficiency=0.51),)), *model.laws[1:]])


def other_clutch(model):
    clutch, brake = model.laws
    return replace(model, laws=[replace(clutch, normal_force=162.0), brake])


WRONG = {
    "top without coupling": (lambda: without_coupling(modelica_space.top(TOP, 10.0, False)), "rotor1D.w"),
    "box without coupling": (lambda: without_coupling(modelica_moving.floating_gear()), "freeMotion2.phi[1]"),
    "2 % less loss": (lambda: other_loss(modelica_shafts.half_lost(LOSSY)), "Inertia2.w"),
    "1 % more grip": (lambda: other_clutch(modelica_shafts.clutch_and_brake()), "clutch.w_rel"),
    "1 % less play": (lambda: other_play(modelica_shafts.backlash()), "elastoBacklash.w_rel"),
}
TOP, LOSSY = "Examples.Rotational3DEffects.GyroscopicEffects", "Rotational.Examples.LossyGearDemo1"


def other_play(model):
    return replace(model, laws=[replace(model.laws[0], gap=0.99 * model.laws[0].gap)])


@pytest.mark.parametrize("wrong", WRONG)
def test_a_wrong_model_is_told(reference, wrong):
    """A model that is off by a percent, or lacks the coupling of its rotors, does not agree."""
    build, signal = WRONG[wrong]
    assert off(reference, build(), signal) < 0.5


@pytest.mark.slow
def test_robot_without_friction_is_told(reference):
    model = modelica_robot.one_axis()
    bare = replace(model, laws=[law for law in model.laws if not law.name.endswith("friction")])
    assert off(reference, bare, "axis.motor.La.i", "axis.gear.spring.phi_rel") < 0.1


def test_reference_is_off_where_we_say_so(reference):
    """Two equal rotors on a spring have a closed form: ours follows it, the reference is off by a percent."""
    model = modelica_shafts.ten_rotors()
    columns = read(reference, model.file)
    t, theirs = columns["time"], columns["rotor1D7.w"]
    w, c = 0.03490658503988659, np.sqrt(2e4)
    twist = 0.05235987755982989 / 1e4
    exact = w / 2 + (w * np.cos(c * t) + c * twist * np.sin(c * t)) / 2
    ours = model.signals["rotor1D7.w"](simulated(model, t, FINE))
    np.testing.assert_allclose(ours, exact, atol=1e-8 * w)
    assert np.abs(theirs - exact).max() > 0.01 * w
    assert model.excuse("rotor1D7.w") == INEXACT


@pytest.mark.parametrize("law", ["gear", "bearingFriction"])
def test_what_need_not_stick_is_at_rest(reference, law):
    """Where a mode of gear or bearing differs from Modelica's, the shaft is at rest for both."""
    model = MODELS["Rotational.Examples.LossyGearDemo2"](reference)
    columns = read(reference, model.file)
    motion = simulated(model, columns["time"], COARSE)
    mode = motion.other(f"{law}.mode")
    same, moving = mode == columns[f"{law}.mode"], np.abs(columns["Inertia2.w"]) > 1e-6
    assert moving.sum() > 60
    assert (same | np.isnan(mode))[moving].all()
    assert np.abs(motion.rate("Inertia2")[~moving]).max() < 1e-6
    assert model.excuse(f"{law}.mode") == NOT_UNIQUE
