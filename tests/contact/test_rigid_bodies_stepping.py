"""Rigid bodies on rough planes by time stepping: closed forms, redundant contacts, random bodies, a crank with play."""

from __future__ import annotations

import re
import warnings
from dataclasses import replace

import numpy as np
import pytest

import gearwright as gw
from contact.random_bodies import floors, free_body, planar_body, random_throw
from gearwright.contact import Contact, Plane
from gearwright.errors import GearwrightWarning, InputError
from gearwright.simulation.fixed_step.compiled_rollout import FixedStep, fixed_step
from support.compare import relative

G = 9.81
FLOOR = Plane((0, 0, 0), (0, 0, 1))
UPRIGHT = np.array([[1.0, 0, 0], [0, 0, -1], [0, 1, 0]])
"""Axes of a planar joint whose plane is that of x and z."""


def moved(mech, laws, start, until, step, **more):
    return gw.rollout(mech, *start, round(until / step), step, method="moreau", laws=laws, **more)


def slides() -> gw.Mechanism:
    """A block on a horizontal and a vertical slide: nothing can move along y."""
    axes = ((1, 0, 0), (0, 0, 1))
    return gw.Mechanism([gw.Body(f"s{k}", k - 1, "prismatic", axis, mass=float(k)) for k, axis in enumerate(axes)])


def planar(points, inertia=0.02, mass=1.0, gravity=(0, 0, -G)) -> gw.Mechanism:
    """A body that moves in the plane of x and z, with points (m, 2) of its own."""
    body = gw.Body("body", joint="planar", mass=mass, inertia=np.diag([inertia] * 3), rotation=UPRIGHT)
    frames = [gw.BodyFrame(f"p{k}", "body", position=(x, z, 0.0)) for k, (x, z) in enumerate(points)]
    return gw.Mechanism([body], frames=frames, gravity=gravity)


def touching(count: int, restitution: float = 0.0, friction: float = 0.0) -> list[Contact]:
    settings = {"restitution": restitution, "friction": friction, "impact": "newton"}
    return [Contact(f"p{k}", FLOOR, name=f"p{k}.floor", **settings) for k in range(count)]


def feet(width: float = 0.4, height: float = 0.1) -> gw.Mechanism:
    return planar([(-width / 2, -height), (width / 2, -height)])


def energy(mech, run):
    return gw.kinetic_energy(mech, run.q, run.v) + gw.potential_energy(mech, run.q)


def test_a_block_on_two_slides_stops_after_its_stopping_distance():
    """v^2 / (2 mu g), where friction has no freedom along the second tangent; half the step, half the error or less."""
    friction, speed = 0.3, 1.0
    law = Contact("s1", FLOOR, friction=friction, name="floor")
    errors = []
    for step in (4e-3, 1e-3):
        run = moved(slides(), [law], ([0.0, 0.0], [speed, 0.0]), 0.5, step)
        errors.append(abs(run.q[-1, 0] - speed**2 / (2 * friction * G)))
        assert np.abs(run.v[-1]).max() < 1e-12
    assert errors[1] < 5e-5
    assert errors[1] <= 0.25 * errors[0] + 1e-12


@pytest.mark.parametrize("restitution", [0.0, 0.4, 1.0])
def test_a_rod_that_lands_on_one_end_turns_as_its_impulse_says(restitution):
    """Level, at speed v: P = (1 + e) m v / 4, w = 1.5 (1 + e) v / L."""
    length, speed = 0.6, 2.0
    rod = planar([(length / 2, 0.0)], inertia=length**2 / 12, gravity=(0, 0, 0))
    run = moved(rod, touching(1, restitution), ([0.0, 0.01, 0.0], [0.0, -speed, 0.0]), 0.008, 1e-3)
    assert abs(run.v[-1, 2]) == pytest.approx(1.5 * (1 + restitution) * speed / length, rel=1e-4)


