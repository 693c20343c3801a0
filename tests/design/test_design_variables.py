"""Variables beside the articles: links made anew, exact gradients, identities of the best ratio, pace, mounts."""

from __future__ import annotations

import sys
from dataclasses import replace

import numpy as np
import pytest

import gearwright as gw
from design.arms import SAMPLES, arm, small, swing
from gearwright.analysis import ProcessForce, Task
from gearwright.analysis.drives.limit_kinds import LimitKey
from gearwright.analysis.parametric_series import partial_by
from gearwright.catalogue import Catalogue
from gearwright.design import Mount, Range, size_drives
from gearwright.design.candidates.chosen_drives import with_chosen_drives
from gearwright.design.variables.beam_links import BeamDesign, with_beam_link
from gearwright.design.variables.design_evaluation import SizingProblem, evaluate_design, link_shares
from gearwright.design.variables.design_variables import Design, design_space
from gearwright.design.variables.gradient_refinement import DesignGradients, DesignKernelRequest, DesignMachine
from gearwright.design.variables.task_speed import slowed_task
from gearwright.errors import InputError, MissingExtraError
from gearwright.motion import polynomial
from gearwright.parts import (
    MATERIALS,
    Box,
    Drive,
    Frame,
    Gear,
    Heat,
    Joint,
    Link,
    LinkSection,
    Motor,
    Payload,
    Robot,
    Tube,
)

TUBE = LinkSection((0.3, 0, 0), Tube(0.04, 0.036))
ALUMINIUM = MATERIALS["aluminium"]


def made(cross, stretch=1.0, material=ALUMINIUM):
    return BeamDesign(((0.0, cross),), material, stretch)


def boom(mass: float, com: float, tensor) -> Robot:
    links = [
        Link("boom", "base", Joint("root", axis=(0, 1, 0)), mass, (com, 0, 0), tensor),
        Link("tip", "boom", Joint("end", axis=(0, 1, 0), position=(0.3, 0, 0.05)), 0.1, (0.05, 0, 0)),
    ]
    drive = Drive("end", Motor(1e-6, motor_mass=0.2, position=(0.15, 0.01, 0)), Gear(50), mounted_on="boom")
    return Robot("boom", links, [drive], frames=[Frame("eye", "boom", (0.3, 0, 0))])


def bar(length: float, density: float = 2700.0):
    """A solid square bar of side 20 mm by the formulas of a textbook."""
    m = density * 0.02**2 * length
    return m, length / 2, np.diag([m * 2 * 0.02**2 / 12, *[m * (length**2 + 0.02**2) / 12] * 2])


def test_a_link_that_is_all_beam_becomes_another_beam():
    section = LinkSection((0.3, 0, 0), Box(0.02, 0.02))
    longer = with_beam_link(boom(*bar(0.3)), "boom", section, made(Box(0.02, 0.02), 2.0, MATERIALS["steel"]))
    m, com, tensor = bar(0.6, MATERIALS["steel"].density)
    link = longer.link("boom")
    assert float(link.mass) == pytest.approx(m, rel=1e-12)
    assert [float(x) for x in link.com] == pytest.approx([com, 0, 0], abs=1e-15)
    found = np.array([[float(x) for x in row] for row in link.inertia.rows()])
    assert found == pytest.approx(tensor, rel=1e-9, abs=1e-15)
    assert [float(x) for x in longer.link("tip").joint.position] == pytest.approx([0.6, 0, 0.05])
    assert [float(x) for x in longer.drives[0].motor.position] == pytest.approx([0.3, 0.01, 0])
    assert [float(x) for x in longer.frames[0].position] == pytest.approx([0.6, 0, 0])


