"""Bundled arms with drives of the catalogue: lighter sets with the same margins, and what a simple model chooses."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import gearwright as gw
from gearwright.analysis import Task, analyse
from gearwright.catalogue import Catalogue, drives
from gearwright.design import Choice, size_drives, with_chosen_drives
from gearwright.motion import s_curve
from gearwright.parts import Drive, Gear, Joint, Link, Motor, Payload, Robot

WHOLE = drives()
SCARA = {
    "shoulder": ("MM_148877", "HD_CSF-17-100-2UH"),
    "elbow": ("MM_148877", "HD_CSF-17-50-2UH"),
    "lift": ("MM_148877", None),
    "roll": ("MM_236662", "MM_203116"),
}
UR5 = {
    "shoulder_pan": ("AM_MF0095020_48V", "HD_CSG-20-100-2UH"),
    "shoulder_lift": ("AM_MF0095020_48V", "HD_CSG-20-100-2UH"),
    "elbow": ("AM_MF0076020_48V", "HD_CSG-20-100-2UH"),
    **{f"wrist_{k}": ("AM_MF0060020_48V", "HD_CSF-17-100-2UH") for k in (1, 2, 3)},
}
"""Drives that a designer would take by hand: the motors the file names, or frameless ones, with harmonic drives."""
OTHERS = (
    ["MM_339281", "MM_251601", "MM_267121", "TM_U8_KV100", "MM_614949", "MM_449470"],
    ["MM_326668", "MM_370689", "FH_38A_R45:1", "MM_GPX22UPKLSL0103CPLW", "MM_203120"],
)


def table(hand) -> Catalogue:
    """The articles chosen by hand and some others; harmonic drives, whose sheets print curves only, with 0.7."""
    motors = {key: WHOLE.motor(key) for key in [*OTHERS[0], *(one[0] for one in hand.values())]}
    boxes = {key: WHOLE.gearbox(key) for key in [*OTHERS[1], *(one[1] for one in hand.values() if one[1])]}
    return Catalogue(motors, {key: replace(box, efficiency=box.efficiency or 0.7) for key, box in boxes.items()})


def to_and_fro(start, end, speed, acceleration, **words) -> Task:
    limits = {"speed": speed, "acceleration": acceleration, "jerk": 25 * acceleration}
    return Task([s_curve(start, end, **limits), s_curve(end, start, **limits)], **words)


CASES = {
    "scara": (SCARA, to_and_fro([0, 0, -0.1, 0], [1.2, 0.6, -0.05, 1.0], 2.0, 8.0, pause=0.5)),
    "ur5_like": (
        UR5,
        to_and_fro([0, -1.9, 1.6, -1.2, -1.57, 0], [0.8, -1.4, 1.9, -1.8, -1.0, 0.7], 1.0, 3.0, pause=0.5),
    ),
}


@pytest.mark.slow
@pytest.mark.parametrize("name", CASES)
def test_a_set_at_least_as_light_with_the_same_margins(name):
    hand, task = CASES[name]
    robot, known = gw.load(name), table(hand)
    choices = {j: Choice(known.motor(m), known.gearbox(g) if g else None) for j, (m, g) in hand.items()}
    before = analyse(with_chosen_drives(robot, choices), task, catalogue=known)
    assert before.is_feasible
    margin = min(check.margin for check in before.limits)
    sized = size_drives(robot, task, known, margin=margin, search=gw.design.SearchOptions(samples=61, method="evolve"))
    assert sized.mass <= sum(one.mass for one in choices.values())
    assert min(check.margin for check in sized.analysis.limits) >= margin - 1e-3
    run = sized.analysis.demands
    after = gw.simulate(sized.robot, run.start, until=task.cycle.duration, inputs=run.input_signals, samples=41)
    assert after.q == pytest.approx(task.cycle.at(after.t), abs=1e-3)  # the whole cycle, fed with the voltages alone


def test_an_arm_for_which_there_is_nothing_says_so():
    hand, task = CASES["ur5_like"]
    loaded = replace(task, payload=Payload(60.0))
    with pytest.raises(gw.errors.InputError, match=r"\w+: gearbox .*\d+%"):
        size_drives(
            gw.load("ur5_like"), loaded, table(hand), search=gw.design.SearchOptions(samples=31, method="evolve")
        )


def wrist() -> Robot:
    """Roll, pitch, roll, with motors along the roll axis: their rotors push on the links that carry them."""
    links = [
        Link("forearm", "base", Joint("roll", axis=(1, 0, 0)), 0.9, (0.1, 0, 0), np.diag([8e-4, 4e-3, 4e-3])),
        Link("knuckle", "forearm", Joint("pitch", axis=(0, 1, 0), position=(0.2, 0, 0)), 0.4, (0.03, 0, 0)),
        Link("hand", "knuckle", Joint("twist", axis=(1, 0, 0), position=(0.06, 0, 0)), 0.25, (0.02, 0, 0)),
    ]
    tensors = (np.diag([4e-4, 6e-4, 6e-4]), np.diag([1.5e-4, 2e-4, 2e-4]))
    links[1:] = [replace(link, inertia=tensor) for link, tensor in zip(links[1:], tensors, strict=True)]
    mounts = (("roll", "base", None), ("pitch", "forearm", (0.05, 0, 0)), ("twist", "knuckle", (-0.02, 0, 0)))
    made = [Drive(j, Motor(1e-6, position=place), Gear(20), mounted_on=on, axis=(1, 0, 0)) for j, on, place in mounts]
    return Robot("wrist", links, made)


def test_a_diagonal_model_chooses_what_does_not_suffice():
    """Low ratios, a quick wrist, little margin: what the diagonal model takes for light enough misses it in truth."""
    motors = ["MM_339281", "MM_251601", "MM_267121", "MM_323218"]
    boxes = ["MM_370689", "MM_GPX22UPKLSL35D0CPLW", "FH_22GPT_R24:1"]
    narrow = {k: replace(WHOLE.gearbox(k), outer_diameter=None) for k in boxes}  # the wider motors would not fit
    known = Catalogue({k: WHOLE.motor(k) for k in motors}, narrow)
    task = to_and_fro([0, 0, 0], [2.5, 1.2, -2.5], 18.0, 400.0, payload=Payload(0.4, (0.05, 0, 0)), pause=0.1)
    searches = (gw.design.SearchOptions(samples=81, method="enumerate", model=model) for model in (None, "diagonal"))
    exact, plain = (size_drives(wrist(), task, known, margin=0.07, search=search) for search in searches)
    believed = plain.front[0]
    assert believed.mass < exact.front[0].mass
    names = [basis.joint for basis in wrist().drives]
    truth = analyse(with_chosen_drives(wrist(), dict(zip(names, believed.choices, strict=True))), task, catalogue=known)
    assert min(check.margin for check in truth.limits) < 0.07 - 1e-3
    assert any("screening, but not" in remark for remark in plain.remarks)
    assert not any("screening, but not" in remark for remark in exact.remarks)
