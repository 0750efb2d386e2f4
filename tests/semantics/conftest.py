"""Every rule is tried on both engines, and on the native one's machine code too."""

import pytest

from petri.engine.native import available
from tests.engines import ENGINES

CODE = pytest.param("machine code", marks=pytest.mark.skipif(not available(), reason="the native engine is not built"))


@pytest.fixture(params=[*ENGINES, CODE])
def engine(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    """Return the name of an engine."""
    if request.param == "machine code":
        monkeypatch.setattr("petri.engine.native.PATIENCE", 0)
        return "native"
    return str(request.param)
