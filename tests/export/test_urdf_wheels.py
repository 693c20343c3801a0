"""URDF with every wheel as a link: the same machine, in Pinocchio too."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import gearwright as gw
from gearwright.catalogue.loading import robots
from gearwright.errors import InputError
from gearwright.files import write_yaml
from gearwright.files.urdf.reader import read_urdf_with_report
from support.compare import relative

EXACT = [
    *("elbow", "panda_like", "ur5_like", "vector_arm", "planetary_2r_3", "planetary_2r_6"),
    *("scara", "puma560", "manutec_r3", "humanoid_30", "mini_cheetah_leg"),
]


@pytest.mark.parametrize("name", EXACT)
def test_followers_are_the_wheels(name, tmp_path):
    mech = gw.assemble(gw.load(name))
    assert gw.export.write_urdf(gw.load(name), tmp_path / "arm.urdf", "mimic") == ()
    alone, _ = read_urdf_with_report((tmp_path / "arm.urdf").read_text())
    back = gw.assemble(replace(alone, gravity=gw.load(name).gravity))
    assert not back.spins
    rng = np.random.default_rng(0)
    q, v, a = rng.normal(size=(3, mech.n))
    assert relative(gw.mass_matrix(back, q), gw.mass_matrix(mech, q)) < 1e-12
    assert relative(gw.inverse_dynamics(back, q, v, a), gw.inverse_dynamics(mech, q, v, a)) < 1e-10


@pytest.mark.parametrize("name", EXACT)
def test_pinocchio_finds_the_same_mass_matrix(name, tmp_path):
    pin = pytest.importorskip("pinocchio")
    mech, path = gw.assemble(gw.load(name)), tmp_path / "arm.urdf"
    gw.export.write_urdf(gw.load(name), path, "mimic")
    model = pin.buildModelFromUrdf(str(path), mimic=True)
    q, there, places = np.random.default_rng(1).normal(size=mech.n), pin.neutral(model), []
    for x, speed in zip(q, mech.speeds, strict=True):
        joint = model.joints[model.getJointId(speed)]
        there[joint.idx_q : joint.idx_q + joint.nq] = [np.cos(x), np.sin(x)] if joint.nq == 2 else x
        places.append(joint.idx_v)
    M = pin.crba(model, model.createData(), there)
    M = np.triu(M) + np.triu(M, 1).T
    assert relative(M[np.ix_(places, places)], gw.mass_matrix(mech, q)) < 1e-12


@pytest.mark.filterwarnings("ignore::gearwright.errors.GearwrightWarning")
@pytest.mark.parametrize("form", ["mimic", "transmission", "at rest"])
@pytest.mark.parametrize("name", [name for name in robots() if name.startswith(("e", "w", "p", "s"))])
def test_with_its_sidecar_the_robot_comes_back(name, form, tmp_path):
    robot = gw.load(name)
    gw.export.write_urdf(robot, tmp_path / "arm.urdf", form)
    back = gw.load(tmp_path / "arm.urdf")
    if write_yaml(back) != write_yaml(robot):  # three angles round a rotation
        mech, again = gw.assemble(robot), gw.assemble(back)
        q = np.linspace(0.1, 0.9, mech.n)
        assert relative(gw.mass_matrix(again, q), gw.mass_matrix(mech, q)) < 1e-12


def test_transmissions_tie_the_wheels(tmp_path):
    from xml.etree import ElementTree

    gw.export.write_urdf(gw.load("elbow"), tmp_path / "arm.urdf", "transmission")
    root = ElementTree.parse(tmp_path / "arm.urdf").getroot()
    assert {"j1.rotor", "j2.rotor", "j3.rotor"} <= {link.get("name") for link in root.iter("link")}
    assert not list(root.iter("mimic"))
    names = {transmission.get("name") for transmission in root.iter("transmission")}
    assert names


def test_what_urdf_cannot_say_is_named(tmp_path):
    lost = gw.export.write_urdf(gw.load("wrist_puma"), tmp_path / "arm.urdf", "mimic")
    assert any("several joints" in what for what in lost)
    lost = gw.export.write_urdf(gw.load("elastic_elbow"), tmp_path / "arm.urdf", "mimic")
    assert any("'j1.motor'" in what for what in lost)
    with pytest.raises(InputError, match="wheels="):
        gw.export.write_urdf(gw.load("elbow"), tmp_path / "arm.urdf", "copy")
