"""Who gets something: those with the token, on this machine, from the page itself."""

from __future__ import annotations

import http.client
import json
import socket
import threading
from collections.abc import Iterator
from contextlib import ExitStack, closing

import pytest

from petri.live.server import LiveServer
from petri.live.site import serve

from .tables import answer, desk

HOSTILE = "<img src=x onerror=alert(1)>"
NET = f"""## {HOSTILE} a
net hostile
param load = 1 in 1..3  ## {HOSTILE} b
place a = load * token  ## {HOSTILE} c
transition t: a -> a  takes 1  ## {HOSTILE} d
measure m = mean(a)  ## {HOSTILE} e
  expect <= 2
run until 99
"""


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[LiveServer]:
    with desk(tmp_path_factory.mktemp("net") / "hostile.net", NET) as one:
        answer(one, lambda found: found.get("count", 0) >= 4 and bool(found["loads"]))
        made = serve(one)
        threading.Thread(target=made.serve_forever, daemon=True).start()
        yield made
        made.shutdown()
        made.server_close()


def ask(
    server: LiveServer, path: str, body: str | None = None, **headers: str
) -> tuple[int, str, http.client.HTTPResponse]:
    connection = http.client.HTTPConnection("127.0.0.1", server.server_port, timeout=30)
    given = {name.replace("_", "-"): value for name, value in headers.items()}
    connection.request("GET" if body is None else "POST", path, body, given)
    reply = connection.getresponse()
    text = reply.read().decode()
    connection.close()
    return reply.status, text, reply


def test_without_the_token_there_is_nothing(server: LiveServer) -> None:
    wrong = server.token[:-1] + ("a" if server.token[-1] != "a" else "b")
    for path in ("/", "/events", "/net", f"/{wrong}/", f"/{wrong}/events", "//", f"/{server.token}x/", "/%2e%2e/"):
        assert ask(server, path)[:2] == (404, ""), path
    assert ask(server, f"/{server.token}/etc/passwd")[:2] == (404, "")
    assert ask(server, f"/{server.token}/")[0] == 200


def test_another_host_is_not_answered(server: LiveServer) -> None:
    port = server.server_port
    for host in ("evil.example", f"evil.example:{port}", f"localhost:{port}", "127.0.0.1", ""):
        for path in ("", "events", "text", "report.html"):
            assert ask(server, f"/{server.token}/{path}", Host=host)[:2] == (404, ""), (host, path)


@pytest.mark.parametrize("hosts", ["", "Host: {0}\r\nHost: evil.example\r\n", "Host: evil.example\r\nHost: {0}\r\n"])
def test_a_request_names_this_host_once(server: LiveServer, hosts: str) -> None:
    with socket.create_connection(("127.0.0.1", server.server_port), timeout=30) as connection:
        address = f"http://{server.host}/{server.token}/"  # in the request itself, where proxies have it
        connection.sendall(f"GET {address} HTTP/1.1\r\n{hosts.format(server.host)}\r\n".encode())
        assert b" 404 " in connection.recv(1 << 16).partition(b"\r\n")[0]


def test_only_the_page_itself_may_change_something(server: LiveServer) -> None:
    path, wish, own = f"/{server.token}/wish", '{"settings": {"load": "2"}}', f"http://{server.host}"
    json_ = "application/json"
    assert ask(server, path, wish, Content_Type=json_)[0] == 403
    assert ask(server, path, wish, Content_Type=json_, Origin="http://evil.example")[0] == 403
    assert ask(server, path, wish, Content_Type="text/plain", Origin=own)[0] == 403
    for wrong in (
        "{",
        "[]",
        '"x"',
        "3",
        '{"settings": 3}',
        '{"closed": true}',
        '{"settings": {"load": 2}}',
        "[" * 50_000,
    ):
        assert ask(server, path, wrong, Content_Type=json_, Origin=own)[0] == 400, wrong[:20]
    assert ask(server, path, "x" * 200_000, Content_Type=json_, Origin=own)[0] == 400
    assert server.desk.wish.settings == {}
    assert ask(server, path, wish, Content_Type=json_, Origin=own)[0] == 200
    assert server.desk.wish.settings == {"load": "2"}


