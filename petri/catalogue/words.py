"""The words of the language: of declarations, their clauses, arcs, steps and operators.

The lexer, the division of a text into declarations and steps, the builder of the tree, `pnsim fmt`, messages on
misspellings, completion and the colours of editors read this table. What may follow a word is in `grammar.lark`.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final, Literal, TypeVar

from petri.structs import Frozen

# Where a word may also be a name: nowhere; where the keyword could not occur; there, if no name or number follows;
# wherever it does not begin what it begins.
AsName = Literal["never", "elsewhere", "alone", "free"]


class Word(Frozen):
    """example: how it is used, where a hint shows that. others: words of other languages for the same."""

    word: str
    example: str = ""
    others: str = ""
    name: AsName = "never"


class Clause(Word, frozen=True, kw_only=True):
    """of: what may have it, `transition`, `place`, `run`, `arc` or verbs of steps; field: its value in the tree.

    bare: no value follows it.
    """

    of: str
    field: str
    bare: bool = False


class Step(Word, frozen=True, kw_only=True):
    """labelled: a label may stand before it. block: it `opens` a block of steps, or is a `branch` of one."""

    labelled: bool = False
    block: Literal["", "opens", "branch"] = ""


Kind = TypeVar("Kind", bound=Word)


def _table(words: Iterable[Kind]) -> dict[str, Kind]:
    return {word.word: word for word in words}


DECLARATIONS: Final = _table((
    Word("net", "net name"),
    Word("time", "time ns"),
    Word("param", "param name = 0.8 in 0..1", "var parameter"),
    Word("const", "const name = 3", "constant let"),
    Word("unit", "unit cycle = 1 / clock", "units"),
    Word("type", "type Packet = { seq: int, size: Bytes }` or `type Colour = gold | silver", "struct enum record"),
    Word("dist", "dist sizes = choice(64 B: 7, 1518 B: 1)"),
    Word("fn", "fn blocks(size: Bytes): int = ceil(size / 64 B)", "def function"),
    Word("place", "place name : type fifo cap 8 = 3 * token", "state"),
    Word("transition", "transition name: queue(x), 2 * credit -> done(x) takes exp(5) when x > 3",
         "event action trans"),
    Word("module", "module Name(size: int = 8) … end", "class process component"),
    Word("port", "port in work: Packet` or `port out done: Packet", "input output"),
    Word("instance", "instance name[i in 0..3] = Module(i, work = queue)", "new"),
    Word("import", 'import ixp2400.dram` or `import "part.net"', "include use"),
    Word("measure", "measure name = now - x.born at send record mean, p99", "metric"),
    Word("expect", "expect loss < 0.01", "assert check"),
    Word("run", "run until 100 warmup 10 replications 20", "simulate", "alone"),
    Word("end", "", "endmodule"),
    Word("thread", name="free"),
    Word("service", name="free"),
    Word("schedule", "schedule staff = 2 from 0 h, 6 from 8 h every 24 h", "timetable shifts", "free"),
))  # fmt: skip

_MOVES = "take hold use"  # steps with arcs
_WAITS = f"{_MOVES} wait choose or for unless"  # steps at which a thread may wait
_QUEUES = f"place port {_MOVES} choose for"  # what may order the tokens, or activations, that wait there

# In the order in which `pnsim fmt` writes them.
CLAUSES: Final = _table((
    Clause("read", "read config(x)", "test", "alone", of="arc", field="mode"),
    Clause("any", "any queue(x)", name="elsewhere", of="arc", field="any"),
    Clause("each", "each queue(x)", name="alone", of="output", field="each"),
    Clause("no", "no full >= 3", "inhibit inhibitor", "alone", of="arc", field="mode"),
    Clause("reset", "reset queue", name="alone", of="arc", field="mode"),
    Clause("bag", name="alone", of=_QUEUES, field="discipline", bare=True),
    Clause("fifo", others="queue", name="alone", of=_QUEUES, field="discipline", bare=True),
    Clause("lifo", others="stack", name="alone", of=_QUEUES, field="discipline", bare=True),
    Clause("by", "by seq", "sorted", of=_QUEUES, field="discipline"),
    Clause("per", "fifo per flow", "each grouped", "elsewhere", of="place port", field="per"),
    Clause("cap", "cap 8", "capacity limit max", "alone", of="place", field="capacity"),
    Clause("of", "cap 32 KB of size", name="elsewhere", of="cap", field="weight"),
    Clause("=", others="init initial", of="place", field="initial"),
    Clause("draw", "draw size ~ uniform(64 B..1518 B)", "random sample", "alone", of="transition", field="draws"),
    Clause("let", "let rest = size - header", name="elsewhere", of="transition", field="lets"),
    Clause("takes", "takes exp(5)", "delay duration lasts", of="transition", field="time"),
    Clause("after", "after exp(5)", "timeout races within", "elsewhere", of="transition choose or", field="clock"),
    Clause("servers", "servers all", "server", "elsewhere", of="transition", field="servers"),
    Clause("restart", name="elsewhere", of="transition", field="memory", bare=True),
    Clause("resume", others="preemptive", name="elsewhere", of="transition", field="memory", bare=True),
    Clause("repeat", name="elsewhere", of="transition", field="memory", bare=True),
    Clause("speed", "speed 1 / tokens(job)", name="elsewhere", of="transition", field="speed"),
    Clause("for", of=_MOVES, field="time"),
    Clause("when", "when x > 3", "guard where if provided", of=f"transition {_WAITS}", field="guard"),
    Clause("priority", "priority 1", "prio", "alone", of=f"transition {_WAITS}", field="priority"),
    Clause("weight", "weight 3", "probability", "alone", of=f"transition {_WAITS}", field="weight"),
    Clause("decide", others="agent", name="elsewhere", of="transition", field="decide", bare=True),
    Clause("prefer", "prefer least p.born", name="elsewhere", of=f"transition {_WAITS}", field="prefer"),
    Clause("until", "until 100", "during for", "alone", of="run", field="until"),
    Clause("warmup", "warmup 10", name="alone", of="run", field="warmup"),
    Clause("replications", "replications 20", "reps runs", "alone", of="run", field="replications"),
    Clause("precision", "precision 2%", name="elsewhere", of="run", field="precision"),
    Clause("seed", "seed 7", name="elsewhere", of="run", field="seed"),
    Clause("within", "within 5%", "after", name="alone", of=f"expect {_MOVES}", field="within"),
    Clause("record", name="alone", of="measure", field="record"),
    Clause("if", of="place instance measure expect", field="condition"),
))  # fmt: skip

STEPS: Final = _table((
    Step("take", others="get receive consume pop", labelled=True),
    Step("hold", others="acquire seize lock grab keep", labelled=True),
    Step("use", labelled=True),
    Step("wait", others="delay sleep pause", labelled=True),
    Step("give", others="send put emit push produce", labelled=True),
    Step("release", others="unlock free", labelled=True),
    Step("call", others="invoke", labelled=True),
    Step("let", others="var"),
    Step("set", "set turn = (turn + 1) mod 4", "assign"),
    Step("draw"),
    Step("if", block="opens"),
    Step("elif", others="elsif elseif", block="branch"),
    Step("else", block="branch"),
    Step("while", block="opens"),
    Step("repeat", others="loop", block="opens"),
    Step("choose", others="select", block="opens"),
    Step("or", block="branch"),
    Step("for", "for each queue(x)", "foreach", labelled=True, block="opens"),
    Step("do", others="try begin", block="opens"),
    Step("unless", "unless breakdown", "interrupt except catch", block="branch"),
))  # fmt: skip

VALUES: Final = _table((Word("token", name="alone"), *map(Word, ("all", "now", "true", "false"))))
OPERATORS: Final = ("and", "or", "not", "div", "mod")
_LINKS: Final = _table((
    *map(Word, ("then", "else", *OPERATORS)),
    *(Word(word, name="elsewhere") for word in ("as", "at", "before", "every", "from", "on", "out", "splitting", "to")),
    Word("in", "in 0..1"),
    Word("order", name="alone"),
    Word("with"),
))  # fmt: skip

DECLARING: Final = tuple(word for word, one in DECLARATIONS.items() if one.name != "free")  # these are reserved
LINKING: Final = (*(word for word in CLAUSES if word.isalpha()), *_LINKS)  # all other keywords but those of values
_KEYWORDS = (*DECLARATIONS.values(), *CLAUSES.values(), *VALUES.values(), *_LINKS.values())
RESERVED: Final = frozenset((*DECLARING, *LINKING, *VALUES))
SOFT: Final = frozenset(one.word for one in _KEYWORDS if one.name == "elsewhere")
NAMES_TOO: Final = frozenset(one.word for one in _KEYWORDS if one.name == "alone")

# Of clauses; and of whole declarations and steps, which are the hint if nothing better is known.
EXAMPLES: Final = {one.word: one.example for one in (*CLAUSES.values(), *_LINKS.values()) if one.example}
FORMS: Final = EXAMPLES | {one.word: one.example for one in (*DECLARATIONS.values(), *STEPS.values()) if one.example}
SYNONYMS: Final = {other: one.word for one in _KEYWORDS for other in one.others.split()}
ARC_WORDS: Final = ("all", *(word for word, one in CLAUSES.items() if one.of in ("arc", "output")))
_HOLDING = "keep keeps kept hold lock"  # of tokens until the firing ends
_OF_ARCS = {  # those that mean an arc only where one begins; "": an arc without a word
    "all": "every whole", "reset": "flush empty clear drain", "read": "check peek reads",
    "no": "none without", "": f"take takes consume get {_HOLDING}",
}  # fmt: skip
SYNONYMS_OF_ARCS: Final = {other: word for other, word in SYNONYMS.items() if word in ARC_WORDS} | {
    other: word for word, others in _OF_ARCS.items() for other in others.split()
}
WORDS_FOR_HOLDING: Final = frozenset(_HOLDING.split())
SYNONYMS_OF_STEPS: Final = {other: one.word for one in STEPS.values() for other in one.others.split()}


def clauses_of(whole: str) -> tuple[Clause, ...]:
    """Return the clauses that a declaration or a step may have, in the order in which they are written."""
    return tuple(clause for clause in CLAUSES.values() if whole in clause.of.split())
