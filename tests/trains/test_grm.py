"""The 3-dof mechanism of Chen and Wang from its gear graph: equations (27) to (45), the appendix, and the numbers."""

from __future__ import annotations

import numpy as np
import pytest
import sympy as sp

import gearwright as gw
from gearwright.dynamics.coriolis import coriolis_matrix
from gearwright.dynamics.inverse_dynamics import gravity
from gearwright.dynamics.mass_matrix import mass_matrix
from gearwright.dynamics.pose import place_machine
from gearwright.dynamics.wheel_contributions import wheel_coriolis, wheel_mass_matrix
from gearwright.mechanism import GearGraph, GearPair, TurningPair, gear_graph

g14, g25, g76, g37 = RATIOS = sp.symbols("g14 g25 g76 g37")
I4, I5, I6, I7 = sp.symbols("I4:8")
TH = sp.symbols("theta1:4")
THD = sp.symbols("thetad1:4")
TURNING = [(0, 1, "a"), (1, 2, "b"), (2, 3, "c"), (0, 4, "d"), (0, 5, "a"), (1, 6, "b"), (2, 7, "e")]
GEARS = [(4, 1, 0, g14), (5, 2, 1, g25), (6, 7, 2, g76), (7, 3, 2, g37)]
JOINTS = ["1", "2", "3"]


class SymPy:
    """The sines and cosines that placing needs."""

    cos, sin = sp.cos, sp.sin


def graph():
    turning = [TurningPair(str(a), str(b), label) for a, b, label in TURNING]
    return GearGraph(turning, [GearPair(str(j), str(k), g) for j, k, _, g in GEARS])


def test_graph():
    found = graph()
    assert found.degrees_of_freedom == 3
    assert [c.carrier for c in found.circuits] == [str(i) for _, _, i, _ in GEARS]
    assert found.coaxial_links["a"] == ("0", "1", "5")
    assert found.coaxial_links["b"] == ("1", "2", "6")
    assert found.open_chain("3") == ("0", "1", "2", "3")
    assert found.secondary_links(found.open_chain("3")) == ("4", "5", "6", "7")
    assert found.virtual_links(JOINTS) == {"0": ("4", "5"), "1": ("6",), "2": ("7",), "3": ()}


def test_relative_rates_27_to_30():
    rows = graph().link_rows(JOINTS)
    assert rows["4"] == {"1": g14}
    assert rows["5"] == {"1": 1, "2": g25}
    assert rows["6"] == {"2": 1, "3": g76 * g37}
    assert rows["7"] == {"3": g37}


def test_structure_matrix_45():
    assert graph().structure_matrix(JOINTS, ["4", "5", "6"]) == [[g14, 1, 0], [0, g25, 1], [0, 0, g76 * g37]]


def test_canonical_graph_of_another_drawing():
    """Wheel 5 hung on link 1 instead of the base, and wheel 6 on link 2: the canonical graph is the same."""
    other = [(0, 1, "a"), (1, 2, "b"), (2, 3, "c"), (0, 4, "d"), (1, 5, "a"), (2, 6, "b"), (2, 7, "e")]
    drawn = GearGraph(
        [TurningPair(str(a), str(b), label) for a, b, label in other],
        [GearPair(str(j), str(k), g) for j, k, _, g in GEARS],
    )
    assert drawn.link_rows(JOINTS)["5"] == {"2": g25}
    assert drawn.link_rows(JOINTS)["6"] == {"3": g76 * g37}
    assert drawn.canonical_graph().turning == graph().canonical_graph().turning == graph().turning
    assert drawn.canonical_graph().link_rows(JOINTS) == graph().link_rows(JOINTS)


def test_canonical_form_of_the_bundled_robot():
    """Drawn with w5 on link 1 and w6 on link 2: another drawing, the same motion, the same motors."""
    drawn = gw.load("grm3")
    canonical = gw.equations.canonical_trains(drawn)
    assert gear_graph(drawn).turning != gear_graph(canonical).turning
    assert gear_graph(canonical).turning == gear_graph(drawn).canonical_graph().turning
    for q, v, a in STATES.values():
        tau = gw.inverse_dynamics(drawn, q, v, a)
        np.testing.assert_allclose(gw.inverse_dynamics(canonical, q, v, a), tau, rtol=0, atol=1e-13)
        np.testing.assert_allclose(gw.actuator_torques(drawn, tau), gw.actuator_torques(canonical, tau), atol=1e-13)
    riders = gear_graph(canonical).virtual_links(["link1", "link2", "link3"])
    assert riders == {"base": ("w4", "w5"), "link1": ("w6",), "link2": ("w7",), "link3": ()}


