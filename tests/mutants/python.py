"""The areas that are written in Python."""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

from tests.mutants.change import Change
from tests.mutants.python_changes import changes
from tests.mutants.trial import Changed, Outcome, trial

TIMES_LONGER = 3  # than the tests without a change: a mutant may run for ever
LONGEST = 3600  # seconds


class PythonArea:
    """Files, and the tests that should notice their changes."""

    def __init__(self, tests: Mapping[str, Sequence[str]], log: Path) -> None:
        self.tests = tests
        self.log = log
        self.needed: dict[Sequence[str], float] = {}  # seconds

    def changes(self) -> list[Change]:
        return [change for file in self.tests for change in changes(file)]

    def try_out(self, change: Change) -> Outcome | None:
        """Run the tests of the file against a change; before the first, against the source as it is."""
        try:
            changed = Changed(change.file, change.changed_source())
        except SyntaxError:  # a pattern, for example
            return None
        tests = self.tests[change.file]
        if tests not in self.needed:
            unchanged = Changed(change.file, change.source)
            result, self.needed[tests] = trial(unchanged, tests, LONGEST, self.log)
            if result != "passed":
                sys.exit(f"the tests fail without any change; see {self.log}")
        seconds = round(TIMES_LONGER * self.needed[tests]) + 5
        return trial(changed, tests, seconds, self.log)[0]
