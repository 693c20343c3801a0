"""The machine with closed loops: its independent speeds, and configurations that close the loops."""

from __future__ import annotations

import warnings
import weakref
from collections.abc import Callable, Collection, Sequence
from dataclasses import replace
from functools import cached_property
from typing import Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike

from gearwright.argument_kinds import check_arguments
from gearwright.arguments import as_float_array
from gearwright.arrays import Array
from gearwright.dynamics.closed_loops.embedding import ConstraintEmbedding, EquivalentTree
from gearwright.dynamics.closed_loops.loop_equations import loop_geometry
from gearwright.dynamics.configuration import independent_joints, neutral
from gearwright.errors import GearwrightWarning, InputError, caller_stack_level
from gearwright.mechanism import APPROXIMATIONS, Mechanism, RobotOrMech, assemble_tree, tree_of
from gearwright.parts import Loop, Robot
from gearwright.programs.closed_loops.independent_speeds import LoopNumbers, choose_closure
from gearwright.text import did_you_mean, listed_names

INDEPENDENT, TREE = COORDINATES = ("independent", "tree")
"""In which speeds a machine with closed loops is described: the independent ones, or all of its open tree."""


class ClosedMechanism(Mechanism):
    r"""A machine with closed loops. Its speeds are the independent ones, $v = G(q)\,v_i$.

    A configuration q has all coordinates of the open tree and closes the loops: as with quaternions, there are more
    coordinates than speeds. `closed` computes it from the independent coordinates. Speeds, accelerations and forces
    are those of the independent speeds: $a = G\,a_i + g$ and $\tau_i = G'\,\tau$.

    Args:
        tree: the machine with its loops cut open.
        loops: the constraints that close it.
        closure: independent speeds and groups; None: chosen at the reference configuration.
        reference: a closed configuration, (nq,); its branch is that of `closed`.
    """

    reference: Array
    solve: ClassVar[Callable[[ClosedMechanism, Array, Array], Array]]
    """(machine, independent coordinates, configuration near) -> whole configuration; `functions` provides it."""
    find_modes: ClassVar[Callable[[ClosedMechanism, Array], dict[str, Array]]]
    """(machine, independent coordinates) -> assembly modes by name; `functions` provides it."""

    def __init__(self, tree: Mechanism, loops: Sequence[Loop], closure: ConstraintEmbedding, reference: Array) -> None:
        is_list_of_loops = isinstance(loops, Sequence) and all(isinstance(loop, Loop) for loop in loops)
        if not (isinstance(tree, Mechanism) and is_list_of_loops and isinstance(closure, ConstraintEmbedding)):
            raise InputError(
                "ClosedMechanism: tree, loops and closure must be a machine, its loops and their embedding. "
                "gw.assemble(robot) makes it."
            )
        self.__dict__.update(tree.__dict__)
        self.__dict__.update(_tree=tree, _loops=tuple(loops), _closure=closure, reference=reference)

    @classmethod
    @check_arguments
    def from_tree(
        cls, tree: Mechanism, loops: Sequence[Loop], independent: Sequence[str] = (), start: ArrayLike | None = None
    ) -> ClosedMechanism:
        """Return the machine of an open tree whose loops are closed; `gw.assemble` takes a robot with loops.

        Args:
            tree: the open tree.
            loops: the loops, at least one.
            independent: names of the independent speeds; (): chosen by rank, driven ones preferred.
            start: configuration (nq,) near which the loops are closed; None: all coordinates zero.
        """
        if not loops:
            raise InputError("ClosedMechanism.from_tree: there are no loops. Give loops=.")
        first = None if start is None else _checked_start("ClosedMechanism.from_tree", tree.tree, start)
        return close_loops("ClosedMechanism.from_tree", tree.tree, loops, independent, first)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, ClosedMechanism) and (self.tree, self.loops, self.closure) == (
            other.tree,
            other.loops,
            other.closure,
        )

    __hash__ = object.__hash__

    def __repr__(self) -> str:
        loops = listed_names(loop.name for loop in self.loops)
        return f"<ClosedMechanism: {len(self.bodies)} bodies, loops: {loops}, speeds: {listed_names(self.speeds)}>"

    def __reduce__(self) -> tuple[Any, ...]:
        return ClosedMechanism, (self.tree, self.loops, self.closure, self.reference)

    @property
    def tree(self) -> Mechanism:
        """The machine with its loops cut open, in all coordinates."""
        tree: Mechanism = self.__dict__["_tree"]
        return tree

    @property
    def loops(self) -> tuple[Loop, ...]:
        """The constraints that close it."""
        loops: tuple[Loop, ...] = self.__dict__["_loops"]
        return loops

    @property
    def closure(self) -> ConstraintEmbedding:
        """The loops, the independent speeds, and the groups of dependent ones."""
        closure: ConstraintEmbedding = self.__dict__["_closure"]
        return closure

    @property
    def speeds(self) -> tuple[str, ...]:
        """Names of the independent speeds: driven ones first."""
        return tuple(self.layout.speeds[k] for k in self.closure.independent)

    @property
    def independent(self) -> tuple[str, ...]:
        """Names of the independent speeds."""
        return self.speeds

    @property
    def dependent(self) -> tuple[str, ...]:
        """Names of the dependent speeds."""
        return tuple(name for name in self.layout.speeds if name not in self.speeds)

    @property
    def speeds_are_rates(self) -> bool:
        """False: a small motion is one of the independent speeds, not of all coordinates."""
        return False

    @cached_property
    def independent_indices(self) -> tuple[int, ...]:
        """Indices in q of the coordinates of joints with independent speeds, in the order of `closed`."""
        indices: list[int] = []
        for speed in self.closure.independent:
            joint = next(x for x in independent_joints(self.tree) if x.v.start <= speed < x.v.stop)
            joint_indices = (
                [joint.q.start + speed - joint.v.start]
                if joint.space.speeds_are_rates
                else range(joint.q.start, joint.q.stop)
            )
            indices += [k for k in joint_indices if k not in indices]
        return tuple(indices)

    @property
    def redundant(self) -> tuple[str, ...]:
        """Names of the equations of loops that follow from the others: their forces are not unique."""
        names = self.closure.equation_names
        return tuple(name for k, name in enumerate(names) if k not in self.used_equations)

    @property
    def used_equations(self) -> list[int]:
        """Indices of the equations that determine the dependent speeds."""
        return sorted(k for group in self.closure.groups for k in group.equations)

    def with_tree(self, tree: Mechanism) -> ClosedMechanism:
        """Return the machine with another tree of the same structure, such as one with symbols."""
        loops = _geometries(tree, self.loops)
        if tree.speeds == self.layout.speeds:
            old = self.closure
            return ClosedMechanism(
                tree, self.loops, ConstraintEmbedding(loops, old.independent, old.groups), self.reference
            )
        values = dict(zip(self.tree.coordinates, self.reference.tolist(), strict=True))
        start = [values.get(name, x) for name, x in zip(tree.coordinates, neutral(tree), strict=True)]
        return close_loops("machine", tree, self.loops, [x for x in self.speeds if x in tree.speeds], start)

    def with_equivalent_tree(self, tree: Mechanism, offsets: Sequence[float]) -> ClosedMechanism:
        """Return the machine with an equivalent tree for its recursions, at coordinates q + offsets."""
        closure = replace(self.closure, equivalent_tree=EquivalentTree(tree, tuple(offsets)))
        return ClosedMechanism(self.tree, self.loops, closure, self.reference)

    def closed(self, q: ArrayLike, near: ArrayLike | None = None, branch: str | None = None) -> Array:
        """Return the whole configuration (..., nq) that closes the loops at independent coordinates (..., f).

        Newton's method follows the motion of the independent coordinates from a closed configuration, so the result
        is on its branch.

        Args:
            q: independent coordinates, in the order of `independent_coordinates`.
            near: a closed configuration, (..., nq), on the wanted branch; None: the reference.
            branch: the name of an assembly mode at the reference, instead of `near`.

        Raises:
            InputError: the loops cannot be closed there, or the motion leaves the branch.
        """
        independent_q = self._checked_independent("closed", q)
        if branch is not None:
            if near is not None:
                raise InputError("closed: near= and branch= both choose the branch. Give one of them.")
            near = self._mode_start(branch)
        start = self.reference if near is None else as_float_array("closed", "near", near)
        if start.ndim == 0 or start.shape[-1] != self.nq:
            raise InputError(f"closed: near has shape {start.shape}; its last axis must have length {self.nq}.")
        if not np.isfinite(start).all():
            raise InputError("closed: near has entries that are not finite. Give finite numbers.")
        return type(self).solve(self, independent_q, start)

    def assembly_modes(self, q: ArrayLike | None = None) -> dict[str, Array]:
        """Return the assembly modes at independent coordinates (f,): whole configurations by name.

        A name has the sign of the determinant of each group of dependent speeds, which does not change along a branch,
        and a number where several modes share it. Modes are found from random starts; the first one is that of the
        reference.

        Args:
            q: independent coordinates; None: those of the reference.
        """
        indices = list(self.independent_indices)
        independent_q = self._checked_independent("assembly_modes", self.reference[indices] if q is None else q)
        if independent_q.ndim != 1:
            raise InputError(
                f"assembly_modes: q has shape {independent_q.shape}. Give one configuration, ({len(indices)},)."
            )
        return type(self).find_modes(self, independent_q)

    @cached_property
    def _reference_modes(self) -> dict[str, Array]:
        return self.assembly_modes()

    def _mode_start(self, branch: str) -> Array:
        if branch not in self._reference_modes:
            raise InputError(
                f"closed: there is no assembly mode {branch!r} at the reference. "
                f"{did_you_mean(branch, list(self._reference_modes))}"
            )
        return self._reference_modes[branch]

    def _checked_independent(self, function: str, q: ArrayLike) -> Array:
        count = len(self.independent_indices)
        independent_q = as_float_array(function, "q", q)
        if independent_q.ndim == 0 or independent_q.shape[-1] != count:
            raise InputError(
                f"{function}: q has shape {independent_q.shape}; its last axis must have length {count} "
                f"({listed_names(self.independent_coordinates)}). Leading axes are a batch."
            )
        if not np.isfinite(independent_q).all():
            raise InputError(f"{function}: q has entries that are not finite. Give finite numbers.")
        return independent_q


