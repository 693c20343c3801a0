"""The same arm by placement and axis, standard DH, modified DH and vectors has the same dynamics.

The four descriptions are computed here with NumPy from one chain of frames; nothing of `files/placements.py` is used.
"""

from __future__ import annotations

import numpy as np
import pytest

import gearwright as gw
from gearwright.errors import FileError
from gearwright.files import read_yaml, write_yaml

STATES = 4


def rot(axis: int, angle: float) -> np.ndarray:
    c, s = np.cos(angle), np.sin(angle)
    i, j = [(1, 2), (2, 0), (0, 1)][axis]
    R = np.eye(3)
    R[i, i], R[i, j], R[j, i], R[j, j] = c, -s, s, c
    return R


def frame(R: np.ndarray, p: np.ndarray) -> np.ndarray:
    T = np.eye(4)
    T[:3, :3], T[:3, 3] = R, p
    return T


def random_rotation(rng: np.random.Generator) -> np.ndarray:
    Q, R = np.linalg.qr(rng.normal(size=(3, 3)))
    Q = Q * np.sign(np.diag(R))
    return Q if np.linalg.det(Q) > 0 else -Q


class Chain:
    """An arm in space at q = 0: per link its DH numbers, the frames D (after the link) and M (on its joint)."""

    def __init__(self, seed: int, kinds: str) -> None:
        rng = self.rng = np.random.default_rng(seed)
        self.kinds = kinds
        n = len(kinds)
        self.a, self.d = rng.uniform(-0.5, 0.5, (2, n)).tolist()
        self.alpha, self.theta = rng.uniform(-2, 2, (2, n)).tolist()
        self.D, self.M = [np.eye(4)], []
        for i in range(n):
            self.M.append(self.D[-1] @ frame(rot(2, self.theta[i]), np.zeros(3)) @ frame(np.eye(3), [0, 0, self.d[i]]))
            self.D.append(self.M[-1] @ frame(np.eye(3), [self.a[i], 0, 0]) @ frame(rot(0, self.alpha[i]), np.zeros(3)))
        self.masses = rng.uniform(1, 5, n).tolist()
        self.coms = [(self.D[i + 1] @ [*rng.uniform(-0.3, 0.3, 3), 1])[:3] for i in range(n)]
        self.tensors = [self._tensor() for _ in range(n)]
        self.rotors = [self._rotor(self.D[i]) for i in range(n)]

    def _tensor(self) -> np.ndarray:
        points = self.rng.normal(size=(6, 3)) * 0.1
        return sum(p @ p * np.eye(3) - np.outer(p, p) for p in points)

    def _rotor(self, where: np.ndarray) -> tuple[np.ndarray, np.ndarray, float]:
        axis = self.rng.normal(size=3)
        place = (where @ [*self.rng.uniform(-0.2, 0.2, 3), 1])[:3]
        return axis / np.linalg.norm(axis), place, float(self.rng.uniform(30, 120))

    def words(self, frames: list[np.ndarray], joints: list[str], at_com: bool = False) -> str:
        """The file: link i's numbers in frames[i + 1] at q = 0, its joint as given."""
        lines = ["robot: arm", "gravity: [1.5, -2.5, -9]", "links:"]
        for i, kind in enumerate(self.kinds):
            R, p = frames[i + 1][:3, :3], frames[i + 1][:3, 3]
            parent = "base" if i == 0 else f"k{i - 1}"
            name = "revolute" if kind == "R" else "prismatic"
            com = "" if at_com else f", com: {text(R.T @ (self.coms[i] - p))}"
            lines.append(
                f"  - {{name: k{i}, parent: {parent}, joint: {{type: {name}, {joints[i]}}}{com}, "
                f"mass: {self.masses[i]!r}, inertia: {text(R.T @ self.tensors[i] @ R)}}}"
            )
        lines.append("drives:")
        for i, (axis, place, ratio) in enumerate(self.rotors):
            R, p = frames[i][:3, :3], frames[i][:3, 3]
            lines.append(
                f"  - {{joint: k{i}, axis: {text(R.T @ axis)}, gear: {{ratio: {ratio!r}}}, motor: {{inertia: 2e-4, "
                f"transverse_inertia: 1.5e-4, mass: 0.4, position: {text(R.T @ (place - p))}}}}}"
            )
        return "\n".join(lines)

    def standard(self) -> str:
        joints = [
            f"dh: {{a: {self.a[i]!r}, alpha: {self.alpha[i]!r}, d: {self.d[i]!r}, theta: {self.theta[i]!r}}}"
            for i in range(len(self.kinds))
        ]
        return self.words(self.D, joints)

    def modified(self) -> str:
        a, alpha = [0.0, *self.a], [0.0, *self.alpha]
        joints = [
            f"mdh: {{a: {a[i]!r}, alpha: {alpha[i]!r}, d: {self.d[i]!r}, theta: {self.theta[i]!r}}}"
            for i in range(len(self.kinds))
        ]
        return self.words([np.eye(4), *self.M], joints)

    def placed(self) -> str:
        """Body frames anywhere on the joint's axis, turned at random."""
        frames, joints = [np.eye(4)], []
        for M in self.M:
            turn = random_rotation(self.rng)
            frames.append(M @ frame(turn, [0, 0, self.rng.uniform(-0.3, 0.3)]))
            here = np.linalg.inv(frames[-2]) @ frames[-1]
            joints.append(
                f"origin: {{xyz: {text(here[:3, 3])}, rotation: {text(here[:3, :3])}}}, axis: {text(turn.T[:, 2])}"
            )
        return self.words(frames, joints)

    def vectors(self) -> tuple[str, np.ndarray]:
        """The vectors of Vukobratovic and Potkonjak, and q at the pose where the DH arm has q = 0."""
        frames, joints, shifts = [np.eye(4)], [], []
        for i, M in enumerate(self.M):
            e, S, C = M[:3, 2], (M @ [0, 0, self.rng.uniform(-0.2, 0.2), 1])[:3], self.coms[i]
            frames.append(frame(random_rotation(self.rng), C))
            before, after = frames[-2][:3, :3], frames[-1][:3, :3]
            r, r_before = C - S, frames[-2][:3, 3] - S
            words = {"e": after.T @ e, "e_before": before.T @ e, "r": after.T @ r, "r_before": before.T @ r_before}
            if i == 0:  # the base's origin lies on the first axis: a specificity
                r_before = np.array([1.0, 2.0, 3.0])
                words["specificity_before"] = before.T @ r_before
            angle = turn_from(-r_before, r, e)
            shifts.append(angle if self.kinds[i] == "R" else 0.0)
            more = "" if self.kinds[i] == "R" else f", alpha: {float(angle)!r}"
            joints.append("vector: {" + ", ".join(f"{k}: {text(v)}" for k, v in words.items()) + more + "}")
        return self.words(frames, joints, at_com=True), np.array(shifts)


