"""Access control of the page: requests to the studio's address, from the studio's page, with its token.

A page of another site can send requests to a server on this machine, and can let its own name resolve to this machine
(DNS rebinding). Therefore each request, for the page or its websocket, must name the served address (Host), come from
it (Origin), and have a path that begins with a random token, which only the address opened and printed by `studio` has.
"""

from __future__ import annotations

import gzip
import http
import ipaddress
import secrets
import socket
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import lru_cache
from typing import Any

from gearwright.errors import GearwrightError

LOCAL_NAMES = frozenset({"localhost", "127.0.0.1", "::1"})
RequestHandler = Callable[[Any, Any], Any]
"""A function that answers a request of a connection; None lets the websocket open."""
_PATCH_LOCK = threading.Lock()
VISER_TITLE, PAGE_TITLE = b"<title>Viser</title>", b"<title>Gearwright</title>"
"""Title of the browser's tab in the page that viser brings, and that of the studio; viser has no setting for it."""


class PageAccess:
    """Admits requests to the page.

    Args:
        host: the address on which the server listens.
    """

    def __init__(self, host: str) -> None:
        self.token = secrets.token_urlsafe(24)
        self._host = host.lower()
        self._names = {self._host, *LOCAL_NAMES}
        self._is_local = self._host in LOCAL_NAMES
        if not self._is_local:
            self._names |= {socket.gethostname().lower(), socket.getfqdn().lower()}
        self.installed = False

    def refusal_reason(self, path: str, hosts: list[str], origins: list[str]) -> str | None:
        """Return why a request is refused; None if it is admitted.

        Args:
            path: path of the address, with the query.
            hosts: all Host headers.
            origins: all Origin headers; browsers send one with each websocket, other programs may send none.
        """
        if len(hosts) != 1 or not self._is_served(hosts[0]):
            return "this is not the address of the studio."
        if origins not in ([], [f"http://{hosts[0]}"]):
            return "the request comes from another page."
        token = path.partition("?")[0].removeprefix("/").partition("/")[0]
        if not secrets.compare_digest(token.encode("utf-8", "replace"), self.token.encode()):
            return "the address lacks the token. Open the address that the studio printed."
        return None

    def _is_served(self, address: str) -> bool:
        """Whether a Host header names this machine; a numeric address cannot be the name of another site."""
        name = address.lower().rpartition(":")[0] if not address.endswith("]") and ":" in address else address.lower()
        name = name.removeprefix("[").removesuffix("]")
        return name in self._names or (not self._is_local and _is_ip_address(name))

    def guarded_handler(self, answer: RequestHandler | None) -> RequestHandler:
        """Return the server's request handler with the checks before it; it gets paths without the token."""
        from websockets.datastructures import Headers
        from websockets.http11 import Response

        def admit_request(connection: Any, request: Any) -> Any:
            headers = request.headers
            reason = self.refusal_reason(request.path, headers.get_all("Host"), headers.get_all("Origin"))
            if reason is not None:
                body = f"Gearwright Studio: {reason}\n".encode()
                response_headers = {"Content-Type": "text/plain; charset=utf-8", "Content-Length": str(len(body))}
                return Response(
                    http.HTTPStatus.FORBIDDEN, "Forbidden", Headers(**response_headers, Connection="close"), body
                )
            request.path = request.path[1 + len(self.token) :] or "/"
            response = None if answer is None else answer(connection, request)
            if response is not None:
                response.headers["Referrer-Policy"] = "no-referrer"  # the address is a secret
                response.headers["X-Content-Type-Options"] = "nosniff"
                if response.headers.get("Content-Type", "").startswith("text/html"):
                    response.body = _titled_page(response.body, response.headers.get("Content-Encoding") == "gzip")
                    del response.headers["Content-Length"]
                    response.headers["Content-Length"] = str(len(response.body))
            return response

        return admit_request

    @contextmanager
    def guard_new_servers(self) -> Iterator[None]:
        """Install the checks in a server that viser starts in this context; viser has no setting for it."""
        from viser.infra import _infra

        plain = _infra.websockets
        with _PATCH_LOCK:
            _infra.websockets = _PatchedModule(
                plain, asyncio=_PatchedModule(plain.asyncio, server=self._guarded_server_module(plain))
            )
            try:
                yield
            finally:
                _infra.websockets = plain

    def stop_unguarded(self, server: Any) -> None:
        """Stop a server that was started without the checks.

        Raises:
            GearwrightError: the server was started without the checks.
        """
        if not self.installed:
            server.stop()
            raise GearwrightError(
                "studio: this version of viser starts its server differently, so the page would be open to "
                "other sites. Install the version that Gearwright requires: pip install 'gearwright[studio]'."
            )

    def _guarded_server_module(self, websockets: Any) -> Any:
        def serve(*arguments: Any, **settings: Any) -> Any:
            self.installed = True
            settings["process_request"] = self.guarded_handler(settings.get("process_request"))
            return websockets.asyncio.server.serve(*arguments, **settings)

        return _PatchedModule(websockets.asyncio.server, serve=serve)


class _PatchedModule:
    """A module with some members replaced."""

    def __init__(self, module: Any, **members: Any) -> None:
        self._module = module
        vars(self).update(members)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._module, name)


@lru_cache(maxsize=2)  # compressed and plain
def _titled_page(body: bytes, is_compressed: bool) -> bytes:
    """Return viser's page with the studio's title."""
    page = (gzip.decompress(body) if is_compressed else body).replace(VISER_TITLE, PAGE_TITLE)
    return gzip.compress(page) if is_compressed else page


def _is_ip_address(name: str) -> bool:
    try:
        ipaddress.ip_address(name)
    except ValueError:
        return False
    return True
