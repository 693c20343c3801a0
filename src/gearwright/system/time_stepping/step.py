r"""One step of Moreau's midpoint rule, for laws that stick, stop, slip and lose power by its direction.

$q_m = q \oplus \tfrac h2 v, \quad v_f = v + h M^{-1}(q_m) f(q_m, v), \quad v^+ = v_f + M^{-1} \sum_i b_i P_i, \quad
q^+ = q_m \oplus \tfrac h2 v^+$

with the impulses P within the limits of the laws (`Law.stepped`) at the speeds $v^+$ (J. J. Moreau, "Unilateral contact
and dry friction in finite freedom dynamics", 1988). No instant of impact or of sticking is located, so that every step
costs the same. Works are those of the mean speeds $(v + v^+)/2$, with which the machine moves. What is observed along
such a motion are energies at its states, and mean forces over steps.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple, TypeAlias

import numpy as np

from gearwright.algebra import Operations, Scalar, is_number, is_zero
from gearwright.algebra.operations import ARRAYS
from gearwright.arrays import Array
from gearwright.dynamics.configuration import integrate, neutral, own_joints
from gearwright.dynamics.energy import kinetic_energy, potential_energy
from gearwright.dynamics.forward_dynamics import bias, inertia_solver
from gearwright.dynamics.integration_steps import Moving
from gearwright.dynamics.pose import Pose, place
from gearwright.errors import InputError
from gearwright.forces.impulse_limits import Limit
from gearwright.forces.law import Action, Hold, Law, Outcome, Reaction, Situation, Stepped
from gearwright.forces.shared_kinematics import Scene
from gearwright.forces.time_stepping_impulses import UNBOUNDED, Bounded, Cone, Unilateral, Unlimited
from gearwright.mechanism.joints.spaces import LINES
from gearwright.mechanism.rows import Terms, along, spread
from gearwright.system.kernels.observation import Observation
from gearwright.system.modes.contact_modes import PAINLEVE
from gearwright.system.system import System, booked, share
from gearwright.system.time_stepping.impulse_solver import Flow, Impulse, solve_impulses, strikes_by_sliding
from gearwright.text import listed
from gearwright.tracing.simplify.equivalent_machine import prepare

TOLERANCE, RELATIVE = 1e-7, 1e-5
"""Change of a speed along a row in the last sweep up to which all impulses are consistent: [rad/s, m/s], and relative
to the largest change of a speed by an impulse."""

CORRECTION = 2e-7
"""Correction of a gap [m, rad] after which its direction need not be looked at anew."""

TRIES = 400
"""Tries of a step, each with its number of sweeps, after which it goes on as it is."""

Solver: TypeAlias = Callable[[Sequence[Scalar]], list[Scalar]]
"""A right-hand side -> M^-1 of it."""


class Reached(NamedTuple):
    """Where a step ends.

    Args:
        x: configuration, speeds and states of the laws.
        a: mean accelerations over the step.
        powers: supplied and dissipated power, means over the step [W].
        penetration: how far something is beyond a stop or inside a surface [rad, m], 0 or more.
        residual: of the conditions of all impulses: what the last sweep changed of a speed [rad/s, m/s], or what the
            last correction of a gap was, relative to what is tolerated.
        gain: energy that contacts with restitution and friction have brought in [J], 0 or more.
        jamming: 1 + the number of the first law whose contact its own friction has struck (Painleve), 0 where none.
        iterate: where another try of the same step goes on; empty for a step that began without one.
        acting: how each law acted.
        reactions: what each law felt, as mean forces over the step.
    """

    x: Moving
    a: Sequence[Scalar]
    powers: Sequence[Scalar]
    penetration: Scalar
    residual: Scalar
    gain: Scalar
    jamming: Scalar
    iterate: Sequence[Scalar]
    acting: Sequence[Acting]
    reactions: Sequence[Reaction]


@dataclass(frozen=True)
class Acting:
    """A law over a step: how it acts, the limits of its holds, and what was said about it."""

    law: Law
    situation: Situation
    stated: Stepped
    action: Action

    @property
    def limited(self) -> list[tuple[Hold, Limit]]:
        """Its holds, each with its limit."""
        limits = self.stated.limits or tuple(Unlimited() for _ in self.action.holds)
        return list(zip(self.action.holds, limits, strict=True))

    def outcome(self, situation: Situation, reaction: Reaction) -> Outcome:
        """What follows in a situation near that of the middle of the step."""
        follow = self.stated.outcome
        found = (
            self.law.follow(self.stated.mode, situation, reaction) if follow is None else follow(situation, reaction)
        )
        return booked(found, self.action, reaction)

    def outcome_at(self, v: Sequence[Scalar], reaction: Reaction) -> Outcome:
        """What follows at other speeds than those of the beginning."""
        return self.outcome(replace(self.situation, v=v, shared=None), reaction)

    @property
    def at_ease(self) -> Reaction:
        """The reaction where nothing pushes: enough for what a law stores."""
        nothing = [0.0] * len(self.situation.v)
        return Reaction(nothing, [0.0] * len(self.action.holds), [0.0] * len(self.action.drags))


def require_stated(system: System) -> None:
    """Refuse laws with modes that do not say how they act over a fixed step."""
    for law in system.laws:
        if len(law.modes) > 1 and type(law).stepped is Law.stepped:
            raise InputError(
                f"law {law.name!r} cannot run in fixed steps: it has the modes {listed(law.modes)} and does not say "
                "what they do over a step. Give it `stepped`, use the adaptive method, or a smooth law."
            )


def moreau_step(
    system: System,
    sweeps: int,
    ops: Operations,
    t: Scalar,
    h: Scalar,
    x: Moving,
    u: Sequence[Scalar],
    iterate: Sequence[Scalar] = (),
) -> Reached:
    """Where a step of h [s] from x at the time t [s] ends, with the inputs u in its middle.

    Args:
        system: the machine with its laws.
        sweeps: of the projected Gauss-Seidel method, per try.
        ops: operations of the scalars.
        t: time [s].
        h: duration of the step [s].
        x: where it begins.
        u: inputs in its middle.
        iterate: what the try before has found (`first_iterate` before the first one); () where there is one try only.
    """
    mech, half = system.mech, 0.5 * h
    ready = prepare(mech)
    middle = integrate(mech, x.q, [half * speed for speed in x.v], ops)
    situations = system.situations(ops, t + half, Moving(middle, x.v, x.states), u)
    acting = acting_over(system, situations, h)
    actions = [one.action for one in acting]
    pose = place(ready.mech, ready.placed_at(middle), ops)
    solved = inertia_solver(pose)
    free = _free_accelerations(pose, system.forces(u, actions), solved, x.v, half)
    v = [speed + h * a for speed, a in zip(x.v, free, strict=True)]
    flows = _flows(system, u, actions, x.v, h)
    impulses = _impulses(acting, solved, flows, x.v, h)
    tried = _Tried.of(iterate, len(impulses))
    solution = solve_impulses(impulses, v, h, sweeps, ops, tried.guess, tried.impulses, tried.active)
    after = solution.speeds
    q = integrate(mech, middle, [half * speed for speed in after], ops)
    a = [(end - begin) / h for end, begin in zip(after, x.v, strict=True)]
    reactions = _reactions(acting, solution.impulses, flows, after, a, h)
    rates = [rate for one, felt in zip(acting, reactions, strict=True) for rate in one.outcome_at(after, felt).rates]
    mean = [0.5 * (begin + end) for begin, end in zip(x.v, after, strict=True)]
    outcomes = [one.outcome_at(mean, felt) for one, felt in zip(acting, reactions, strict=True)]
    states = [state + h * rate for state, rate in zip(x.states, rates, strict=True)]
    powers = system.powers(mean, u, outcomes)
    projection = _projected(_Projecting(system, acting, impulses, free, t + h, ops), q, sweeps, tried)
    powers[1] = powers[1] + projection.work / h
    largest: Scalar = 0.0
    for speed in solution.scaled:
        largest = ops.maximum(largest, ops.absolute(speed))
    residual = ops.maximum(solution.residual / (TOLERANCE + RELATIVE * largest), projection.residual)
    depth = ops.maximum(_deepest(acting, ops), projection.depth)
    if iterate:
        residual, depth = (
            ops.where(tried.active, new, old) for new, old in ((residual, tried.residual), (depth, tried.depth))
        )
        iterate = tried.following(solution.scaled, projection.scaled, depth, residual, ops)
    gain, jamming = _gain(acting, outcomes, h, ops), _first_jamming(acting, impulses, solution.impulses, (x.v, v), ops)
    reached = Moving(projection.q, after, states)
    return Reached(reached, a, powers, depth, residual, gain, jamming, iterate, acting, reactions)


def _gain(acting: Sequence[Acting], outcomes: Sequence[Outcome], h: Scalar, ops: Operations) -> Scalar:
    """Energy that contacts have brought in over a step: Newton's restitution beside friction may do so [J]."""
    lost: Scalar = 0.0
    for one, outcome in zip(acting, outcomes, strict=True):
        limits = [limit for _, limit in one.limited]
        bounces = any(isinstance(limit, Unilateral) and not is_zero(limit.leaving) for limit in limits)
        if bounces and any(isinstance(limit, Cone) for limit in limits):
            lost = lost + outcome.dissipated
    return 0.0 if is_zero(lost) else ops.maximum(-h * lost, 0.0)


