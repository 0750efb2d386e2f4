"""Libraries in C that stand before the system's own, so that a call of it fails."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

NEEDS_PRELOAD = pytest.mark.skipif(
    sys.platform != "linux" or shutil.which("cc") is None, reason="needs Linux and a C compiler"
)


def compiled(source: Path, folder: Path) -> Path:
    """The library for LD_PRELOAD that this source is compiled to, in the folder."""
    built = folder / "failing.so"
    subprocess.run(["cc", "-shared", "-fPIC", "-O1", "-o", str(built), str(source), "-ldl"], check=True)
    return built
