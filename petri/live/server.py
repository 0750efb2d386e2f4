"""HTTP on this machine alone, for those who have the token in the address.

Nobody else gets anything: the socket is bound to 127.0.0.1, every path begins with a random token, the `Host` must be
this server (so that no foreign name that leads here is answered), and a request that changes something must come from
the page itself. The answers may be neither kept, framed nor read by other pages. Of the connections there are only so
many: where a new one finds no room, the oldest that has not shown the token is closed.
"""

from __future__ import annotations

import json
import secrets
import socket
import threading
from collections.abc import Callable
from contextlib import suppress
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, Final
from urllib.parse import parse_qs, urlsplit

from petri.live.desk import Desk
from petri.structs import Frozen

ADDRESS: Final = "127.0.0.1"
LONGEST: Final = 100_000  # bytes of what the page sends
MOST: Final = 50  # connections; each has a thread
ALIVE: Final = 10.0  # seconds, after which a page hears something in any case
HEADERS: Final = {
    "Cache-Control": "no-store",
    "Content-Security-Policy": "frame-ancestors 'none'",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Referrer-Policy": "no-referrer",
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
}


class Reply(Frozen):
    """What a path answers. file: the name under which a browser saves it; "" to show it."""

    body: str
    kind: str = "text/html"
    file: str = ""


Answers = dict[str, Callable[[dict[str, str]], Reply | None]]
"""For each path below the token what it answers to a query; None if there is none."""


class LiveServer(ThreadingHTTPServer):
    """Serves a desk. `url` is where. port: 0 for any that is free."""

    daemon_threads = True
    allow_reuse_address = False
    request_queue_size = MOST

    def __init__(self, desk: Desk, answers: Answers, change: Callable[[Any], None], port: int = 0) -> None:
        self.desk, self.answers, self.change = desk, answers, change
        self.token = secrets.token_urlsafe(24)
        self._connections: dict[socket.socket, bool] = {}  # oldest first: whether it has shown the token
        self._lock = threading.Lock()
        super().__init__((ADDRESS, port), _Handler)
        self.host = f"{ADDRESS}:{self.server_port}"

    @property
    def url(self) -> str:
        return f"http://{self.host}/{self.token}/"

    def process_request(self, request: Any, client_address: Any) -> None:
        with self._lock:
            if len(self._connections) >= MOST:
                stranger = next((one for one, known in self._connections.items() if not known), None)
                if stranger is None:
                    super().shutdown_request(request)
                    return
                del self._connections[stranger]
                with suppress(OSError):
                    stranger.shutdown(socket.SHUT_RDWR)
            self._connections[request] = False
        super().process_request(request, client_address)

    def shutdown_request(self, request: Any) -> None:
        with self._lock:
            self._connections.pop(request, None)
        super().shutdown_request(request)

    def trust(self, request: socket.socket) -> None:
        """Return whether it has shown the token."""
        with self._lock:
            if request in self._connections:
                self._connections[request] = True

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Ignore a browser that has gone: it is no error."""


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server_version, sys_version = "pnsim", ""
    timeout = 60  # seconds, for a request that does not end
    server: LiveServer

    def do_GET(self) -> None:
        split = urlsplit(self.path)
        name = self._allowed(split.path)
        if name == "events":
            self._events()
        elif name is not None:
            found = self.server.answers.get(name)
            query = {key: values[0] for key, values in parse_qs(split.query).items()}
            reply = None if found is None else found(query)
            if reply is None:
                self._refuse(HTTPStatus.NOT_FOUND)
            else:
                self._send(reply)

    def do_POST(self) -> None:
        """Take what the page wants to be shown."""
        name = self._allowed(urlsplit(self.path).path)
        if name is None:
            return
        own = self.headers.get("Origin") == f"http://{self.server.host}"
        length = self.headers.get("Content-Length", "")
        if name != "wish" or not own or self.headers.get("Content-Type") != "application/json":
            self._refuse(HTTPStatus.FORBIDDEN)
        elif not length.isdecimal() or int(length) > LONGEST:
            self._refuse(HTTPStatus.BAD_REQUEST)
        else:
            try:
                self.server.change(json.loads(self.rfile.read(int(length))))
            except (ValueError, TypeError, RecursionError):
                self._refuse(HTTPStatus.BAD_REQUEST)
            else:
                self._send(Reply("{}", "application/json"))

    def _allowed(self, path: str) -> str | None:
        """Return the path below the token; None, and a refusal is sent, where host or token are wrong."""
        _, token, *rest = [*path.split("/", 2), "", ""][:3]
        same = secrets.compare_digest(token.encode("utf-8", "replace"), self.server.token.encode())
        if self.headers.get_all("Host") != [self.server.host] or not same:
            self._refuse(HTTPStatus.NOT_FOUND)
            return None
        self.server.trust(self.connection)
        return rest[0]

    def _send(self, reply: Reply) -> None:
        body = reply.body.encode()
        self.send_response(HTTPStatus.OK)
        self._head(f"{reply.kind}; charset=utf-8", len(body))
        if reply.file:
            self.send_header("Content-Disposition", f'attachment; filename="{reply.file}"')
        self.end_headers()
        self.wfile.write(body)

    def _refuse(self, status: HTTPStatus) -> None:
        """Say nothing more; what was sent along is not read."""
        self.close_connection = True
        self.send_response(status)
        self._head("text/plain", 0)
        self.send_header("Connection", "close")
        self.end_headers()

    def _head(self, kind: str, length: int | None) -> None:
        for name, value in HEADERS.items():
            self.send_header(name, value)
        self.send_header("Content-Type", kind)
        if length is not None:
            self.send_header("Content-Length", str(length))

    def _events(self) -> None:
        """Send the newest answer again and again (server-sent events), for as long as the page listens."""
        self.close_connection = True
        self.send_response(HTTPStatus.OK)
        self._head("text/event-stream", None)
        self.send_header("Connection", "close")
        self.end_headers()
        desk, version = self.server.desk, 0
        desk.watched(1)
        try:
            while not desk.closed:
                newest, answer = desk.wait(version, ALIVE)
                if newest != version:
                    version = newest
                    self.wfile.write(b"data: " + json.dumps(answer, allow_nan=False).encode() + b"\n\n")
                else:
                    self.wfile.write(b": still here\n\n")
                self.wfile.flush()
        except OSError:
            pass  # the page is gone
        finally:
            desk.watched(-1)

    def log_message(self, *_: Any) -> None:
        """Nothing is logged: the address contains the token."""
