"""The location of the library: models, nets, validation and docs.

`models/` holds the modules that nets import, `nets/` complete nets, `validation/` the studies, `docs/` the pages. In an
installed package these folders are beside this file; in a checkout they are the repository's own.
"""

from __future__ import annotations

from functools import cache
from pathlib import Path

SUFFIX = ".net"


@cache
def folder(name: str) -> Path:
    """The folder `models`, `nets`, `validation` or `docs` of the library, where links have been followed."""
    here = Path(__file__).resolve().parent
    installed = here / name
    return (installed if installed.is_dir() else here.parents[1] / name).resolve()


def models() -> Path:
    """The folder in which `import ixp2400.dram` finds ixp2400/dram.net."""
    return folder("models")


def nets() -> Path:
    """The folder of the complete nets."""
    return folder("nets")


def studies() -> Path:
    """The folder of the studies that `pnsim validate` runs."""
    return folder("validation")


def pages() -> dict[str, Path]:
    """The pages of the documentation by name, "language" or "models/ixp2400", in alphabetical order."""
    top = folder("docs")
    return {path.relative_to(top).with_suffix("").as_posix(): path for path in sorted(top.rglob("*.md"))}


def module(name: str) -> Path | None:
    """The file of a library module by its dotted name ("ixp2400.dram"), or None."""
    return _inside(models(), name.replace(".", "/"))


def net(name: str) -> Path | None:
    """The file of a complete net by its name ("ixp2400", "patterns/mm1", or just "mm1"), or None."""
    found = _inside(nets(), name)
    if found is None and "/" not in name:
        named = [path for path in nets().rglob("*" + SUFFIX) if path.stem == name]
        found = named[0] if len(named) == 1 else None
    return found


def find(name: str | Path) -> Path | None:
    """The file of that path, or else the complete net of that name, or else the file whose name lacks only `.net`."""
    path, written = Path(name), _written_out(name)
    if exists(path) and not path.is_dir():
        return path
    found = net(str(name).removesuffix(SUFFIX)) or written
    return found or (path if exists(path) else None)


def shadowed(name: str | Path) -> Path | None:
    """The file that `name` would mean if the library had no net of this name."""
    written = _written_out(name)
    found = find(name) if written is not None else None
    return None if found is None or written is None or found.samefile(written) else written


def _written_out(name: str | Path) -> Path | None:
    path = Path(f"{name}{SUFFIX}")
    return path if exists(path) and path.is_file() else None


def exists(path: Path) -> bool:
    """Whether there is such a file or folder."""
    try:
        return path.exists()
    except (OSError, ValueError):  # a name that a file cannot have
        return False


def net_names() -> list[str]:
    """The names of all complete nets, as `net` takes them, in alphabetical order, those at the top first."""
    top = nets()
    names = [path.relative_to(top).with_suffix("").as_posix() for path in top.rglob("*" + SUFFIX)]
    return sorted(names, key=lambda name: (name.count("/"), name))


def nearest(name: str) -> str | None:
    """The net of the library, or the file in the same folder, with the most similar name."""
    from petri.diagnostics import did_you_mean

    path = Path(name)
    known = {known.rpartition("/")[2]: known for known in net_names()}
    if exists(path.parent):
        known |= {beside.name: str(beside) for beside in path.parent.glob("*" + SUFFIX)}
    found = did_you_mean(path.name, known)
    return known[found] if found else None


def _inside(top: Path, name: str) -> Path | None:
    try:
        path = (top / (name + SUFFIX)).resolve()
        return path if path.is_relative_to(top.resolve()) and path.is_file() else None
    except (OSError, ValueError):  # a name that a file cannot have
        return None
