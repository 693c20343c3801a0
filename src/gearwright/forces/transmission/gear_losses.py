"""Losses of a gear: efficiency by the direction of power, load-dependent friction, self-locking, no-load torque."""

from __future__ import annotations

from dataclasses import dataclass

from gearwright.algebra import Operations, Scalar
from gearwright.argument_kinds import check_arguments
from gearwright.errors import InputError
from gearwright.forces.event_tolerances import ACCELERATION_NOISE, BREAKAWAY_SPEED
from gearwright.forces.friction.lubrication import (
    lubricant_inputs,
    lubricant_states,
    warm_friction,
    with_lubricant_rate,
)
from gearwright.forces.friction.stick_slip import without_noise
from gearwright.forces.impulse_limits import PortInflow
from gearwright.forces.law import (
    Action,
    Drag,
    FixedStepModel,
    Force,
    Guard,
    Hold,
    Law,
    Outcome,
    Quantity,
    Reaction,
    Situation,
)
from gearwright.forces.line import Line
from gearwright.forces.robot_lines import motor_line, robot_motors
from gearwright.forces.time_stepping_impulses import GearLossImpulse
from gearwright.forces.transmission.gear_wheels import axial_torque, input_wheels
from gearwright.forces.transmission.load_friction import LoadBristles, load_friction_mesh
from gearwright.forces.transmission.mesh_efficiency import MeshEfficiency, mesh_at_speed, require_possible_losses
from gearwright.mechanism import Mechanism, Spin
from gearwright.parts import Friction, Losses, Robot, gear_losses

STUCK_MODE = "stuck"
FORWARD_DRIVING, FORWARD_DRIVEN = "forward driving", "forward driven"
BACKWARD_DRIVING, BACKWARD_DRIVEN = "backward driving", "backward driven"

QUADRANTS: dict[str, tuple[float, bool]] = {
    FORWARD_DRIVING: (1.0, True),
    FORWARD_DRIVEN: (1.0, False),
    BACKWARD_DRIVING: (-1.0, True),
    BACKWARD_DRIVEN: (-1.0, False),
}
"""Sign of the motor's speed, and whether the motor drives, of the modes in which the gear turns."""

QUADRANT_MODE = {state: mode for mode, state in QUADRANTS.items()}


