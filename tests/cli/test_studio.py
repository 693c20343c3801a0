"""`gearwright studio`: where the page is, and what is said before it opens."""

from __future__ import annotations

import socket

import pytest

import gearwright as gw
from gearwright.studio.open import Studio

pytest.importorskip("viser")


@pytest.fixture(autouse=True)
def nobody_waits(monkeypatch):
    monkeypatch.setattr(Studio, "wait", lambda opened: opened.stop())


def test_it_says_where_the_page_is(run):
    code, out, err = run("studio", "elbow", "--port", "0", "--no-browser")
    assert (code, out) == (0, "")
    assert "http://127.0.0.1:" in err
    assert "network" not in err


def test_a_port_that_is_taken_is_said(run):
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        code, _, err = run("studio", "elbow", "--port", port, "--no-browser")
    assert code == 0
    assert f"Port {port} " in err
    assert f"127.0.0.1:{port} " not in err


def test_a_browser_is_opened_unless_told_not_to(run, monkeypatch):
    opened = []
    monkeypatch.setattr("webbrowser.open", opened.append)
    assert run("studio", "elbow", "--port", "0").code == 0
    assert opened[0].startswith("http://127.0.0.1:")


def test_a_run_is_played(run, tmp_path):
    gw.simulate(gw.assemble(gw.load("elbow")), [0.0, 0.5, 0.0], until=0.1).save(tmp_path / "run.csv")
    assert run("studio", "elbow", "--port", "0", "--no-browser", "--motion", tmp_path / "run.csv").code == 0


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (["no_such_robot"], ["'no_such_robot'"]),
        (["elbow", "--motion", "gone.csv"], ["gone.csv"]),
        (["elbow", "--save-to", "arm.txt"], ["--save-to arm.txt", ".yaml"]),
        (["elbow", "--port", "99999"], ["65535"]),
    ],
)
def test_bad_input_is_refused(refused, options, words):
    refused("studio", *options, "--no-browser", words=words)
