"""Robots as FMUs, and FMPy to run them: whole runs beside those of `simulate`."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

import gearwright as gw
from gearwright.parts import Drive, Friction, Gear, Joint, Limits, Link, Motor, Robot
from gearwright.system.inputs import steps

PIECES = 5
"""Pieces of a run on which the inputs are constant."""
SAMPLES = 50


def arm(friction: float | Friction = 0.0, efficiency: float | None = None, limits: Limits | None = None) -> Robot:
    """Two links that fall, with motors that have an inductance."""
    motor = Motor(1e-4, torque_constant=0.06, resistance=0.8, inductance=5e-4)
    gear = Gear(100) if efficiency is None else Gear(100, efficiency=efficiency)
    common = {"axis": (0, 1, 0), "friction": friction, "limits": limits or Limits()}
    upper = Link(
        "upper", joint=Joint("shoulder", **common), mass=3, com=(0.2, 0, 0), inertia=np.diag([0.01, 0.04, 0.04])
    )
    fore = Link(
        "fore",
        parent="upper",
        joint=Joint("elbow", position=(0.4, 0, 0), **common),
        mass=2,
        com=(0.15, 0, 0),
        inertia=np.diag([0.005, 0.02, 0.02]),
    )
    drives = [Drive("shoulder", motor, gear), Drive("elbow", replace(motor, inertia=5e-5), gear)]
    return Robot("arm", [upper, fore], drives).with_payload(1.0, (0.3, 0, 0))


@dataclass(frozen=True)
class Case:
    """A robot, what drives it, and for how long.

    Args:
        robot: the robot.
        inputs: the kind of its inputs.
        values: per input its values, piece by piece.
        until: end of the run [s].
        parameters: paths that the FMU leaves open.
    """

    robot: Robot
    inputs: str
    values: dict[str, list[float]]
    until: float = 0.5
    parameters: tuple[str, ...] = ()

    @property
    def times(self) -> list[float]:
        return np.linspace(0, self.until, PIECES + 1)[:-1].tolist()

    def reference(self, robot: Robot | None = None) -> gw.simulation.Run:
        """The run of `simulate`, of this robot or of another that is driven alike."""
        inputs = {_name_in_simulate(name): steps(self.times, values) for name, values in self.values.items()}
        options = {"integrator": gw.analysis.IntegratorOptions(rtol=1e-12, atol=1e-12), "samples": SAMPLES + 1}
        return gw.simulate(robot or self.robot, None, self.until, inputs=inputs, **options)

    def export(self, path: Path, version: str) -> gw.export.FmuReport:
        return gw.export.fmu(self.robot, path, version, self.inputs, self.parameters)

    def run(self, path: Path, kind: str, tolerance: float = 1e-9, start: dict[str, float] | None = None) -> np.ndarray:
        """The run of an FMU in FMPy: the inputs jump between the pieces."""
        import fmpy

        known = fmpy.read_model_description(str(path)).modelVariables
        return fmpy.simulate_fmu(
            str(path),
            fmi_type=kind,
            stop_time=self.until,
            output_interval=self.until / SAMPLES,
            relative_tolerance=tolerance,
            start_values=start or {},
            input=self._jumping(),
            output=[one.name for one in known if one.causality == "output"],
            record_events=False,
        )

    def _jumping(self) -> np.ndarray:
        ends = np.linspace(0, self.until, PIECES + 1)
        table = np.zeros(2 * PIECES, dtype=[("time", float), *((name, float) for name in self.values)])
        table["time"] = np.repeat(ends, 2)[1:-1]
        for name, values in self.values.items():
            table[name] = np.repeat(values, 2)
        return table


def _name_in_simulate(name: str) -> str:
    """`simulate` takes the torque of a motor by the motor's name."""
    plain = name.removeprefix("motor_torque.")
    return name if plain == name else f"{plain}.torque"


def largest_difference(found: np.ndarray, run: gw.simulation.Run, begins: tuple[str, ...]) -> float:
    """The largest difference of the series whose names begin so, over the whole run."""
    names = [name for name in found.dtype.names if name.startswith(begins)]
    assert names
    return max(float(np.abs(found[name] - run[name.removesuffix(".signal")]).max()) for name in names)


def instance(path: str, exchange: bool = False) -> tuple[Any, dict[str, int]]:
    """An FMU of FMI 2.0 in initialization mode, and its value references by name."""
    import fmpy
    from fmpy.fmi2 import FMU2Model, FMU2Slave

    about = fmpy.read_model_description(path)
    kind = FMU2Model if exchange else FMU2Slave
    one = kind(
        guid=about.guid,
        unzipDirectory=fmpy.extract(path),
        modelIdentifier=about.modelExchange.modelIdentifier,
        instanceName="one",
    )
    one.instantiate()
    one.setupExperiment(startTime=0.0)
    one.enterInitializationMode()
    return one, {x.name: x.valueReference for x in about.modelVariables}
