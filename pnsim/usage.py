"""What is wrong with a command line: click's errors in the words of this program."""

from __future__ import annotations

import re

import click

from petri.diagnostics import Diagnostic, Value, did_you_mean

from .ranges import LARGEST, bounds


def usage_diagnostic(error: click.ClickException) -> Diagnostic:
    """What was written wrongly, and how the command is used."""
    context = error.ctx if isinstance(error, click.UsageError) else None
    values: dict[str, Value] = {"message": _message(error)}
    if context is not None:
        values["usage"] = " ".join(context.get_usage().removeprefix("Usage: ").split())
        values["help"] = f"{context.command_path} --help"
    if isinstance(error, click.NoSuchOption):
        known = [name for parameter in context.command.params for name in parameter.opts] if context else []
        values["suggestion"] = did_you_mean(error.option_name, known)
        if values["suggestion"]:
            del values["usage"]
    return Diagnostic("usage", values=values)


def _message(error: click.ClickException) -> str:
    told = error.format_message().rstrip(".")
    match error:
        case click.NoSuchOption():
            return f"there is no option `{error.option_name}`"
        case click.BadOptionUsage():
            if "does not take a value" in told:
                return f"`{error.option_name}` takes no value"
            number = re.search(r"requires (\d+) arguments", told)
            return f"`{error.option_name}` needs {f'{number[1]} values' if number else 'a value'} after it"
        case click.MissingParameter() if error.param is not None:
            return f"{_name(error.param)} is missing"
        case click.BadParameter() if error.param is not None:
            return _bad_value(error.param, error.message.rstrip("."))
    if extra := re.fullmatch(r"Got unexpected extra arguments? \((.*)\)", told, re.DOTALL):
        return f"unexpected argument `{extra[1]}`"
    return told


def _name(parameter: click.Parameter) -> str:
    """`--replications` of the two names that it has, or `NET`."""
    if isinstance(parameter, click.Option):
        return f"`{max(parameter.opts, key=len)}`"
    return f"`{(parameter.metavar or parameter.human_readable_name).strip('[].')}`"


def _bad_value(parameter: click.Parameter, told: str) -> str:
    """What is wrong with a value; click puts it in front, as Python shows it."""
    name, kind = _name(parameter), parameter.type
    if isinstance(kind, click.Choice):
        value = told.rpartition(" is not one of ")[0]
        words = [f"`{choice}`" for choice in kind.choices]
        return f"{name} is {', '.join(words[:-1])} or {words[-1]}, not {_quoted(value)}"
    number = re.fullmatch(r"(.*) is not a valid (?:integer|float)(?: range)?", told, re.DOTALL)
    if number:
        what = "a whole number" if isinstance(kind, click.types.IntParamType) else "a number"
        return f"{name} is {what}, not {_quoted(number[1])}"
    outside = re.fullmatch(r"(.*) is not in the range .*", told, re.DOTALL)
    if outside and isinstance(kind, (click.IntRange, click.FloatRange)):
        too_large = kind.max is not None and kind.max >= LARGEST and int(outside[1]) > kind.max
        allowed = f"at most {kind.max:,}" if too_large else bounds(kind)
        return f"{name} is {allowed}, not {_quoted(outside[1])}"
    return f"{name}: {told}"


def _quoted(value: str) -> str:
    return f"`{value.strip(chr(39))}`"