def turn_from(a: np.ndarray, b: np.ndarray, e: np.ndarray) -> float:
    """The angle about e from the projection of a to the projection of b."""
    a, b = a - a @ e * e, b - b @ e * e
    return float(np.arctan2(e @ np.cross(a, b), a @ b))


def text(values: np.ndarray) -> str:
    return str(np.asarray(values).tolist())


def dynamics(words: str, q: np.ndarray, v: np.ndarray, a: np.ndarray) -> tuple[np.ndarray, ...]:
    mech = gw.assemble(read_yaml(words))
    return gw.inverse_dynamics(mech, q, v, a), gw.mass_matrix(mech, q), gw.gravity(mech, q)


@pytest.mark.parametrize("kinds", ["RRRRRR", "RPR", "PRRP", "RRPRP"])
@pytest.mark.parametrize("seed", range(4))
def test_four_ways_one_dynamics(kinds, seed):
    chain = Chain(seed, kinds)
    q, v, a = np.random.default_rng(seed).uniform(-1.5, 1.5, (3, STATES, len(kinds)))
    expected = dynamics(chain.standard(), q, v, a)
    by_vectors, shift = chain.vectors()
    for words, at in ((chain.modified(), q), (chain.placed(), q), (by_vectors, q + shift)):
        for ours, theirs in zip(dynamics(words, at, v, a), expected, strict=True):
            assert np.abs(ours - theirs).max() < 1e-12 * np.abs(theirs).max()


