r"""What one per cent of a parameter does to every characteristic of a task.

How the joint forces change with masses, inertias and ratios is exact: the derivative of the compiled inverse dynamics
by its parameters. So is how stress and deflection of links and tip change: their equations run over jets. Losses,
windings and heat follow from the forces through the equations that the analysis itself has, differenced a ten
thousandth up and down, and so do joint reactions, which are polynomials of the parameter. A robot with elastic drives,
and parameters of no such kind, are analysed twice, a little above and below.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from gearwright.analysis.analyse import Analysis, analyse
from gearwright.analysis.cycle import inertia_ratio
from gearwright.analysis.drive_analysis import DriveAnalysis
from gearwright.analysis.jets import parameter_jets, slope_of
from gearwright.analysis.structure import Structure, beams_of
from gearwright.analysis.structure_slopes import structure_slopes
from gearwright.analysis.summary import CHARACTERISTICS
from gearwright.analysis.varied_drive import DriveLoad, beginning, varied
from gearwright.arrays import Array
from gearwright.compiling.kernel import compile as compiled
from gearwright.errors import InputError
from gearwright.functions.functions import inverse_dynamics, reactions
from gearwright.mechanism import assemble
from gearwright.parts import Drive, Robot
from gearwright.parts.paths import parameter, with_parameters
from gearwright.plots import saved
from gearwright.plots.notebook import Shown
from gearwright.plots.ranking import Ranking, rankings

STEP = 1e-4
"""Share of a parameter by which it is moved up and down where characteristics are differenced."""
MACHINE = ("mass", "com", "inertia", "ratio", "transverse_inertia")
PARTS = ("efficiency", "resistance", "torque_constant", "inductance")
"""Last words of paths that change the machine, and that change a drive's own parts alone."""
DRAWN = "rms_motor_torque"
"""The characteristic of every drive that is drawn unless somebody says."""


@dataclass(frozen=True)
class Sensitivities(Shown):
    """Changes of characteristics for one per cent more of each parameter.

    Args:
        parameters: their paths.
        characteristics: `<drive>.<characteristic>`, `<link>.peak_stress`, `<link>.peak_deflection`, and
            `tip.peak_deflection`.
        values: what they are now, (C,).
        changes: by how much they change, in their own units, (P, C).
        differenced: parameters for which the whole analysis was differenced.
    """

    parameters: tuple[str, ...]
    characteristics: tuple[str, ...]
    values: Array
    changes: Array
    differenced: tuple[str, ...] = ()

    @property
    def relative(self) -> Array:
        """The changes in per cent of the characteristic, (P, C); 0 where it is zero itself."""
        size = np.abs(self.values)
        return np.asarray(100 * np.divide(self.changes, size, out=np.zeros_like(self.changes), where=size > 0))

    def plot(self, *characteristics: str, path: str | Path | None = None, most: int = 8) -> Any:
        """Which parameters change a characteristic most, in per cent for one per cent more of each.

        Args:
            characteristics: such as "elbow.energy"; the rms torques of the motors unless given.
            path: .png, .svg or .pdf, where the figure is saved too.
            most: how many parameters are drawn.
        """
        usual = [name for name in self.characteristics if name.endswith(f".{DRAWN}")] or self.characteristics[:1]
        panels = []
        for name in characteristics or usual:
            self._require(name, self.characteristics)
            changes = self.relative[:, self.characteristics.index(name)].tolist()
            panels.append(Ranking("change for 1 % more [%]", dict(zip(self.parameters, changes, strict=True)), name))
        return saved(rankings(panels, most), path)

    def as_words(self) -> dict[str, dict[str, float]]:
        """Parameter -> characteristic -> change by one per cent, in its own unit, as JSON can hold it."""
        pairs = zip(self.parameters, self.changes.tolist(), strict=True)
        return {path: dict(zip(self.characteristics, row, strict=True)) for path, row in pairs}

    def __getitem__(self, pair: tuple[str, str]) -> float:
        """The change of a characteristic by one per cent of a parameter, in its own unit."""
        path, name = pair
        self._require(path, self.parameters)
        self._require(name, self.characteristics)
        return float(self.changes[self.parameters.index(path), self.characteristics.index(name)])

    def _require(self, word: str, known: Sequence[str]) -> None:
        if word not in known:
            raise InputError(f"sensitivities: there is no {word!r}; known are {', '.join(known)}.")


