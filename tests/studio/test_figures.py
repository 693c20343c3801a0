"""What the page's figures show: the library's numbers, with units, and limits where there are some."""

from __future__ import annotations

import re
from dataclasses import replace

import numpy as np
import pytest

import gearwright as gw
from gearwright.studio.figures import (
    energy_figure,
    limit_uses,
    motor_colours,
    temperature_figure,
    torque_figure,
    torque_speed_figure,
)
from gearwright.studio.power_picture import LOSS_COLOUR, POWER_COLOUR, WIDEST_ARROW, power_picture
from gearwright.studio.session import Session

pytest.importorskip("plotly")


@pytest.fixture(scope="module")
def leg():
    return Session(gw.load("sea_leg"))


@pytest.fixture(scope="module")
def analysed(leg):
    return leg.analysis()


def curves(figure):
    return {trace.name: np.array(trace.y, dtype=float) for trace in figure.data}


def test_torques_are_those_of_the_comparison_under_the_units_of_the_joint():
    session = Session(gw.load("scara"))
    found = session.quick_results().comparison
    for k, speed in enumerate(found.mech.speeds):
        figure = torque_figure(found, speed)
        drawn = curves(figure)
        assert list(drawn) == ["exact", "reflected", "diagonal", "none"]
        assert drawn["exact"] == pytest.approx(found.exact[:, k], rel=1e-5, abs=1e-9)
        assert drawn["none"] == pytest.approx(found.approximations["none"][:, k], rel=1e-5, abs=1e-9)
        assert figure.layout.yaxis.title.text == ("force at lift [N]" if speed == "lift" else f"torque at {speed} [Nm]")


def test_the_exact_curve_is_seen_where_others_lie_on_it(leg):
    figure = torque_figure(leg.quick_results().comparison, leg.mech.speeds[0])
    widths = [trace.line.width for trace in figure.data]
    assert widths[0] > 2 * max(widths[1:])
    assert len({(trace.line.color, trace.line.dash) for trace in figure.data}) == 4


def test_energies_balance(leg):
    found = leg.quick_results()
    drawn = curves(energy_figure(found.comparison.motion.t, found.energy))
    assert drawn["kinetic"].max() > 0
    assert "work of the drives" in drawn
    assert drawn["potential"][0] == 0.0
    assert drawn["potential"] == pytest.approx(found.energy.potential - found.energy.potential[0], rel=1e-5, abs=1e-9)
    assert "[J]" in energy_figure(found.comparison.motion.t, found.energy).layout.yaxis.title.text


def test_temperatures_are_in_degrees_celsius(analysed):
    found = analysed
    drawn = curves(temperature_figure(found))
    for name, values in drawn.items():
        assert values == pytest.approx(found.drives[name].temperatures.winding - 273.15, rel=1e-5)
    assert temperature_figure(Session(gw.load("elbow")).analysis()) is None


def test_limits_of_a_motor_are_drawn(analysed):
    drive = next(iter(analysed.drives.values()))
    motor = replace(drive.motor, max_torque=7.0, max_speed=300.0, max_voltage=48.0)
    drawn = torque_speed_figure(replace(drive, motor=motor))
    names = {trace.name: trace for trace in drawn.data}
    assert {"motion", "peak", "top speed", "voltage"} <= set(names)
    assert names["peak"].y == (7.0, 7.0)
    assert names["top speed"].x == (300.0, 300.0)
    assert names["voltage"].y[0] == pytest.approx(replace(drive, motor=motor).winding_line[0])
    bare = torque_speed_figure(replace(drive, motor=replace(drive.motor, max_torque=None, max_voltage=None)))
    assert "peak" not in {trace.name for trace in bare.data}


def test_a_reference_design_is_shown_with_the_difference():
    session = Session(gw.load("elbow"))
    before = session.quick_results().comparison
    session.enter_values("j2", {"gear.ratio": 50.0})
    after = session.quick_results().comparison
    curves = {curve.name: np.array(curve.y) for curve in torque_figure(after, "j2", before).data}
    assert set(curves) == {"exact", "reference", "difference"}
    scale = np.abs(before.exact[:, 1]).max()
    assert curves["reference"] == pytest.approx(before.exact[:, 1], abs=1e-5 * scale)
    assert curves["difference"] == pytest.approx(after.exact[:, 1] - before.exact[:, 1], abs=1e-5 * scale)
    assert np.abs(curves["difference"]).max() > 0.01 * scale


