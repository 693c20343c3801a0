"""These tests are about the recursions themselves: no compiled kernel may answer in their place."""

from __future__ import annotations

from collections.abc import Iterator

import pytest


@pytest.fixture(scope="module", autouse=True)
def recursions_over_numpy() -> Iterator[None]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("GEARWRIGHT_KERNELS", "off")
        yield
