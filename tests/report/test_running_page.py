"""A report that computes: its compiled dynamics against the library, and what it refuses.

The module runs in Node, which Playwright brings along, or which is installed; in a browser it is tested by
`test_printed_page.py`.
"""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import gearwright as gw
from gearwright.analysis import ProcessForce, Task, analyse
from gearwright.analysis.drives.drive_program import drive_program, motion_directions
from gearwright.errors import GearwrightWarning, InputError
from gearwright.motion import s_curve
from gearwright.parts import with_parameters
from gearwright.report.page import interactive_part
from gearwright.report.running_page import running_section
from gearwright.report.running_script import RUNNING_SCRIPT

LIMITS = {"speed": 2.0, "acceleration": 6.0, "jerk": 100.0}
GOALS = {"scara": [1.2, 0.6, -0.05, 0.5], "puma560": [0.9, 0.5, -0.6, 0.7, 0.4, -0.8]}
HARNESS = """
const page = require("fs").readFileSync(process.argv[2], "utf8"), cases = JSON.parse(process.argv[3]);
const text = id => page.match(new RegExp(`id="${id}">([^<]*)<`))[1];
const elements = Object.fromEntries(["running-data", "running-module"].map(id => [id, {textContent: text(id)}]));
const dummy = () => new Proxy(function () {}, {get: (t, key) => key === Symbol.toPrimitive ? () => "0" : dummy(),
  apply: dummy, set: () => true});
globalThis.window = globalThis;
globalThis.Option = function () {};
globalThis.document = {getElementById: id => elements[id] ?? dummy(), createElement: dummy, createElementNS: dummy};
const scripts = page.match(/<script>([^]*?)<\\/script>/)[1];
process.on("unhandledRejection", () => {});
eval(scripts);
const results = () => cases.map(([values, pace]) => window.gearwright.evaluate(values, pace));
const wait = () => window.gearwright ? console.log(JSON.stringify(results())) : setTimeout(wait, 20);
wait();
"""
"""Runs the script of the page with elements that do nothing; its computing part is the one that browsers run."""


def node() -> str | None:
    """A Node: that of Playwright, or an installed one."""
    try:
        import playwright
    except ImportError:
        return shutil.which("node")
    driver = Path(str(playwright.__file__)).parent / "driver"
    return next((str(driver / name) for name in ("node", "node.exe") if (driver / name).exists()), shutil.which("node"))


def task(name: str, pace: float = 1.0, **words) -> Task:
    goal = GOALS[name]
    limits = {word: x * pace**power for power, (word, x) in enumerate(LIMITS.items(), 1)}
    there, back = [0.0] * len(goal), goal
    return Task([s_curve(there, back, **limits), s_curve(back, there, **limits)], pause=0.3 / pace, **words)


@pytest.fixture(scope="module", params=sorted(GOALS))
def section(request):
    """Robot, analysis and the computing part of its page."""
    pytest.importorskip("ziglang", reason="reports that compute: ziglang is not installed")
    robot = gw.load(request.param).with_payload(1.0)
    found = analyse(robot, task(request.param), samples=41)
    return request.param, robot, found, running_section(found)


def computed(tmp_path, text: str, cases) -> list:
    """What the page computes for parameters and paces."""
    program = node()
    if program is None:
        pytest.skip("reports that compute: there is no Node")
    page, script = tmp_path / "page.html", tmp_path / "run.js"
    page.write_text(text, encoding="utf-8")
    script.write_text(HARNESS, encoding="utf-8")
    command = [program, str(script), str(page), json.dumps(cases)]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    return json.loads(done.stdout)


