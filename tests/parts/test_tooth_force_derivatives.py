"""Forces between teeth and on bearings have exact derivatives by every number of a gear, and by the torque."""

from __future__ import annotations

from dataclasses import fields, replace
from math import radians

import numpy as np
import pytest

from gearwright.algebra.differentiation.dual_arrays import least_squares
from gearwright.algebra.differentiation.dual_numbers import Dual, dual_parameters, partials_of, primal_value
from gearwright.algebra.differentiation.partials import Partials
from gearwright.parts import (
    Belt,
    Bevel,
    Cycloidal,
    Harmonic,
    Planetary,
    Rack,
    Screw,
    Series,
    Spur,
    Wolfrom,
    Worm,
    gear_losses,
)

SPUR = Spur(driver=20, driven=60, module=1e-3, efficiency=0.95, helix_angle=radians(15))
PLANETARY = Planetary(sun=18, planet=27, ring=72, modules=1e-3, mesh_efficiency=0.97, helix_angle=radians(12))
GEARS = {
    "spur": SPUR,
    "idler": Spur(driver=20, driven=60, module=1e-3, idlers=(30,), efficiency=0.95),
    "rubbing spur": Spur(driver=20, driven=60, module=1e-3, helix_angle=radians(20), friction_coefficient=0.05),
    "ring": Spur(driver=20, driven=60, module=1e-3, internal=True, mesh_efficiency=0.98),
    "bevel": Bevel(
        driver=20, driven=40, module=2e-3, face_width=0.01, shaft_angle=1.2, helix_angle=0.3, efficiency=0.9
    ),
    "rubbing bevel": Bevel(driver=20, driven=40, module=2e-3, face_width=0.01, friction_coefficient=0.06),
    "worm": Worm(wheel=40, module=2e-3, lead_angle=0.1, friction_coefficient=0.05),
    "worm by efficiency": Worm(wheel=40, module=2e-3, lead_angle=0.1, efficiency=0.6),
    "belt": Belt(driver=0.02, driven=0.06, distance=0.3, pretension=200.0),
    "crossed belt": Belt(driver=0.02, driven=0.06, distance=0.3, pretension=20.0, crossed=True),
    "harmonic": Harmonic(reduction=100, radius=0.03, pressure_angle=0.5, held="flexspline"),
    "cycloidal": Cycloidal(pins=20, eccentricity=1e-3, pin_circle=0.04, output_circle=0.02),
    "wolfrom": Wolfrom(
        sun=12, planet=24, ring=60, second_planet=21, second_ring=57, radius=0.02, friction_coefficient=0.05
    ),
    "planetary": PLANETARY,
    "rubbing planetary": Planetary(sun=18, planet=27, ring=72, modules=1e-3, friction_coefficient=0.06),
    "rack": Rack(radius=0.02, efficiency=0.9),
    "screw": Screw(lead=0.01),
    "series": Series(stages=(SPUR, PLANETARY)),
}
TORQUE, STEP = 7.0, 1e-4
LOAD = {"torque": lambda gear, x: (gear, x * TORQUE)}


def numbers_of(gear) -> dict:
    """Every number of a gear that is not a count, as a function of its factor."""
    changes = {}
    for field in fields(gear):
        value = getattr(gear, field.name)
        if isinstance(value, float) and value and "int" not in str(field.type):
            changes[field.name] = lambda gear, x, name=field.name: (
                replace(gear, **{name: x * getattr(gear, name)}),
                TORQUE,
            )
    return changes


def stage_numbers(gear) -> dict:
    found = {}
    for k, stage in enumerate(getattr(gear, "stages", ())):
        for name, change in numbers_of(stage).items():

            def in_stage(gear, x, k=k, change=change):
                stages = list(gear.stages)
                stages[k] = change(stages[k], x)[0]
                return replace(gear, stages=tuple(stages)), TORQUE

            found[f"stages.{k}.{name}"] = in_stage
    return found


