"""`gearwright torque`: the numbers of the elbow arm (Sciavicco, Siciliano and Villani), and what is refused."""

from __future__ import annotations

import csv
import io

import numpy as np
import pytest

HEADER = "t,q.j1,q.j2,q.j3,v.j1,v.j2,v.j3,a.j1,a.j2,a.j3\n"
STATES = "0,.3,-.5,.8,.7,-.4,.9,1.2,.5,-.8\n1,0,0,0,1,1,1,0,0,0\n2,-1.1,.9,-1.4,-1.5,.8,2,-.3,2,1\n"
TORQUES = [  # computed outside, with every rotor as a body of its own
    [9.60148721, 25.10781709, 3.26984181],
    [0.016, 26.22575, 4.4305],
    [-1.84125193, 27.63342488, 5.17124243],
]


@pytest.fixture
def states(tmp_path):
    path = tmp_path / "states.csv"
    path.write_text(HEADER + STATES)
    return path


def table(text: str) -> tuple[list[str], np.ndarray]:
    header, *rows = csv.reader(io.StringIO(text))
    return header, np.array(rows, dtype=float)


def test_torques_of_the_elbow(run, states):
    code, out, err = run("torque", "elbow", states)
    header, values = table(out)
    assert (code, err) == (0, "")
    assert header == ["t", "tau.j1", "tau.j2", "tau.j3"]
    assert values[:, 0].tolist() == [0, 1, 2]
    assert np.abs(values[:, 1:] - TORQUES).max() < 1e-8


def test_output_goes_to_a_file(run, states, tmp_path):
    target = tmp_path / "tau.csv"
    code, out, err = run("torque", "elbow", states, "-o", target)
    assert (code, out) == (0, "")
    assert "3 rows" in err
    assert np.abs(table(target.read_text())[1][:, 1:] - TORQUES).max() < 1e-8


def test_payload_presses_by_its_weight(run, tmp_path):
    still = tmp_path / "still.csv"
    still.write_text(HEADER + "0,0,0,0,0,0,0,0,0,0\n")
    with_payload = table(run("torque", "elbow", still, "--payload", "2.5@0.35,0,0").out)[1][0, 1:]
    without = table(run("torque", "elbow", still).out)[1][0, 1:]
    # Stretched out, the end of the arm is .35 m from the third and .75 m from the second joint.
    assert with_payload - without == pytest.approx([0, 2.5 * 9.81 * 0.75, 2.5 * 9.81 * 0.35], abs=1e-9)


def test_approximation_is_another_torque(run, states):
    exact, none = (table(run("torque", "elbow", states, "--wheels", kind).out)[1] for kind in ("exact", "none"))
    assert np.abs(exact - none).max() > 1


def test_missing_rates_are_derived_and_said(run, tmp_path):
    t = np.linspace(0, 1, 101)
    path = tmp_path / "q.csv"
    path.write_text("t,q.j1,q.j2,q.j3\n" + "".join(f"{x},{x**2},0,0\n" for x in t))
    code, out, err = run("torque", "elbow", path)
    assert code == 0
    assert "accelerations" in " ".join(err.split())
    # At 0 s: 2 rad/s2 of the first joint, whose inertia in this pose is 8.4592 kg m2; the others hold the weight.
    assert table(out)[1][0, 1:] == pytest.approx([2 * 8.4592, 26.24175 + 2 * 0.03, 4.4145], abs=1e-6)


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        ("q.j3", "q.j4", ["q.j4", "Did you mean"]),
        (",a.j3\n", ",x\n", ["a.j3"]),
        ("-1.4", "nan", ["line 4", "q.j3", "nan"]),
        ("\n2,", "\n1,", ["line 4", "time 1"]),
        ("\n2,", "\n", ["line 4", "9"]),
    ],
)
def test_bad_motions_are_refused(refused, states, old, new, words):
    states.write_text(states.read_text().replace(old, new))
    refused("torque", "elbow", states, words=["states.csv", *words])


