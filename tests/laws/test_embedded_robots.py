"""A robot that is embedded in another keeps its own dynamics, and everything on its base goes with it.

Attached at a frame anywhere on a moving link, or put on an elastic base, it must move as if a massless link of its own
were fixed there and carried its base as it is: the whole mass matrix and the gravity torques are the same.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import gearwright as gw
from gearwright.algebra import IDENTITY, ZERO, Rot, Tensor, Vec
from gearwright.parts import Beam, ElasticBase, Frame, Joint, Link, Robot, attach, with_beam, with_elastic_base
from support.embedding import DRIVES, ON_THE_JOINT, TEETH, TRAINS, geared, turn

MASSLESS = Tensor.diagonal(0.0, 0.0, 0.0)
GEARED = [
    (kind, stated, in_line, elastic)
    for kind in TEETH
    for stated in (False, True)
    for in_line in (True, False)
    for elastic in (False, True)
    if (in_line and not elastic) or not kind.endswith(ON_THE_JOINT)
]
CASES = {
    f"{kind}, {'stated' if stated else 'default'}, {'in line' if in_line else 'across'}, {'elastic' * elastic}": (
        lambda rng, case=(kind, stated, in_line, elastic): geared(case[0], rng, *case[1:])
    )
    for kind, stated, in_line, elastic in GEARED
} | {
    f"{name}, {'stated' if stated else 'default'}": lambda rng, make=make, stated=stated: make(rng, stated)
    for name, make in {**DRIVES, **TRAINS}.items()
    for stated in (False, True)
}
RIGID = [name for name in CASES if "elastic" not in name]


def same(first, second, rng: np.random.Generator) -> None:
    """Two machines with the same speeds have the same mass matrix, and in motion the same torques with gravity."""
    a, b = gw.assemble(first), gw.assemble(second)
    assert a.speeds == b.speeds
    q, v = rng.normal(size=(2, a.n))
    assert gw.mass_matrix(a, q) == pytest.approx(gw.mass_matrix(b, q), rel=1e-10, abs=1e-10)
    assert gw.bias(a, q, v) == pytest.approx(gw.bias(b, q, v), rel=1e-10, abs=1e-8)


def truck(frame: str, R: Rot, p) -> Robot:
    """Two links that move, on the second a frame: at the place itself, or on a massless link that is fixed there."""
    links = [
        Link("slide", joint=Joint("slide", "prismatic", (0.3, 1.0, 0.2)), mass=3.0, inertia=np.eye(3)),
        Link("table", "slide", Joint("table", axis=(0.1, 0.5, 1.0), position=(0.1, 0.2, 0.3)), 2.0, (0.1, 0, 0)),
    ]
    links[1] = replace(links[1], inertia=np.eye(3) * 0.5)
    links.append(Link("stand", "table", Joint(kind="fixed", rotation=R, position=p), inertia=MASSLESS))
    frames = [Frame("there", "table", p, R), Frame("on_stand", "stand")]
    return Robot("truck", links, frames=[f for f in frames if f.name == frame], gravity=(1.0, -3.0, -9.0))


@pytest.mark.parametrize("case", CASES)
def test_attached_anywhere(case):
    """As on a stand of its own there; and whatever the truck does, its own block is the mass matrix it has alone."""
    rng = np.random.default_rng(len(case))
    other = CASES[case](rng)
    R, p = turn(rng), 0.4 * rng.normal(size=3)
    whole, alone = attach(truck("there", R, p), other, "there", "o_"), gw.assemble(other)
    same(whole, attach(truck("on_stand", R, p), other, "on_stand", "o_"), rng)
    mech = gw.assemble(attach(truck("there", R, p), other, "there"))
    own = [mech.speeds.index(name) for name in alone.speeds]
    q = rng.normal(size=mech.n)
    M = gw.mass_matrix(mech, q)[np.ix_(own, own)]
    assert pytest.approx(gw.mass_matrix(alone, q[own]), rel=1e-10, abs=1e-10) == M


@pytest.mark.parametrize("case", CASES)
def test_on_an_elastic_base(case):
    rng = np.random.default_rng(len(case))
    other = CASES[case](rng)
    p = Vec(*(0.4 * rng.normal(size=3)))
    words = {"mass": 20.0, "com": (0.1, 0.2, 0.1), "inertia": np.eye(3).tolist()}
    soft = with_elastic_base(other, ElasticBase([1e5, None, 1e5, 1e4, None, 1e4], position=p, **words))
    bare = Robot("foot", [Link("pin", joint=Joint(kind="fixed"), inertia=MASSLESS)])
    foot = with_elastic_base(bare, ElasticBase([1e5, None, 1e5, 1e4, None, 1e4], position=p, **words))
    stand = Link("stand", "support", Joint(kind="fixed", rotation=IDENTITY, position=p * -1.0), inertia=MASSLESS)
    ground = replace(foot, links=[*foot.links, stand], frames=[Frame("on_stand", "stand", ZERO, IDENTITY)])
    same(soft, attach(ground, other, "on_stand"), rng)
    for frame in other.frames:
        a, b = gw.assemble(soft), gw.assemble(attach(ground, other, "on_stand"))
        q = rng.normal(size=a.n)
        assert gw.placement(a, q, frame.name)[1] == pytest.approx(gw.placement(b, q, frame.name)[1], abs=1e-12)


@pytest.mark.parametrize("case", RIGID)
def test_through_a_file(case, tmp_path):
    """Saved and loaded, every place is where it was; a place that is not stated stays so."""
    rng = np.random.default_rng(len(case))
    other = CASES[case](rng)
    moved = attach(truck("there", turn(rng), 0.4 * rng.normal(size=3)), other, "there", "o_")
    gw.save(moved, tmp_path / "moved.yaml")
    back = gw.load(tmp_path / "moved.yaml")
    same(back, moved, rng)
    assert [d.motor.position is None for d in back.drives] == [d.motor.position is None for d in moved.drives]


@pytest.mark.parametrize("case", [name for name in RIGID if not name.startswith(tuple(TRAINS))])
def test_on_a_straight_beam(case):
    """Cut into segments that are not bent, its own block is that of the rigid link with a rod fixed to it."""
    rng = np.random.default_rng(len(case))
    other = CASES[case](rng)
    beam = Beam(0.5, 2.0, bending=(500.0, None), segments=3, direction=rng.normal(size=3))
    e = beam.unit_axes[2]
    rod = Link("rod", "l1", Joint(kind="fixed"), 1.0, e * 0.25, Tensor.of_revolution(e, 0.0, 0.25 / 12))
    payload = other.payload and replace(other.payload, link=other.payload.link or "l2")
    stiff = gw.assemble(replace(other, links=[*other.links, rod], payload=payload))
    cut = gw.assemble(with_beam(other, "l1", beam))
    own, q = [cut.speeds.index(name) for name in stiff.speeds], np.zeros(cut.n)
    q[own] = rng.normal(size=stiff.n)
    M = gw.mass_matrix(cut, q)[np.ix_(own, own)]
    assert pytest.approx(gw.mass_matrix(stiff, q[own]), rel=1e-10, abs=1e-10) == M
    assert gw.gravity(cut, q)[own] == pytest.approx(gw.gravity(stiff, q[own]), rel=1e-10, abs=1e-10)
