"""Problems of trains: each with its line, an unknown name with what was meant, motors that depend on each other."""

from __future__ import annotations

import warnings

import pytest

import gearwright as gw
from gearwright.errors import GearwrightError, GearwrightWarning

GOOD = """robot: two_motors
links:
  - {name: upper, parent: base, joint: {name: j1, axis: [0, 0, 1]}, mass: 3, com: [0.2, 0, 0]}
  - {name: fore, parent: upper, joint: {name: j2, axis: [0, 0, 1], position: [1, 0, 0]}, mass: 2, com: [1, 0, 0]}
trains:
  - name: remote
    wheels:
      - {name: w1, carrier: base, axis: [0, 0, 1], inertia: 2e-3}
      - {name: w2, carrier: base, axis: j1, inertia: 4e-3}
    meshes:
      - {first: w1, second: upper, teeth: [20, 60]}
      - {first: w2, second: fore, ratio: 2}
    motors:
      - {name: m1, wheel: w1}
      - {name: m2, wheel: w2}
"""
IDLE = ("    meshes:\n", "      - {name: idle, carrier: base, axis: [0, 0, 1]}\n    meshes:\n")
BAD = {
    "gear": (11, ("second: upper", "second: uper"), "'uper'. Did you mean 'upper'?"),
    "wheel of a mesh": (12, ("first: w2", "first: w22"), "'w22'. Did you mean 'w2'?"),
    "wheel of a motor": (15, ("wheel: w2", "wheel: w22"), "'w22'. Did you mean 'w2'?"),
    "carrier": (8, ("w1, carrier: base", "w1, carrier: bas"), "'bas'. Did you mean 'base'?"),
    "axis": (9, ("axis: j1", "axis: j11"), "'j11'. Did you mean 'j1'?"),
    "carrier of a mesh": (12, ("ratio: 2", "ratio: 2, carrier: uppr"), "Did you mean 'upper'?"),
    "stator": (14, ("wheel: w1}", "wheel: w1, stator: uppr}"), "Did you mean 'upper'?"),
    "free": (16, ("w2}\n", "w2}\n    free: [w3]\n"), "'w3'. Known names: w1, w2."),
    "twice": (9, ("name: w2,", "name: w1,"), "two wheels are called 'w1'"),
    "motor twice": (15, ("name: m2,", "name: m1,"), "two motors are called 'm1'"),
    "efficiency": (11, ("60]}", "60], efficiency: 1.2}"), "efficiency=1.2"),
    "over-constrained": (
        11,
        ("ratio: 2}\n", "ratio: 2}\n      - {first: w2, second: w1, ratio: 5}\n"),
        "over-constrained",
    ),
    "disconnected": (
        8,
        ("      - {first: w1, second: upper, teeth: [20, 60]}\n", ""),
        "wheel 'w1'",
    ),
    "no speed": (8, ("second: upper, teeth: [20, 60]", "second: idle, ratio: 2"), "under-constrained"),
    "not coaxial": (12, ("ratio: 2", "ratio: 2, carrier: fore"), "carrier 'fore'"),
    "not parallel": (11, ("w1, carrier: base, axis: [0, 0, 1]", "w1, carrier: base, axis: [1, 0, 1]"), "parallel axes"),
    "drives nothing": (14, ("wheel: w1}", "wheel: w1, stator: w1}"), "motor 'm1'"),
    "names of links": (10, (IDLE[0], IDLE[1].replace("idle", "fore")), "wheel 'fore'"),
}


@pytest.mark.parametrize("case", BAD)
def test_every_problem_of_a_train_has_its_line(case, run, tmp_path):
    line, change, words = BAD[case]
    text = GOOD.replace(*change)
    assert text != GOOD
    path = tmp_path / "arm.yaml"
    path.write_text(text.replace(*IDLE) if case == "no speed" else text)
    code, out, _ = run("check", path)
    assert code == 2
    flat = " ".join(out.split())
    assert words in flat
    assert f"arm.yaml:{line}:" in flat


@pytest.mark.parametrize("case", ["over-constrained", "not coaxial", "not parallel", "drives nothing"])
def test_the_machine_says_file_and_line_too(case, tmp_path):
    line, change, words = BAD[case]
    path = tmp_path / "arm.yaml"
    path.write_text(GOOD.replace(*change))
    with pytest.raises(GearwrightError, match=rf"arm\.yaml, line {line}: .*{words.split()[0]}"):
        gw.assemble(gw.load(path))


def test_a_good_train_is_not_blamed(run, tmp_path):
    path = tmp_path / "arm.yaml"
    path.write_text(GOOD)
    code, out, err = run("check", path)
    assert (code, err) == (0, ""), out


def test_motors_that_turn_together_are_reported(run, tmp_path):
    """w2 twice as fast as w1 whatever the joints do: the second joint has no motor of its own."""
    text = GOOD.replace("{first: w2, second: fore, ratio: 2}", "{first: w2, second: w1, ratio: -2}")
    path = tmp_path / "arm.yaml"
    path.write_text(text)
    code, _, err = run("check", path)
    assert code == 0
    assert "m1 = -0.5 m2." in " ".join(err.split())
    with pytest.warns(GearwrightWarning, match="m1 = -0.5 m2"):
        gw.assemble(gw.load(path))


def test_three_motors_on_two_joints_are_as_they_should_be(tmp_path):
    more = ("      - {name: m2", "      - {name: m3, wheel: w3}\n      - {name: m2")
    wheel = ("    meshes:\n", "      - {name: w3, carrier: upper, axis: [0, 0, 1]}\n    meshes:\n")
    mesh = ("    motors:\n", "      - {first: w3, second: fore, ratio: 3}\n    motors:\n")
    path = tmp_path / "arm.yaml"
    path.write_text(GOOD.replace(*more).replace(*wheel).replace(*mesh))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        gw.assemble(gw.load(path))


def test_a_combination_of_three_motors_is_named():
    """Three joints, three motors, of which the third turns with the sum of the others."""
    from gearwright.mechanism import Actuator, Body, Mechanism
    from gearwright.mechanism.assembly.dependent_motors import dependent_motors_remark

    bodies = [Body(f"b{k}", parent=k - 1, mass=1, com=(1, 0, 0)) for k in range(3)]
    rows = {"m1": [1, 0, 0], "m2": [0, 1, 0], "m3": [2, 2, 0]}
    mech = Mechanism(bodies, actuators=[Actuator(name, row) for name, row in rows.items()])
    told = dependent_motors_remark("arm", mech)
    assert told is not None
    assert "m1 and m2 and m3" in told
