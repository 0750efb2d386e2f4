"""Drives a headless Chromium over the pipe of its debugging protocol, with nothing but the standard library."""

from __future__ import annotations

import base64
import json
import os
import select
import subprocess
import tempfile
import time
from types import TracebackType
from typing import Any

from tests.installed import BROWSER

PATIENCE = 60.0


class Browser:
    """One page in a browser of its own."""

    def __enter__(self) -> Browser:
        assert BROWSER is not None, "there is no Chromium on the path"
        self.folder = tempfile.TemporaryDirectory(ignore_cleanup_errors=True)
        in_read, self.out = os.pipe()
        self.incoming, out_write = os.pipe()

        def on_three_and_four() -> None:
            first, second = os.dup(in_read), os.dup(out_write)
            os.dup2(first, 3)
            os.dup2(second, 4)

        options = ["--headless=new", "--no-sandbox", "--disable-gpu", "--no-first-run", "--remote-debugging-pipe"]
        self.process = subprocess.Popen(
            [BROWSER, *options, f"--user-data-dir={self.folder.name}", "about:blank"],
            preexec_fn=on_three_and_four,
            close_fds=False,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        os.close(in_read)
        os.close(out_write)
        self.number, self.rest, self.session = 0, b"", None
        self.told: list[str] = []  # what the console of the page shows: errors, refusals
        target = self.call("Target.createTarget", url="about:blank")["targetId"]
        self.session = self.call("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        for domain in ("Page", "Runtime", "Log"):
            self.call(f"{domain}.enable")
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.process.kill()
        self.process.wait()
        os.close(self.out)
        os.close(self.incoming)
        self.folder.cleanup()

    def call(self, method: str, **parameters: Any) -> dict[str, Any]:
        """Return the answer to a command of the protocol."""
        self.number += 1
        message: dict[str, Any] = {"id": self.number, "method": method, "params": parameters}
        if self.session:
            message["sessionId"] = self.session
        os.write(self.out, json.dumps(message).encode() + b"\0")
        while (found := self._read()).get("id") != self.number:
            if found.get("method") in ("Runtime.exceptionThrown", "Log.entryAdded"):
                self.told.append(json.dumps(found["params"]))
        assert "error" not in found, found
        result: dict[str, Any] = found["result"]
        return result

    def _read(self) -> dict[str, Any]:
        while b"\0" not in self.rest:
            assert select.select([self.incoming], [], [], PATIENCE)[0], "the browser says nothing"
            piece = os.read(self.incoming, 1 << 20)
            assert piece, "the browser ended"
            self.rest += piece
        text, _, self.rest = self.rest.partition(b"\0")
        found: dict[str, Any] = json.loads(text)
        return found

    def value(self, expression: str) -> Any:
        """Return what an expression gives in the page."""
        found = self.call("Runtime.evaluate", expression=expression, returnByValue=True, awaitPromise=True)
        assert "exceptionDetails" not in found, found
        return found["result"].get("value")

    def open(self, address: str, ready: str) -> None:
        """Open a page and wait until the expression is true in it."""
        self.call("Page.navigate", url=address)
        end = time.monotonic() + PATIENCE
        while not self.value(ready):
            assert time.monotonic() < end, self.told
            time.sleep(0.02)

    def until(self, expression: str) -> None:
        """Wait until the expression is true in the page."""
        end = time.monotonic() + PATIENCE
        while not self.value(expression):
            assert time.monotonic() < end, (expression, self.told, self.value("document.body.innerText"))
            time.sleep(0.03)

    def press(self, key: str) -> None:
        for kind in ("keyDown", "keyUp"):
            self.call("Input.dispatchKeyEvent", type=kind, key=key)

    def type(self, key: str, code: int) -> None:
        """Press a key that the browser itself obeys, which needs its Windows code: Tab 9, Enter 13, ArrowLeft 37."""
        for kind in ("keyDown", "keyUp"):
            self.call("Input.dispatchKeyEvent", type=kind, key=key, code=key, windowsVirtualKeyCode=code)

    def click(self, element: str, up: float = 0.0) -> None:
        """Press the mouse in the middle of what the expression gives, or so many pixels above it."""
        middle = "(one => { one.scrollIntoView({ block: 'center', behavior: 'instant' });"
        middle += (
            " const { x, y, width, height } = one.getBoundingClientRect(); return [x + width / 2, y + height / 2]; })"
        )
        x, y = self.value(f"{middle}({element})")
        for kind in ("mouseMoved", "mousePressed", "mouseReleased"):
            pressed = {} if kind == "mouseMoved" else {"button": "left", "clickCount": 1}
            self.call("Input.dispatchMouseEvent", type=kind, x=x, y=y - up, **pressed)

    def picture(self) -> bytes:
        """Return what the window shows, as PNG."""
        return base64.b64decode(self.call("Page.captureScreenshot", format="png")["data"])

    def resize(self, width: int, height: int) -> None:
        self.call(
            "Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=width < 500
        )