def test_it_listens_on_this_machine_only(server: LiveServer) -> None:
    assert server.socket.getsockname()[0] == "127.0.0.1"
    others = {info[4][0] for info in socket.getaddrinfo(socket.gethostname(), None, socket.AF_INET)} - {"127.0.0.1"}
    for address in others:
        with pytest.raises(ConnectionError), socket.create_connection((str(address), server.server_port), timeout=1):
            pass


def test_connections_of_strangers_leave_room_for_the_page(server: LiveServer, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("petri.live.server.MOST", 8)
    before, address = threading.active_count(), ("127.0.0.1", server.server_port)
    page = http.client.HTTPConnection(*address, timeout=30)
    with ExitStack() as stack, closing(page):
        for _ in range(2):  # the second time over the connection that the first one opened
            page.request("GET", f"/{server.token}/text")
            assert page.getresponse().read()
            strangers = [stack.enter_context(socket.create_connection(address, timeout=30)) for _ in range(20)]
            assert ask(server, f"/{server.token}/")[0] == 200
            assert strangers[0].recv(1) == b""  # closed
        assert threading.active_count() <= before + 8 + 2


def test_connections_with_the_token_have_a_limit_as_well(server: LiveServer, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("petri.live.server.MOST", 3)
    with ExitStack() as stack:
        for _ in range(3):
            page = stack.enter_context(closing(http.client.HTTPConnection("127.0.0.1", server.server_port, timeout=30)))
            page.request("GET", f"/{server.token}/text")
            assert page.getresponse().read()
        with pytest.raises((ConnectionError, http.client.HTTPException)):
            ask(server, f"/{server.token}/text")


def test_no_answer_may_be_kept_framed_or_guessed_at(server: LiveServer) -> None:
    for path in ("", "net", "text", "report.html", "picture.svg", "play.html"):
        status, _, reply = ask(server, f"/{server.token}/{path}")
        assert status == 200, path
        for name, value in (
            ("Cache-Control", "no-store"),
            ("X-Frame-Options", "DENY"),
            ("Referrer-Policy", "no-referrer"),
        ):
            assert reply.getheader(name) == value
        assert reply.getheader("X-Content-Type-Options") == "nosniff"
        assert "Python" not in (reply.getheader("Server") or "")


def test_the_page_loads_nothing_and_allows_only_its_own_script(server: LiveServer) -> None:
    page = ask(server, f"/{server.token}/")[1]
    assert "default-src &#x27;none&#x27;; script-src &#x27;sha256-" in page
    assert "connect-src &#x27;self&#x27;" in page
    assert "unsafe-eval" not in page
    assert 'src="http' not in page
    assert server.token not in page


def test_texts_of_the_net_are_never_markup(server: LiveServer) -> None:
    found = server.desk.wait(0, 5.0)[1]
    html = [
        found["measures"],
        found["said"],
        ask(server, f"/{server.token}/")[1],
        ask(server, f"/{server.token}/net")[1],
    ]
    html += [json.loads(ask(server, f"/{server.token}/part?id={one}")[1])["html"] for one in found["loads"]]
    html += [ask(server, f"/{server.token}/{path}")[1] for path in ("play.html", "report.html", "picture.svg")]
    for text in html:
        assert "<img" not in text
    assert HOSTILE in json.loads(ask(server, f"/{server.token}/text")[1])["lines"][0]


def test_events_carry_the_newest_answer(server: LiveServer) -> None:
    with socket.create_connection(("127.0.0.1", server.server_port), timeout=30) as connection:
        connection.sendall(f"GET /{server.token}/events HTTP/1.1\r\nHost: {server.host}\r\n\r\n".encode())
        text = b""
        while b"\n\ndata: " not in text.replace(b"\r\n\r\n", b"\n\n") or not text.endswith(b"\n\n"):
            text += connection.recv(1 << 16)
    data = text.partition(b"data: ")[2].partition(b"\n\n")[0]
    assert json.loads(data)["net"] == "hostile"
