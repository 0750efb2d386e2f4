"""The public interface: load a net, run it, get its result."""

from __future__ import annotations

import math
import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from os import PathLike
from typing import TYPE_CHECKING, Any, Final, TypeVar, Unpack

from petri import language
from petri.component import Component
from petri.diagnostics import Diagnostic, LanguageError
from petri.display import ShownInNotebook, live, report, studies
from petri.engine.errors import ModelError
from petri.engine.interface import Limits
from petri.engine.native import available
from petri.exact.chain import Unsolvable, bounds
from petri.exact.explore import explore
from petri.exact.reach import Reachability
from petri.exact.relevant import relevant, whole
from petri.exact.relevant import untimed as without_times
from petri.exact.solution import Solution, solve
from petri.measure.sequential import FIRST_LOOK, Precision, looks
from petri.net import Net, Scalar
from petri.result import Result
from petri.run.arguments import check_mapping, check_path, check_text
from petri.run.driver import OutletSink, TraceSink
from petri.run.ensemble import Ensemble
from petri.run.going_on import Starts, starts_of
from petri.run.plan import Plan, RunOptions, check_function, check_options, check_whole
from petri.run.progress import Progress
from petri.run.replications import batches_kept, replicate
from petri.run.saved_run import SavedRun, check_engine
from petri.run.stop import StopSign, TimeLimit, interruptible
from petri.structs import Frozen, field, replace
from petri.traffic.attach import Files, with_streams
from petri.views import Drawing, Why, graph_of

if TYPE_CHECKING:
    from petri.bounds import Bounds

Setting = Scalar | bool | str | Sequence[Scalar | bool]
"""A value of a parameter: a number in the net's own units, text with a unit, or a list of numbers."""
Exactly = TypeVar("Exactly")
MOST_FOR_PRECISION: Final = 1_000  # replications of `run_precisely`


class GoingOn(Frozen):
    """The plan of a run that goes on from a saved one, and where its replications begin."""

    plan: Plan
    starts: Starts


class LoadedFrom(Frozen):
    """What a model was loaded from, so that it can be loaded again with other values of its parameters.

    path: None for a net given as text.
    """

    path: str | PathLike[str] | None
    text: str
    parameters: Mapping[str, Setting]
    tables: language.Tables | None = None
    streams: Files = field(default_factory=dict)
    columns: Mapping[str, str] | None = None
    own_streams: bool = False

    def model(self, more: Mapping[str, Setting]) -> Model:
        """Return the model with these values. Raises LanguageError."""
        given = {**self.parameters, **more}
        if self.path is None:
            read = language.loads_with_sources(self.text, given, tables=self.tables)
            loaded = Model(*read, LoadedFrom(None, self.text, given, self.tables))
        else:
            loaded = load(self.path, self.tables, **given)
        loaded = loaded.with_own_streams() if self.own_streams else loaded
        return loaded.with_streams(self.streams, self.columns) if self.streams or self.columns else loaded


