"""What is wrong with a command line: click's errors in the words of this program."""

from __future__ import annotations

import re
from collections.abc import Sequence

import click

from petri import library
from petri.diagnostics import Diagnostic, LanguageError, Value, did_you_mean

LARGEST = 2**62  # bounds beyond are those of the numbers themselves, which no one means to reach


def usage_diagnostic(error: click.ClickException) -> Diagnostic:
    """Return what was written wrongly, and how the command is used."""
    context = error.ctx if isinstance(error, click.UsageError) else None
    values: dict[str, Value] = {"message": _message(error)}
    if context is not None:
        values["usage"] = " ".join(context.get_usage().removeprefix("Usage: ").split())
        values["help"] = f"{context.command_path} --help"
    known = [name for parameter in context.command.params for name in parameter.opts] if context else []
    arguments: list[str] = (context.obj if context else None) or []
    if isinstance(error, click.NoSuchOption):
        values["suggestion"] = did_you_mean(error.option_name, known)
        values |= _meant_by_option(error.option_name, arguments, known)
    elif extra := _extra(error, arguments):
        values |= _meant_by_extra(extra, arguments, known)
    if any(values.get(name) for name in ("suggestion", "setting", "grid", "at", "until")):
        del values["usage"]
    return Diagnostic("usage", values=values)


_SETTING = ("-s", "-p", "-D", "--param", "--parameter", "--params", "--parameters")


def _meant_by_option(option: str, arguments: Sequence[str], known: Sequence[str]) -> dict[str, Value]:
    """Return values for the hints on `--load 1.2`, `--load=1.2` and `-p load=1.2`, if they set a parameter of the
    net.
    """
    at = next((n for n, one in enumerate(arguments) if one.partition("=")[0] == option), None)
    if at is None or "--set" not in known:
        return {}
    following = next(iter(arguments[at + 1 : at + 2]), "")
    if option in _SETTING:
        return _given(following if "=" in following else "NAME=VALUE", known)
    name, value = option.lstrip("-").replace("-", "_"), arguments[at].partition("=")[2]
    if not option.startswith("--") or name not in _parameters(arguments):
        return {}
    return {**_given(f"{name}={value or following or 'VALUE'}", known), "suggestion": None}


def _parameters(arguments: Sequence[str]) -> list[str]:
    """Return the parameters of the net on the command line; none where that is wrong."""
    try:
        path = next(filter(None, map(library.find, arguments[1:])), None)
        from petri import language  # which a mistake alone needs

        return [parameter.name for parameter in language.load(path).parameters] if path is not None else []
    except (LanguageError, OSError):
        return []


def _extra(error: click.ClickException, arguments: Sequence[str]) -> list[str]:
    """Return the arguments that the command has no use for."""
    found = re.fullmatch(r"Got unexpected extra arguments? \((.*)\)\.?", error.format_message(), re.DOTALL)
    if found is None:
        return []
    return [argument for argument in arguments if f" {argument} " in f" {found[1]} "] or [found[1]]


def _meant_by_extra(extra: Sequence[str], arguments: Sequence[str], known: Sequence[str]) -> dict[str, Value]:
    """Return values for the hints on arguments that lack an option: `load=1.2`, and a time such as `3 ms`."""
    if "--set" in known and re.fullmatch(r"[A-Za-z][\w.]*=.+", extra[0]):
        return _given(extra[0], known)
    before = list(arguments[: arguments.index(extra[0])] if extra[0] in arguments else [])
    if before[-2:-1] == ["--set"] and "=" not in before[-1]:
        return _given(f"{before[-1]}={extra[0]}", known)
    time = " ".join(extra)
    if not re.fullmatch(r"[\d._]+ ?[A-Za-z]*", time):
        return {}
    return {"at": time} if "--at" in known else {"until": time} if "--until" in known else {}


def _given(text: str, known: Sequence[str]) -> dict[str, Value]:
    """`load=1.2` as an option sets it, or as one that varies it, quoted for the shell where that is needed."""
    name, _, value = text.partition("=")
    quoted = value if re.fullmatch(r"[\w.,%+-]*", value) else f"'{value}'"
    varied = "--grid" in known and ("," in value or ".." in value)
    return {"grid" if varied else "setting": f"{name}={quoted}"}


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
    """Return what is wrong with a value; click puts it in front, as Python shows it."""
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


def bounds(kind: click.IntRange | click.FloatRange) -> str:
    """Return `1 or more` or `1 to 1,000`."""
    if kind.max is None or kind.max >= LARGEST:
        return f"{kind.min:,} or more"
    return f"{kind.min:,} to {kind.max:,}"
