"""What a robot goes through in one cycle: the motion as it is prescribed, or as a closed loop followed it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Protocol

import numpy as np

from gearwright.algebra import Scalar
from gearwright.algebra.differentiation.dual_numbers import linear, varied_parameters
from gearwright.analysis.drives.warm_start import start_temperatures
from gearwright.analysis.quadrature import rate
from gearwright.analysis.task.contact_wrenches import world_forces
from gearwright.analysis.task.process_forces import ProcessForce, loads_of
from gearwright.arrays import Array
from gearwright.forces import GearLoss
from gearwright.forces.law import Law
from gearwright.forces.laws_of_robot import laws as laws_of
from gearwright.forces.robot_lines import motors_of
from gearwright.functions.actuation import actuator_torques, structure_matrix
from gearwright.mechanism import Mechanism, machine_of
from gearwright.motion import Motion, Trajectory
from gearwright.motion_demands.demands import demands, followable_laws
from gearwright.motion_demands.given_torques import driven_motion
from gearwright.motion_demands.result import MotionDemands
from gearwright.motion_demands.sensitivity import SlopedDemands, demand_slopes
from gearwright.parts import Robot, with_parameters
from gearwright.simulation.run import Run


class Course(Protocol):
    """What a robot goes through in one cycle."""

    @property
    def forces(self) -> tuple[ProcessForce, ...]:
        """Of the process, and disturbances."""
        ...

    def drives(self, robot: Robot, mech: Mechanism) -> MotionDemands:
        """What the drives do."""
        ...

    def handed_on(self, robot: Robot, mech: Mechanism, found: MotionDemands) -> Array:
        """Forces that the gears hand to the joints and that turn the motors, (T, n): without losses and bearings."""
        ...

    def contact(self, robot: Robot, mech: Mechanism) -> Mapping[str, Any]:
        """Forces of contacts and constraints, as `demands` takes them."""
        ...


@dataclass(frozen=True)
class Prescribed:
    """A motion that is prescribed: what the drives do is what it asks of them.

    Args:
        motion: the motion.
        forces: of the process.
        pressed: forces of contacts and constraints, as `demands` takes them.
        samples: at how many times at least.
        cycles: how often it is done, of which the last time is looked at; None: for ever.
    """

    motion: Trajectory
    forces: tuple[ProcessForce, ...] = ()
    pressed: Mapping[str, Any] = field(default_factory=dict)
    samples: int | None = None
    cycles: int | None = None

    def drives(self, robot: Robot, mech: Mechanism) -> MotionDemands:
        """What the motion asks of the drives, as warm as they are in the last cycle."""
        cold = self.asked_of(robot)
        warm = start_temperatures(robot, cold, self.cycles)
        return self.asked_of(robot, states=warm) if warm else cold

    def contact(self, robot: Robot, mech: Mechanism) -> Mapping[str, Any]:
        """As the task states them."""
        return self.pressed

    def handed_on(self, robot: Robot, mech: Mechanism, found: MotionDemands) -> Array:
        """What the motion would ask of gears without losses and motors that turn freely."""
        kept = _lossless_laws(robot, mech)
        if len(kept) == len(laws_of(robot, mech)):
            return found.tau
        plain = self.asked_of(_without_bearings(robot), laws=kept, actuators=())
        return _at_times(found.t, plain.t, plain.tau)

    def asked_of(self, robot: Robot, **how: Any) -> MotionDemands:
        """What it asks of a robot, as `demands` says it, with what else that takes."""
        return demands(robot, self.motion, **self._words, **how)

    def slopes(self, robot: Robot, values: Mapping[str, float]) -> tuple[SlopedDemands, Scalar]:
        """What `drives` and `handed_on` tell, with slopes by parameters at these values."""
        cold = demand_slopes(robot, self.motion, values, **self._words)
        warm = start_temperatures(with_parameters(robot, varied_parameters(values)), cold, self.cycles)
        found = demand_slopes(robot, self.motion, values, states=warm, **self._words) if warm else cold
        mech = machine_of("analyse", robot)
        if len(_lossless_laws(robot, mech)) == len(laws_of(robot, mech)):
            return found, found.tau
        plain = demand_slopes(robot, self.motion, values, laws=_lossless_laws, actuators=(), **self._words)
        return found, linear(lambda tau: _at_times(found.motion.t, plain.motion.t, tau), plain.tau)

    @property
    def _words(self) -> dict[str, Any]:
        """What `demands` and `demand_slopes` take beside robot and motion."""
        loads, inputs = loads_of(self.forces)
        given: dict[str, Any] = {"extra_laws": loads, "inputs": inputs} if loads else {}
        return {"contact": self.pressed or None, "samples": self.samples, **given}


def _without_bearings(robot: Robot) -> Robot:
    """The robot with motors that turn freely."""
    free = [replace(drive, motor=replace(drive.motor, friction=0.0, damping=0.0)) for drive in robot.drives]
    return replace(robot, drives=tuple(free))


def _lossless_laws(robot: Robot, mech: Mechanism) -> list[Law]:
    """The laws of a robot but for losses of gears and friction in motors."""
    return [law for law in followable_laws(_without_bearings(robot), mech) if not isinstance(law, GearLoss)]


def _at_times(t: Array, times: Array, forces: Array) -> Array:
    """Forces (T, n) that are known at times, at others."""
    if np.array_equal(t, times):
        return forces
    return np.stack([np.interp(t, times, column) for column in forces.T], axis=1)


@dataclass(frozen=True)
class Followed:
    """A closed loop: what the drives did, from the run itself.

    Torques are those that the controller put out, also where friction or a gear sticks and holds the rest. Motors that
    the controller drives by voltage or current have the currents and voltages of the run; of the others they follow
    from torque and speed, with the rate of the current by differences between the samples.

    Args:
        run: the closed loop.
        forces: of the process, and disturbances.
        warm: temperatures of the motors at the start by name [K].
    """

    run: Run
    forces: tuple[ProcessForce, ...] = ()
    warm: Mapping[str, float] = field(default_factory=dict)

    def drives(self, robot: Robot, mech: Mechanism) -> MotionDemands:
        """What the drives did."""
        run = self.run
        torques = self._torques(mech)
        shared = actuator_torques(mech, run.tau) @ structure_matrix(mech).T if mech.actuators else 0.0
        motion = Motion(run.t, run.q, run.v, run.a)
        missing, rates = run.tau - shared, rate(run.t, torques)
        return driven_motion(robot, motion, torques, rates, missing, self._electrics(robot), self.warm)

    def contact(self, robot: Robot, mech: Mechanism) -> Mapping[str, Any]:
        """The forces of the run."""
        names = [name for name in world_forces(mech, laws_of(robot, mech)) if name in self.run.series]
        return {name: (self.run.t, self.run[name]) for name in names}

    def handed_on(self, robot: Robot, mech: Mechanism, found: MotionDemands) -> Array:
        """What the motors gave, less what their bearings and gears took of it or held."""
        total = found.tau
        for actuator in mech.actuators:
            rubbed, lost = (self._signal(f"{actuator.name}.{word}") for word in (RUBBED, LOST))
            total = total + np.outer(rubbed - lost, np.asarray(actuator.row, dtype=float))
        return total

    def _torques(self, mech: Mechanism) -> Array:
        """Of the motors on their rotors, (T, actuators): by forces at the joints, by name, or by their currents."""
        run = self.run
        if not mech.actuators:
            return np.zeros((len(run.t), 0))
        words = ("torque", "motor_torque")
        named = [sum(self._signal(f"{one.name}.{word}") for word in words) for one in mech.actuators]
        return np.asarray(actuator_torques(mech, run.tau) + np.stack(named, axis=1))

    def _electrics(self, robot: Robot) -> dict[str, Array]:
        """Currents, voltages and temperatures of motors whose electrics are part of the run."""
        found: dict[str, Array] = {}
        for title, _ in motors_of(robot):
            if f"{title}.{TERMINALS}" not in self.run.series:
                continue
            found[f"{title}.voltage"] = self.run[f"{title}.{TERMINALS}"]
            same = (f"{title}.{word}" for word in ("current", "winding_temperature", "housing_temperature"))
            found |= {name: self.run[name] for name in same if name in self.run.series}
        return found

    def _signal(self, name: str) -> Array:
        """A series of the run; nothing where it has none."""
        return self.run.series.get(name, np.zeros(len(self.run.t)))


RUBBED, LOST, TERMINALS = "motor_friction.force", "gear.loss_torque", "terminal_voltage"
"""What laws of a motor and its gear call what they take, and the voltage that the motor sees."""