def test_each_way_survives_a_round_trip():
    chain = Chain(7, "RPRR")
    for words in (chain.standard(), chain.modified(), chain.placed(), chain.vectors()[0]):
        robot = read_yaml(words)
        assert read_yaml(write_yaml(robot)) == robot


def test_standard_dh_moves_what_hangs_on_the_far_end():
    """A tool frame and a payload are in the frame at the far end of a DH link, as the link's own numbers are."""
    robot = read_yaml("""
robot: one
links: [{name: k, parent: base, joint: {dh: {a: 0.5, alpha: 90 deg, d: 0.2, theta: 0}}, mass: 1}]
payload: {mass: 2, position: [0, 0.1, 0]}
frames: [{name: tool, link: k, position: [0, 0, 0.3]}]
""")
    mech = gw.assemble(robot)
    rotation, position = gw.placement(mech, [0.0], "tool")
    assert position == pytest.approx([0.5, -0.3, 0.2])  # x = a; z of frame 1 is -y of the base
    assert rotation[:, 2] == pytest.approx([0, -1, 0])
    assert list(robot.payload.position) == pytest.approx([0.5, 0.0, 0.3])


def test_the_rodrigues_turn_of_a_linear_joint_is_positive_about_its_axis():
    words = """
robot: one
links:
  - name: k
    parent: base
    joint:
      kind: prismatic
      vector: {e: [0, 0, 1], e_before: [0, 0, 1], r: [1, 0, 0], r_before: [-1, 0, 0], alpha: 90 deg}
    mass: 1
"""
    rotation, position = gw.placement(gw.assemble(read_yaml(words)), [0.25], "k")
    assert rotation == pytest.approx(rot(2, np.pi / 2))
    assert position == pytest.approx([1, 0, 0.25])


@pytest.mark.parametrize(
    ("change", "says"),
    [
        ("r: [0, 0, 2]", r"r \(0\.0, 0\.0, 2\.0\).*specificity\b"),
        ("r_before: [0, 0, 2]", r"r_before \(0\.0, 0\.0, 2\.0\).*specificity_before"),
        ("e: [0, 0, 0]", r"e \(0\.0, 0\.0, 0\.0\)"),
        ("specificity: [0, 0, 3]", r"specificity \(0\.0, 0\.0, 3\.0\)"),
    ],
)
def test_vectors_that_define_no_extended_position(change, says):
    words = {"e": "[0, 0, 1]", "e_before": "[0, 0, 1]", "r": "[1, 0, 0]", "r_before": "[-1, 0, 0]"}
    words |= dict([change.split(": ")])
    joint = ", ".join(f"{k}: {v}" for k, v in words.items())
    with pytest.raises(gw.errors.FileError, match=says):
        read_yaml(f"robot: x\nlinks: [{{name: k, parent: base, mass: 1, joint: {{vector: {{{joint}}}}}}}]")


def test_the_constant_angle_of_a_turning_joint_is_refused():
    vectors = "e: [0, 0, 1], e_before: [0, 0, 1], r: [0.1, 0, 0], r_before: [-0.1, 0, 0], alpha: 0.3"
    joint = f"{{type: TYPE, vector: {{{vectors}}}}}"
    text = f"robot: x\nlinks:\n  - {{name: rod, parent: base, mass: 1, joint: {joint}}}\n"
    with pytest.raises(FileError, match=r"line 3: links\[0\]\.joint: vector\.alpha 0\.3 rad"):
        read_yaml(text.replace("TYPE", "revolute"))
    read_yaml(text.replace("TYPE", "prismatic"))
