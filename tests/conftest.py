"""Random tests draw the same cases each time: a change is refused for what it breaks, not for an old fault.

Nor is it refused because the machine is busy: a case may take as long as it likes. But quick tests that are not quick
are named at the end.

`pytest --hypothesis-profile=default` draws new ones.
"""

import gc
import os
from collections.abc import Iterator

import pytest
from hypothesis import settings

from petri.diagnostics import LanguageError
from petri.engine.native import available

settings.register_profile("same", derandomize=True, deadline=None, max_examples=50)
settings.load_profile("same")

QUICK = 1.0  # seconds of processor time that a quick test may take: four times what it should, as machines are busy
SPENT = "processor time"


@pytest.hookimpl(tryfirst=True)
def pytest_collection() -> None:
    """Freeze what is made now, which lives until the end: a collection of garbage would find nothing, in a quarter
    of the time.
    """
    gc.disable()


@pytest.hookimpl(trylast=True)
def pytest_collection_finish() -> None:
    """Thousands of tests and all modules are not looked at again, and garbage is collected less often than usual."""
    gc.collect()
    gc.freeze()
    gc.set_threshold(20_000)
    gc.enable()


@pytest.hookimpl(wrapper=True)
def pytest_runtest_call(item: pytest.Item) -> Iterator[None]:
    """Note the time of a test as a property: with xdist, nothing else reaches the process that reports.

    Exact answers and saved states need the native engine: without it, their tests are skipped.
    """
    before = sum(os.times()[:4])
    try:
        return (yield)
    except LanguageError as error:
        missing = [one for one in error.diagnostics if one.id.endswith("-needs-native")]
        if missing and not available() and os.environ.get("PNSIM_NATIVE") != "1":
            pytest.skip(missing[0].message)
        raise
    finally:
        if not item.get_closest_marker("slow"):
            item.user_properties.append((SPENT, sum(os.times()[:4]) - before))


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    ran = (one for one in terminalreporter.getreports("passed") if one.when == "call")
    spent = {one.nodeid: value for one in ran for name, value in one.user_properties if name == SPENT}
    dear = sorted((name for name in spent if spent[name] > QUICK), key=spent.__getitem__, reverse=True)
    if dear:
        terminalreporter.section("quick tests that take long, in seconds of processor time (mark them slow?)")
        for name in dear:
            terminalreporter.line(f"{spent[name]:.1f}  {name}")
