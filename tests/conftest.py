"""Random tests draw the same cases each time: a change is refused for what it breaks, not for an old fault.

Nor is it refused because the machine is busy: a case may take as long as it likes.

`pytest --hypothesis-profile=default` draws new ones.
"""

import gc

import pytest
from hypothesis import settings

settings.register_profile("same", derandomize=True, deadline=None, max_examples=50)
settings.load_profile("same")


@pytest.hookimpl(trylast=True)
def pytest_collection_finish() -> None:
    """Thousands of tests and all modules live until the end: no collection of garbage looks at them again."""
    gc.collect()
    gc.freeze()
