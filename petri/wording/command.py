"""The command line: arguments, overrides, output files."""

from __future__ import annotations

from petri.wording.entry import Wording

WORDING: dict[str, Wording] = {
    "usage": Wording("{message}", "did you mean `{suggestion}`?", "usage: {usage}", "`{help}` shows the options"),
    "unknown-command": Wording(
        "there is no command `{name}`",
        "did you mean `pnsim {suggestion}`?",
        "to simulate a net: pnsim run {file}",
        "the commands are {commands:and}",
    ),
    "unknown-net": Wording(
        "there is no net `{name}`, neither as a file nor in the library",
        "did you mean `{suggestion}`?",
        "`pnsim list` shows the nets of the library",
    ),
    "set-form": Wording(
        "`--set {text}` has no value",
        "write NAME=VALUE, such as `--set load=0.9` or `--set line='2.5 Gbps'`",
    ),
    "set-twice": Wording("`{name}` is set twice", "remove `--set {first}` or `--set {second}`"),
    "native-missing": Wording(
        "the native engine is not installed",
        "install pnsim again with a Rust toolchain on the path, or use the slower engine: `--engine reference`",
    ),
    "reference-only": Wording(
        "using the slower reference engine because the native engine is not installed",
    ),
    "firings-limit": Wording("stopped after {limit} firings (`--max-firings`)"),
    "output-suffix": Wording(
        "the format of `{path}` is unknown: the name must end in {suffixes:or}",
        "did you mean `{suggestion}`?",
    ),
    "output-unwritable": Wording("`{path}` cannot be written: {reason}"),
    "interrupted": Wording("interrupted", notes=("{done} of {of:replication} finished",)),
    "out-of-memory": Wording(
        "there is not enough memory for this run",
        "if a place fills without bound, give it a capacity (`cap 64`), or set a limit such as --max-tokens 1000000",
    ),
    "nested-too-deeply": Wording("something in this net is nested too deeply"),
    "program-fault": Wording(
        "{what}",
        "this is a bug in pnsim, not in your net; with PNSIM_DEBUG=1 the same command shows where it happened",
    ),
}

LABELS: dict[str, str] = {}
