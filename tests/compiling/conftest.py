"""Kernels under test leave nothing in the user's cache."""

from __future__ import annotations

import numpy as np
import pytest

import gearwright as gw
from support.machines import random_design


@pytest.fixture(autouse=True, scope="session")
def own_cache(tmp_path_factory):
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("GEARWRIGHT_CACHE", str(tmp_path_factory.mktemp("cache")))
        yield


@pytest.fixture(scope="session")
def arm() -> gw.Mechanism:
    """Four joints of two kinds, wheels with rows over several speeds, a shaft and springs."""
    kinds = ("revolute", "prismatic", "revolute", "revolute")
    return random_design(np.random.default_rng(11), kinds, wheels=4, shafts=1, springs=2, chain=True).written()


@pytest.fixture(scope="session")
def inverse(arm) -> gw.Kernel:
    return gw.compile(gw.inverse_dynamics, arm)
