"""The handed-over model in Newton, on the processor: mass matrix and bias forces along exact motions, and steps."""

from __future__ import annotations

import contextlib
import io
import tempfile
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from gearwright.arrays import Array
from gearwright.errors import InputError, MissingExtraError
from gearwright.export.handover.errors_of_model import PathRun
from gearwright.export.handover.projection import MotionSamples, at_rest
from gearwright.file_access import write_text

NEWTON_SAMPLES = 64
"""States at which Newton is evaluated, evenly over the samples in which all joints move."""
NEWTON_STEP = 1e-3
"""Step of the runs in Newton [s]; it is written into the file, with friction as stiff as it allows."""
NEWTON_SOLVER = "SolverMuJoCo"
"""The solver of Newton that represents joint friction."""


def newton_modules() -> tuple[Any, Any]:
    """Return newton and warp; raise an error with the installation command if they or the solver are missing."""
    try:
        import mujoco_warp  # type: ignore[import-untyped, import-not-found, unused-ignore]  # noqa: F401 - of the solver
        import newton
        import warp
    except ImportError:
        raise MissingExtraError(
            "the target newton is checked in Newton: pip install 'gearwright[newton]'. Other targets do not need it."
        ) from None
    return newton, warp


def newton_torques(text: str, joints: tuple[str, ...], samples: MotionSamples) -> tuple[Array, Array]:
    """Return the indices of evaluated samples and the torques that Newton needs there, (k,), (k, n).

    They are Newton's mass matrix (with armature) times the acceleration, its Coriolis and gravity forces, and its joint
    damping and friction; single precision.
    """
    newton, warp = newton_modules()
    moving = np.flatnonzero(~at_rest(samples.v).any(axis=1))
    if not moving.size:
        raise InputError("passport: in no sample all joints move. Give a task in which they do.")
    chosen = moving[np.unique(np.linspace(0, len(moving) - 1, NEWTON_SAMPLES).round().astype(int))]
    with contextlib.redirect_stdout(io.StringIO()):
        model = _newton_model(newton, warp, text)
        order = _joint_order(model, joints)
        state, torques = model.state(), np.empty((len(chosen), len(joints)))
        damping, friction = model.joint_damping.numpy()[order], model.joint_friction.numpy()[order]
        gravity, coriolis = (warp.zeros(model.joint_dof_count, dtype=warp.float32, device="cpu") for _ in range(2))
        for row, k in enumerate(chosen):
            _assign(state.joint_q, order, samples.q[k])
            _assign(state.joint_qd, order, samples.v[k])
            newton.eval_fk(model, state.joint_q, state.joint_qd, state)
            M = newton.eval_mass_matrix(model, state)
            newton.eval_inverse_dynamics_passive(
                model, state, mass_matrix=M, gravity_force=gravity, coriolis_force=coriolis
            )
            matrix = M.numpy()[0][np.ix_(order, order)]
            passive = (gravity.numpy() + coriolis.numpy())[order]
            v = samples.v[k]
            torques[row] = matrix @ samples.a[k] + passive + damping * v + friction * np.sign(v)
    return chosen, torques


def newton_path_run(text: str, joints: tuple[str, ...], step: float = NEWTON_STEP) -> PathRun:
    """Return runs of an MJCF text by a solver of Newton, on the processor."""
    newton, warp = newton_modules()

    def run(q: Array, v: Array, tau: Callable[[float], Array], duration: float) -> Array:
        torques = np.stack([tau((i + 0.5) * step) for i in range(round(duration / step))])
        ends = np.empty_like(q)
        with contextlib.redirect_stdout(io.StringIO()), warnings.catch_warnings():
            warnings.simplefilter("ignore")  # of versions of MuJoCo
            model = _newton_model(newton, warp, text)
            order = _joint_order(model, joints)
            solver = getattr(newton.solvers, NEWTON_SOLVER)(model, use_mujoco_cpu=True)
            now, after, control = model.state(), model.state(), model.control()
            for k in range(len(q)):
                _assign(now.joint_q, order, q[k])
                _assign(now.joint_qd, order, v[k])
                newton.eval_fk(model, now.joint_q, now.joint_qd, now)
                for torque in torques[:, k]:
                    _assign(control.joint_f, order, torque)
                    now.clear_forces()
                    solver.step(now, after, control, None, step)
                    now, after = after, now
                ends[k] = now.joint_q.numpy()[order]
        return ends

    return run


def _newton_model(newton: Any, warp: Any, text: str) -> Any:
    warp.config.quiet = True
    builder = newton.ModelBuilder()
    getattr(newton.solvers, NEWTON_SOLVER).register_custom_attributes(builder)  # stiffness of friction in the file
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "model.xml"
        write_text(path, text)
        builder.add_mjcf(str(path))
    return builder.finalize(device="cpu")


def _joint_order(model: Any, joints: tuple[str, ...]) -> Array:
    """Return the index of each joint among Newton's; it numbers coordinates as joints where each has one."""
    labels = [str(label).rpartition("/")[2] for label in model.joint_label]
    missing = [name for name in joints if name not in labels]
    if missing or len(labels) != int(model.joint_dof_count):
        raise InputError(f"passport: Newton does not read the joints {missing or labels} from the MJCF.")
    return np.array([labels.index(name) for name in joints])


def _assign(target: Any, order: Array, values: Array) -> None:
    numbers = np.zeros(len(order), dtype=np.float32)
    numbers[order] = values
    target.assign(numbers)