def test_what_is_not_beam_stays():
    """A flange at the root keeps its mass; the same beam changes nothing at all."""
    m, com, tensor = bar(0.3)
    heavy = boom(m + 1.0, m * com / (m + 1.0), tensor + np.diag([0, *[m * 1.0 / (m + 1.0) * com**2] * 2]))
    section = LinkSection((0.3, 0, 0), Box(0.02, 0.02))
    q, v, a = np.array([[0.3, -0.2], [1.0, 2.0], [3.0, -1.0]])
    same = with_beam_link(heavy, "boom", section, made(Box(0.02, 0.02)))
    assert gw.inverse_dynamics(same, q, v, a) == pytest.approx(gw.inverse_dynamics(heavy, q, v, a), rel=1e-12)
    double = with_beam_link(heavy, "boom", section, made(Box(0.02, 0.02), 2.0)).link("boom")
    assert float(double.mass) == pytest.approx(1.0 + 2 * m)
    assert float(double.com.x) * float(double.mass) == pytest.approx(2 * m * 0.3)
    with pytest.raises(InputError, match=r"link '.*kg.*beam.*kg"):
        with_beam_link(boom(0.5 * m, com, tensor), "boom", section, made(Box(0.02, 0.02)))


def question(objective="energy", **variables) -> SizingProblem:
    given = variables or {
        "shoulder.gear.ratio": Range(20, 200),
        "upper.section.outer": Range(0.03, 0.06),
        "upper.length": Range(0.2, 0.5),
        "fore.mass": Range(0.2, 0.8),
    }
    motor = Motor(4e-6, torque_constant=0.03, resistance=0.8, max_torque=0.4, max_voltage=24.0, friction=2e-3, heat=HOT)
    robot = arm().with_drive("shoulder", replace(arm().drives[0], motor=motor, gear=Gear(50, efficiency=0.7)))
    space = design_space(Design(robot, swing(), {"upper": TUBE}), given)
    return SizingProblem(space, small(6, 4, warm=True), ("elbow",), objective, 1.0, SAMPLES)


HOT = Heat(2.0, 5.0, 20.0, 170.0, max_temperature=430.0)


def test_gradients_are_exact():
    """Every limit, the energy, the temperature and the mass against central differences of the same functions."""
    asked = question()
    values = {"shoulder.gear.ratio": 61.0, "upper.section.outer": 0.043, "upper.length": 0.31, "fore.mass": 0.5}
    here = evaluate_design(asked, values)
    graded = DesignGradients(asked, here, tuple(values), {})
    x = graded.start

    def flat(at):
        uses, energy, warmest = graded.shares_with_partials(at)
        jets = [*uses.values(), energy, warmest, graded.beam_mass_with_partials(at)]
        return [np.array(x) for x in zip(*map(graded.value_and_gradient, jets), strict=True)]

    value, slopes = flat(x)
    assert (np.abs(slopes[:, 0]) > 1e-9).sum() > 4  # the ratio acts on torques, currents and speeds
    for k, step in enumerate(1e-6 * x):
        shift = step * np.eye(len(x))[k]
        differences = (flat(x + shift)[0] - flat(x - shift)[0]) / (2 * step)
        assert np.all(np.abs(slopes[:, k] - differences) * x[k] < 1e-7 * np.abs(value)), k


def test_gradients_of_links_are_exact():
    """Stress and tip deflection over jets: the shares that a design is judged by, and their central differences."""
    plain = question()
    press = ProcessForce("fore", (3.0, 0, 5.0), axes="frame")
    base = replace(plain.space.base, task=replace(swing(), required={"tip_deflection": 1e-4}, forces=[press]))
    asked = replace(plain, space=design_space(base, plain.space.domains))
    values = {"shoulder.gear.ratio": 61.0, "upper.section.outer": 0.043, "upper.length": 0.31, "fore.mass": 0.5}
    here = evaluate_design(asked, values)
    graded = DesignGradients(asked, here, tuple(values), {})

    def shares(at):
        design = asked.space.design_with(at)
        sized = with_chosen_drives(design.robot, here.choices_by_joint(asked.judged_joints))
        return np.array(list(link_shares(design, sized, here.sets.space).values()))

    jets = graded.link_shares_with_partials(graded.start)
    assert [float(one.c[0]) for one in jets] == pytest.approx(shares(values), rel=1e-12)
    assert len(jets) == 2
    for name, x in values.items():
        step = 1e-5 * x
        differences = (shares({**values, name: x + step}) - shares({**values, name: x - step})) / (2 * step)
        assert [partial_by(one, name) for one in jets] == pytest.approx(differences, rel=1e-6, abs=1e-8 / x), name


