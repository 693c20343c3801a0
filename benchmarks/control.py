"""One control cycle of computed torque on a seven-axis arm: from Python and in exported C, against Pinocchio's rnea.

python benchmarks/control.py

Ours has every rotor exactly; Pinocchio computes the links alone, which is less. What people write around `pin.rnea`
adds the feedback in NumPy. C is compiled with gcc -O3 (skipped by name without one) and timed in a loop of its own.
Prints a line per number that must hold, and ends with 1 if one does not.
"""

from __future__ import annotations

import ctypes
import os
import shutil
import subprocess
import sys
import tempfile
from importlib.util import find_spec
from pathlib import Path

import numpy as np

import gearwright as gw
from gearwright.bench.peers import Pinocchio
from gearwright.bench.report import Target
from gearwright.bench.timing import time_interleaved

ARM = "panda_like"
LOOP = 1000
"""Cycles per call of the timed loop in C."""
HARNESS = """
#include "{name}.h"
void cycles(const double *q, const double *v, const double *a, const double *b, const double *c, double *out)
{{
  for (int k = 0; k < {loop}; ++k) {{
    {name}_computed_torque(q, v, a, b, c, out);
    __asm__ volatile("" ::: "memory");
  }}
}}
"""


def cycle_in_c(robot: gw.parts.Robot, control: gw.control.LawController):
    """A function that runs LOOP cycles of the exported C."""
    folder = Path(tempfile.mkdtemp())
    header, source, *_ = gw.export.c(robot, folder, [control])
    harness = folder / "cycles.c"
    harness.write_text(HARNESS.format(name=header.stem, loop=LOOP))
    library = folder / "cycles.so"
    flags = ["-O3", "-march=native", "-ffp-contract=fast", "-shared", "-fPIC"]
    subprocess.run(["gcc", *flags, source, harness, "-o", library, "-lm"], check=True)
    names = subprocess.run(["nm", "-u", library], check=True, capture_output=True, text=True).stdout
    assert not any(word in names for word in ("malloc", "calloc", "realloc", "free")), names
    return ctypes.CDLL(str(library)).cycles


def main() -> int:
    os.environ["GEARWRIGHT_THREADS"] = "1"
    if find_spec("pinocchio") is None:
        print("not installed, so not compared: Pinocchio")
        return 0
    robot = gw.load(ARM)
    mech = gw.assemble(robot)
    n, w = mech.n, 20.0
    control = gw.control.computed_torque(robot, np.zeros(n), w)
    peer, rng = Pinocchio(mech), np.random.default_rng(0)
    q, v, q_ref, v_ref, a_ref = rng.uniform(-1, 1, (5, n))
    kernel, out = control.kernel, np.empty(n)
    rnea, model, data = peer.pin.rnea, peer.model, peer.data
    kp, kd = np.full(n, w * w), np.full(n, 2 * w)

    def with_pinocchio():
        return rnea(model, data, q, v, a_ref + kd * (v_ref - v) + kp * (q_ref - q))

    contenders = {
        "ours": lambda: kernel(q, v, q_ref, v_ref, a_ref),
        "ours, out": lambda: kernel(q, v, q_ref, v_ref, a_ref, out),
        "pinocchio": with_pinocchio,
        "rnea alone": lambda: rnea(model, data, q, v, a_ref),
    }
    if shutil.which("gcc"):
        function = cycle_in_c(robot, control)
        result = np.empty(n)
        given = [ctypes.c_void_p(x.ctypes.data) for x in (q, v, q_ref, v_ref, a_ref, result)]
        contenders["C"] = lambda: function(*given)
        function(*given)
        np.testing.assert_allclose(result, kernel(q, v, q_ref, v_ref, a_ref), rtol=1e-10)
    else:
        print("gcc is not installed: no C is timed")
    times = time_interleaved(contenders)
    scale = {"C": LOOP}
    for name in contenders:
        print(f"{name:12} {1e9 * times.median_time(name) / scale.get(name, 1):8.0f} ns per cycle")
    print(f"{ARM}: {kernel.operations}")
    found = [
        Target(f"{ARM}: one cycle from Python vs pin.rnea and NumPy", times.time_ratio("pinocchio", "ours, out"), 5),
        Target(f"{ARM}: one cycle from Python vs pin.rnea alone", times.time_ratio("rnea alone", "ours, out"), 1.5),
    ]
    if "C" in contenders:
        found.append(Target(f"{ARM}: one cycle in C vs pin.rnea alone", LOOP * times.time_ratio("rnea alone", "C"), 3))
    print(*found, sep="\n")
    return 0 if all(promise.is_met for promise in found) else 1


if __name__ == "__main__":
    sys.exit(main())