def _first_jamming(
    acting: Sequence[Acting],
    impulses: Sequence[Impulse],
    values: Sequence[Scalar],
    speeds: tuple[Sequence[Scalar], Sequence[Scalar]],
    ops: Operations,
) -> Scalar:
    """1 + the number of the first law whose contact is struck by its own friction, 0 where none is."""
    found, first = 0.0, 0  # type: Scalar, int
    for number, one in enumerate(acting, start=1):
        last = first + len(one.action.holds)
        if any(isinstance(limit, Cone) for _, limit in one.limited):
            strikes = strikes_by_sliding(impulses[first:last], values[first], *speeds, ops)
            found = ops.where(found > 0, found, ops.where(strikes, float(number), 0.0))
        first = last
    return found


def jamming_remark(system: System, jamming: float, t: float) -> str:
    """What is to be said about the law that `Reached.jamming` names, from the time t [s] on."""
    return PAINLEVE.format(system.laws[int(jamming) - 1].name, t)


def _free_accelerations(
    pose: Pose, forces: Sequence[Scalar], solved: Solver, v: Sequence[Scalar], half: Scalar
) -> list[Scalar]:
    """Accelerations without holds, at the speeds of the beginning.

    Where speeds are counted in axes that turn (free, spherical and planar joints), inertial forces are those of the
    speeds in the middle of the step: there even a steady flight changes them, and steps along its tangent gain energy.
    """
    found = solved([f - held for f, held in zip(forces, bias(pose, v), strict=True)])
    if all(space is LINES for space, _, _ in own_joints(pose.mech)):
        return found
    middle = [speed + half * a for speed, a in zip(v, found, strict=True)]
    return solved([f - held for f, held in zip(forces, bias(pose, middle), strict=True)])


