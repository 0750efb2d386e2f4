"""The entry point: runs a command, and keeps tracebacks from users."""

from __future__ import annotations

import os
import sys
from typing import NoReturn

from .terminal.interrupts import ctrl_c_at_once

with ctrl_c_at_once():
    from .group import call
    from .terminal import failing
    from .terminal.streams import ClosedPipe, prepare_streams

# OpenBLAS would start its threads as numpy is loaded, and nothing here multiplies matrices.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")


def main(arguments: list[str] | None = None) -> NoReturn:
    """Run the command line and exit with its status."""
    prepare_streams()
    try:
        code = call(sys.argv[1:] if arguments is None else arguments)
        sys.stdout.flush()
    except ClosedPipe:
        code = 0
    except (Exception, KeyboardInterrupt) as error:
        code = failing.told(error)
    sys.exit(code)
