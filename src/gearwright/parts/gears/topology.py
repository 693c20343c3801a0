"""What a gear is inside: which members turn on which, and which of them mesh; the edges of its graph.

Vertices are the "mount" (the link that carries the motor), the "driven" member and the gear's own members. An axis has
a label: "joint" for members coaxial with the driven one, else the label of the member that it belongs to.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from itertools import pairwise
from typing import NamedTuple

from gearwright.algebra import Scalar
from gearwright.parts.gears.gear import AnyGear
from gearwright.parts.gears.planetary import Planetary
from gearwright.parts.gears.series import Series
from gearwright.parts.gears.spur import Spur
from gearwright.parts.gears.wolfrom import Wolfrom

MOUNT, DRIVEN, JOINT = "mount", "driven", "joint"


class Turns(NamedTuple):
    """A member that turns on a carrier about an axis."""

    member: str
    carrier: str
    axis: str


class Meshes(NamedTuple):
    """Two members that mesh: rate of the first per rate of the second, both relative to the carrier."""

    first: str
    second: str
    ratio: Scalar
    carrier: str


@dataclass(frozen=True)
class Inside:
    """The members of a gear beside mount and driven member, its meshes, and the member on the motor's shaft."""

    members: tuple[Turns, ...]
    meshes: tuple[Meshes, ...]
    input: str

    def renamed(self, names: dict[str, str], axes: dict[str, str]) -> Inside:
        """The same with other names for members and axes."""

        def of(name: str) -> str:
            return names.get(name, name)

        return Inside(
            tuple(Turns(of(t.member), of(t.carrier), axes.get(t.axis, of(t.axis))) for t in self.members),
            tuple(Meshes(of(m.first), of(m.second), m.ratio, of(m.carrier)) for m in self.meshes),
            of(self.input),
        )


def inside(gear: AnyGear) -> Inside:
    """The members and meshes of a gear; of one that has no teeth to tell apart, one pair with its whole ratio.

    >>> from gearwright.parts import Planetary
    >>> inside(Planetary(sun=40, planet=20, ring=80, held="carrier")).meshes[0]
    Meshes(first='sun', second='planets', ratio=-0.5, carrier='mount')
    """
    if isinstance(gear, Planetary):
        return _planetary(gear)
    if isinstance(gear, Wolfrom):
        return _wolfrom(gear)
    if isinstance(gear, Spur):
        return _spur(gear)
    if isinstance(gear, Series):
        return _series(gear)
    return _pair("rotor", gear.ratio)


def _pair(name: str, ratio: Scalar) -> Inside:
    return Inside((Turns(name, MOUNT, name),), (Meshes(name, DRIVEN, ratio, MOUNT),), name)


def _planetary(gear: Planetary) -> Inside:
    """Sun with planets outside, planets with ring inside; the held member is the mount (Fernini, eqs 7 to 10)."""
    name = {member: member for member in ("sun", "ring", "carrier")} | {gear.held: MOUNT, gear.driven: DRIVEN}
    own = [Turns(member, MOUNT, JOINT) for member in name.values() if member not in (MOUNT, DRIVEN)]
    meshes = (
        Meshes(name["sun"], "planets", -gear.planet / gear.sun, name["carrier"]),
        Meshes("planets", name["ring"], gear.ring / gear.outer, name["carrier"]),
    )
    return Inside((*own, Turns("planets", name["carrier"], "planets")), meshes, gear.driving)


def _wolfrom(gear: Wolfrom) -> Inside:
    members = (Turns("sun", MOUNT, JOINT), Turns("carrier", MOUNT, JOINT), Turns("planets", "carrier", "planets"))
    meshes = (
        Meshes("sun", "planets", -gear.planet / gear.sun, "carrier"),
        Meshes("planets", MOUNT, gear.ring / gear.planet, "carrier"),
        Meshes("planets", DRIVEN, gear.second_ring / gear.second_planet, "carrier"),
    )
    return Inside(members, meshes, "sun")


def _spur(gear: Spur) -> Inside:
    names = ["driver", *(f"idler{k + 1}" for k in range(len(gear.idlers)))]
    ratios = [before / after for before, after in pairwise(gear.rates)]
    meshes = [Meshes(a, b, ratio, MOUNT) for (a, b), ratio in zip(pairwise([*names, DRIVEN]), ratios, strict=True)]
    return Inside(tuple(Turns(name, MOUNT, name) for name in names), tuple(meshes), "driver")


def _series(gear: Series) -> Inside:
    """The output of a stage is the input of the next; a stage's input says about which axis it turns."""
    found = Inside((), (), DRIVEN)
    axis = JOINT
    for place in range(len(gear.stages), 0, -1):
        stage = inside(gear.stages[place - 1])
        own = {t.member: f"stage{place}.{t.member}" for t in stage.members}
        stage = stage.renamed(own | {DRIVEN: found.input}, {JOINT: axis})
        axis = next(t.axis for t in stage.members if t.member == stage.input)
        found = replace(
            found, members=stage.members + found.members, meshes=stage.meshes + found.meshes, input=stage.input
        )
    return found
