"""A wheel built from the repository works outside it, data files included."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
OUTSIDE = """
import sys
from pathlib import Path
import numpy as np
import gearwright as gw
assert Path(gw.__file__).is_relative_to(sys.argv[1]), gw.__file__
if hasattr(gw, "load"):
    mech = gw.assemble(gw.load("elbow"))
    tau = gw.inverse_dynamics(mech, [.3, -.5, .8], [.7, -.4, .9], [1.2, .5, -.8])
    assert np.abs(tau - [9.60148721, 25.10781709, 3.26984181]).max() < 1e-8, tau      # tests/against/test_elbow.py
else:
    mech = gw.Mechanism([gw.Body("arm", mass=2, com=(.5, 0, 0))], [gw.Spin("rotor", "base", (0, 0, 1), 1e-4, [100])])
    assert np.allclose(gw.inverse_dynamics(mech, [0.], [0.], [1.]), 1.5)
print("works")
"""


@pytest.fixture(scope="module")
def wheel(tmp_path_factory) -> Path:
    folder = tmp_path_factory.mktemp("wheel")
    source = folder / "source"  # built from a copy, so that nothing is left behind in the repository
    source.mkdir()
    for name in ("src", "pyproject.toml", "README.md", "LICENSE"):
        item = ROOT / name
        if item.is_dir():
            shutil.copytree(item, source / name, ignore=shutil.ignore_patterns("__pycache__"))
        else:
            shutil.copy(item, source / name)
    command = [sys.executable, "-m", "build", "--wheel", "--no-isolation", "--outdir", str(folder), str(source)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    (built,) = folder.glob("*.whl")
    return built


@pytest.mark.slow
def test_wheel_contains_every_file(wheel):
    packed = set(zipfile.ZipFile(wheel).namelist())
    package = ROOT / "src" / "gearwright"
    files = {f"gearwright/{p.relative_to(package).as_posix()}" for p in package.rglob("*") if p.is_file()}
    expected = {name for name in files if "__pycache__" not in name}
    assert expected <= packed, sorted(expected - packed)[:10]


@pytest.mark.slow
def test_wheel_works_outside_the_repository(wheel, tmp_path):
    target = tmp_path / "site"
    install = [sys.executable, "-m", "pip", "install", "--quiet", "--no-deps", "--no-index", "--target", str(target)]
    subprocess.run([*install, str(wheel)], check=True, capture_output=True)
    environment = {**os.environ, "PYTHONPATH": str(target)}
    command = [sys.executable, "-c", OUTSIDE, str(target)]
    done = subprocess.run(command, cwd=tmp_path, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert done.stdout.strip() == "works"
