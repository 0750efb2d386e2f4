"""What the tests of the command line share."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from .calling import Call, caller


@pytest.fixture
def call(capsys: pytest.CaptureFixture[str]) -> Call:
    return caller(capsys)


@pytest.fixture
def write(tmp_path: Path) -> Callable[..., str]:
    """Write a net into the test's own folder and return its path."""

    def write_net(text: str, name: str = "test.net") -> str:
        path = tmp_path / name
        path.write_text(text, encoding="utf-8")
        return str(path)

    return write_net
