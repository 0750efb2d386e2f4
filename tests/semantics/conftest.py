"""Every rule is tried on both engines."""

import pytest

from tests.engines import ENGINES


@pytest.fixture(params=ENGINES)
def engine(request: pytest.FixtureRequest) -> str:
    """The name of an engine."""
    return str(request.param)
