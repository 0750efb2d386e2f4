"""Experiments: their files, stores, workers, comparisons and repetitions."""

from __future__ import annotations

from petri.wording.entry import Wording

WORDING: dict[str, Wording] = {
    # ---------------------------------------------------------------- the file
    "yaml-syntax": Wording("this is not YAML: {reason}", notes=("{context}",)),
    "yaml-tag": Wording("the tag `{tag}` is not allowed here", "write plain texts, numbers, lists and mappings"),
    "yaml-duplicate": Wording("`{name}` occurs twice"),
    "yaml-too-large": Wording("`{path}` is larger than an experiment may be ({limit:byte})"),
    "yaml-too-deep": Wording("this is nested too deeply"),
    "yaml-too-many": Wording("the experiment has more than {limit:entry|entries}"),
    "net-not-regular": Wording("`{path}` is {kind}, and the net of an experiment is read from a regular file"),
    "yaml-missing-file": Wording("`{path}` cannot be read: {reason}"),
    "yaml-not-text": Wording("`{path}` is not a text file"),
    "experiment-empty": Wording("the experiment is empty", "it needs at least the line `net: NAME`"),
    "experiment-key": Wording(
        "`{name}` is not a key here", "did you mean `{suggestion}`?", "the keys here are {known:and}"
    ),
    "experiment-missing": Wording("`{name}` is missing", "write, for example: {example}"),
    "experiment-kind": Wording("`{name}` must be {wanted}, not {found}", "write, for example: {example}"),
    "experiment-number": Wording("`{name}` must be {wanted}, not {found}"),
    "experiment-value": Wording("`{text}` cannot be the value of `{name}`: {reason}"),
    "experiment-two-designs": Wording(
        "`{first}` and `{second}` both define the points", "keep one of grid, points and sample"
    ),
    "experiment-same-parameter": Wording("`{name}` is fixed under `set` and varied under `{where}`"),
    "precision-form": Wording(
        "`{text}` is not a precision",
        "write a share of the measure such as 2%, or a plain number in the net's units such as 0.001",
    ),
    "within-form": Wording("`{text}` is not a tolerance", "write a share such as 5%, or a plain number such as 0.01"),
    "expected-nowhere": Wording("no point of the experiment matches {point}"),
    "expected-table-empty": Wording(
        "the table has no values", "write a heading with parameters and measures, and a line for each point below it"
    ),
    "expected-table-twice": Wording("the heading of the table has `{name}` twice"),
    "expected-table-no-measure": Wording(
        "the heading of the table has no measure: {names:and} are parameters of the points",
        "add columns for the measures that are expected",
    ),
    "expected-table-row": Wording(
        "this line has {found:cell}, and the heading {wanted}",
        "separate cells by two blanks or by `|`; write - where there is no value",
    ),
    # ---------------------------------------------------------------- points
    "case-and-point": Wording(
        "`{name}` has a value in the case `{case}` and another at the points", "give it in the cases or in the grid"
    ),
    "no-points": Wording("the experiment has no points"),
    "too-many-points": Wording(
        "the experiment has {count:point}, more than {limit}", "use fewer values, or a sample (latin-hypercube)"
    ),
    "range-without-step": Wording(
        "the range `{text}` of reals has no step",
        "add a step, such as 0.1..0.9 step 0.1, or a factor, such as 0.01..10 times 10",
    ),
    "range-step": Wording("the range `{text}` never ends", "a step must be above 0, a factor above 1"),
    "range-too-long": Wording("the range `{text}` has too many values"),
    "range-empty": Wording("the range `{text}` has no values", "write the smaller end first"),
    "range-units": Wording("the range `{text}` mixes units", "write the unit once, after the range: 1..5 us"),
    "grid-form": Wording(
        "`--grid {text}` has no values",
        "write --grid NAME=VALUES, such as --grid threads=1,2,4,8 or --grid engines=1..8",
    ),
    "grid-twice": Wording("`{name}` has two grids", "write all its values in one grid: --grid {name}=1,2,4"),
    "grid-of-file": Wording(
        "`--grid` cannot be combined with an experiment file",
        "write the grid in the file, or give the net instead of the file",
    ),
    "point-refused": Wording("the net cannot be run at {point}"),
    "net-without-parameters": Wording(
        "a flat net has no parameters that could be set ({parameters:and})",
        "pass a function that makes the net from its parameters",
    ),
    "net-without-tables": Wording(
        "the tables of a flat net cannot be replaced ({tables:and})",
        "load the net with other tables: petri.load(file, {{name: another}})",
    ),
    # ---------------------------------------------------------------- measures
    "unknown-figure": Wording(
        "the net `{net}` has no measure `{name}`",
        "did you mean `{suggestion}`?",
        "it declares {measures:and}",
        "the figures of `{owner}` are {columns:and}",
    ),
    "best-and-precision": Wording(
        "the best point and a precision both say how many replications there are", "keep one of them"
    ),
    "best-without-figure": Wording(
        "`{name}` is about the best point, but no figure says which that is",
        "name one with `--greatest throughput` or, in a file, `best: {{greatest: throughput}}`",
    ),
    "best-twice": Wording("the best point has the greatest mean or the least, not both", "keep one of them"),
    "best-of-unkept": Wording(
        "the best point is to be found by `{name}`, which is not kept", "the measures kept are {kept:and}"
    ),
    "best-of-one": Wording(
        "there is one point, so that none is the best", "give values to choose from, such as `--grid threads=1..8`"
    ),
    "precision-of-unkept": Wording(
        "a precision is set for `{name}`, which is not kept", "the measures kept are {kept:and}"
    ),
    "parts-of-unkept": Wording("the part `{name}` is not kept", "the measures kept are {kept:and}"),
    "precision-of-extreme": Wording(
        "`{name}` is the {extreme} value of all replications, which has no interval",
        "set a precision for a mean, or for a percentile such as `p99`",
    ),
    "expected-of-unkept": Wording(
        "a value is expected for `{name}`, which is not kept", "the measures kept are {kept:and}"
    ),
    "not-a-quantity": Wording("`{text}`, expected of `{name}`, is not a number with a unit"),
    "unit-of-measure": Wording(
        "`{text}` does not have the unit of `{name}`",
        "`{name}` is measured in {fitting:or}",
        "`{name}` is a {plain} number",
    ),
    "warmup-without-end": Wording(
        "the warm-up cannot be determined automatically, because `{net}` runs until no transition can fire",
        "give the run an end (until: 20 ms), or a warm-up",
    ),
    "warmup-found": Wording("the warm-up ends at {where}", notes=("`{series}` took longest to settle",)),
    "warmup-unsettled": Wording(
        "the warm-up is not over by the middle of the run: `{series}` has not settled",
        "make the run longer (--until); the measures may be biased",
        notes=("at {point}",),
    ),
    # ---------------------------------------------------------------- the store
    "store-missing": Wording("there is no store `{path}`"),
    "store-unwritable": Wording("the store `{path}` cannot be used: {reason}"),
    "not-a-store": Wording("`{path}` is not a store of pnsim", "choose another file with --store"),
    "store-damaged": Wording("the store `{path}` is damaged: {reason}"),
    "store-version": Wording(
        "the store `{path}` has layout {found}, but this version of pnsim uses layout {known}",
        "use the version that wrote the store, or another store (--store)",
    ),
    "store-of-other-experiment": Wording(
        "the store `{path}` belongs to another experiment: there {what} is {there}, here {here}",
        "use another store for this experiment (--store), or remove that one (--fresh)",
    ),
    "store-of-other-net": Wording(
        "the store `{path}` was made with a different net: `{net}` has changed since",
        "run everything again with `--fresh`, which removes this store first, or use another store (--store)",
        notes=("at {point}",),
    ),
    "precision-of-trace": Wording(
        "`--trace` cannot be combined with `--precision`, which decides how many replications are run",
        "choose their number (-n), or leave the trace out",
    ),
    "run-imprecise": Wording(
        "the precision of {measures:and} was not reached in {count:replication}",
        "allow more (--max-replications), or make the runs longer (--until)",
    ),
    "precision-missed": Wording("at {point} the precision of {measures:and} was not reached in {count:replication}"),
    "point-failed": Wording("at {point}, replication {replication} stopped with an error in the model: {message}"),
    "sweep-interrupted": Wording(
        "interrupted; {count:replication} kept in `{path}`", "the same command continues from there"
    ),
    # ---------------------------------------------------------------- workers
    "no-dask": Wording("Dask is not installed ({reason})", "install it: pip install 'pnsim[dask]'"),
    "dask-unreachable": Wording(
        "no Dask scheduler answers at `{address}`: {reason}", "start one with `dask scheduler`, or use --dask local"
    ),
    "workers-lost": Wording(
        "replication {replication} at {point} was abandoned: its worker died {times:time}",
        "it may need more memory than a worker has",
    ),
    "worker-version": Wording(
        "a worker runs pnsim {there}, not {here}", "install the same version everywhere, so that results agree"
    ),
    # ---------------------------------------------------------------- output, compare, rerun
    "export-suffix": Wording("the format of `{path}` is unknown: the name must end in {suffixes:or}"),
    "export-unwritable": Wording("`{path}` cannot be written: {reason}"),
    "no-pyarrow": Wording(
        "writing `{path}` needs pyarrow, which is not installed", "install it: pip install 'pnsim[parquet]'"
    ),
    "not-a-result": Wording(
        "`{path}` is neither a result of `pnsim run --json` nor a store: {reason}",
    ),
    "no-such-point": Wording("`{path}` has no point with {point}", "its points: {points:and:}"),
    "several-points": Wording("`{path}` has {count:point}; which one is meant?", "name one, such as {path}:{example}"),
    "nothing-to-compare": Wording("the two sides have no measure in common", notes=("{first}", "{second}")),
    "no-such-measure": Wording(
        "`{name}` is not a measure of both sides",
        "did you mean `{suggestion}`?",
        "the measures of both are {known:and}",
    ),
    "no-such-replication": Wording(
        "`{path}` has no replication {index}", "it has {count:replication}, numbered from 0"
    ),
    "rerun-of-state": Wording(
        "`{path}` is the result of a run that went on from a saved state, which it does not contain",
        "repeat it with `pnsim run --from FILE`",
    ),
    "rerun-net": Wording(
        "the result does not contain the path of its net, and there is no `{net}` in the library",
        "name the net with --net FILE",
    ),
    "rerun-net-differs": Wording(
        "`{net}` is not the net of this result: its flat net has the hash {found}, not {wanted}",
        "pass the file as it was then with --net FILE, and your own table with --table NAME=FILE",
    ),
}