def close_loops(
    owner: str,
    tree: Mechanism,
    loops: Sequence[Loop],
    independent: Sequence[str] = (),
    start: ArrayLike | None = None,
    fixed: Sequence[int] = (),
) -> ClosedMechanism:
    """Return the machine of an open tree whose loops are closed.

    Args:
        owner: for messages.
        tree: the open tree.
        loops: at least one.
        independent: names of the independent speeds; (): chosen by rank, driven ones preferred.
        start: configuration (nq,) near which the loops are closed; None: all coordinates zero, or a regular
            configuration near it, with a warning.
        fixed: indices of speeds that keep their place at the start, if the loops can be closed so.
    """
    geometries = _geometries(tree, loops)
    numbers = LoopNumbers(tree, geometries)
    first = np.array(neutral(tree) if start is None else start, dtype=np.float64)
    reference = numbers.closed_start(owner, first, fixed)
    if start is None and numbers.is_singular(reference):
        reference = numbers.regular_nearby(reference)
        values = ", ".join(f"{name} {x:.4g}" for name, x in zip(tree.coordinates, reference, strict=True))
        warnings.warn(
            f"{owner}: the loops are singular where all coordinates are zero, and several branches meet there. They "
            f"are closed at {values}. State a configuration of the wanted branch: states: in the file, or start=.",
            GearwrightWarning,
            stacklevel=caller_stack_level(),
        )
    closure = choose_closure(owner, tree, geometries, reference, independent)
    return ClosedMechanism(tree, loops, closure, reference)