def test_gradients_belong_to_what_is_judged():
    """Where the gear is chosen and not drawn, the kernels' shares of limits are those of the screening."""
    asked = question("mass", **{"fore.mass": Range(0.2, 0.8)})
    here = evaluate_design(asked, {"fore.mass": 0.5})
    uses, _, _ = DesignGradients(asked, here, ("fore.mass",), {}).shares_with_partials(np.array([0.5]))
    chosen = {0: here.places[:1]} if len(here.places) == 1 else {j: here.places[j : j + 1] for j in range(2)}
    joint = asked.judged_joints.index("elbow")
    screened = here.sets.screen_joint(joint, chosen, here.places[joint : joint + 1])
    for kind, use in screened.limit_shares.items():
        if LimitKey("elbow", kind) in uses:
            assert float(np.ravel(uses[LimitKey("elbow", kind)].c[0])[0]) == pytest.approx(use[0], rel=1e-9), kind.name


def wheel(load: float, rotor: float, **words) -> Robot:
    """One axis without gravity: a disc behind a gear whose ratio is sought."""
    motor = Motor(rotor, torque_constant=0.05, resistance=1.0, heat=HOT)
    link = Link("disc", joint=Joint("axis", axis=(0, 0, 1), **words), mass=1.0, inertia=np.diag([1, 1, load]))
    return Robot("wheel", [link], [Drive("axis", motor, Gear(10.0))])


def best_ratio(robot: Robot, motion, objective="temperature") -> float:
    ranges = {"axis.gear.ratio": Range(2.0, 400.0)}
    found = size_drives(
        robot,
        Task([motion]),
        objective=objective,
        joints=(),
        variables=ranges,
        search=gw.design.SearchOptions(trials=8),
    )
    return float(found.values["axis.gear.ratio"])


@pytest.mark.parametrize(("load", "rotor"), [(0.3, 3e-5), (0.02, 2e-5)])
def test_the_best_ratio_of_an_inertial_axis(load, rotor):
    """The ratio of least current: sqrt(J_load / J_motor)."""
    motion = polynomial([0.0], [1.5], duration=0.8)
    assert best_ratio(wheel(load, rotor), motion) == pytest.approx(np.sqrt(load / rotor), rel=1e-4)


def lossy(robot: Robot, efficiency: float, back: float) -> Robot:
    drive = robot.drives[0]
    return robot.with_drive(
        "axis", replace(drive, gear=replace(drive.gear, efficiency=efficiency, back_efficiency=back))
    )


def test_the_best_ratio_under_friction():
    """Giberti and Cinquemani: r = sqrt(eta J w'_rms / T_rms) with a load torque that is not inertia alone (eta = 1)."""
    load, rotor, friction = 0.05, 2e-5, 0.8
    motion = polynomial([0.0], [1.5], duration=0.8)
    sampled = motion.sample(4001)
    torque = load * sampled.a[:, 0] + friction * np.sign(sampled.v[:, 0])
    mean = [np.sqrt(np.trapezoid(x**2, sampled.t) / 0.8) for x in (sampled.a[:, 0], torque)]
    expected = np.sqrt(mean[1] / (rotor * mean[0]))
    assert best_ratio(wheel(load, rotor, friction=friction), motion) == pytest.approx(expected, rel=2e-3)


@pytest.mark.parametrize(("friction", "back"), [(0.0, 0.7), (0.0, 0.4), (0.8, 0.7)])
def test_the_best_ratio_with_losses_by_the_direction_of_power(friction, back):
    """n = sqrt(T_rms / (J w'_rms)), T being what the motor feels of the load: T / eta driving, T eta' driven back.

    Giberti and Cinquemani divide by eta throughout, which holds where friction lets the load never drive back.
    """
    load, rotor, eta = 0.05, 2e-5, 0.6
    motion = polynomial([0.0], [1.5], duration=0.8)
    sampled = motion.sample(4001)
    a, v = sampled.a[:, 0], sampled.v[:, 0]
    torque = load * a + friction * np.sign(v)
    felt = np.where(torque * v > 0, torque / eta, torque * back)
    square, throughout, mean = (np.trapezoid(x**2, sampled.t) for x in (felt, torque / eta, rotor * a))
    found = best_ratio(lossy(wheel(load, rotor, friction=friction), eta, back), motion)
    assert found == pytest.approx((square / mean) ** 0.25, rel=2e-3)
    assert (found == pytest.approx((throughout / mean) ** 0.25, rel=2e-3)) == bool(friction)


