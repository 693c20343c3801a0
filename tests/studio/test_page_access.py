"""Who reaches the studio: a real client on this machine, with right and wrong Host, Origin and token."""

from __future__ import annotations

import gzip
import http.client
import time
from urllib.parse import urlsplit

import pytest

import gearwright as gw
from gearwright.errors import GearwrightError
from gearwright.studio.open import studio
from gearwright.studio.page_access import PageAccess
from support.studio_client import StudioClient, address, opened_websocket

viser = pytest.importorskip("viser")
exceptions = pytest.importorskip("websockets.exceptions")
PATIENCE = 60


def until(holds, what: str) -> None:
    end = time.monotonic() + PATIENCE
    while not holds():
        assert time.monotonic() < end, f"waited in vain: {what}"
        time.sleep(0.01)


@pytest.fixture(scope="module")
def running(tmp_path_factory):
    folder = tmp_path_factory.mktemp("studio")
    gw.save(gw.load("scara"), folder / "robot.yaml")
    running = studio(folder / "robot.yaml", port=0, open_browser=False, save_to=folder / "saved.yaml")
    running.folder = folder
    yield running
    running.stop()


def page_status(running, path: str, **headers: str) -> int:
    return page_answer(running, path, **headers)[0]


def page_answer(running, path: str, **headers: str) -> tuple[int, bytes]:
    place = urlsplit(running.url)
    connection = http.client.HTTPConnection("127.0.0.1", place.port, timeout=60)
    try:
        stated = {"skip_host": "Host" in headers, "skip_accept_encoding": "Accept-Encoding" in headers}
        connection.putrequest("GET", path, **stated)
        for name, value in headers.items():
            connection.putheader(name, value)
        connection.endheaders()
        answer = connection.getresponse()
        return answer.status, answer.read()
    finally:
        connection.close()


def test_the_address_that_was_printed_opens_the_page_and_its_websocket(running):
    assert page_status(running, urlsplit(running.url).path) == 200
    with StudioClient(running) as client:
        assert client.wait_for_button("Save to saved.yaml")


def test_the_tab_of_the_browser_has_the_studios_title(running):
    path = urlsplit(running.url).path
    packed = page_answer(running, path, **{"Accept-Encoding": "gzip"})[1]
    for page in (page_answer(running, path)[1], gzip.decompress(packed)):
        assert page.count(b"<title>") == page.count(b"<title>Gearwright</title>") == 1
        assert page.rstrip().endswith(b"</html>")  # the length was stated anew


@pytest.mark.parametrize(
    "origin",
    ["http://evil.example", "https://127.0.0.1:{port}", "http://127.0.0.1:1", "http://localhost:{port}", "null"],
)
def test_a_foreign_page_opens_no_websocket(running, origin):
    """It knows neither the token nor, if it did, may it use it."""
    with pytest.raises(exceptions.InvalidStatus) as caught:
        opened_websocket(address(running), origin=origin.format(port=running.port))
    assert caught.value.response.status_code == 403
    assert running.pages == []


@pytest.mark.parametrize(
    "host", ["evil.example", "evil.example:{port}", "127.0.0.1.evil.example:{port}", "192.168.0.1", ""]
)
def test_a_name_that_was_made_to_lead_here_is_refused(running, host):
    """DNS rebinding: the page of another site reaches this server under its own name, as its own origin."""
    host = host.format(port=running.port)
    path = urlsplit(running.url).path
    assert page_status(running, path, Host=host) == 403
    assert page_status(running, path, Host=host, Origin=f"http://{host}") == 403


def test_another_port_of_a_tunnel_is_the_same_machine(running):
    path = urlsplit(running.url).path
    assert page_status(running, path, Host="localhost:9999", Origin="http://localhost:9999") == 200


