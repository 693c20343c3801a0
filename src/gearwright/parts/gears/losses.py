"""Losses of a gear: efficiency by direction of power, by speed and by mesh, and the no-load torque.

This module has the data and the statics; the force law that uses them is in `forces.transmission`.
"""

from __future__ import annotations

import math
from bisect import bisect_right
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Any

from gearwright.algebra import Scalar, is_number, is_zero
from gearwright.algebra.differentiation.dual_numbers import DUAL_FLOATS, primal_value
from gearwright.argument_kinds import check_arguments
from gearwright.arguments import require_range
from gearwright.errors import TrainError
from gearwright.parts.checks import require_gear
from gearwright.parts.gears.forces.tooth_forces import tangent, transverse_pressure_angle

EFFICIENCY_SLACK = 0.05
"""Tolerance: published efficiencies are rounded, and circulating power in planetary gears deviates slightly."""


@check_arguments
@dataclass(frozen=True)
class Losses:
    """The losses of a gear at one speed.

    Args:
        speed: magnitude of the motor's speed [rad/s].
        efficiency: fraction of the power that reaches the joint while the motor drives.
        back_efficiency: fraction of the power that reaches the motor while the joint drives; 0 or less: the gear is
            self-locking, the more so the lower the value. By default from statics.
        no_load_torque: torque at the motor side needed to turn the gear without load [Nm]; it makes the total
            efficiency depend on the load.

    >>> Losses(efficiency=0.8).back_driving_efficiency, round(Losses(efficiency=0.4).back_driving_efficiency, 9)
    (0.75, -0.5)
    """

    speed: Scalar = 0.0
    efficiency: Scalar = 1.0
    back_efficiency: Scalar | None = None
    no_load_torque: Scalar = 0.0

    def __post_init__(self) -> None:
        hint = "Give the magnitude of the motor's speed."
        require_range("losses", "speed", self.speed, least=0, unit="rad/s", hint=hint, error=TrainError)

    @property
    def back_driving_efficiency(self) -> Scalar:
        """The back-driving efficiency; by default from statics."""
        # Vukobratovic (20.69)
        return static_back_efficiency(self.efficiency) if self.back_efficiency is None else self.back_efficiency

    @property
    def is_lossless(self) -> bool:
        """Whether there are no losses."""
        return all(is_number(x) and x == 1 for x in (self.efficiency, self.back_driving_efficiency)) and is_zero(
            self.no_load_torque
        )


def static_back_efficiency(efficiency: Scalar) -> Scalar:
    r"""Return the back-driving efficiency from statics, $\eta'' = 2 - 1 / \eta'$.

    The same load causes the same torque loss in both directions: driving needs $T / \eta'$, so the loss is
    $T (1 / \eta' - 1)$, and of T at the joint $T - T (1 / \eta' - 1)$ remains. At $\eta' \le 1/2$ the gear is
    self-locking.
    """
    return 2 - 1 / efficiency


def gear_losses(gear: Any) -> tuple[Losses, ...]:
    """Return the losses of a gear over increasing speeds, with all back-driving efficiencies; empty without losses.

    They come from its table, its efficiencies, its geometry (worm, meshes) or its stages. Between two speeds they are
    interpolated linearly, beyond the ends the last values hold.

    >>> from gearwright.parts import Gear, Planetary, Worm
    >>> gear_losses(Gear(100, efficiency=0.8))
    (Losses(speed=0.0, efficiency=0.8, back_efficiency=0.75, no_load_torque=0.0),)
    >>> gear_losses(Gear(100))
    ()
    >>> round(gear_losses(Planetary(sun=18, planet=27, ring=72, mesh_efficiency=0.99))[0].efficiency, 6)
    0.98408
    >>> gear_losses(Worm(wheel=40, lead_angle=0.06, friction_coefficient=0.1))[0].back_efficiency < 0
    True
    """
    require_gear("gear_losses", gear)
    table = getattr(gear, "losses", ())
    if not table:
        derived = getattr(gear, "derived_losses", None)
        efficiency, back = gear.efficiency, getattr(gear, "back_efficiency", None)
        if efficiency is None and derived is not None:
            table = derived()
        else:
            table = (Losses(0.0, 1.0 if efficiency is None else efficiency, back),)
    extra = getattr(gear, "no_load_torque", 0.0)
    full = [
        replace(
            row, back_efficiency=row.back_driving_efficiency, no_load_torque=_sum_unless_zero(row.no_load_torque, extra)
        )
        for row in table
    ]
    return () if all(row.is_lossless for row in full) else tuple(full)