class _Tried(NamedTuple):
    """What the try before has found.

    Args:
        impulses: scaled impulses.
        changes: by how much the try changed them.
        corrections: scaled corrections of the gaps.
        depth: penetration that is left [m, rad].
        count: tries since the residual has last grown.
        residual: relative to what is tolerated; negative before the first try.
    """

    impulses: Sequence[Scalar] | None = None
    changes: Sequence[Scalar] = ()
    corrections: Sequence[Scalar] | None = None
    depth: Scalar = 0.0
    count: Scalar = 0.0
    residual: Scalar = -1.0

    @staticmethod
    def of(iterate: Sequence[Scalar], count: int) -> _Tried:
        """From its numbers, for a number of impulses."""
        if not iterate:
            return _Tried()
        return _Tried(iterate[:count], iterate[count : 2 * count], iterate[2 * count : -3], *iterate[-3:])

    @property
    def active(self) -> Scalar:
        """Whether another try is needed."""
        return self.residual * (self.residual - 1.0) > 0

    @property
    def guess(self) -> list[Scalar] | None:
        """Where the next try begins: farther on in the direction of the last change (Nesterov)."""
        if self.impulses is None:
            return None
        onward = self.count / (self.count + 3.0)
        return [x + onward * change for x, change in zip(self.impulses, self.changes, strict=True)]

    def following(
        self,
        impulses: Sequence[Scalar],
        corrections: Sequence[Scalar],
        depth: Scalar,
        residual: Scalar,
        ops: Operations,
    ) -> list[Scalar]:
        """The numbers of this try."""
        changes = [new - old for new, old in zip(impulses, self.impulses or (), strict=True)]
        better = ops.where(self.residual < 0, True, residual < 1.01 * self.residual)
        return [*impulses, *changes, *corrections, depth, ops.where(better, self.count + 1.0, 0.0), residual]


def first_iterate(system: System) -> list[float]:
    """What the first try of a step begins with: no impulses, no corrections, and a residual that says so."""
    first = [*neutral(system.mech), *[0.0] * system.mech.n, *(state.initial for state in system.states.values())]
    at = system.moving([np.full(1, x) for x in first])
    with np.errstate(all="ignore"):
        acting = acting_over(system, system.situations(ARRAYS, 0.0, at, system.first_inputs), 1.0)
    limits = [limit for one in acting for _, limit in one.limited]
    return [0.0] * (2 * len(limits) + sum(isinstance(limit, Unilateral) for limit in limits) + 2) + [-1.0]


