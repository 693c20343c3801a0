"""Kernels under test leave nothing in the user's cache."""

from __future__ import annotations

import pytest

from support.kernels import arm, inverse  # noqa: F401


@pytest.fixture(scope="session")
def folder_of_kernels(tmp_path_factory):
    return tmp_path_factory.mktemp("cache")


@pytest.fixture(autouse=True, scope="module")
def own_cache(folder_of_kernels):
    """For these modules only: all others share what is compiled, in this process and in the others of a run."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("GEARWRIGHT_CACHE", str(folder_of_kernels))
        yield
