"""The report of an analysis: one page, nothing fetched, every number in it, hostile names shown and not obeyed."""

from __future__ import annotations

import html
import json
from dataclasses import replace
from html.parser import HTMLParser

import numpy as np
import pytest
from typer.testing import CliRunner

import gearwright as gw
from gearwright.analysis import Advice, LimitCheck, Perturbation, ProcessForce, Task, analyse, sensitivities
from gearwright.catalogue import drives
from gearwright.cli.app import app
from gearwright.errors import InputError
from gearwright.motion import s_curve
from gearwright.parts import Drive, Gear, Joint, Limits, Link, LinkSection, Motor, Robot, Spur, Tube
from gearwright.report import report

TASK = """
task: pick
motions:
  - {to: {shoulder: 60 deg, lift: -50 mm}, speed: 2, acceleration: 8, jerk: 200}
  - {to: {shoulder: 0, lift: 0}, speed: 2, acceleration: 8, jerk: 200}
payload: {mass: 1}
repetitions: continuous
ambient: 30
"""
HOSTILE = "<script>alert(1)</script>"


def hostile() -> Robot:
    articles = drives()
    motor, box = articles.motor("MM_148877").motor(), articles.gearbox("MM_203120").gear()
    joint = Joint("<b>j</b>", axis=(0, 1, 0), limits=Limits(speed=1.0, effort=5.0))
    link = Link("l", "base", joint, mass=3.0, com=(0.3, 0, 0), inertia=np.diag([0.1, 0.1, 0.1]))
    return Robot(HOSTILE, [link], [Drive("<b>j</b>", motor, box)])


def advice_of(check: LimitCheck, kind: str) -> Advice:
    (advice,) = (one for one in check.advice if one.kind == kind)
    return advice


def swing(size: float = 1.0) -> list:
    limits = {"speed": 3.0, "acceleration": 20.0, "jerk": 500.0}
    return [s_curve([0.0], [size], **limits), s_curve([size], [0.0], **limits)]


@pytest.fixture(scope="module")
def broken():
    return analyse(hostile(), Task(swing(), name="a & b"))


class Tags(HTMLParser):
    """Every tag, and the texts between them."""

    def __init__(self) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.links: list[str] = []
        self.text = ""
        self.cells: list[str] = []

    def handle_starttag(self, tag, attrs) -> None:
        self.tags.append(tag)
        self.links += [value or "" for name, value in attrs if name in ("src", "href", "xlink:href")]

    def handle_data(self, data) -> None:
        self.text += data
        if self.tags and self.tags[-1] == "td":
            self.cells.append(data)


def test_the_page_stands_alone_and_shows_names(broken, tmp_path):
    path = report(broken, tmp_path / "page.html")
    page = Tags()
    page.feed(path.read_text(encoding="utf-8"))
    assert "script" not in page.tags
    assert all(link.startswith(("#", "data:image/png;base64,")) for link in page.links)
    assert HOSTILE in page.text
    assert page.tags.count("svg") == 3 + len(broken.drives)  # the margins, the cycle, the motors, the energy
    assert page.tags.count("img") == 1  # the robot


@pytest.fixture(scope="module")
def complete():
    """A robot and a task with everything that the page can show."""
    robot = hostile()
    section = LinkSection((0.6, 0, 0), Tube(0.03, 0.028), "steel")
    gear = Spur(driver=20, driven=400, module=0.001)
    link = replace(robot.links[0], section=section)
    motor = replace(robot.drives[0].motor, inductance=None)
    drive = replace(robot.drives[0], gear=gear, motor=motor)
    drawn = replace(robot, links=[link], drives=[drive]).with_payload(1.0, (0.6, 0, 0))
    wrong = Perturbation(start_error={"<b>j</b>": 0.01}, payload_error=0.2)
    needed = {"accuracy": 0.1, "tip_deflection": 1e-4, "cycle_time": 3.0}
    force = ProcessForce("l", (0, 0, 5.0), name="<i>push</i>")
    return analyse(drawn, Task(swing(), required=needed, perturbed=wrong, forces=[force]), samples=51)


