"""What a case has shown, and panics of the native engine that a run survives."""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from tempfile import TemporaryFile


class Finding(Exception):
    """A fault of pnsim. Equal texts are one fault: cases are made smaller while the text stays the same."""


PANIC = re.compile(r"panicked at (\S+):\d+:\n(.*)")


@contextmanager
def no_panics() -> Iterator[None]:
    """Raise Finding where a thread has panicked meanwhile: only the standard error output tells."""
    terminal = os.dup(2)
    with TemporaryFile() as file:
        os.dup2(file.fileno(), 2)
        try:
            yield
        finally:
            os.dup2(terminal, 2)
            os.close(terminal)
            file.seek(0)
            said = file.read().decode(errors="replace")
        if panic := PANIC.search(said):
            raise Finding(f"the native engine panicked in {panic[1]}: {panic[2]}")
        sys.stderr.write(said)
