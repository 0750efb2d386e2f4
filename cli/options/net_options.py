"""The net of a command, and the options that give it values and files."""

from __future__ import annotations

import os
from collections.abc import Callable
from functools import wraps
from typing import Any, TypeVar

import click
from click.shell_completion import CompletionItem, split_arg_string

from petri import library
from petri.diagnostics import LanguageError

from ..terminal.console import QUIET
from ..terminal.exits import Refusal
from . import nets
from .given import Given, read_pairs

Command = TypeVar("Command", bound=Callable[..., Any])


def options(*parts: Callable[[Any], Any]) -> Callable[[Command], Command]:
    """Return several options as one, in the order of the help."""

    def with_all(command: Command) -> Command:
        for part in reversed(parts):
            command = part(command)
        return command

    return with_all


def _as_given(command: Callable[..., Any]) -> Callable[..., Any]:
    """Return the command with the values of the options below as its `given`."""

    @wraps(command)
    def with_given(
        *,
        settings: tuple[str, ...],
        stream: tuple[str, ...] = (),
        column: tuple[str, ...] = (),
        table: tuple[str, ...] = (),
        **others: Any,
    ) -> Any:
        files = read_pairs(stream, "stream"), read_pairs(column, "column"), read_pairs(table, "table")
        return command(given=Given(read_pairs(settings, "set"), *files), **others)

    return with_given


# ---------------------------------------------------------------- completion by the shell


def complete_net(_: click.Context, __: click.Parameter, begun: str) -> list[CompletionItem]:
    """Return the nets of the library that begin so, and files."""
    names = (name for known in library.net_names() for name in {known, known.rpartition("/")[2]})
    return [*(CompletionItem(name) for name in sorted(names) if name.startswith(begun)), CompletionItem(begun, "file")]


def complete_setting(context: click.Context, _: click.Parameter, begun: str) -> list[CompletionItem]:
    """`NAME=` for the parameters of the net on the line."""
    name = context.params.get("net") or context.params.get("what") or _net_on_line()
    try:
        parameters = () if name in (None, nets.STDIN) else nets.load(name).net.parameters
    except (LanguageError, Refusal):
        return []
    return [
        CompletionItem(f"{parameter.name}=", help=parameter.doc)
        for parameter in parameters
        if parameter.name.startswith(begun)
    ]


def _net_on_line() -> str | None:
    """Return the net on a command line that is not complete: click reads no arguments after an option without its
    value.
    """
    words = split_arg_string(os.environ.get("COMP_WORDS", ""))[2:]
    return next((word for word in words if not word.startswith("-") and library.find(word)), None)


# ---------------------------------------------------------------- the arguments and options


def _pairs(
    option: str, name: str, form: str, about: str, complete: Callable[..., Any] | None = None
) -> Callable[[Command], Command]:
    """Return an option that may be given any number of times."""
    about += " May be repeated."
    return click.option(option, name, multiple=True, metavar=form, help=about, shell_complete=complete)


net_argument = click.argument("net", shell_complete=complete_net)  # a file, a net of the library, or `-` for stdin
optional_net_argument = click.argument("net", required=False, shell_complete=complete_net)
_set = _pairs(
    "--set", "settings", "NAME=VALUE", "Set a parameter, with its unit: --set line='2.5 Gbps'.", complete_setting
)
_stream = _pairs("--stream", "stream", "PLACE=FILE", "The recording for a place: packets=my.pcap.")
_column = _pairs(
    "--column",
    "column",
    "FIELD=COLUMN",
    "The column of the recording for a field, or its number, with its unit: time='frame.time_epoch [s]'.",
)
tables_option = _pairs(
    "--table", "table", "NAME=FILE", "Use another file for a table of the net: lengths.csv=mine.csv."
)
given_options = options(_set, _stream, _column, tables_option, _as_given)
_quiet = click.option(
    "--quiet",
    "-q",
    is_flag=True,
    expose_value=False,
    callback=lambda context, _, given: context.meta.update({QUIET: given}),
    help="Show no notes.",
)
settings_option = options(_set, _quiet, _as_given)
looking_options = options(given_options, _quiet)  # of commands that look at a run
