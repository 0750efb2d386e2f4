"""Messages of the Language Server Protocol as they come: headers, an empty line, and as many bytes as these say.

pygls believes any length, and waits for ever for one that it does not understand. Here a wrong one ends the stream.
"""

from __future__ import annotations

from typing import BinaryIO, Final

from petri.diagnostics import Diagnostic

LONGEST_HEADER: Final = 1 << 12  # bytes of a line
MOST_HEADERS: Final = 32
LARGEST_MESSAGE: Final = 1 << 26  # bytes; a net of 4 MiB is at most 24 of them as JSON


class Frames:
    """What is read of a client, as pygls asks for it. `wrong` says why the stream ended, if the client is to blame."""

    def __init__(self, stream: BinaryIO) -> None:
        self._stream = stream
        self._headers: list[bytes] = []  # of the message that comes, for pygls
        self.wrong: Diagnostic | None = None

    def readline(self) -> bytes:
        """Return the next line of the headers, b"" at the end."""
        if not self._headers:
            self._read_headers()
        return self._headers.pop(0) if self._headers else b""

    def read(self, count: int) -> bytes:
        return b"" if self.wrong else self._stream.read(count)

    def _read_headers(self) -> None:
        length: int | None = None
        for _ in range(MOST_HEADERS if self.wrong is None else 0):
            line = self._stream.readline(LONGEST_HEADER)
            if not line:
                return
            if not line.strip():
                break
            name, colon, value = line.partition(b":")
            if not colon or not name.strip().replace(b"-", b"").isalnum():
                break
            if name.strip().lower() == b"content-length":
                length = self._length(value.strip())
                if length is None:
                    return
        if length is not None:
            self._headers = [b"Content-Length: %d\r\n" % length, b"\r\n"]
        elif self.wrong is None:
            self.wrong = Diagnostic("lsp-no-length")

    def _length(self, value: bytes) -> int | None:
        shown = value[:40].decode("utf-8", "replace")
        if not value.isdigit() or not int(value[:20]) > 0 or len(value) > 20:
            self.wrong = Diagnostic("lsp-length", values={"length": shown})
        elif int(value) > LARGEST_MESSAGE:
            limit = f"{LARGEST_MESSAGE >> 20} MiB"
            self.wrong = Diagnostic("lsp-too-long", values={"length": shown, "largest": limit})
        else:
            return int(value)
        return None
