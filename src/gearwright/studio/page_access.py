"""Who may use the page: requests to the studio's own address, from the studio's own page, with its secret.

A page of another site can send requests to a server on this machine, and make its own name lead here. So each request,
for the page or for its websocket, must name the address served (Host), come from there (Origin), and have a path that
begins with a random token, which only the address has that `studio` opens and prints.
"""

from __future__ import annotations

import http
import ipaddress
import secrets
import socket
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from gearwright.errors import GearwrightError

LOCAL_NAMES = frozenset({"localhost", "127.0.0.1", "::1"})
Answer = Callable[[Any, Any], Any]
"""Answers a request of a connection; None lets the websocket open."""
_PATCHING = threading.Lock()


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

    def refusal(self, path: str, hosts: list[str], origins: list[str]) -> str | None:
        """Why a request is refused; None for one that is admitted.

        Args:
            path: of the address, with the query.
            hosts: every header Host.
            origins: every header Origin; browsers send one with each websocket, other programs may send none.
        """
        if len(hosts) != 1 or not self._is_served(hosts[0]):
            return "this is not the address of the studio."
        if origins not in ([], [f"http://{hosts[0]}"]):
            return "the request comes from another page."
        given = path.partition("?")[0].removeprefix("/").partition("/")[0]
        if not secrets.compare_digest(given.encode("utf-8", "replace"), self.token.encode()):
            return "the address lacks the token. Open the address that the studio printed."
        return None

    def _is_served(self, address: str) -> bool:
        """Whether a header Host names this machine; a number cannot be another site's name for it."""
        name = address.lower().rpartition(":")[0] if not address.endswith("]") and ":" in address else address.lower()
        name = name.removeprefix("[").removesuffix("]")
        return name in self._names or (not self._is_local and _is_number(name))

    def guarded(self, answer: Answer | None) -> Answer:
        """The server's way to answer requests, behind the checks; it sees paths without the token."""
        from websockets.datastructures import Headers
        from websockets.http11 import Response

        def admit(connection: Any, request: Any) -> Any:
            headers = request.headers
            reason = self.refusal(request.path, headers.get_all("Host"), headers.get_all("Origin"))
            if reason is not None:
                body = f"Gearwright Studio: {reason}\n".encode()
                kept = {"Content-Type": "text/plain; charset=utf-8", "Content-Length": str(len(body))}
                return Response(http.HTTPStatus.FORBIDDEN, "Forbidden", Headers(**kept, Connection="close"), body)
            request.path = request.path[1 + len(self.token) :] or "/"
            response = None if answer is None else answer(connection, request)
            if response is not None:
                response.headers["Referrer-Policy"] = "no-referrer"  # the address is a secret
                response.headers["X-Content-Type-Options"] = "nosniff"
            return response

        return admit

    @contextmanager
    def installing(self) -> Iterator[None]:
        """While this lasts, a server that viser starts gets the checks; viser has no setting for it."""
        from viser.infra import _infra

        plain = _infra.websockets
        with _PATCHING:
            _infra.websockets = _Replaced(plain, asyncio=_Replaced(plain.asyncio, server=self._server(plain)))
            try:
                yield
            finally:
                _infra.websockets = plain

    def stop_unguarded(self, server: Any) -> None:
        """Stop a server that was started without the checks.

        Raises:
            GearwrightError: it was.
        """
        if not self.installed:
            server.stop()
            raise GearwrightError(
                "studio: this version of viser starts its server in another way, so that the page would be open to "
                "other sites. Install the version that Gearwright asks for: pip install 'gearwright[studio]'."
            )

    def _server(self, websockets: Any) -> Any:
        def serve(*arguments: Any, **settings: Any) -> Any:
            self.installed = True
            settings["process_request"] = self.guarded(settings.get("process_request"))
            return websockets.asyncio.server.serve(*arguments, **settings)

        return _Replaced(websockets.asyncio.server, serve=serve)


class _Replaced:
    """A module with other members in the place of some."""

    def __init__(self, module: Any, **members: Any) -> None:
        self._module = module
        vars(self).update(members)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._module, name)


def _is_number(name: str) -> bool:
    try:
        ipaddress.ip_address(name)
    except ValueError:
        return False
    return True
