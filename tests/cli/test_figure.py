"""`gearwright figure`: the figures of the five works by name."""

from __future__ import annotations

from gearwright.works import WORK_FIGURES


def test_the_command(run, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    listed = run("figure").out
    assert all(name in listed for name in WORK_FIGURES)
    code, _, err = run("figure", "chen_wang_3")
    assert code == 0
    assert "chen_wang_3.png" in err
    assert (tmp_path / "chen_wang_3.png").read_bytes().startswith(b"\x89PNG")
    assert run("figure", "chen_wang_3", "--plot", "graph.svg").code == 0
    assert "equivalent open-loop chain" in (tmp_path / "graph.svg").read_text()


def test_an_unknown_name(refused):
    refused("figure", "fernini_66", words=["is unknown", "Did you mean"])
