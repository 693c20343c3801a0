"""The laws of mechanics as residuals: near zero where the law holds, of order one where it is broken.

Every law takes a design (separate bodies), its machine and a state, and returns one relative number. The tests in
`tests/laws` see that it vanishes on random machines; `test_laws_can_fail` breaks the code and sees that it does not.
"""

from __future__ import annotations

import re
from dataclasses import replace

import numpy as np

import gearwright as gw
from support.compare import along, rate, relative, tangent_slope
from support.designs import QUASI, Bar, Design, Disc, State, revolution, steiner


def mass_matrix_is_symmetric(design: Design, mech: gw.Mechanism, s: State) -> float:
    M = gw.mass_matrix(mech, s.q)
    return relative(M, M.T)


def mass_matrix_is_definite(design: Design, mech: gw.Mechanism, s: State) -> float:
    """How far the smallest eigenvalue of the symmetric part, scaled to a unit diagonal, lies below zero."""
    M = gw.mass_matrix(mech, s.q)
    scale = np.sqrt(np.abs(np.diag(M)))
    low = np.linalg.eigvalsh(0.5 * (M + M.T) / np.outer(scale, scale)).min()
    return 0.0 if low > 0 else 1.0


def mass_matrix_is_slope_of_torque(design: Design, mech: gw.Mechanism, s: State) -> float:
    """M = d tau / d a; tau is affine in a, so differences over a unit step are exact."""
    forces = gw.inverse_dynamics(mech, s.q, s.v, np.vstack([np.zeros(mech.n), np.eye(mech.n)]))
    M = gw.mass_matrix(mech, s.q)
    return relative((forces[1:] - forces[0]).T, M, scale=1e-3 * np.abs(forces[0]).max())


def coriolis_matrix_makes_the_bias(design: Design, mech: gw.Mechanism, s: State) -> float:
    """C v = bias - gravity, springs left out."""
    rigid = replace(mech, springs=())
    expected = gw.bias(rigid, s.q, s.v) - gw.gravity(rigid, s.q)
    return relative(gw.coriolis_matrix(rigid, s.q, s.v) @ s.v, expected, scale=np.abs(gw.gravity(rigid, s.q)).max())


def inertia_rate_less_twice_coriolis_is_skew(design: Design, mech: gw.Mechanism, s: State) -> float:
    q, _ = along(mech, s)
    rate_of_M, C = rate(gw.mass_matrix(mech, q)), gw.coriolis_matrix(mech, s.q, s.v)
    N = rate_of_M - 2 * C
    return relative(N, -N.T, scale=1e-2 * np.abs(gw.mass_matrix(mech, s.q)).max())


def potential_slope_is_gravity_and_springs(design: Design, mech: gw.Mechanism, s: State) -> float:
    slope = tangent_slope(lambda q: gw.potential_energy(mech, q), mech, s.q)
    held = gw.gravity(mech, s.q)
    for row, stiffness, _, rest in design.springs:
        b = np.array([row.get(name, 0.0) for name in mech.speeds])
        where = np.array([mech.coordinates.index(name) if name in row else 0 for name in mech.speeds])
        held = held + b * stiffness * (b @ s.q[where] - rest)
    at_rest = gw.bias(mech, s.q, 0 * s.v)
    return max(relative(slope, held, 1e-2), relative(at_rest, held, 1e-2))


def power_in_is_energy_rate(design: Design, mech: gw.Mechanism, s: State) -> float:
    """tau . v + wrenches . (J v) = d/dt (T + V) + what the dampers take."""
    q, v = along(mech, s)
    stored = rate(gw.kinetic_energy(mech, q, v) + gw.potential_energy(mech, q))
    taken = sum(
        d * sum(b * s.v[mech.speeds.index(name)] for name, b in row.items()) ** 2 for row, _, d, _ in design.springs
    )
    tau = gw.inverse_dynamics(mech, s.q, s.v, s.a, s.wrenches)
    given = tau @ s.v + sum(w @ gw.jacobian(mech, s.q, body) @ s.v for body, w in s.wrenches.items())
    return relative(given, stored + taken, scale=1e-1 * float(np.abs(tau) @ np.abs(s.v)))