def _geometries(tree: Mechanism, loops: Sequence[Loop]) -> tuple[Any, ...]:
    return tuple(loop_geometry(tree, loop.name, loop.frames, loop.held) for loop in loops)


_CLOSED: dict[int, tuple[weakref.ref[Robot], ClosedMechanism]] = {}
"""Machines with closed loops of the robots in use, by the robot's id."""


def machine_of(function: str, robot_or_mech: RobotOrMech, answer: str = "") -> Mechanism:
    """Return the machine itself, or that of a robot with its loops closed, computed once.

    Args:
        function: name of the called function, for messages.
        robot_or_mech: the user's argument.
        answer: the function that is evaluated, if it is another one.
    """
    if isinstance(robot_or_mech, Mechanism):
        return robot_or_mech
    if not isinstance(robot_or_mech, Robot) or not robot_or_mech.loops:
        return tree_of(function, robot_or_mech, answer)
    number = id(robot_or_mech)
    if number not in _CLOSED:
        mech = _close_robot(robot_or_mech, (), None)
        _CLOSED[number] = weakref.ref(robot_or_mech, lambda _: _CLOSED.pop(number, None)), mech
    return _CLOSED[number][1]


def stated_configuration(robot: Robot, tree: Mechanism) -> Array | None:
    """The configuration of the first state that a robot's file states; None without states."""
    if not robot.states:
        return None
    stated = robot.states[0].q
    for name in stated:
        if name not in tree.coordinates:
            raise InputError(
                f"robot {robot.name!r}: its state {robot.states[0].name!r} names {name!r}, which is no coordinate. "
                f"{did_you_mean(name, tree.coordinates)}"
            )
    values = dict(zip(tree.coordinates, neutral(tree), strict=True)) | dict(stated)
    return np.array([values[name] for name in tree.coordinates])


def _close_robot(robot: Robot, independent: Sequence[str], start: ArrayLike | None) -> ClosedMechanism:
    tree = tree_of("names", robot)
    stated: Collection[str] = robot.states[0].q if robot.states and start is None else ()
    places = enumerate(tree.layout.coordinate_of)
    fixed = [k for k, place in places if place >= 0 and tree.coordinates[place] in stated]
    start = stated_configuration(robot, tree) if start is None else _checked_start("assemble", tree, start)
    return close_loops(f"robot {robot.name!r}", tree, robot.loops, independent or robot.independent, start, fixed)


