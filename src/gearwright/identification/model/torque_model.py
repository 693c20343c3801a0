"""What a measured torque is linear in: inertial parameters, springs, friction, a payload."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Literal

import numpy as np

from gearwright.arguments import number
from gearwright.arrays import Array
from gearwright.equations.base_parameters_numeric import BaseParameters, independent, random_states
from gearwright.errors import InputError
from gearwright.functions.dynamics import parameters, regressor
from gearwright.identification.model.columns import (
    FRICTION,
    Column,
    Friction,
    friction_columns,
    machine_columns,
    payload_columns,
)
from gearwright.identification.model.sample_blocks import Blocks
from gearwright.mechanism import Mechanism, machine_of
from gearwright.motion import Motion
from gearwright.text import did_you_mean

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
        only_payload: the columns of the robot itself are left out, and those of its payload are all there is.

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
    only_payload: bool = False

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
        elif self.only_payload:
            raise InputError("model: only_payload needs the body that carries it. Give payload='<body>'.")
        for name in self.without:
            if name not in self.every_name:
                raise InputError(f"model: there is no parameter {name!r}. {did_you_mean(name, self.every_name)}")

    @cached_property
    def every_column(self) -> tuple[Column, ...]:
        """All columns, also those left out: of the machine, of friction, of a payload."""
        load = payload_columns(self.mech, self._payload_word) if self.payload is not None else ()
        return (*machine_columns(self.mech), *friction_columns(self.mech, self.friction), *load)

    @property
    def _payload_word(self) -> str:
        """What the payload is called: a body of the robot may have its name already."""
        taken = any(body.name == PAYLOAD for body in self.mech.bodies)
        return f"{PAYLOAD} on {self.payload}" if taken else PAYLOAD

    @cached_property
    def every_name(self) -> tuple[str, ...]:
        """The names of all columns."""
        return tuple(column.name for column in self.every_column)

    @cached_property
    def left_out(self) -> frozenset[int]:
        """Columns not in use: known zeros, the wheels when measured at the link side, the robot under its payload."""
        wheels = {k for k, column in enumerate(self.every_column) if column.kind == "wheel" and self.side == "link"}
        known = {k for k, name in enumerate(self.every_name) if name in self.without}
        robot = range(len(self.every_column) - 10) if self.only_payload else range(0)
        return frozenset(wheels | known | set(robot))

    @cached_property
    def kept(self) -> tuple[int, ...]:
        """Indices among all columns of those in use."""
        return tuple(k for k in range(len(self.every_column)) if k not in self.left_out)

    @cached_property
    def names(self) -> tuple[str, ...]:
        """The names of the columns in use."""
        return tuple(self.every_name[k] for k in self.kept)

    @cached_property
    def columns(self) -> tuple[Column, ...]:
        """The columns in use."""
        return tuple(self.every_column[k] for k in self.kept)

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

    def blocks(self, motion: Motion, base: BaseParameters | None = None) -> Blocks:
        """The columns (T, n, rank) of base parameters along a motion, a block of samples at a time."""
        chosen = self.base if base is None else base
        q, v, a = motion.q, motion.v, motion.a
        shape = (len(v), self.mech.n, chosen.rank)
        return Blocks(shape, lambda part: chosen.columns(self.regressor(q[part], v[part], a[part])))

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
