"""Machine code and its constants are loaded close together.

LLVM's own memory manager asks for each section on its own. In a process with scattered memory they can end up more than
2 GB apart, which the small code model cannot reach: LLVM then ends the process (seen about once in a thousand loads
into deliberately scattered memory). llvmlite's manager takes all sections from one block.
"""

from __future__ import annotations

import numpy as np

import gearwright as gw
from gearwright.compiling import host


def test_sections_come_from_one_block(monkeypatch):
    llvm, asked = host.binding(), []
    create = llvm.create_mcjit_compiler

    def spy(module, machine, use_lmm=None):
        asked.append(use_lmm)
        return create(module, machine, use_lmm)

    monkeypatch.setattr(llvm, "create_mcjit_compiler", spy)
    arm = gw.Mechanism([gw.Body("arm", axis=(0, 1, 0), mass=2.345, com=(0.5, 0, 0), inertia=np.eye(3))])
    assert np.allclose(gw.compile(gw.gravity, arm)(np.zeros(1)), gw.gravity(arm, np.zeros(1)))
    assert asked == [True]
