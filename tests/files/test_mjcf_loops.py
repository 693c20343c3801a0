"""`connect` and `weld` read from MJCF as loops, against MuJoCo at a fine step; its equalities are made nearly rigid."""

from __future__ import annotations

import re

import mujoco
import numpy as np
import pytest

import gearwright as gw
from gearwright.contact import project
from gearwright.errors import InputError
from gearwright.files import read_yaml, write_yaml
from support.hostile_names import C_CODE, MARKUP
from support.mjcf_agreement import Agreement
from support.references import Reference

MUJOCO = Reference("MuJoCo, closed loops (connect and weld)")

STEP = 1e-4
STIFF = f'solref="{4 * STEP} 1" solimp="0.9999 0.9999 0.001 0.5 1"'
HEAD = '<mujoco><option><flag contact="disable"/></option><worldbody>'


def rod(to: str) -> str:
    return f'<geom type="capsule" fromto="0 0 0 {to}" size="0.02"/>'


FOUR_BAR = f"""{HEAD}
  <body name="crank" pos="0 0.02 0.1" euler="5 0 0"><joint name="a" axis="0 1 0" pos="0.01 0 0"/>{rod("0.2 0 0.1")}
    <body name="coupler" pos="0.2 0 0.1"><joint name="b" axis="0 1 0" ref="10"/>{rod("0.4 0 0.1")}</body></body>
  <body name="rocker" pos="0.55 0.05 0.1" euler="5 0 0"><joint name="c" axis="0 1 0"/>{rod("0.05 0 0.2")}</body>
  </worldbody><equality><connect name="pin" body1="coupler" body2="rocker" anchor="0.4 0.01 0.1" {STIFF}/></equality>
  </mujoco>"""
SPATIAL = f"""{HEAD}
  <body name="crank"><joint name="a" axis="0 0.3 1"/>{rod("0.2 0 0.1")}
    <body name="coupler" pos="0.2 0 0.1"><joint name="b" type="ball"/>{rod("0.4 0 0.1")}
      <site name="eye" pos="0.4 0.02 0.1" euler="10 20 30"/></body></body>
  <body name="rocker" pos="0.55 0.2 0.1"><joint name="c" axis="0.2 1 0.1" ref="15"/>{rod("0.05 -0.18 0.1")}
    <site name="pin" pos="0.05 -0.18 0.1"/></body>
  </worldbody><equality><connect site1="eye" site2="pin" {STIFF}/></equality></mujoco>"""
WELDED = f"""{HEAD}
  <body name="arm" euler="10 20 30"><joint name="a" axis="0 1 0.2" pos="0.02 0 0"/>{rod("0.3 0 0.1")}
    <body name="fore" pos="0.3 0 0.1"><joint name="b" axis="1 1 0"/>{rod("0.2 0.1 0")}</body></body>
  <body name="load" pos="0.5 0.4 0.3" euler="30 0 50"><freejoint name="f"/>
    <geom type="box" size="0.1 0.05 0.02"/></body>
  </worldbody><equality><weld name="grip" body1="fore" body2="load" anchor="0.01 0.02 0.03" {STIFF}/></equality>
  </mujoco>"""
GROUNDED = f"""{HEAD}
  <body name="crank" pos="0 0.02 0.1"><joint name="a" axis="0 1 0"/>{rod("0.2 0 0.1")}
    <body name="coupler" pos="0.2 0 0.1"><joint name="b" axis="0 1 0"/>{rod("0.4 0 0.1")}
      <body name="rocker" pos="0.4 0 0.1"><joint name="c" axis="0 1 0"/>{rod("0.05 0 -0.2")}</body></body></body>
  </worldbody><equality><connect name="pin" body1="rocker" anchor="0.05 0 -0.2" {STIFF}/></equality></mujoco>"""