def usual_parameters(robot: Robot) -> tuple[str, ...]:
    """Those that a designer changes: masses of links and payload, and the numbers of every drive that it states."""
    found = [f"{link.name}.mass" for link in robot.links if link.mass]
    found += ["payload.mass"] if robot.payload is not None and robot.payload.mass else []
    return (*found, *(path for drive in robot.drives for path in _of_drive(drive)))


def sensitivities(found: Analysis, parameters: Sequence[str] | None = None) -> Sensitivities:
    """What one per cent of every parameter does to every characteristic of the prescribed motion.

    Args:
        found: what `gw.analyse` found.
        parameters: parameter paths; masses, inertias, ratios, efficiencies, torque constants and resistances that the
            robot states unless given.

    >>> import gearwright as gw
    >>> swing = gw.motion.polynomial([0, 0, 0], [1.0, 0.5, -0.5], duration=1.0)
    >>> found = gw.analyse(gw.load("elbow"), gw.design.Task([swing]))
    >>> table = sensitivities(found, ["j1.motor.inertia"])
    >>> 0 < table["j1.motor.inertia", "j1.rms_torque"] < 0.01 * found.drives["j1"].rms_torque
    True
    """
    paths = tuple(usual_parameters(found.robot) if parameters is None else parameters)
    for path in paths:
        parameter(found.robot, path)
    base = {name: x for name, x in _of_all(found).items() if np.isfinite(x)}
    direct = [path for path in paths if _is_direct(found, path)]
    of_machine = [path for path in direct if not path.endswith(PARTS)]
    slopes, bends = _machine_slopes(found, of_machine), _structure_slopes(found, of_machine)
    rows = []
    for path in paths:
        up, down = (_at(found, path, sign * STEP, slopes.get(path), path in direct) for sign in (1, -1))
        change = {name: (up[name] - down[name]) / (2 * STEP) for name in base if name in up} | bends.get(path, {})
        rows.append([0.01 * change.get(name, 0.0) for name in base])
    changes = np.array(rows).reshape(len(paths), len(base))
    rest = tuple(path for path in paths if path not in direct)
    return Sensitivities(paths, tuple(base), np.array(list(base.values())), changes, rest)


def _of_drive(drive: Drive) -> Iterator[str]:
    motor, gear = drive.motor, drive.gear
    stated = {
        "motor.inertia": motor.inertia,
        "gear.ratio": getattr(gear, "ratio", None) if "ratio" in gear.__dataclass_fields__ else None,
        "gear.efficiency": gear.efficiency,
        "motor.torque_constant": motor.torque_constant,
        "motor.resistance": motor.resistance,
    }
    yield from (f"{drive.title}.{word}" for word, value in stated.items() if value)


def _is_direct(found: Analysis, path: str) -> bool:
    """Whether the equations of the drives give it: no elastic drives, every drive at a joint of its own."""
    mech = assemble(found.robot)
    plain = not mech.shafts and all(drive.own_torque is not None for drive in found.drives.values())
    words = path.split(".")
    of_machine = words[0] == "payload" or any(word in MACHINE for word in words[-2:])
    return plain and (of_machine or words[-1] in PARTS)


def _machine_slopes(found: Analysis, paths: Sequence[str]) -> dict[str, Array]:
    """Per parameter the joint forces' exact derivative times its value, (T, n)."""
    if not paths:
        return {}
    kernel, motion = compiled(inverse_dynamics, found.robot, parameters=tuple(paths)), found.demands.motion
    slopes = kernel.jacobian("parameters")(motion.q, motion.v, motion.a, parameters=kernel.nominal)
    return {path: slopes[..., k] * kernel.nominal[k] for k, path in enumerate(paths)}


