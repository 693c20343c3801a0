"""What a measured torque is linear in: inertial parameters, springs, friction, a payload."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Literal, TypeAlias

import numpy as np

from gearwright.arguments import number
from gearwright.arrays import Array
from gearwright.equations.independent_parameters import BaseParameters, independent, random_states
from gearwright.errors import InputError
from gearwright.functions.functions import parameter_names, parameters, regressor
from gearwright.mechanism import Mechanism, machine_of
from gearwright.text import did_you_mean

Friction: TypeAlias = Literal["viscous", "coulomb", "offset"]
FRICTION: tuple[Friction, ...] = ("viscous", "coulomb", "offset")
PAYLOAD = "payload"


@dataclass(frozen=True)
class Model:
    """A linear model of measured torques, tau = Y(q, v, a) pi with named columns.

    The columns are those of `regressor` (bodies, spins, springs), then per speed those of friction, then ten of a
    payload if one is asked for:

        tau_i += viscous_i v_i + coulomb_i sign(v_i) + offset_i,     sign(v) taken as tanh(v / transition_speed)

    Args:
        mech: the machine; its own numbers are the nominal (CAD) values.
        friction: which friction columns every speed gets.
        side: "motor": the torques contain what accelerates the rotors. "link": they were measured behind the gear, and
            the columns of the wheels are left out.
        payload: name of the body that carries an unknown payload, or None.
        transition_speed: speed over which Coulomb friction changes sign [rad/s]; 0: at once.
        without: names of parameters known to be zero.

    >>> from gearwright.mechanism import Body
    >>> arm = Mechanism([Body("arm", mass=1, com=(0.2, 0, 0))])
    >>> Model(arm).names[10:]
    ('arm.viscous', 'arm.coulomb', 'arm.offset')
    """

    mech: Mechanism
    friction: Sequence[Friction] = FRICTION
    side: Literal["motor", "link"] = "motor"
    payload: str | None = None
    transition_speed: float = 0.0
    without: Sequence[str] = ()

    def __post_init__(self) -> None:
        object.__setattr__(self, "mech", machine_of("Model", self.mech))
        for kind in self.friction:
            if kind not in FRICTION:
                raise InputError(f"model: there is no friction {kind!r}. {did_you_mean(kind, FRICTION)}")
        if self.side not in ("motor", "link"):
            raise InputError(f"model: side {self.side!r} must be 'motor' or 'link': where the torque was measured.")
        number("model", "transition_speed", self.transition_speed, least=0.0, unit="rad/s", example=0.01)
        if self.payload is not None:
            self.mech.index(self.payload)
        for name in self.without:
            if name not in self.every_name:
                raise InputError(f"model: there is no parameter {name!r}. {did_you_mean(name, self.every_name)}")

    @cached_property
    def every_name(self) -> tuple[str, ...]:
        """All columns, also those left out."""
        friction = [f"{speed}.{kind}" for speed in self.mech.speeds for kind in self.friction]
        own = parameter_names(self.mech)
        load = [f"{PAYLOAD}.{name.rpartition('.')[2]}" for name in own[:10]] if self.payload is not None else []
        return (*own, *friction, *load)

    @cached_property
    def left_out(self) -> tuple[str, ...]:
        """Names of columns that the model does not use: known zeros, and the wheels when measured at the link side."""
        wheels = [f"{spin.name}.J" for spin in self.mech.spins] if self.side == "link" else []
        return (*wheels, *self.without)

    @cached_property
    def kept(self) -> tuple[int, ...]:
        """Indices among all columns of those in use."""
        return tuple(k for k, name in enumerate(self.every_name) if name not in self.left_out)

    @cached_property
    def names(self) -> tuple[str, ...]:
        """The columns in use."""
        return tuple(self.every_name[k] for k in self.kept)

    @cached_property
    def nominal(self) -> Array:
        """The machine's own values of the parameters in use; friction and payload count as zero."""
        own = parameters(self.mech)
        return np.concatenate([own, np.zeros(len(self.every_name) - len(own))])[list(self.kept)]

    def regressor(self, q: Array, v: Array, a: Array) -> Array:
        """Y (T, n, columns in use)."""
        own = regressor(self.mech, q, v, a)
        parts = [own, self._friction(np.asarray(v, float))]
        if self.payload is not None:
            first = 10 * self.mech.index(self.payload)
            parts.append(own[..., first : first + 10])
        Y = np.concatenate(parts, axis=-1)
        return Y if len(self.kept) == Y.shape[-1] else Y[..., list(self.kept)]

    def _friction(self, v: Array) -> Array:
        """The friction columns (..., n, n * kinds): block diagonal."""
        laws = {
            "viscous": v,
            "coulomb": np.tanh(v / self.transition_speed) if self.transition_speed else np.sign(v),
            "offset": np.ones_like(v),
        }
        n, kinds = v.shape[-1], len(self.friction)
        Y = np.zeros((*v.shape, n * kinds))
        for i in range(n):
            for k, kind in enumerate(self.friction):
                Y[..., i, i * kinds + k] = laws[kind][..., i]
        return Y

    @cached_property
    def _stacked(self) -> Array:
        """The columns over random states."""
        Y = self.regressor(*random_states(self.mech, len(self.names)))
        return Y.reshape(-1, len(self.names))

    @cached_property
    def sizes(self) -> Array:
        """Root-mean-square size of every column over random states of unit scale: what well-excited means."""
        sizes: Array = np.sqrt(np.mean(self._stacked**2, axis=0))
        return sizes

    @cached_property
    def base(self) -> BaseParameters:
        """The combinations of the columns in use that any motion could show."""
        return independent(self._stacked, self.names)