def without_losses(gear: Any) -> Any:
    """Return the gear and all its stages without losses.

    >>> from gearwright.parts import Gear, Worm
    >>> gear_losses(without_losses(Gear(100, efficiency=0.8, no_load_torque=0.01)))
    ()
    >>> gear_losses(without_losses(Worm(wheel=40, lead_angle=0.06, friction_coefficient=0.1)))
    ()
    >>> without_losses(Worm(wheel=40, lead_angle=0.06, efficiency=0.4)).efficiency
    1.0
    """
    changes: dict[str, Any] = {"no_load_torque": 0.0, "back_efficiency": None, "losses": (), "mesh_efficiency": None}
    if gear.efficiency is not None or len(getattr(gear, "losses", ())):
        changes["efficiency"] = 1.0
    if getattr(gear, "friction_coefficient", None) is not None:
        changes["friction_coefficient"] = 0.0
    if getattr(gear, "stages", ()):
        changes["stages"] = tuple(without_losses(stage) for stage in gear.stages)
    return replace(gear, **{word: value for word, value in changes.items() if hasattr(gear, word)})


@check_arguments
def interpolated_losses(table: Sequence[Losses], speed: Scalar) -> Losses:
    """Return the losses interpolated at a motor speed; for plain numbers, not symbols.

    >>> interpolated_losses([Losses(0, 0.5), Losses(100, 1.0)], -50).efficiency
    0.75
    """
    if not table:
        return Losses(abs(speed), 1.0, 1.0)
    size, at = abs(speed), [row.speed for row in table]
    k = bisect_right(at, size) - 1
    share = (size - at[k]) / (at[k + 1] - at[k]) if 0 <= k < len(at) - 1 else 0.0

    def interpolate(column: Sequence[Scalar]) -> Scalar:
        start = column[max(k, 0)]
        return start if is_zero(share) else start + share * (column[k + 1] - start)

    efficiency, back = (
        interpolate([row.efficiency for row in table]),
        interpolate([row.back_driving_efficiency for row in table]),
    )
    return Losses(abs(speed), efficiency, back, interpolate([row.no_load_torque for row in table]))


def series_losses(stages: Sequence[Any]) -> tuple[Losses, ...]:
    """Return the losses of gears in series, at the speeds of all their tables.

    Efficiencies multiply; a stage's no-load torque reaches the motor through the stages before it.
    """
    tables, before = [gear_losses(stage) for stage in stages], [1.0]
    for stage in stages:
        before.append(before[-1] * abs(stage.ratio))
    speeds = sorted({row.speed * r for table, r in zip(tables, before, strict=False) for row in table} or {0.0})
    rows = []
    for speed in speeds:
        drive, back, torque = 1.0, 1.0, 0.0
        for table, ratio in zip(tables, before, strict=False):
            stage_losses = interpolated_losses(table, speed / ratio)
            torque += stage_losses.no_load_torque / (ratio * drive)
            drive, back = (
                drive * stage_losses.efficiency,
                _series_back_efficiency(back, stage_losses.back_driving_efficiency),
            )
        rows.append(Losses(speed, drive, back, torque))
    return tuple(rows)


def _series_back_efficiency(back: float, stage_back: float) -> float:
    """Back-driving efficiency of two stages: self-locking if either is, also where both are negative."""
    return back * stage_back if back > 0 and stage_back > 0 else min(back, stage_back)


def worm_efficiencies(lead: Scalar, friction: Scalar, pressure: Scalar) -> tuple[Scalar, Scalar]:
    r"""Return both efficiencies of a worm, $\eta' = (c - \mu \tan\lambda) / (c + \mu \cot\lambda)$.

    $\eta'' = (c - \mu \cot\lambda) / (c + \mu \tan\lambda)$ with the lead angle $\lambda$, the friction coefficient
    $\mu$ and c the cosine of the normal pressure angle; self-locking for $\eta'' \le 0$.

    >>> worm_efficiencies(0.3, 0.0, 0.35)
    (1.0, 1.0)
    """
    c, t = DUAL_FLOATS.cos(pressure), tangent(lead)
    return (c - friction * t) / (c + friction / t), (c - friction / t) / (c + friction * t)


def worm_friction(lead: Scalar, efficiency: Scalar, pressure: Scalar) -> Scalar:
    r"""Return the friction of a worm from its efficiency, $c (1 - \eta') / (\tan\lambda + \eta' / \tan\lambda)$.

    >>> round(worm_friction(0.1, worm_efficiencies(0.1, 0.05, 0.35)[0], 0.35), 12)
    0.05
    """
    c, t = DUAL_FLOATS.cos(pressure), tangent(lead)
    return c * (1 - efficiency) / (t + efficiency / t)