LEG = f"""{HEAD}
  <body name="thigh" pos="0 0 1"><joint name="hip" axis="0 1 0"/>{rod("0 0 -0.4")}
    <body name="achilles" pos="0.05 0.02 -0.02"><joint name="achilles" type="ball"/>{rod("0.05 -0.02 -0.5")}</body>
    <body name="shin" pos="0 0 -0.4"><joint name="knee" axis="0 1 0"/>{rod("0.15 0 -0.2")}
      <body name="tarsus" pos="0.15 0 -0.2"><joint name="heel" axis="0 1 0" stiffness="20" damping="0.5"/>
        {rod("-0.05 0 -0.35")}
        <body name="foot" pos="-0.05 0 -0.35"><joint name="toe" axis="0 1 0"/>{rod("0.15 0 0")}</body>
        <body name="crank" pos="0.02 0.03 -0.05"><joint name="crank" axis="0 1 0"/>{rod("0.05 0 0.01")}
          <body name="plantar" pos="0.05 0 0.01"><joint name="plantar" type="ball"/>{rod("-0.02 -0.03 -0.33")}</body>
        </body></body></body></body>
  </worldbody><equality>
    <connect name="achilles_end" body1="achilles" body2="tarsus" anchor="0.05 -0.02 -0.5" {STIFF}/>
    <connect name="plantar_end" body1="plantar" body2="foot" anchor="-0.02 -0.03 -0.33" {STIFF}/></equality>
  </mujoco>"""
"""Like a leg of Cassie: a rod across knee and heel, and a crank that moves the toe through another rod."""
MODELS = {"leg": LEG, "grounded": GROUNDED, "four_bar": FOUR_BAR, "spatial": SPATIAL, "welded": WELDED}


def run_difference(found: Agreement, start: gw.State, seconds: float = 0.4, samples: int = 5) -> tuple[float, float]:
    """The largest difference of hinges over a run, and the largest motion."""
    times = np.linspace(0.0, seconds, samples)
    ours = gw.simulate(
        found.robot,
        start,
        until=seconds,
        samples=times,
        integrator=gw.analysis.IntegratorOptions(rtol=1e-9, atol=1e-11),
    )
    found.place(np.asarray(start.q), np.asarray(start.v))
    found.model.opt.timestep, found.model.opt.integrator = STEP, int(mujoco.mjtIntegrator.mjINT_RK4)
    hinges = {
        name: int(found.model.jnt_qposadr[k]) for k, name in enumerate(found.names) if name in found.mech.coordinates
    }
    worst = moved = 0.0
    for sample, t in enumerate(times):
        while found.data.time < t - STEP / 2:
            mujoco.mj_step(found.model, found.data)
        for name, at in hinges.items():
            worst = max(worst, abs(ours[f"q.{name}"][sample] - found.data.qpos[at]))
            moved = max(moved, abs(ours[f"q.{name}"][sample] - ours[f"q.{name}"][0]))
    return worst, moved


@pytest.mark.parametrize("name", MODELS)
def test_a_run_of_a_closed_loop(name, agreement):
    found = agreement(MODELS[name])
    assert not found.report.not_representable
    start = project(found.robot, gw.neutral(found.mech), gw.laws(found.robot))
    worst, moved = run_difference(found, start)
    assert moved > 0.5
    MUJOCO.agrees("places of joints over a run [rad]", worst, 1e-6)


@pytest.mark.parametrize(
    ("name", "held"),
    [("four_bar", ("x", "z")), ("spatial", ("x", "y", "z")), ("welded", ("x", "y", "z", "rx", "ry", "rz"))],
)
def test_what_joints_can_move_is_held(name, held, agreement):
    (loop,) = agreement(MODELS[name]).robot.loops
    assert loop.held == held
    assert loop.name == {"four_bar": "pin", "spatial": "coupler to rocker", "welded": "grip"}[name]


def test_a_linkage_in_a_tilted_plane_is_held_in_it(agreement):
    """No axis of the file lies along the normal: the loop's frames get axes that do."""
    text = FOUR_BAR.replace('axis="0 1 0"', 'axis="0.3 1 0.2"')
    found = agreement(text)
    (loop,) = found.robot.loops
    assert len(loop.held) == 2
    start = project(found.robot, gw.neutral(found.mech), gw.laws(found.robot))
    assert run_difference(found, start, seconds=0.2, samples=3)[0] < 1e-6


def test_what_was_read_is_saved_with_its_loops(agreement):
    robot = agreement(SPATIAL).robot
    again = read_yaml(write_yaml(robot))
    assert again.loops == robot.loops
    assert robot.loops[0].frames == ("eye", "pin")  # sites with a name stay themselves


