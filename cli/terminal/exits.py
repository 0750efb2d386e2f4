"""The exit statuses of `pnsim`, and the exception that ends a command with one of them."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from contextlib import contextmanager

from petri.diagnostics import Diagnostic, LanguageError, Value

DONE = 0
FAILED = 1  # an expectation failed, a figure could not be computed, or the net has errors
NOT_STARTED = 2  # wrong usage, a missing file, a parameter that does not fit
STOPPED = 3  # the run stopped inside the model; its results are partial
INTERRUPTED = 130
NO_FOLDER = "there is no such folder"
UNSOLVABLE = ("exact-many-states", "exact-standstill", "exact-no-time", "exact-many-steps")


class Refusal(Exception):
    """A command cannot continue; the diagnostic says why."""

    def __init__(self, diagnostic: Diagnostic, status: int = NOT_STARTED) -> None:
        super().__init__(diagnostic)
        self.diagnostic = diagnostic
        self.status = status


def refusal(identifier: str, **values: Value) -> Refusal:
    """Return a refusal to start, worded in `petri/wording/`."""
    return Refusal(Diagnostic(identifier, values=values))


def check_output(path: str, read: Iterable[str] = ()) -> None:
    """Refuse, before anything runs, a file that cannot be made, or that would replace one that is `read`."""
    if not os.path.isdir(os.path.dirname(path) or "."):
        raise refusal("output-unwritable", path=path, reason=NO_FOLDER)
    if os.path.isdir(path):
        raise refusal("output-unwritable", path=path, reason="it is a folder")
    if os.path.isfile(path) and any(os.path.isfile(one) and os.path.samefile(path, one) for one in read):
        raise refusal("output-is-input", path=path)


@contextmanager
def writing(path: str, status: int = NOT_STARTED) -> Iterator[None]:
    """Write a file in the block. Raises Refusal if that is not possible."""
    try:
        yield
    except OSError as error:
        missing = isinstance(error, FileNotFoundError)  # of a file that is to be made, only its folder can be
        values = {"path": path, "reason": NO_FOLDER if missing else error.strerror or str(error)}
        raise Refusal(Diagnostic("output-unwritable", values=values), status) from error


def language_status(error: LanguageError) -> int:
    """FAILED if a net is wrong or has no solution; NOT_STARTED if a file, a parameter or an option is wrong."""
    if any(diagnostic.id in UNSOLVABLE for diagnostic in error.diagnostics):
        return FAILED
    spans = [diagnostic.span for diagnostic in error.diagnostics if diagnostic.severity == "error"]
    in_net = any(span is not None and not span.file.startswith("the value given for") for span in spans)
    return FAILED if in_net else NOT_STARTED


def experiment_status(diagnostic: Diagnostic) -> int:
    """Return STOPPED if there were runs before the error; NOT_STARTED if the experiment or its store is wrong."""
    return STOPPED if diagnostic.id in ("point-failed", "export-unwritable") else NOT_STARTED
