"""What the tests of contact share."""

import pytest

from gearwright.simulation.python_loop import rates_in_modes


@pytest.fixture(autouse=True)
def kernels_at_once(monkeypatch):
    """Coordinates law by law take longer than the kernels take to be made."""
    monkeypatch.setattr(rates_in_modes, "COMPILE_AFTER_EVALUATIONS", 20)
