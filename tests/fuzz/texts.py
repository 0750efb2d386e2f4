"""Random nets as text, in which all that the language has stands together: threads, streams, services, modules with
measures, records, lists, capacities in bytes, preferences, and clocks whose period is no decimal number.

Packets go round between a few places, so that whatever takes them has something to do. Each declared name is `N`, a
number and a word, so that a text can be renamed without knowing the language. `Text.uses` says which constructs were
drawn, and for each what shows that it acts: the name of a transition that fires, of a measure that has a
value, or of a stream that runs empty.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass, field

from tests.engine.nets import Chooser

CLOCKS = {
    "a clock of 20/3 ns": "20 ns / 3",
    "a clock of 133.33 MHz": "1 / (133.33 MHz)",
    "a clock of 10 ns": "10 ns",
}
KEPT, FREE = "kept", "free"
"""Whether the order of a declaration among those of its kind shows in a run: that of transitions does (R2), that of
places, types, constants and measures does not."""


@dataclass
class Text:
    """`declarations` are pairs: `KEPT` or `FREE`, and a text. `streams`: places, and the rows of their files."""

    declarations: list[tuple[str, str]] = field(default_factory=list)
    streams: dict[str, int] = field(default_factory=dict)
    uses: dict[str, list[str]] = field(default_factory=dict)


@dataclass
class Store:
    """A place of packets. `uses`: the constructs of its declaration. `size`: of an array, else 0."""

    name: str
    uses: tuple[str, ...] = ()
    size: int = 0
    limited: bool = False

    def at(self, index: int | str) -> str:
        return f"{self.name}[{index}]" if self.size else self.name


@dataclass
class Writer:
    """Writes one net. Names of types, fields and values are made first, as every part uses them."""

    choose: Chooser
    text: Text = field(default_factory=Text)
    uses: defaultdict[str, list[str]] = field(default_factory=lambda: defaultdict(list))
    number: int = 0
    stores: list[Store] = field(default_factory=list)
    measurable: list[str] = field(default_factory=list)  # transitions that take a packet as p
    lasting: list[str] = field(default_factory=list)  # those of them whose firings may last
    called: str = ""  # the step that calls the service, to be given a size
    emptied: Store | None = None  # a place that the transition resets, which gets the packet
    repeated: int = 0  # loops around the step that is written
    unsure: int = 0  # blocks around it whose steps may be given up

    def name(self, word: str) -> str:
        self.number += 1
        return f"N{self.number}{word}"

    def free(self, text: str) -> None:
        self.text.declarations.append((FREE, text))

    def kept(self, text: str) -> None:
        self.text.declarations.append((KEPT, text))

    def drawn(self, constructs: Iterable[str], witness: str) -> None:
        for construct in constructs:
            self.uses[construct].append(witness)

    def perhaps(self, text: str, in_ten: int = 3) -> str:
        return text if self.choose.chance(in_ten) else ""

    # ------------------------------------------------------------ the parts

    def write(self) -> Text:
        self.head()
        for _ in range(self.choose.number(2, 4)):
            self.store()
        for _ in range(self.choose.number(1, 3)):
            self.transition()
        # Small nets and large ones: most faults need few parts together, and a net costs what its size is.
        likely = self.choose.one((2, 4, 6))
        for part in (
            self.service, self.stream, self.module, self.timer, self.race, self.schedule, self.sets,
        ):  # fmt: skip
            if self.choose.chance(likely):
                part()
        for _ in range(self.choose.number(1, 2)):
            self.thread()
        for _ in range(self.choose.number(2, 6)):
            self.measure()
        self.run()
        self.text.uses = dict(self.uses)
        return self.text

    def head(self) -> None:
        words = ("cycle", "class", "gold", "silver", "bronze", "packet", "kind", "size", "seq", "born")
        self.cycle, self.class_, self.gold, self.silver, self.bronze, self.packet, *rest = map(self.name, words)
        self.kind, self.size, self.seq, self.born = rest
        self.clock = self.choose.one(tuple(CLOCKS))
        self.free("net random")
        self.free(f"time {self.choose.one(('ns', 'us', self.cycle))}")
        self.free(f"unit {self.cycle} = {CLOCKS[self.clock]}")
        self.free(f"type {self.class_} = {self.gold} | {self.silver} | {self.bronze}")
        inner = self.choose.chance(3)
        self.head_field = self.name("head")
        inside = f"{self.kind}: {self.class_}, {self.size}: Bytes"
        self.nested = self.name("header") if inner else ""
        if inner:
            self.free(f"type {self.nested} = {{ {inside} }}")
            inside = f"{self.head_field}: {self.nested}"
        self.free(f"type {self.packet} = {{ {inside}, {self.seq}: int, {self.born}: Time }}")
        self.quota, self.gaps, self.work, self.wire = map(self.name, ("quota", "gaps", "work", "wire"))
        self.free(f"const {self.quota} = [{', '.join(str(self.choose.number(0, 3)) for _ in range(3))}]")
        self.free(f"param {self.gaps} = [{', '.join(f'{self.choose.number(0, 40)} ns' for _ in range(3))}]")
        self.free(f"param {self.work} = {self.choose.one(('2.5', '3', '7 / 3'))} * 1 {self.cycle}")
        self.free(f"param {self.wire} = {self.choose.one(('1', '2.5', '10'))} Gbps")
        self.sending, self.jitter = self.name("sending"), self.name("jitter")
        self.free(f"fn {self.sending}(x: Bytes): Time = x / {self.wire} + 1 {self.cycle}")
        self.free(f"dist {self.jitter} = {self.choose.one(('exp(20 ns)', f'uniform(1..4) * 1 {self.cycle}'))}")
        self.tool = self.name("tool")
        self.free(f"place {self.tool} = {self.choose.number(1, 2)} * token")
        self.tools, measure = self.name("tools"), self.name("measure")
        self.free(f"place {self.tools} : int {self.choose.one(('', 'fifo', 'by -value'))} = 0, 1, 1")
        self.free(f"measure {measure} = mean({self.tools}, {self.choose.one(('value', 'value * 0.1 - 3'))})")
        self.drawn(["mean(place, x) of a place whose tokens come back"], f"measure {measure}")

    def of(self, p: str, part: str) -> str:
        """Return a field of a packet."""
        inner = bool(self.nested) and part in (self.kind, self.size)
        return f"{p}.{self.head_field}.{part}" if inner else f"{p}.{part}"

    def own(self, part: str) -> str:
        """Return a field in a key, a weight or a sum over the tokens of a place."""
        return f"{self.head_field}.{part}" if self.nested and part in (self.kind, self.size) else part

    def new(self, kind: str, size: str, seq: str, born: str) -> str:
        head = f"{self.nested}({kind}, {size})" if self.nested else f"{kind}, {size}"
        return f"{self.packet}({head}, {seq}, {born})"

    def changed(self, p: str, limited: bool, drawn: str = "") -> str:
        """Return a packet with perhaps another number, or another size where no capacity depends on chance."""
        options = [p, f"{p} with {{{self.seq}: {p}.{self.seq} + 1}}", f"{p} with {{{self.born}: now}}"]
        if drawn and not limited:
            options.append(f"{p} with {{{self.seq}: {drawn}}}")
        if not self.nested:
            options.append(f"{p} with {{{self.size}: min({p}.{self.size} + 64 B, 1518 B)}}")
            options.append(f"{p} with {{{self.kind}: {self.choose.one((self.gold, self.silver, self.bronze))}}}")
        return self.choose.one(options)

    def pattern(self, p: str) -> str:
        """Return what an arc asks of a packet that it does not call p."""
        kind = self.choose.one((self.gold, self.silver, f"{p}.{self.kind}" if p and not self.nested else self.bronze))
        return f"{{{self.head_field}: {{{self.kind}: {kind}}}}}" if self.nested else f"{{{self.kind}: {kind}}}"

    def some(self) -> Store:
        return self.choose.one(self.stores)

    def store(self) -> None:
        choose, name, uses = self.choose, self.name("store"), ["a record"]
        array = choose.chance(3)
        discipline = choose.one(("", "", "fifo", "lifo", "by"))
        if discipline == "by":
            key = choose.one((self.own(self.size), f"-{self.own(self.seq)}", self.own(self.kind), self.own(self.born)))
            if choose.chance(3):
                key = f"({self.own(self.kind)}, {key})"
                uses.append("by two keys")
            discipline = f"by {key}"
        uses += [{"": "bag", "f": "fifo", "l": "lifo", "b": "by a key"}[discipline[:1]]]
        limit = choose.one(("", "", f"cap {choose.number(1, 4)}", f"cap {choose.number(64, 4000)} B of", "cap 12 of"))
        if discipline and not limit.endswith("of") and choose.chance(3):
            uses.append("a discipline for each key")
            discipline += f" per {choose.one((self.own(self.kind), f'({self.own(self.kind)}, {self.own(self.size)})'))}"
        if limit.endswith("of"):
            limit += f" {self.own(self.size) if ' B ' in limit else f'{self.own(self.seq)} mod 5'}"
            uses.append("a capacity in bytes" if " B " in limit else "a capacity of a weight")
        elif limit:
            uses.append("a capacity")
        kinds = (self.gold, self.silver, self.bronze)
        initial = [
            self.new(choose.one(kinds), f"{choose.one((64, 594, 1518))} B", str(choose.number(0, 9)), "0 ns")
            for _ in range(choose.number(0 if self.stores else 1, 1 if "cap" in limit and "of" not in limit else 3))
        ]
        if array:
            uses.append("an array of places")
        if self.nested:
            uses.append("a record in a record")
        marked = f"= {', '.join(initial)}" if initial else ""
        index = self.name("index")
        if array and initial and choose.chance(5):
            marked = f"= {', '.join(f'{index} * {token}' for token in initial)}"
            uses.append("an initial marking by index")
        size = f"[{index} in 0..1]" if index in marked else "[0..1]"
        self.free(f"place {name}{size if array else ''} : {self.packet} {discipline} {limit} {marked}")
        self.stores.append(Store(name, tuple(uses), 2 if array else 0, bool(limit)))

    def time(self, p: str, uses: list[str]) -> str:
        """Write a net; `uses` gets the constructs in it."""
        options = {
            "the clock": f"{self.choose.number(1, 5)} {self.cycle}",
            "a list": f"{self.gaps}[{self.of(p, self.kind)}]",
            "an element of a list by number": f"{self.gaps}[{p}.{self.seq} mod 3] + 1 ns",
            "a function": f"{self.sending}({self.of(p, self.size)})",
            "a distribution": self.jitter,
            "a random time": "exp(15 ns)",
            "a parameter": self.work,
            "a time that may be negative": f"(7 - {p}.{self.seq} mod 8) * 10 ns",
            "a mean from a token": f"erlang(2, {self.of(p, self.size)} / {self.wire})",
        }
        chosen = self.choose.one(tuple(options))
        uses.append(self.clock if chosen in ("the clock", "a parameter", "a function") else chosen)
        return options[chosen]

    def clauses(self, p: str, uses: list[str], last: tuple[str, ...]) -> str:
        """Return what may follow the arcs of a transition or a step of a thread. last: what may be a priority, besides
        numbers.
        """
        choose, found, other = self.choose, "", self.some()
        if choose.chance(2):
            guard = choose.one(
                (
                    f"tokens({other.at(0)}) < 6",
                    f"{self.of(p, self.kind)} != {self.bronze} or {p}.{self.seq} mod 2 == 0",
                    f"{self.quota}[{self.of(p, self.kind)}] > 0",
                )
            )
            if choose.chance(3) and "a discipline for each key" not in uses:
                age = f"now - {p}.{self.born}"
                waited = choose.one((f">= {choose.number(1, 60)} ns", "< 80 ns", f">= 2 * min(40 ns, {age})"))
                guard = choose.one((f"{age} {waited}", f"{guard} or {age} >= 50 ns"))
                uses.append("a guard of the time")
            uses.append("a list in a guard" if self.quota in guard else "a guard")
            found += f" when {guard}"
        if choose.chance(2):
            clause = choose.one((" priority 1", " priority 2", " priority -1", *last))
            uses.append("a decision" if clause == " decide" else "a priority")
            found += clause
        if choose.chance(2):
            uses.append("a weight")
            share = choose.one(("2", "0.3", "5", f"0.5 + tokens({other.at(0)})", f"1 + 2 * tokens({other.at(0)})"))
            if "tokens" in share:
                uses.append("a weight of the marking")
            found += f" weight {share}"
        if choose.chance(3):
            key = choose.one(
                (
                    self.of(p, self.size),
                    f"{p}.{self.seq} mod 4",
                    f"{p}.{self.seq} * (now - {p}.{self.born})",
                    f"({p}.{self.seq} - tokens({other.at(0)})) mod 3",
                )
            )
            if choose.chance(3):
                further = choose.one((self.of(p, self.kind), f"{p}.{self.born}", f"{p}.{self.seq} > 2"))
                key = choose.one((f"({key}, {further})", f"({further}, {key})"))
                uses.append("prefer by two keys")
            word = choose.one(("least", "most"))
            uses.append(f"prefer {word}")
            found += f" prefer {word} {key}"
        return found

    def extra(self, p: str, uses: list[str]) -> str:
        """Arcs beside the one that takes a packet, which take nothing."""
        choose, found = self.choose, ""
        if choose.chance(2):
            read = self.some()
            uses += [*read.uses, "a read arc"]
            found += f", read {read.at(0)}({choose.one(('_', self.pattern(p)))})"
        if choose.chance(3):
            uses.append("an inhibitor")
            store = self.some()
            uses += store.uses
            found += f", no {store.at(0)}{choose.one((f'({self.pattern(p)})', ''))} >= {choose.number(1, 4)}"
        if choose.chance(2):
            target = self.some()
            uses += [
                "a reset", *(f"a reset of {use}" for use in target.uses if use in ("a capacity in bytes", "by a key")),
            ]  # fmt: skip
            found += f", reset {target.at(0)}"
            self.emptied = target
        return found

    def output(self, p: str, uses: list[str], drawn: str = "") -> str:
        """Return the packet, to one place or the other."""
        choose, one, self.emptied = self.choose, self.emptied or self.some(), None
        uses += one.uses
        what = self.changed(p, one.limited, drawn)
        late = self.delay(p, uses)
        if one.size and choose.chance(7):
            uses.append("an index from a token")
            return f"{one.name}[{p}.{self.seq} mod 2]({what}){late}"
        if choose.chance(3):
            other = self.some()
            uses += [*other.uses, "an output with a condition"]
            otherwise = f"{other.at(choose.number(0, 1))}({p})"
            return f"if {self.of(p, self.kind)} == {self.gold} then {one.at(0)}({what}){late} else {otherwise}"
        return f"{one.at(choose.number(0, 1))}({what}){late}"

    def delay(self, p: str, uses: list[str]) -> str:
        """Return how long after the start of the firing the tokens arrive, if not when it ends."""
        if not self.choose.chance(2):
            return ""
        uses.append("an output with a delay")
        wait = (
            f"3 {self.cycle}",
            "0 ns",
            f"({p}.{self.seq} mod 4) * 10 ns",
            f"min({self.of(p, self.size)} / 1 GBps, 1 us)",
        )
        return f" in {self.choose.one(wait)}"

    def transition(self) -> None:
        choose, name, uses = self.choose, self.name("move"), ["a transition"]
        source, array = self.some(), choose.chance(3)
        uses += source.uses
        array = array and source.size > 0
        taken = f"{self.any(source, uses)}{source.at('i' if array else choose.number(0, 1))}(p)"
        tool = choose.chance(3)
        extra = self.extra("p", uses)
        if choose.chance(2):
            second = self.some()
            uses += [*second.uses, "a join"]
            matched = "q" if self.nested or choose.chance(5) else f"{{{self.kind}: p.{self.kind}}}"
            extra += f", {self.any(second, uses)}{second.at(0)}({matched})"
            back = f", {second.at(0)}(q)" if matched == "q" else ""
        else:
            back = ""
        draw = choose.chance(3)
        if draw:
            uses.append("a draw")
        if array:
            uses.append("an array of transitions")
        outputs = self.output("p", uses, "d" if draw else "")
        if choose.chance(1):
            uses.append("several tokens")
            outputs += f", {choose.number(0, 2)} * {self.tool}" if not tool else ""
        lasts = self.lasts("p", uses)
        clauses = self.clauses("p", uses, last=() if "after" in lasts else (" decide",))
        self.kept(
            f"transition {name}{'[i in 0..1]' if array else ''}: {taken}{f', {self.tool}' if tool else ''}{extra}"
            f" -> {outputs}{back}{f', {self.tool}' if tool else ''}"
            f"{' draw d ~ uniform(0..9)' if draw else ''} {lasts}{clauses}"
        )
        self.measurable.append(f"{name}[*]" if array else name)
        if "a clock of each binding" not in uses:
            self.lasting.append(self.measurable[-1])
        self.drawn(uses, name)

    def any(self, store: Store, uses: list[str]) -> str:
        """Return the word of an arc that sees all tokens, at a place that shows only one."""
        if "bag" in store.uses or "a discipline for each key" in store.uses or not self.choose.chance(3):
            return ""
        uses.append("an arc that sees all tokens")
        return "any "

    def lasts(self, p: str, uses: list[str]) -> str:
        """Return how long a transition takes, or how long it must have been enabled."""
        choose = self.choose
        if "a discipline for each key" in uses or not choose.chance(4):
            return f"takes {self.time(p, uses)}"
        uses.append("a clock of each binding")
        found = f"after {choose.one((self.time(p, uses), self.time(p, uses), '30 ns', 'exp(25 ns)'))}"
        memory = choose.one(("", "", "restart", "resume", "repeat"))
        if memory:
            uses.append(f"a clock with {memory}")
            found += f" {memory}"
        if choose.chance(3):
            uses.append("a clock with a speed")
            other = self.some().at(0)
            found += f" speed {choose.one((f'1 / (1 + tokens({other}))', f'0.5 * tokens({other})', '3'))}"
        return found

    def race(self) -> None:
        """Clocks over black tokens: tools that fail and are mended."""
        choose, fail, mend, broken = self.choose, self.name("fail"), self.name("mend"), self.name("broken")
        servers = choose.one(("", " servers all", " servers 2"))
        clock = choose.one(("exp(60 ns)", "90 ns", f"exp(30 ns * (1 + tokens({broken})))"))
        self.free(f"place {broken}")
        self.kept(f"transition {fail}: {self.tool} -> {broken} after {clock}{servers}")
        self.drawn(["a clock over black tokens", *(["a clock with servers"] if servers else [])], fail)
        self.kept(f"transition {mend}: {broken} -> {self.tool} {choose.one(('takes', 'after'))} exp(20 ns)")
        measure = self.name("dropped")
        self.free(f"measure {measure} = clocks_set({fail}) + clocks_dropped({fail}) / 2")
        self.drawn(["clocks_set and clocks_dropped"], f"measure {measure}")

    def schedule(self) -> None:
        """Helpers as many as a schedule says, and a rate that follows another."""
        choose, crew, rate, helpers, help_ = self.choose, *map(self.name, ("crew", "rate", "helpers", "help"))
        every = self.perhaps(f" every {choose.one(('150 ns', f'20 {self.cycle} + 100 ns'))}", 7)
        self.kept(
            f"schedule {crew} = {choose.number(0, 2)} from 0 ns, 2 from 40 ns, {choose.number(0, 3)} from 90 ns{every}"
        )
        self.kept(f"schedule {rate} = {choose.one(('0.5', '1', '3.0'))} from 0 ns, 2.0 from 75 ns{every}")
        self.free(f"place {helpers} = {crew} * token")
        self.kept(
            f"transition {help_}: {helpers} -> {helpers} {choose.one(('takes', 'after'))} exp(20 ns / {rate})"
            f"{self.perhaps(f' when {crew} > 0')}"
        )
        measure = self.name("level")
        self.free(f"measure {measure} = mean({crew} * {rate}) + share({crew} >= 2)")
        self.drawn(["a schedule", "a place that follows a schedule"], help_)
        self.drawn(["a measure of a schedule"], f"measure {measure}")

    def sets(self) -> None:
        """Tokens that come one by one, and leave together: all, or those that match; counted, summed, and given on."""
        choose, pile, heap, comes, leaves = self.choose, *map(self.name, ("pile", "heap", "comes", "leaves"))
        discipline = choose.one(("", " fifo", " lifo", " by n", " by -n"))
        self.free(f"place {pile} : {{ n: 0..9, k: 0..2 }}{discipline}{choose.one(('', ' cap 30'))}")
        self.free(f"place {heap} : 0..99{choose.one(('', ' fifo'))}")
        clock, more = self.name("clock"), choose.one(("", f", {pile}(o)"))
        self.free(f"place {clock} = token")
        self.kept(
            f"transition {comes}: {clock} -> {clock}, {pile}({{n, k}}) "
            f"draw n ~ uniform(0..9), k ~ uniform(0..2) takes exp(2 {self.cycle})"
        )
        condition = choose.one(("", " when n > 3", f" when n < tokens({pile})" + (" and n != o.n" if more else "")))
        value = choose.one(("n", "n + k", f"n + min(count(x in {pile}: x.k == 1), 80)"))
        self.kept(
            f"transition {leaves}: {pile}({{n: a, k: b}}){more}, all {pile}({{n, k}}){condition} "
            f"-> each {heap}({value}) let total = sum(x in {pile}: x.n) after exp(9 {self.cycle})"
        )
        self.drawn(["a set of tokens"], leaves)
        hand, ages, late = self.name("hand"), self.name("ages"), choose.one(("", f" in 2 {self.cycle}"))
        self.free(f"place {hand} = token")
        lasts = choose.one((f"3 {self.cycle}", f"exp(4 {self.cycle})"))
        self.kept(
            f"transition {ages}: {hand}, all {pile}({{n, k}}) when k < 2 "
            f"-> {hand}, each {pile}({{n, k: k + 1}}){late} takes {lasts}"
        )
        self.drawn(["a set that is given back later"], ages)
        if discipline:
            some = self.name("some")
            number = choose.one(("all up to 2", "2..3", "2", f"all up to (1 + tokens({heap}))"))
            self.kept(f"transition {some}: {number} * {pile}({{n}}) -> each {heap}(n) after exp(6 {self.cycle})")
            self.drawn(["the first tokens of a place"], some)
        away = self.name("away")
        self.kept(f"transition {away}: {heap}(x), all {heap}(y) when y != x -> nothing after exp(20 {self.cycle})")
        measure = self.name("total")
        self.free(f"measure {measure} = total at {leaves}")
        self.drawn(["a total of a set"], f"measure {measure}")

    def timer(self) -> None:
        """Make packets as long as there are few."""
        name, target, uses = self.name("make"), self.some(), ["a source"]
        place = self.name("source")
        self.free(f"place {place} : int = 0")
        kind = f"if n mod 3 == 0 then {self.gold} else {self.silver}"
        what = self.new(kind, "(n mod 4 + 1) * 64 B", "n", "end")
        self.kept(
            f"transition {name}: {place}(n), no {target.at(0)} >= 3 -> {place}(n + 1), {target.at(0)}({what})"
            f" takes {self.choose.one((f'exp(3 {self.cycle})', f'2 {self.cycle}', '30 ns'))}"
        )
        self.drawn([*uses, *target.uses], name)

    def stream(self) -> None:
        """Rows of a file, taken by a transition or a thread, also while others look whether it is empty."""
        choose, place = self.choose, self.name("rows")
        type_ = self.name("row")
        self.free(f"type {type_} = {{ time: Time, size: Bytes, flow: 0..7 }}")
        self.free(f"place {place} : {type_} = stream()")
        self.text.streams[place] = choose.one((1, 2, 3, 12))
        self.drawn(["a stream that runs empty"], f"{place} empty")
        target, uses = self.some(), ["a stream"]
        uses += target.uses
        kind = f"if r.flow mod 2 == 0 then {self.gold} else {self.bronze}"
        what = self.new(kind, "r.size", "r.flow", "r.time")
        wait = choose.one(("max(r.time - now, 0 ns)", f"2 {self.cycle}", "r.size / 1 Gbps"))
        guard = self.perhaps(f" when r.flow > {choose.number(0, 2)}", 2)
        if choose.chance(6):
            name = self.name("reader")
            given = f"{target.at(0)}({what}), {self.tool}"
            self.kept(f"thread {name} take {place}(r), {self.tool}{guard} wait {wait} give {given} end")
            self.drawn([*uses, "a stream in a thread"], name)
        else:
            name = self.name("read")
            self.kept(f"transition {name}: {place}(r) -> {target.at(0)}({what}) takes {wait}{guard}")
            self.drawn([*uses, "a stream in a transition"], name)
        if choose.chance(5):
            done, after = self.name("done"), self.name("after")
            self.free(f"place {done} = {choose.number(1, 3)} * token")
            self.kept(f"transition {after}: {done}, no {place} -> nothing takes 3 {self.cycle}")
            self.drawn(["the end of a stream"], after)
        measure = self.name("bytes")
        value = choose.one(("size", "flow * 0.5", "1 / (5 - flow)"))  # the last fails at the eighth row
        self.free(f"measure {measure} = mean({place}, {value})")
        self.drawn(["mean(place, x) of a stream"], f"measure {measure}")

    # ------------------------------------------------------------ services and threads

    def service(self) -> None:
        choose, name, serve = self.choose, self.name("memory"), self.name("serve")
        bytes_, found, channel = self.name("bytes"), self.name("found"), self.name("channel")
        replies, uses = choose.chance(5), ["a service"]
        request = f"{{ {bytes_}: Bytes }}" + (f" -> {{ {found}: int }}" if replies else "")
        discipline = choose.one(("", "fifo", f"by {bytes_}", "cap 2", f"fifo cap 400 B of {bytes_}"))
        self.free(f"service {name} : {request} {discipline}")
        self.free(f"place {channel} = {choose.number(1, 2)} * token")
        answer = f"r with {{{found}: {choose.one(('3', f'floor(r.{bytes_} / 64 B)'))}}}" if replies else "r"
        source = name
        if choose.chance(3):
            source, passing = self.name("bank"), self.name("pass")
            self.free(f"place {source} : service {request} fifo")
            self.kept(f"transition {passing}: {name}(r) -> {source}(r) takes 1 {self.cycle}")
            self.drawn(["a request that is passed on"], passing)
        self.kept(
            f"transition {serve}: {source}(r), {channel} -> {channel}, reply({answer})"
            f" takes {choose.one((f'2 {self.cycle}', f'r.{bytes_} / 1 GBps', 'exp(10 ns)', '0 ns'))}"
        )
        self.drawn([*uses, *(["a reply with values"] if replies else [])], serve)
        # A pattern binds its name once in a block, so that each call has another.
        self.called = f"call {name}({{{bytes_}: SIZE}})" + (f" -> {{{found}: ANSWER}}" if replies else "")

    def thread(self) -> None:
        choose, name, uses = self.choose, self.name("thread"), ["a thread"]
        source = self.some()
        array = choose.chance(3)
        uses += [*source.uses, *(["an array of threads"] if array else [])]
        self.marks: list[tuple[str, list[str]]] = []
        taken = source.at("i" if array and source.size else choose.number(0, 1))
        lines = [f"take {taken}(p){self.perhaps(f' for 1 {self.cycle}')}{self.clauses('p', uses, last=())}"]
        steps = self.steps("p", 0, held=False)
        lines += [*steps, *(["wait 2 ns"] if choose.chance(9) else [])]
        lines.append(f"give {self.output('p', uses)}")
        self.kept(f"thread {name}{'[i in 0..1]' if array else ''}\n  " + "\n  ".join(lines) + "\nend")
        self.drawn(uses, name)
        for label, constructs in self.marks:
            self.drawn(constructs, f"{name} {label}")

    def mark(self, *constructs: str) -> str:
        """Return a label for a step, so that its transition shows that it has run."""
        label = self.name("step")
        self.marks.append((label, list(constructs)))
        return label

    def steps(self, p: str, depth: int, held: bool) -> list[str]:
        """held: within a `hold`, where no more is waited for than a service needs."""
        makers = [self.wait, self.draw, self.set, *([] if held else [self.use, self.hold])]
        makers += [self.call, self.call] if self.called and not self.unsure else []
        blocks = [self.repeat, self.while_, self.if_, self.choose_, self.after, self.each, self.do]
        makers += blocks if depth < 2 else []
        return [
            line
            for _ in range(self.choose.number(1, max(1, 3 - depth)))
            for line in self.choose.one(makers)(p, depth, held)
        ]

    def wait(self, p: str, depth: int, held: bool) -> list[str]:
        return [f"{self.mark('wait')}: wait {self.time(p, [])}"]

    def draw(self, p: str, depth: int, held: bool) -> list[str]:
        x = self.name("x")
        return [f"draw {x} ~ uniform(0..3)", f"{self.mark('a draw in a thread')}: wait {x} * 1 {self.cycle}"]

    def set(self, p: str, depth: int, held: bool) -> list[str]:
        return [f"set {p} = {p} with {{{self.seq}: {p}.{self.seq} + 1}}"]

    def use(self, p: str, depth: int, held: bool) -> list[str]:
        priority, label = self.perhaps(f" priority {self.choose.number(1, 2)}", 2), self.mark("use")
        order = self.order(p, label)
        use = f"{label}: use {self.tool}{order} for {self.time(p, [])}{priority}"
        if not self.choose.chance(4):
            return [use]
        again = self.mark()
        self.marks.append((f"{label}_late", ["a time limit"]))
        return [f"{again}: wait 1 ns", f"{use} within {self.choose.one(('4 ns', 'exp(6 ns)'))} else {again}"]

    def order(self, p: str, label: str) -> str:
        """Return the order in which activations go on that wait for a step."""
        word = self.choose.one(("", "", "", " fifo", " lifo", " bag", f" by {p}.{self.seq}", f" by {p}.{self.born}"))
        if word:
            self.marks.append((label, ["an order of activations"]))
        return word

    def hold(self, p: str, depth: int, held: bool) -> list[str]:
        coloured = self.choose.chance(4)
        within = ["hold within repeat"] if self.repeated else []
        label = self.mark("hold", *within, *(["hold of a token with a value"] if coloured else []))
        pattern = self.choose.one(("", "(1)", f"({self.name('value')})"))
        asked, place = (f"{self.tools}{pattern}", self.tools) if coloured else (self.tool, self.tool)
        return [f"{label}: hold {asked}{self.order(p, label)}", *self.steps(p, depth + 1, True), f"release {place}"]

    def call(self, p: str, depth: int, held: bool) -> list[str]:
        size = self.choose.one(("64 B", self.of(p, self.size)))
        return [self.called.replace("SIZE", size).replace("ANSWER", self.name("answer"))]

    def repeat(self, p: str, depth: int, held: bool) -> list[str]:
        number = self.choose.one(("2", "0", f"{self.quota}[{self.of(p, self.kind)}]", f"{p}.{self.seq} mod 3"))
        label = self.mark("repeat")
        self.repeated += 1
        inner = self.steps(p, depth + 1, held)
        if not held and self.choose.chance(5):
            inner += self.hold(p, 2, held)
        self.repeated -= 1
        return [f"repeat {number}", f"{label}: wait 1 ns", *inner, "end"]

    def while_(self, p: str, depth: int, held: bool) -> list[str]:
        count, label = self.name("count"), self.mark("while")
        condition = f"{count} < {self.choose.number(0, 2)}"
        inner = [f"{label}: wait 2 ns", *self.steps(p, depth + 1, held), f"set {count} = {count} + 1"]
        return [f"let {count} = 0 + {p}.{self.seq} mod 2", f"while {condition}", *inner, "end"]

    def if_(self, p: str, depth: int, held: bool) -> list[str]:
        label = self.mark("if")
        otherwise = ["else", *self.steps(p, depth + 1, held)] if self.choose.chance(5) else []
        marking = f"tokens({self.tool}) {self.choose.one(('> 0', '== 1'))}"
        conditions = (f"{self.of(p, self.kind)} == {self.gold}", f"{p}.{self.seq} mod 2 == 0", marking)
        condition = self.choose.one(conditions)
        if condition == marking:
            self.marks.append((label, ["if of the marking"]))
        return [f"if {condition} then", f"{label}: wait 1 ns", *self.steps(p, depth + 1, held), *otherwise, "end"]

    def choose_(self, p: str, depth: int, held: bool) -> list[str]:
        choose, weights = self.choose, self.choose.chance(4)
        one, other = self.name("spare"), self.name("spare")
        self.free(f"place {one} = {choose.number(1, 2)} * token")
        self.free(f"place {other} = {choose.number(1, 2)} * token")
        first, second = (self.mark("choose with weights" if weights else "choose") for _ in range(2))
        begun = [f"{first}: use {one} for {self.time(p, [])}", *self.steps(p, 2, held)]
        heads = (f"choose weight {choose.number(1, 3)}", "or weight 2") if weights else ("choose", "or")
        return [heads[0], *begun, heads[1], f"{second}: use {other} for 3 ns", "end"]

    def after(self, p: str, depth: int, held: bool) -> list[str]:
        spare, first, late = self.name("spare"), self.mark(), self.mark("choose or after")
        self.free(f"place {spare} = {self.choose.number(0, 1)} * token")
        times = [self.choose.one(("4 ns", "exp(6 ns)", self.time(p, []))) for _ in range(self.choose.number(1, 2))]
        begun = [f"{first}: use {spare} for {self.time(p, [])}", *self.steps(p, 2, held)]
        more = [f"or after {time}" for time in times[1:]]
        return ["choose", *begun, f"or after {times[0]}", f"{late}: wait 1 ns", *self.steps(p, 2, held), *more, "end"]

    def each(self, p: str, depth: int, held: bool) -> list[str]:
        queue, value, label = self.name("queue"), self.name("value"), self.mark("for each")
        self.marks.append((f"{label}_over", ["the end of for each"]))
        self.free(f"place {queue} : int {self.choose.one(('', 'fifo', 'by -value'))} = 0, 1, 2")
        taken = self.choose.one((f"{queue}({value})", f"{queue}({value}), read {self.tools}(_)"))
        guard = self.perhaps(f" when {value} != {self.choose.number(0, 2)}")
        given = [f"give {queue}({p}.{self.seq} mod 3), {queue}(2)"] if self.choose.chance(5) else []
        self.repeated += 1
        inner = self.steps(p, depth + 1, held)
        self.repeated -= 1
        late = [f"give if {value} > 0 then {queue}({value} - 1)"] if self.choose.chance(3) else []
        return [*given, f"{label}: for each {taken}{guard}", *inner, *late, "end"]

    def do(self, p: str, depth: int, held: bool) -> list[str]:
        choose, source, fault, fails = self.choose, *map(self.name, ("sound", "fault", "fails"))
        self.free(f"place {source} = token")
        self.free(f"place {fault} : int")
        number = self.name("number")
        self.kept(
            f"transition {fails}: {source}, no {fault} >= 2 -> {source}, {fault}({number})"
            f" draw {number} ~ uniform(0..2) takes {choose.one(('exp(20 ns)', '10 ns'))}"
        )
        first = self.mark("do")
        self.marks.append((f"{first}_interrupted", ["unless"]))
        self.unsure += 1
        inner = [
            f"{first}: wait {choose.one(('5 ns', 'exp(15 ns)', self.time(p, [])))}",
            *self.steps(p, depth + 1, held),
        ]
        self.unsure -= 1
        value = self.name("value")
        clauses = choose.one(("", "", f" when {value} < 2", " priority -1"))
        lines = ["do", *inner, f"unless {fault}({value}){clauses}", *self.steps(p, depth + 1, held)]
        if choose.chance(3):
            lines += [f"unless {self.tool}", f"give {self.tool}"]
        return [*lines, "end"]

    # ------------------------------------------------------------ modules and measures

    def module(self) -> None:
        choose = self.choose
        module, instance = self.name("module"), self.name("engine")
        me, work, inlet, outlet, free, run, load, sizes = map(
            self.name, ("me", "work", "inlet", "outlet", "free", "run", "load", "sizes")
        )
        inside, uses = self.name("inside"), ["a module"]
        threaded = choose.chance(4)
        body = f"port in {inlet} : {self.packet}\n  port out {outlet} : {self.packet}\n  place {free} = {me} * token\n"
        body += f"  place {inside} : {self.packet} {choose.one(('', 'fifo', 'lifo', f'by {self.own(self.size)}'))}\n"
        if threaded:
            uses.append("a thread in a module")
            body += f"  thread {run} take {inlet}(p) hold {free} wait {work} release {free} give {inside}(p) end\n"
        else:
            body += f"  transition {run}: {inlet}(p), {free} -> {inside}(p), {free} takes {self.time('p', [])}\n"
        leave = self.name("leave")
        body += f"  transition {leave}: {inside}(p) -> {outlet}(p) takes {work}{self.clauses_of_module('p')}\n"
        body += f"  measure {load} = busy({free})\n  measure {sizes} = mean({inside}, {self.own(self.size)})\n"
        delay = self.name("delay")
        body += f"  measure {delay} = now - p.{self.born} at {leave} record mean, p99\n"
        array = choose.chance(7)
        self.free(f"module {module}({me}: int = 1 in 0..9, {work}: Time = 2 {self.cycle})\n  {body}end")
        source, target = self.some(), self.some()
        uses += [*source.uses, *target.uses, *(["an array of modules"] if array else [])]
        ports = f"{inlet} = {source.at('i' if array and source.size else 0)}, {outlet} = {target.at(0)}"
        number = choose.one(("1", "2", "i + 1" if array else "1"))
        time = f", {work} = {choose.number(1, 30)} ns" if choose.chance(4) else ""
        self.kept(f"instance {instance}{'[i in 0..1]' if array else ''} = {module}({number}{time}, {ports})")
        self.drawn(uses, instance)
        if array:
            for combine in ("max", "sum"):
                total = self.name("total")
                self.free(f"measure {total} = {combine}({instance}[*].{choose.one((load, sizes, f'{delay}.p99'))})")
                self.drawn([f"{combine} of the measures of an array of modules"], f"measure {total}")
        element = f"{instance}[1]" if array else instance
        self.drawn(["a measure of a module"], f"measure {element}.{sizes}")
        self.drawn(["a measure of a module"], f"measure {element}.{load}")

    def clauses_of_module(self, p: str) -> str:
        return self.choose.one(
            ("", f" prefer least {self.of(p, self.size)}", " priority 1", f" when {p}.{self.seq} >= 0")
        )

    def measure(self) -> None:
        choose, name = self.choose, self.name("measure")
        place, t = self.some(), choose.one(self.measurable)
        where = f"{place.name}[{choose.one(('0', '1', '*'))}]" if place.size else place.name
        single = t.removesuffix("[*]") + ("[0]" if t.endswith("[*]") else "")
        element = where.replace("*", "0")
        size, seq, modulo = self.own(self.size), self.own(self.seq), self.perhaps(", modulo: 16")
        kind, flow = f"{self.own(self.kind)} == {self.gold}", self.of("p", self.kind)
        formula = choose.one(
            (
                ("mean(place)", f"mean({where})"),
                ("max(place)", f"max({where})"),
                ("mean(place, x)", f"mean({where}, {size})"),
                ("max(place, x)", f"max({element}, {size})"),
                ("mean(place, x) of a number", f"mean({where}, {seq} mod 7)"),
                ("mean(place, x) of a time", f"mean({element}, {self.own(self.born)} + 2 ns)"),
                ("mean(place, x) with a condition", f"mean({element}, if {kind} then 1 else 0)"),
                ("share(condition)", f"share(tokens({where}) >= 1)"),
                ("mean(number of tokens)", f"mean(min(tokens({where}), 2) * tokens({self.tool}))"),
                ("max(number of tokens)", f"max(tokens({where}) - 0.5) - min(tokens({element}))"),
                self.of_firings(where),
                ("time_until", f"time_until(tokens({self.tool}) == 0 or tokens({where}) > 3)"),
                ("busy", f"busy({self.tool})"),
                ("occupied and active", f"occupied({where}) + active({t})"),
                ("sojourn", f"sojourn({element})"),
                ("rate(t, x)", f"rate({t}, {self.of('p', self.size)})"),
                ("count(t) / count(t)", f"count({t}) / (count({t}, p.{self.seq}) + 1)"),
                ("x at t", f"now - p.{self.born} at {t} record mean, p99, max, count, histogram"),
                ("x at t when c", f"{self.of('p', self.size)} at {t} when {flow} == {self.gold} record mean, std, min"),
                ("time(a -> b)", f"time({single} -> {element}(q), by p.{self.seq} -> q.{self.seq}) record mean, p50"),
                ("gap", f"gap({single}, by {flow})"),
                ("reorder", f"reorder({single}, by {flow}, order p.{self.seq} mod 64{modulo}) record lost, extent"),
                ("a series", f"mean({where}) record series(100 ns)"),
            )
        )  # fmt: skip
        expected = "" if "record" in formula[1] else self.perhaps(f"  expect {choose.one(('> 0', '<= 0'))}")
        self.free(f"measure {name} = {formula[1]}{expected}")
        self.drawn([formula[0]], f"measure {name}")

    def of_firings(self, where: str) -> tuple[str, str]:
        if not self.lasting:
            return "max(number of tokens)", f"max(tokens({where}))"
        one = self.choose.one(self.lasting)
        return "firings", f"share(firings({one}) >= 1 and tokens({where}) > 0) + mean(firings({one}) / 2)"

    def run(self) -> None:
        choose = self.choose
        until = choose.one(
            (f"{choose.number(1, 9)} us", "dead", f"count({choose.one(self.measurable)}) >= {choose.number(2, 30)}")
        )
        warmup = "" if until == "dead" else f"  warmup {choose.number(0, 900)} ns"
        self.free(f"run until {until}{warmup}{self.perhaps('  replications 2')}")


def written(choose: Chooser) -> Text:
    """Return the net that a row of choices makes."""
    return Writer(choose).write()
