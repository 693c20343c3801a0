"""What all tests share: the hypothesis profiles, the path to `support`, the fixture for outside reference files."""

from __future__ import annotations

import os
import sys
import tempfile
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

from gearwright.compiling.host.disk_cache import distrust_reason

sys.path.insert(0, str(Path(__file__).parent))  # for `from support import ...` in every folder

# Some tests break the recursions on purpose: what is compiled meanwhile must not stay in the user's cache. A folder
# that the environment names is taken only if it is trusted: otherwise there would be a warning, which is an error here.
if "GEARWRIGHT_CACHE" not in os.environ or distrust_reason():
    os.environ["GEARWRIGHT_CACHE"] = tempfile.mkdtemp(prefix="gearwright-tests-")

# Deterministic, so that a red test is red for everyone; no deadline, because a test asserts no wall-clock time.
SHARED = {"derandomize": True, "deadline": None, "database": None, "suppress_health_check": [HealthCheck.too_slow]}
settings.register_profile("quick", max_examples=25, **SHARED)
settings.register_profile("full", max_examples=120, **SHARED)
settings.load_profile(os.environ.get("GEARWRIGHT_PROFILE", "quick"))


@pytest.fixture
def reference() -> Path:
    """The folder of outside reference files; a test that needs it is skipped by name where it is not given."""
    folder = os.environ.get("GEARWRIGHT_REFERENCE")
    if not folder or not Path(folder).is_dir():
        pytest.skip("GEARWRIGHT_REFERENCE names no folder")
    return Path(folder)
