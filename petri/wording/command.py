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
    "library-net-meant": Wording(
        "`{name}` is the net of the library, not the file `{path}`", "write `{path}` for the file"
    ),
    "no-converter": Wording(
        "`{path}` cannot be made: {reason}",
        "install librsvg (rsvg-convert), Inkscape or Chromium; or draw an .svg and print it from a browser",
    ),
    "play-too-large": Wording(
        "the net is too large for a token game: more than {most} places and transitions",
        "make its arrays smaller with --set",
    ),
    "unknown-box": Wording(
        "the net has no module `{name}`",
        "did you mean `{suggestion}`?",
        "its modules and threads are {known:and}",
    ),
    "unknown-transition": Wording(
        "`{net}` has no transition `{name}`",
        "did you mean `{suggestion}`?",
        "`{place}` is a place: ask for a transition that takes from it or gives to it",
        "its transitions are {known:and}",
    ),
    "no-such-firing": Wording(
        "`{name}` does not fire in this run", "ask why: pnsim why NET {name}", notes=("looked at after {at}",)
    ),
    "set-form": Wording(
        "`--set {text}` has no value",
        "write NAME=VALUE, such as `--set load=0.9` or `--set line='2.5 Gbps'`",
    ),
    "set-twice": Wording("`{name}` is set twice", "remove `--set {first}` or `--set {second}`"),
    "new-name": Wording("`{name}` cannot be the name of a net", "a name has letters, digits and `_`, a letter first"),
    "new-exists": Wording("`{path}` exists already", "choose another name, or remove the file"),
    "unknown-pattern": Wording(
        "there is no net `{name}` in the library", "did you mean `{suggestion}`?", "`pnsim list` shows them"
    ),
    "pattern-with-files": Wording(
        "`{name}` reads other files, which a copy would not find", "choose a net that is complete, such as `mm1`"
    ),
    "watch-no-file": Wording("`{path}` is not a file", "`pnsim watch` needs a net in a file of your own"),
    "live-stdin": Wording(
        "`pnsim live` cannot read a net from stdin, which it could not read again", "save the net in a file"
    ),
    "live-port": Wording("no page can be served on port {port}: {reason}", "leave out --port: any free one is taken"),
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
    "time-limit-form": Wording("`{text}` is not a time limit", "write a time such as 90 s, 10 min or 2 h"),
    "time-over": Wording("the time limit is over"),
    "interrupted": Wording("interrupted", notes=("{done} of {of:replication} finished",)),
    "out-of-memory": Wording(
        "there is not enough memory for this run",
        "if a place fills without bound, give it a capacity (`cap 64`), or set a limit such as --max-tokens 1000000",
    ),
    "nested-too-deeply": Wording("something in this net is nested too deeply"),
    "unknown-in-result": Wording(
        "there is no {kind} `{name}` in this result",
        "`{name}` is a {elsewhere}",
        "did you mean `{suggestion}`?",
        "there are {known:and}",
    ),
    "place-still-grows": Wording(
        "the tokens of `{name}` still grow: {early} in the first third of the run, {late} in the last",
        "its figures depend on the length of the run: run longer (--until), leave out a warm-up, or look whether more "
        "comes than can leave",
        notes=("{more} more are not settled (`--json` lists all)",),
    ),
    "place-grows-steadily": Wording(
        "the tokens of `{name}` grow steadily, by {growth}: {early} in the first third of the run, {late} in the last",
        "more tokens arrive than are taken out; while that is so, no run is long enough for its figures",
        notes=("{more} more are not settled (`--json` lists all)",),
    ),
    "measure-unsettled": Wording(
        "`{name}` has not settled: {early} in the first third of the run, {late} in the last",
        "it depends on the length of the run: if it moves only at first, run longer (--until), or leave out a warm-up",
        notes=("{more} more are not settled (`--json` lists all)",),
    ),
    "figure-failed": Wording(
        "`{name}` could not be computed: {reason}",
        "this is a fault of pnsim, not of your net; the other figures are complete",
    ),
    "program-fault": Wording(
        "{what}",
        "this is a bug in pnsim, not in your net; with PNSIM_DEBUG=1 the same command shows where it happened",
    ),
}
