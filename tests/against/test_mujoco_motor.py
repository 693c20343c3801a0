"""MuJoCo's `dcmotor` on one axis against our motor, both from the same attributes.

One thing differs: MuJoCo keeps the electrical time constant L/R when a warm winding changes R, here L is kept. So the
case with heat and inductance has a short time constant, where that does not show.
"""

from __future__ import annotations

import warnings

import mujoco
import numpy as np
import pytest

import gearwright as gw
from gearwright.errors import GearwrightWarning
from gearwright.files import read_yaml
from gearwright.simulation import steps
from support.references import Reference

MUJOCO = Reference("MuJoCo, dcmotor")

STEP, UNTIL, EVERY = 1e-5, 0.3, 1e-3
INERTIA, ARMATURE, RATIO = 0.02, 2e-5, 20.0
CASES = {
    "no inductance": 'motorconst="0.05 0.05" resistance="0.8"',
    "inductance": 'motorconst="0.05 0.05" resistance="0.8" inductance="0.0016 0"',
    "electrical time constant": 'motorconst="0.05 0.05" resistance="0.8" inductance="0 0.004"',
    "two constants": 'motorconst="0.04 0.06" resistance="0.8"',
    "nominal point": 'nominal="24 1.5 480"',
    "cogging": 'motorconst="0.05 0.05" resistance="0.8" cogging="0.1 3 0.5"',
    "heat": 'motorconst="0.05 0.05" resistance="0.8" thermal="2 0.5 0 0.0039 25 20"',
    "heat and inductance": 'motorconst="0.05 0.05" resistance="0.8" inductance="0 2e-4" thermal="2 0 1 0.0005 25 20"',
    "torque limit": 'motorconst="0.05 0.05" resistance="0.8" saturation="0.6 0 0"',
    "current limit": 'motorconst="0.05 0.05" resistance="0.8" saturation="0 10 0"',
    "bristles": 'motorconst="0.05 0.05" resistance="0.8" lugre="3 0.002 0.1 0.15 4"',
}


def voltage(t):
    return 24.0 if t < 0.15 else -10.0


def theirs(attributes, step):
    model = mujoco.MjModel.from_xml_string(f"""<mujoco>
      <option timestep="{step}" gravity="0 0 0" integrator="implicitfast"><flag contact="disable"/></option>
      <worldbody><body><joint name="j" axis="0 0 1"/>
        <inertial pos="0 0 0" mass="1" diaginertia="{INERTIA} {INERTIA} {INERTIA}"/></body></worldbody>
      <actuator><dcmotor name="m" joint="j" gear="{RATIO}" armature="{ARMATURE}" {attributes}/></actuator></mujoco>""")
    data = mujoco.MjData(model)
    rows = []
    for k in range(round(UNTIL / EVERY)):
        data.ctrl[0] = voltage(k * EVERY)
        mujoco.mj_step(model, data, round(EVERY / step))
        rows.append([data.qpos[0], data.qvel[0]])
    return np.array(rows)


def ours(attributes):
    words = ", ".join(f"{name}: '{text}'" if " " in text else f"{name}: {text}" for name, text in _pairs(attributes))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", GearwrightWarning)
        robot = read_yaml(f"""
robot: axis
gravity: [0, 0, 0]
links: [{{name: j, parent: base, joint: {{axis: [0, 0, 1]}}, mass: 1, inertia: {{xx: 0.02, yy: 0.02, zz: {INERTIA}}}}}]
drives: [{{joint: j, motor: {{armature: {ARMATURE}, {words}}}, gear: {{ratio: {RATIO}}}}}]
""")
    times = np.arange(0, round(UNTIL / EVERY) + 1) * EVERY
    given = {"j.voltage": steps([0.0, 0.15], [24.0, -10.0])}
    run = gw.simulate(
        robot,
        until=UNTIL + 1e-9,
        inputs=given,
        samples=times,
        integrator=gw.analysis.IntegratorOptions(rtol=1e-9, atol=1e-11),
    )
    return np.column_stack([run["q.j"], run["v.j"]])[1:]


def _pairs(attributes):
    return [(name, text.strip('"')) for name, _, text in (pair.partition("=") for pair in attributes.split('" '))]


@pytest.mark.parametrize("case", CASES)
def test_the_same_motion(case):
    """Their step is of first order: two runs with a step and twice of it tell where it leads to."""
    attributes = CASES[case]
    a, b = 2 * theirs(attributes, STEP) - theirs(attributes, 2 * STEP), ours(attributes)
    scale = np.abs(a).max(axis=0)
    MUJOCO.agrees("signals of a motor over a run, relative", np.abs(a - b) / scale, 1e-4)