def test_the_page_computes_what_the_library_computes(section, tmp_path):
    """Motor torques and speeds at every sample, rms and peaks, for other payloads, ratios and task speeds."""
    name, robot, _, text = section
    data = json.loads(re.search(r'id="running-data">([^<]*)<', text)[1])
    nominal = np.array([one["value"] for one in data["parameters"]])
    rng = np.random.default_rng(1)
    cases = [(nominal, 1.0)] + [(nominal * rng.uniform(0.6, 1.8, len(nominal)), pace) for pace in (0.5, 1.7)]
    results = computed(tmp_path, text, [(values.tolist(), pace) for values, pace in cases])
    for (values, pace), drives in zip(cases, results, strict=True):
        paths = [one["path"] for one in data["parameters"]]
        changed = with_parameters(robot, dict(zip(paths, values.tolist(), strict=True)))
        found = analyse(changed, task(name, pace), samples=41)
        assert found.t * pace == pytest.approx(np.array(data["time"]), abs=1e-9)
        for drive, one in zip(found.drives.values(), drives, strict=True):
            size = float(drive.peak_motor_torque)
            assert np.array(one["torque"]) == pytest.approx(drive.motor_torque, rel=1e-9, abs=1e-9 * size)
            assert np.array(one["speed"]) == pytest.approx(drive.motor_speed, rel=1e-9, abs=1e-9)
            assert one["rms"] == pytest.approx(drive.rms_motor_torque, rel=1e-9)
            assert one["peak"] == pytest.approx(size, rel=1e-9)
            assert one["top"] == pytest.approx(drive.peak_motor_speed, rel=1e-9)
            assert one["power"] == pytest.approx(drive.peak_power, rel=1e-9)


def test_the_section_varies_payload_and_ratios(section):
    name, robot, _, text = section
    data = json.loads(re.search(r'id="running-data">([^<]*)<', text)[1])
    assert data["parameters"][0]["path"] == "payload.mass"
    ratios = {one["path"]: one["value"] for one in data["parameters"][1:]}
    assert all(value == robot.drive(path.split(".")[0]).gear.ratio for path, value in ratios.items())
    assert len(ratios) == (3 if name == "scara" else 6)  # a screw has a lead
    assert all(one["low"] < one["value"] < one["high"] for one in data["parameters"])
    assert len(text) < 400_000


def test_names_do_not_end_the_script(section):
    """A drive with the name of a closing element is data, nothing else."""
    _, robot, _, _ = section
    bad = "</script><script>alert(1)</script>"
    drive = robot.drives[0]
    joint = next(link for link in robot.links if link.joint_name == drive.joint).joint_name
    hostile = robot.with_drive(drive.title, gw.parts.Drive(joint, drive.motor, drive.gear, name=bad))
    name = section[0]
    text = running_section(analyse(hostile, task(name), samples=11))
    assert text.count("<script") == 3
    assert text.count("</script>") == 3
    assert "alert(1)" in text


def test_without_the_compiler_the_page_is_static(section, monkeypatch):
    _, _, found, _ = section
    monkeypatch.setitem(sys.modules, "ziglang", None)
    with pytest.warns(GearwrightWarning, match=r"gearwright\[web\]"):
        text = interactive_part(found)
    assert not text


def test_what_the_page_cannot_vary_is_named():
    robot = gw.load("scara")
    push = ProcessForce("tool", (0, 0, 5.0), name="push")
    found = analyse(robot, task("scara", forces=[push]), samples=11)
    with pytest.raises(InputError, match="process forces"):
        running_section(found)
    with pytest.raises(InputError, match="elastic drives"):
        drive_program(gw.load("harmonic_6"))
    with pytest.raises(InputError, match="gear trains"):
        drive_program(gw.load("wrist_puma"))
    with pytest.raises(InputError, match="closed loops"):
        drive_program(gw.load("palletiser"))


def test_directions_at_a_reversal_are_those_before_and_after():
    motion = analyse(gw.load("scara"), task("scara"), samples=21).demands.motion
    directions = motion_directions(motion)
    resting = motion.t >= motion.t[-1] - 0.25
    assert (directions[resting] == 0).all()
    assert directions[0, 0] == 1.0  # at rest, about to move
    turn = np.flatnonzero(np.diff(motion.t) == 0)
    assert any(directions[k, 0] == 1.0 and directions[k + 1, 0] == -1.0 for k in turn)


def test_the_script_sets_texts_only_as_texts():
    assert "innerHTML" not in RUNNING_SCRIPT
    assert "http" not in RUNNING_SCRIPT.replace("http://www.w3.org/2000/svg", "")
