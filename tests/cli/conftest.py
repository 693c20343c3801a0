"""The command line, run in this process as `main` runs it, with what it printed."""

from __future__ import annotations

from typing import NamedTuple

import pytest

from gearwright.cli import main


class Ran(NamedTuple):
    """Exit code, standard output, standard error."""

    code: int
    out: str
    err: str


@pytest.fixture
def run(capsys, monkeypatch):
    monkeypatch.setenv("COLUMNS", "80")

    def call(*arguments) -> Ran:
        with pytest.raises(SystemExit) as left:
            main([str(argument) for argument in arguments])
        out, err = capsys.readouterr()
        assert "Traceback" not in out + err
        return Ran(left.value.code or 0, out, err)

    return call


@pytest.fixture
def refused(run):
    """Runs a command that must be refused: exit code 2, nothing on standard output, one message with these words."""

    def call(*arguments, words):
        code, out, err = run(*arguments)
        assert (code, out) == (2, "")
        message = " ".join(err.split())
        for word in words:
            assert word in message
        return message

    return call
