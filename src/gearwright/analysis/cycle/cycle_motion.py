"""Motion of one cycle: prescribed, or as simulated in a closed loop."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Protocol

import numpy as np

from gearwright.algebra import Scalar
from gearwright.algebra.differentiation.dual_numbers import dual_parameters, map_linear
from gearwright.analysis.drives.warm_start import start_temperatures
from gearwright.analysis.quadrature import time_derivative
from gearwright.analysis.task.contact_wrenches import world_forces
from gearwright.analysis.task.process_forces import ProcessForce, process_laws
from gearwright.arrays import Array
from gearwright.forces import Law
from gearwright.forces.laws_of_robot import laws as laws_of
from gearwright.forces.robot_lines import robot_motors
from gearwright.forces.transmission.gear_losses import reversal_law
from gearwright.functions import actuator_torques, structure_matrix
from gearwright.mechanism import Mechanism, tree_of
from gearwright.motion import Motion, Trajectory
from gearwright.motion_demands.demands import followable_laws, solve_demands
from gearwright.motion_demands.given_torques import demands_of_given_torques
from gearwright.motion_demands.motion_segments.smooth_spans import reversing_line
from gearwright.motion_demands.result import MotionDemands
from gearwright.motion_demands.sensitivity import demand_partials
from gearwright.parts import Robot, with_parameters
from gearwright.simulation.run import Run


class CycleMotion(Protocol):
    """Motion, drives and forces of one cycle."""

    @property
    def forces(self) -> tuple[ProcessForce, ...]:
        """Process forces and disturbances."""
        ...

    def drive_demands(self, robot: Robot, mech: Mechanism) -> MotionDemands:
        """Torques, currents, voltages and states of the drives."""
        ...

    def output_torques(self, robot: Robot, mech: Mechanism, result: MotionDemands) -> Array:
        """Gear output forces and forces that accelerate the motors, (T, n), without losses and bearing friction."""
        ...

    def contact_forces(self, robot: Robot, mech: Mechanism) -> Mapping[str, Any]:
        """Forces of contacts and constraints, as `demands` takes them."""
        ...


@dataclass(frozen=True)
class PrescribedMotion:
    """A prescribed motion: the drives follow from inverse dynamics.

    Args:
        motion: the motion.
        forces: process forces.
        contact: forces of contacts and constraints, as `demands` takes them.
        samples: smallest number of samples.
        cycles: number of repetitions, of which the last one is analysed; None: periodic steady state.
    """

    motion: Trajectory
    forces: tuple[ProcessForce, ...] = ()
    contact: Mapping[str, Any] = field(default_factory=dict)
    samples: int | None = None
    cycles: int | None = None

    def drive_demands(self, robot: Robot, mech: Mechanism) -> MotionDemands:
        """Demands of the motion on the drives, at their temperatures in the last cycle."""
        return self.demands_of(robot, lambda cold: start_temperatures(robot, cold, self.cycles))

    def contact_forces(self, robot: Robot, mech: Mechanism) -> Mapping[str, Any]:
        """Contact forces stated by the task."""
        return self.contact

    def output_torques(self, robot: Robot, mech: Mechanism, result: MotionDemands) -> Array:
        """Demands of the motion with lossless gears and frictionless motors."""
        if not _loss_laws(robot, mech):
            return result.tau
        plain = self.demands_of(robot, laws=_lossless_laws(robot, mech), actuators=())
        return _interpolated_forces(result.t, plain.t, plain.tau)

    def demands_of(
        self, robot: Robot, start_of: Callable[[MotionDemands], Mapping[str, float]] | None = None, **options: Any
    ) -> MotionDemands:
        """Demands of the motion on a robot, with further arguments of `solve_demands`."""
        return solve_demands(robot, self.motion, start_of, **self._demand_arguments, **options)

    def demand_partials(self, robot: Robot, values: Mapping[str, float]) -> tuple[MotionDemands, Scalar]:
        """Results of `drives` and `handed_on` with derivatives by parameters at these values."""
        dual_robot = with_parameters(robot, dual_parameters(values))

        def start_of(cold: MotionDemands) -> Mapping[str, Scalar]:
            return start_temperatures(dual_robot, cold, self.cycles)

        result = demand_partials(robot, self.motion, values, start_of=start_of, **self._demand_arguments)
        if not _loss_laws(robot, tree_of("analyse", robot)):
            return result, result.tau
        plain = demand_partials(robot, self.motion, values, laws=_lossless_laws, actuators=(), **self._demand_arguments)
        return result, map_linear(lambda tau: _interpolated_forces(result.motion.t, plain.motion.t, tau), plain.tau)

    @property
    def _demand_arguments(self) -> dict[str, Any]:
        """Keyword arguments of `demands` and `demand_partials`."""
        loads, inputs = process_laws(self.forces)
        extra: dict[str, Any] = {"extra_laws": loads, "inputs": inputs} if loads else {}
        return {"contact": self.contact or None, "samples": self.samples, **extra}


def _loss_laws(robot: Robot, mech: Mechanism) -> list[Law]:
    """The laws of gear losses and motor friction of a robot's drives."""
    losses = {f"{drive.title}.{signal}" for drive in robot.drives for signal in ("gear", "motor_friction")}
    return [law for law in laws_of(robot, mech) if law.name in losses]


