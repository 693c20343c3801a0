"""The demonstration: errors of the approximations on a wrist, a leg and an arm, and the drives of a SCARA."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
from rich.table import Table

from gearwright.analysis import Comparison, EnergyBalance, compare, energy_balance
from gearwright.catalogue import load
from gearwright.cli.demonstration.design_example import design_an_arm
from gearwright.cli.output import heading
from gearwright.mechanism import assemble
from gearwright.motion import chain, polynomial
from gearwright.motion.default_motion import tour
from gearwright.plots import Panel, figure, save
from gearwright.plots.curves import Diagram, curves
from gearwright.simulation import Run, simulate
from gearwright.text import listed

JOINTS = {"wrist_puma": ("j3", "a coupled wrist"), "mini_cheetah_leg": ("knee", "a leg")}
"""Per robot the joint that is missed most, and what it is."""
KINDS = ("diagonal", "reflected")


def show_misses(folder: Path, console: Any) -> Path:
    """Print what "armature" misses on a wrist and on a leg, and draw it."""
    table = Table("robot", "joint", title='What "armature" misses', title_justify="left")
    for column in ("exact, peak [mNm]", "off by [mNm]", "of the peak"):
        table.add_column(column, justify="right")
    for name, (joint, words) in JOINTS.items():
        miss = next(x for x in _compared(name).misses() if (x.kind, x.speed) == ("diagonal", joint))
        numbers = (f"{1e3 * miss.peak:.1f}", f"{1e3 * miss.largest:.1f}", f"{miss.share:.0%}")
        table.add_row(f"{name}, {words}", joint, *numbers)
    console.print(table)
    return save(misses_figure(), folder / "armature.png")


def misses_figure() -> Any:
    """Exact torques beside those with a constant on the diagonal, a panel per robot."""
    diagrams = []
    for name, (joint, words) in JOINTS.items():
        found = _compared(name)
        k, t = found.mech.speeds.index(joint), found.motion.t
        miss = next(x for x in found.misses() if (x.kind, x.speed) == ("diagonal", joint))
        tables = {"exact": found.exact, "armature": found.approximations["diagonal"]}
        lines = {kind: (t, 1e3 * tau[:, k]) for kind, tau in tables.items()}
        diagrams.append(Diagram(("time [s]", f"torque of {joint} [mNm]"), lines, f"{words}: {miss.share:.0%} off"))
    return curves(diagrams)


def _compared(name: str) -> Any:
    robot = load(name)
    mech = assemble(robot)
    return compare(mech, tour(robot, mech, 401), KINDS)


WAYPOINTS = ([0.0, -0.4, 0.9], [1.4, 0.6, -0.5], [-0.6, -0.2, 1.2])
"""Joint angles [rad] the elbow arm visits, half a second a way."""


def run_demo(folder: Path, console: Any) -> None:
    """What armature misses; the elbow arm, exact and approximated; the drives of a SCARA, with a report."""
    misses = show_misses(folder, console)
    mech = assemble(load("elbow"))
    motion = chain(*(polynomial(*ends, duration=0.5, order=7) for ends in pairwise(WAYPOINTS))).sample(801)
    comparison = compare(mech, motion)
    ratios = ", ".join(f"{max(spin.ratio):g}" for spin in mech.spins)
    console.print(
        heading(
            "\nThe elbow arm",
            f" of Sciavicco, Siciliano and Villani: three joints, three rotors, ratios {ratios}, through three points "
            "in one second.\n",
        )
    )
    console.print(_torques(comparison))
    console.print(_errors(comparison))
    _coupling(comparison, console)
    _energy(energy_balance(mech, motion), console)
    runs = _simulated(comparison)
    console.print(_misses(comparison, runs))
    figures = [
        misses,
        save(comparison.plot(), folder / "elbow_approximations.png"),
        save(_paths(comparison, runs), folder / "elbow_simulated.png"),
    ]
    page = design_an_arm(folder, console)
    console.print(f"\nFigures: {listed(str(path) for path in figures)}. Report, for a browser: {page}.")
    console.print("See the wheels turn: gearwright studio planetary_3r (pip install 'gearwright[studio]').")


def _simulated(comparison: Comparison) -> dict[str, Run]:
    """The arm as it is, from the torques that each model thinks are right: open loop, so nothing hides the error."""
    mech, motion = comparison.mech, comparison.motion
    tables = {"exact": comparison.exact, **comparison.approximations}
    runs = {}
    for kind, tau in tables.items():
        inputs = {f"tau.{name}": (motion.t, tau[:, k]) for k, name in enumerate(mech.speeds)}
        runs[kind] = simulate(mech, motion.q[0], float(motion.t[-1]), inputs=inputs, samples=motion.t.tolist())
    return runs


def _misses(comparison: Comparison, runs: dict[str, Run]) -> Table:
    title = "Simulated, open loop: how far the torques of each model lead the arm astray"
    table = Table("torques from", title=title, title_justify="left")
    for speed in comparison.mech.speeds:
        table.add_column(f"{speed} [mrad]", justify="right")
    table.add_column("energy drift", justify="right")
    for kind, run in runs.items():
        worst = np.abs(run.q - comparison.motion.q).max(axis=0)
        table.add_row(kind, *(f"{1e3 * x:.3f}" for x in worst), f"{run.drift:.0e}")
    return table


def _paths(comparison: Comparison, runs: dict[str, Run]) -> Any:
    near = {kind: run for kind, run in runs.items() if kind != "none"}  # which is far off every scale
    panels = [
        Panel(f"{name} [mrad]", {kind: 1e3 * (run.q - comparison.motion.q)[:, k] for kind, run in near.items()})
        for k, name in enumerate(comparison.mech.speeds)
    ]
    return figure(comparison.motion.t, "time [s]", panels, title="Where open-loop torques of each model lead the arm")


def _torques(comparison: Comparison) -> Table:
    table = Table("time [s]", title="Exact joint torques [Nm]", title_justify="left")
    for speed in comparison.mech.speeds:
        table.add_column(speed, justify="right")
    for k in np.linspace(0, len(comparison.motion.t) - 1, 9).astype(int):
        table.add_row(f"{comparison.motion.t[k]:.3f}", *(f"{x:.3f}" for x in comparison.exact[k]))
    return table


def _errors(comparison: Comparison) -> Table:
    table = Table("approximation", title="What the approximations get wrong", title_justify="left")
    for column in ("joint", "largest error [Nm]", "rms error [Nm]", "of the peak"):
        table.add_column(column, justify="left" if column == "joint" else "right")
    for miss in comparison.misses():
        table.add_row(miss.kind, miss.speed, f"{miss.largest:.4f}", f"{miss.rms:.4f}", f"{100 * miss.share:.2f} %")
    return table


def _coupling(comparison: Comparison, console: Any) -> None:
    names = listed(comparison.uncoupled) or "none"
    console.print(f"Rotors that never push on their carrier (the diagonal is exact for them): {names}")


def _energy(balance: EnergyBalance, console: Any) -> None:
    moved = float(np.ptp(balance.kinetic) + np.ptp(balance.potential))
    console.print(
        f"Energy: the drives put in up to {balance.work.max():.2f} J, kinetic energy peaks at "
        f"{balance.kinetic.max():.2f} J; the balance closes to {np.abs(balance.residual).max() / moved:.1e} of it."
    )