@pytest.mark.parametrize(
    "path", ["/", "/index.html", "", "/wrong/", "/{token}x/", "/{half}/", "/?token={token}", "//{token}/"]
)
def test_without_the_token_there_is_no_page_and_no_websocket(running, path):
    token = urlsplit(running.url).path.strip("/")
    path = path.format(token=token, half=token[:16])
    assert page_status(running, path or "/") == 403
    with pytest.raises(exceptions.InvalidStatus):
        opened_websocket(f"ws://127.0.0.1:{running.port}{path}", origin=f"http://127.0.0.1:{running.port}")


def test_the_page_does_not_leave_its_folder(running):
    token = urlsplit(running.url).path.rstrip("/")
    for path in ("/../../../_viser.py", "/%2e%2e/%2e%2e/_viser.py", "/..%5c..%5c_viser.py"):
        assert page_status(running, token + path) in (400, 404)


def test_a_button_writes_the_file_named_at_start_and_no_other(running, tmp_path):
    """Whatever a client says about the button, the file is the one that the owner named; a link is refused."""
    target = running.folder / "saved.yaml"
    with StudioClient(running) as client:
        button = client.wait_for_button("Save to saved.yaml")
        for updates in ({"label": "Save to /tmp/elsewhere.yaml"}, {"save_to": "/tmp/elsewhere.yaml"}, {"value": True}):
            client.send("GuiUpdateMessage", uuid=button, updates=updates)
        until(target.exists, "the file is written")
        assert {path.name for path in running.folder.iterdir()} == {"robot.yaml", "saved.yaml"}
        assert gw.load(target).name == "scara"
        until(lambda: running.pages and running.pages[0].is_idle(), "the page has written")
        elsewhere = tmp_path / "other.yaml"
        elsewhere.write_text("mine")
        target.unlink()
        target.symlink_to(elsewhere)
        client.send("GuiUpdateMessage", uuid=button, updates={"value": True})
        until(lambda: "other.yaml" in running.pages[0].status.content, "the page refuses")
        assert elsewhere.read_text() == "mine"
        target.unlink()


def test_no_message_publishes_the_page(running, monkeypatch):
    """viser can tunnel a page through a server of its makers; a message is enough for it."""
    monkeypatch.setattr("viser._viser.ViserTunnel", lambda *_: pytest.fail("a tunnel was opened"))
    with StudioClient(running) as client:
        client.wait_for_button("Save to saved.yaml")
        client.send("ShareUrlRequest")
        client.wait_for_button("Download robot (YAML)")
    assert running._server.request_share_url() is None
    assert running._server._share_tunnel is None


def test_a_server_without_the_checks_is_not_used(monkeypatch):
    stopped = []
    stop = viser.ViserServer.stop
    monkeypatch.setattr(viser.ViserServer, "stop", lambda server: (stopped.append(server), stop(server)))
    monkeypatch.setattr(PageAccess, "_guarded_server_module", lambda _, websockets: websockets.asyncio.server)
    with pytest.raises(GearwrightError, match="viser"):
        studio("scara", port=0, open_browser=False)
    assert len(stopped) == 1


def test_tokens_are_long_and_new():
    tokens = {PageAccess("127.0.0.1").token for _ in range(100)}
    assert len(tokens) == 100
    assert min(map(len, tokens)) >= 32


@pytest.mark.parametrize(
    ("host", "given", "served"),
    [
        ("0.0.0.0", "192.168.0.7:8080", True),
        ("0.0.0.0", "[fe80::1]:8080", True),
        ("0.0.0.0", "evil.example:8080", False),
        ("0.0.0.0", "1.2.3.4.evil.example", False),
        ("::1", "[::1]:8080", True),
        ("::1", "[::1]", True),
        ("127.0.0.1", "LOCALHOST:8080", True),
        ("127.0.0.1", "10.0.0.1:8080", False),
        ("robot.local", "robot.local:8080", True),
    ],
)
def test_hosts_that_are_served(host, given, served):
    access = PageAccess(host)
    assert (access.refusal_reason(f"/{access.token}/", [given], []) is None) == served
    assert access.refusal_reason(f"/{access.token}/", [given, given], []) is not None
