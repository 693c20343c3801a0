"""One event engine: run as Python, in machine code, and printed as C in an FMU, it moves random robots alike.

Laws are random: friction, stops, lossy and self-locking gears, elastic drives with hysteresis or backlash, and loops,
and a rigid contact with restitution and friction.
`GEARWRIGHT_PROFILE=full` runs 200 robots.
"""

from __future__ import annotations

import os
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
import pytest

import gearwright as gw
from gearwright.export.fmi import build
from gearwright.forces import Law
from gearwright.simulation import steps
from support.fmus import PIECES, arm
from support.random_robots import random_case

fmpy = pytest.importorskip("fmpy")
pytestmark = pytest.mark.skipif(build.find_compiler() is None, reason="there is no C compiler")

ROBOTS = 200 if os.environ.get("GEARWRIGHT_PROFILE") == "full" else 10
UNTIL, SAMPLES = 0.1, 50
LONG_STEPS = 5
"""Communication steps of an FMU that are ten times as long as the longest step of `simulate`."""

GEAR_AT_REST = 488
"""A robot with a gear at rest, up to rounding, while torques jump and another gear jams."""

SHORT_STOP = 347
"""A robot with a joint that stops and starts again within 2 ms."""


@dataclass(frozen=True)
class Trial:
    """A robot with extra laws, where it starts, and the torques that drive it, piece by piece."""

    robot: gw.Robot
    laws: tuple[Law, ...]
    start: gw.State
    values: dict[str, list[float]]

    def run(self, engine: str) -> np.ndarray:
        times = np.linspace(0, UNTIL, PIECES + 1)[:-1].tolist()
        inputs = {name: steps(times, values) for name, values in self.values.items()}
        options = gw.analysis.IntegratorOptions(rtol=1e-11, atol=1e-13, engine=engine)
        tree = gw.assemble(self.robot, coordinates="tree")
        laws = (*gw.laws(self.robot, tree), *self.laws)
        more = {"laws": laws, "integrator": options, "samples": SAMPLES + 1, "method": "adaptive"}
        run = gw.simulate(tree, self.start, UNTIL, inputs=inputs, **more)
        return np.column_stack([run[name] for name in self.names])

    def fmu(self, path: Path, samples: int = SAMPLES) -> np.ndarray:
        gw.export.fmu(self.robot, path, "3.0", state=self.start, extra_laws=self.laws)
        ends = np.linspace(0, UNTIL, PIECES + 1)
        table = np.zeros(2 * PIECES, dtype=[("time", float), *((name, float) for name in self.values)])
        table["time"] = np.repeat(ends, 2)[1:-1]
        for name, values in self.values.items():
            table[name] = np.repeat(values, 2)
        options = {"output_interval": UNTIL / samples, "relative_tolerance": 1e-10, "record_events": False}
        found = fmpy.simulate_fmu(
            str(path), fmi_type="CoSimulation", stop_time=UNTIL, input=table, output=self.names, **options
        )
        return np.column_stack([found[name] for name in self.names])

    @property
    def names(self) -> list[str]:
        mech = gw.assemble(self.robot, coordinates="tree")
        return [f"{word}.{name}" for word, names in (("q", mech.coordinates), ("v", mech.speeds)) for name in names]


def trial(seed: int) -> Trial:
    """Elastic drives in a third of the robots; a rod that closes a loop in a quarter."""
    rng, elastic = np.random.default_rng(seed), seed % 3 == 0
    robot, state, _ = random_case(seed, elastic)
    mech = gw.assemble(robot)
    sizes = 1.0 + np.abs(gw.gravity(mech, gw.neutral(mech)))
    values = {
        f"tau.{name}": (rng.normal(size=PIECES) * size).tolist() for name, size in zip(mech.speeds, sizes, strict=True)
    }
    start = gw.State(gw.neutral(mech), np.zeros(mech.n)) if state is None else state
    if seed % 4 != 1 or len(robot.links) < 2:
        return Trial(robot, (), start, values)
    tip, anchor, end = robot.links[-1].name, rng.normal(size=3), np.array([0.3, 0.1, 0.0])
    rod = gw.forces.distance(mech, (tip, tuple(end)), ("base", tuple(anchor)), name="rod")
    rotation, position = gw.placement(mech, start.q, tip)
    length = float(np.linalg.norm(position + rotation @ end - anchor))
    stretch = gw.forces.Coordinate.for_machine(mech, "stretch", lambda c: rod.function(c) - length)
    return Trial(robot, (gw.contact.Constraint.from_lines("rod", [stretch]),), gw.State(start.q, 0 * start.v), values)