class _Projecting(NamedTuple):
    """What a projection of the configuration on the gaps needs to know."""

    system: System
    acting: Sequence[Acting]
    impulses: Sequence[Impulse]
    a: Sequence[Scalar]
    t: Scalar
    ops: Operations


class _Projection(NamedTuple):
    """A configuration without penetration.

    Args:
        q: the configuration.
        scaled: corrections as displacements along their own rows.
        residual: relative to what is tolerated.
        depth: penetration that is left [m, rad].
        work: of all forces but those of holds over the correction [J].
    """

    q: Sequence[Scalar]
    scaled: Sequence[Scalar]
    residual: Scalar
    depth: Scalar
    work: Scalar


def _projected(given: _Projecting, q: Sequence[Scalar], sweeps: int, tried: _Tried) -> _Projection:
    r"""The configuration moved by $M^{-1} \sum_i b_i s_i$, $0 \le s_i \perp g_i(q) \ge 0$ (Acary, 2013).

    One Newton step per try from the gaps where the try before has ended. Taking the gap from where the impulse has been
    found keeps it from doing work: what is lifted has lost as much in the impact.
    """
    system, ops = given.system, given.ops
    limited = [pair for one in given.acting for pair in one.limited]
    chosen = [
        (limit.line, impulse)
        for (_, limit), impulse in zip(limited, given.impulses, strict=True)
        if isinstance(limit, Unilateral)
    ]
    if not chosen:
        return _Projection(q, [], 0.0, 0.0, 0.0)
    still: list[Scalar] = [0.0] * system.mech.n
    moved = still
    if tried.corrections is not None:
        known = [replace(one, limit=Unlimited(), rate=0.0, flows=(), mates=()) for _, one in chosen]
        moved = solve_impulses(known, still, 1.0, 0, ops, tried.corrections).speeds
    reached = integrate(system.mech, q, moved, ops) if tried.corrections is not None else q
    scene = Scene(system.mech, reached, still, ops, given.t)
    gaps, wanted = [], []
    for line, one in chosen:
        gaps.append(line.placed(scene).position(reached))
        least = along(one.row, moved) - gaps[-1]
        wanted.append(replace(one, limit=Bounded(0.0, UNBOUNDED, least), rate=0.0, flows=(), mates=()))
    found = solve_impulses(wanted, still, 1.0, sweeps, ops, tried.corrections, tried.corrections, tried.active)
    residual, depth, work = 0.0, 0.0, 0.0  # type: Scalar, Scalar, Scalar
    for gap, (_, one), push in zip(gaps, chosen, found.impulses, strict=True):
        change = along(one.row, found.speeds) - along(one.row, moved)
        residual = ops.maximum(residual, ops.absolute(change) / CORRECTION)
        depth = ops.maximum(depth, -(gap + change))
        work = work + push * along(one.row, given.a)
    return _Projection(integrate(system.mech, q, found.speeds, ops), found.scaled, residual, depth, work)


def acting_over(system: System, situations: Sequence[Situation], h: Scalar) -> list[Acting]:
    """How each law acts over a step of h [s] from the speeds of its situation."""
    return [_acting(law, situation, h) for law, situation in zip(system.laws, situations, strict=True)]


def _acting(law: Law, situation: Situation, h: Scalar) -> Acting:
    stated = law.stepped(situation, h) or Stepped(law.modes[0])
    action = law.act(stated.mode, situation) if stated.action is None else stated.action
    action = action.placed(situation.scene)
    if len(law.modes) == 1 and any(not is_zero(drag.gain) for drag in action.drags):
        raise InputError(
            f"law {law.name!r} cannot run in fixed steps: its forces depend on the accelerations. Give it `stepped`, "
            "use the adaptive method, or a smooth law."
        )
    return Acting(law, situation, stated, action)


def _flows(
    system: System, u: Sequence[Scalar], actions: Sequence[Action], v: Sequence[Scalar], h: Scalar
) -> list[list[Flow]]:
    """Per law the flows through its drags."""
    inflows, holds = iter(system.inflows(u, actions)), [hold for action in actions for hold in action.holds]
    found = []
    for action in actions:
        mine = []
        for drag in action.drags:
            sense = tuple((k, x) for k, x in enumerate(drag.sense) if not is_zero(x))
            through = {j: share(x.line, drag.push) for j, x in enumerate(holds) if x.port and x.port == drag.port}
            mine.append(Flow(h * (next(inflows) - drag.offset) + along(sense, v), sense, through))
        found.append(mine)
    return found


