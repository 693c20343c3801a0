"""The public contract (names, shapes, order, frames) that lies beside the reference files."""

from __future__ import annotations

import subprocess
import sys

import pytest


def test_contract_finds_nothing_wrong(reference):
    script = reference.parent / "contract.py"
    if not script.exists():
        pytest.skip("there is no contract.py beside GEARWRIGHT_REFERENCE")
    done = subprocess.run([sys.executable, str(script)], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
