"""Manutec r3 from point to point, against numbers that others published and that were computed once with care."""

from __future__ import annotations

import json
import runpy
from pathlib import Path

import pytest

import gearwright as gw

EXAMPLE = Path(__file__).parents[2] / "examples" / "33_manutec_optimal_control.py"


@pytest.fixture(scope="module")
def example():
    """What the example defines; the limits it states are those of the reference."""
    return runpy.run_path(str(EXAMPLE))


def test_the_example_states_the_published_problem(example, reference):
    stated = json.loads((reference / "optimal_control" / "manutec_r3_optimal_control.json").read_text())
    assert example["START"].tolist() == [*stated["q0"], *stated["v0"]]
    assert example["GOAL"].tolist() == [*stated["qf"], *stated["vf"]]
    assert example["LARGEST"].tolist() == [*stated["q_limit"], *stated["v_limit"]]
    assert example["PER_VOLT"].tolist() == stated["torque_per_volt"]


def test_energy_and_time_are_the_reference(example, reference):
    stated = json.loads((reference / "optimal_control" / "manutec_r3_optimal_control.json").read_text())
    energy, time = stated["minimum_energy"], stated["minimum_time"]["computed_here"]
    assert example["least"] == pytest.approx(energy["computed_here"]["value"], abs=1e-5)
    assert example["least"] == pytest.approx(energy["published"]["PSOPT 20 nodes"], abs=1e-3)
    assert example["time"] == pytest.approx(time["control free at every collocation point"]["N=40"], abs=2e-6)
    assert example["light"] == pytest.approx(energy["computed_here"]["no rotors"], abs=1e-4)
    diagonal = example["solved"](gw.approximate(example["arm"], "diagonal"), 0.53)
    assert diagonal == pytest.approx(energy["computed_here"]["diagonal rotor model"], abs=1e-5)