def test_ratios_of_a_motor_that_just_suffices():
    """Giberti and Cinquemani: a motor of continuous torque T_N can do it if T_N^2 / J >= beta, between two ratios.

    beta = 2 (w'_rms T_rms + mean(w' T)); r between sqrt(J) / (2 T_rms) (sqrt(d + 4 w'_rms T_rms) -+ sqrt d) with
    d = T_N^2 / J - beta: the lightest and the heaviest use of the motor lie there exactly at its limit.
    """
    load, rotor = 0.05, 2e-5
    motion = polynomial([0.0], [1.5], duration=0.8)
    sampled = motion.sample(4001)
    square = np.trapezoid(sampled.a[:, 0] ** 2, sampled.t) / 0.8
    beta = 2 * (load * square + load * square)
    for share, able in ((0.98, False), (1.3, True)):
        nominal = np.sqrt(share * beta * rotor)
        sheet = gw.parts.MotorSheet(
            key="m", mass=0.1, inertia=rotor, torque_constant=0.05, resistance=1.0, nominal_torque=nominal
        )
        table = Catalogue({"m": sheet}, {})
        words = {
            "joints": ("axis",),
            "variables": {"axis.gear.ratio": Range(2.0, 400.0)},
            "search": gw.design.SearchOptions(trials=4, samples=101),
        }
        if not able:
            with pytest.raises(InputError, match=r"axis: .*torque.*101%"):
                size_drives(wheel(load, rotor), Task([motion]), table, "energy", **words)
            continue
        d = nominal**2 / rotor - beta
        ends = (
            np.sqrt(rotor)
            / (2 * load * np.sqrt(square))
            * (np.sqrt(d + 4 * load * square) + np.array([-1, 1]) * np.sqrt(d))
        )
        asked = SizingProblem(
            design_space(Design(wheel(load, rotor), Task([motion]), {}), words["variables"]),
            table,
            ("axis",),
            "mass",
            1.0,
            801,
        )
        for r in ends:
            assert evaluate_design(asked, {"axis.gear.ratio": 1 / r}).design.largest_share == pytest.approx(
                1.0, rel=1e-4
            )


def test_a_stretched_task_rests_as_long():
    task = swing()
    slow = slowed_task(task, 1.7)
    assert slow.cycle.duration - task.pause == pytest.approx(1.7 * (task.cycle.duration - task.pause))
    assert slow.cycle.at(1.7 * 0.31) == pytest.approx(task.cycle.at(0.31), abs=1e-12)
    assert slow.cycle.at(1.7 * 0.31, 2) == pytest.approx(task.cycle.at(0.31, 2) / 1.7**2, abs=1e-9)


def test_the_shortest_cycle_ends_at_a_limit():
    table = small(6, 4)
    found = size_drives(
        arm(),
        swing(),
        table,
        "cycle_time",
        search=gw.design.SearchOptions(samples=SAMPLES, trials=6, front=("cycle_time", "mass")),
    )
    assert found.analysis.is_feasible
    pace = found.values["task.time_scale"]
    assert found.task.cycle.duration == pytest.approx(slowed_task(swing(), pace).cycle.duration)
    with pytest.raises(InputError, match=r"size_drives: .*\d+%.*\b100%"):
        size_drives(
            arm(),
            slowed_task(swing(), 0.97 * pace),
            table,
            search=gw.design.SearchOptions(samples=SAMPLES, method="enumerate"),
        )
    times = [one.cycle_time for one in found.front]
    masses = [one.mass for one in found.front]
    assert times == sorted(times)
    assert masses == sorted(masses, reverse=True)


