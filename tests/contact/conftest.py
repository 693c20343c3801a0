"""What the tests of contact share."""

import pytest

from gearwright.simulation import engine_choice


@pytest.fixture(autouse=True)
def kernels_at_once(monkeypatch):
    """Coordinates law by law take longer than the kernels take to be made."""
    monkeypatch.setattr(engine_choice, "COMPILE_AFTER_EVALUATIONS", 20)