TOUCHING = (302, 303, 304, 306, 307, 308, 312)
"""Robots whose last link can move along the normal of a surface and, where it has friction, along it."""

WITHOUT_UNIQUE_FORCES = (318, 330, 346, 363)
"""Robots with fewer freedoms than the contact has lines: a lever that sticks has one motion, and three forces."""


def touching_trial(seed: int) -> Trial:
    """The same robots, without loops: their last link flies against a rigid surface."""
    rng, base = np.random.default_rng(1000 + seed), trial(seed)
    mech, tip = gw.assemble(base.robot), base.robot.links[-1].name
    _, position = gw.placement(mech, base.start.q, tip)
    normal, v = rng.normal(size=3), rng.normal(size=mech.n)
    normal /= np.linalg.norm(normal)
    approach = float(normal @ gw.jacobian(mech, base.start.q, tip)[:3] @ v)
    normal = -np.sign(approach) * normal
    surface = gw.contact.Plane(tuple(position - rng.uniform(0.0, 0.03) * abs(approach) * normal), tuple(normal))
    restitution, friction = float(rng.choice([0.0, 0.3, 0.7])), float(rng.choice([0.0, 0.2, 0.5]))
    impact = str(rng.choice(["energetic", "poisson"]))
    law = gw.contact.Contact(tip, surface, restitution, friction, name="surface", impact=impact)
    return Trial(base.robot, (law,), gw.State(base.start.q, v), base.values)


@pytest.mark.parametrize("seed", [*TOUCHING, *WITHOUT_UNIQUE_FORCES])
def test_a_rigid_contact_bounces_slides_and_sticks_alike(seed, tmp_path):
    robot = touching_trial(seed)
    compiled = robot.run("compiled")
    size = 1.0 + np.abs(compiled).max()
    assert np.abs(robot.run("python") - compiled).max() < 1e-8 * size
    assert np.abs(robot.fmu(tmp_path / "touching.fmu") - compiled).max() < 1e-8 * size


@pytest.mark.parametrize("seed", [304, 312])
def test_newtons_law_with_friction_is_that_of_the_search_in_python(seed, tmp_path):
    robot = touching_trial(seed)
    law = replace(robot.laws[0], friction=0.4, restitution=0.6, impact="newton")
    robot = replace(robot, laws=(law,))
    plain = robot.run("python")
    size = 1.0 + np.abs(plain).max()
    assert np.abs(robot.fmu(tmp_path / "newton.fmu") - plain).max() < 1e-8 * size
    energetic = replace(robot, laws=(replace(law, impact="energetic"),)).run("python")
    assert np.abs(energetic - plain).max() > 1e-4 * size


@pytest.mark.parametrize("seed", sorted({*range(300, 300 + ROBOTS), GEAR_AT_REST}))
def test_python_machine_code_and_fmu_move_random_robots_alike(seed, tmp_path):
    robot = trial(seed)
    compiled = robot.run("compiled")
    size = 1.0 + np.abs(compiled).max()
    assert np.abs(robot.run("python") - compiled).max() < 1e-8 * size
    assert np.abs(robot.fmu(tmp_path / "random.fmu") - compiled).max() < 1e-8 * size


def test_an_fmu_finds_short_events_within_long_communication_steps(tmp_path):
    robot = trial(SHORT_STOP)
    compiled = robot.run("compiled")[:: SAMPLES // LONG_STEPS]
    assert robot.fmu(tmp_path / "random.fmu", LONG_STEPS) == pytest.approx(compiled, rel=1e-10, abs=1e-10)


def test_a_compliant_contact_is_that_of_simulate_and_refuses_to_start_inside(tmp_path):
    robot = replace(arm(0.5), frames=[gw.parts.Frame("tip", "fore", position=(0.3, 0.0, 0.0))])
    surface = gw.contact.Plane((0.0, 0.0, -0.3), (0.0, 0.0, 1.0))
    laws = (gw.contact.SoftContact("tip", surface, 1e4, 10.0, name="floor"),)
    values = {"tau.shoulder": [-8.0] * PIECES, "tau.elbow": [0.0] * PIECES}
    falling = Trial(robot, laws, gw.State([0.35, 0.0], [2.0, 0.0]), values)
    compiled = falling.run("compiled")
    assert np.abs(falling.run("python") - compiled).max() < 1e-9
    assert np.abs(falling.fmu(tmp_path / "falling.fmu") - compiled).max() < 1e-9
    assert np.ptp(compiled[:, 2]) > 1.0  # it was pushed back
    with pytest.raises(fmpy.fmi1.FMICallException):
        Trial(robot, laws, gw.State([0.8, 0.0], [0.0, 0.0]), values).fmu(tmp_path / "inside.fmu")
