"""The flat machine that all algorithms use."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

from gearwright.algebra import Rot, Vec, VectorLike
from gearwright.argument_kinds import check_arguments
from gearwright.errors import InputError, StructureError
from gearwright.mechanism import checks, validation
from gearwright.mechanism.articulation import (
    ArticulationNode,
    articulation_nodes,
    coupled_speeds,
    elimination_order,
    is_cheaper_by_links,
)
from gearwright.mechanism.elements import BASE, Actuator, Body, BodyFrame, PerBody, Spin, Spring, checked_vector
from gearwright.mechanism.layout import JointIndices, SpeedLayout, lay_out
from gearwright.mechanism.rows import FullRow, full_row
from gearwright.parts import Loop
from gearwright.parts.checks import checked_parts
from gearwright.plots import html_table
from gearwright.text import did_you_mean, listed_names

ELEMENT_TYPES: dict[str, type] = {
    **{"bodies": Body, "spins": Spin, "shafts": str},
    **{"springs": Spring, "actuators": Actuator, "frames": BodyFrame},
}
"""Element type of each list."""


@check_arguments
@dataclass(frozen=True)
class Mechanism:
    """Bodies, spins, shafts and springs: the mechanical model of a geared robot.

    Args:
        bodies: augmented links, parents first; a parent or carrier may be an index or a name.
        spins: the wheels.
        shafts: names of speeds that move no body (the motor side of an elastic drive).
        springs: linear springs and dampers along rows over the speeds.
        actuators: motors; their rows are the columns of the structure matrix.
        gravity: acceleration of gravity in base axes [m/s2].
        frames: named frames on bodies.

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
    gravity: VectorLike = (0.0, 0.0, -9.81)
    frames: Sequence[BodyFrame] = ()

    def __post_init__(self) -> None:
        set_field = object.__setattr__
        for word, kind in ELEMENT_TYPES.items():
            set_field(self, word, checked_parts("machine", word, getattr(self, word), kind))
        validation.check_names(self)
        set_field(self, "gravity", checked_vector("gravity", self.gravity))
        set_field(self, "bodies", validation.with_parent_indices(self.bodies))
        set_field(self, "_layout", lay_out(self.bodies, self.shafts))
        set_field(
            self,
            "frames",
            tuple(replace(f, body=self._carrier_index(f"frame {f.name!r}", f.body)) for f in self.frames),
        )
        set_field(self, "spins", tuple(self._resolved_spin(spin) for spin in self.spins))
        set_field(
            self, "springs", tuple(replace(s, row=self._full_row(f"spring {s.name!r}", s.row)) for s in self.springs)
        )
        set_field(
            self,
            "actuators",
            tuple(replace(a, row=self._full_row(f"actuator {a.name!r}", a.row)) for a in self.actuators),
        )
        validation.check_machine(self)

    def __repr__(self) -> str:
        counts = [
            (len(self.bodies), "body", "bodies"),
            (len(self.spins), "spin", "spins"),
            (len(self.springs), "spring", "springs"),
        ]
        parts = [f"{count} {singular if count == 1 else plural}" for count, singular, plural in counts if count]
        return f"<Mechanism: {', '.join(parts)}, speeds: {listed_names(self.speeds) or 'none'}>"

    def _repr_html_(self) -> str:
        bodies = [(x.name, self.carrier_name(x.parent), x.joint, x.mass) for x in self.bodies]
        spins = [(x.name, self.carrier_name(x.carrier), x.inertia) for x in self.spins]
        shown = html_table(["body", "parent", "joint", "mass with wheels [kg]"], bodies)
        return shown + (html_table(["wheel", "carried by", "inertia [kg m2]"], spins) if spins else "")

    def _full_row(self, owner: str, row: Any) -> FullRow:
        return full_row(owner, row, self.layout.speed_indices)

    def _carrier_index(self, owner: str, body: int | str) -> int:
        try:
            return BASE if body in (BASE, "base") else self.body_index(body)
        except InputError as error:
            raise StructureError(f"{owner}: {error}") from None

    def _resolved_spin(self, spin: Spin) -> Spin:
        owner = f"spin {spin.name!r}"
        return replace(spin, carrier=self._carrier_index(owner, spin.carrier), ratio=self._full_row(owner, spin.ratio))

    @property
    def tree(self) -> Mechanism:
        """The machine without closed loops: itself."""
        return self

    def with_tree(self, tree: Mechanism) -> Mechanism:
        """Return a machine with another tree and the same loops; without loops the given tree itself."""
        return tree

    @property
    def closure(self) -> Any:
        """The closed loops of the machine; None: it has none."""
        return None

    @property
    def loops(self) -> Sequence[Loop]:
        """The closed loops of the machine, as parts: none."""
        return ()

    @property
    def layout(self) -> SpeedLayout:
        """The numbering of speeds and coordinates."""
        layout: SpeedLayout = self._layout  # type: ignore[attr-defined]
        return layout

    @property
    def joints(self) -> PerBody[JointIndices]:
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
    def independent_indices(self) -> tuple[int, ...]:
        """Indices in q of the coordinates that determine all others: all, unless loops are closed."""
        return tuple(range(self.nq))

    @property
    def independent_coordinates(self) -> tuple[str, ...]:
        """Names of the coordinates that determine all others."""
        return tuple(self.layout.coordinates[k] for k in self.independent_indices)

    @property
    def n(self) -> int:
        """The number of speeds."""
        return len(self.speeds)

    @property
    def nq(self) -> int:
        """The number of coordinates: larger than n with free or spherical joints."""
        return len(self.coordinates)

    @property
    def speeds_are_rates(self) -> bool:
        """Whether every speed is the rate of its own coordinate (no free, spherical or planar joints)."""
        return self.layout.speeds_are_rates

    @cached_property
    def body_paths(self) -> tuple[tuple[int, ...], ...]:
        """Per body the bodies from itself to the base; the last entry (index -1), for the base, is empty."""
        paths: list[tuple[int, ...]] = [()] * (len(self.bodies) + 1)
        for i in range(len(self.bodies)):
            paths[i] = (i, *paths[self.parent_of(i)])
        return tuple(paths)

    @cached_property
    def spins_by_carrier(self) -> tuple[tuple[Spin, ...], ...]:
        """Per body the spins it carries; the last entry (index -1) is for the base."""
        carried: list[list[Spin]] = [[] for _ in range(len(self.bodies) + 1)]
        for spin in self.spins:
            carried[int(spin.carrier)].append(spin)
        return tuple(map(tuple, carried))

    @cached_property
    def _number_of(self) -> dict[str, int]:
        return {body.name: i for i, body in enumerate(self.bodies)}

    @cached_property
    def couplings(self) -> tuple[frozenset[int], ...]:
        """Per speed the other speeds with a nonzero entry of the mass matrix."""
        return tuple(frozenset(neighbours) for neighbours in coupled_speeds(self))

    @cached_property
    def elimination_order(self) -> tuple[int, ...]:
        """The order of elimination of the mass matrix with little fill-in."""
        return elimination_order(self.couplings)

    @cached_property
    def articulation(self) -> tuple[ArticulationNode, ...] | None:
        """The nodes of the articulated-body algorithm; None where drives couple distant links."""
        return articulation_nodes(self)

    @cached_property
    def solved_by_links(self) -> bool:
        """Whether forward dynamics uses articulated bodies, because that takes fewer operations than elimination."""
        return is_cheaper_by_links(self)

    def parent_of(self, i: int) -> int:
        """Index of the parent body, -1 for the base."""
        parent: int = self.bodies[i].parent  # type: ignore[assignment]
        return parent

    def body_index(self, body: int | str) -> int:
        """The index of a body given by name or index.

        >>> Mechanism([Body("upper", mass=1, com=(1, 0, 0))]).body_index("upper")
        0
        """
        names = self._number_of
        if isinstance(body, str):
            if body not in names:
                raise InputError(f"there is no body {body!r}. {did_you_mean(body, list(names))}")
            return names[body]
        if not checks.is_index(body) or not 0 <= body < len(names):
            raise InputError(
                f"there is no body {body!r}: bodies are numbered 0 to {len(names) - 1}. Give an index or a name."
            )
        return int(body)

    def carrier_name(self, body: int | str) -> str:
        """Return the name of a body by its index, "base" for the base."""
        return "base" if body in (BASE, "base") else self.bodies[self.body_index(body)].name

    def is_moved(self, body: int) -> bool:
        """Whether a joint moves a body: not the base, nor bodies fixed to it."""
        return any(self.joints[i].dofs for i in self.body_paths[body])

    def name_of(self, body_or_frame: int | str) -> str:
        """The name of a body or frame given by name or index."""
        self.place_of(body_or_frame)
        return body_or_frame if isinstance(body_or_frame, str) else self.bodies[self.body_index(body_or_frame)].name

    def place_of(self, body_or_frame: int | str) -> tuple[int, Rot | None, Vec | None]:
        """Return the body index (-1 for "base"), and rotation and position on it for a frame."""
        for frame in self.frames if isinstance(body_or_frame, str) else ():
            if frame.name == body_or_frame:
                return int(frame.body), frame.rotation, frame.position
        if isinstance(body_or_frame, str) and body_or_frame == "base":
            return BASE, None, None
        if isinstance(body_or_frame, str) and body_or_frame not in self._number_of:
            names = [*self._number_of, *(f.name for f in self.frames)]
            raise InputError(f"there is no body or frame {body_or_frame!r}. {did_you_mean(body_or_frame, names)}")
        return self.body_index(body_or_frame), None, None