def test_a_ball_that_falls_once_comes_to_the_closed_form_with_first_order():
    """Height 2 m, e = 0.6, after 0.9 s: in its first rise."""
    ball = gw.Mechanism([gw.Body("ball", joint="prismatic", axis=(0, 0, 1), mass=1.0)])
    law, until, fall = Contact("ball", FLOOR, restitution=0.6, name="floor"), 0.9, np.sqrt(4 / G)
    exact = 0.6 * G * fall * (until - fall) - 0.5 * G * (until - fall) ** 2
    errors = []
    for counts in ((180, 190, 200), (1440, 1520, 1600)):
        ends = [moved(ball, [law], ([2.0], [0.0]), until, until / count).q[-1, 0] for count in counts]
        errors.append(np.mean(np.abs(np.array(ends) - exact)))
    assert 0.5 < np.log(errors[0] / errors[1]) / np.log(8) < 2.5
    assert errors[1] < 3e-3


@pytest.mark.parametrize("pull", [-3.0, -5.0, -8.0])
def test_a_block_on_two_rough_feet_slides_back_as_if_it_had_one(pull):
    """Redundant friction: it stops after v / (F + mu g), and goes back with F - mu g."""
    friction, speed, until = 0.2, 1.0, 0.8
    tau, stop = np.array([pull, 0.0, 0.0]), speed / (-pull + friction * G)
    ahead, back = 0.5 * speed * stop, 0.5 * (-pull - friction * G) * (until - stop) ** 2
    mech = feet(height=0.001)
    run = moved(mech, touching(2, 0.0, friction), ([0.0, 0.001, 0.0], [speed, 0.0, 0.0]), until, 1e-3, inputs=tau)
    assert run.q[-1, 0] == pytest.approx(ahead - back, abs=2e-3)
    assert np.abs(run.q[:, 2]).max() < 1e-6
    assert float(run.penetration) < 1e-6


def test_results_do_not_depend_on_how_many_sweeps_are_in_a_try():
    """Tried until it is consistent; with too few of all, the number of steps and the first moment are said."""
    mech, start = feet(), ([0.0, 0.15, 0.2], [0.7, 0.0, 1.0])
    laws = touching(2, 0.0, 0.5)
    ends = []
    for sweeps in (3, 12):
        engine = fixed_step(mech, laws, "moreau", work=True, sweeps=sweeps)
        ends.append(engine.run_steps(engine.start_states(*start)[None], None, 1e-3, 1000)[-1, 0, :6])
    np.testing.assert_allclose(*ends, atol=1e-6)
    with pytest.warns(GearwrightWarning, match=r"\b\d+ steps.* 1 sweeps.*t = 0[. ]"):
        moved(mech, laws, start, 1.0, 1e-3, options=gw.analysis.RolloutOptions(sweeps=1))


def test_a_run_says_nothing_about_consistent_steps():
    run = gw.simulate(feet(), ([0.0, 0.15, 0.2], [0.7, 0.0, 1.0]), 0.5, laws=touching(2, 0.0, 0.5), method="moreau")
    assert {remark.partition(":")[0] for remark in run.remarks} <= {"method", "energy"}


def test_members_that_are_tried_more_often_do_not_disturb_others():
    """To the last digit: a member among its equals, and beside others that need more tries."""
    mech, laws = feet(), touching(2, 0.3, 0.5)
    q = np.array([[0.0, 0.1, 0.0], [0.0, 0.16, 0.3], [0.0, 1.0, 0.0]])
    v = np.array([[0.5, 0.0, 0.0], [1.0, -1.0, 2.0], [0.0, 0.0, 0.0]])
    engine = fixed_step(mech, laws, "moreau", work=True, sweeps=3)
    x = engine.start_states(q, v)
    both = engine.run_steps(x, None, 1e-3, 500)
    for k in range(3):
        np.testing.assert_array_equal(both[:, k], engine.run_steps(x[[k, k, k]], None, 1e-3, 500)[:, 1])


