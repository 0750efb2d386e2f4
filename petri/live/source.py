"""Where the net of a desk comes from: loading it with other values, and the same setting as texts to take away."""

from __future__ import annotations

import json
import keyword
import os
import shlex
from collections.abc import Mapping, Sequence
from typing import Any, Final

from petri.model import LoadedFrom, Model
from petri.run.plan import Plan, RunOptions
from petri.structs import Frozen

OPTIONS: Final = ("until", "warmup", "seed", "engine")  # of a run that the three texts repeat
IN_YAML: Final = ("until", "warmup", "seed")


class Source(Frozen):
    """name: how a command names the net. origin, options: what `live` was given; the values of parameters that the page
    sets come on top."""

    name: str
    origin: LoadedFrom
    options: RunOptions

    def load(self, settings: Mapping[str, str]) -> tuple[Model, Plan]:
        """Return the net with these values, and the plan of its runs. Raises LanguageError."""
        model = self.origin.model(settings)
        return model, model.plan(**self.options)[0]

    def copies(
        self, settings: Mapping[str, str], replications: int, grid: Mapping[str, Sequence[str]]
    ) -> dict[str, str]:
        """Return the setting as a command, as an experiment in YAML, and as a program in Python, which give its
        figures.

        grid: values of parameters, of the curve or the surface that the experiment contains.
        """
        whole = self._whole(settings)
        return {
            "command": self.command(settings, replications),
            "yaml": self._yaml(whole, replications, grid),
            "python": self._python(whole, replications),
        }

    @property
    def _options(self) -> dict[str, Any]:
        given: Mapping[str, Any] = self.options
        return {name: given[name] for name in OPTIONS if given.get(name) not in (None, "auto")}

    @property
    def _files(self) -> tuple[tuple[str, str, Mapping[str, object]], ...]:
        """What is read in place of the net's own files: the option of a command, the key in YAML, and by name."""
        origin = self.origin
        return (
            ("--table", "tables", dict(origin.tables or {})),
            ("--stream", "recordings", dict(origin.streams)),
            ("--column", "columns", dict(origin.columns or {})),
        )

    def _whole(self, settings: Mapping[str, str]) -> dict[str, str]:
        """Return the settings with those that the desk was given."""
        return {**{name: _text(value) for name, value in self.origin.parameters.items()}, **settings}

    def command(self, settings: Mapping[str, str], replications: int, seed: int | None = None) -> str:
        words = ["pnsim", "run", self.name]
        for option, each in (("--set", self._whole(settings)), *((option, each) for option, _, each in self._files)):
            words += [word for name, value in each.items() for word in (option, f"{name}={value}")]
        options = self._options | ({} if seed is None else {"seed": seed})
        words += [word for name, value in options.items() for word in (f"--{name}", str(value))]
        return shlex.join([*words, "-n", str(replications)]) + "\n"

    def _yaml(self, settings: Mapping[str, str], replications: int, grid: Mapping[str, Sequence[str]]) -> str:
        fixed = {name: value for name, value in settings.items() if name not in grid}
        lines = [f"net: {_scalar(self.name)}"]
        if fixed and grid:
            lines += ["set:", *(f"  {name}: {_scalar(value)}" for name, value in fixed.items())]
        grid = grid or {name: [value] for name, value in settings.items()}
        lines += ["grid:" if grid else "grid: {}"]
        lines += [f"  {name}: [{', '.join(map(_scalar, each))}]" for name, each in grid.items()]
        for _, key, each in self._files:
            if each:
                lines += [f"{key}:", *(f"  {_scalar(name)}: {_scalar(str(file))}" for name, file in each.items())]
        lines += [f"{name}: {_scalar(str(value))}" for name, value in self._options.items() if name in IN_YAML]
        return "\n".join([*lines, f"replications: {replications}"]) + "\n"

    def _python(self, settings: Mapping[str, str], replications: int) -> str:
        (_, _, tables), (_, _, streams), (_, _, columns) = self._files
        load = [repr(self.name), *([_plain(tables)] if tables else [])]
        if all(name.isidentifier() and not keyword.iskeyword(name) for name in settings):
            load += [f"{name}={value!r}" for name, value in settings.items()]
        else:
            load += [f"**{dict(settings)!r}"]
        attached = f".with_streams({_plain(streams)}, {_plain(columns)})" if streams or columns else ""
        run = [f"{name}={value!r}" for name, value in self._options.items()] + [f"replications={replications}"]
        return f"import petri\n\nmodel = petri.load({', '.join(load)}){attached}\nprint(model.run({', '.join(run)}))\n"


def _text(value: object) -> str:
    """Return the value of a parameter as a text of the language: a bool is written `true`, numbers as they are."""
    return str(value).lower() if isinstance(value, bool) else str(value)


def _plain(files: Mapping[str, object]) -> str:
    return repr({name: os.fspath(file) if isinstance(file, os.PathLike) else file for name, file in files.items()})


def _scalar(text: str) -> str:
    """Numbers and words as they are, anything else between quotation marks."""
    try:
        float(text)
    except ValueError:
        return text if text in ("true", "false") else json.dumps(text, ensure_ascii=False)
    return text
