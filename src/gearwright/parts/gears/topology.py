"""Internal topology of a gear: the revolute pairs and meshes of its members, the edges of its graph.

Vertices are the "mount" (the link that carries the motor), the "driven" member and the gear's own members. An axis has
a label: "joint" for members coaxial with the driven one, else that of its member.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from itertools import pairwise
from typing import NamedTuple

from gearwright.algebra import Scalar
from gearwright.parts.gears.gear import GearType
from gearwright.parts.gears.planetary import Planetary
from gearwright.parts.gears.series import Series
from gearwright.parts.gears.spur import Spur
from gearwright.parts.gears.wolfrom import Wolfrom

MOUNT_MEMBER, DRIVEN_MEMBER, JOINT_AXIS = "mount", "driven", "joint"


class MemberAxis(NamedTuple):
    """A member that turns on a carrier about an axis."""

    member: str
    carrier: str
    axis: str


class MemberMesh(NamedTuple):
    """Two members that mesh: rate of the first per rate of the second, both relative to the carrier."""

    first: str
    second: str
    ratio: Scalar
    carrier: str


@dataclass(frozen=True)
class GearTopology:
    """The members of a gear other than mount and driven member, its meshes, and the member on the motor's shaft."""

    members: tuple[MemberAxis, ...]
    meshes: tuple[MemberMesh, ...]
    input: str

    def with_names(self, names: dict[str, str], axes: dict[str, str]) -> GearTopology:
        """The topology with renamed members and axes."""

        def new_name(name: str) -> str:
            return names.get(name, name)

        return GearTopology(
            tuple(
                MemberAxis(new_name(t.member), new_name(t.carrier), axes.get(t.axis, new_name(t.axis)))
                for t in self.members
            ),
            tuple(MemberMesh(new_name(m.first), new_name(m.second), m.ratio, new_name(m.carrier)) for m in self.meshes),
            new_name(self.input),
        )


def gear_topology(gear: GearType) -> GearTopology:
    """Return the members and meshes of a gear; for a gear without known teeth, one pair with the total ratio.

    >>> from gearwright.parts import Planetary
    >>> gear_topology(Planetary(sun=40, planet=20, ring=80, held="carrier")).meshes[0]
    MemberMesh(first='sun', second='planets', ratio=-0.5, carrier='mount')
    """
    if isinstance(gear, Planetary):
        return _planetary_topology(gear)
    if isinstance(gear, Wolfrom):
        return _wolfrom_topology(gear)
    if isinstance(gear, Spur):
        return _spur_topology(gear)
    if isinstance(gear, Series):
        return _series_topology(gear)
    return _pair_topology("rotor", gear.ratio)


def _pair_topology(name: str, ratio: Scalar) -> GearTopology:
    return GearTopology(
        (MemberAxis(name, MOUNT_MEMBER, name),), (MemberMesh(name, DRIVEN_MEMBER, ratio, MOUNT_MEMBER),), name
    )


def _planetary_topology(gear: Planetary) -> GearTopology:
    """External mesh sun-planets, internal mesh planets-ring; the fixed member is the mount (Fernini, eqs 7 to 10)."""
    name = {member: member for member in ("sun", "ring", "carrier")} | {
        gear.held: MOUNT_MEMBER,
        gear.output_name: DRIVEN_MEMBER,
    }
    free_members = [
        MemberAxis(member, MOUNT_MEMBER, JOINT_AXIS)
        for member in name.values()
        if member not in (MOUNT_MEMBER, DRIVEN_MEMBER)
    ]
    meshes = (
        MemberMesh(name["sun"], "planets", -gear.planet / gear.sun, name["carrier"]),
        MemberMesh("planets", name["ring"], gear.ring / gear.ring_side_teeth, name["carrier"]),
    )
    return GearTopology((*free_members, MemberAxis("planets", name["carrier"], "planets")), meshes, gear.input_name)


def _wolfrom_topology(gear: Wolfrom) -> GearTopology:
    members = (
        MemberAxis("sun", MOUNT_MEMBER, JOINT_AXIS),
        MemberAxis("carrier", MOUNT_MEMBER, JOINT_AXIS),
        MemberAxis("planets", "carrier", "planets"),
    )
    meshes = (
        MemberMesh("sun", "planets", -gear.planet / gear.sun, "carrier"),
        MemberMesh("planets", MOUNT_MEMBER, gear.ring / gear.planet, "carrier"),
        MemberMesh("planets", DRIVEN_MEMBER, gear.second_ring / gear.second_planet, "carrier"),
    )
    return GearTopology(members, meshes, "sun")


def _spur_topology(gear: Spur) -> GearTopology:
    names = ["driver", *(f"idler{k + 1}" for k in range(len(gear.idlers)))]
    ratios = [before / after for before, after in pairwise(gear.member_rates)]
    meshes = [
        MemberMesh(a, b, ratio, MOUNT_MEMBER)
        for (a, b), ratio in zip(pairwise([*names, DRIVEN_MEMBER]), ratios, strict=True)
    ]
    return GearTopology(tuple(MemberAxis(name, MOUNT_MEMBER, name) for name in names), tuple(meshes), "driver")


def _series_topology(gear: Series) -> GearTopology:
    """The output of a stage is the input of the next; the input of a stage determines its axis."""
    topology = GearTopology((), (), DRIVEN_MEMBER)
    axis = JOINT_AXIS
    for place in range(len(gear.stages), 0, -1):
        stage = gear_topology(gear.stages[place - 1])
        stage_names = {t.member: f"stage{place}.{t.member}" for t in stage.members}
        stage = stage.with_names(stage_names | {DRIVEN_MEMBER: topology.input}, {JOINT_AXIS: axis})
        axis = next(t.axis for t in stage.members if t.member == stage.input)
        topology = replace(
            topology, members=stage.members + topology.members, meshes=stage.meshes + topology.meshes, input=stage.input
        )
    return topology