def test_everything_that_was_analysed_is_in_the_page(complete, tmp_path):
    slopes = sensitivities(complete, ["payload.mass", "<b>j</b>.motor.inertia"])
    path = report(complete, tmp_path / "page.html", sensitivities=slopes)
    page = Tags()
    page.feed(path.read_text(encoding="utf-8"))
    assert not {"script", "b", "i"} & set(page.tags)
    assert page.tags.count("svg") == 7  # margins, the cycle, one motor, one link, the energy, the loop, sensitivities
    loop, drive = complete.perturbed, complete.drives["<b>j</b>"]
    for value in (
        drive.rms_motor_torque,
        loop.drives["<b>j</b>"].rms_motor_torque,
        drive.tooth_forces["driver-driven"],
        loop.drives["<b>j</b>"].tooth_forces["driven bearing"],
        complete.links["l"].peak_stress / 1e6,
        1e3 * complete.tip.peak_deflection,
        1e3 * loop.tip.peak_deflection,
        1e3 * loop.accuracy,
    ):
        assert f"{value:.4g}" in page.text
    assert "tracking accuracy of the tip" in page.text
    assert "payload: 20% more than in the model" in page.text
    change = slopes.relative_changes[0, slopes.characteristics.index("<b>j</b>.rms_motor_torque")]
    assert f"{change:+.3g}" in page.text


def test_the_page_states_the_task(complete, tmp_path):
    page = Tags()
    page.feed(report(complete, tmp_path / "page.html").read_text(encoding="utf-8"))
    for line in (
        "Force <i>push</i> on l: up to (0, 0, 5) N and (0, 0, 0) Nm in axes of the world, from 0 s to the end of the",
        "Payload: 1 kg at the tip of link 'l'.",
        "Repetition: continuously.",
        "Required: path error of the tip at most 100 mm.",
        "Required: tip deflection at most 0.1 mm.",
        "Required: cycle time at most 3 s.",
    ):
        assert line in page.text
    assert {"start", "motion 0", "motion 1", "top speed [rad/s, m/s]"} <= set(page.cells)
    assert page.tags.count("figcaption") == 7  # robot, margins, the cycle, the motor, the link, the energy, the loop


def test_the_task_of_many_motions_is_cut_and_says_so(tmp_path):
    task = Task(swing() * 8, pause=0.25, repetitions=3, ambient=300.15, required={"life": 100.0, "frequency": 2.0})
    page = Tags()
    page.feed(report(analyse(hostile(), task, samples=31), tmp_path / "page.html").read_text(encoding="utf-8"))
    assert "and 4 further motions" in page.text
    assert "Repetition: 3 times, ambient temperature 27 °C." in page.text
    assert "Required: gearbox life at least 100 h." in page.text
    assert "pause" in page.cells
    assert "0.25" in page.cells


def test_the_summary_has_sections_teeth_and_joint_errors(complete):
    """Section forces against joint reactions and statics, components against their sum, all of it as JSON takes it."""
    numbers = json.loads(json.dumps(complete.summary(), allow_nan=False))
    link, beam = numbers["links"]["l"], complete.links["l"]
    assert link["strength"] == beam.strength
    force, bending = np.abs(complete.reactions[:, 0, 0]).max(), np.abs(complete.reactions[:, 0, 4]).max()
    assert link["peak_forces"]["axial force"] >= force * (1 - 1e-9)
    assert max(link["peak_moments"].values()) == pytest.approx(bending, rel=1e-6)
    assert link["peak_twist"] == pytest.approx(np.abs(beam.end_rotation[:, 0]).max())
    mesh = numbers["tooth_force_components"]["<b>j</b>"]["driver-driven"]
    assert mesh["radial"] == pytest.approx(mesh["tangential"] * np.tan(np.radians(20)))
    assert mesh["size"] == pytest.approx(numbers["tooth_forces"]["<b>j</b>"]["driver-driven"])
    assert numbers["perturbed"]["joint_error"]["<b>j</b>"] >= 0.01  # it starts so far off


def test_the_diagram_of_a_motor_shows_what_its_gearbox_allows(broken):
    """Continuous and peak torque, top speed, voltage, and the gearbox's own limits where they are near."""
    drive = broken.drives["<b>j</b>"]
    plane = drive.plot().axes[0]
    words = {text.get_text() for text in plane.get_legend().get_texts()}
    assert {"task", "continuous", "voltage", "gearbox peak"} <= words
    lines = {line.get_label(): line.get_ydata()[0] for line in plane.get_lines()}
    assert lines["gearbox peak"] == pytest.approx(drive.gearbox_sheet.peak_torque / abs(drive.gear.ratio))


def test_a_winding_that_is_advised_keeps_the_voltage(complete):
    """The same motor with another winding: resistance and inductance grow with the square of the constant."""
    drive = complete.robot.drives[0]
    tight = replace(complete.robot, drives=[replace(drive, motor=replace(drive.motor, max_voltage=3.0))])
    task = Task(complete.task.motions)
    check = next(one for one in analyse(tight, task, samples=51).limits if one.name.endswith("voltage"))
    assert not check.is_satisfied
    constant = advice_of(check, "winding").value
    factor = constant / drive.motor.torque_constant
    numbers = {"torque_constant": constant, "resistance": factor**2 * drive.motor.resistance}
    wound = replace(tight.drives[0], motor=replace(tight.drives[0].motor, **numbers))
    again = next(
        x for x in analyse(replace(tight, drives=[wound]), task, samples=51).limits if x.name.endswith("voltage")
    )
    assert again.margin == pytest.approx(0.0, abs=0.03)


def test_a_payload_that_is_advised_keeps_the_torque(complete):
    link = complete.robot.links[0]
    limited = replace(link, joint=replace(link.joint, limits=Limits(effort=18.0)))
    robot, task = replace(complete.robot, links=[limited]), Task(swing())
    check = next(one for one in analyse(robot, task, samples=51).limits if "joint torque" in one.name)
    assert not check.is_satisfied
    advice = advice_of(check, "payload")
    assert advice.present == 1.0
    lighter = analyse(robot.with_payload(advice.value, (0.6, 0, 0)), task, samples=51)
    assert next(one for one in lighter.limits if "joint torque" in one.name).margin == pytest.approx(0.0, abs=0.02)


def test_every_limit_is_in_the_page_with_its_numbers(broken, tmp_path):
    text = report(broken, tmp_path / "page.html").read_text(encoding="utf-8")
    for check in broken.limits:
        assert f"{check.value:.4g}" in text
        assert check.advice_text in html.unescape(text)
    assert f"{sum(not check.is_satisfied for check in broken.limits)} of {len(broken.limits)} limits " in text


def test_the_page_says_what_the_drives_are(broken, tmp_path):
    text = report(broken, tmp_path / "page.html").read_text(encoding="utf-8")
    ratio = abs(float(broken.drives["<b>j</b>"].gear.ratio))
    sheet = broken.drives["<b>j</b>"].motor_sheet
    assert "<tr><td class=words>motor</td><td>MM_148877</td></tr>" in text
    assert f"<tr><td class=words>gear</td><td>gear {ratio:.4g}, MM_203120</td></tr>" in text
    assert f'MM_148877 <span class="facts">{html.escape(f"{sheet.name}, maxon 148877")}</span>' in text
    assert html.escape(sheet.source) in text


def test_the_page_does_not_call_good_what_nobody_checked(broken, tmp_path):
    """Nothing of an ideal motor is known: with every limit of the joint kept the page is not green and says so."""
    link = replace(broken.robot.links[0], joint=Joint("<b>j</b>", axis=(0, 1, 0), limits=Limits(speed=100.0)))
    bare = replace(broken.robot, links=[link], drives=[Drive("<b>j</b>", Motor(1e-5), Gear(30.0))])
    found = analyse(bare, Task(swing()), samples=51)
    text = report(found, tmp_path / "page.html").read_text(encoding="utf-8")
    assert found.is_feasible
    assert 'class="verdict open">All 1 known limits ' in text
    assert "10 kinds could not be checked" in text
    assert 'class="verdict good"' not in text


def test_the_cycle_shows_current_voltage_and_power(broken):
    """One panel each, of the series themselves, where the motor's data tell them."""
    drive = broken.drives["<b>j</b>"]
    panels = {axes.get_ylabel(): axes.get_lines()[0].get_ydata() for axes in broken.plot().axes}
    assert panels["current [A]"] == pytest.approx(drive.current)
    assert panels["voltage [V]"] == pytest.approx(drive.voltage)
    assert panels["motor power [W]"] == pytest.approx(drive.motor_torque * drive.motor_speed)


def test_margins_are_drawn_tightest_first(complete):
    """Each limit once, with the smaller margin of prescribed motion and closed loop."""
    margins = complete.tightest_margins(100)
    assert list(margins.values()) == sorted(margins.values())
    for name, margin in margins.items():
        checks = [*complete.limits, *complete.perturbed.limits]
        assert margin == min(check.margin for check in checks if check.name == name)
    axes = complete.plot_margins(most=3).axes[0]
    assert [bar.get_width() for bar in axes.patches] == pytest.approx(
        [100 * max(-1.0, min(1.0, x)) for x in list(margins.values())[:3]]
    )


def test_the_page_states_validity_versions_and_date(broken, tmp_path, monkeypatch):
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "1700000000")
    page = Tags()
    page.feed(report(broken, tmp_path / "page.html").read_text(encoding="utf-8"))
    assert "2023-11-14" in page.cells
    assert gw.__version__ in page.cells
    for limit in broken.unchecked:
        assert limit.reason in page.cells
        assert str(limit) not in page.text  # a row of the table, not a remark
    assert all(remark in page.text for remark in broken.remarks if remark not in map(str, broken.unchecked))


