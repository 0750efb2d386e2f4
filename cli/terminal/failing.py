"""What is said of whatever ends a command, and the exit status that it has then."""

from __future__ import annotations

import errno
import os

import click

from petri.diagnostics import Diagnostic, LanguageError
from petri.experiment.errors import ExperimentError

from . import exits
from .console import tell, tell_all
from .exits import Refusal, experiment_status, language_status
from .usage import usage_diagnostic


def told(error: BaseException) -> int:
    """Say what ended the command, without a traceback unless PNSIM_DEBUG asks for it. Returns the exit status."""
    match error:
        case Refusal():
            tell(error.diagnostic)
            return error.status
        case LanguageError():
            tell_all(error.diagnostics, error.sources)
            return language_status(error)
        case ExperimentError():
            tell(error.diagnostic)
            return experiment_status(error.diagnostic)
        case KeyboardInterrupt():
            return _tell_interrupted(error)
        case click.ClickException():
            tell(usage_diagnostic(error))
            return exits.NOT_STARTED
        case click.Abort():
            return _tell_interrupted(error)
    if os.environ.get("PNSIM_DEBUG", "") not in ("", "0"):
        raise error
    return _tell_unexpected(error)


def _tell_interrupted(error: BaseException) -> int:
    """Say how far the work had come: click raises Abort from what Ctrl-C raised, which may know. Returns the status."""
    tell(getattr(error.__cause__ or error, "diagnostic", Diagnostic("interrupted")))
    return exits.INTERRUPTED


def _tell_unexpected(error: BaseException) -> int:
    """Say what ended the command. Returns the exit status."""
    interrupted = _follows_interrupt(error)
    diagnostic = Diagnostic("interrupted") if interrupted else _unexpected_diagnostic(error)
    if diagnostic.id == "out-of-memory":
        error.__traceback__ = error.__context__ = None  # what the command held is given back
    try:
        tell(diagnostic)
    except (MemoryError, OSError):  # not even for the message
        if diagnostic.id != "out-of-memory":
            raise
        os.write(2, b"error[out-of-memory]: there is not enough memory for this run\n")
    return exits.INTERRUPTED if interrupted else exits.STOPPED


def _follows_interrupt(error: BaseException | None) -> bool:
    """Return whether Ctrl-C caused an exception: before 3.12, Python wraps one that occurs while a class is created."""
    return error is not None and (
        isinstance(error, KeyboardInterrupt) or _follows_interrupt(error.__cause__ or error.__context__)
    )


def _unexpected_diagnostic(error: BaseException) -> Diagnostic:
    if isinstance(error, MemoryError) or (isinstance(error, OSError) and error.errno == errno.ENOMEM):
        return Diagnostic("out-of-memory")
    if isinstance(error, RecursionError):
        return Diagnostic("nested-too-deeply")
    what = type(error).__name__ + (f": {error}" if str(error) else "")
    return Diagnostic("program-fault", values={"what": what})
