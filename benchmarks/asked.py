"""What a command line asks to be measured."""

from __future__ import annotations

from argparse import ArgumentParser, RawDescriptionHelpFormatter
from collections.abc import Callable, Mapping, Sequence


def command(about: str | None) -> ArgumentParser:
    """Return the parser of a command line. about: for `--help`."""
    return ArgumentParser(description=about, formatter_class=RawDescriptionHelpFormatter)


def show(measured: Mapping[str, Callable[[], str]], about: str | None, words: Sequence[str] | None) -> None:
    """Print what the names of the command line measure, or all."""
    parser = command(about)
    parser.add_argument("name", nargs="*", metavar="NAME", help=", ".join(measured))
    names = parser.parse_args(words).name
    unknown = [name for name in names if name not in measured]
    if unknown:
        parser.error(f"there is no {unknown[0]}; there are {', '.join(measured)}")
    for name in names or measured:
        print(measured[name](), flush=True)