def test_bad_words_are_refused(refused, states, tmp_path):
    refused("torque", "elbow", tmp_path / "none.csv", words=["none.csv"])
    refused("torque", "elbo", states, words=["elbo", "Did you mean 'elbow'?"])
    refused("torque", tmp_path / "none.yaml", states, words=["none.yaml"])
    refused("torque", "elbow", states, "--payload", "heavy", words=["heavy", "MASS@x,y,z"])
    refused("torque", "elbow", states, "--payload", "-1@0,0,0", words=["-1"])
    refused("torque", "elbow", states, "--wheels", "some", words=["some", "reflected"])
    refused("torque", "elbow", states, "-o", tmp_path / "no" / "tau.csv", words=["tau.csv", "No such file"])
    refused("torque", "elbow", words=["Missing argument"])


RUBBING = """robot: lever
links:
  - {name: lever, parent: base, joint: {name: swing, axis: [0, 1, 0], friction: {coulomb: 0.5, viscous: 0.1}},
     mass: 2, com: [0, 0, -0.4]}
drives:
  - joint: swing
    motor: {inertia: 2e-5, torque_constant: 0.05, resistance: 1.2}
    gear: {ratio: 50, efficiency: 0.8}
"""


@pytest.fixture
def lever(tmp_path):
    path = tmp_path / "lever.yaml"
    path.write_text(RUBBING)
    return path


def test_friction_and_losses_count_unless_plain(run, lever, tmp_path):
    """At rest under gravity nothing rubs; moving, 0.5 Nm and 0.1 Nms/rad do, and the gear takes its share."""
    rows = tmp_path / "rows.csv"
    rows.write_text("t,q.swing,v.swing,a.swing\n0,0,2,0\n1,0,-2,0\n")
    stated, plain = (table(run("torque", lever, rows, *more).out)[1][:, 1] for more in ([], ["--plain"]))
    assert plain == pytest.approx([0, 0], abs=1e-12)
    assert stated == pytest.approx([0.7 / 0.8, -0.7 / 0.8], rel=1e-9)


def test_motors_are_columns_on_request(run, lever, tmp_path):
    rows = tmp_path / "rows.csv"
    rows.write_text("t,q.swing,v.swing,a.swing\n0,0,2,0\n1,0,-2,0\n")
    header, values = table(run("torque", lever, rows, "--motors").out)
    found = dict(zip(header, values.T, strict=True))
    assert found["swing.torque"] == pytest.approx(found["tau.swing"] / 50)
    assert found["swing.current"] == pytest.approx(found["swing.torque"] / 0.05)
    assert found["swing.heat"] == pytest.approx(1.2 * found["swing.current"] ** 2)
    assert found["swing.voltage"] == pytest.approx(1.2 * found["swing.current"] + 0.05 * found["swing.speed"])


def test_the_joints_of_an_elastic_robot_are_enough(run, tmp_path):
    import gearwright as gw
    from gearwright.motion import polynomial

    motion = polynomial([0, 0, 0], [0.4, 0.3, -0.2], 0.6, order=7)
    rows = tmp_path / "joints.csv"
    t = np.linspace(0, 0.6, 241)
    text = "".join(",".join(map(repr, [x, *motion.at(x).tolist()])) + "\n" for x in t.tolist())
    rows.write_text("t,q.j1,q.j2,q.j3\n" + text)
    code, out, err = run("torque", "elastic_elbow", rows)
    header, values = table(out)
    assert (code, "spline" in " ".join(err.split())) == (0, True)
    exact = gw.demands(gw.load("elastic_elbow"), motion)
    found = dict(zip(header, values.T, strict=True))
    size = np.abs(exact["tau.j2.motor"]).max()
    assert np.abs(np.interp(exact.t, found["t"], found["tau.j2.motor"]) - exact["tau.j2.motor"]).max() < 1e-3 * size


def test_picture(run, states, tmp_path):
    code, _, err = run("torque", "elbow", states, "-o", tmp_path / "tau.csv", "--plot", tmp_path / "tau.svg")
    assert code == 0, err
    assert "<svg" in (tmp_path / "tau.svg").read_text()