def test_networkx():
    drawn = graph().to_networkx()
    assert drawn.number_of_nodes() == 8
    kinds = [data["kind"] for *_, data in drawn.edges(data=True)]
    assert kinds.count("turning") == 7
    assert kinds.count("gear") == 4


def symbolic(bodies=None):
    """The machine with symbols for ratios and wheel inertias; joints z0, z1 = z2 across (Denavit-Hartenberg)."""
    quarter = sp.Matrix([[1, 0, 0], [0, 0, -1], [0, 1, 0]]).tolist()
    d1, a2 = sp.symbols("d1 a2")
    bodies = bodies or {name: {"mass": 1} for name in ("1", "2", "3")}
    eye = sp.eye(3).tolist()
    # Body frames sit on the joints, DH frames at the far end; here link 1's z1 is turned into place by the next joint.
    chain = [
        gw.Body("1", joint_name="theta1", **bodies["1"]),
        gw.Body("2", "1", rotation=quarter, position=(0, 0, d1), joint_name="theta2", **bodies["2"]),
        gw.Body("3", "2", rotation=eye, position=(a2, 0, 0), joint_name="theta3", **bodies["3"]),
    ]
    rows = graph().link_rows(JOINTS)
    wheels = {
        "4": ("base", (0, 0, 1), I4),
        "5": ("base", (0, 0, 1), I5),
        "6": ("1", (0, -1, 0), I6),
        "7": ("2", (1, 0, 0), I7),
    }
    spins = [
        gw.Spin(j, carrier, e, inertia, {f"theta{k}": b for k, b in rows[j].items()})
        for j, (carrier, e, inertia) in wheels.items()
    ]
    return gw.Mechanism(chain, spins)


def shares():
    mech = symbolic()
    pose = place_machine(mech, TH, SymPy)
    return {spin.name: (wheel_mass_matrix(pose, spin), wheel_coriolis(pose, spin)) for spin in mech.spins}


def same(found, expected):
    return sp.simplify(sp.nsimplify(sp.Matrix(found)) - sp.Matrix(expected)).is_zero_matrix


S2, C2 = sp.sin(TH[1]), sp.cos(TH[1])
ZERO = [[0] * 3] * 3


@pytest.mark.parametrize(
    ("wheel", "expected"),
    [
        ("4", I4 * sp.diag(g14**2, 0, 0)),  # (31)
        ("5", I5 * sp.Matrix([[1, g25, 0], [g25, g25**2, 0], [0, 0, 0]])),  # (32)
        ("6", I6 * sp.Matrix([[0, 0, 0], [0, 1, g76 * g37], [0, g76 * g37, g76**2 * g37**2]])),  # (35)
        ("7", I7 * sp.Matrix([[0, 0, g37 * S2], [0, 0, 0], [g37 * S2, 0, g37**2]])),  # (39)
    ],
)
def test_inertia_matrices_of_wheels(wheel, expected):
    assert same(shares()[wheel][0], expected)


def test_coriolis_matrices_of_wheels():
    """(33), (36), (37): none for wheels 4 to 6; (40) to (42) for wheel 7."""
    found = shares()
    for wheel in "456":
        assert all(same(C, ZERO) for C in found[wheel][1])
    half = I7 * g37 * C2 / 2
    assert same(found["7"][1][0], half * sp.Matrix([[0, 0, 0], [0, 0, 1], [0, 1, 0]]))
    assert same(found["7"][1][1], -half * sp.Matrix([[0, 0, 1], [0, 0, 0], [1, 0, 0]]))
    assert same(found["7"][1][2], half * sp.Matrix([[0, 1, 0], [1, 0, 0], [0, 0, 0]]))


