"""The location of the library: models, nets, validation and docs.

`models/` holds the modules that nets import, `nets/` complete nets, `validation/` the studies, `docs/` the pages. In an
installed package these folders are beside this file; in a checkout they are the repository's own.

Paths are texts here, as in all that loads a net: `pathlib` takes longer to load than a small net.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from functools import cache
from os import PathLike

from petri.diagnostics import did_you_mean

SUFFIX = ".net"


@cache
def folder(name: str) -> str:
    """Return the folder `models`, `nets`, `validation` or `docs` of the library, where links have been followed."""
    here = os.path.dirname(os.path.realpath(__file__))
    installed = os.path.join(here, name)
    return os.path.realpath(installed if os.path.isdir(installed) else os.path.join(here, "..", "..", name))


def models() -> str:
    """Return the folder in which `import ixp2400.dram` finds ixp2400/dram.net."""
    return folder("models")


def nets() -> str:
    """Return the folder of the complete nets."""
    return folder("nets")


def studies() -> str:
    """Return the folder of the studies that `pnsim validate` runs."""
    return folder("validation")


def pages() -> dict[str, str]:
    """Return the pages of the documentation by name, "language" or "models/ixp2400", in alphabetical order."""
    return dict(sorted(named(folder("docs"), ".md")))


def named(top: str, suffix: str = SUFFIX) -> Iterator[tuple[str, str]]:
    """Yield the files with this suffix below a folder: the name of each, "ixp2400/dram", and its path."""
    for folder, _, files in os.walk(top):
        start = "".join(part + "/" for part in folder[len(top) :].split(os.sep) if part)
        for file in files:
            if file.endswith(suffix):
                yield start + file.removesuffix(suffix), os.path.join(folder, file)


def module(name: str) -> str | None:
    """Return the file of a library module by its dotted name ("ixp2400.dram"), or None."""
    return _inside(models(), name.replace(".", "/"))


def net(name: str) -> str | None:
    """Return the file of a complete net by its name ("ixp2400", "patterns/mm1", or just "mm1"), or None."""
    found = _inside(nets(), name)
    if found is None and "/" not in name:
        ends = [path for whole, path in named(nets()) if whole.rpartition("/")[2] == name]
        found = ends[0] if len(ends) == 1 else None
    return found


def find(name: str | PathLike[str]) -> str | None:
    """Return the file of that path, or the complete net of that name, or the file whose name lacks only `.net`."""
    path, written = os.fspath(name), _written_out(name)
    there = os.path.exists(path)
    if there and not os.path.isdir(path):
        return path
    return net(path.removesuffix(SUFFIX)) or written or (path if there else None)


def shadowed(name: str | PathLike[str]) -> str | None:
    """Return the file that `name` would mean if the library had no net of this name."""
    written = _written_out(name)
    found = find(name) if written is not None else None
    return None if found is None or written is None or os.path.samefile(found, written) else written


def _written_out(name: str | PathLike[str]) -> str | None:
    path = os.fspath(name) + SUFFIX
    return path if os.path.isfile(path) else None


def net_names() -> list[str]:
    """Return the names of all complete nets, as `net` takes them, in alphabetical order, those at the top first."""
    return sorted((name for name, _ in named(nets())), key=lambda name: (name.count("/"), name))


def nearest(name: str) -> str | None:
    """Return the net of the library, or the file in the same folder, with the most similar name."""
    beside, written = os.path.split(name)
    known = {known.rpartition("/")[2]: known for known in net_names()}
    known |= {file: os.path.join(beside, file) for file in nets_in(beside)}
    found = did_you_mean(written, known)
    return known[found] if found else None


def nets_in(folder: str) -> list[str]:
    """Return the sorted names of the `.net` files of a folder ("": the current one); none if it is unreadable."""
    try:
        return sorted(name for name in os.listdir(folder or ".") if name.endswith(SUFFIX))
    except (OSError, ValueError):  # a name that a folder cannot have
        return []


def _inside(top: str, name: str) -> str | None:
    try:
        path = os.path.realpath(os.path.join(top, name + SUFFIX))
    except (OSError, ValueError):  # a name that a file cannot have
        return None
    return path if is_inside(path, top) and os.path.isfile(path) else None


def is_inside(path: str, top: str) -> bool:
    """Return whether a path is that folder or leads into it; both where links have been followed."""
    return path == top or path.startswith(top.rstrip(os.sep) + os.sep)
