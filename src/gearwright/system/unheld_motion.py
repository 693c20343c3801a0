"""How a machine moves under laws that have one mode and act by forces alone, over scalars of any kind."""

from __future__ import annotations

from collections.abc import Sequence

from gearwright.algebra import Operations, Scalar
from gearwright.dynamics.fixed_steps import Field, Moving
from gearwright.dynamics.forward_dynamics import forward_dynamics
from gearwright.dynamics.pose import place
from gearwright.errors import InputError
from gearwright.forces.law import Action, Law, Outcome, Reaction, Situation
from gearwright.system.system import System
from gearwright.text import listed
from gearwright.tracing.prepare import prepare


def require_one_mode(system: System) -> None:
    """Refuse laws with modes."""
    for law in system.laws:
        if len(law.modes) > 1:
            raise _unfit(law, f"it has the modes {listed(law.modes)}")


def force_actions(system: System, situations: Sequence[Situation]) -> list[Action]:
    """How each law acts; only forces will do."""
    actions = system.actions(system.first_modes, situations)
    for law, action in zip(system.laws, actions, strict=True):
        if action.holds or action.drags:
            raise _unfit(law, "its forces depend on the accelerations")
    return actions


def outcomes_of(
    system: System, situations: Sequence[Situation], actions: Sequence[Action], a: Sequence[Scalar]
) -> list[Outcome]:
    """What follows for each law from the accelerations."""
    return system.outcomes(system.first_modes, situations, actions, [Reaction(a)] * len(system.laws))


def field_of(system: System, ops: Operations, work: bool) -> Field:
    """How the machine moves: (t, x, u) -> (a, rates of the laws' states, and with `work` both powers)."""
    ready = prepare(system.mech)

    def moves(t: Scalar, x: Moving, u: Sequence[Scalar]) -> tuple[list[Scalar], list[Scalar]]:
        situations = system.situations(ops, t, x, u)
        actions = force_actions(system, situations)
        tau = system.forces(u, actions)
        a = forward_dynamics(place(ready.mech, ready.placed_at(x.q), ops), x.v, tau)
        outcomes = outcomes_of(system, situations, actions, a)
        rates = [one for outcome in outcomes for one in outcome.rates]
        return a, [*rates, *system.powers(x.v, u, outcomes)] if work else rates

    return moves


def _unfit(law: Law, why: str) -> InputError:
    return InputError(
        f"law {law.name!r} cannot run in fixed steps: {why}. Use the adaptive method, or a smooth law (such as the "
        "smooth variant of friction)."
    )