def forces(gear, torque, driving) -> dict:
    components = ("tangential", "radial", "axial", "moment", "size")
    return {(f.name, word): getattr(f, word) for f in gear.tooth_forces(torque, driving) for word in components}


CASES = [
    pytest.param(gear, change, id=f"{title} {name}")
    for title, gear in GEARS.items()
    for name, change in {**LOAD, **numbers_of(gear), **stage_numbers(gear)}.items()
]


@pytest.mark.parametrize("driving", [True, False], ids=["driving", "driven"])
@pytest.mark.parametrize(("gear", "change"), CASES)
def test_derivatives_equal_differences(gear, change, driving):
    """The differences have an error of about 1e-9: Richardson extrapolation of two steps."""
    exact = forces(*change(gear, dual_parameters({"factor": 1.0})["factor"]), driving)
    nominal = forces(gear, TORQUE, driving)
    assert exact.keys() == nominal.keys() != set()
    ends = {k: forces(*change(gear, 1 + k * STEP), driving) for k in (-2, -1, 1, 2)}
    for key, x in exact.items():
        by = {k: ends[k][key] - ends[-k][key] for k in (1, 2)}
        expected = (8 * by[1] - by[2]) / (12 * STEP)
        size = max(float(nominal[key[0], "size"]), 1.0)
        assert float(partials_of(x).get("factor", 0.0)) == pytest.approx(expected, rel=1e-7, abs=1e-7 * size), key
        assert float(primal_value(x)) == pytest.approx(float(nominal[key]), rel=1e-12), key


def test_the_module_by_hand():
    """F = T / r: a hundredth more module is a hundredth less force, to the last digits."""
    gear = replace(SPUR, module=dual_parameters({"module": 1e-3})["module"], helix_angle=0.0, efficiency=None)
    mesh = next(force for force in gear.tooth_forces(TORQUE) if force.name == "driver-driven")
    assert mesh.tangential.c[0] == pytest.approx(TORQUE / 0.03, rel=1e-14)
    assert mesh.tangential.c[1].by["module"] == pytest.approx(-TORQUE / 0.03 / 1e-3, rel=1e-14)


def test_losses_of_stages_follow_a_stage():
    """The efficiency of two stages is a product, also at a speed between two rows of a table."""
    efficiency = dual_parameters({"stage": 0.95})["stage"]
    table = tuple(
        replace(gear_losses(PLANETARY)[0], speed=speed, efficiency=eta, back_efficiency=None)
        for speed, eta in ((0.0, 0.9), (100.0, 0.7))
    )
    gear = Series(stages=(replace(SPUR, efficiency=efficiency), replace(PLANETARY, mesh_efficiency=None, losses=table)))
    for row, second in zip(gear_losses(gear), (0.9, 0.7), strict=True):
        assert row.efficiency.c[0] == pytest.approx(0.95 * second, rel=1e-14)
        assert row.efficiency.c[1].by["stage"] == pytest.approx(second, rel=1e-14)


@pytest.mark.parametrize(("rows", "columns", "rank"), [(4, 4, 4), (6, 3, 3), (3, 6, 3), (5, 5, 3)])
def test_least_squares_of_constant_rank(rows, columns, rank):
    """A matrix of factors that move keeps its rank: the pseudoinverse has a derivative."""
    rng = np.random.default_rng(rows + 10 * columns)
    left, right, dleft, dright = (rng.normal(size=x) for x in ((rows, rank), (rank, columns)) * 2)
    b, db = rng.normal(size=(2, rows))

    def moved(x: float):
        return (left + x * dleft) @ (right + x * dright), b + x * db

    matrix = Dual([left @ right, Partials({"x": dleft @ right + left @ dright})])
    exact = partials_of(least_squares(matrix, Dual([b, Partials({"x": db})])))["x"]
    by = {k: least_squares(*moved(k * STEP)) - least_squares(*moved(-k * STEP)) for k in (1, 2)}
    np.testing.assert_allclose(exact, (8 * by[1] - by[2]) / (12 * STEP), rtol=1e-7, atol=1e-7 * np.abs(exact).max())
