"""Shared by the commands: finding the net, and the values of its parameters."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Mapping
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

import click

from petri import library
from petri.diagnostics import LanguageError, did_you_mean, has_errors

from .exits import Refusal, refusal

if TYPE_CHECKING:
    from click.shell_completion import CompletionItem

    from petri.model import Model

Command = TypeVar("Command", bound=Callable[..., object])


def complete_net(_: click.Context, __: click.Parameter, begun: str) -> list[CompletionItem]:
    """For the shell: the nets of the library that begin so, and files."""
    from click.shell_completion import CompletionItem

    names = (name for known in library.net_names() for name in {known, known.rpartition("/")[2]})
    return [*(CompletionItem(name) for name in sorted(names) if name.startswith(begun)), CompletionItem(begun, "file")]


def complete_setting(context: click.Context, _: click.Parameter, begun: str) -> list[CompletionItem]:
    """For the shell: `NAME=` for the parameters of the net on the line."""
    from click.shell_completion import CompletionItem

    name = context.params.get("net") or context.params.get("what") or _net_on_line()
    try:
        parameters = () if name in (None, STDIN) else load(name, ()).net.parameters
    except (LanguageError, Refusal):
        return []
    return [CompletionItem(f"{one.name}=", help=one.doc) for one in parameters if one.name.startswith(begun)]


def _net_on_line() -> str | None:
    """The net on a command line that is not complete: click reads no arguments after an option without its value."""
    from click.shell_completion import split_arg_string

    words = split_arg_string(os.environ.get("COMP_WORDS", ""))[2:]
    return next(
        (word for word in words if not word.startswith("-") and (_exists(Path(word)) or library.net(word))), None
    )


def net_argument(command: Command) -> Command:
    """The argument NET: a file, a net of the library, or `-` for stdin."""
    return click.argument("net", shell_complete=complete_net)(command)


def settings_option(command: Command) -> Command:
    """The option `--set name=value`, any number of times."""
    return click.option(
        "--set",
        "settings",
        multiple=True,
        shell_complete=complete_setting,
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


STDIN = "-"
SHOWN_STDIN = "<stdin>"  # in messages


def read_stdin() -> str:
    """The text of a net on stdin. Raises LanguageError if it is not text."""
    from petri.language.syntax.foreign import decode

    text, found = decode(sys.stdin.buffer.read(), SHOWN_STDIN)
    if has_errors(found):
        raise LanguageError(found)
    return text


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


def in_folder(name: str) -> list[str]:
    """The .net files of a folder and of those in it, in order, except hidden ones; the name itself if it is a file."""
    folder = Path(name)
    try:
        if not folder.is_dir():
            return [name]
    except (OSError, ValueError):  # a name that a file cannot have
        return [name]
    found = [
        path
        for path in sorted(folder.rglob("*" + library.SUFFIX))
        if not any(part.startswith(".") for part in path.relative_to(folder).parts) and path.is_file()
    ]
    return [str(path) for path in found] or [name]


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
    others = read_pairs(tables, "table")
    loaded = _from_stdin(values, others) if name == STDIN else _from_file(find(name), values, others)
    if not files and not named:
        return loaded
    return _with_pipes(loaded.with_streams(files, named), files)


def _from_file(path: Path, values: dict[str, str], tables: dict[str, str]) -> Model:
    from petri import model

    return model.load(path, tables, **values)


def _from_stdin(values: dict[str, str], tables: dict[str, str]) -> Model:
    from petri import language
    from petri.model import Model

    return Model(*language.loads_with_sources(read_stdin(), values, name=SHOWN_STDIN, tables=tables))


def _with_pipes(loaded: Model, named: Mapping[str, str]) -> Model:
    """The model with copies of the named files that are pipes, for as long as the command runs."""
    from petri.regular import is_pipe

    if not any(is_pipe(Path(file)) for file in named.values()):
        return loaded
    from petri.model import Model
    from petri.traffic.pipes import from_pipes

    copies = click.get_current_context().with_resource(ExitStack())
    return Model(from_pipes(loaded.net, named, copies), loaded.sources)
