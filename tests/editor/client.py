"""A small client of the Language Server Protocol: it starts `pnsim lsp` and speaks with it over its pipes."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from queue import Empty, Queue
from threading import Thread
from types import TracebackType
from typing import Any

PATIENCE = 30.0  # seconds for an answer
COMMAND = (sys.executable, "-m", "pnsim", "lsp", "--stdio")


class Refused(Exception):
    """The server answered with an error."""


class Client:
    """One server with the folder `folder` open."""

    def __init__(self, folder: Path, encodings: Sequence[str] = ("utf-16",)) -> None:
        self.folder = folder
        self.encodings = list(encodings)
        self.shown: dict[str, list[dict[str, Any]]] = {}  # diagnostics, by file name
        self.requested: list[str] = []  # what the server asked
        self._number = 0
        self._answers: dict[int, dict[str, Any]] = {}
        self._arrived: Queue[dict[str, Any] | None] = Queue()
        self.process = subprocess.Popen(COMMAND, stdin=subprocess.PIPE, stdout=subprocess.PIPE, cwd=folder)
        Thread(target=self._read, daemon=True).start()

    def __enter__(self) -> Client:
        files = {"didChangeWatchedFiles": {"dynamicRegistration": True}}
        capable = {"general": {"positionEncodings": self.encodings}, "workspace": files}
        folders = [{"uri": self.folder.as_uri(), "name": "nets"}]
        parameters = {"processId": None, "rootUri": None, "workspaceFolders": folders}
        self.capabilities = self.ask("initialize", {**parameters, "capabilities": capable})["capabilities"]
        self.tell("initialized", {})
        return self

    def __exit__(self, kind: type[BaseException] | None, _: BaseException | None, __: TracebackType | None) -> None:
        try:
            if kind is None:
                self.ask("shutdown", None)
                self.tell("exit", None)
                assert self.process.wait(PATIENCE) == 0
        finally:
            self.process.kill()
            self.process.communicate()

    # ------------------------------------------------------------ messages

    def _read(self) -> None:
        assert self.process.stdout is not None
        stream = self.process.stdout
        while header := stream.readline():
            length = int(header.split(b":")[1])
            while stream.readline().strip():
                pass
            self._arrived.put(json.loads(stream.read(length)))
        self._arrived.put(None)

    def send_bytes(self, data: bytes) -> None:
        assert self.process.stdin is not None
        self.process.stdin.write(data)
        self.process.stdin.flush()

    def _send(self, message: dict[str, Any]) -> None:
        data = json.dumps({"jsonrpc": "2.0", **message}).encode()
        self.send_bytes(b"Content-Length: %d\r\n\r\n%s" % (len(data), data))

    def _take(self) -> None:
        """Take the next message of the server."""
        try:
            message = self._arrived.get(timeout=PATIENCE)
        except Empty:
            raise AssertionError("the server does not answer") from None
        assert message is not None, "the server has ended"
        if "id" in message and "method" not in message:
            self._answers[message["id"]] = message
        elif "id" in message:  # a request of the server: agree
            self.requested.append(message["method"])
            self._send({"id": message["id"], "result": None})
        elif message.get("method") == "textDocument/publishDiagnostics":
            self.shown[message["params"]["uri"].rpartition("/")[2]] = message["params"]["diagnostics"]

    def ask(self, method: str, parameters: Any) -> Any:
        """Return the answer to a request; raises Refused."""
        self._number += 1
        self._send({"id": self._number, "method": method, "params": parameters})
        while self._number not in self._answers:
            self._take()
        answer = self._answers.pop(self._number)
        if "error" in answer:
            raise Refused(answer["error"]["message"])
        return answer["result"]

    def tell(self, method: str, parameters: Any) -> None:
        self._send({"method": method, "params": parameters})

    # ------------------------------------------------------------ documents

    def uri(self, name: str) -> str:
        return (self.folder / name).as_uri()

    def open(self, name: str, text: str) -> list[dict[str, Any]]:
        """Open a text, and wait for its diagnostics."""
        document = {"uri": self.uri(name), "languageId": "pnsim", "version": 1, "text": text}
        self.tell("textDocument/didOpen", {"textDocument": document})
        return self.diagnostics(name)

    def change(self, name: str, text: str) -> list[dict[str, Any]]:
        """Replace a text, and wait for its diagnostics."""
        document = {"uri": self.uri(name), "version": 2}
        self.tell("textDocument/didChange", {"textDocument": document, "contentChanges": [{"text": text}]})
        return self.diagnostics(name)

    def close(self, name: str) -> None:
        self.tell("textDocument/didClose", {"textDocument": {"uri": self.uri(name)}})

    def diagnostics(self, name: str) -> list[dict[str, Any]]:
        """Return the next diagnostics of a file."""
        self.shown.pop(name, None)
        while name not in self.shown:
            self._take()
        return self.shown[name]

    def at(self, method: str, name: str, position: tuple[int, int], **more: Any) -> Any:
        """Ask about a position (line and character from 0)."""
        where = {"line": position[0], "character": position[1]}
        return self.ask(f"textDocument/{method}", {"textDocument": {"uri": self.uri(name)}, "position": where, **more})

    def about(self, method: str, name: str, **more: Any) -> Any:
        """Ask about a file."""
        return self.ask(f"textDocument/{method}", {"textDocument": {"uri": self.uri(name)}, **more})
