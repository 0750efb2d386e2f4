"""The options of a study, each declared once: as a field of the study, with all that people see of it.

Arguments in Python, keys of files and options of the command line follow from these fields.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import MISSING, Field, dataclass, field, fields
from inspect import Parameter, Signature, signature
from typing import Any, Literal, TypeVar

from petri.run.arguments import check_number, check_text
from petri.run.plan import check_known, check_whole

Kind = Literal[
    "text",
    "free",
    "share",
    "count",
    "seed",
    "switch",
    "values",
    "time",
    "choice",
    "names",
    "precision",
    "best",
    "figures",
    "ranges",
    "tolerance",
    "file",
]
"""text: a text. free: a text or what a program has instead. share: `95%` or 0.95. count: a whole number from 1, seed:
one from 0. switch: true or false; the option of the command line turns it off. values: a list. time: a number, or a
text with a unit. choice: one of several words. names: a list, whose option may be repeated. precision: `2%`, a
`Precision`. best: a `Best`, which has several options. figures: one name, or several. ranges: of parameters, whose
option may be repeated. tolerance: `1%` or 0.01. file: its path, beside the file that names it."""

_CHECKS: Mapping[Kind, Callable[[str, Any, str], None]] = {
    "text": check_text,
    "share": lambda name, value, _: check_number(name, value, "0.95"),
    "count": lambda name, value, _: check_whole(name, value, 1),
}
KEY = "option"  # in the metadata of a field
Study = TypeVar("Study")
Function = TypeVar("Function", bound=Callable[..., Any])


@dataclass(frozen=True)
class Option:
    """One option of a study: how people write it, and what it means.

    key, example: in a file, as `key: example`. flag, metavar, help, short: on the command line. refuses: raises
    ExperimentError for a study in which the value means nothing, before its net is known. choices: the words of a
    choice. shared: by each study, of the runs that it makes.
    """

    kind: Kind
    key: str
    example: str
    flag: str
    metavar: str | None
    help: str
    refuses: Callable[[Any], object] | None = None
    required: bool = False
    short: str = ""
    choices: Sequence[str] = ()
    shared: bool = False

    @property
    def line(self) -> str:
        """The example as a file has it."""
        return f"{self.key}: {self.example}"


def option(
    kind: Kind,
    key: str,
    example: str,
    metavar: str | None,
    about: str,
    *,
    default: Any = MISSING,
    flag: str = "",
    **more: Any,
) -> Any:
    """Make a field of a study. flag: `--key` if empty. more: other fields of `Option`."""
    said = Option(kind, key, example, flag or f"--{key}", metavar, about, required=default is MISSING, **more)
    return field(default=default, metadata={KEY: said})


def options_of(study: Any) -> dict[str, Option]:
    """Return the options of a study by the names of their fields."""
    return {one.name: one.metadata[KEY] for one in _declared(study)}


def _declared(study: Any) -> list[Field[Any]]:
    """Return the fields that are options: first those of the study itself, then those that it shares with others."""
    own = list(study.__annotations__)
    declared = [one for one in fields(study) if KEY in one.metadata]
    return sorted(declared, key=lambda one: own.index(one.name) if one.name in own else len(own))


def shared_options(study: Any) -> dict[str, Option]:
    """Return those that each study has for its runs."""
    return {name: one for name, one in options_of(study).items() if one.shared}


def check_kinds(study: Any, values: Mapping[str, Any]) -> None:
    """Raise TypeError, ValueError for values of options that are of a wrong kind, besides None where it is the
    default.
    """
    defaults = {one.name: one.default for one in fields(study)}
    for name, one in options_of(study).items():
        is_default = name in values and values[name] is None and defaults[name] is None
        if name in values and one.kind in _CHECKS and not is_default:
            _CHECKS[one.kind](name, values[name], one.example)


def make_study(study: Callable[..., Study], net: Any, values: Mapping[str, Any], runs: Callable[..., Any]) -> Study:
    """Make a study from the arguments of a program, which are its options and those of `runs`.

    Raises TypeError, ValueError for arguments of a wrong kind.
    """
    options = options_of(study)
    check_known("the study", values, [*options, *signature(runs).parameters])
    own = {name: value for name, value in values.items() if name in options}
    for name, one in options.items():
        if one.required and name not in own:
            raise TypeError(f"`{name}` is missing, such as {name}={one.example!r}")
    check_kinds(study, own)
    others = {name: value for name, value in values.items() if name not in options}
    return study(runs=runs(net, **others), **own)


def takes_options_of(study: type) -> Callable[[Function], Function]:
    """Give a function with `**options` the signature that names the options of the study."""

    def with_signature(function: Function) -> Function:
        before = signature(function)
        *plain, last = before.parameters.values()
        own = [_parameter(one) for one in _declared(study)]
        function.__signature__ = Signature(  # type: ignore[attr-defined]
            [*plain[:1], *own, *plain[1:], last.replace(name="runs")], return_annotation=before.return_annotation
        )
        return function

    return with_signature


def _parameter(one: Field[Any]) -> Parameter:
    default = Parameter.empty if one.default is MISSING else one.default
    return Parameter(one.name, Parameter.KEYWORD_ONLY, default=default, annotation=one.type)
