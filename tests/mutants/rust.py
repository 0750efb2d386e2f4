"""The area that is written in Rust: cargo-mutants lists the changes; they are built and tested here.

cargo-mutants itself draws no samples, and runs no tests in another language. The sources are changed in a copy,
in which only the changed crate is compiled anew.
"""

from __future__ import annotations

import json
import os
import resource
import shutil
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from tests.mutants.change import ROOT, Change, change_of
from tests.mutants.targets import RUST, RUST_TESTS
from tests.mutants.trial import MEMORY, WAITING, Built, Outcome, trial

WORKSPACE = ROOT / "petri" / "native"
TIMES_LONGER = 4  # than the tests without a change
LONGEST = 3600  # seconds
# What only tests and listings call.
UNSEEN = r"::verify|::fmt\b|impl Debug|impl Display"


class RustArea:
    """The crate `engine`, without its machine code."""

    def __init__(self, folder: Path, log: Path) -> None:
        self.root = folder
        self.folder = folder / "petri" / "native"
        self.log = log
        self.crate_seconds = self.python_seconds = 0  # that the tests may take; 0 before they ran without a change

    def changes(self) -> list[Change]:
        if shutil.which("cargo-mutants") is None:
            sys.exit("cargo-mutants is not installed: cargo install --locked cargo-mutants")
        files = [option for room in RUST for option in ("-f", f"engine/src/{room}/**/*.rs")]
        command = ["cargo", "mutants", "--list", "--json", "-p", "engine", *files, "-E", UNSEEN]
        listed = json.loads(subprocess.run(command, cwd=WORKSPACE, check=True, capture_output=True).stdout)
        sources = {item["file"]: (WORKSPACE / item["file"]).read_text("utf-8") for item in listed}
        return [rust_change(item, sources[item["file"]]) for item in listed]

    def try_out(self, change: Change) -> Outcome | None:
        """Build and test a change; before the first, the sources as they are."""
        if not self.crate_seconds:
            self.copy()
            self.crate_seconds = self.control_of_crate()
        path = self.root / change.file
        path.write_text(change.changed_source(), "utf-8")
        try:
            result = self.crate_tests(tests_of(change.file), self.crate_seconds)
            library = self.library() if result == "passed" else None
        finally:
            path.write_text(change.source, "utf-8")
        if library is None:
            return None if result == "passed" else result
        changed = library.rename(library.with_stem("changed"))
        if not self.python_seconds:
            self.python_seconds = self.control_of_python()
        return trial(Built(changed), RUST_TESTS, self.python_seconds, self.log)[0]

    def copy(self) -> None:
        """Copy the sources that differ, as cargo goes by the time of a change; their tests read files of `tests`."""
        (self.root / "tests").unlink(missing_ok=True)
        (self.root / "tests").symlink_to(ROOT / "tests")
        for source in WORKSPACE.rglob("*"):
            inside = source.relative_to(WORKSPACE)
            if inside.parts[0] in ("target", "fuzz") or not source.is_file():
                continue
            copied = self.folder / inside
            copied.parent.mkdir(parents=True, exist_ok=True)
            if not copied.exists() or copied.read_bytes() != source.read_bytes():
                copied.write_bytes(source.read_bytes())

    def control_of_crate(self) -> int:
        """Return the seconds that the tests of the crate may take, from those that they take without a change."""
        if self.crate_tests("", LONGEST) != "passed":
            sys.exit(f"the tests fail without any change; see {self.log}")
        before = children_seconds()
        self.crate_tests("", LONGEST)  # now nothing is to be built
        return round(TIMES_LONGER * (children_seconds() - before)) + 10

    def control_of_python(self) -> int:
        """Return the same for the tests in Python."""
        if (library := self.library()) is None:
            sys.exit(f"the native engine cannot be built; see {self.log}")
        result, seconds = trial(Built(library), RUST_TESTS, LONGEST, self.log)
        if result != "passed":
            sys.exit(f"the tests fail without any change; see {self.log}")
        return round(TIMES_LONGER * seconds) + 10

    def crate_tests(self, first: str, seconds: int) -> Outcome | None:
        """Run the tests of the crate, those of the module `first` before the others. None if they cannot be built."""
        built = self.cargo("test", "--no-run", "--package", "engine", "--lib")
        if built is None:
            return None
        result = self.run([built[0], first], seconds)
        return self.run([built[0]], seconds) if result == "passed" and first else result

    def library(self) -> Path | None:
        """Return the Python module. None if it cannot be built."""
        built = self.cargo("build", "--package", "bridge")
        return None if built is None else next(path for path in built if path.suffix == ".so")

    def cargo(self, *command: str) -> list[Path] | None:
        """Return what it makes of the packages here. None if it does not compile."""
        # Not the build folder of the real sources: cargo would take what is built here for theirs.
        options = ["--locked", "--message-format", "json", "--target-dir", str(self.root / "target")]
        with self.log.open("w") as log:
            done = subprocess.run(["cargo", *command, *options], cwd=self.folder, stdout=subprocess.PIPE, stderr=log)
        if done.returncode != 0:
            return None
        messages = [json.loads(line) for line in done.stdout.splitlines() if line.startswith(b"{")]
        made = [message for message in messages if message["reason"] == "compiler-artifact"]
        return [
            Path(message["executable"] or name)
            for message in made
            for name in message["filenames"]
            if message["executable"] or (name.endswith(".so") and message["target"]["name"] == "_native")
        ]

    def run(self, command: Sequence[str | Path], seconds: int) -> Outcome:
        def limit() -> None:
            resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
            resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds))

        with self.log.open("w") as log:
            try:
                done = subprocess.run(
                    command,
                    cwd=self.folder / "engine",
                    stdout=log,
                    stderr=log,
                    preexec_fn=limit,
                    timeout=WAITING * seconds,
                    env={**os.environ, "PROPTEST_MAX_SHRINK_ITERS": "0"},
                )
            except subprocess.TimeoutExpired:
                return "too long"
        if done.returncode in (-9, -24):  # SIGKILL, SIGXCPU
            return "too long"
        return "passed" if done.returncode == 0 else "failed"


def tests_of(file: str) -> str:
    """Return the module of a file, with its tests: `collections::weights::`."""
    inside = Path(file).relative_to("petri/native/engine/src").with_suffix("")
    return "::".join(part for part in inside.parts if part != "mod") + "::"


def rust_change(item: dict[str, object], source: str) -> Change:
    """Return one of cargo-mutants' list, in which lines and columns begin at 1."""
    listed: dict[str, dict[str, int]] = item["span"]  # type: ignore[assignment]
    first, last = ((listed[end]["line"] - 1, listed[end]["column"] - 1) for end in ("start", "end"))
    function: dict[str, str] = item["function"] or {}  # type: ignore[assignment]
    file = f"petri/native/{item['file']}"
    change = change_of(file, source, function.get("function_name", ""), (first, last), str(item["replacement"]))
    return replace(change, was="the body", becomes=str(item["replacement"])) if item["genre"] == "FnValue" else change


def children_seconds() -> float:
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime
