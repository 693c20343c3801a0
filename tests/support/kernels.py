"""A machine of every kind of part, shared by the tests of tracing, compiling and functions."""

from __future__ import annotations

import numpy as np
import pytest

import gearwright as gw
from support.machines import random_design


@pytest.fixture(scope="session")
def arm() -> gw.Mechanism:
    """Four joints of two kinds, wheels with rows over several speeds, a shaft and springs."""
    kinds = ("revolute", "prismatic", "revolute", "revolute")
    return random_design(np.random.default_rng(11), kinds, wheels=4, shafts=1, springs=2, chain=True).written()


@pytest.fixture(scope="session")
def inverse(arm) -> gw.Kernel:
    return gw.compile(gw.inverse_dynamics, arm)
