"""Kernels under test leave nothing in the user's cache."""

from __future__ import annotations

import pytest

from support.kernels import arm, inverse  # noqa: F401


@pytest.fixture(autouse=True, scope="session")
def own_cache(tmp_path_factory):
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("GEARWRIGHT_CACHE", str(tmp_path_factory.mktemp("cache")))
        yield
