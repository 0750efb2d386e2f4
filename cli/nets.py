"""Shared by the commands: finding the net, and the values of its parameters."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

import click

from petri import library
from petri.diagnostics import did_you_mean

from .exits import refusal

if TYPE_CHECKING:
    from petri.model import Model

Command = TypeVar("Command", bound=Callable[..., object])


def settings_option(command: Command) -> Command:
    """The option `--set name=value`, any number of times."""
    return click.option(
        "--set",
        "settings",
        multiple=True,
        metavar="NAME=VALUE",
        help="Set a parameter, with its unit: --set line='2.5 Gbps'. May be repeated.",
    )(command)


def streams_options(command: Command) -> Command:
    """The options `--stream place=file` and `--column field=column`, any number of times."""
    named = click.option(
        "--stream",
        "streams",
        multiple=True,
        metavar="PLACE=FILE",
        help="The recording for a place: packets=my.pcap. May be repeated.",
    )
    column = click.option(
        "--column",
        "columns",
        multiple=True,
        metavar="FIELD=COLUMN",
        help="The column of the recording for a field, with its unit: time='frame.time_epoch [s]'. May be repeated.",
    )
    return named(column(command))


def tables_option(command: Command) -> Command:
    """The option `--table name=file`, any number of times."""
    return click.option(
        "--table",
        "tables",
        multiple=True,
        metavar="NAME=FILE",
        help="Use another file for a table of the net: lengths.csv=mine.csv. May be repeated.",
    )(command)


def read_pairs(texts: tuple[str, ...], option: str) -> dict[str, str]:
    """`name=value` texts of `--stream`, `--column` or `--table` as {name: value}."""
    what, example = {
        "stream": ("file", "packets=my.pcap"),
        "column": ("column", "size='frame.len [B]'"),
        "table": ("file", "lengths.csv=mine.csv"),
    }[option]
    pairs: dict[str, str] = {}
    for text in texts:
        name, equals, value = (part.strip() for part in text.partition("="))
        if not equals or not name or not value:
            raise refusal("stream-form", text=text, what=what, option=option, example=example)
        if name in pairs:
            raise refusal("stream-twice", name=name, first=pairs[name], second=value)
        pairs[name] = value
    return pairs


def find(name: str, *, missing_is_file: bool = False) -> Path:
    """The file of that path, or the net of the library of that name.

    Raises Refusal if neither exists; with `missing_is_file`, returns the path, and its reader reports the error.
    """
    path = Path(name)
    if _exists(path):
        return path
    found = library.net(name.removesuffix(library.SUFFIX))
    if found is None and missing_is_file:
        return path
    if found is None:
        raise refusal("unknown-net", name=name, suggestion=_nearest(name))
    return found


def _exists(path: Path) -> bool:
    try:
        return path.exists()
    except (OSError, ValueError):  # a name that a file cannot have
        return False


def _nearest(name: str) -> str | None:
    """The net of the library, or the file in the same folder, with the most similar name."""
    path = Path(name)
    known = {known.rpartition("/")[2]: known for known in library.net_names()}
    if _exists(path.parent):
        known |= {beside.name: str(beside) for beside in path.parent.glob("*" + library.SUFFIX)}
    nearest = did_you_mean(path.name, known)
    return known[nearest] if nearest else None


def read_settings(texts: tuple[str, ...]) -> dict[str, str]:
    """`name=value` texts as {name: value}."""
    settings: dict[str, str] = {}
    seen: dict[str, str] = {}
    for text in texts:
        name, equals, value = text.partition("=")
        name, value = name.strip(), value.strip()
        if not equals or not name or not value:
            raise refusal("set-form", text=text)
        if name in settings:
            raise refusal("set-twice", name=name, first=seen[name], second=text)
        settings[name], seen[name] = value, text
    return settings


def load(
    name: str,
    settings: tuple[str, ...],
    streams: tuple[str, ...] = (),
    columns: tuple[str, ...] = (),
    tables: tuple[str, ...] = (),
) -> Model:
    """The model of a file or of a net of the library, with the given files. Raises LanguageError, Refusal."""
    values = read_settings(settings)
    files, named = read_pairs(streams, "stream"), read_pairs(columns, "column")
    path = find(name)
    from petri import model

    loaded = model.load(path, read_pairs(tables, "table"), **values)
    if not files and not named:
        return loaded
    return _with_pipes(loaded.with_streams(files, named), files)


def _with_pipes(loaded: Model, named: Mapping[str, str]) -> Model:
    """The model with copies of the named files that are pipes, for as long as the command runs."""
    from petri.regular import is_pipe

    if not any(is_pipe(Path(file)) for file in named.values()):
        return loaded
    from petri.model import Model
    from petri.traffic.pipes import from_pipes

    copies = click.get_current_context().with_resource(ExitStack())
    return Model(from_pipes(loaded.net, named, copies), loaded.sources)