def _checked_start(function: str, tree: Mechanism, start: ArrayLike) -> Array:
    q = as_float_array(function, "start", start)
    if q.shape != (tree.nq,):
        raise InputError(f"{function}: start has shape {q.shape}; it must be ({tree.nq},).")
    return q


@check_arguments
def assemble(
    robot: Robot, coordinates: str = INDEPENDENT, *, independent: Sequence[str] = (), start: ArrayLike | None = None
) -> Mechanism:
    """Return the flat machine of a robot: augmented links, spins, shafts, springs, actuators and frames.

    A robot with closed loops becomes a `gw.contact.ClosedMechanism`: its speeds are independent, `mech.closed` computes
    whole configurations from independent coordinates, and `mech.tree` is the open tree.

    Args:
        robot: the robot.
        coordinates: "independent", or "tree" for the machine with its loops cut open and all speeds.
        independent: names of the independent speeds, or joints, of the loops; (): those that the robot's file states,
            or chosen by rank, driven ones preferred.
        start: configuration (nq,) near which the loops are closed; None: the first state of the robot's file, or all
            coordinates zero.

    Raises:
        InputError: the loops cannot be closed, the start is singular, or the independent speeds do not determine the
            others.

    >>> from gearwright.parts import Drive, Frame, Gear, Joint, Link, Loop, Motor, Robot
    >>> arm = Robot("arm", [Link("upper", mass=2, com=(0.2, 0, 0))], [Drive("upper", Motor(1e-4), Gear(100))])
    >>> assemble(arm).spins[0].ratio
    (100.0,)
    >>> bar = dict(mass=1.0, com=(0.5, 0, 0))
    >>> links = [Link("left", **bar), Link("right", joint=Joint(position=(2, 0, 0)), **bar),
    ...          Link("top", "left", Joint(position=(1, 0, 0)), **bar)]
    >>> frames = [Frame("a", "top", (2, 0, 0)), Frame("b", "right", (1, 0, 0))]
    >>> press = Robot("parallelogram", links, frames=frames, loops=[Loop("pin", ("a", "b"), ("x", "y"))])
    >>> mech = assemble(press, independent=["left"], start=[1.0, 1.0, -1.0])
    >>> mech.speeds, mech.tree.speeds
    (('left',), ('left', 'right', 'top'))
    >>> mech.closed([1.2]).round(6) + 0.0
    array([ 1.2,  1.2, -1.2])
    """
    if coordinates not in COORDINATES:
        raise InputError(f"assemble: coordinates={coordinates!r} is unknown. Use 'independent' or 'tree'.")
    if coordinates == TREE or not robot.loops:
        if independent or start is not None:
            raise InputError(
                "assemble: independent= and start= describe closed loops, which an open tree does not have. Omit them."
            )
        return assemble_tree(robot)
    return _close_robot(robot, independent, start) if independent or start is not None else machine_of("names", robot)


@check_arguments
def approximate(mech: RobotOrMech, kind: str) -> Mechanism:
    """Return an approximate model of the machine, as used by other tools.

    - "exact": the machine itself.
    - "reflected": every wheel's own energy, no coupling to its carrier (coupling 0); M contains J b b'.
    - "diagonal": only the diagonal of J b b', the "armature" of other tools.
    - "none": no wheels; their mass and inertia at rest remain in the links. A wheel that turns with a shaft keeps its
      inertia on the shaft, since the shaft would have none, but not the part of its rate due to joints: the joints'
      block of M is that of the links alone, as computed from a URDF, and is not coupled to the shafts.

    For elastic drives (Melhem and Loria, section 3; without effect on other machines):

    - "nicosia_tomei": the whole inertia matrix, H2 included. For wheels that are bodies of revolution it is the exact
      machine; the velocity terms are those of that matrix.
    - "spong": H2 = 0; rotors are part of the links at rest, without coupling to their own rotation.
    - "spong_bare": the same without the tensors of the rotors in the links, as often printed; their mass remains.
    - "rigid": no springs and no shafts, inertia E' H E. Springs between joints remain.
    - "undamped": springs without dampers.

    Closed loops stay closed.

    >>> from gearwright.mechanism import Body, Spin
    >>> arm = Mechanism([Body("upper", mass=2, com=(0.2, 0, 0))], [Spin("rotor", "base", (0, 0, 1), 1e-4, [100])])
    >>> approximate(arm, "none").spins
    ()
    """
    if kind not in APPROXIMATIONS:
        raise InputError(f"approximation {kind!r} is unknown. Use one of {', '.join(APPROXIMATIONS)}.")
    machine = machine_of("approximate", mech)
    return machine.with_tree(APPROXIMATIONS[kind](machine.tree))