def test_wheels_together_43_44():
    """M_s and C_s: what the wheels add to mass matrix and velocity forces of the whole machine."""
    mech = symbolic()
    bare = gw.Mechanism(mech.bodies)
    poses = [place_machine(m, TH, SymPy) for m in (mech, bare)]
    Ms, bare_M = (sp.Matrix(mass_matrix(p)) for p in poses)
    Cs, bare_C = (sp.Matrix(coriolis_matrix(p, THD)) for p in poses)
    g = g37 * C2 * I7
    expected = [
        [I4 * g14**2 + I5, I5 * g25, I7 * g37 * S2],
        [I5 * g25, I5 * g25**2 + I6, I6 * g76 * g37],
        [I7 * g37 * S2, I6 * g76 * g37, I6 * g76**2 * g37**2 + I7 * g37**2],
    ]
    assert same(Ms - bare_M, expected)
    force = (Cs - bare_C) * sp.Matrix(THD)
    assert same(force, [g * THD[1] * THD[2], -g * THD[0] * THD[2], g * THD[0] * THD[1]])


def table_3():
    """Virtual links with the inertia properties of Table 3, given in frames at the far ends of the links."""
    names = "m1 r1Y r1Z I1xx I1yy I1zz I1yz m2 r2X r2Z I2xx I2yy I2zz I2xz m3 r3Z I3xx I3yy I3zz"
    p = dict(zip(names.split(), sp.symbols(names), strict=True))
    turn = sp.Matrix(
        [[1, 0, 0], [0, 0, -1], [0, 1, 0]]
    )  # frame 1 and frame 3 lie a quarter turn about x from the joint's
    d1, a2 = sp.symbols("d1 a2")
    one = sp.Matrix([[p["I1xx"], 0, 0], [0, p["I1yy"], p["I1yz"]], [0, p["I1yz"], p["I1zz"]]])
    two = sp.Matrix([[p["I2xx"], 0, p["I2xz"]], [0, p["I2yy"], 0], [p["I2xz"], 0, p["I2zz"]]])
    three = sp.diag(p["I3xx"], p["I3yy"], p["I3zz"])
    com1 = sp.Matrix([0, 0, d1]) + turn * sp.Matrix([0, p["r1Y"], p["r1Z"]])
    bodies = {
        "1": {"mass": p["m1"], "com": list(com1), "inertia": (turn * one * turn.T).tolist()},
        "2": {"mass": p["m2"], "com": [a2 + p["r2X"], 0, p["r2Z"]], "inertia": two.tolist()},
        "3": {
            "mass": p["m3"],
            "com": list(turn * sp.Matrix([0, 0, p["r3Z"]])),
            "inertia": (turn * three * turn.T).tolist(),
        },
    }
    return bodies, p, a2


@pytest.mark.slow
def test_appendix_corrected():
    """G_v and gravity of the virtual links, phi_1 to phi_18 with the corrections of `docs/works_chen_wang.md`."""
    bodies, p, a2 = table_3()
    pose = place_machine(gw.Mechanism(symbolic(bodies).bodies, gravity=(0, 0, -sp.Symbol("g"))), TH, SymPy)
    S3, C3 = sp.sin(TH[2]), sp.cos(TH[2])
    phi12 = p["m1"] * p["r1Z"] ** 2 + p["I1yy"]
    phi13 = a2 + p["r2X"]
    phi17, phi18 = S2 * C3 + C2 * S3, S2 * S3 - C2 * C3
    phi14 = a2 * C2 + p["r3Z"] * phi17
    phi15, phi16 = p["I3xx"] - p["I3zz"], p["I2xx"] - p["I2yy"]
    phi1 = (
        phi12 + p["m2"] * (phi13**2 * C2**2 + p["r2Z"] ** 2) + p["I2xx"] * S2**2 + p["I2yy"] * C2**2
        + p["m3"] * phi14**2 + p["I3xx"] * phi17**2 + p["I3zz"] * phi18**2
    )  # fmt: skip
    phi2 = (p["I2xz"] - p["m2"] * phi13 * p["r2Z"]) * S2
    phi3 = p["m2"] * phi13**2 + p["I2zz"] + p["m3"] * (a2**2 + p["r3Z"] ** 2 + 2 * a2 * p["r3Z"] * S3) + p["I3yy"]
    phi4 = p["m3"] * p["r3Z"] * (a2 * S3 + p["r3Z"]) + p["I3yy"]
    phi5 = p["m3"] * p["r3Z"] ** 2 + p["I3yy"]
    phi6 = (p["I2xz"] - p["m2"] * phi13 * p["r2Z"]) * C2
    phi7 = (
        2 * (phi16 - p["m2"] * phi13**2) * S2 * C2
        - 2 * p["m3"] * phi14 * (a2 * S2 + p["r3Z"] * phi18)
        - 2 * phi15 * phi17 * phi18
    )
    phi8 = -2 * p["m3"] * phi14 * p["r3Z"] * phi18 - 2 * phi15 * phi17 * phi18
    phi10 = p["m3"] * p["r3Z"] * a2 * C3
    assert same(mass_matrix(pose), [[phi1, phi2, 0], [phi2, phi3, phi4], [0, phi4, phi5]])
    w1, w2, w3 = THD
    force = sp.Matrix(coriolis_matrix(pose, THD)) * sp.Matrix(THD)
    expected = [
        phi6 * w2**2 + phi7 * w1 * w2 + phi8 * w1 * w3,
        -phi7 / 2 * w1**2 + phi10 * w3**2 + 2 * phi10 * w2 * w3,
        -phi8 / 2 * w1**2 - phi10 * w2**2,
    ]
    assert same(force, expected)
    g = sp.Symbol("g")
    weight = [
        0,
        g * ((p["m2"] * phi13 + p["m3"] * a2) * C2 + p["m3"] * p["r3Z"] * phi17),
        g * p["m3"] * p["r3Z"] * phi17,
    ]
    assert same(gravity(pose), weight)


