"""Losses of a gear: efficiency by the direction of power, self-locking, and the torque without load."""

from __future__ import annotations

from dataclasses import dataclass

from gearwright.algebra import Operations, Scalar
from gearwright.argument_kinds import check_arguments
from gearwright.forces.friction.stick_slip import CREEP, NOISE, beyond_noise
from gearwright.forces.impulse_limits import Entering
from gearwright.forces.law import (
    Action,
    Drag,
    Force,
    Guard,
    Hold,
    Law,
    Outcome,
    Quantity,
    Reaction,
    Situation,
    Stepped,
)
from gearwright.forces.line import Line
from gearwright.forces.robot_lines import motor_line
from gearwright.forces.time_stepping_impulses import Meshing
from gearwright.forces.transmission.gear_wheels import axial_torque, wheels_before
from gearwright.forces.transmission.mesh_efficiency import Mesh, mesh_at, refuse_impossible
from gearwright.mechanism import Mechanism, Spin
from gearwright.parts import Drive, Losses, Robot, losses_of

STUCK = "stuck"
FORWARD_DRIVING, FORWARD_DRIVEN = "forward driving", "forward driven"
BACKWARD_DRIVING, BACKWARD_DRIVEN = "backward driving", "backward driven"

ROLLING: dict[str, tuple[float, bool]] = {
    FORWARD_DRIVING: (1.0, True),
    FORWARD_DRIVEN: (1.0, False),
    BACKWARD_DRIVING: (-1.0, True),
    BACKWARD_DRIVEN: (-1.0, False),
}
"""Sense of the motor's speed, and whether the motor's flanks push, of the modes in which the gear turns."""

MODE = {state: mode for mode, state in ROLLING.items()}


@dataclass(frozen=True)
class GearLoss(Law):
    r"""A gear that loses torque by the direction of power, along the motor's line.

    T is the torque that enters the gear from the motor once the rotor is accelerated, O what leaves it (both counted
    at the motor's side), s the sense of the motor's speed. The teeth turn $T - s A$ into $O + s B$, where A and B are
    the torques without load of the bearings at the motor's and at the joint's side:

    - the motor's flanks push, $s (O + s B) > 0$: $O + s B = \eta' (T - s A)$,
    - the joint pushes, $s (O + s B) < 0$: $T - s A = \eta'' (O + s B)$; with $\eta'' \le 0$ the gear locks itself: to
      turn it at all, the motor must push too.

    At rest the loss is whatever keeps it at rest as long as T stays between the torques with which it would begin to
    turn, $\max$ and $\min$ of $O / \eta'$ and $\eta'' O$ (widened by A and B): the four quadrants of Pelchen, Schweiger
    and Otter (2002), Modelica's `LossyGear`, decided by the flank, so that they hold for self-locking gears too.

    A self-locking gear that is turned by a joint with much inertia has no consistent motion: it jams and stops at once
    (the paradox of Painleve); this is found from the inertias.

    Args:
        name: its name, `<drive>.gear`.
        line: the motor's line.
        table: losses over rising speeds of the motor.
        wheels: the wheels that turn before the gear, such as the rotor.
        port: name of the drive whose motor-side forces run through the gear.
        output_torque: B [Nm], counted at the motor's side.
    """

    name: str
    line: Line
    table: tuple[Losses, ...]
    wheels: tuple[Spin, ...] = ()
    port: str | None = None
    output_torque: float = 0.0

    def __post_init__(self) -> None:
        refuse_impossible(self.name, self.table, self.output_torque)

    @property
    def signals(self) -> tuple[Quantity, ...]:
        """What enters the gear and what is lost in it, at the motor's side."""
        return (Quantity(f"{self.name}.input_torque", "Nm"), Quantity(f"{self.name}.loss_torque", "Nm"))

    @property
    def modes(self) -> tuple[str, ...]:
        """At rest, and four quadrants."""
        return (STUCK, *ROLLING)

    def start(self, situation: Situation) -> str:
        """By the sense of the speed; the flank follows."""
        speed = situation.speed(self.line)
        return STUCK if speed == 0 else FORWARD_DRIVING if speed > 0 else BACKWARD_DRIVING

    def act(self, mode: str, situation: Situation) -> Action:
        """A hold at rest; else a drag in proportion to the torque through the gear, and the torque without load."""
        row, offset = axial_torque(situation, self.wheels, self.line.terms[0][1] if self.wheels else 1.0)
        if mode == STUCK:
            watched = Drag(self.line, 0.0, row, offset, self.port)
            firm = self.locks(situation)  # its friction grows with any blow
            return Action(holds=(Hold(self.line, speed=0.0, firm=firm),), drags=(watched,))
        sense, driving = ROLLING[mode]
        mesh = self._mesh(situation, sense)
        gain = mesh.gain(driving)
        idle = -sense * (gain * mesh.input_torque + mesh.output_torque)
        return Action(forces=(Force(self.line, idle),), drags=(Drag(self.line, gain - 1.0, row, offset, self.port),))

    def follow(self, mode: str, situation: Situation, reaction: Reaction) -> Outcome:
        """The loss."""
        entering = reaction.flows[0]
        if mode == STUCK:
            loss = -reaction.multipliers[0]
        else:
            sense, driving = ROLLING[mode]
            loss = self._mesh(situation, sense).loss(entering, sense, driving)
        signals = {f"{self.name}.input_torque": entering, f"{self.name}.loss_torque": loss}
        return Outcome(dissipated=loss * situation.speed(self.line), signals=signals)

    def guards(self, mode: str, situation: Situation, reaction: Reaction) -> tuple[Guard, ...]:
        """Those of rest, sense and flank."""
        entering = reaction.flows[0]
        if mode == STUCK:
            return self._starting(situation, entering, entering + reaction.multipliers[0])
        return self._turning(mode, situation, reaction, entering)

    def stepped(self, situation: Situation, step: Scalar) -> Stepped:
        """The loss by the direction of power over the step, with the efficiencies of the speed it begins with."""
        pace = situation.ops.absolute(situation.speed(self.line))
        mesh = mesh_at(self.table, self.output_torque, pace, situation.ops)
        return Stepped(STUCK, (Meshing(mesh.scaled(step), Entering(flows=(1.0,))),))

    def locks(self, situation: Situation) -> Scalar:
        """Whether it locks itself at rest: the joint alone does not turn it."""
        return self._at_rest(situation).back <= 0

    def _mesh(self, situation: Situation, sense: float) -> Mesh:
        speed = sense * situation.speed(self.line)
        return mesh_at(self.table, self.output_torque, speed, situation.ops)

    def _at_rest(self, situation: Situation) -> Mesh:
        return mesh_at(self.table, self.output_torque, 0.0, situation.ops)

    def _starting(self, situation: Situation, entering: Scalar, leaving: Scalar) -> tuple[Guard, ...]:
        """It turns forward once T is above all that friction can hold, backward once it is below."""
        mesh, speed = self._at_rest(situation), situation.speed(self.line)
        ops, locks = situation.ops, self.locks(situation)
        rests = ops.absolute(speed) <= CREEP
        guards = []
        for sense in (1.0, -1.0):
            margin, out = mesh.margin(entering, leaving, sense, ops), sense * leaving + mesh.output_torque
            if locks:  # it may jam: then the motor pushes
                guards.append(Guard(margin, MODE[sense, True], when=rests))
                continue
            for pushes, begins in ((out > 0, MODE[sense, True]), (out <= 0, MODE[sense, False])):
                guards.append(Guard(CREEP - sense * speed, begins, when=pushes))  # a blow sets it going
                guards.append(Guard(margin, begins, when=ops.where(pushes, rests, False)))
        return tuple(guards)

    def _turning(self, mode: str, situation: Situation, reaction: Reaction, entering: Scalar) -> tuple[Guard, ...]:
        sense, driving = ROLLING[mode]
        mesh, ops, ahead = self._mesh(situation, sense), situation.ops, sense * situation.speed(self.line)
        ahead_rate = beyond_noise(sense * situation.acceleration(self.line, reaction.a), ops)
        rate = _turning_rate(mesh, ahead_rate, driving, reaction, ops)
        flank, other = mesh.flank(entering, sense, driving, ops), MODE[sense, not driving]
        stops = Guard(ahead, STUCK, rate=rate, when=ahead >= -CREEP)
        reverses = Guard(ahead, MODE[-sense, True], rate=rate, when=ahead < -CREEP)  # turned round by a blow
        if not (driving and reaction.answers):
            return (stops, reverses, Guard(flank, other))
        jams = mesh.jams(reaction.answers[0], ops)
        eases = Guard(flank, other, when=ops.where(jams, False, True))
        return (stops, reverses, eases, Guard(flank, STUCK, when=jams))


