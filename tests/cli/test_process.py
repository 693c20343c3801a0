"""The command line as a process: version, pipes, interruption, and a bug of ours."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys

import gearwright
from gearwright.cli.commands import info
from support.processes import HEEDFUL

COMMAND = [sys.executable, "-m", "gearwright"]


def test_version():
    done = subprocess.run([*COMMAND, "--version"], capture_output=True, text=True, check=True)
    assert done.stdout == f"gearwright {gearwright.__version__}\n"


def test_help_names_the_commands(run):
    code, out, _ = run("--help")
    assert code == 0
    for name in ("list", "info", "check", "torque", "compare", "convert", "schema", "demo"):
        assert re.search(rf"^  {name} ", out, re.MULTILINE)


def test_unknown_command(refused):
    refused("frobnicate", words=["frobnicate"])


def test_a_broken_pipe_is_quiet():
    reading, writing = os.pipe()
    os.close(reading)
    with os.fdopen(writing, "w") as pipe:
        done = subprocess.run([*COMMAND, "schema"], stdout=pipe, stderr=subprocess.PIPE, text=True, check=False)
    assert done.stderr == ""


def test_interruption_has_its_code(tmp_path):
    pipe = tmp_path / "schema.json"
    os.mkfifo(pipe)
    process = subprocess.Popen([*HEEDFUL, "schema", "-o", str(pipe)], stderr=subprocess.PIPE, text=True)
    try:
        with pipe.open("rb") as reading:
            assert reading.read(1)  # and no more: the command waits until it can write the rest
            process.send_signal(signal.SIGINT)
            _, err = process.communicate(timeout=120)
    finally:
        process.kill()
    assert process.returncode == 130
    assert "Traceback" not in err


def test_a_bug_of_ours_is_called_one(run, monkeypatch):
    monkeypatch.setattr(info, "describe_robot", lambda *_: 1 / 0)
    code, out, err = run("info", "elbow")
    assert (code, out) == (70, "")
    assert "ZeroDivisionError" in err
    assert "bug" in err


def test_the_list_of_commands_imports_no_library():
    """A help page needs neither arrays nor symbols: the modules of commands are imported when a command runs."""
    text = "import sys\nfrom gearwright.cli.app import app\napp(['--help'], standalone_mode=False)\nprint(*sys.modules)"
    done = subprocess.run([sys.executable, "-c", text], capture_output=True, text=True, check=True)
    imported = done.stdout.splitlines()[-1].split()
    assert not {"numpy", "scipy", "casadi", "sympy", "networkx", "pydantic", "matplotlib"} & set(imported)
