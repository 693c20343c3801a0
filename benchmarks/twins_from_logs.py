"""Quality of fits to logs: `python benchmarks/twins_from_logs.py [ROBOTS]`.

Measured arms and gears, whose folder GEARWRIGHT_REFERENCE names: torques of a KUKA KR300 (goal: better than CAD with
friction alone) and a Staubli TX40, efficiency of planetary gears, torques of screws and a worm. Then fits of 50
synthetic robots with friction, elasticity, backlash and noise (goals: 99 % of the values within 3 standard deviations,
90 to 99 % in the 95 % intervals), and the measured XL330 servo (goals: 20 mrad in sample, 30 mrad with kp 100 or kp 200
left out, 60 s). With kp 800 left out it fails: only its runs are at full duty, where the limit of the current acts, for
long.
"""

from __future__ import annotations

import json
import os
import sys
import time
import warnings
from pathlib import Path

import numpy as np

from gearwright.errors import GearwrightWarning
from gearwright.identification import FrictionTransition, fit_run

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from tests.identification.synthetic_robots import fitted_case
from tests.identification.test_fit_run import XL330_OPTIONS, XL330_UNKNOWNS, servo_bench, xl330_logs
from tests.identification.test_measured_arms import (
    FRICTION_ONLY_R_SQUARED,
    PRESLIDING,
    cross_validated_rms,
    heavy_arm,
    heavy_fit,
    tx40_fit,
)
from tests.identification.test_measured_gears import load_cell_error, screw_error

REFERENCE = Path(os.environ.get("GEARWRIGHT_REFERENCE", ""))


def synthetic(count: int) -> None:
    """Distances of fitted from true values in stated deviations."""
    distances = []
    for seed in range(count):
        start = time.perf_counter()
        case, fit = fitted_case(seed)
        z = [abs(fit[name] - value) / fit.deviations[name] for name, value in case.true.items()]
        print(f"{case.log.name:<58} {time.perf_counter() - start:8.1f} s   largest distance {max(z):.1f} deviations")
        distances += z
    sizes = np.array(distances)
    print(f"{'within 3 deviations':<58} {100 * np.mean(sizes < 3):8.1f} %   (goal: 99 %)")
    print(f"{'in the 95 % intervals':<58} {100 * np.mean(sizes < 1.96):8.1f} %   (goal: 90 to 99 %)")


def measured_servo() -> None:
    """Mean absolute errors of positions in sample and with each gain left out."""
    if not _has_series("xl330"):
        return
    robot, servo = servo_bench()
    for kept, left_out in (((100, 200, 800), ()), ((200, 800), (100,)), ((100, 800), (200,)), ((100, 200), (800,))):
        start = time.perf_counter()
        fit = fit_run(robot, xl330_logs(*kept), XL330_UNKNOWNS, extra_laws=[servo], options=XL330_OPTIONS)
        scores = fit.validate(xl330_logs(*left_out)) if left_out else fit.scores
        error = 1e3 * np.mean([score.mean_absolute for score in scores])
        what = f"XL330, {f'kp {left_out[0]} left out' if left_out else 'in sample'}: {error:.1f} mrad"
        print(f"{what:<58} {time.perf_counter() - start:8.1f} s   (goal: 60 s)")


def measured_arms() -> None:
    """R2 of motor torques, and errors of parts that were not fitted."""
    if _has_series("kr300"):
        arm = heavy_arm(REFERENCE)
        _, quality = heavy_fit(arm)
        text = " ".join(f"{x:.3f}" for x in quality)
        goal = " ".join(f"{x:.2f}" for x in FRICTION_ONLY_R_SQUARED)
        print(f"KR300, R2 in sample: {text}, mean {quality.mean():.3f}   (goal: above {goal}, mean 0.95)")
        friction_alone = FrictionTransition(speed=0.005)
        for text, options in (("presliding, near CAD", (PRESLIDING, 0.1)), ("friction alone", (friction_alone, 0.01))):
            error = " ".join(f"{x:.2f}" for x in cross_validated_rms(arm, *options))
            print(f"KR300, {text}, five-fold cross-validation, rms: {error} Nm at the motors")
    if _has_series("tx40"):
        print("TX40, R2 of the last quarter:", " ".join(f"{x:.3f}" for x in tx40_fit(REFERENCE)[1]))


def measured_gears() -> None:
    """Errors of the rows that were not fitted."""
    if _has_series("planetary_dyno"):
        folder = REFERENCE / "measured" / "planetary_dyno"
        data = json.loads((folder / "parameters.json").read_text())
        for name, baseline in (("sspg", 0.68), ("cpg", 0.39)):
            errors = " ".join(f"{load_cell_error(folder, data, name, k):.2f}" for k in (0, 1))
            print(f"{name}, load cell, rms of either half: {errors} Nm   (straight line of two numbers: {baseline})")
    if _has_series("screws"):
        for number, baseline in ((1, 0.043), (2, 0.215), (3, 0.174)):
            errors = " ".join(f"{screw_error(REFERENCE, number, k):.3f}" for k in (0, 1))
            print(f"screw drive {number}, rms of either half: {errors} mNm   (law of 5 to 6 numbers: {baseline})")


def _has_series(name: str) -> bool:
    found = (REFERENCE / "measured" / name).is_dir()
    if not found:
        print(f"{name}: skipped, GEARWRIGHT_REFERENCE names no folder with measured/{name}")
    return found


if __name__ == "__main__":
    warnings.simplefilter("ignore", GearwrightWarning)
    measured_arms()
    measured_gears()
    synthetic(int(sys.argv[1]) if len(sys.argv) > 1 else 50)
    measured_servo()