class Model(ShownInNotebook, Frozen):
    """A flat net that can be run; `sources` are the texts that it was made from, by file name.

    A net built from the classes of `petri.net` runs as well: `Model(net).run(until=100.0)`.
    """

    net: Net
    sources: Mapping[str, str] = field(default_factory=dict)
    origin: LoadedFrom | None = None

    def __post_init__(self) -> None:
        if not isinstance(self.net, Net):
            raise TypeError(f"a model is made of a `petri.net.Net`, not of {self.net!r:.60}; `petri.load` reads a file")

    def with_streams(self, files: Files, columns: Mapping[str, str] | None = None) -> Model:
        """Return the model with these files at its places with streams (S6), by the places' names.

        columns: the file's column for a field, if the names differ: {"time": "frame.time_epoch [s]"}. Raises
        LanguageError if there is no such place or field.
        """
        check_mapping("files", files, "{'packets': 'trace.csv'}")
        for place, path in files.items():
            check_path(f"files[{place!r}]", path)
        if columns is not None:
            check_mapping("columns", columns, "{'time': 'frame.time_epoch [s]'}")
            for name, column in columns.items():
                check_text(f"columns[{name!r}]", column)
        origin = None if self.origin is None else replace(self.origin, streams=files, columns=columns)
        return Model(with_streams(self.net, files, columns), self.sources, origin)

    def with_own_streams(self, own: bool = True) -> Model:
        """Return the model in which each transition draws values from a random stream of its own (R5), or none does."""
        origin = None if self.origin is None else replace(self.origin, own_streams=own)
        return replace(self, net=replace(self.net, own_streams=own), origin=origin)

    def plan(self, *, trace: bool = False, **options: Unpack[RunOptions]) -> tuple[Plan, int]:
        """Return the plan of `run`, and the number of replications.

        Raises LanguageError if the end is missing or invalid.
        """
        check_options(options)
        defaults = self.net.run_defaults
        until, warmup, seed = options.get("until"), options.get("warmup"), options.get("seed")
        end = self.duration(until) if until is not None else defaults.until
        shares = [chance for chance in self.net.chances if chance.share]
        needs_no_run = bool(self.net.chances) and not shares  # trials are runs of their own
        if end is None and needs_no_run and not defaults.warmup:
            end = 0.0
        if end is None:
            raise LanguageError([Diagnostic("no-end")], self.sources)
        start = self.duration(warmup) if warmup is not None else defaults.warmup
        for name, value, time in (("until", until, end), ("warmup", warmup, start)):
            if time < 0.0 or math.isnan(time):
                raise LanguageError([Diagnostic("run-below-zero", values={"name": name, "text": str(value)})])
        save_at = options.get("save_at")
        save = None if save_at is None else self.duration(save_at)
        if save is not None:
            check_engine(options.get("engine", "auto"))
            if not 0.0 <= save <= end:
                raise LanguageError([Diagnostic("save-beyond-end", values={"text": str(save_at)})], self.sources)
        if shares and math.isinf(end):
            raise LanguageError([Diagnostic("share-no-end", shares[0].span)], self.sources)
        if start >= end and not (needs_no_run and start == end == 0.0):
            values = {"warmup": self._as_given(warmup, start), "until": self._as_given(until, end)}
            raise LanguageError([Diagnostic("warmup-beyond-end", values=values)], self.sources)
        plan = Plan(
            until=end,
            warmup=start,
            seed=defaults.seed if seed is None else seed,
            engine=choose(options.get("engine", "auto")),
            limits=options.get("limits", Limits()),
            firings=options.get("max_firings"),
            trace=trace,
            occupancy=options.get("occupancy", False),
            save_at=save,
        )
        replications = options.get("replications")
        return plan, defaults.replications if replications is None else replications

    def run(
        self,
        *,
        threads: int | None = None,
        progress: Callable[[Progress], None] | bool | None = None,
        trace: TraceSink | None = None,
        time_limit: float | TimeLimit | None = None,
        start: SavedRun | None = None,
        **options: Unpack[RunOptions],
    ) -> Result:
        """Run the net; `RunOptions` says what until, warmup, seed, replications, engine, limits and others are.

        until, warmup: in the net's time unit, or text with a unit ("20 ms"); "dead" or inf runs until the net
        is dead. threads: the most replications run at a time. progress: called about ten times a second, or
        True for a line that shows it, in a notebook or on a terminal. trace: receives every firing. time_limit: end
        the run after this number of seconds, as Ctrl-C does. start: go on from a saved run (`SavedRun.load`, or
        `Result.saved`) instead of time 0, with its seed. Without `replications` each replication goes on as if it had
        not been interrupted; with them, so many branches have random numbers of their own, and figures from there on.

        An error of the model, or of the file of a stream, is in `Result.failure`, with the figures up to that time.
        Ctrl-C ends the run and sets `Result.interrupted`. Raises LanguageError if the run cannot start, ImportError if
        the requested engine is not built.
        """
        if not isinstance(progress, bool):
            check_function("progress", progress)
        check_function("trace", trace)
        if progress is True:
            line = report().progress_line(self.net)
            try:
                return self.run(
                    threads=threads, progress=line, trace=trace, time_limit=time_limit, start=start, **options
                )
            finally:
                line.close()
        if start is not None:
            going_on = self.going_on(start, trace=trace is not None, **options)
            return self.run_plan(
                going_on.plan,
                len(going_on.starts.replications),
                threads=threads,
                progress=progress or None,
                trace=trace,
                time_limit=time_limit,
                starts=going_on.starts,
            )
        plan, count = self.plan(trace=trace is not None, **options)
        if (
            trace is None
            and options.get("save_at") is None
            and options.get("replications") is None
            and (precision := self.precision) is not None
        ):
            first = self.first_look
            return self.run_precisely(
                plan, precision, first, threads=threads, progress=progress or None, time_limit=time_limit
            )
        return self.run_plan(
            plan, count, threads=threads, progress=progress or None, trace=trace, time_limit=time_limit
        )

    def going_on(self, start: SavedRun, *, trace: bool = False, **options: Unpack[RunOptions]) -> GoingOn:
        """Return the plan of a run from a saved one, and where its replications begin.

        Raises LanguageError as `run` does.
        """
        if not isinstance(start, SavedRun):
            raise TypeError(f"`start` is a `SavedRun`, as `Result.saved` is, not {start!r:.60}")
        check_engine(options.get("engine", "auto"))
        given_seed = options.get("seed")
        seed = options["seed"] = start.seed if given_seed is None else given_seed
        given = options.get("warmup")
        options["warmup"] = start.warmup if given is None else given
        until = options.get("until")
        options["until"] = start.until if until is None else until
        try:
            starts = starts_of(self.net, start, options.get("replications"), seed)
        except ModelError as error:
            raise self._told(error) from error
        plan, _ = self.plan(trace=trace, **options)
        if starts.anew:
            plan = replace(plan, warmup=max(start.time, plan.warmup if given is not None else 0.0))
        if plan.until <= start.time or plan.until <= plan.warmup:
            unit = self.net.time_unit
            values = {"time": f"{start.time:.10g} {unit}".strip(), "until": f"{plan.until:.10g} {unit}".strip()}
            raise LanguageError([Diagnostic("state-beyond-end", values=values)], self.sources)
        recorded = all(replication.engine.levels is not None for replication in starts.replications)
        return GoingOn(replace(plan, occupancy=plan.occupancy and (recorded or starts.anew), start=start.time), starts)

    @property
    def precision(self) -> Precision | None:
        """The precision that the net's `run` line asks for."""
        wanted = self.net.run_defaults.precision
        return Precision(wanted) if wanted else None

    @property
    def first_look(self) -> int:
        """The number of replications after which a precision is checked first."""
        return max(FIRST_LOOK, self.net.run_defaults.replications)

    def component(self, *, engine: str = "auto", seed: int | None = None, limits: Limits = Limits()) -> Component:
        """Return the net at time 0, to put tokens into its ports and take others while time goes on.

        Raises LanguageError if the key of an initial token fails, or a place gets the rows of a file.
        """
        if any(place.stream is not None for place in self.net.places):
            raise LanguageError([Diagnostic("component-stream", values={"net": self.net.name})])
        begun = choose(engine), self.net.run_defaults.seed if seed is None else seed, limits
        try:
            return Component(self.net, *begun)
        except ModelError as error:
            raise self._told(error) from error

    def run_plan(
        self,
        plan: Plan,
        count: int,
        *,
        threads: int | None = None,
        progress: Callable[[Progress], None] | None = None,
        trace: TraceSink | None = None,
        outlet: OutletSink | None = None,
        time_limit: float | TimeLimit | None = None,
        starts: Starts | None = None,
    ) -> Result:
        """Run a plan `count` times; starts: of `going_on`, as many; the other arguments as of `run`."""
        try:
            ran, interrupted = replicate(
                self.net,
                plan,
                range(count) if starts is None else [replication.index for replication in starts.replications],
                threads=threads,
                progress=progress,
                trace=trace,
                outlet=outlet,
                limit=TimeLimit.of(time_limit),
                starts=None if starts is None else starts.replications,
                trials_once=True,
            )
        except ModelError as error:  # the key of an initial token failed: there is no run yet to store the error
            raise self._told(error) from error
        return Result(self.net, plan, ran, interrupted, count)

    def run_precisely(
        self,
        plan: Plan,
        precision: Precision,
        first: int = FIRST_LOOK,
        most: int = MOST_FOR_PRECISION,
        *,
        threads: int | None = None,
        progress: Callable[[Progress], None] | None = None,
        time_limit: float | TimeLimit | None = None,
    ) -> Result:
        """Replicate until every measure has the precision, as a sweep does: after `first`, and then at planned looks.

        At most `most` replications. Counts, sums and extremes, which have no interval, are not asked for one.
        """
        ran = Ensemble.none(self.net)
        limit = TimeLimit.of(time_limit)
        for look in looks(first, most):
            wanted = range(len(ran), look)
            more, interrupted = replicate(
                self.net,
                plan,
                wanted,
                threads=threads,
                progress=progress,
                batches=batches_kept(self.net, 2),
                limit=limit,
            )
            ran = Ensemble.joined([ran, more])
            result = Result(self.net, plan, ran, interrupted, look, sequential=True)
            if interrupted or result.failure is not None or not imprecise(result, precision):
                break
        return result

    def why(
        self,
        transition: str,
        at: float | str | None = None,
        *,
        firing: int | str | None = None,
        replication: int = 0,
        **options: Unpack[RunOptions],
    ) -> Why:
        """Return why a transition was enabled at an instant of a run, or not; `print(model.why("send", "3 ms"))` prints
        it.

        at: when all that happens at that time has happened, in the net's unit or as text with a unit; the end of the
        run if None. firing: instead, just before firing number N, from 1, or before the first firing of that transition
        after `at`. The options are those of `run`. Raises LanguageError if there is no such transition, if it never
        fires, or if the time is not one.
        """
        check_whole("replication", replication, 0)
        explained: Why = report().why(self, transition, at, firing, replication, **options)
        return explained

    def solve(self, *, at: float | str | None = None, states: int | None = None, symmetry: bool = True) -> Solution:
        """Return the exact figures of the net: in the long run, or averages and totals up to the instant `at`.

        at: in the net's unit, or text with a unit. states: the most that are explored. symmetry: explore one of the
        states that differ by an exchange of elements of arrays, or of values of tokens.

        Each figure has a bound on its error.

        Raises LanguageError where the net has no chain that can be solved, ImportError where it needs scipy, which is
        not installed.
        """
        until = None if at is None else self.duration(at)
        if until is not None and not 0.0 < until < math.inf:
            raise LanguageError([Diagnostic("exact-at", values={"text": str(at)})])
        return self._exactly(lambda stop: solve(self.net, until, bounds(states), stop, symmetry))

    def bounds(self) -> Bounds:
        """Return how large or small figures can be in the long run, whatever the distributions, and what limits them.

        Nothing is run. Raises ImportError without scipy.
        """
        from petri.bounds import bounds_of  # which few programs need, and only with an extra

        return bounds_of(self.net)

    def sensitivity(
        self,
        *,
        over: Iterable[str] | Mapping[str, Any] | None = None,
        measures: Sequence[str] | None = None,
        exact: bool = False,
        globally: bool = False,
        **options: Any,
    ) -> Any:
        """Return how much each figure changes with each parameter and each transition's time (docs/sensitivity.md).

        over: only these parameters and transitions; with `globally`, which gives the indices of Sobol and of Morris,
        also their ranges, {"load": "0.5..0.9"}. measures: figures, all declared ones if None. exact: from solutions
        instead of runs. Other options: those of `run` (until, warmup, seed, replications, engine, threads,
        time_limit); `states` as of `solve`; `samples`, the rows of Sobol's sample.

        Raises LanguageError, and ExperimentError for what has no such answer.
        """
        asked = {"over": over, "measures": measures, "exact": exact, "globally": globally}
        return studies().sensitivity(self, **asked, **options)

    def reach(self, *, states: int | None = None, untimed: bool = False, all_values: bool = False) -> Reachability:
        """Return every state that the net can reach, up to the number `states`.

        untimed: every time may be anything, so that any net can be explored. all_values: also tell states apart that
        differ only in values which decide nothing. Ctrl-C ends the exploration; what was
        found is returned then, with `interrupted`. Raises as `solve` does.
        """

        def explored(stop: StopSign) -> Reachability:
            net = without_times(self.net) if untimed else self.net
            found = whole(net) if all_values else relevant(net)
            return Reachability(self.net, explore(found.net, bounds(states), stop), found.idle)

        return self._exactly(explored)

    def _exactly(self, work: Callable[[StopSign], Exactly]) -> Exactly:
        """Return what `work` gives, also if it ends early by Ctrl-C.

        Raises LanguageError where the net has no chain, a firing breaks a rule, or the native engine is not installed.
        """
        if not available():
            raise LanguageError([Diagnostic("exact-needs-native")])
        found: list[Exactly] = []
        try:
            interruptible(lambda stop: found.append(work(stop)))
            return found[0]
        except KeyboardInterrupt:
            if not found:
                raise
            return found[0]
        except Unsolvable as why:
            raise LanguageError([why.diagnostic(self.net)], self.sources) from why
        except ModelError as error:
            raise self._told(error) from error

    def _told(self, error: ModelError) -> LanguageError:
        values = {name: str(value) for name, value in error.values.items()}
        return LanguageError([Diagnostic(error.id, error.span, values)], self.sources)

    def draw(self) -> Drawing:
        """Return the drawing of the net. A notebook shows it; `draw().save("net.svg")` writes it as SVG, or as DOT.

        Raises ValueError where the net is too large for a drawing.
        """
        drawing: Drawing = report().draw(self)
        return drawing

    def graph(self) -> Any:
        """Return the net as a graph of networkx, whose nodes are places and transitions (`petri.views.graph_of`)."""
        return graph_of(self.net)

    def live(self, *, threads: int | None = None, **options: Unpack[RunOptions]) -> Any:
        """Return the net with a slider for each parameter, in a notebook: its figures follow them (docs/live.md).

        threads: replications run in parallel (default: all cores). The other options are those of `plan`. It ends when
        1,000 replications have run, or with `close()`. Raises ValueError where the net was not loaded from a text,
        LanguageError if the run cannot start, ImportError without ipywidgets (the extra `notebook`).
        """
        if self.origin is None:
            raise ValueError("the parameters of this net have their values: load it from its text with `petri.load`")
        return live().view(self.origin, self.net.name, threads, options)

    def duration(self, value: float | str) -> float:
        """Return a time in the net's unit, from a number or from text such as "20 ms" or "dead"."""
        if isinstance(value, str):
            return math.inf if value.strip() in ("dead", "inf") else language.duration(value, self.net)
        if not hasattr(value, "__float__"):
            raise TypeError(f"a time is a number, or text with a unit, such as '20 ms', not {value!r:.60}")
        return float(value)

    def _as_given(self, given: float | str | None, time: float) -> str:
        return given if isinstance(given, str) else f"{time:.10g} {self.net.time_unit}".strip()


