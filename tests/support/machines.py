"""Random designs and states: with a NumPy generator, and as hypothesis strategies that shrink the structure."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from hypothesis import strategies as st

import gearwright as gw
from support.designs import PLAIN, Bar, Design, Disc, State

KINDS = ("revolute", "prismatic", "fixed", "spherical", "free", "follower", "planar", "helical", "universal")


def unit(rng: np.random.Generator) -> np.ndarray:
    x = rng.normal(size=3)
    return x / np.linalg.norm(x)


def rotation(rng: np.random.Generator) -> np.ndarray:
    R, _ = np.linalg.qr(rng.normal(size=(3, 3)))
    return R * np.sign(np.linalg.det(R))


def hinge_frame(rng: np.random.Generator) -> np.ndarray:
    """Rx(tilt) Rz(start), as in most robots; tilts of a quarter turn and none are exact, as files have them."""
    tilt = [(1.0, 0.0), (0.0, 1.0), (0.0, -1.0), (np.cos(0.7), np.sin(0.7))][int(rng.integers(4))]
    start = [(1.0, 0.0), (0.0, 1.0), (np.cos(0.4), np.sin(0.4))][int(rng.integers(3))]
    (ct, st), (c, s) = tilt, start
    return np.array([[c, -s, 0.0], [ct * s, ct * c, -st], [st * s, st * c, ct]])


def tensor(rng: np.random.Generator, size: float = 0.1) -> np.ndarray:
    """A central tensor of a body with extent in all three directions, so that the triangle inequality holds."""
    p = rng.uniform(0.1 * size, size, 3)
    R = rotation(rng)
    return R @ np.diag(p.sum() - p) @ R.T


def random_design(
    rng: np.random.Generator,
    kinds: Sequence[str] = ("revolute",) * 3,
    *,
    wheels: int = 3,
    shafts: int = 0,
    springs: int = 0,
    chain: bool = False,
    twins: bool = True,
    payload: bool = False,
) -> Design:
    """A tree of these joints, wheels on arbitrary carriers with rows over several speeds, all numbers random."""
    bars = _bars(rng, kinds, chain)
    design = Design(bars, shafts=tuple(f"shaft{k}" for k in range(shafts)), gravity=unit(rng) * rng.uniform(5, 12))
    plain = design.plain_speeds()
    discs = [_disc(rng, len(bars), {name: _ratio(rng)}, twins=False) for name in design.shafts]
    for _ in range(wheels if plain else 0):
        names = rng.choice(plain, size=min(len(plain), int(rng.integers(1, 4))), replace=False)
        discs.append(_disc(rng, len(bars), {str(name): _ratio(rng) for name in names}, twins))
    load = (int(rng.integers(len(bars))), rng.uniform(0.5, 3), rng.uniform(-0.3, 0.3, 3), tensor(rng, 0.02))
    return Design(
        bars,
        tuple(discs),
        design.shafts,
        tuple(_spring(rng, plain) for _ in range(springs if plain else 0)),
        design.gravity,
        load if payload else None,
    )


def random_parts_design(rng: np.random.Generator, kinds: Sequence[str], *, wheels: int = 3, elastic: int = 0) -> Design:
    """A design that parts can express: one joint per drive, gear inertia at the input, springs of elastic drives."""
    bars = _bars(rng, kinds, chain=False)
    plain = Design(bars).driven_joints()
    soft = [str(name) for name in rng.permutation(plain)[:elastic]]
    driven = soft + [str(rng.choice(plain)) for _ in range(max(0, wheels - len(soft)) if plain else 0)]
    discs, springs, shafts = [], [], []
    for k, joint in enumerate(driven):
        speed = joint
        if k < len(soft):
            speed = f"{joint}.motor"
            shafts.append(speed)
            springs.append(({joint: 1.0, speed: -1.0}, rng.uniform(100, 1000), rng.uniform(0, 5), 0.0))
        disc = _disc(rng, len(bars), {speed: _ratio(rng)}, twins=False)
        gear = (1.0, rng.uniform(1e-4, 1e-3)) if rng.random() < 0.5 else None
        discs.append(Disc(**{**vars(disc), "twin": gear}))
    load = (int(rng.integers(len(bars))), rng.uniform(0.5, 3), rng.uniform(-0.3, 0.3, 3), tensor(rng, 0.02))
    return Design(bars, tuple(discs), tuple(shafts), tuple(springs), unit(rng) * rng.uniform(5, 12), load)


def _bars(rng: np.random.Generator, kinds: Sequence[str], chain: bool) -> tuple[Bar, ...]:
    bars: list[Bar] = []
    leaders = [i for i, kind in enumerate(kinds) if kind in PLAIN]
    for i, kind in enumerate(kinds):
        parent = -1 if kind == "free" else i - 1 if chain else int(rng.integers(-1, i))
        follows = None
        if kind == "follower":
            kind = str(rng.choice(PLAIN))
            if leaders:
                follows = (int(rng.choice(leaders)), float(rng.uniform(-2, 2)), float(rng.uniform(-1, 1)))
        axis, turn = (unit(rng), rotation(rng)) if rng.random() < 0.6 else (np.array([0, 0, 1.0]), hinge_frame(rng))
        place = (axis, turn, rng.uniform(-0.5, 0.5, 3))
        inertial = (rng.uniform(0.5, 5), rng.uniform(-0.3, 0.3, 3), tensor(rng))
        bars.append(Bar(parent, kind, *place, *inertial, follows, **_geometry(rng, kind, axis)))
    return tuple(bars)


def _geometry(rng: np.random.Generator, kind: str, axis: np.ndarray) -> dict[str, object]:
    """What some kinds need beside their axis: a second one (across the first, or at any angle to it), a pitch."""
    if kind == "universal":
        across = np.cross(axis, unit(rng))
        return {"axis2": across / np.linalg.norm(across) if rng.random() < 0.5 else unit(rng)}
    return {"pitch": float(rng.choice([-1, 1]) * rng.uniform(0.02, 0.3))} if kind == "helical" else {}


def _ratio(rng: np.random.Generator) -> float:
    return float(rng.choice([-1, 1]) * rng.uniform(1, 40))


def _disc(rng: np.random.Generator, bodies: int, row: dict[str, float], twins: bool) -> Disc:
    axial = rng.uniform(1e-4, 2e-3)
    twin = (float(rng.uniform(-2, 2)), float(rng.uniform(1e-4, 1e-3))) if twins and rng.random() < 0.4 else None
    carrier = int(rng.integers(-1, bodies))
    inertial = (axial, axial * rng.uniform(0.5, 2), rng.uniform(0.1, 1), rng.uniform(-0.3, 0.3, 3))
    return Disc(carrier, unit(rng), *inertial, row, twin)


def _spring(rng: np.random.Generator, plain: Sequence[str]) -> tuple[dict[str, float], float, float, float]:
    names = rng.choice(plain, size=min(len(plain), 2), replace=False)
    row = {str(name): float(rng.uniform(-2, 2)) for name in names}
    return row, rng.uniform(10, 500), rng.uniform(0, 5), rng.uniform(-1, 1)


def random_state(rng: np.random.Generator, mech: gw.Mechanism, *, outside: bool = False) -> State:
    """Coordinates, speeds and accelerations; with `outside`, wrenches on some bodies and a moving base."""
    q = rng.uniform(-1.5, 1.5, mech.nq)
    v, a = rng.uniform(-2, 2, (2, mech.n))
    if not outside:
        return State(q, v, a)
    pushed = [body.name for body in mech.bodies if rng.random() < 0.5]
    return State(q, v, a, {name: rng.uniform(-20, 20, 6) for name in pushed}, tuple(rng.uniform(-2, 2, (3, 3))))


@st.composite
def designs(
    draw: st.DrawFn, kinds: Sequence[str] = KINDS, bodies: int = 5, wheels: int = 5, shafts: int = 2, springs: int = 2
):
    """A strategy for designs: hypothesis draws (and shrinks) the structure, a drawn seed the numbers."""
    joints = draw(st.lists(st.sampled_from(kinds), min_size=1, max_size=bodies).filter(lambda x: set(x) != {"fixed"}))
    return random_design(
        np.random.default_rng(draw(st.integers(0, 2**31))),
        joints,
        wheels=draw(st.integers(0, wheels)),
        shafts=draw(st.integers(0, shafts)),
        springs=draw(st.integers(0, springs)),
    )


@st.composite
def motions(draw: st.DrawFn, outside: bool = False, **options):
    """A strategy for (design, machine, state)."""
    design = draw(designs(**options))
    mech = design.written()
    return design, mech, random_state(np.random.default_rng(draw(st.integers(0, 2**31))), mech, outside=outside)
