"""`pnsim fmt`."""

from __future__ import annotations

from difflib import unified_diff
from pathlib import Path

import click

from petri.atomic_file import write_text
from petri.diagnostics import LanguageError, has_errors
from petri.language.layout.formatter import format_source
from petri.language.syntax.foreign import read_source

from ..options import nets
from ..terminal.console import printing, remark, tell_all, write_document
from ..terminal.exits import DONE, FAILED, language_status, writing


@click.command(name="fmt")
@click.argument("files", nargs=-1, required=True, metavar="FILE...")
@click.option("--check", is_flag=True, help="Change nothing; exit with status 1 if a file would change.")
@click.option("--stdout", is_flag=True, help="Print the result instead of writing the files.")
@click.option("--diff", is_flag=True, help="Change nothing; print what would change, and exit as with --check.")
def command(files: tuple[str, ...], check: bool, stdout: bool, diff: bool) -> int:
    """Format .net files in the standard layout; comments are kept. `-` reads stdin and prints to stdout.

    In a folder, all .net files are formatted.

    Exit status: 0 done, 1 a file has syntax errors (it is not changed) or would change, 2 a file cannot be read.
    """
    files = tuple(found for file in files for found in nets.in_folder(file))
    statuses = [_format(file, check, stdout or file == nets.STDIN, diff) for file in files]
    return FAILED if FAILED in statuses else max(statuses)


def _format(file: str, check: bool, stdout: bool, diff: bool) -> int:
    try:
        text = _read(file)
        formatted = format_source(text, nets.SHOWN_STDIN if file == nets.STDIN else file)
    except LanguageError as error:
        tell_all(error.diagnostics, error.sources)
        return language_status(error)
    if diff:
        with printing():
            write_document(_difference(text, formatted, file))
        return DONE if formatted == text else FAILED
    if check:
        if formatted != text:
            remark(f"would change: {nets.SHOWN_STDIN if file == nets.STDIN else file}")
        return DONE if formatted == text else FAILED
    if stdout:
        with printing():
            write_document(formatted)
    elif formatted != text:
        with writing(file):
            write_text(file, formatted)
        remark(f"changed: {file}")
    return DONE


def _difference(before: str, after: str, file: str) -> str:
    """Return what `patch` understands; nothing if the texts are equal."""
    lines = unified_diff(before.splitlines(True), after.splitlines(True), file, f"{file} (formatted)")
    return "".join(line if line.endswith("\n") else f"{line}\n\\ No newline at end of file\n" for line in lines)


def _read(file: str) -> str:
    """Return the text of a file. Raises LanguageError if it is missing or is not the text of a net."""
    if file == nets.STDIN:
        return nets.read_stdin()
    text, found = read_source(Path(file), file)
    if has_errors(found):
        raise LanguageError(found)
    return text