def _lossless_laws(robot: Robot, mech: Mechanism) -> list[Law]:
    """The laws of a robot without gear losses and motor friction; motions are divided at the same reversals."""
    losses = {law.name: reversing_line(law) for law in _loss_laws(robot, mech)}
    reversing = {name.rpartition(".")[0] for name, line in losses.items() if line is not None}
    others = [law for law in followable_laws(robot, mech) if law.name not in losses]
    return [*others, *(reversal_law(mech, title) for title in sorted(reversing))]


def _interpolated_forces(t: Array, times: Array, forces: Array) -> Array:
    """Forces (T, n), interpolated at other times."""
    if np.array_equal(t, times):
        return forces
    return np.stack([np.interp(t, times, column) for column in forces.T], axis=1)


@dataclass(frozen=True)
class ClosedLoopMotion:
    """The motion of a closed loop, with the drive signals of its simulation.

    Torques are the controller outputs, also where static friction or a self-locking gear holds the rest of the load.
    Motors that are controlled by voltage or current have the currents and voltages of the run. For other motors these
    follow from torque and speed, with the rate of the current by differences between the samples.

    Args:
        run: simulation of the closed loop.
        forces: process forces and disturbances.
        start_temperatures: initial temperatures of the motors by name [K].
    """

    run: Run
    forces: tuple[ProcessForce, ...] = ()
    start_temperatures: Mapping[str, float] = field(default_factory=dict)

    def drive_demands(self, robot: Robot, mech: Mechanism) -> MotionDemands:
        """Drive signals of the run."""
        run = self.run
        torques = self._motor_torques(mech)
        shared = actuator_torques(mech, run.tau) @ structure_matrix(mech).T if mech.actuators else 0.0
        motion = Motion(run.t, run.q, run.v, run.a)
        missing, rates = run.tau - shared, time_derivative(run.t, torques)
        return demands_of_given_torques(
            robot, motion, torques, rates, missing, self._electrical_series(robot), self.start_temperatures
        )

    def contact_forces(self, robot: Robot, mech: Mechanism) -> Mapping[str, Any]:
        """Contact forces of the run."""
        names = [name for name in world_forces(mech, laws_of(robot, mech)) if name in self.run.series]
        return {name: (self.run.t, self.run[name]) for name in names}

    def output_torques(self, robot: Robot, mech: Mechanism, result: MotionDemands) -> Array:
        """Motor torques less bearing friction and gear losses."""
        total = result.tau
        for actuator in mech.actuators:
            friction, loss = (
                self._run_series(f"{actuator.name}.{signal}") for signal in (FRICTION_SIGNAL, LOSS_SIGNAL)
            )
            total = total + np.outer(friction - loss, np.asarray(actuator.row, dtype=float))
        return total

    def _motor_torques(self, mech: Mechanism) -> Array:
        """Motor torques on the rotors, (T, actuators), from joint forces, named torques or currents."""
        run = self.run
        if not mech.actuators:
            return np.zeros((len(run.t), 0))
        signals = ("torque", "motor_torque")
        named = [
            sum(self._run_series(f"{actuator.name}.{signal}") for signal in signals) for actuator in mech.actuators
        ]
        return np.asarray(actuator_torques(mech, run.tau) + np.stack(named, axis=1))

    def _electrical_series(self, robot: Robot) -> dict[str, Array]:
        """Currents, voltages and temperatures of motors whose electrics are part of the run."""
        series: dict[str, Array] = {}
        for title, _ in robot_motors(robot):
            if f"{title}.{TERMINAL_VOLTAGE_SIGNAL}" not in self.run.series:
                continue
            series[f"{title}.voltage"] = self.run[f"{title}.{TERMINAL_VOLTAGE_SIGNAL}"]
            same = (f"{title}.{signal}" for signal in ("current", "winding_temperature", "housing_temperature"))
            series |= {name: self.run[name] for name in same if name in self.run.series}
        return series

    def _run_series(self, name: str) -> Array:
        """A series of the run; zero if it has no such series."""
        return self.run.series.get(name, np.zeros(len(self.run.t)))


FRICTION_SIGNAL, LOSS_SIGNAL, TERMINAL_VOLTAGE_SIGNAL = "motor_friction.force", "gear.loss_torque", "terminal_voltage"
"""Signal names of motor friction, gear losses and terminal voltage."""
