"""What tests of MJCF files share."""

from __future__ import annotations

import pytest


@pytest.fixture
def agreement(tmp_path):
    """A model's text -> its robot beside MuJoCo's own model."""
    from support.mjcf_agreement import Agreement

    def reading(text: str) -> Agreement:
        path = tmp_path / "model.xml"
        path.write_text(text)
        return Agreement(path)

    return reading
