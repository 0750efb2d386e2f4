"""The texts that an editor has open, and what a check of each finds; texts not yet saved go before the files."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from threading import Lock

from petri import language, library
from petri.diagnostics import Diagnostic, in_order, limited
from petri.editor.names import Names, find_names
from petri.language import Study
from petri.language.loader import OpenTexts
from petri.language.syntax.foreign import read_source
from petri.net import Span
from petri.structs import Struct, field

MOST_FILES = 1000  # of the workspace's folders, in which references are looked for
_SKIPPED = frozenset(("node_modules", "target", "build", "dist", "__pycache__"))


class Checked(Struct):
    """A check of a net: `diagnostics` in order, `texts` by path as they were read, `study` None if the check failed."""

    path: Path
    diagnostics: list[Diagnostic]
    texts: dict[Path, str]
    stamp: int
    study: Study | None = None
    by_name: dict[str, Path] = field(default_factory=dict)  # the files, by their names in spans
    _names: Names | None = None

    @property
    def names(self) -> Names:
        """What the names denote, found when it is first asked for: while one types, nobody asks."""
        if self._names is None:
            self._names = Names() if self.study is None else find_names(self.study)
        return self._names

    @property
    def name(self) -> str:
        """The net's own name in spans."""
        return next((name for name, path in self.by_name.items() if path == self.path), str(self.path))


class Workspace:
    """Open texts, folders and checks. `check` may be called from another thread; one check runs at a time."""

    def __init__(self) -> None:
        self.texts: dict[Path, str] = {}
        self.folders: list[Path] = []
        self.checked: dict[Path, Checked] = {}
        self.stamp = 0
        self._known = OpenTexts().known
        self._lock = Lock()

    def open(self, path: Path, text: str) -> None:
        """Note that a text was opened or changed. A new one may be the file that others missed."""
        if path not in self.texts:
            self.checked.clear()
        self.texts[path] = text
        self.stamp += 1

    def close(self, path: Path) -> None:
        """Note that a text was closed: what was not saved is gone."""
        self.texts.pop(path, None)
        self._known.clear()
        self.changed_on_disk()

    def changed_on_disk(self) -> None:
        """Files that are not open have changed."""
        self.checked.clear()
        self.stamp += 1

    def fresh(self, path: Path) -> Checked | None:
        """Return the last check, if no text that it read has changed since."""
        found = self.checked.get(path)
        if found is None or found.stamp == self.stamp:
            return found
        if any(self.texts.get(read, text) != text for read, text in found.texts.items()):
            return None
        found.stamp = self.stamp
        return found

    def check(self, path: Path) -> Checked:
        """Return a check of the net as it is now; never raises an error of the net's making."""
        with self._lock:
            found = self.fresh(path)
            if found is None:
                found = check(path, dict(self.texts), self._known, self.stamp)
                self.checked[path] = found
            return found

    def check_with(self, path: Path, texts: dict[Path, str]) -> Checked:
        """Return a check of the net with these texts in the place of those that are open."""
        with self._lock:
            return check(path, {**self.texts, **texts}, {}, self.stamp)

    def nets(self) -> Iterator[Path]:
        """Yield the nets that are open, and those in the folders."""
        found = dict.fromkeys(self.texts)
        yield from found
        for folder in self.folders:
            for path in _nets_in(folder):
                if len(found) >= MOST_FILES:
                    return
                if path not in found:
                    found[path] = None
                    yield path

    def text(self, path: Path) -> str:
        """Return the text of a file, "" if it cannot be read."""
        return self.texts[path] if path in self.texts else read_source(path)[0]


def _nets_in(folder: Path) -> Iterator[Path]:
    """Yield the nets in a folder and below, hidden folders and those of builds left out."""
    waiting = [folder]
    seen = 0
    while waiting and seen < 20 * MOST_FILES:
        try:
            entries = sorted(waiting.pop().iterdir())
        except OSError:
            continue
        seen += len(entries)
        for path in entries:
            if path.name.startswith(".") or path.name in _SKIPPED or path.is_symlink():
                continue
            if path.is_dir():
                waiting.append(path)
            elif path.suffix == library.SUFFIX and path.is_file():
                yield path.resolve()


def check(path: Path, texts: dict[Path, str], known: dict, stamp: int) -> Checked:  # type: ignore[type-arg]
    """Return a check of a net; whatever goes wrong in it becomes a diagnostic."""
    try:
        study = language.study(path, OpenTexts({str(path): text for path, text in texts.items()}, known))
    except (Exception, RecursionError) as error:
        known.clear()
        what = type(error).__name__ + (f": {error}" if str(error) else "")
        name = str(path)
        fault = Diagnostic("program-fault", Span(name, 1, 1, 1, 1), {"what": what})
        return Checked(path, [fault], {path: texts.get(path, "")}, stamp, by_name={name: path})
    name = next(iter(study.problems.sources), str(path))
    found = limited(in_order(study.problems.found), name)
    by_name = {name: Path(path) for name, path in study.loader.paths.items()}
    read = {by_name[name]: text for name, text in study.problems.sources.items() if name in by_name}
    return Checked(path, found, read, stamp, study, by_name)