def test_wide_robots_have_several_tables(tmp_path):
    """Seven drives do not fit a page beside each other: two tables, and every drive has a page of its own."""
    robot = hostile()
    link, drive = robot.links[0], robot.drives[0]
    names = [f"j{k}" for k in range(7)]
    links = [
        replace(link, name=f"l{k}", parent="base" if k == 0 else f"l{k - 1}", joint=replace(link.joint, name=name))
        for k, name in enumerate(names)
    ]
    wide = Robot("wide", links, [replace(drive, joint=name) for name in names])
    motion = s_curve([0.0] * 7, [0.1] * 7, speed=3.0, acceleration=20.0, jerk=500.0)
    text = report(analyse(wide, motion, samples=21), tmp_path / "page.html").read_text(encoding="utf-8")
    assert text.count('<table class="drives">') == 2
    assert all(f'<h2 class="page">Drive {name}</h2>' in text for name in names)


def test_a_report_is_a_page(broken, tmp_path):
    with pytest.raises(InputError, match=r"\.html"):
        report(broken, tmp_path / "page.pdf")


def test_advice_is_computed(broken):
    """A motion so much longer keeps the speed, and so much longer the torque: tried."""
    checks = {check.name.split(": ")[1]: check for check in broken.limits}
    assert advice_of(checks["joint speed"], "longer motion").factor == pytest.approx(3.0, rel=1e-2)
    assert advice_of(checks["joint torque"], "static load").value >= checks["joint torque"].limit


def test_the_advised_ratio_keeps_the_limit():
    robot = hostile()
    drive = robot.drives[0]
    light = replace(robot, links=(replace(robot.links[0], mass=0.3, com=(0, 0, 0)),))
    slow = light.with_drive(drive.title, replace(drive, gear=replace(drive.gear, ratio=5.0, catalogue=None)))
    task = Task(swing(2.5))
    found = next(check for check in analyse(slow, task).limits if "continuous motor torque" in check.name)
    assert not found.is_satisfied
    ratio = advice_of(found, "ratio").ratio
    better = slow.with_drive(drive.title, replace(drive, gear=replace(drive.gear, ratio=ratio, catalogue=None)))
    again = next(check for check in analyse(better, task).limits if "continuous motor torque" in check.name)
    assert again.margin > -0.02


def test_the_advised_article_bears_the_torque(broken):
    checks = {check.name.split(": ")[1]: check for check in broken.limits}
    for name, check in checks.items():
        for advice in check.advice:
            if name.startswith("gearbox") and advice.kind == "gearbox":
                assert drives().gearbox(advice.entry).peak_torque >= check.value


def test_the_commands_analyse_and_size(tmp_path):
    task = tmp_path / "pick.yaml"
    task.write_text(TASK)
    page = tmp_path / "pick.html"
    told = CliRunner().invoke(app, ["analyse", "scara", str(task), "--json", "--report", str(page)])
    numbers = json.loads(told.stdout)
    found = analyse(gw.load("scara"), Task.read(task, gw.load("scara")))
    assert not found.is_feasible  # the winding of its shoulder gets too warm
    assert told.exit_code == 3, told.output
    assert numbers["drives"]["shoulder"]["rms_torque"] == pytest.approx(found.drives["shoulder"].rms_torque)
    assert page.exists()
    shown = CliRunner().invoke(app, ["analyse", "scara", str(task)])
    assert "margin" in shown.stdout
    sized = tmp_path / "sized.yaml"
    chosen = CliRunner().invoke(app, ["size", "scara", str(task), "--joint", "shoulder", "-o", str(sized)])
    assert chosen.exit_code == 0, chosen.output
    assert gw.load(sized).drive("shoulder").motor.catalogue in drives().motors


def test_the_command_sweeps(tmp_path):
    task, table = tmp_path / "pick.yaml", tmp_path / "ratios.csv"
    task.write_text(TASK)
    arguments = ["sweep", "scara", str(task), "--over", "elbow.gear.ratio=40,80", "--workers", "1", "-o", str(table)]
    told = CliRunner().invoke(app, arguments)
    assert told.exit_code == 0, told.output
    rows = np.genfromtxt(table, delimiter=",", names=True, deletechars="")
    assert rows["elbow.gear.ratio"].tolist() == [40.0, 80.0]
    assert rows["elbow.inertia_ratio"][0] == pytest.approx(4 * rows["elbow.inertia_ratio"][1])
    wrong = CliRunner().invoke(app, ["sweep", "scara", str(task), "--over", "elbow.gear.ratio=uniform(1"])
    assert "uniform(low, high)" in str(wrong.exception)


def test_a_task_beyond_the_limits_says_so(tmp_path):
    task = tmp_path / "far.yaml"
    task.write_text("task: far\nmotions: [{to: {shoulder: 170 deg}, speed: 2, acceleration: 8}]\n")
    told = CliRunner().invoke(app, ["analyse", "scara", str(task)])
    assert told.exception is not None
    assert "shoulder" in str(told.exception)
