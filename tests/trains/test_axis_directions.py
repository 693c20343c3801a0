"""Trains whose axes point both ways: every sign against wheels that roll on each other, every force against bodies."""

from __future__ import annotations

import numpy as np
import pinocchio as pin
import pytest

import gearwright as gw
from gearwright.errors import TrainError
from gearwright.parts import Gearwheel, Joint, Link, Member, Mesh, Robot, Train, planetary_differential
from trains.arms import across
from trains.explicit import Explicit, worst
from trains.rolling import Motion, rolling

PLANET = Member(6e-3, 0.4, 5e-3)
SUN_RADIUS, PLANET_RADIUS, RING_RADIUS = 0.02, 0.03, 0.08
RADIUS, COUNT, TEETH = SUN_RADIUS + PLANET_RADIUS, 4, (20, 30, 80)


class Epicyclic:
    """A free stage on a moving link: the arm turns on it, the ring on the arm (or on a plate welded to the arm)."""

    def __init__(self, seed: int, arm_way: int, ring_way: int, plate: bool) -> None:
        rng = np.random.default_rng(seed)
        turn = lambda: pin.exp3(rng.normal(size=3))  # noqa: E731
        first, arm, welded, ring = (turn() for _ in range(4))
        k = rng.normal(size=3)
        k /= np.linalg.norm(k)  # the common axis, in link 0
        self.in_arm = arm.T @ k
        in_plate = welded.T @ self.in_arm if plate else self.in_arm
        body = {"mass": 2.0, "com": (0.05, -0.02, 0.03), "inertia": np.diag([0.03, 0.04, 0.05])}
        self.centre = rng.normal(size=3) * 0.2
        joints = {
            "l0": ("base", Joint("j0", axis=tuple(rng.normal(size=3)), rotation=first, position=(0.1, 0, 0.2))),
            "arm": ("l0", Joint("ja", axis=tuple(arm_way * self.in_arm), rotation=arm, position=self.centre)),
            "plate": ("arm", Joint("weld", "fixed", rotation=welded, position=0.01 * self.in_arm)),
            "ring": (
                "plate" if plate else "arm",
                Joint("jr", axis=tuple(ring_way * ring.T @ in_plate), rotation=ring, position=0.02 * in_plate),
            ),
        }
        self.links = [Link(n, parent, joint, **body) for n, (parent, joint) in joints.items() if plate or n != "plate"]
        self.arm_axis = arm_way * k

    def geometry(self, planet_axis, sun_axis):
        """Rates of a planet relative to the arm and of the sun relative to link 0, per unit of every speed."""
        motion = Motion(self.links, [0.3, -0.7, 1.1])
        centre, k = motion.place("l0", self.centre), motion.direction("arm", self.in_arm)
        out, along = across(k)
        planet, inner, outer = (centre + r * out for r in (RADIUS, SUN_RADIUS, RING_RADIUS))
        e = motion.direction("arm", planet_axis)
        own = rolling(motion.velocity("ring", outer), motion.velocity("arm", outer), e, planet, outer, along)
        rim = motion.velocity("arm", inner) + np.outer(own, np.cross(e, inner - planet))
        sun = motion.direction("l0", sun_axis)
        return own, rolling(rim, motion.velocity("l0", inner), sun, centre, inner, along)

    def explicit(self, planet_axis, own, sun):
        """Every wheel as a body, at the rates that the geometry gave."""
        oracle = Explicit(("j0", "ja", "jr"))
        for link in self.links:
            row = {} if link.joint.kind == "fixed" else {link.joint_name: 1.0}
            place = {"rotation": link.joint.rotation, "position": link.joint.position, "axis": link.joint.axis}
            oracle.add(link.name, link.parent, row, mass=link.mass, com=link.com, inertia=link.inertia, **place)
        rows = [dict(zip(oracle.speeds, row, strict=True)) for row in (own, sun)]
        oracle.wheel("sun", "l0", rows[1], self.arm_axis, 3e-3, 2e-3, 0.2, self.centre)
        u, w = across(self.in_arm)
        for n, t in enumerate(2 * np.pi * np.arange(COUNT) / COUNT):
            spot = RADIUS * (np.cos(t) * u + np.sin(t) * w)
            body = (PLANET.inertia, PLANET.mean_transverse_inertia, PLANET.mass)
            oracle.wheel(f"p{n}", "arm", rows[0], planet_axis, *body, spot)
        return oracle