def imprecise(result: Result, precision: Precision) -> list[str]:
    """Return the measures whose interval over the replications is wider than that."""
    means = [measure for measure in result.measures if measure.interval.statistic == "mean" and measure.failure is None]
    return [one.name for one in means if not precision.met(one.interval)]


def load(path: str | PathLike[str], tables: language.Tables | None = None, /, **parameters: Setting) -> Model:
    """Return the model of a `.net` file, or of a net of the library by its name ("ixp2400", "patterns/mm1").

    parameters: values for the net's parameters, as numbers, lists of numbers, or text with a unit ("10 us"). tables:
    other files for the tables that the net draws from, by their names in the net. Raises LanguageError with all errors.
    """
    if not isinstance(path, str | os.PathLike):
        raise TypeError(f"a net is loaded by its path or by its name in the library, not by {path!r}")
    return Model(*language.load_with_sources(path, parameters, tables), LoadedFrom(path, "", parameters, tables))


def loads(text: str, /, **parameters: Setting) -> Model:
    """Return the model of a net given as text. It can import the library's modules, but no files."""
    if not isinstance(text, str):
        raise TypeError(f"the text of a net is a string, not {text!r:.60}")
    return Model(*language.loads_with_sources(text, parameters), LoadedFrom(None, text, parameters))


def choose(engine: str) -> str:
    """Return the engine for "auto": the native one if it is built."""
    if engine == "auto":
        return "native" if available() else "reference"
    if engine not in ("native", "reference"):
        raise ValueError(f'no engine "{engine}"; there are "native", "reference" and "auto"')
    return engine