def test_a_mount_is_chosen():
    """A motor near the shoulder weighs less on it than one at the elbow: the lighter shoulder drive wins."""
    table = small(12, 10)
    heavy = Task(swing().motions, payload=gw.parts.Payload(0.8, (0.2, 0, 0)), pause=0.4)
    near, far = Mount("upper", (0.02, 0, 0)), Mount("upper", (0.6, 0, 0))
    words = {"search": gw.design.SearchOptions(samples=SAMPLES, trials=6)}
    both = size_drives(arm(), heavy, table, "energy", variables={"elbow.mounted_on": [far, near]}, **words)
    assert both.values["elbow.mounted_on"] == near
    assert [float(x) for x in both.robot.drive("elbow").motor.position] == [0.02, 0, 0]
    alone = size_drives(arm(), heavy, table, "energy", variables={"elbow.mounted_on": [far]}, **words)
    assert both.analysis.energy < alone.analysis.energy


def test_a_section_becomes_as_light_as_its_strength_allows():
    """Only the tube varies; what it ends with is at its stress, its deflection or at the end of its range."""
    task = replace(swing(), required={"tip_deflection": 4e-5})
    ranges = {"upper.section.outer": Range(0.02, 0.06), "upper.section.wall": Range(0.001, 0.004)}
    words = {
        "variables": ranges,
        "search": gw.design.SearchOptions(samples=SAMPLES, trials=4),
    }
    light = size_drives(arm().with_sections({"upper": TUBE}), task, joints=(), **words)
    check = next(one for one in light.analysis.limits if one.name == "tip deflection")
    assert check.margin == pytest.approx(0.0, abs=5e-3)
    assert light.values["upper.section.wall"] == pytest.approx(0.001, abs=1e-6)  # thin and wide is lightest
    assert light.robot.link("upper").section.section_at(0.5).outer == pytest.approx(light.values["upper.section.outer"])
    metals = size_drives(
        arm().with_sections({"upper": TUBE}),
        task,
        joints=(),
        **{**words, "variables": {**ranges, "upper.material": ["steel", "magnesium"]}},
    )
    assert metals.front[0].mass < light.front[0].mass


@pytest.mark.parametrize(
    ("variables", "message"),
    [
        ({"shoulder.gear.ratios": Range(1, 2)}, "ratio"),
        ({"task.time_scale": [0.5, 0.8]}, "Range"),
        ({"wrist.mounted_on": ["base"]}, r"wrist\.mounted_on"),
        ({"elbow.mounted_on": ["bse"]}, "base"),
        ({"elbow.mounted_on": "base"}, r"elbow\.mounted_on.*'base'"),
        ({"upper.material": ["cheese"]}, "aluminium"),
        ({"fore.length": Range(0.1, 0.3)}, "fore.*section"),
        ({"upper.section.inner": Range(0.01, 0.02)}, "outer"),
        ({"task.time_scale": Range(-1, 2)}, "time_scale"),
    ],
)
def test_bad_variables_are_refused(variables, message):
    with pytest.raises(InputError, match=message):
        size_drives(
            arm().with_sections({"upper": TUBE}),
            swing(),
            small(4, 3),
            variables=variables,
            search=gw.design.SearchOptions(samples=51, trials=2),
        )


def test_a_range_rises():
    with pytest.raises(InputError, match="high"):
        Range(3, 2)


def test_optuna_is_asked_for_by_name(monkeypatch):
    monkeypatch.setitem(sys.modules, "optuna", None)
    with pytest.raises(MissingExtraError, match=r"gearwright\[optimise\]"):
        size_drives(
            arm(),
            swing(),
            small(4, 3),
            variables={"fore.mass": Range(0.3, 0.4)},
            search=gw.design.SearchOptions(samples=51),
        )


def test_kernels_of_other_payloads_are_other_kernels():
    """Also where every motion states its payload: the cache must not take one for the other."""
    found = []
    for task in (replace(swing(), payloads=[Payload(0.5)] * 2), replace(swing(), payloads=[Payload(5.0)] * 2)):
        space = design_space(Design(arm(), task, {}), {"elbow.gear.ratio": Range(20, 100)})
        machine = DesignMachine(
            SizingProblem(space, small(2, 2), (), "energy", 1.0, 31), {}, ("elbow.gear.ratio",), {}, ()
        )
        found.append(
            DesignKernelRequest("inverse_dynamics", arm(), ("elbow.gear.ratio",), machine=machine).exact_identity()
        )
    assert found[0] != found[1]