def forward_undoes_inverse(design: Design, mech: gw.Mechanism, s: State) -> float:
    outside = (s.wrenches, s.base_motion)
    tau = gw.inverse_dynamics(mech, s.q, s.v, s.a, *outside)
    return relative(gw.forward_dynamics(mech, s.q, s.v, tau, *outside), s.a)


def recursive_form_agrees(design: Design, mech: gw.Mechanism, s: State) -> float:
    """Newton-Euler = the recursive forming of H and h, springs in h."""
    H, h = gw.equations.recursive_form(mech, s.q, s.v)
    tau = gw.inverse_dynamics(mech, s.q, s.v, s.a)
    scale = np.abs(h).max()
    return max(relative(H @ s.a + h, tau, scale), relative(H, gw.mass_matrix(mech, s.q)))


def lagrange_form_agrees(design: Design, mech: gw.Mechanism, s: State) -> float:
    """Newton-Euler = Lagrange by Jacobians, and its Christoffel matrix is the Coriolis matrix."""
    rigid = replace(mech, springs=())
    B, H, g = gw.equations.lagrange_form(rigid, s.q, s.v)
    tau, C = gw.inverse_dynamics(rigid, s.q, s.v, s.a), gw.coriolis_matrix(rigid, s.q, s.v)
    scale = np.abs(B).max()
    found = [(B @ s.a + H @ s.v + g, tau), (B, gw.mass_matrix(rigid, s.q)), (g, gw.gravity(rigid, s.q)), (H, C)]
    return max(relative(x, y, 1e-2 * scale) for x, y in found)


def momenta(design: Design, mech: gw.Mechanism, i: int, q: np.ndarray, v: np.ndarray) -> np.ndarray:
    """Linear momentum and angular momentum about the world origin of link i and its wheels, each a body of its own."""
    (R, p), J = gw.placement(mech, q, i), gw.jacobian(mech, q, i)
    motion = np.einsum("...ij,...j->...i", J, v)
    bar = design.bars[i]
    pieces = [(bar.mass, bar.com, bar.inertia, np.zeros(3), {})]
    for disc in design.discs:
        if disc.carrier == i:
            tensor = revolution(disc.axis, disc.axial, disc.across)
            pieces.append((disc.mass, disc.position, tensor, disc.axis, disc.row))
            if disc.twin is not None:
                g, J2 = disc.twin
                tensor = revolution(disc.axis, J2, 0.5 * J2)
                pieces.append((0.0, disc.position, tensor, g * disc.axis, disc.row))
    total = np.zeros((*q.shape[:-1], 6))
    for mass, com, tensor, axis, row in pieces:
        b = np.array([row.get(name, 0.0) for name in mech.speeds])
        arm = R @ com
        omega = motion[..., 3:] + (R @ axis) * (v @ b)[..., None]
        linear = mass * (motion[..., :3] + np.cross(motion[..., 3:], arm))
        total[..., :3] += linear
        total[..., 3:] += np.einsum("...ij,jk,...lk,...l->...i", R, tensor, R, omega) + np.cross(p + arm, linear)
    return total


def reactions_balance_every_body(design: Design, mech: gw.Mechanism, s: State) -> float:
    """Newton and Euler for each link with its wheels cut free: joint wrenches, weight and wrench = momentum rate."""
    found = gw.reactions(mech, s.q, s.v, s.a, s.wrenches)
    q, v = along(mech, s)
    places = [gw.placement(mech, s.q, i) for i in range(len(design.bars))]
    worst = 0.0
    for i in range(len(design.bars)):
        given = _about_origin(*places[i], found[i])
        for child, bar in enumerate(design.bars):
            if bar.parent == i:
                given = given - _about_origin(*places[child], found[child])
        mass, com, _ = design.lumped(i)
        weight = mass * design.gravity
        R, p = places[i]
        given[:3] += weight
        given[3:] += np.cross(p + R @ com, weight)
        if f"b{i}" in s.wrenches:
            push = s.wrenches[f"b{i}"]
            given += np.concatenate([push[:3], push[3:] + np.cross(p, push[:3])])
        worst = max(worst, relative(given, rate(momenta(design, mech, i, q, v)), np.abs(found).max()))
    return worst


