"""The entry point: answers at once what needs no command, and keeps tracebacks from users."""

from __future__ import annotations

import atexit
import gc
import os
import sys
from contextlib import suppress
from typing import NoReturn

from .overview import quick_answer
from .streams import ClosedPipe, prepare_streams


def main(arguments: list[str] | None = None) -> NoReturn:
    """Run the command line and exit with its status."""
    # OpenBLAS would start its threads as numpy is loaded, and nothing here multiplies matrices.
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    # What is imported and read lives until the end; a search for rubbish at every 700th object would find none of it.
    gc.set_threshold(50_000, 10, 10)
    prepare_streams()
    try:
        code = _run(sys.argv[1:] if arguments is None else arguments)
        sys.stdout.flush()
    except ClosedPipe:
        code = 0
    except (Exception, KeyboardInterrupt) as error:
        from .failing import told

        code = told(error)
    if arguments is None:
        _leave(code)
    sys.exit(code)


def _leave(code: int) -> NoReturn:
    """End the process at once: to take apart all that was imported, object by object, takes 10 ms.

    Threads and whoever asked to be called at the end have their turn, as when Python itself ends.
    """
    import signal

    signal.signal(signal.SIGINT, lambda *_: os._exit(130))  # Ctrl-C once more, while threads end
    if (threading := sys.modules.get("threading")) is not None:
        threading._shutdown()
    atexit._run_exitfuncs()
    with suppress(Exception):
        sys.stdout.flush()
    sys.stderr.flush()
    os._exit(code)


def _run(arguments: list[str]) -> int:
    answer = quick_answer(arguments)
    if answer is not None:
        sys.stdout.write(answer)
        return 0
    if arguments[:1] == ["run"] and "_PNSIM_COMPLETE" not in os.environ:
        from . import quick

        if (options := quick.read(arguments[1:])) is not None:
            return quick.run(options)
    from .group import call

    return call(arguments)
