"""Rules on gains, friction and transmissions."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping
from typing import Literal

import numpy as np
from scipy.linalg import expm

from gearwright.analysis.model_audit.findings import AuditFinding
from gearwright.analysis.model_audit.joint_data import JointData, ModelData
from gearwright.arrays import Array
from gearwright.files import TransmissionStatement
from gearwright.text import listed_names

Integration = Literal["held", "euler", "implicit"]
"""Sampled torque held over a period; MuJoCo's Euler steps; its implicit steps."""

POLE_TOLERANCE = 1e-6
"""Distance of a pole outside the unit circle that is rounding."""
FRICTION_SHARE = 1.0
"""Friction relative to the effort limit from which a joint cannot move."""
UNIT_FACTOR_TOLERANCE = 0.05
"""Relative difference from a conversion factor within which a wrong unit is named."""
FRICTION_FACTOR = 2.0
"""Factor between stated and true friction that is reported."""
STATED_UNITS = {"per degree": 180 / math.pi, "per rpm": 30 / math.pi, "in mNm": 1e3, "in kgf cm": 100 / 9.80665}
"""Units of friction -> stated number per number in Nm or Nms/rad."""
POWER_TOLERANCE = 1e-3
"""Relative power gained by a transmission that is rounding of its stated numbers."""


def gain_findings(
    stated: Mapping[str, JointData], true: ModelData, names: Mapping[str, str], period: float, scheme: Integration
) -> Iterator[AuditFinding]:
    """Yield gains whose sampled loop is unstable with the inertia of the true machine.

    Args:
        stated: joints with kp and kd.
        true: the machine, with its mass matrices.
        names: joint of the model -> joint of the machine.
        period: of the controller or the simulation [s].
        scheme: how the torque acts between samples.
    """
    if true.inertia is None:
        return
    controlled = {names[x]: d for x, d in stated.items() if names.get(x) in true.speeds and (d.kp or d.kd)}
    if not controlled:
        return
    order = [true.speeds.index(name) for name in controlled]
    kp, kd = (np.array([getattr(d, word) or 0.0 for d in controlled.values()]) for word in ("kp", "kd"))
    damping = np.zeros(len(true.speeds)) if true.damping is None else true.damping
    worst, modes = 0.0, np.zeros(len(order))
    for M in true.inertia:
        # Joints without gains move freely: the inertia that the controlled ones feel is the inverse of (M^-1)_cc.
        felt = np.linalg.inv(np.linalg.inv(M)[np.ix_(order, order)])
        values, vectors = np.linalg.eig(sampled_loop(felt, damping[order], kp, kd, period, scheme))
        k = int(np.argmax(np.abs(values)))
        if abs(values[k]) > worst:
            worst, modes = float(abs(values[k])), np.abs(vectors[: len(order), k])
    if worst <= 1 + POLE_TOLERANCE:
        return
    part = [name for name, x in zip(controlled, modes, strict=True) if x >= 0.5 * modes.max()]
    lead = controlled[part[0]]
    yield AuditFinding(
        "gains",
        f"joint{'s' * (len(part) > 1)} {', '.join(repr(name) for name in part)}",
        f"with kp {lead.kp or 0:.4g} and kd {lead.kd or 0:.4g}, sampled every {period:g} s, a pole has the magnitude "
        f"{worst:.4g} with the true inertia.",
        worst,
        1.0,
        "",
        "Lower the gains, or the period.",
    )


def sampled_loop(M: Array, damping: Array, kp: Array, kd: Array, period: float, scheme: Integration) -> Array:
    r"""Return the transition matrix of positions and speeds over one period, (2n, 2n).

    "held": exact motion of $M \dot v + D v = -K_p q_k - K_d v_k$ with the torque of the sample held. "euler" is
    $(M + h D) v_{k+1} = M v_k - h (K_p q_k + K_d v_k)$, $q_{k+1} = q_k + h v_{k+1}$; "implicit" has $K_d$ beside D.

    >>> loop = sampled_loop(np.eye(1), np.zeros(1), np.array([100.0]), np.array([4.0]), 0.001, "held")
    >>> bool(abs(np.linalg.eigvals(loop)).max() < 1)
    True
    """
    n, h = len(kp), period
    Kp, Kd, D, identity = np.diag(kp), np.diag(kd), np.diag(damping), np.eye(n)
    if scheme == "held":
        free = np.zeros((3 * n, 3 * n))
        free[:n, n : 2 * n] = identity
        free[n : 2 * n, n : 2 * n] = -np.linalg.solve(M, D)
        free[n : 2 * n, 2 * n :] = np.linalg.inv(M)
        flow = expm(free * h)
        return np.asarray(flow[: 2 * n, : 2 * n] - flow[: 2 * n, 2 * n :] @ np.hstack([Kp, Kd]))
    inverse = np.linalg.inv(M + h * D + (h * Kd if scheme == "implicit" else 0.0))
    from_q = -h * inverse @ Kp
    from_v = inverse @ (M - (0.0 if scheme == "implicit" else h * Kd))
    return np.block([[identity + h * from_q, h * from_v], [from_q, from_v]])