def require_agreement(stage, planets, meshes, planet_axis):
    sun = Gearwheel("sun", "l0", "ja", 3e-3, 0.2, 2e-3)
    mech = gw.assemble(Robot("stage", stage.links, trains=[Train("t", [sun, *planets], meshes)]))
    own, of_sun = stage.geometry(planet_axis, stage.arm_axis)
    rows = {spin.name: spin.ratio for spin in mech.spins}
    assert rows["sun"] == pytest.approx(of_sun, abs=1e-12)
    assert rows["stage.planets"] == pytest.approx(own, abs=1e-12)
    oracle = stage.explicit(planet_axis, own, of_sun)
    for q, v, a in np.random.default_rng(3).normal(size=(2, 3, 3)):
        assert worst(gw.mass_matrix(mech, q), oracle.mass_matrix(q)) < 1e-10
        assert worst(gw.inverse_dynamics(mech, q, v, a), oracle.torque(q, v, a)) < 1e-10


WAYS = [(1, 1), (1, -1), (-1, 1), (-1, -1)]


@pytest.mark.parametrize("plate", [False, True], ids=["", "welded"])
@pytest.mark.parametrize("ways", WAYS)
@pytest.mark.parametrize("seed", range(3))
def test_parallel_planets_between_coaxial_links(seed, ways, plate):
    """A differential of which sun, ring and arm turn: pitch points and explicit bodies give the signs."""
    stage = Epicyclic(seed, *ways, plate)
    planets, meshes = planetary_differential("stage", "sun", "ring", "arm", TEETH, COUNT, PLANET, RADIUS)
    require_agreement(stage, planets, meshes, ways[0] * stage.in_arm)


@pytest.mark.parametrize("planet_way", [1, -1])
@pytest.mark.parametrize("ways", WAYS)
def test_planets_with_an_axis_of_their_own_and_a_weld_between(ways, planet_way):
    """The ring turns on a plate that is welded to the arm: the arm sees its axis through the weld."""
    stage = Epicyclic(7, *ways, plate=True)
    body = {"mass": PLANET.mass, "transverse_inertia": PLANET.mean_transverse_inertia}
    axis = planet_way * stage.in_arm
    planet = Gearwheel("stage.planets", "arm", tuple(axis), PLANET.inertia, count=COUNT, radius=RADIUS, **body)
    meshes = [
        Mesh("sun", "stage.planets", radii=(SUN_RADIUS, PLANET_RADIUS), carrier="arm"),
        Mesh("ring", "stage.planets", radii=(RING_RADIUS, PLANET_RADIUS), kind="internal", carrier="arm"),
    ]
    require_agreement(stage, [planet], meshes, axis)


def test_the_sun_by_hand():
    """Ring opposite to the arm: s_sun = arm + Zr/Zs ring."""
    round_body = {"mass": 1.0, "inertia": np.eye(3)}
    links = [Link("arm", joint=Joint("ja"), **round_body)]
    links += [Link("ring", "arm", Joint("jr", axis=(0, 0, -1)), **round_body)]
    planets, meshes = planetary_differential("stage", "sun", "ring", "arm", TEETH, COUNT)
    train = Train("t", [Gearwheel("sun", "base", "ja", 1e-3), *planets], meshes)
    assert gw.assemble(Robot("stage", links, trains=[train])).spins[0].ratio == pytest.approx((1, 4))


def test_parallel_planets_that_cannot_mesh_are_refused():
    """Planets parallel to the arm's joint do not mesh with a ring whose axis stands across it."""
    links = [Link("arm", joint=Joint("ja")), Link("ring", "arm", Joint("jr", axis=(1, 0, 0)))]
    planets, meshes = planetary_differential("stage", "sun", "ring", "arm", TEETH, COUNT)
    train = Train("t", [Gearwheel("sun", "base", "ja", 1e-3), *planets], meshes)
    with pytest.raises(TrainError, match=r"internal.*parallel"):
        gw.assemble(Robot("stage", links, trains=[train]))