def require_thread_friction(kind: str, friction: Scalar | None, lead: Scalar | None, efficiency: Scalar) -> None:
    """Raise unless the friction of a thread is possible and leaves it an efficiency."""
    hint = "Give the coefficient of friction in the thread."
    require_range(kind, "friction_coefficient", friction, least=0, hint=hint, error=TrainError)
    if friction is not None and is_number(efficiency) and efficiency <= 0:
        raise TrainError(
            f"{kind}: friction_coefficient {friction} and lead_angle {lead:.4g} rad give the efficiency "
            f"{efficiency:.4g}, which transmits no power. Reduce one of the two."
        )


def tooth_loss_factor(first: Scalar, second: Scalar, internal: bool, pressure: Scalar, helix: Scalar = 0.0) -> Scalar:
    r"""Return the share of the power that a mesh loses per unit of friction coefficient, $1 - \eta = \mu H$.

    With Coulomb friction and a normal force that the n teeth in contact share equally,
    $H = 2 \pi (1/z_1 \pm 1/z_2) \int_0^1 \frac{1}{n} \sum |s| \, dx / \cos\beta_b$ (+ external, - internal), with the
    positions s of the contacts along the path of contact in base pitches, from $-\varepsilon_1$ to $\varepsilon_2$. For
    contact ratios between 1 and 2 the integral is $(1 - \varepsilon + \varepsilon_1^2 + \varepsilon_2^2) / 2$
    (Ohlendorf). The addendum is one module.

    Args:
        first: teeth of a wheel.
        second: teeth of the other; of an internal mesh the ring's.
        internal: whether the second has internal teeth.
        pressure: normal pressure angle [rad].
        helix: helix angle [rad].

    >>> round(tooth_loss_factor(20, 60, False, 0.349), 4), round(tooth_loss_factor(20, 60, True, 0.349), 4)
    (0.1532, 0.1046)
    """
    transverse, addendum = transverse_pressure_angle(pressure, helix), DUAL_FLOATS.cos(helix)
    sine = DUAL_FLOATS.sin(helix) * DUAL_FLOATS.cos(pressure)  # of the helix angle at the base circle
    before = _addendum_contact_ratio(first, transverse, addendum)
    after = _addendum_contact_ratio(second, transverse, -addendum if internal else addendum)
    ratio = float(primal_value(before + after))
    pairs = int(ratio)
    if pairs < 1:
        z1, z2, angle = (float(primal_value(x)) for x in (first, second, pressure))
        raise TrainError(
            f"gear: teeth {z1:g} and {z2:g} at a pressure angle of {math.degrees(angle):.3g} degrees have a "
            f"contact ratio of {ratio:.3g}, below 1: they lose contact. Give a smaller pressure angle."
        )
    change = before + after - pairs  # up to this part of a pitch there is one pair more

    def sliding_integral(begin: Scalar, end: Scalar) -> Scalar:
        return 0.5 * (end * abs(end) - begin * abs(begin))

    total = sum(sliding_integral(k - before, k - before + change) for k in range(pairs + 1)) / (pairs + 1)
    total += sum(sliding_integral(k - before + change, k - before + 1) for k in range(pairs)) / pairs
    return 2 * math.pi * (1 / first + (-1 if internal else 1) / second) * total / DUAL_FLOATS.sqrt(1 - sine * sine)


def _addendum_contact_ratio(teeth: Scalar, pressure: Scalar, addendum: Scalar) -> Scalar:
    """Length of the path of contact from the pitch point to the tip, in base pitches; internal: addendum below 0."""
    tip = (1 + 2 * addendum / teeth) / DUAL_FLOATS.cos(pressure)
    reach = DUAL_FLOATS.sqrt(max(tip * tip - 1, 0.0))  # inside the base circle there is no contact
    return abs(reach - tangent(pressure)) * teeth / (2 * math.pi)


