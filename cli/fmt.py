"""`pnsim fmt`."""

from __future__ import annotations

import sys
from pathlib import Path

import click

from petri.atomic_file import write_text
from petri.diagnostics import LanguageError, has_errors

from .console import printing, remark, tell_all, write_document
from .exits import DONE, FAILED, language_status, refusal

STDIN = "-"
SHOWN_STDIN = "<stdin>"


@click.command(name="fmt")
@click.argument("files", nargs=-1, required=True, metavar="FILE...")
@click.option("--check", is_flag=True, help="Change nothing; exit with status 1 if a file would change.")
@click.option("--stdout", is_flag=True, help="Print the result instead of writing the files.")
def command(files: tuple[str, ...], check: bool, stdout: bool) -> int:
    """Format .net files in the standard layout; comments are kept. `-` reads stdin and prints to stdout.

    Exit status: 0 done, 1 a file has syntax errors (it is not changed) or would change, 2 a file cannot be read.
    """
    statuses = [_format(file, check, stdout or file == STDIN) for file in files]
    return FAILED if FAILED in statuses else max(statuses)


def _format(file: str, check: bool, stdout: bool) -> int:
    from petri.language.layout.formatter import format_source

    try:
        text = _read(file)
        formatted = format_source(text, SHOWN_STDIN if file == STDIN else file)
    except LanguageError as error:
        tell_all(error.diagnostics, error.sources)
        return language_status(error)
    if check:
        if formatted != text:
            remark(f"would change: {file}")
        return DONE if formatted == text else FAILED
    if stdout:
        with printing():
            write_document(formatted)
    elif formatted != text:
        try:
            write_text(file, formatted)
        except OSError as error:
            raise refusal("output-unwritable", path=file, reason=error.strerror or str(error)) from error
        remark(f"changed: {file}")
    return DONE


def _read(file: str) -> str:
    """The text of a file. Raises LanguageError if it is missing or is not the text of a net."""
    from petri.language.syntax.foreign import decode, read_source

    text, found = decode(sys.stdin.buffer.read(), SHOWN_STDIN) if file == STDIN else read_source(Path(file), file)
    if has_errors(found):
        raise LanguageError(found)
    return text
