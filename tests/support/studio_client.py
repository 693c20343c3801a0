"""A client of the studio without a browser: a websocket that speaks viser's messages."""

from __future__ import annotations

import time
from typing import Any
from urllib.parse import urlsplit

PATIENCE = 120
CAMERA = {
    "wxyz": (1.0, 0.0, 0.0, 0.0),
    "position": (1.0, 1.0, 1.0),
    "fov": 1.0,
    "near": 0.1,
    "far": 10.0,
    "image_height": 100,
    "image_width": 100,
    "look_at": (0.0, 0.0, 0.0),
    "up_direction": (0.0, 0.0, 1.0),
}


def address(running: Any) -> str:
    """Where the page opens its websocket: its own address without the last slash."""
    return running.url.replace("http://", "ws://").rstrip("/")


def opened_websocket(url: str, origin: str | None) -> Any:
    import viser
    from websockets.sync.client import connect

    protocols = [f"viser-v{viser.__version__}"]
    return connect(url, origin=origin, subprotocols=protocols, max_size=None, open_timeout=PATIENCE, proxy=None)


class StudioClient:
    """Opens a websocket as the page does and knows the elements of the interface by what the server sends."""

    def __init__(self, running: Any) -> None:
        place = urlsplit(running.url)
        self.socket = opened_websocket(address(running), f"http://{place.netloc}")
        self.elements: dict[str, dict[str, Any]] = {}
        self.send("ViewerCameraMessage", **CAMERA)  # a client without a camera is no visitor yet

    def __enter__(self) -> StudioClient:
        return self

    def __exit__(self, *_: object) -> None:
        self.socket.close()

    def receive(self, timeout: float) -> None:
        """Take what the server has sent."""
        import msgspec
        import zstandard

        data = self.socket.recv(timeout=timeout)
        packed = int.from_bytes(data[8:16], "little")
        inner = zstandard.ZstdDecompressor().decompress(data[16 : 16 + packed])
        for message in msgspec.msgpack.decode(inner)["messages"]:
            if "uuid" in message:
                self.elements.setdefault(message["uuid"], {}).update(message)

    def wait_for_button(self, label: str) -> str:
        """The identifier of a button, once the server has sent it."""
        end = time.monotonic() + PATIENCE
        while time.monotonic() < end:
            for uuid, element in self.elements.items():
                if element.get("props", {}).get("label") == label:
                    return uuid
            self.receive(PATIENCE)
        raise AssertionError(f"waited in vain: {label}")

    def send(self, kind: str, **fields: Any) -> None:
        import msgspec

        self.socket.send(msgspec.msgpack.encode({"type": kind, **fields}))