STATES = {
    "A": [(0.3, -0.5, 0.8), (0.7, -0.4, 0.9), (1.2, 0.5, -0.8)],
    "B": [(0, 0, 0), (1, 1, 1), (0, 0, 0)],
    "C": [(-1.1, 0.9, -1.4), (-1.5, 0.8, 2), (-0.3, 2, 1)],
}
LINKS = {  # reference numbers: Cv, g
    "A": [(-0.08676912, -0.16800396, -0.05522994), (0, 16.88085245, 0.69577277)],
    "B": [(0.367, 0.192, -0.192), (0, 18.4428, 0)],
    "C": [(0.29312818, 0.60611473, -0.09343692), (0, 10.33546883, -1.12875949)],
}
PRINTED = {  # reference numbers: Cs, G, xi
    "A": [
        (-0.00078982, -0.00138219, -0.00061431),
        (0.6676516, 17.06427981, 0.61630834),
        (2.64888758, 8.61431435, -0.16434889),
    ],
    "B": [(0.0025, -0.0025, 0.0025), (0.3695, 18.6323, -0.1895), (2.97379444, 9.29088333, 0.05053333)],
    "C": [
        (0.00248644, 0.00466207, -0.00186483),
        (0.19951805, 11.87757474, -1.26551758),
        (1.85684455, 5.77005169, 0.33747136),
    ],
}
MV = [[0.59981381, 0.00815023, 0], [0.00815023, 0.80533237, 0.10966618], [0, 0.10966618, 0.0408]]
MS = [[0.022, 0.008, -0.00119856], [0.008, 0.019, -0.01125], [-0.00119856, -0.01125, 0.0484375]]
HALF_A_DIGIT = 5.1e-9


@pytest.mark.parametrize("state", STATES)
def test_bundled_robot(state):
    """The bundled file, its rows solved from the graph, gives every reference number.

    Which part of M belongs to the virtual links is that of the canonical form.
    """
    mech = gw.assemble(gw.equations.canonical_trains(gw.load("grm3")))
    q, v, a = STATES[state]
    Cs, G, xi = PRINTED[state]
    tau = gw.inverse_dynamics(mech, q, v, a)
    np.testing.assert_allclose(tau, G, rtol=0, atol=HALF_A_DIGIT)
    np.testing.assert_allclose(gw.actuator_torques(mech, tau), xi, rtol=0, atol=HALF_A_DIGIT)
    told = gw.equations.explain(mech, q, v, a)
    np.testing.assert_allclose(told.forces[:, 2].sum(axis=0), Cs, rtol=0, atol=HALF_A_DIGIT)
    Cv, weight = LINKS[state]
    np.testing.assert_allclose(gw.gravity(mech, q), weight, rtol=0, atol=HALF_A_DIGIT)
    links = gw.Mechanism(mech.bodies, gravity=mech.gravity)  # the virtual links alone
    np.testing.assert_allclose(gw.bias(links, q, v) - gw.gravity(links, q), Cv, rtol=0, atol=HALF_A_DIGIT)
    if state == "A":
        np.testing.assert_allclose(told.mass_matrices.sum(axis=0), MS, rtol=0, atol=HALF_A_DIGIT)
        np.testing.assert_allclose(gw.mass_matrix(links, q), MV, rtol=0, atol=HALF_A_DIGIT)
