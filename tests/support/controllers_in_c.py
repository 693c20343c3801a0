"""A controller as the C that is exported for it: compiled, self-tested and called."""

from __future__ import annotations

import ctypes
import subprocess
from collections.abc import Callable
from pathlib import Path

import numpy as np

import gearwright as gw

STRICT = ["-Wall", "-Wextra", "-Wconversion", "-Werror", "-std=c99", "-pedantic", "-O1"]


def compiled_c(robot: object, control: gw.control.LawController, folder: Path) -> Callable[..., np.ndarray]:
    """The controller as a function of arrays; its source must neither allocate nor loop."""
    header, source, test, _ = gw.export.c(robot, folder, [control])
    program, library = folder / "selftest", folder / "arm.so"
    subprocess.run(["gcc", *STRICT, source, test, "-o", program, "-lm"], check=True, cwd=folder)
    subprocess.run([program], check=True, capture_output=True)
    subprocess.run(["gcc", "-O1", "-shared", "-fPIC", source, "-o", library, "-lm"], check=True)
    function = getattr(ctypes.CDLL(str(library)), f"{source.stem}_{control.law.name}")
    size = len(control.law.outputs) + len(control.law.states)

    def call(*given):
        out = np.empty(size)
        function(*(ctypes.c_void_p(np.ascontiguousarray(x).ctypes.data) for x in (*given, out)))
        return out

    assert not any(word in source.read_text() for word in ("malloc", "calloc", "for (", "while"))
    assert "every" in header.read_text()
    return call


def decides_alike(robot: object, control: gw.control.LawController, out: gw.simulation.Rollout, folder: Path) -> None:
    """Kernel and C decide at every recorded state of a batch, one record per period, as the batch did."""
    in_c, law = compiled_c(robot, control, folder), control.law
    states, size = np.array([x.initial for x in law.states]), len(law.outputs)
    for k, t in enumerate(out.t[:-1]):
        given = [out.q[k], out.v[k], *(x[0] for x in control.references(np.array([t])).values())]
        given += [states] if len(states) else []
        decided = control.kernel(*given)
        np.testing.assert_allclose(in_c(*given), decided, rtol=1e-12, atol=1e-12)
        held = [out.states[f"held.{x}"][k + 1] for x in law.outputs]
        np.testing.assert_allclose(decided[:size], held, rtol=1e-9, atol=1e-9)
        states = decided[size:]
        remembered = [out.states[x.name][k + 1] for x in law.states]
        np.testing.assert_allclose(states, remembered, rtol=1e-9, atol=1e-9)
