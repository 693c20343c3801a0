"""Files that the page sends: a film of the motion, and a report that computes in one file."""

from __future__ import annotations

import io

import pytest

import gearwright as gw
from gearwright.motion import polynomial
from gearwright.studio.session import Session

viser = pytest.importorskip("viser")


@pytest.fixture(scope="module")
def page():
    from gearwright.studio.page import Page

    server = viser.ViserServer(host="127.0.0.1", port=0, verbose=False)
    made = Page(server, Session(gw.load("elbow"), polynomial([0, 0, 0], [0.5, 0.4, -0.6], duration=0.4)))
    yield made
    made.close()
    server.stop()


@pytest.fixture
def sent(page, monkeypatch):
    files = {}
    monkeypatch.setattr(page.api, "send_file_download", lambda name, content, **_: files.update({name: content}))
    return files


def test_a_film_of_the_motion(page, sent):
    from PIL import Image

    page.files._send_film()
    with Image.open(io.BytesIO(sent["elbow.gif"])) as film:
        assert film.n_frames == 7  # 15 per second
        first, last = film.convert("L").tobytes(), (film.seek(6), film.convert("L").tobytes())[1]
    assert first != last


def test_one_file_that_computes(page, sent):
    pytest.importorskip("ziglang", reason="reports that compute: ziglang is not installed")
    page.files._send_report()
    assert b'id="running-module"' not in sent["elbow.html"]
    page.files._send_report(interactive=True)
    assert b'id="running-module"' in sent["elbow.html"]
