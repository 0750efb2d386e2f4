"""Random tests draw the same cases each time: a change is refused for what it breaks, not for an old fault.

Nor is it refused because the machine is busy: a case may take as long as it likes.

`pytest --hypothesis-profile=default` draws new ones.
"""

import gc

import pytest
from hypothesis import settings

settings.register_profile("same", derandomize=True, deadline=None, max_examples=50)
settings.load_profile("same")


@pytest.hookimpl(tryfirst=True)
def pytest_collection() -> None:
    """What is made now lives until the end: a collection of garbage would find nothing, in a quarter of the time."""
    gc.disable()


@pytest.hookimpl(trylast=True)
def pytest_collection_finish() -> None:
    """Thousands of tests and all modules are not looked at again, and garbage is collected less often than usual."""
    gc.collect()
    gc.freeze()
    gc.set_threshold(20_000)
    gc.enable()