def _turning_rate(mesh: Mesh, rate: Scalar, driving: bool, reaction: Reaction, ops: Operations) -> Scalar:
    """How the speed changes, in its own sense; something that is kept at rest while it locks itself stops."""
    if driving or not reaction.answers:
        return rate
    kept = ops.where(ops.absolute(rate) < NOISE, ops.absolute(reaction.answers[0]) < NOISE, False)
    return ops.where(mesh.back <= 0, ops.where(kept, -1.0, rate), rate)


@check_arguments
def loss_laws(robot: Robot, mech: Mechanism) -> tuple[Law, ...]:
    """The losses that a robot's gears state, as laws `<drive>.gear`.

    The wheels before a gear are those that turn at the motor's own rate: the rotor, and the gear's input.

    >>> import gearwright as gw
    >>> from gearwright.parts import Drive, Gear, Link, Motor, Robot
    >>> lift = Drive("arm", Motor(1e-4), Gear(50, efficiency=0.4))
    >>> robot = Robot("lift", [Link("arm", mass=2, com=(0.3, 0, 0))], [lift])
    >>> law = loss_laws(robot, gw.assemble(robot))[0]
    >>> law.name, round(law.table[0].back, 9), [wheel.name for wheel in law.wheels]
    ('arm.gear', -0.5, ['arm.rotor'])
    """
    tables = [(drive, losses_of(drive.gear)) for drive in robot.drives]
    return tuple(_gear_loss(mech, drive, table) for drive, table in tables if table)


def _gear_loss(mech: Mechanism, drive: Drive, table: tuple[Losses, ...]) -> GearLoss:
    line = motor_line(mech, drive.title)
    return GearLoss(f"{drive.title}.gear", line, table, wheels_before(mech, drive.title), drive.title)
