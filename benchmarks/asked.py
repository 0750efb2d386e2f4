"""What a command line asks to be measured."""

from __future__ import annotations

from argparse import ArgumentParser, RawDescriptionHelpFormatter
from collections.abc import Collection


def asked(names: Collection[str], about: str | None) -> Collection[str]:
    """Those of `names` that the command line names, or all. about: for `--help`."""
    parser = ArgumentParser(description=about, formatter_class=RawDescriptionHelpFormatter)
    parser.add_argument("name", nargs="*", choices=names, metavar="NAME", help=", ".join(names))
    return parser.parse_args().name or names
