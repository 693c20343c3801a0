"""Common gear trains: the bevel differential, the planetary differential, remote drives by nested shafts."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from gearwright.algebra import Scalar
from gearwright.argument_kinds import check_arguments
from gearwright.arguments import require_scalar
from gearwright.errors import TrainError
from gearwright.parts.gears.member import MASSLESS_MEMBER, Member
from gearwright.parts.gears.planetary import require_coaxial_meshes, require_even_spacing, require_planet_clearance
from gearwright.parts.trains.train import Gearwheel, Mesh, Train, TrainMotor


@check_arguments
def bevel_differential(
    name: str,
    arm: str,
    output: str,
    teeth: tuple[Scalar, Scalar] = (1, 1),
    side_members: tuple[Member, Member] = (MASSLESS_MEMBER, MASSLESS_MEMBER),
    motors: Sequence[TrainMotor] = (),
    carrier: str = "base",
    arm_joint: str | None = None,
) -> Train:
    r"""Return a bevel differential: two side gears, coaxial with the arm's joint, mesh with a bevel gear on the output.

    With $Z$ = (side, output) teeth, the two side gears turn at $s = \dot q_{arm} \pm (Z_{out} / Z_{side}) \dot q_{out}$
    relative to the carrier: their mean moves the arm, their difference the output.

    Args:
        name: its name; the side gears are called `<name>.left` and `<name>.right`.
        arm: the link that carries the output link's joint.
        output: the link with the output bevel gear, which turns about an axis perpendicular to the arm's.
        teeth: teeth of a side gear and of the output gear.
        side_members: mass and inertia of the two side gears.
        motors: motors, on the wheels `<name>.left` and `<name>.right` or on other wheels.
        carrier: the link that carries the side gears: the arm's parent.
        arm_joint: name of the arm's joint, if it is not the arm's name.

    >>> [mesh.signed_ratio for mesh in bevel_differential("d", "pitch", "roll", (20, 30)).meshes]
    [-1.5, 1.5]
    """
    for count in teeth:
        require_scalar("bevel_differential", "teeth", count)
    sides = ("left", "right")
    wheels = [
        member_wheel(f"{name}.{side}", carrier, arm_joint or arm, member)
        for side, member in zip(sides, side_members, strict=True)
    ]
    meshes = [
        Mesh(f"{name}.{side}", output, teeth=teeth, kind="bevel", carrier=arm, sense=sense)
        for side, sense in zip(sides, (1, -1), strict=True)
    ]
    return Train(name, wheels, meshes, motors)


@check_arguments
def planetary_differential(
    name: str,
    sun: str,
    ring: str,
    arm: str,
    teeth: tuple[int, int, int],
    planets: int = 3,
    planet_member: Member = MASSLESS_MEMBER,
    radius: Scalar = 0.0,
) -> tuple[list[Gearwheel], list[Mesh]]:
    """Return the planets and meshes of a stage whose sun, ring and arm are free wheels or links of a train.

    They are to be added to a `Train`: the planets `<name>.planets` on the arm, and their two meshes.
    """
    require_scalar("planetary_differential", "radius", radius)
    zs, zp, zr = teeth
    require_coaxial_meshes(name, (zs, zp), (zr, zp))
    require_even_spacing(name, planets, zs, zp, zr, zp)
    require_planet_clearance(name, planets, zs + zp, zp)
    planet = f"{name}.planets"
    body = {"mass": planet_member.mass, "transverse_inertia": planet_member.mean_transverse_inertia}
    wheel = Gearwheel(planet, arm, "parallel", planet_member.inertia, count=planets, radius=radius, **body)
    return [wheel], [
        Mesh(sun, planet, teeth=(zs, zp), carrier=arm),
        Mesh(ring, planet, teeth=(zr, zp), kind="internal", carrier=arm),
    ]


@check_arguments
def nested_shafts(
    name: str, joints: Sequence[str], links: Sequence[str], ratios: Sequence[Scalar], inertias: Sequence[Scalar]
) -> Train:
    r"""Return a remote drive: a motor at the base drives a distal joint through shafts nested in the joints between.

    One shaft turns coaxially with each of the joints 1 to n-1, carried by the link before it; shaft k meshes with shaft
    k+1 (the last with the driven link) on link k with the signed ratio g_k, so that $s_k = \dot q_k + g_k s_{k+1}$: the
    motion of every intermediate joint appears in the motor's row.

    Args:
        name: its name; the shafts are `<name>.1`, `<name>.2`, ...; the motor is mounted on the first.
        joints: joints from the one at the motor to the driven one.
        links: the link that each of these joints moves; the first shaft is on the parent of the first link ("base").
        ratios: g_k per intermediate joint, speed of shaft k per speed of shaft k+1 on link k.
        inertias: axial inertia of each shaft [kg m2].

    >>> [mesh.second for mesh in nested_shafts("w", ["a", "b", "c"], ["A", "B", "C"], [1, -2], [0, 0]).meshes]
    ['w.2', 'C']
    """
    passed = len(joints) - 1
    if passed < 1 or not len(links) == passed + 1 == len(ratios) + 1 == len(inertias) + 1:
        raise TrainError(
            f"nested shafts {name!r}: {len(joints)} joints and {len(links)} links need {max(passed, 1)} ratios and "
            f"inertias, not {len(ratios)} and {len(inertias)}. Give one for each intermediate joint."
        )
    shafts = [f"{name}.{k + 1}" for k in range(passed)]
    carriers = ["base", *links[: passed - 1]]
    wheels = [Gearwheel(*row) for row in zip(shafts, carriers, joints[:passed], inertias, strict=True)]
    meshes = [
        Mesh(shafts[k], [*shafts, links[passed]][k + 1], ratio=ratios[k], carrier=links[k]) for k in range(passed)
    ]
    return Train(name, wheels, meshes)


def member_wheel(name: str, carrier: str, axis: Any, member: Member) -> Gearwheel:
    """A member as a wheel of a train."""
    return Gearwheel(
        name, carrier, axis, member.inertia, member.mass, member.mean_transverse_inertia, position=member.position
    )
