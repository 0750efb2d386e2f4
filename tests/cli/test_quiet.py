"""`--quiet` means the same in every command that takes a net: no progress and no notes; errors and warnings stay."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.cli.calling import Call

COMMANDS = ("run", "solve", "reach", "bound", "info", "check", "draw", "export", "flat", "why")
NOTED = """
place a = token
place b
transition t: a -> b after exp(1) resume
transition u: b -> a after exp(1)
run until 10 warmup 1
"""


@pytest.mark.parametrize("command", COMMANDS)
def test_a_quiet_command_shows_no_notes(command: str, call: Call, tmp_path: Path) -> None:
    net = tmp_path / "net.net"
    net.write_text(NOTED, encoding="utf-8")
    quiet = call(command, str(net), "-q")
    assert "note[" not in quiet.out + quiet.err
    assert quiet.status == call(command, str(net)).status
    net.write_text(NOTED.replace("place b", "place b b"), encoding="utf-8")
    wrong = call(command, str(net), "-q")
    assert "error[" in wrong.out + wrong.err


def test_a_command_that_is_not_quiet_shows_notes(call: Call, tmp_path: Path) -> None:
    net = tmp_path / "net.net"
    net.write_text(NOTED, encoding="utf-8")
    checked = call("check", str(net))
    assert "note[resume-of-exponential]" in checked.out + checked.err
