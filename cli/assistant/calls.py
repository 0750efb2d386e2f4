"""Calls of commands: in a process of their own, in one folder, under limits of time, memory and length."""

from __future__ import annotations

import os
import signal
import sys
import tempfile
from collections.abc import Awaitable, Callable, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Final

import anyio
from anyio.abc import Process

from petri import library
from petri.structs import Frozen

STDIN: Final = "-"
MOST_LINES: Final = 200  # of an answer
MOST_LETTERS: Final = 20_000
MOST_INPUT: Final = 1_000_000  # letters of a net
MOST_ARGUMENTS: Final = 50_000  # letters of all other arguments
LONGEST_NAME: Final = 200  # of a net or file; what is longer is a text
PATIENCE: Final = 10.0  # seconds in which an interrupted command shows what it has
TURN: Final = 1.0  # seconds between two reports of progress
COLUMNS: Final = "100"

Progress = Callable[[float, float], Awaitable[None]]
"""Is told the seconds that a call has taken, and the most that it may take."""


class Refused(Exception):
    """A call that cannot be made; its text says what to do."""


class Answer(Frozen):
    """What a command printed. status: its exit status, None if it was killed."""

    status: int | None
    out: str
    messages: str

    @property
    def text(self) -> str:
        return "\n".join(part.rstrip("\n") for part in (self.out, self.messages) if part.strip())


class Caller(Frozen):
    """Runs commands for an assistant. seconds, memory (bytes): the most that each may take."""

    folder: Path
    seconds: float
    memory: int

    def named(self, net: str) -> tuple[str, str]:
        """Return how a command names a net, and what it reads from standard input.

        net: a name of the library, a file of the folder, or the text of a net. Raises Refused.
        """
        if any(letter.isspace() for letter in net.strip()) or not 0 < len(net.strip()) <= LONGEST_NAME:
            if len(net) > MOST_INPUT:
                raise Refused(f"the net has {len(net):,} letters; {MOST_INPUT:,} are read at most")
            return STDIN, net
        name = net.strip()
        if library.net(name) is not None:
            return name, ""
        try:
            file = (self.folder / name).resolve()
            special = file.exists() and not file.is_file()
        except (OSError, ValueError) as error:
            raise Refused(f"{name!r} is no name of a file") from error
        if not file.is_relative_to(self.folder):
            raise Refused(f"`{name}` lies outside of the folder {self.folder}, and only files in it are read")
        if special:
            raise Refused(f"`{name}` is no plain file")
        return os.path.join(".", name), ""  # which is no option, whatever it begins with

    async def call(self, arguments: Sequence[str], text: str, progress: Progress) -> Answer:
        """Run a command that reads `text` from standard input, until it ends or its time is over. Raises Refused."""
        if sum(map(len, arguments)) > MOST_ARGUMENTS or any("\0" in argument for argument in arguments):
            raise Refused(f"the arguments have a NUL, or more than {MOST_ARGUMENTS:,} letters")
        with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as messages, tempfile.TemporaryFile() as given:
            given.write(text.encode("utf-8", "replace"))
            given.seek(0)
            process = await anyio.open_process(
                [sys.executable, "-m", "pnsim", *arguments],
                stdin=given.fileno(),
                stdout=out.fileno(),
                stderr=messages.fileno(),
                cwd=self.folder,
                env={**os.environ, "COLUMNS": COLUMNS, "NO_COLOR": "1"},
            )
            limit_memory(process.pid, self.memory)
            try:
                status = await self._ended(process, progress)
            finally:
                if process.returncode is None:
                    process.kill()
            return Answer(status, *(_written(file.fileno()) for file in (out, messages)))

    async def _ended(self, process: Process, progress: Progress) -> int | None:
        """Wait for a process, as long as it may take; then interrupt it, so that it shows what it has."""
        began = anyio.current_time()
        while (taken := anyio.current_time() - began) < self.seconds:
            with anyio.move_on_after(min(TURN, self.seconds - taken)):
                return await process.wait()
            await progress(anyio.current_time() - began, self.seconds)
        with suppress(ProcessLookupError, ValueError):
            process.send_signal(signal.SIGINT)
        with anyio.move_on_after(PATIENCE):
            return await process.wait()
        return None


def limit_memory(process: int, memory: int) -> None:
    """Limit the memory of a process, where the system can."""
    with suppress(ImportError, AttributeError, ProcessLookupError):
        import resource  # which Windows does not have

        resource.prlimit(process, resource.RLIMIT_AS, (memory, memory))


def _written(file: int) -> str:
    """Return the beginning of what was written to a file: as much as an answer can have on many pages."""
    os.lseek(file, 0, os.SEEK_SET)
    return os.read(file, 100 * MOST_LETTERS).decode("utf-8", "replace")


def shortened(text: str, first_line: int = 1) -> str:
    """Return as many lines as an answer may have, with how to ask for others."""
    lines = text.split("\n")
    shown: list[str] = []
    left = MOST_LETTERS
    for line in lines[first_line - 1 : first_line - 1 + MOST_LINES]:
        line = line if len(line) <= MOST_LETTERS // 4 else f"{line[: MOST_LETTERS // 4]}…"
        left -= len(line) + 1
        if left < 0:
            break
        shown.append(line)
    after = first_line + len(shown)
    if not shown:
        return f"There are {len(lines):,} lines."
    if after > len(lines):
        return "\n".join(shown)
    return "\n".join([*shown, f"… {len(lines) - after + 1:,} more lines: ask again with first_line={after}"])


def settings(values: Mapping[str, str | bool | int | float] | None, option: str = "--set") -> list[str]:
    """Return the options for parameters."""
    return [f"{option}={name}={_value(value)}" for name, value in (values or {}).items()]


def _value(value: str | bool | int | float) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)
