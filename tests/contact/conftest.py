"""What the tests of contact share."""

import pytest

from gearwright.simulation import moded_rates


@pytest.fixture(autouse=True)
def kernels_at_once(monkeypatch):
    """Coordinates law by law take longer than the kernels take to be made."""
    monkeypatch.setattr(moded_rates, "WORTHWHILE", 20)