def test_what_holds_nothing_or_what_mocap_moves_is_noted(agreement):
    text = f"""{HEAD}<body name="hand" mocap="true" pos="1 0 0"/>
      <body name="a"><joint name="a" axis="0 1 0.2"/>{rod("0.3 0 0")}
      <body name="tip" pos="0.3 0 0">{rod("0.1 0 0")}</body></body></worldbody><equality><weld body1="a" body2="tip"/>
      <weld name="held" body1="tip" body2="hand"/>
      <connect name="off" active="false" body1="tip" anchor="0 0 0"/></equality></mujoco>"""
    found = agreement(text)
    assert [loop.name for loop in found.robot.loops] == ["held"]
    notes = "\n".join(found.report.notes)
    assert "'a to tip'" in notes
    assert "'hand'" in notes
    assert "equality 'off'" in notes


@pytest.mark.parametrize("sidecar", [True, False])
@pytest.mark.parametrize("name", MODELS)
def test_a_loop_that_is_written_comes_back(name, sidecar, agreement, tmp_path):
    """As the same equality between sites; the sidecar, where there is one, has nothing to say about it."""
    robot = agreement(MODELS[name]).robot
    report = gw.export.mjcf(robot, tmp_path / "out.xml", sidecar=sidecar)
    assert not [line for line in report.not_representable if "loop" in line]
    assert report.acceleration_error < 1e-8
    model = mujoco.MjModel.from_xml_path(str(tmp_path / "out.xml"))
    kind = mujoco.mjtEq.mjEQ_WELD if name == "welded" else mujoco.mjtEq.mjEQ_CONNECT
    assert list(model.eq_type) == [int(kind)] * len(robot.loops)
    back = gw.load(tmp_path / "out.xml")
    assert back.loops == robot.loops
    laws = [law for law in gw.laws(robot) if law.name in {loop.name for loop in robot.loops}]
    start = project(robot, gw.neutral(gw.assemble(robot, "tree")), laws)
    ends = [gw.simulate(one, start, until=0.05, samples=2).q[-1] for one in (robot, back)]
    assert ends[1] == pytest.approx(ends[0], abs=1e-9)


def two_links() -> list[gw.parts.Link]:
    weight = {"mass": 1.0, "inertia": np.diag([0.1] * 3)}
    turning = gw.parts.Joint("two", axis=(1, 0, 0), position=(0.5, 0, 0))
    return [
        gw.parts.Link("one", joint=gw.parts.Joint("one", axis=(0, 1, 0)), **weight),
        gw.parts.Link("two", "one", turning, com=(0.1, 0, 0), **weight),
    ]


def test_names_of_loops_cannot_break_out(tmp_path):
    """Each comes back as it was, or is refused by name."""
    written, refused = 0, []
    for name in (*C_CODE, *MARKUP):
        robot = gw.parts.Robot("r", two_links(), loops=[gw.parts.Loop(name, ("two", "base"))])
        try:
            gw.export.mjcf(robot, tmp_path / "r.xml")
        except InputError as error:
            refused.append((name, str(error)))
            continue
        written += 1
        assert gw.load(tmp_path / "r.xml").loops == robot.loops
    assert written > 20
    assert all(repr(name)[1:-1] in message for name, message in refused), refused


def test_long_names_are_shortened(agreement):
    text = FOUR_BAR.replace('name="pin"', f'name="{"x" * 500}"')
    robot = agreement(text).robot
    assert read_yaml(write_yaml(robot)).loops == robot.loops


def test_loops_of_links_and_loops_that_mujoco_cannot_say(tmp_path):
    links = two_links()
    loops = [gw.parts.Loop("kept", ("two", "base")), gw.parts.Loop("edge", ("two", "base"), ("x", "rz"))]
    report = gw.export.mjcf(gw.parts.Robot("r", links, loops=loops), tmp_path / "r.xml")
    assert [line for line in report.not_representable if re.search(r"'edge'.*\bx\b.*\brz\b", line)]
    assert not [line for line in report.not_representable if "'kept'" in line]
    assert gw.load(tmp_path / "r.xml").loops == tuple(loops)
    model = mujoco.MjModel.from_xml_path(str(tmp_path / "r.xml"))
    assert {model.site(s).name for s in range(model.nsite)} == {"kept.two", "kept.base"}
