"""Functions of machine code call each other over 32 bits, wherever the system has room for them."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from petri.engine.native import available

pytestmark = [
    pytest.mark.skipif(not available(), reason="the native engine is not built"),
    pytest.mark.skipif(sys.platform != "linux", reason="takes addresses as Linux gives them"),
]

# Nothing but one page is free above 5 GiB that are taken: what needs more is below them.
SCRIPT = """
import ctypes, sys
import petri
from petri import _native

libc = ctypes.CDLL(None)
libc.mmap.restype = ctypes.c_void_p
libc.mmap.argtypes = [ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int, ctypes.c_int, ctypes.c_int, ctypes.c_long]
libc.munmap.argtypes = [ctypes.c_void_p, ctypes.c_size_t]
PRIVATE, ANONYMOUS, NO_RESERVE = 0x2, 0x20, 0x4000

net = petri.loads('''net two
    place p = 3 * token
    place q : int = 1, 2
    transition t: p -> p  takes exp(1.0)
    transition u: q(x) -> q(x + 1)  takes exp(2.0)''').net
session = _native.Session(_native.Program(net), (1, 2, 3), (1000, 1 << 40, 0), False, False)
far = libc.mmap(None, 5 << 30, 0, PRIVATE | ANONYMOUS | NO_RESERVE, -1, 0)
above = []
while (page := libc.mmap(None, 4096, 3, PRIVATE | ANONYMOUS, -1, 0)) > far:
    above.append(page)
libc.munmap(above[0], 4096)
session.advance(100.0, 1000)
sys.exit(not session.ran_code)
"""


@pytest.mark.slow
def test_code_is_made_where_free_memory_is_far_apart() -> None:
    root = Path(__file__).parents[2]
    done = subprocess.run([sys.executable, "-c", SCRIPT], cwd=root, capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (0, "")