@check_arguments
@dataclass(frozen=True)
class GearLoss(Law):
    r"""The loss of a gear by the direction of power, along the motor's line.

    T is the input torque of the gear from the motor after acceleration of the rotor, O its output torque (both
    reflected to the motor side), s the sign of the motor's speed. The teeth transform $T - s A$ into $O + s B$, where A
    and B are the no-load torques of the bearings on the motor side and on the joint side:

    - the motor drives, $s (O + s B) > 0$: $O + s B = \eta' (T - s A)$,
    - the joint drives, $s (O + s B) < 0$: $T - s A = \eta'' (O + s B)$; with $\eta'' \le 0$ the gear is self-locking:
      the motor must drive as well to turn it.

    At rest the loss keeps the gear at rest while T is between the breakaway torques, $\max$ and $\min$ of $O / \eta'$
    and $\eta'' O$ (widened by A and B): the four quadrants of Pelchen, Schweiger and Otter (2002), Modelica's
    `LossyGear`, selected by the flank in contact, so they also hold for self-locking gears.

    A self-locking gear that is back-driven by a joint with large inertia has no consistent motion: it jams and stops
    instantaneously (Painleve paradox); the inertias determine whether this happens.

    Load-dependent friction (`Friction.load`) is the same law: its fractions of T and O give the efficiencies in both
    directions, and the friction without load is A and B (`load_friction_mesh`). Its quadratic terms follow the smaller
    of $|T|$ and $|O|$ with a lag, as a state.

    Args:
        name: its name, `<drive>.gear`, or `<drive>.motor_friction` of load-dependent friction.
        line: the motor's line.
        table: losses over rising speeds of the motor; () with `friction`.
        wheels: the wheels on the input side of the gear, such as the rotor.
        port: name of the drive whose motor-side forces act through the gear.
        output_torque: B [Nm], reflected to the motor side.
        friction: load-dependent friction at the motor shaft, in place of a table.
    """

    name: str
    line: Line
    table: tuple[Losses, ...]
    wheels: tuple[Spin, ...] = ()
    port: str | None = None
    output_torque: float = 0.0
    friction: Friction | None = None

    def __post_init__(self) -> None:
        if self.friction is None:
            require_possible_losses(self.name, self.table, self.output_torque)
        elif self.friction.load is None or len(self.table):
            raise InputError(
                f"{self.name}: its friction is {self.friction.kind}, with {len(self.table)} rows of losses. Give "
                "either losses, or a friction with `load`."
            )

    @property
    def states(self) -> tuple[Quantity, ...]:
        """The torque that the quadratic terms of load-dependent friction follow, and a lubricant's temperature."""
        memory = (Quantity(f"{self.name}.load", "Nm"),) if self._has_memory else ()
        return (*memory, *lubricant_states(self.name, self.friction))

    @property
    def inputs(self) -> tuple[Quantity, ...]:
        """The temperature of a lubricant without heat capacity."""
        return lubricant_inputs(self.name, self.friction)

    @property
    def _has_memory(self) -> bool:
        return self.friction is not None and self.friction.load is not None and self.friction.load.has_memory

    @property
    def signals(self) -> tuple[Quantity, ...]:
        """Input torque and loss of the gear, on the motor side."""
        return (Quantity(f"{self.name}.input_torque", "Nm"), Quantity(f"{self.name}.loss_torque", "Nm"))

    @property
    def modes(self) -> tuple[str, ...]:
        """Rest and four quadrants."""
        return (STUCK_MODE, *QUADRANTS)

    def initial_mode(self, situation: Situation) -> str:
        """The mode of the speed's sign; guards find the flank."""
        speed = situation.speed(self.line)
        return STUCK_MODE if speed == 0 else FORWARD_DRIVING if speed > 0 else BACKWARD_DRIVING

    def act(self, mode: str, situation: Situation) -> Action:
        """A constraint at rest; otherwise a drag proportional to the transmitted torque, and the no-load torque."""
        row, offset = axial_torque(situation.kinematics, self.wheels, self.line.terms[0][1] if self.wheels else 1.0)
        if mode == STUCK_MODE:
            flow_probe = Drag(self.line, 0.0, row, offset, self.port)
            is_self_locking = self.is_self_locking(situation)  # its friction grows with any impact
            return Action(holds=(Hold(self.line, speed=0.0, is_firm=is_self_locking),), drags=(flow_probe,))
        sense, driving = QUADRANTS[mode]
        mesh = self._mesh_at_speed(situation, sense)
        gain = mesh.torque_gain(driving)
        no_load_torque = -sense * (gain * mesh.input_torque + mesh.output_torque)
        return Action(
            forces=(Force(self.line, no_load_torque),), drags=(Drag(self.line, gain - 1.0, row, offset, self.port),)
        )

    def follow(self, mode: str, situation: Situation, reaction: Reaction) -> Outcome:
        """The dissipated power, input torque and loss torque."""
        input_torque = reaction.flows[0]
        if mode == STUCK_MODE:
            loss = -reaction.multipliers[0]
        else:
            sense, driving = QUADRANTS[mode]
            loss = self._mesh_at_speed(situation, sense).torque_loss(input_torque, sense, driving)
        signals = {f"{self.name}.input_torque": input_torque, f"{self.name}.loss_torque": loss}
        rates = self._memory_rates(situation, input_torque, input_torque - loss)
        outcome = Outcome(rates, dissipated=loss * situation.speed(self.line), signals=signals)
        return with_lubricant_rate(self.friction, situation, outcome)

    def guards(self, mode: str, situation: Situation, reaction: Reaction) -> tuple[Guard, ...]:
        """The guards of rest, direction and flank."""
        input_torque = reaction.flows[0]
        if mode == STUCK_MODE:
            return self._starting_guards(situation, input_torque, input_torque + reaction.multipliers[0])
        return self._turning_guards(mode, situation, reaction, input_torque)

    def fixed_step_model(self, situation: Situation, step: Scalar) -> FixedStepModel:
        """The loss by the direction of power over the step, with the efficiencies of the initial speed."""
        mesh = self._mesh(situation, situation.ops.absolute(situation.speed(self.line)))
        inflow = PortInflow(flows=(1.0,))
        return FixedStepModel(
            STUCK_MODE, (GearLossImpulse(mesh.with_torque_factor(step), inflow, self.friction is None),)
        )

    @property
    def may_lock(self) -> bool:
        """Whether its efficiencies are those of a self-locking gear at rest; load-dependent friction never is."""
        return self.friction is None and self.table[0].back_driving_efficiency <= 0

    def is_self_locking(self, situation: Situation) -> Scalar:
        """Whether it is self-locking at rest: the joint alone cannot turn it."""
        return False if self.friction is not None else self._mesh_at_rest(situation).back <= 0

    def _mesh(self, situation: Situation, speed: Scalar) -> MeshEfficiency:
        """The mesh at a magnitude of the motor's speed."""
        if self.friction is None:
            return mesh_at_speed(self.table, self.output_torque, speed, situation.ops)
        friction = warm_friction(self.friction, situation)
        return load_friction_mesh(friction, speed, self._memory(situation), situation.ops)

    def _mesh_at_speed(self, situation: Situation, sense: float) -> MeshEfficiency:
        return self._mesh(situation, sense * situation.speed(self.line))

    def _mesh_at_rest(self, situation: Situation) -> MeshEfficiency:
        if self.friction is None:
            return self._mesh(situation, 0.0)
        return load_friction_mesh(self.friction, None, self._memory(situation), situation.ops)

    def _memory(self, situation: Situation) -> Scalar:
        """The torque of the quadratic terms [Nm]."""
        return situation.ops.maximum(situation.states[0], 0.0) if self._has_memory else 0.0

    def _memory_rates(self, situation: Situation, entering: Scalar, leaving: Scalar) -> tuple[Scalar, ...]:
        """The rate of the torque of the quadratic terms, which follows the torque that both sides carry."""
        if not self._has_memory:
            return ()
        assert self.friction is not None
        assert self.friction.load is not None
        ops = situation.ops
        carried = ops.minimum(ops.absolute(entering), ops.absolute(leaving))
        target = ops.where(entering * leaving > 0, carried, 0.0)
        return ((target - situation.states[0]) / self.friction.load.lag,)

    def _starting_guards(self, situation: Situation, entering: Scalar, leaving: Scalar) -> tuple[Guard, ...]:
        """It turns forward when T is above the holding range of friction, backward when it is below."""
        mesh, speed = self._mesh_at_rest(situation), situation.speed(self.line)
        ops, self_locking = situation.ops, self.is_self_locking(situation)
        is_at_rest = ops.absolute(speed) <= BREAKAWAY_SPEED
        guards = []
        for sense in (1.0, -1.0):
            margin, out = mesh.starting_margin(entering, leaving, sense, ops), sense * leaving + mesh.output_torque
            if self_locking:  # it may jam: then the motor drives
                guards.append(Guard(margin, QUADRANT_MODE[sense, True], when=is_at_rest))
                continue
            for motor_pushes, next_mode in (
                (out > 0, QUADRANT_MODE[sense, True]),
                (out <= 0, QUADRANT_MODE[sense, False]),
            ):
                guards.append(
                    Guard(BREAKAWAY_SPEED - sense * speed, next_mode, when=motor_pushes)
                )  # set in motion by an impact
                guards.append(Guard(margin, next_mode, when=ops.where(motor_pushes, is_at_rest, False)))
        return tuple(guards)

    def _turning_guards(
        self, mode: str, situation: Situation, reaction: Reaction, entering: Scalar
    ) -> tuple[Guard, ...]:
        sense, driving = QUADRANTS[mode]
        mesh, ops, forward_speed = (
            self._mesh_at_speed(situation, sense),
            situation.ops,
            sense * situation.speed(self.line),
        )
        forward_acceleration = without_noise(sense * situation.acceleration(self.line, reaction.a), ops)
        rate = _turning_rate(mesh, forward_acceleration, driving, reaction, ops)
        flank, other_flank = mesh.flank_load(entering, sense, driving, ops), QUADRANT_MODE[sense, not driving]
        stops = Guard(forward_speed, STUCK_MODE, rate=rate, when=forward_speed >= -BREAKAWAY_SPEED)
        reverses = Guard(
            forward_speed, QUADRANT_MODE[-sense, True], rate=rate, when=forward_speed < -BREAKAWAY_SPEED
        )  # reversed by an impact
        if not (driving and reaction.flow_responses):
            return (stops, reverses, Guard(flank, other_flank))
        jams = mesh.is_jammed(reaction.flow_responses[0], ops)
        eases = Guard(flank, other_flank, when=ops.where(jams, False, True))
        return (stops, reverses, eases, Guard(flank, STUCK_MODE, when=jams))