def friction_findings(stated: Mapping[str, JointData], true: Mapping[str, JointData]) -> Iterator[AuditFinding]:
    """Yield friction that stops the joint, or that differs from the true one by the factor of a unit."""
    for name, data in stated.items():
        other = true.get(name)
        if data.friction and data.effort and data.friction >= FRICTION_SHARE * data.effort:
            yield AuditFinding(
                "friction",
                f"joint {name!r}",
                f"the friction {data.friction:.4g} {data.force_unit} is not below the effort limit {data.effort:.4g} "
                f"{data.force_unit}: the joint cannot move.",
                data.friction,
                data.effort,
                data.force_unit,
                "Give the friction as a torque at the joint [Nm], not as a coefficient or in another unit.",
            )
            continue
        if other is not None:
            yield from _compared_friction(data, other)


def _compared_friction(data: JointData, other: JointData) -> Iterator[AuditFinding]:
    n = abs(other.ratio) if other.ratio else 1.0
    effort = data.effort or other.largest_effort
    words = (
        ("friction", "friction", data.force_unit, {"at the motor side": 1 / n}),
        ("viscous_friction", "viscous friction", f"{data.force_unit} s/rad", {"at the motor side": 1 / n**2}),
    )
    for word, title, unit, factors in words:
        value, expected = getattr(data, word), getattr(other, word)
        if not value or value < 0 or not expected or 1 / FRICTION_FACTOR < value / expected < FRICTION_FACTOR:
            continue
        if word == "friction" and effort:
            factors = {**factors, "a share of the effort limit": 1 / effort}
        units = STATED_UNITS if word != "friction" else {k: x for k, x in STATED_UNITS.items() if k.startswith("in")}
        candidates = {**factors, **units, **{f"the reciprocal of {k}": 1 / x for k, x in units.items()}}
        named = [k for k, x in candidates.items() if abs(value / expected - x) <= UNIT_FACTOR_TOLERANCE * x]
        yield AuditFinding(
            "friction",
            f"joint {data.joint!r}",
            f"the {title} is {value:.4g} {unit}, the true one {expected:.4g} {unit}"
            + (f" (the number is {named[0]})." if named else f", a factor of {value / expected:.3g}."),
            value,
            expected,
            unit,
            f"Set it to {expected:.4g} {unit}.",
        )


def transmission_findings(transmissions: Iterable[TransmissionStatement]) -> Iterator[AuditFinding]:
    r"""Yield transmissions whose efforts create power: $E \ne \eta\, S'$ with $\eta \le 1$ for each motor."""
    for transmission in transmissions:
        S, E = np.array(transmission.speed_matrix), np.array(transmission.effort_matrix)
        if not S.size or E.shape != S.T.shape:
            continue
        share = np.einsum("ij,ji->i", S, E) / np.maximum(np.einsum("ij,ij->i", S, S), 1e-300)
        gained = E - S.T * np.minimum(share, 1.0)
        size = float(np.abs(gained).max())
        if size > POWER_TOLERANCE * np.abs(S).max():
            joint, motor = np.unravel_index(int(np.argmax(np.abs(gained))), gained.shape)
            joints = transmission.joints or tuple(f"joint{k + 1}" for k in range(S.shape[1]))
            yield AuditFinding(
                "transmission",
                f"transmission {transmission.name!r}",
                f"1 Nm of motor {motor + 1} gives {E[joint, motor]:.4g} Nm at {joints[joint]!r}, but {joints[joint]!r} "
                f"turns that motor at {S[motor, joint]:.4g} per unit speed: at 1 rad/s {size:.4g} W come from nowhere.",
                float(E[joint, motor]),
                float(S[motor, joint]),
                "",
                f"Use the transposed speed matrix for the efforts of {listed_names(joints)}.",
            )


def ratio_findings(stated: Mapping[str, JointData]) -> Iterator[AuditFinding]:
    """Yield gears whose torque ratio exceeds their speed ratio."""
    for name, data in stated.items():
        if (
            data.torque_ratio
            and data.speed_ratio
            and abs(data.torque_ratio) > abs(data.speed_ratio) * (1 + POWER_TOLERANCE)
        ):
            yield AuditFinding(
                "transmission",
                f"joint {name!r}",
                f"the torque is multiplied by {data.torque_ratio:g} and the speed divided by {data.speed_ratio:g}: "
                f"the power grows {abs(data.torque_ratio / data.speed_ratio):.3g} times.",
                data.torque_ratio,
                data.speed_ratio,
                "",
                "Use one ratio for both.",
            )
