"""Calls the command line within the test's process, as a user's shell would see it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import pytest

from pnsim.main import main


@dataclass(frozen=True, slots=True)
class CommandResult:
    status: int
    out: str
    err: str


Call = Callable[..., CommandResult]


def caller(capsys: pytest.CaptureFixture[str]) -> Call:
    """`call("run", "mm1")` gives the exit status and what went to stdout and stderr; no traceback may be in either."""

    def call(*arguments: str) -> CommandResult:
        with pytest.raises(SystemExit) as ended:
            main(list(arguments))
        captured = capsys.readouterr()
        assert "Traceback" not in captured.out + captured.err
        status = ended.value.code
        assert isinstance(status, int)
        return CommandResult(status, captured.out, captured.err)

    return call