def _structure_slopes(found: Analysis, paths: Sequence[str]) -> dict[str, dict[str, float]]:
    """Per parameter the exact slope of every characteristic of links and tip, times its value."""
    if not paths or not found.links:
        return {}
    values = {path: float(parameter(found.robot, path)) for path in paths}
    robot = with_parameters(found.robot, parameter_jets(values))
    beams = beams_of({name: link.loads.section for name, link in found.links.items()})
    told = structure_slopes(robot, assemble(robot), found.demands.motion, beams, found.task)
    return {path: {name: values[path] * slope_of(x, path) for name, x in told.items()} for path in paths}


def _at(found: Analysis, path: str, step: float, slope: Array | None, direct: bool) -> dict[str, float]:
    """The characteristics with a parameter moved by a share of itself; those of links where all is analysed again."""
    changed = with_parameters(found.robot, {path: (1 + step) * float(parameter(found.robot, path))})
    if not direct:
        return _again(found, changed)
    if slope is None:
        own = {name: _moved(found, drive, changed, path, 0.0) for name, drive in found.drives.items()}
        return _numbers(own)
    mech, motion = assemble(changed), found.demands.motion
    after, before = (reactions(one, motion.q, motion.v, motion.a) for one in (mech, found.robot))
    each = {}
    for name, drive in found.drives.items():
        at = mech.speeds.index(drive.joint or name)
        moved = _moved(found, drive, changed, path, step * slope[:, at])
        body = next(k for k, one in enumerate(mech.bodies) if (one.joint_name or one.name) == drive.joint)
        felt = None if drive.reaction is None else drive.reaction + (after - before)[:, body]
        each[name] = replace(moved, inertia_ratio=inertia_ratio(mech, motion.q, drive.name, at), reaction=felt)
    return _numbers(each)


def _moved(found: Analysis, drive: DriveAnalysis, changed: Robot, path: str, more: Array | float) -> DriveAnalysis:
    """A drive with its part changed and the joint force moved by so much.

    The force at a joint depends on its own drive's inertia and ratio only by what turns the motor itself.
    """
    part = changed.drive(drive.name)
    if part.motor == drive.motor and part.gear == drive.gear and not np.any(more):
        return drive
    assert drive.output_torque is not None
    assert drive.own_torque is not None
    assert drive.speed is not None
    assert drive.gear is not None
    output, own, speed, warmth = drive.output_torque, drive.own_torque, drive.speed, _warmth(found, drive)
    mine = path in (f"{drive.name}.motor.inertia", f"{drive.name}.gear.inertia", f"{drive.name}.gear.ratio")
    before = beginning(drive, DriveLoad(output, own, speed, drive.motor, drive.gear, warmth))
    loads = {"own": own + more} if mine else {"output": output + more}
    return varied(drive, before, replace(before, **loads, motor=part.motor, gear=part.gear))


def _warmth(found: Analysis, drive: DriveAnalysis) -> Array | float:
    """How many times its stated value a winding's resistance is along the cycle."""
    heat = found.demands.series.get(f"{drive.name}.heat")
    if heat is None or drive.current is None or not drive.motor.resistance:
        return 1.0
    cold = float(drive.motor.resistance) * drive.current**2
    return np.asarray(np.divide(heat, cold, out=np.ones_like(heat), where=cold > 1e-9 * cold.max(initial=1e-300)))


def _again(found: Analysis, changed: Robot) -> dict[str, float]:
    """The whole analysis with another robot."""
    task = replace(found.task, payload=None, perturbed=None)
    sections = {name: link.loads.section for name, link in found.links.items()}
    return _of_all(analyse(changed, task, sections=sections, catalogue=found.catalogue, samples=len(found.t)))


def _of_all(found: Analysis) -> dict[str, float]:
    """The characteristics of drives, links and tip."""
    return _numbers(found.drives) | Structure(dict(found.links), found.tip).numbers()


def _numbers(drives: object) -> dict[str, float]:
    return {
        f"{name}.{word}": float(getattr(drive, word))
        for name, drive in drives.items()  # type: ignore[attr-defined]
        for word in CHARACTERISTICS
        if getattr(drive, word) is not None
    }
