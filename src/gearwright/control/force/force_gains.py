"""Gains of hybrid position/force control."""

from __future__ import annotations

from dataclasses import dataclass

from numpy.typing import ArrayLike

from gearwright.arguments import number_array, real_number


@dataclass(frozen=True, kw_only=True)
class ForceGains:
    r"""Gains of position/force control: of the motion along the free axes, and of the force along the constrained ones.

    Args:
        frequency: natural frequency of position errors along free axes [rad/s], one value or one per axis of the
            contact (of a surface its two tangents where the frame is, `surface.tangents_at`, then the normal).
        damping: damping ratio of these errors, one value or one per axis; 1 is critical.
        force_frequency: natural frequency $\omega$ of force errors on a massless compliant surface [rad/s].
        force_damping: damping ratio $\zeta$ of force errors on a massless spring; 1 is critical.
        integral: integral gain $k_i$ of the force error [1/s]; 0: feedforward only.
        observer: gain g of the force estimate from the momentum, without a sensor [1/s].
        approach: approach speed to a compliant surface [m/s].
        constraint_damping: damping c of the motion along constrained axes [1/s].
        null_space_damping: damping of the null-space motion of redundant arms [Nms/rad].

    >>> ForceGains(frequency=[10, 10, 20], integral=5).frequency
    (10.0, 10.0, 20.0)
    """

    frequency: ArrayLike = 10.0
    damping: ArrayLike = 1.0
    force_frequency: float = 30.0
    force_damping: float = 1.0
    integral: float = 0.0
    observer: float = 100.0
    approach: float = 0.0
    constraint_damping: float = 20.0
    null_space_damping: float = 0.0

    def __post_init__(self) -> None:
        for name in ("frequency", "damping"):
            values = number_array("ForceGains", name, getattr(self, name), least=0.0)
            object.__setattr__(self, name, tuple(values.tolist()) if values.ndim else float(values))
        above = {
            "force_frequency": ("rad/s", 30.0),
            "force_damping": ("", 1.0),
            "observer": ("1/s", 100.0),
        }
        for name, (unit, example) in above.items():
            gain = real_number("ForceGains", name, getattr(self, name), above=0.0, unit=unit, example=example)
            object.__setattr__(self, name, gain)
        least = {
            "integral": ("1/s", 10.0),
            "approach": ("m/s", 0.05),
            "constraint_damping": ("1/s", 20.0),
            "null_space_damping": ("Nms/rad", 1.0),
        }
        for name, (unit, example) in least.items():
            gain = real_number("ForceGains", name, getattr(self, name), least=0.0, unit=unit, example=example)
            object.__setattr__(self, name, gain)