def _about_origin(R: np.ndarray, p: np.ndarray, wrench: np.ndarray) -> np.ndarray:
    force, moment = R @ wrench[:3], R @ wrench[3:]
    return np.concatenate([force, moment + np.cross(p, force)])


def momentum_rate_is_external_force(design: Design, mech: gw.Mechanism, s: State) -> float:
    """What comes from the base (joints and wheels mounted there), weight and wrenches change the momentum."""
    q, v = along(mech, s)
    given = np.zeros(6)
    found = gw.reactions(mech, s.q, s.v, s.a, s.wrenches)
    for i, bar in enumerate(design.bars):
        if bar.parent < 0:
            given += _about_origin(*gw.placement(mech, s.q, i), found[i])
    weight = sum(design.lumped(i)[0] for i in range(len(design.bars))) * design.gravity
    given += np.concatenate([weight, np.cross(gw.centre_of_mass(mech, s.q), weight)])
    for body, push in s.wrenches.items():
        given += np.concatenate([push[:3], push[3:] + np.cross(gw.placement(mech, s.q, body).position, push[:3])])
    for disc in design.discs:
        if disc.carrier < 0:
            rate_dot = sum(b * s.a[mech.speeds.index(name)] for name, b in disc.row.items())
            g, J2 = disc.twin or (0.0, 0.0)
            given[3:] += (disc.axial + g * J2) * rate_dot * disc.axis
    return relative(given, rate(gw.momentum(mech, q, v)), np.abs(found).max())


def free_flight_keeps_momentum(design: Design, mech: gw.Mechanism, s: State) -> float:
    """On a free base, motors, springs and gears inside change no momentum: only the weight does."""
    floating = afloat(design)
    mech = floating.written()
    rng = np.random.default_rng(0)
    q, v = rng.uniform(-1, 1, mech.nq), rng.uniform(-2, 2, mech.n)
    tau = np.concatenate([np.zeros(6), rng.uniform(-5, 5, mech.n - 6)])
    motion = State(q, v, gw.forward_dynamics(mech, q, v, tau))
    weight = sum(floating.lumped(i)[0] for i in range(len(floating.bars))) * floating.gravity
    given = np.concatenate([weight, np.cross(gw.centre_of_mass(mech, q), weight)])
    found = gw.momentum(mech, *along(mech, motion))
    return relative(rate(found), given, np.abs(found).max())


def afloat(design: Design) -> Design:
    """The design on a free trunk that carries what the base carried."""
    trunk = Bar(
        -1, "free", np.array([0, 0, 1.0]), np.eye(3), np.zeros(3), 4.0, np.array([0.1, 0, 0.05]), 0.2 * np.eye(3)
    )

    def renamed(row: dict[str, float]) -> dict[str, float]:
        return {re.sub(r"^j(\d+)", lambda found: f"j{int(found[1]) + 1}", name): b for name, b in row.items()}

    bars = [
        replace(b, parent=b.parent + 1, follows=b.follows and (b.follows[0] + 1, *b.follows[1:])) for b in design.bars
    ]
    discs = [replace(disc, carrier=disc.carrier + 1, row=renamed(disc.row)) for disc in design.discs]
    springs = tuple((renamed(row), *numbers) for row, *numbers in design.springs)
    bars = [replace(bar, joint="spherical" if bar.joint == "free" else bar.joint) for bar in bars]
    return replace(design, bars=(trunk, *bars), discs=tuple(discs), springs=springs)