def test_uses_of_limits_and_colours_are_those_of_the_moment():
    robot = gw.load("harmonic_6")
    limited = [replace(drive, motor=replace(drive.motor, max_torque=2.0, max_speed=500.0)) for drive in robot.drives]
    analysis = Session(replace(robot, drives=limited)).analysis()
    at = float(analysis.t[60] - analysis.t[0])
    uses = limit_uses(analysis, at)
    assert uses
    assert uses == sorted(uses, reverse=True)
    for use, name, limit in uses:
        drive = analysis.drives[name]
        torque, speed = (drive.motor_torque, drive.motor.max_torque), (drive.motor_speed, drive.motor.max_speed)
        series, most = torque if limit == "torque" else speed
        assert use == pytest.approx(abs(series[60]) / most)
    warmth = {name: drive.temperatures.winding[60] for name, drive in analysis.drives.items() if drive.temperatures}
    colours = motor_colours(analysis, at)
    assert set(colours) == {f"{name}.{part}" for name in warmth for part in ("rotor", "stator")}
    limits = {name: float(analysis.drives[name].motor.heat.max_temperature or 428.15) for name in warmth}
    order = sorted(warmth, key=lambda name: (warmth[name] - 293.15) / (limits[name] - 293.15))
    reds = [colours[f"{name}.rotor"][0] for name in order]
    assert reds == sorted(reds)


def arrows(picture, colour):
    """Signed widths of the arrows of a picture: negative to the left or upwards; in the order of drives."""
    found = []
    for text in re.findall(rf'<polygon points="([^"]*)" fill="{colour}"', picture):
        points = np.array([[float(x) for x in pair.split(",")] for pair in text.split()])
        width, along = np.linalg.norm(points[0] - points[-1]), points[3] - (points[0] + points[-1]) / 2
        found.append(float(width * np.sign(along.sum())))
    return found


def test_arrows_of_power_have_its_size_and_direction():
    analysis = Session(gw.load("scara")).analysis()
    flows = {name: drive.power_flow for name, drive in analysis.drives.items()}
    series = [(flow.electrical, flow.shaft, flow.output) for flow in flows.values()]
    largest = max(
        np.abs([*parts, flow.winding_loss, flow.gear_loss]).max()
        for parts, flow in zip(series, flows.values(), strict=True)
    )
    directions = set()
    for index in (10, 70, 150):
        picture = power_picture(analysis, float(analysis.t[index] - analysis.t[0]))
        wanted = np.array([part[index] for parts in series for part in parts]) * WIDEST_ARROW / largest
        found = np.array(arrows(picture, POWER_COLOUR))
        assert np.abs(found) == pytest.approx(np.maximum(np.abs(wanted), 0.8), abs=0.15)
        assert (np.sign(found) == np.where(wanted >= 0, 1, -1)).all()
        directions |= set(np.sign(found))
        assert len(arrows(picture, LOSS_COLOUR)) <= 2 * len(flows)
    assert directions == {-1.0, 1.0}


def test_power_is_conserved_and_losses_are_those_of_the_cycle():
    from gearwright.analysis.quadrature import integral

    for drive in Session(gw.load("scara")).analysis().drives.values():
        flow = drive.power_flow
        total = flow.winding_loss + flow.gear_loss + flow.rotor + flow.output
        assert total == pytest.approx(drive.electrical_power, abs=1e-9)
        assert integral(drive.t, flow.gear_loss) == pytest.approx(drive.losses.gear, rel=1e-9, abs=1e-9)
    picture = power_picture(Session(gw.load("wrist_puma")).analysis(), 0.1)
    assert picture.count(">train</text>") == 3
    assert not arrows(picture, LOSS_COLOUR)
