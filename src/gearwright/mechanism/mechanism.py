"""The flat machine that every algorithm runs on."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

from gearwright.algebra import Rot, Vec
from gearwright.errors import InputError, StructureError
from gearwright.mechanism import checks, validation
from gearwright.mechanism.articulation import Node, articulation, cheaper_by_links, coupled_speeds, elimination_order
from gearwright.mechanism.elements import BASE, Actuator, Body, BodyFrame, PerBody, Spin, Spring, vector
from gearwright.mechanism.layout import Joint, Layout, lay_out
from gearwright.mechanism.rows import FullRow, full_row
from gearwright.parts.checks import sequence_of
from gearwright.plots.notebook import table
from gearwright.text import did_you_mean, listed

ELEMENTS: dict[str, type] = {
    **{"bodies": Body, "spins": Spin, "shafts": str},
    **{"springs": Spring, "actuators": Actuator, "frames": BodyFrame},
}
"""Of what kind the elements of each list are."""


@dataclass(frozen=True)
class Mechanism:
    """Bodies, spins, shafts and springs: a geared robot as the equations see it.

    Args:
        bodies: augmented links, parents first; a parent or carrier may be an index or a name.
        spins: the wheels.
        shafts: names of speeds that move no body (the motor side of an elastic drive).
        springs: linear springs and dampers along rows over the speeds.
        actuators: where motors act; their rows are the columns of the structure matrix.
        gravity: acceleration of gravity in base axes [m/s2].
        frames: named places on bodies.

    >>> arm = Mechanism([Body("upper", mass=2, com=(0.2, 0, 0))], [Spin("rotor", "base", (0, 0, 1), 1e-4, [100])])
    >>> arm.n, arm.speeds
    (1, ('upper',))
    >>> arm
    <Mechanism: 1 body, 1 spin, speeds: upper>
    """

    bodies: Sequence[Body]
    spins: Sequence[Spin] = ()
    shafts: Sequence[str] = ()
    springs: Sequence[Spring] = ()
    actuators: Sequence[Actuator] = ()
    gravity: Any = (0.0, 0.0, -9.81)
    frames: Sequence[BodyFrame] = ()

    def __post_init__(self) -> None:
        set_field = object.__setattr__
        for word, kind in ELEMENTS.items():
            set_field(self, word, sequence_of("machine", word, getattr(self, word), kind))
        validation.names(self)
        set_field(self, "gravity", vector("gravity", self.gravity))
        set_field(self, "bodies", validation.tree(self.bodies))
        set_field(self, "_layout", lay_out(self.bodies, self.shafts))
        set_field(
            self, "frames", tuple(replace(f, body=self._carrier(f"frame {f.name!r}", f.body)) for f in self.frames)
        )
        set_field(self, "spins", tuple(self._resolved_spin(spin) for spin in self.spins))
        set_field(self, "springs", tuple(replace(s, row=self._row(f"spring {s.name!r}", s.row)) for s in self.springs))
        set_field(
            self, "actuators", tuple(replace(a, row=self._row(f"actuator {a.name!r}", a.row)) for a in self.actuators)
        )
        validation.machine(self)

    def __repr__(self) -> str:
        counts = [
            (len(self.bodies), "body", "bodies"),
            (len(self.spins), "spin", "spins"),
            (len(self.springs), "spring", "springs"),
        ]
        parts = [f"{count} {one if count == 1 else many}" for count, one, many in counts if count]
        return f"<Mechanism: {', '.join(parts)}, speeds: {listed(self.speeds) or 'none'}>"

    def _repr_html_(self) -> str:
        bodies = [(x.name, self.carrier_name(x.parent), x.joint, x.mass) for x in self.bodies]
        spins = [(x.name, self.carrier_name(x.carrier), x.inertia) for x in self.spins]
        shown = table(["body", "parent", "joint", "mass with wheels [kg]"], bodies)
        return shown + (table(["wheel", "carried by", "inertia [kg m2]"], spins) if spins else "")

    def _row(self, owner: str, row: Any) -> FullRow:
        return full_row(owner, row, self.layout.index)

    def _carrier(self, owner: str, body: int | str) -> int:
        try:
            return BASE if body in (BASE, "base") else self.index(body)
        except InputError as error:
            raise StructureError(f"{owner}: {error}") from None

    def _resolved_spin(self, spin: Spin) -> Spin:
        owner = f"spin {spin.name!r}"
        return replace(spin, carrier=self._carrier(owner, spin.carrier), ratio=self._row(owner, spin.ratio))

    @property
    def layout(self) -> Layout:
        """How speeds and coordinates are numbered."""
        layout: Layout = self._layout  # type: ignore[attr-defined]
        return layout

    @property
    def joints(self) -> PerBody[Joint]:
        """The numbering of each body's joint."""
        return self.layout.joints

    @property
    def speeds(self) -> tuple[str, ...]:
        """Names of the generalized speeds v: joints in body order, then shafts."""
        return self.layout.speeds

    @property
    def coordinates(self) -> tuple[str, ...]:
        """Names of the coordinates q."""
        return self.layout.coordinates

    @property
    def n(self) -> int:
        """The number of speeds."""
        return len(self.speeds)

    @property
    def nq(self) -> int:
        """The number of coordinates: larger than n with free or spherical joints."""
        return len(self.coordinates)

    @property
    def straight(self) -> bool:
        """Whether every speed is the rate of its own coordinate: no free, spherical or planar joint is there."""
        return self.layout.straight

    @cached_property
    def paths(self) -> tuple[tuple[int, ...], ...]:
        """Per body the bodies from itself down to the one on the base; the last (index -1), the base's, is empty."""
        paths: list[tuple[int, ...]] = [()] * (len(self.bodies) + 1)
        for i in range(len(self.bodies)):
            paths[i] = (i, *paths[self.parent(i)])
        return tuple(paths)

    @cached_property
    def wheels(self) -> tuple[tuple[Spin, ...], ...]:
        """Per body the spins it carries; the last entry (index -1) is the base's."""
        carried: list[list[Spin]] = [[] for _ in range(len(self.bodies) + 1)]
        for spin in self.spins:
            carried[int(spin.carrier)].append(spin)
        return tuple(map(tuple, carried))

    @cached_property
    def _number_of(self) -> dict[str, int]:
        return {body.name: i for i, body in enumerate(self.bodies)}

    @cached_property
    def couplings(self) -> tuple[frozenset[int], ...]:
        """Per speed the others with which it shares a non-zero entry of the mass matrix."""
        return tuple(frozenset(others) for others in coupled_speeds(self))

    @cached_property
    def elimination(self) -> tuple[int, ...]:
        """The order in which the mass matrix is eliminated with little fill-in."""
        return elimination_order(self.couplings)

    @cached_property
    def articulation(self) -> tuple[Node, ...] | None:
        """The nodes by which its equations are solved link by link; None where drives tie more than neighbours."""
        return articulation(self)

    @cached_property
    def solved_by_links(self) -> bool:
        """Whether forward dynamics goes link by link, since that takes fewer operations than an elimination."""
        return cheaper_by_links(self)

    def parent(self, i: int) -> int:
        """Index of the parent body, -1 for the base."""
        parent: int = self.bodies[i].parent  # type: ignore[assignment]
        return parent

    def index(self, body: int | str) -> int:
        """The index of a body given by name or index.

        >>> Mechanism([Body("upper", mass=1, com=(1, 0, 0))]).index("upper")
        0
        """
        names = self._number_of
        if isinstance(body, str):
            if body not in names:
                raise InputError(f"there is no body {body!r}. {did_you_mean(body, list(names))}")
            return names[body]
        if not checks.is_index(body) or not 0 <= body < len(names):
            raise InputError(f"there is no body {body!r}: bodies are numbered 0 to {len(names) - 1}; names work too.")
        return int(body)

    def carrier_name(self, body: int | str) -> str:
        """The name of a body by its index, "base" for the base: of what carries a body, frame or wheel."""
        return "base" if body in (BASE, "base") else self.bodies[self.index(body)].name

    def is_moved(self, body: int) -> bool:
        """Whether some joint moves a body: no one does the base, nor what is fixed to it."""
        return any(self.joints[i].dofs for i in self.paths[body])

    def name_of(self, body_or_frame: int | str) -> str:
        """The name of a body or frame given by name or index."""
        self.place_of(body_or_frame)
        return body_or_frame if isinstance(body_or_frame, str) else self.bodies[self.index(body_or_frame)].name

    def place_of(self, body_or_frame: int | str) -> tuple[int, Rot | None, Vec | None]:
        """Body index (-1 for "base"), and rotation and position on it when a frame is meant."""
        for frame in self.frames if isinstance(body_or_frame, str) else ():
            if frame.name == body_or_frame:
                return int(frame.body), frame.rotation, frame.position
        if isinstance(body_or_frame, str) and body_or_frame == "base":
            return BASE, None, None
        if isinstance(body_or_frame, str) and body_or_frame not in self._number_of:
            known = [*self._number_of, *(f.name for f in self.frames)]
            raise InputError(f"there is no body or frame {body_or_frame!r}. {did_you_mean(body_or_frame, known)}")
        return self.index(body_or_frame), None, None