def coaxial_rotor_of_ratio_one_is_welded(design: Design, mech: gw.Mechanism, s: State) -> float:
    """A rotor on the parent, on the axis of a joint, that turns with it is part of the driven link."""
    joint = [i for i, bar in enumerate(design.bars) if bar.joint == "revolute" and bar.follows is None][-1]
    bar, axial, across, mass, along_axis = design.bars[joint], 0.05, 0.04, 0.8, 0.15
    spot = bar.axis * along_axis
    on_parent = (bar.rotation @ bar.axis, axial, across, mass, bar.position + bar.rotation @ spot)
    geared = replace(design, discs=(*design.discs, Disc(bar.parent, *on_parent, {f"j{joint}": 1.0}))).written()
    total = bar.mass + mass
    com = (bar.mass * bar.com + mass * spot) / total
    tensor = bar.inertia + steiner(bar.mass, bar.com - com)
    tensor = tensor + revolution(bar.axis, axial, across) + steiner(mass, spot - com)
    heavier = replace(bar, mass=total, com=com, inertia=tensor)
    welded = replace(design, bars=tuple(heavier if b is bar else b for b in design.bars)).written()
    pairs = [
        (
            gw.inverse_dynamics(m, s.q, s.v, s.a),
            gw.mass_matrix(m, s.q),
            gw.coriolis_matrix(m, s.q, s.v),
            gw.kinetic_energy(m, s.q, s.v),
        )
        for m in (geared, welded)
    ]
    scale = 1e-2 * np.abs(pairs[1][1]).max()
    quasi = QUASI & {b.joint for b in design.bars}  # there C is not unique
    return max(relative(x, y, scale) for k, (x, y) in enumerate(zip(*pairs, strict=True)) if not (quasi and k == 2))


def regressor_times_parameters_is_torque(design: Design, mech: gw.Mechanism, s: State) -> float:
    Y, p = gw.regressor(mech, s.q, s.v, s.a), gw.parameters(mech)
    tau = gw.inverse_dynamics(mech, s.q, s.v, s.a)
    return relative(Y @ p, tau, scale=float(np.abs(Y * p).max()))


def batch_is_its_single_states(design: Design, mech: gw.Mechanism, s: State) -> float:
    """Every function of a state, on a (3, 2) batch and one state at a time."""
    rng = np.random.default_rng(1)
    q = s.q + rng.uniform(-0.5, 0.5, (3, 2, mech.nq))
    v, a = rng.uniform(-2, 2, (2, 3, 2, mech.n))
    push = {mech.bodies[0].name: rng.uniform(-5, 5, (3, 2, 6))}
    tip = len(mech.bodies) - 1
    calls = [
        (lambda x, u, b, w: gw.inverse_dynamics(mech, x, u, b, w)),
        (lambda x, u, b, w: gw.forward_dynamics(mech, x, u, b, w)),
        (lambda x, u, b, w: gw.bias(mech, x, u, w)),
        (lambda x, u, b, w: gw.reactions(mech, x, u, b, w)),
        (lambda x, u, b, w: gw.mass_matrix(mech, x)),
        (lambda x, u, b, w: gw.gravity(mech, x)),
        (lambda x, u, b, w: gw.coriolis_matrix(mech, x, u)),
        (lambda x, u, b, w: gw.kinetic_energy(mech, x, u)),
        (lambda x, u, b, w: gw.potential_energy(mech, x)),
        (lambda x, u, b, w: gw.momentum(mech, x, u)),
        (lambda x, u, b, w: gw.centre_of_mass(mech, x)),
        (lambda x, u, b, w: gw.placement(mech, x, tip).rotation),
        (lambda x, u, b, w: gw.jacobian(mech, x, tip)),
        (lambda x, u, b, w: gw.jacobian_rate(mech, x, u, tip)),
        (lambda x, u, b, w: gw.regressor(mech, x, u, b)),
        (lambda x, u, b, w: gw.integrate(mech, x, u)),
        (lambda x, u, b, w: gw.difference(mech, x, q[0, 0])),
        (lambda x, u, b, w: gw.equations.recursive_form(mech, x, u)[0]),
    ]
    worst = 0.0
    for call in calls:
        batch = call(q, v, a, push)
        for k in np.ndindex(3, 2):
            single = call(q[k], v[k], a[k], {name: w[k] for name, w in push.items()})
            worst = max(worst, relative(batch[k], single, 1e-3))
    return worst