def test_machine_code_and_numpy_try_alike(monkeypatch):
    mech, laws, found = feet(), tuple(touching(2, 0.0, 0.5)), []
    for mode in ("on", "off"):
        monkeypatch.setenv("GEARWRIGHT_KERNELS", mode)
        engine = FixedStep(mech, laws, "moreau", True, (), 3)
        found.append(engine.run_steps(engine.start_states([0.0, 0.11, 0.05], [0.5, 0.0, 0.0])[None], None, 1e-3, 60))
        assert (engine._compiled_loop[0] is None) == (mode == "off")
    assert relative(*found) < 1e-9


def random_body(seed: int) -> tuple[gw.Mechanism, list[Contact], tuple[np.ndarray, np.ndarray]]:
    """A box, planar or free, with 1 to 8 of its corners (or points inside) above or on a rough plane."""
    rng = np.random.default_rng(seed)
    flat, count, mass = seed % 2 == 0, int(rng.integers(1, 9)), 10 ** rng.uniform(-1, 1)
    size = rng.uniform(0.1, 0.6, 3)
    inertia = np.diag(mass / 12 * (size @ size - size**2))
    signs = np.array([[a, b, c] for a in (-1, 1) for b in (-1, 1) for c in ((0,) if flat else (-1, 1))])
    inside = rng.uniform(-1, 1, (8, 3)) * ([1, 1, 0] if flat else 1)
    points = 0.5 * size * np.vstack([rng.permutation(signs), inside])[:count]
    place = {"rotation": UPRIGHT} if flat else {}
    body = gw.Body("body", joint="planar" if flat else "free", mass=mass, inertia=inertia, **place)
    frames = [gw.BodyFrame(f"p{k}", "body", position=tuple(p)) for k, p in enumerate(points)]
    mech = gw.Mechanism([body], frames=frames)
    restitution = 0.0 if rng.random() < 0.3 else rng.uniform(0, 1)
    friction = 0.0 if rng.random() < 0.2 else rng.uniform(0, 1)
    turn = [rng.uniform(-3, 3)] if flat else rng.normal(size=4)
    q = np.array([0.0, 0.0, *turn]) if flat else np.array([0.0, 0, 0, *(turn / np.linalg.norm(turn))])
    v = rng.normal(size=mech.n) * ([1, 1, 3] if flat else [1, 1, 1, 3, 3, 3])
    lift = 1 if flat else 2
    q[lift] = rng.choice([0.0, 0.2]) - heights(mech, q[None]).min()
    return mech, touching(count, restitution, friction), (q, v)


def heights(mech, q):
    return np.array([gw.placement(mech, q, frame.name).position[..., 2] for frame in mech.frames])


@pytest.mark.parametrize("friction", [0.0, 0.3])
@pytest.mark.parametrize(
    ("path", "values"),
    [("restitution", (0.0, 0.5, 0.9)), ("capture", (1e-6, 0.5)), ("surface.point.2", (-0.1, 0.0))],
)
def test_numbers_of_a_contact_vary_over_a_batch(path, values, friction):
    """Each member of the batch moves as it does alone, with a contact of its own."""
    ball, start = gw.Mechanism([gw.Body("ball", joint="prismatic", axis=(0, 0, 1), mass=1.0)]), ([0.1], [0.0])
    law = Contact("ball", FLOOR, 0.5, friction, name="floor", impact="newton")
    many = moved(ball, [law], start, 0.3, 1e-3, parameters={f"floor.{path}": values})
    for k, value in enumerate(values):
        if path == "surface.point.2":
            alone = replace(law, surface=Plane((0, 0, value), (0, 0, 1)))
        else:
            alone = replace(law, **{path: value})
        np.testing.assert_allclose(many.q[:, k], moved(ball, [alone], start, 0.3, 1e-3).q, atol=1e-9)
    assert np.ptp(many.q[-1]) > 1e-3


