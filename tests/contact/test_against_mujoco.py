"""A geared arm that falls on a plane, beside MuJoCo: time of contact, and joint speeds after the plastic impact."""

from __future__ import annotations

import numpy as np
import pytest

import gearwright as gw
from gearwright.contact import Contact, Plane
from support.references import Reference

MUJOCO = Reference("MuJoCo, contact")

HEIGHT, RADIUS, STEP = -0.3, 1e-3, 2e-5
Q = np.array([0.2, 0.1, 0.5])
FLOOR = f'<geom name="floor" type="plane" size="5 5 1" pos="0 0 {HEIGHT}" contype="1" conaffinity="1" condim="1"/>'
TIP = (
    f'<geom name="tip" type="sphere" size="{RADIUS}" pos="0.35 0 0" contype="1" conaffinity="1" mass="0" condim="1" '
    'priority="1" solref="0.0004 5" solimp="0.99 0.9999 0.0001"/>'
)


def test_an_arm_that_falls_on_a_plane(tmp_path):
    """Rotors are reflected on both sides. MuJoCo's contact gives a little, overdamped so that it does not bounce: it is
    looked at 5 ms later."""
    mujoco = pytest.importorskip("mujoco")
    robot = gw.load("elbow")
    gw.export.mjcf(robot, tmp_path / "arm.xml", rotors="reflected")
    text = (tmp_path / "arm.xml").read_text().replace('<flag contact="disable" />', "").replace("0.001", str(STEP), 1)
    text = text.replace("<worldbody>", f"<worldbody>{FLOOR}").replace('<site name="tool"', f'{TIP}<site name="tool"')
    model = mujoco.MjModel.from_xml_string(text)
    data = mujoco.MjData(model)
    data.qpos[:] = Q
    while not data.ncon and data.time < 1.0:
        mujoco.mj_step(model, data)
    touch = data.time
    while data.time < touch + 5e-3:
        mujoco.mj_step(model, data)

    mech = gw.approximate(gw.assemble(robot), "reflected")
    floor = Contact("tool", Plane((0, 0, HEIGHT + RADIUS), (0, 0, 1)), name="floor")
    run = gw.simulate(mech, Q, until=float(data.time), laws=[floor], samples=3, method="adaptive")
    ours = next(event.t for event in run.events)
    assert ours == pytest.approx(touch, rel=0.02)
    MUJOCO.agrees(
        "speeds 5 ms after an arm fell on a plane, relative", (run.v[-1] - data.qvel) / np.abs(data.qvel).max(), 0.02
    )
    assert abs(run["floor.gap"][-1]) < 1e-12
