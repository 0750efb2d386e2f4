"""The help of a command with many options, with these in groups."""

from __future__ import annotations

from typing import Final

import click

OTHERS: Final = "Other options"
WIDEST: Final = 22  # columns of an option with its value; a longer one has a line of its own
_GROUPS: Final = {
    "What is varied and asked": (
        "grids", "greatest", "least", "within", "measures",
    ),
    "The net": ("settings", "stream", "column", "table", "root"),
    "The runs": (
        "until", "warmup", "replications", "precision", "max_replications", "confidence", "seed", "streams",
        "saving", "saved",
    ),
    "Results": ("every", "as_json", "export", "report", "trace", "outs", "exact", "bound", "quiet"),
    "Computing": (
        "engine", "threads", "workers", "dask", "time_limit", "max_tokens", "max_instant", "max_firings", "store",
        "fresh",
    ),
}  # fmt: skip
_GROUP_OF: Final = {name: title for title, names in _GROUPS.items() for name in names}


class Grouped(click.Command):
    """A command whose help has its options by what they are for."""

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        found: dict[str, list[tuple[str, str]]] = {title: [] for title in (*_GROUPS, OTHERS)}
        for parameter in self.get_params(ctx):
            record = parameter.get_help_record(ctx)
            if record is not None and isinstance(parameter, click.Option):
                found[_GROUP_OF.get(str(parameter.name)) or str(getattr(parameter, "group", OTHERS))].append(record)
        for title, records in found.items():
            if records:
                records[0] = (records[0][0].ljust(WIDEST), records[0][1])  # so that the texts of all groups align
                with formatter.section(title):
                    formatter.write_dl(records, col_max=WIDEST)
