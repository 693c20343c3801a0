"""Catching: an object that meets a hand is attached to it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import lru_cache

from gearwright.algebra import Rot, Scalar, Vec
from gearwright.argument_kinds import check_arguments
from gearwright.errors import InputError
from gearwright.forces.contact.contact import FREE_MODE, SurfaceGap
from gearwright.forces.coordinates.angles_and_distances import Displacement, Point, anchor_name
from gearwright.forces.coordinates.configuration import Anchor, Configuration
from gearwright.forces.coordinates.coordinate import Coordinate, CoordinateFunction
from gearwright.forces.coordinates.perturbed_configuration import without_displacement
from gearwright.forces.coordinates.relative_pose import (
    AXIS_VECTORS,
    POSE_COORDINATE_NAMES,
    ROTATION_NAMES,
    TRANSLATION_NAMES,
    checked_coordinates,
)
from gearwright.forces.law import Action, FixedStepModel, Guard, Hold, Law, Outcome, Quantity, Reaction, Situation
from gearwright.forces.time_stepping_impulses import UNBOUNDED_IMPULSE, BoundedImpulse
from gearwright.parts.environment.surfaces import Surface

CAUGHT_MODE = "caught"

CATCH_SETTLING_RATE = 100.0
"""Decay rate [1/s] of the remaining relative speed of a caught object."""


@dataclass(frozen=True)
class SmallRotation:
    """Rotation of a frame relative to another about one of its axes: not an angle, but its rate is exact.

    It is a component of the infinitesimal rotation from the current attitude, so it is regular at every attitude.
    """

    frame: Anchor
    relative_to: Anchor
    axis: int

    def __call__(self, configuration: Configuration) -> Scalar:
        """The component of the infinitesimal rotation [rad]."""
        R = configuration.relative_rotation(self.frame, self.relative_to)
        reference = Rot.from_rows([[without_displacement(x) for x in row] for row in R.rows()])
        small_rotation = R.after(reference.T)
        antisymmetric = Vec(
            small_rotation.c.y - small_rotation.b.z,
            small_rotation.a.z - small_rotation.c.x,
            small_rotation.b.x - small_rotation.a.y,
        )
        return 0.5 * antisymmetric.dot(Vec(*AXIS_VECTORS["xyz"[self.axis]]))


@check_arguments
@dataclass(frozen=True)
class Catch(Law):
    r"""An object that is attached to a hand where it meets a surface of the hand.

    free: the gap between the origin of the object and the surface, which is fixed in the hand, is positive. caught:
    the constrained components of the object's velocity relative to the hand are zero. A plastic impact, $H\,dv = J' P$,
    removes them at the catch; it conserves momentum and loses energy. The object keeps the position and attitude
    relative to the hand in which it was caught.

    Series: `<name>.gap` [m], and the constraint forces and torques `<name>.force.x` [N] to `<name>.torque.rz` [Nm] on
    the object, in the axes of the hand. State: `<name>.since` [s], the time since the catch; a run that starts with a
    positive value starts with the object attached.

    Args:
        object: the body or frame to be caught, such as a link with a free joint (`with_object`).
        hand: the body or frame that catches it.
        surface: the catching surface in the axes of the hand: a Sphere about the hand, a Plane (its palm).
        held: which of x, y, z, rx, ry, rz are constrained; default: all. A ball joint constrains x, y, z.
        name: its name; default: `<object>.catch`.

    >>> from gearwright.parts import Sphere
    >>> catch = Catch("ball", "tool", Sphere((0, 0, 0), 0.05))
    >>> catch.name, catch.modes
    ('ball.catch', ('free', 'caught'))
    """

    object: Anchor
    hand: Anchor
    surface: Surface
    held: Sequence[str] = POSE_COORDINATE_NAMES
    name: str = ""

    def __post_init__(self) -> None:
        if not self.name:
            object.__setattr__(self, "name", f"{anchor_name(self.object)}.catch")
        object.__setattr__(self, "held", checked_coordinates(self.name, self.held))
        if not hasattr(self.surface, "gap"):
            raise InputError(f"{self.name}: {self.surface!r} is not a surface. Give a Plane, Sphere or Cylinder.")
        if self.object == self.hand:
            raise InputError(f"{self.name}: object and hand are both {self.object!r}. Name another body as the hand.")

    @property
    def states(self) -> tuple[Quantity, ...]:
        """The time since the catch."""
        return (Quantity(f"{self.name}.since", "s"),)

    @property
    def signals(self) -> tuple[Quantity, ...]:
        """Gap and constraint forces."""
        reactions = (
            Quantity(self._reaction_name(word), "N" if word in TRANSLATION_NAMES else "Nm") for word in self.held
        )
        return Quantity(f"{self.name}.gap", "m"), *reactions

    def _reaction_name(self, word: str) -> str:
        return f"{self.name}.{'force' if word in TRANSLATION_NAMES else 'torque'}.{word}"

    @property
    def modes(self) -> tuple[str, ...]:
        """Free, then caught."""
        return FREE_MODE, CAUGHT_MODE

    def initial_mode(self, situation: Situation) -> str:
        """Free, or caught if the time since the catch is positive."""
        return CAUGHT_MODE if situation.states[0] > 0 else FREE_MODE

    def act(self, mode: str, situation: Situation) -> Action:
        """One constraint per held direction once it is caught."""
        if mode == FREE_MODE:
            return Action()
        lines = _held_coordinates(self, situation.mech.speeds)
        return Action(holds=tuple(Hold(x, target=-CATCH_SETTLING_RATE * situation.speed(x), speed=0.0) for x in lines))

    def follow(self, mode: str, situation: Situation, reaction: Reaction) -> Outcome:
        """Gap, constraint forces, and the power that the remaining relative speed dissipates."""
        lines = _held_coordinates(self, situation.mech.speeds)
        reactions = [0.0] * len(lines) if mode == FREE_MODE else list(reaction.multipliers)
        work = sum((f * situation.speed(line) for f, line in zip(reactions, lines, strict=True)), 0.0)
        values = [situation.position(_gap_coordinate(self, situation.mech.speeds)), *reactions]
        names = (signal.name for signal in self.signals)
        rates = (float(mode == CAUGHT_MODE),)
        return Outcome(rates, dissipated=-work, signals=dict(zip(names, values, strict=True)))

    def guards(self, mode: str, situation: Situation, reaction: Reaction) -> tuple[Guard, ...]:
        """Caught where the gap closes; the caught mode does not end."""
        if mode != FREE_MODE:
            return ()
        line = _gap_coordinate(self, situation.mech.speeds)
        return (Guard(situation.position(line), CAUGHT_MODE, rate=situation.speed(line)),)

    def fixed_step_model(self, situation: Situation, step: Scalar) -> FixedStepModel:
        """Caught from the step in whose middle the gap is closed: impulses stop the held directions."""
        ops, gap = situation.ops, situation.position(_gap_coordinate(self, situation.mech.speeds))
        is_caught = ops.where(situation.states[0] > 0, 1.0, ops.where(gap <= 0, 1.0, 0.0))
        impulse_limit = UNBOUNDED_IMPULSE * is_caught
        holds = tuple(Hold(line, speed=0.0) for line in _held_coordinates(self, situation.mech.speeds))

        def step_outcome(middle: Situation, reaction: Reaction) -> Outcome:
            return replace(self.follow(CAUGHT_MODE, middle, reaction), rates=(is_caught,))

        return FixedStepModel(
            CAUGHT_MODE,
            tuple(BoundedImpulse(-impulse_limit, impulse_limit) for _ in holds),
            Action(holds=holds),
            step_outcome,
        )


@lru_cache(maxsize=256)
def _gap_coordinate(law: Catch, speeds: tuple[str, ...]) -> Coordinate:
    return Coordinate(f"{law.name}.gap", SurfaceGap(Point(law.object), law.surface, law.hand), speeds)


@lru_cache(maxsize=256)
def _held_coordinates(law: Catch, speeds: tuple[str, ...]) -> tuple[Coordinate, ...]:
    """The constrained directions relative to the hand."""
    coordinates = []
    for word in law.held:
        if word in TRANSLATION_NAMES:
            function: CoordinateFunction = Displacement(Point(law.object), law.hand, AXIS_VECTORS[word])
        else:
            function = SmallRotation(law.object, law.hand, ROTATION_NAMES.index(word))
        coordinates.append(Coordinate(f"{law.name}.{word}", function, speeds))
    return tuple(coordinates)
