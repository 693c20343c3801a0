"""The motion of a whole machine from what a user prescribes: behind elastic drives that of the joints is enough."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from gearwright.algebra.operations import FLOATS
from gearwright.arrays import Array
from gearwright.dynamics.elastic_drives import ACCELERATION, Step, first_shaft
from gearwright.dynamics.integration_steps import Moving
from gearwright.errors import InputError
from gearwright.forces.law import Action, Law
from gearwright.functions.elastic.shaft_equations import Plan, plan
from gearwright.mechanism import Mechanism
from gearwright.motion import Motion, Trajectory
from gearwright.motion.piecewise_polynomials import piecewise
from gearwright.motion.recorded_motion import through
from gearwright.motion_demands.motion_segments.loop_forces import Loops
from gearwright.motion_demands.motion_segments.smooth_segments import pieces_of
from gearwright.motion_demands.shaft_motion.follow_nonlinear_spring import Followed, follow
from gearwright.motion_demands.shaft_motion.linear_springs import LinearShafts
from gearwright.motion_demands.shaft_motion.nonlinear_spring_sensitivity import BentShafts, ShaftCourse
from gearwright.motion_demands.shaft_motion.nonlinear_springs import BentShaft
from gearwright.system.inputs import gathered
from gearwright.system.system import System
from gearwright.text import listed

BENT = 2
"""Derivatives of the forces behind a spring that is not linear which bend its motor's acceleration where they jump."""


def trajectory_of(mech: Mechanism, motion: Any) -> Trajectory:
    """A motion with exact derivatives, of all speeds or of the joints alone; samples are joined by a spline."""
    if isinstance(motion, Motion):
        motion = through("demands", motion.t, motion.q)
    if not isinstance(motion, Trajectory):
        raise InputError(f"demands: a {type(motion).__name__} is not a Trajectory or a Motion.")
    if not mech.straight:
        raise InputError(
            "demands: the machine has free, spherical or planar joints, whose speeds are not the rates of coordinates. "
            "Give a Motion with its speeds and accelerations, and motors without inductance."
        )
    if motion.count not in (mech.n, first_shaft(mech)):
        joints = f", or those of its {first_shaft(mech)} joints" if mech.shafts else ""
        raise InputError(
            f"demands: the motion is one of {motion.count} coordinates, the machine has {mech.n} "
            f"({listed(mech.coordinates)}). Give all of them{joints}."
        )
    return motion


@dataclass(frozen=True, repr=False)
class WholeTrajectory(Trajectory):
    """A motion of a whole machine that is smooth but at its `edges`, which need not be looked for.

    Between `settling` times something settles anew, faster than even samples show. `solved` are the speeds whose
    equations gave the motion of shafts, `shafts` how they did.
    """

    edges: tuple[float, ...] = ()
    settling: tuple[float, ...] = ()
    solved: frozenset[int] = frozenset()
    shafts: LinearShafts | BentShafts | None = None

    def kinks(self, order: int) -> list[float]:
        """The edges between start and end."""
        return [t for t in self.edges if 0 < t < self.duration]


def whole_motion(
    system: System,
    joints: Trajectory,
    inputs: Any,
    start: Mapping[str, float],
    order: int,
    samples: int,
    loops: Loops | None = None,
) -> WholeTrajectory:
    r"""The motion of joints and shafts for one of the joints: an equation of a joint behind a spring gives its motor's.

    $K \theta = K q + M a + C v + g - f$, where f are the forces of laws on the joint, such as its friction; all are
    series of time (`motor_motion` says how many derivatives that takes).

    Args:
        system: the machine with its laws.
        joints: the motion of the joints.
        inputs: inputs of the laws, as a user gives them.
        start: states of the laws at the start.
        order: how many derivatives of the actuators' forces are wanted.
        samples: at how many times at least the motion is computed; between them are polynomials that meet all its
            derivatives up to the accelerations, and `order` more.
        loops: what closes the machine; the forces that do follow from the equations without drives.
    """
    mech = system.mech
    way = plan(mech, order, None if loops is None else loops.driven)
    solved = frozenset(e for step in way.steps for e in step.equations)
    behind = {*solved, *np.flatnonzero(way.idle.any(axis=1)).tolist()}
    acting = [law for law in system.laws if _pushes_on(law, system, behind)]
    between = [law for law in acting if _touches_shafts(law, system)]
    pushing = replace(system, laws=tuple(law for law in acting if law not in between))
    named = {k: x for k, x in inputs.items() if k in pushing.inputs} if isinstance(inputs, Mapping) else None
    given = gathered(mech, {one.name: one.initial for one in pushing.inputs.values()}, named)
    first = [start[name] for name in pushing.states]
    further = BENT if between else way.order - ACCELERATION
    padded = _padded(joints, mech.n)
    pieces = pieces_of(pushing, padded, given, first, further, samples)
    if between:
        _refuse_idle_shafts(way, between)
        found = tuple(pieces)
        bent = BentShafts(way, padded, given, found, loops, ())
        return _behind_bent_springs(bent, replace(system, laws=tuple(between)), start)
    shafts = LinearShafts(way, padded, given, tuple(pieces), order, loops)
    return replace(joined(shafts.values()), solved=solved, shafts=shafts)


