"""The demonstration: errors of the approximations on a wrist, a leg and an arm, and the drives of a SCARA."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
from rich.table import Table

from gearwright.analysis import Comparison, EnergyBalance, compare, energy_balance
from gearwright.catalogue import load
from gearwright.cli.demonstration.design_example import run_design_example
from gearwright.cli.output import heading_text
from gearwright.mechanism import assemble_tree
from gearwright.motion import chain, polynomial
from gearwright.motion.default_motion import default_motion
from gearwright.plots import Diagram, Panel, curve_figure, panel_figure, save_figure
from gearwright.simulation import Run, simulate
from gearwright.text import listed_names

WORST_JOINTS = {"wrist_puma": ("j3", "a coupled wrist"), "mini_cheetah_leg": ("knee", "a leg")}
"""Per robot the joint with the largest error, and a description."""
DEMO_APPROXIMATIONS = ("diagonal", "reflected")


def show_errors(folder: Path, console: Any) -> Path:
    """Print and draw the error of the "armature" model on a wrist and on a leg."""
    table = Table("robot", "joint", title='Error of the "armature" model', title_justify="left")
    for column in ("exact peak [mNm]", "error [mNm]", "share of the peak"):
        table.add_column(column, justify="right")
    for name, (joint, words) in WORST_JOINTS.items():
        error = next(x for x in _compare_robot(name).approximation_errors() if (x.kind, x.speed) == ("diagonal", joint))
        numbers = (f"{1e3 * error.peak:.1f}", f"{1e3 * error.largest:.1f}", f"{error.relative_error:.0%}")
        table.add_row(f"{name}, {words}", joint, *numbers)
    console.print(table)
    return save_figure(errors_figure(), folder / "armature.png")


def errors_figure() -> Any:
    """Return a figure of exact torques and those with a constant diagonal, a panel per robot."""
    diagrams = []
    for name, (joint, words) in WORST_JOINTS.items():
        comparison = _compare_robot(name)
        k, t = comparison.mech.speeds.index(joint), comparison.motion.t
        error = next(x for x in comparison.approximation_errors() if (x.kind, x.speed) == ("diagonal", joint))
        tables = {"exact": comparison.exact, "armature": comparison.approximations["diagonal"]}
        lines = {kind: (t, 1e3 * tau[:, k]) for kind, tau in tables.items()}
        diagrams.append(
            Diagram(("time [s]", f"torque of {joint} [mNm]"), lines, f"{words}: error {error.relative_error:.0%}")
        )
    return curve_figure(diagrams)


def _compare_robot(name: str) -> Any:
    robot = load(name)
    mech = assemble_tree(robot)
    return compare(mech, default_motion(robot, mech, 401), DEMO_APPROXIMATIONS)


WAYPOINTS = ([0.0, -0.4, 0.9], [1.4, 0.6, -0.5], [-0.6, -0.2, 1.2])
"""Waypoints of the elbow arm [rad], half a second apart."""


def run_demo(folder: Path, console: Any) -> None:
    """Print errors of the armature model, the elbow arm exact and approximated, and drives of a SCARA."""
    errors_picture = show_errors(folder, console)
    mech = assemble_tree(load("elbow"))
    motion = chain(*(polynomial(*ends, duration=0.5, order=7) for ends in pairwise(WAYPOINTS))).sample(801)
    comparison = compare(mech, motion)
    ratios = ", ".join(f"{max(spin.ratio):g}" for spin in mech.spins)
    console.print(
        heading_text(
            "\nThe elbow arm",
            f" of Sciavicco, Siciliano and Villani: three joints, three rotors, ratios {ratios}, through three points "
            "in one second.\n",
        )
    )
    console.print(_torque_table(comparison))
    console.print(_error_table(comparison))
    _print_coupling(comparison, console)
    _print_energy(energy_balance(mech, motion), console)
    runs = _simulate_open_loop(comparison)
    console.print(_tracking_error_table(comparison, runs))
    figures = [
        errors_picture,
        save_figure(comparison.plot(), folder / "elbow_approximations.png"),
        save_figure(_path_error_figure(comparison, runs), folder / "elbow_simulated.png"),
    ]
    page = run_design_example(folder, console)
    console.print(f"\nFigures: {listed_names(str(path) for path in figures)}. Report, for a browser: {page}.")
    console.print("See the wheels turn: gearwright studio planetary_3r (pip install 'gearwright[studio]').")


def _simulate_open_loop(comparison: Comparison) -> dict[str, Run]:
    """Return simulations of the exact arm with the torques of each model, in open loop."""
    mech, motion = comparison.mech, comparison.motion
    tables = {"exact": comparison.exact, **comparison.approximations}
    runs = {}
    for kind, tau in tables.items():
        inputs = {f"tau.{name}": (motion.t, tau[:, k]) for k, name in enumerate(mech.speeds)}
        runs[kind] = simulate(mech, motion.q[0], float(motion.t[-1]), inputs=inputs, samples=motion.t.tolist())
    return runs


def _tracking_error_table(comparison: Comparison, runs: dict[str, Run]) -> Table:
    title = "Open-loop simulation: largest position error with the torques of each model"
    table = Table("torques from", title=title, title_justify="left")
    for speed in comparison.mech.speeds:
        table.add_column(f"{speed} [mrad]", justify="right")
    table.add_column("energy drift", justify="right")
    for kind, run in runs.items():
        worst = np.abs(run.q - comparison.motion.q).max(axis=0)
        table.add_row(kind, *(f"{1e3 * x:.3f}" for x in worst), f"{run.drift:.0e}")
    return table


def _path_error_figure(comparison: Comparison, runs: dict[str, Run]) -> Any:
    near = {kind: run for kind, run in runs.items() if kind != "none"}  # its errors exceed the scale of the others
    panels = [
        Panel(f"{name} [mrad]", {kind: 1e3 * (run.q - comparison.motion.q)[:, k] for kind, run in near.items()})
        for k, name in enumerate(comparison.mech.speeds)
    ]
    return panel_figure(
        comparison.motion.t, "time [s]", panels, title="Position error with open-loop torques of each model"
    )


def _torque_table(comparison: Comparison) -> Table:
    table = Table("time [s]", title="Exact joint torques [Nm]", title_justify="left")
    for speed in comparison.mech.speeds:
        table.add_column(speed, justify="right")
    for k in np.linspace(0, len(comparison.motion.t) - 1, 9).astype(int):
        table.add_row(f"{comparison.motion.t[k]:.3f}", *(f"{x:.3f}" for x in comparison.exact[k]))
    return table


def _error_table(comparison: Comparison) -> Table:
    table = Table("approximation", title="Errors of the approximations", title_justify="left")
    for column in ("joint", "largest error [Nm]", "rms error [Nm]", "share of the peak"):
        table.add_column(column, justify="left" if column == "joint" else "right")
    for error in comparison.approximation_errors():
        table.add_row(
            error.kind, error.speed, f"{error.largest:.4f}", f"{error.rms:.4f}", f"{100 * error.relative_error:.2f} %"
        )
    return table


def _print_coupling(comparison: Comparison, console: Any) -> None:
    names = listed_names(comparison.uncoupled) or "none"
    console.print(f"Rotors without reaction on their carrier (the diagonal is exact for them): {names}")


def _print_energy(balance: EnergyBalance, console: Any) -> None:
    moved_energy = float(np.ptp(balance.kinetic) + np.ptp(balance.potential))
    console.print(
        f"Energy: the drives supply up to {balance.work.max():.2f} J, kinetic energy peaks at "
        f"{balance.kinetic.max():.2f} J; the energy balance has an error of "
        f"{np.abs(balance.residual).max() / moved_energy:.1e} of it."
    )