def test_friction_varies_where_the_contact_has_some():
    """Down to 0; a contact without friction has no states for it, and says so."""
    start, speed = ([0.0, 0.0], [1.0, 0.0]), np.array([1.0, 0.0])
    law = Contact("s1", FLOOR, friction=0.3, name="floor")
    run = moved(slides(), [law], start, 0.1, 1e-3, parameters={"floor.friction": [0.0, 0.3, 0.6]})
    np.testing.assert_allclose(run.v[-1, :, 0], speed[0] - G * 0.1 * np.array([0.0, 0.3, 0.6]), atol=1e-9)
    with pytest.raises(InputError, match=r"floor\.friction"):
        moved(slides(), [replace(law, friction=0.0)], start, 0.1, 1e-3, parameters={"floor.friction": [0.0, 0.3]})


def turning_body(kind: str) -> tuple[gw.Mechanism, np.ndarray, np.ndarray]:
    """A body that leans on its tip by 0.3 rad: on slides and a hinge, or free and spinning."""
    lean, tip = 0.3, 0.5
    if kind == "planar":
        return (
            planar_body([(0.0, -tip)], 1.0, 1 / 12),
            tip * np.array([np.sin(lean), np.cos(lean), lean / tip]),
            np.zeros(3),
        )
    turn, spin = [np.cos(lean / 2), 0.0, np.sin(lean / 2), 0.0], np.array([0.4, 0.0, 3.0])
    q = np.array([tip * np.sin(lean), 0.0, tip * np.cos(lean), *turn])
    return free_body([(0.0, 0.0, -tip)], 1.0, (0.2, 0.25, 0.05)), q, np.array([*np.cross(spin, [0.0, 0.0, tip]), *spin])


@pytest.mark.parametrize("kind", ["planar", "free"])
def test_what_turns_about_a_contact_keeps_its_energy_with_second_order(kind):
    """It is at rest at the end of each step, and inertial forces do no work: half the step, a quarter of the error."""
    mech, q, v = turning_body(kind)
    errors = []
    for step in (2e-3, 1e-3):
        run = moved(mech, floors(1, friction=2.0), (q, v), 0.3, step)
        total = energy(mech, run)
        assert np.abs(heights(mech, run.q)).max() < 1e-9
        errors.append(np.abs(total - total[0]).max())
    assert errors[1] < 1e-6
    assert 3.3 < errors[0] / errors[1] < 4.7


@pytest.mark.parametrize("seed", [145, 168])
def test_energy_of_smooth_plastic_contacts_has_only_the_error_of_the_midpoint_rule(seed):
    """Per step of third order: half the step, an eighth of the largest gain, and a quarter of the sum of all."""
    throw, largest, sums = random_throw(seed), [], []
    for step in (1e-3, 5e-4):
        gains = np.diff(throw.energies(moved(throw.mech, throw.laws, (throw.q, throw.v), 2.0, step)))
        largest.append(gains.max())
        sums.append(gains[gains > 0].sum())
    assert 6.5 < largest[0] / largest[1] < 9.5
    assert 3.3 < sums[0] / sums[1] < 4.7


@pytest.mark.parametrize("seed", [145, 168])
def test_energy_of_smooth_plastic_contacts_swings_and_does_not_grow(seed):
    """What a step gains, others of the same turn lose: no four seconds reach the highest energy of those before."""
    throw, count = random_throw(seed), 4000
    energies = throw.energies(moved(throw.mech, throw.laws, (throw.q, throw.v), 16.0, 1e-3))[: 4 * count]
    highest = energies.reshape(4, count).max(axis=1)
    assert (np.diff(highest) < 0).all()


QUICK = range(4)


