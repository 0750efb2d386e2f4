"""The exit statuses of `pnsim`, and the error that ends a command with one of them."""

from __future__ import annotations

DONE = 0
FAILED = 1  # an expectation failed, or the net has errors
NOT_STARTED = 2  # wrong usage, a missing file, a parameter that does not fit
STOPPED = 3  # the run stopped inside the model; its results are partial
INTERRUPTED = 130


class Refusal(Exception):
    """A command cannot start or go on. The message says why, the hint what to do about it."""

    def __init__(self, message: str, hint: str = "", status: int = NOT_STARTED) -> None:
        super().__init__(message)
        self.message = message
        self.hint = hint
        self.status = status
