"""Robots with one part of every kind on their base, with and without stated places, to be put on other robots."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import fields, replace
from typing import Any

import numpy as np

from gearwright.algebra import Rot
from gearwright.files.fields.gear import GEAR_PARTS
from gearwright.parts import (
    Belt,
    Bevel,
    Cycloidal,
    Drive,
    Frame,
    Gear,
    Gearwheel,
    Harmonic,
    Joint,
    JointSpring,
    Link,
    Member,
    Mesh,
    Motor,
    PassiveSpring,
    Payload,
    Planetary,
    Rack,
    Robot,
    Screw,
    Series,
    Shaft,
    Spur,
    Train,
    TrainMotor,
    Wolfrom,
    Worm,
    bevel_differential,
    nested_shafts,
    planetary_differential,
)

PLANETS = {"sun": 18, "planet": 27, "ring": 72, "radius": 0.05}
TEETH: dict[str, Callable[[], Any]] = {
    "simple": lambda: Gear(50.0, inertia=1e-3),
    "spur": lambda: Spur(driver=20, driven=60, idlers=(30,), idler_members=(Member(),)),
    "bevel": lambda: Bevel(driver=20, driven=40),
    "worm": lambda: Worm(wheel=40),
    "belt": lambda: Belt(driver=0.02, driven=0.06, distance=0.3, line_density=0.5),
    "chain": lambda: Belt(driver=0.02, driven=0.06, distance=0.3, line_density=0.5, kind="chain"),
    "rack": lambda: Rack(radius=0.02),
    "screw": lambda: Screw(lead=0.02),
    "planetary": lambda: Planetary(**PLANETS),
    "planetary, carrier held": lambda: Planetary(**PLANETS, held="carrier", planets=2, towards=(0.3, 0.5, 0.1)),
    "planetary, two planets": lambda: Planetary(**PLANETS, planets=2, towards=(0.3, 0.5, 0.1)),
    "planetary, sun held": lambda: Planetary(**PLANETS, held="sun"),
    "wolfrom": lambda: Wolfrom(sun=12, planet=24, ring=60, second_planet=21, second_ring=57, radius=0.04),
    "harmonic": lambda: Harmonic(reduction=50),
    "cycloidal": lambda: Cycloidal(pins=30, eccentricity=0.002),
    "cycloidal, discs held": lambda: Cycloidal(pins=30, eccentricity=0.002, held="discs"),
    "cycloidal, rv": lambda: Cycloidal(pins=30, eccentricity=0.002, sun=16, planet=32, radius=0.04),
    "shaft": lambda: Shaft(),
    "series": lambda: Series(stages=[Planetary(**PLANETS), Spur(driver=20, driven=60), Planetary(**PLANETS)]),
    "series, rv last": lambda: Series(stages=[Spur(driver=20, driven=60), TEETH["cycloidal, rv"]()]),
    "series, belt first": lambda: Series(stages=[TEETH["belt"](), Shaft(stiffness=300.0), TEETH["planetary"]()]),
}
assert {name.split(",")[0] for name in TEETH} == set(GEAR_PARTS), "a kind of gear is not embedded by any test"

ON_THE_JOINT = (", rv", ", rv last", ", two planets")
"""How gears end that only stand in line with the joint, and without a spring."""


def turn(rng: np.random.Generator) -> Rot:
    """A random rotation."""
    return Rot.from_quaternion(*(x / 2 for x in rng.normal(size=4)))


def links(rng: np.random.Generator, slides: bool = False) -> list[Link]:
    """A chain of two links whose joints lie anywhere."""
    found, parent = [], "base"
    for k in (1, 2):
        kind = "prismatic" if slides and k == 1 else "revolute"
        joint = Joint(f"j{k}", kind, rng.normal(size=3), turn(rng), 0.3 * rng.normal(size=3))
        inertia = np.diag(rng.uniform(0.2, 0.3, size=3))
        found.append(Link(f"l{k}", parent, joint, rng.uniform(1, 3), 0.2 * rng.normal(size=3), inertia))
        parent = f"l{k}"
    return found


class Places:
    """Random bodies of revolution, with or without places of their own."""

    def __init__(self, rng: np.random.Generator, stated: bool) -> None:
        self.rng, self.stated = rng, stated

    def position(self, always: bool = False) -> tuple[float, ...] | None:
        """A place, if places are stated."""
        return tuple(0.2 * self.rng.normal(size=3)) if self.stated or always else None

    def body(self) -> dict[str, Any]:
        """Mass, inertia and place."""
        J, m, t = self.rng.uniform((0.02, 0.5, 0.025), (0.04, 2.0, 0.05))
        return {"inertia": J, "mass": m, "transverse_inertia": t, "position": self.position()}

    def motor(self, always: bool = False) -> Motor:
        """A motor whose stator has a mass too."""
        words = self.body() | ({"position": self.position(always)} if always else {})
        return Motor(**words, stator_mass=self.rng.uniform(0.5, 2.0))

    def geared(self, gear: Any) -> Any:
        """The gear with bodies for all its members."""
        changed: dict[str, Any] = {}
        for field in fields(gear):
            value = getattr(gear, field.name)
            if isinstance(value, Member):
                changed[field.name] = Member(**self.body())
            elif field.name == "idler_members":
                changed[field.name] = tuple(Member(**self.body()) for _ in value)
            elif field.name == "stages":
                changed[field.name] = tuple(self.geared(stage) for stage in value)
        return replace(gear, **changed)


def geared(kind: str, rng: np.random.Generator, stated: bool, in_line: bool, elastic: bool) -> Robot:
    """A drive on the base and one on the first link, through a gear of this kind."""
    places = Places(rng, stated)
    chain = links(rng, slides=kind in ("rack", "screw"))
    drives = []
    for joint in ("j1",) if kind in ("rack", "screw") else ("j1", "j2"):
        gear = places.geared(TEETH[kind]())
        if elastic and kind != "series, belt first":
            gear = replace(gear, stiffness=1e3)
        heavy_belt = "belt" in kind or kind == "chain"  # it runs from the motor to the joint
        axis = None if in_line else rng.normal(size=3)
        drives.append(Drive(joint, places.motor(always=heavy_belt), gear, axis=axis))
    return Robot("geared", chain, drives)


def remote(rng: np.random.Generator, stated: bool) -> Robot:
    """A drive of the second joint on the base, where only a motor without mass needs no place."""
    motor = Places(rng, stated=True).motor() if stated else Motor(0.03, transverse_inertia=0.02)
    return Robot("remote", links(rng), [Drive("j2", motor, Gear(30.0), "base", axis=rng.normal(size=3))])


def tensors(rng: np.random.Generator, stated: bool) -> Robot:
    """A motor stated by its tensor, its centre of mass apart from a point of its axis."""
    chain, e = links(rng), rng.normal(size=3)
    e /= np.linalg.norm(e)
    if not stated:  # its axis then goes through the joint
        e = np.array(chain[0].joint.rotation.rows()) @ chain[0].joint.axis
        e /= np.linalg.norm(e)
    at = 0.2 * rng.normal(size=3) if stated else np.array([*chain[0].joint.position])
    tensor = 0.02 * np.eye(3) + 0.01 * np.outer(e, e)
    motor = Motor(mass=1.3, tensor=tensor.tolist(), com=at + 0.1 * e, position=at if stated else None)
    return Robot("tensors", chain, [Drive("j1", motor, Gear(20.0), axis=e)])


def belongings(rng: np.random.Generator, stated: bool) -> Robot:
    """A payload, frames, passive springs and a mount on the driven link."""
    places = Places(rng, stated)
    chain = links(rng)
    chain[1] = replace(chain[1], joint=replace(chain[1].joint, spring=JointSpring(30.0, 1.0)))
    inertia = np.diag([0.02, 0.03, 0.04]).tolist()
    payload = Payload(1.5, 0.2 * rng.normal(size=3), "l1" if stated else None, inertia)
    frames = [Frame("foot", "base", 0.2 * rng.normal(size=3), turn(rng)), Frame("tip", "l2", 0.2 * rng.normal(size=3))]
    springs = [PassiveSpring("both", {"j1": 1.0, "j2": -0.5}, 20.0)]
    drives = [Drive("j1", places.motor(), Gear(30.0, stiffness=1e3), "l1")]
    return Robot("belongings", chain, drives, payload, frames, springs=springs)


def pair_on_base(rng: np.random.Generator, stated: bool) -> Robot:
    """Wheels on the base about a drawn axis, each other's and the joint's, motors rigid and elastic."""
    places = Places(rng, stated)
    chain = links(rng)
    e = np.array(chain[0].joint.rotation.rows()) @ chain[0].joint.axis
    wheels = [
        Gearwheel("drawn", "base", tuple(e), **places.body()),
        Gearwheel("beside", "base", "drawn", **places.body()),
        Gearwheel("about", "base", "j1", **places.body()),
        Gearwheel("circle", "base", tuple(e), **places.body(), count=2, radius=0.1),
        Gearwheel("joints", "base", "j1", **places.body(), count=2, radius=0.1),
    ]
    meshes = [
        Mesh("drawn", "l1", teeth=(20, 60)),
        Mesh("beside", "l1", teeth=(20, 40)),
        Mesh("about", "drawn", teeth=(20, 30)),
        Mesh("circle", "l1", teeth=(10, 60)),
        Mesh("joints", "drawn", teeth=(10, 60)),
    ]
    motors = [
        TrainMotor("stiff", "drawn", motor=places.motor()),
        TrainMotor("soft", "beside", motor=places.motor(), stiffness=200.0),
    ]
    return Robot("pair", chain, trains=[Train("gears", wheels, meshes, motors)])


def bevels(rng: np.random.Generator, stated: bool) -> Robot:
    """A bevel differential with its side gears and motors on the base."""
    places = Places(rng, stated)
    sides = (Member(**places.body()), Member(**places.body()))
    motors = [TrainMotor(f"m.{side}", f"d.{side}", motor=places.motor()) for side in ("left", "right")]
    train = bevel_differential("d", "l1", "l2", (20, 30), sides, motors, arm_joint="j1")
    return Robot("bevels", links(rng), trains=[train])


def planets(rng: np.random.Generator, stated: bool) -> Robot:
    """A planetary differential: sun and ring on the base, planets on a free arm there, and on the first link."""
    places = Places(rng, stated)
    wheels = [
        Gearwheel("sun", "base", (0.3, 0.1, 1.0), **places.body()),
        Gearwheel("ring", "base", "sun", **places.body()),
        Gearwheel("arm", "base", "sun", **places.body()),
    ]
    own, meshes = planetary_differential("p", "sun", "ring", "arm", (18, 27, 72), 3, Member(0.02, 0.4), 0.05)
    meshes.append(Mesh("sun", "l1", ratio=2.0, carrier="base"))
    motors = [TrainMotor("m", "ring", motor=places.motor())]
    return Robot("planets", links(rng), trains=[Train("p", [*wheels, *own], meshes, motors, free=["ring"])])


def nested(rng: np.random.Generator, stated: bool) -> Robot:
    """A remote drive through a shaft in the first joint."""
    places = Places(rng, stated)
    train = nested_shafts("w", ["j1", "j2"], ["l1", "l2"], [2.0], [0.03])
    wheels = [replace(train.wheels[0], **places.body())]
    motors = [TrainMotor("m", "w.1", motor=places.motor())]
    return Robot("nested", links(rng), trains=[replace(train, wheels=wheels, motors=motors)])


DRIVES = {"remote drive": remote, "tensor": tensors, "payload, frames, springs": belongings}
TRAINS = {
    "wheels on the base": pair_on_base,
    "bevel differential": bevels,
    "planetary differential": planets,
    "nested shafts": nested,
}