def _impulses(
    acting: Sequence[Acting],
    solved: Solver,
    flows: Sequence[Sequence[Flow]],
    v: Sequence[Scalar],
    h: Scalar,
) -> list[Impulse]:
    """The impulses of all holds; those along the same row share row and answer."""
    known: dict[Terms, tuple[Terms, list[Scalar]]] = {}
    found: list[Impulse] = []
    for one, mine in zip(acting, flows, strict=True):
        mates = range(len(found), len(found) + len(one.action.holds))
        for hold, limit in one.limited:
            row, effect = _answered(hold, solved, known, len(v))
            target = hold.line.speed(v) + h * hold.wanted if hold.speed is None else hold.speed
            found.append(Impulse(row, effect, limit, target, hold.line.rate, hold.compliance, mine, mates))
    return found


def _answered(
    hold: Hold, solved: Solver, known: dict[Terms, tuple[Terms, list[Scalar]]], n: int
) -> tuple[Terms, list[Scalar]]:
    row = hold.line.terms
    if not all(is_number(x) for _, x in row):
        return row, solved(spread(row, n))
    if row not in known:
        known[row] = row, solved(spread(row, n))
    return known[row]


def _reactions(
    acting: Sequence[Acting],
    values: Sequence[Scalar],
    flows: Sequence[Sequence[Flow]],
    v: Sequence[Scalar],
    a: Sequence[Scalar],
    h: Scalar,
) -> list[Reaction]:
    """What each law feels, as mean forces over the step."""
    first, found = 0, []
    for one, mine in zip(acting, flows, strict=True):
        last = first + len(one.action.holds)
        through = []
        for flow in mine:
            total = flow.known - along(flow.sense, v)
            for j, part in flow.shares.items():
                total = total + part * values[j]
            through.append(total / h)
        found.append(Reaction(a, [value / h for value in values[first:last]], through))
        first = last
    return found


def _deepest(acting: Sequence[Acting], ops: Operations) -> Scalar:
    depth: Scalar = 0.0
    for one in acting:
        if one.stated.penetration is not None:
            depth = ops.maximum(depth, one.stated.penetration)
    return depth


def converged_step(
    system: System, sweeps: int, t: Array, h: float, x: Moving, u: Sequence[Array], tries: int = TRIES
) -> Reached:
    """A step of many states at once, tried until the impulses of all of them are consistent."""
    iterate: list[Scalar] = [np.full(len(t), one) for one in first_iterate(system)]
    for _ in range(tries):
        step = moreau_step(system, sweeps, ARRAYS, t, h, x, u, iterate)
        iterate = list(step.iterate)
        if not (iterate[-1] > 1).any():
            break
    return step


def observe_stepped(system: System, sweeps: int, h: float, x: Array, inputs: Array, t: Array) -> Observation:
    """What is seen at states x (N, nx) with inputs (N, nu) at times t (N,): means over the step of h [s] that follows.

    Positions and stored energies are those of the states themselves.
    """
    u, at = list(np.ascontiguousarray(inputs.T)), system.moving(list(np.ascontiguousarray(x.T)))
    step = converged_step(system, sweeps, t, h, at, u)
    situations = system.situations(ARRAYS, t, at, u)
    asked = zip(step.acting, situations, step.reactions, strict=True)
    outcomes = [one.outcome(situation, felt) for one, situation, felt in asked]
    values = {name: value for outcome in outcomes for name, value in outcome.signals.items()}
    signals = {name: np.broadcast_to(np.asarray(values[name], dtype=np.float64), len(x)) for name in system.signals}
    a = np.stack([np.broadcast_to(one, len(x)) for one in step.a], axis=-1)
    return Observation(a, signals, np.zeros(len(x)) + sum(outcome.stored for outcome in outcomes))


def whole_energy(system: System, ops: Operations, t: Scalar, h: Scalar, x: Moving, u: Sequence[Scalar]) -> Scalar:
    """Kinetic and potential energy of the machine, and what its laws store [J]."""
    pose = place(system.mech, x.q, ops)
    total = kinetic_energy(pose, x.v) + potential_energy(pose)
    situations = system.situations(ops, t, x, u)
    for one, situation in zip(acting_over(system, situations, h), situations, strict=True):
        total = total + one.outcome(situation, one.at_ease).stored
    return total