def epicyclic_efficiencies(
    speeds: Mapping[str, float], meshes: Mapping[str, float], driving: str, driven: str, free_carrier: bool = False
) -> tuple[float, float]:
    r"""Return driving and back-driving efficiency of a planetary gear from those of its meshes.

    Relative to the carrier, a central member k transmits the power $p_k = T_k (s_k - s_c)$ to the planets, of which
    $\eta_k p_k$ arrives ($p_k / \eta_k$ if it receives power); these sum to zero. Together with the sum of all torques
    this determines the torques; the efficiency is the quotient of the output and input power.

    Args:
        speeds: of the central members and the "carrier", relative to the mount.
        meshes: per central member (two, or three with a free carrier) the efficiency of its mesh with the planets.
        driving: the member on the motor.
        driven: the member that drives the joint.
        free_carrier: whether the carrier transmits no torque (a Wolfrom gear).
    """
    members = list(meshes)
    lossless = _epicyclic_torques(members, {k: speeds[k] - speeds["carrier"] for k in members}, free_carrier)

    def one_way(source: str, sink: str) -> float:
        sense = math.copysign(1.0, lossless[source] * speeds[source])
        rolling = {}
        for k in members:
            relative = speeds[k] - speeds["carrier"]
            feeds = sense * lossless[k] * relative > 0
            rolling[k] = relative * (meshes[k] if feeds else 1 / meshes[k])
        torque = _epicyclic_torques(members, rolling, free_carrier)
        return -torque[sink] * speeds[sink] / (torque[source] * speeds[source])

    return one_way(driving, driven), one_way(driven, driving)


def _epicyclic_torques(members: Sequence[str], rolling: Mapping[str, float], free_carrier: bool) -> dict[str, float]:
    """Torques with sum T_k rolling_k = 0 and sum T + T_carrier = 0, normalised to 1 for the first member."""
    first, second = members[:2]
    if not free_carrier:
        T = {first: 1.0, second: -rolling[first] / rolling[second]}
        return {**T, "carrier": -T[first] - T[second]}
    third = members[2]
    # T2 + T3 = -1 and r2 T2 + r3 T3 = -r1.
    T2 = (rolling[third] - rolling[first]) / (rolling[second] - rolling[third])
    return {first: 1.0, second: T2, third: -1.0 - T2, "carrier": 0.0}


def require_valid_losses(gear: Any) -> None:
    """Raise unless the efficiencies are those of a passive gear at every speed; symbols are not checked."""
    for row in getattr(gear, "losses", ()):
        require_valid_losses(row)
    efficiency, back = gear.efficiency, gear.back_efficiency
    if efficiency is not None and not (_is_fraction(efficiency) or _is_symbol(efficiency)):
        raise TrainError(f"gear: efficiency {efficiency} is not between 0 and 1. Give a fraction, such as 0.75.")
    require_range(
        "gear", "no_load_torque", gear.no_load_torque, least=0, hint="It always opposes the motion.", error=TrainError
    )
    if back is None or not is_number(back):
        return
    if efficiency is None:
        raise TrainError(f"gear: back_efficiency {back} without efficiency. Give the driving efficiency too.")
    if back > 1:
        raise TrainError(f"gear: back_efficiency {back} is more than 1. Give the fraction that reaches the motor.")
    if is_number(efficiency):
        _require_static_consistency(efficiency, back)


def _require_static_consistency(efficiency: float, back: float) -> None:
    """Raise if the two efficiencies contradict statics: one load causes the same torque loss in both directions."""
    least, most = static_back_efficiency(efficiency), 1 / (2 - efficiency)
    locks = back <= 0 and least <= EFFICIENCY_SLACK  # any self-locking value is consistent
    if locks or least - EFFICIENCY_SLACK <= back <= most + EFFICIENCY_SLACK:
        return
    rule = f"statics allows 2 - 1/efficiency = {least:.4g} to 1/(2 - efficiency) = {most:.4g}"
    remedy = "Give losses without load as no_load_torque" if back < least else "Check whether the two are swapped"
    raise TrainError(
        f"gear: back_efficiency {back} contradicts efficiency {efficiency}: {rule}. {remedy}, or leave back_efficiency "
        "out; it is then derived."
    )


def require_one_loss_source(gear: Any, derived: str | None) -> None:
    """Raise unless there is one source of efficiencies: the numbers, the table, or the geometry."""
    table = bool(gear.losses)
    sources = [word for word, is_given in (("efficiency", gear.efficiency is not None), ("losses", table)) if is_given]
    sources += [derived] if derived is not None else []
    if len(sources) > 1:
        raise TrainError(
            f"{gear.kind}: {' and '.join(sources)} are given, which define the same efficiencies. Keep one of them."
        )
    speeds = [row.speed for row in gear.losses if is_number(row.speed)]
    if any(after <= before for before, after in pairwise(speeds)):
        raise TrainError(
            f"{gear.kind}: the speeds {speeds} of its losses are not increasing. List them from slow to fast."
        )


def _is_fraction(x: Any) -> bool:
    return is_number(x) and not isinstance(x, bool) and 0 < x <= 1


def _is_symbol(x: Any) -> bool:
    return not is_number(x) and not isinstance(x, str | bytes | Sequence)


def _sum_unless_zero(x: Scalar, y: Scalar) -> Scalar:
    return x if is_zero(y) else x + y