def _behind_bent_springs(bent: BentShafts, system: System, start: Mapping[str, float]) -> WholeTrajectory:
    """Shaft by shaft the motion behind springs that are not linear."""
    way, courses = bent.way, []
    parts = bent.first_parts()
    for step in way.steps:
        _refuse_together(step, system)
        (equation,), (shaft,) = step.equations, step.shafts
        own = replace(system, laws=tuple(x for x in system.laws if _pushes_on(x, system, {equation})))
        one, found = BentShaft(own, equation, shaft), list[Followed]()
        for part in parts:
            memory = found[-1].end if found else None
            found.append(follow(one, part, memory, [start[name] for name in own.states]))
        courses.append(ShaftCourse(one, tuple(found)))
        parts = [part for followed in found for part in followed.parts]
    bent = replace(bent, courses=tuple(courses))
    settling = tuple(float(t) for part in parts for t in part.settling)
    solved = frozenset(e for step in way.steps for e in step.equations)
    whole = joined([(part.t, part.values) for part in parts])
    return replace(whole, settling=settling, solved=solved, shafts=bent)


def _refuse_idle_shafts(way: Plan, between: Sequence[Law]) -> None:
    if way.in_idle:
        raise InputError(
            f"demands: the wheels of {listed(way.in_idle)} push on joints of the loops that have no drives, and "
            f"{between[0].name!r} is not linear. Give the motion of all coordinates, or leave that law out."
        )


def _refuse_together(step: Step, system: System) -> None:
    if len(step.shafts) > 1:
        names = listed((system.mech.speeds[k] for k in step.shafts), " and ")
        raise InputError(
            f"demands: the motion of {names} follows from several joints together, and {system.laws[0].name!r} is not "
            f"linear. Give the motion of all {system.mech.n} coordinates, or leave that law out."
        )


@dataclass(frozen=True, repr=False)
class _StillShafts(Trajectory):
    """A motion of joints with shafts that stand still, for laws that do not ask for them."""

    joints: Trajectory | None = None

    def at(self, t: ArrayLike, derivative: int = 0) -> Array:
        """Those of the joints, which know their derivatives best."""
        assert self.joints is not None
        moved = self.joints.at(t, derivative)
        return np.concatenate([moved, np.zeros((*moved.shape[:-1], self.count - self.joints.count))], axis=-1)

    def kinks(self, order: int) -> list[float]:
        """Those of the joints."""
        assert self.joints is not None
        return self.joints.kinks(order)


def _padded(joints: Trajectory, n: int) -> Trajectory:
    c = joints.pieces.c
    pieces = piecewise(np.concatenate([c, np.zeros((*c.shape[:2], n - c.shape[2]))], axis=2), joints.pieces.x)
    return _StillShafts(pieces, joints=joints)


def _pushes_on(law: Law, system: System, behind: set[int]) -> bool:
    """Whether a law acts on joints behind springs; what has modes between joint and motor is refused."""
    found = False
    for touched, action in _lines(law, system):
        if touched & behind:
            found = True
            if action.drags or (_is_shaft(touched, system.mech) and (len(law.modes) > 1 or action.holds or law.inputs)):
                raise _between(law, touched, system.mech)
    return found


def _touches_shafts(law: Law, system: System) -> bool:
    return any(_is_shaft(touched, system.mech) for touched, _ in _lines(law, system))


def _is_shaft(touched: set[int], mech: Mechanism) -> bool:
    return any(index >= first_shaft(mech) for index in touched)


def _lines(law: Law, system: System) -> Iterator[tuple[set[int], Action]]:
    """The speeds of every line along which a law acts, in any mode."""
    alone = replace(system, laws=(law,))
    anywhere = [0.1 + 0.3 * k for k in range(system.mech.nq)]  # where no entry of a row is zero by chance
    rest = Moving(anywhere, [0.0] * system.mech.n, [s.initial for s in law.states])
    situation = alone.situations(FLOATS, 0.0, rest, alone.first_inputs)[0]
    for action in (law.act(mode, situation).placed(situation.scene) for mode in law.modes):
        yield from (({index for index, _ in line.terms}, action) for line in action.lines)


def _between(law: Law, touched: set[int], mech: Mechanism) -> InputError:
    speeds = listed((mech.speeds[index] for index in sorted(touched)), " and ")
    return InputError(
        f"demands: law {law.name!r} acts between {speeds}, and its modes ({listed(law.modes)}), or what it holds or "
        "drags, do not follow from the motion of the joint alone (inside a gap the motor may be anywhere). Give the "
        f"motion of all {mech.n} coordinates, or leave the law out: laws=[x for x in gw.laws(robot) if x.name != "
        f"{law.name!r}]."
    )


def joined(parts: Sequence[tuple[Array, Array]]) -> WholeTrajectory:
    """Polynomials between all times that meet the derivatives there."""
    from scipy.interpolate import BPoly, PPoly

    curves = [PPoly.from_bernstein_basis(BPoly.from_derivatives(t, values)) for t, values in parts]
    degree = max(curve.c.shape[0] for curve in curves)
    padded = [np.concatenate([np.zeros((degree - len(one.c), *one.c.shape[1:])), one.c]) for one in curves]
    knots = np.concatenate([curves[0].x, *(curve.x[1:] for curve in curves[1:])])
    edges = tuple(float(t[0]) for t, _ in parts)
    assert all(one[0][-1] == other[0][0] for one, other in pairwise(parts))
    return WholeTrajectory(piecewise(np.concatenate(padded, axis=1), knots), edges=edges)