@pytest.mark.parametrize("seed", [*QUICK, *(pytest.param(k, marks=pytest.mark.slow) for k in range(4, 44))])
def test_random_bodies_stay_outside_lose_energy_and_come_to_rest(seed):
    """Two seconds: penetration below 1e-6 m; energy grows by no more than the error of flight, Newton excepted."""
    mech, laws, start = random_body(seed)
    rubs, bounces = laws[0].friction > 0, laws[0].restitution > 0
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        run = moved(mech, laws, start, 2.0, 1e-3)
    assert np.isfinite(run.q).all()
    assert heights(mech, run.q).min() > -1e-6
    assert float(run.penetration) < 1e-6
    total = energy(mech, run)
    scale = total.max() - total.min() + 1e-3
    if not (rubs and bounces):
        assert not said
        turned = 1e-3 * float(np.abs(run.v[:, -3:]).max())  # rad per step: the error of flight is of second order in it
        assert np.diff(total).max() < max(2e-5, 0.5 * turned**2) * scale
    elif not any(re.search(r"\d J\b", str(one.message)) for one in said):
        assert np.diff(total).max() < 2e-4 * scale
    corners = 4 if mech.n == 3 else 8
    if len(laws) >= corners and laws[0].friction > 0.2 and laws[0].restitution < 0.5:
        assert np.abs(run.v[-1]).max() < 1e-6


def test_newtons_restitution_that_gains_energy_is_said():
    """A rod that lands on a corner with friction and e near 1 (Kane's paradox), in the number of joules."""
    rod = planar([(0.3, 0.0)], inertia=0.09 / 3)
    start = [0.0, 0.28, -0.9], [0.6, -2.0, 0.0]
    with pytest.warns(GearwrightWarning, match=r"\d J\b.*Newton"):
        run = moved(rod, touching(1, 0.9, 0.9), start, 0.05, 1e-4)
    assert np.diff(energy(rod, run)).max() > 0


def crank(friction: float = 0.01, restitution: float = 0.4) -> tuple[gw.Mechanism, list[Contact]]:
    """Flores, Leine and Glocker (2010): a slider with a clearance of 1 mm, its four corners between two guides."""
    first, second, a, b, play, axis = 0.153, 0.306, 0.05, 0.025, 0.001, (0, -1, 0)
    bodies = [
        gw.Body("crank", -1, axis=axis, mass=0.038, com=(first / 2, 0, 0), inertia=np.diag([1e-9, 7.4e-5, 7.4e-5])),
        gw.Body("rod", 0, axis=axis, position=(first, 0, 0), mass=0.038, com=(second / 2, 0, 0), inertia=ROD),
        gw.Body("slider", 1, axis=axis, position=(second, 0, 0), mass=0.076, inertia=np.diag([2.7e-6] * 3)),
    ]
    corners = [(x, z) for x in (-1, 1) for z in (-1, 1)]
    frames = [gw.BodyFrame(f"p{k}", "slider", position=(x * a, 0, z * b)) for k, (x, z) in enumerate(corners)]
    guides = [Plane((0, 0, z * (b + play)), (0, 0, -z)) for _, z in corners]
    more = {"restitution": restitution, "friction": friction, "impact": "newton"}
    laws = [Contact(f"p{k}", guide, name=f"guide{k}", **more) for k, guide in enumerate(guides)]
    return gw.Mechanism(bodies, frames=frames), laws


ROD = np.diag([1e-9, 5.9e-4, 5.9e-4])


def test_a_slider_with_clearance_lies_flat_on_its_guide_and_does_not_rock():
    """Between impacts it lies on two corners; no corner leaves the clearance; order 1; no energy comes in."""
    mech, laws = crank()
    ends = []
    for step in (8e-5, 4e-5, 2e-5):
        every = round(4e-4 / step)
        run = gw.rollout(
            mech,
            [0, 0, 0],
            [150, -225, 75],
            250 * every,
            step,
            method="moreau",
            laws=laws,
            options=gw.analysis.RolloutOptions(every=every),
        )
        ends.append(run.q[-1, 0])
        assert np.diff(energy(mech, run)).max() < 1e-4
        assert (0.026 - np.abs(heights(mech, run.q))).min() > -1e-6
        tilt = np.abs(run.q.sum(axis=1))
        assert np.median(tilt) < 1e-4
        assert tilt.max() < 2 * 0.002 / 0.1
    assert 1.2 < (ends[1] - ends[0]) / (ends[2] - ends[1]) < 3.5