def _turning_rate(mesh: MeshEfficiency, rate: Scalar, driving: bool, reaction: Reaction, ops: Operations) -> Scalar:
    """The rate of the speed's magnitude; a self-locking gear that is kept at rest stops."""
    if driving or not reaction.flow_responses:
        return rate
    is_kept_at_rest = ops.where(
        ops.absolute(rate) < ACCELERATION_NOISE, ops.absolute(reaction.flow_responses[0]) < ACCELERATION_NOISE, False
    )
    return ops.where(mesh.back <= 0, ops.where(is_kept_at_rest, -1.0, rate), rate)


@check_arguments
def loss_laws(robot: Robot, mech: Mechanism) -> tuple[Law, ...]:
    """Return the losses of a robot's gears as laws `<drive>.gear`, load-dependent friction as `<motor>.motor_friction`.

    The wheels on the input side of a gear are those that turn at the motor's speed: the rotor, and the gear's input.

    >>> import gearwright as gw
    >>> from gearwright.parts import Drive, Gear, Link, Motor, Robot
    >>> lift = Drive("arm", Motor(1e-4), Gear(50, efficiency=0.4))
    >>> robot = Robot("lift", [Link("arm", mass=2, com=(0.3, 0, 0))], [lift])
    >>> law = loss_laws(robot, gw.assemble(robot))[0]
    >>> law.name, round(law.table[0].back_driving_efficiency, 9), [wheel.name for wheel in law.wheels]
    ('arm.gear', -0.5, ['arm.rotor'])
    """
    tables = {drive.title: gear_losses(drive.gear) for drive in robot.drives}
    frictions = {title: motor.total_friction for title, motor in robot_motors(robot)}
    both = [title for title, friction in frictions.items() if friction.load is not None and tables.get(title)]
    if both:
        raise InputError(
            f"{both[0]}: the gear has losses and the motor has load-dependent friction, which describe the same loss. "
            "Keep one: Gear(efficiency=...) or Friction(load=LoadFriction(...))."
        )
    return (
        *(_gear_loss(mech, title, f"{title}.gear", table) for title, table in tables.items() if table),
        *(
            _gear_loss(mech, title, f"{title}.motor_friction", (), friction)
            for title, friction in frictions.items()
            if friction.load is not None and friction.stiffness is None
        ),
        *(
            LoadBristles(
                f"{title}.motor_friction", motor_line(mech, title), friction, title, "Nm", input_wheels(mech, title)
            )
            for title, friction in frictions.items()
            if friction.load is not None and friction.stiffness is not None
        ),
    )


def _gear_loss(
    mech: Mechanism, title: str, name: str, table: tuple[Losses, ...], friction: Friction | None = None
) -> GearLoss:
    return GearLoss(name, motor_line(mech, title), table, input_wheels(mech, title), title, friction=friction)


def reversal_law(mech: Mechanism, title: str) -> GearLoss:
    """A drive without losses: its only effect is that `demands` divides a motion where its motor reverses.

    Series with and without losses then have the same times.
    """
    return GearLoss(f"{title}.reversal", motor_line(mech, title), (Losses(),))
