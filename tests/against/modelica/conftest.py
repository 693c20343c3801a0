"""Trajectories take many evaluations: here compiled kernels may answer."""

from __future__ import annotations

import pytest


@pytest.fixture(scope="module", autouse=True)
def recursions_over_numpy() -> None:
    """Takes the place of the fixture that switches kernels off for the other comparisons."""
