"""What people from other languages and tools write in their first hour: one mistake gives one error.

Each case has the text of a net in which `«…»` marks what the caret must underline, the id of its only error, and a part
of the hint that says what to write instead.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from petri import language
from petri.diagnostics import render_all
from petri.language.syntax.parser import parse

HEAD = """net first
time us
type P = { size: Bytes, kind: int }
place idle = token
place source = 3 * token
place queue : P fifo
place done : P
place voq[0..3] : P fifo
place num : int = 0
"""
GO = HEAD + "transition go: queue(x) -> done(x)\n"


def clauses(text: str) -> str:
    """Return a net whose transition has these clauses after its outputs."""
    return f"{HEAD}transition go: queue(x) -> done(x){text}\n"


def arcs(text: str) -> str:
    return f"{HEAD}transition go: {text}\n"


def places(text: str) -> str:
    return f"net first\n{text}\nplace b\ntransition go: b -> b\n"


def steps(text: str) -> str:
    return f"{HEAD}thread work\n  take idle\n  let n = 0\n  {text}\n  give idle\nend\n"


CASES = {
    "not before a place": (arcs("queue(x), «not» source -> done(x)"), "inhibitor-not", "`no source`"),
    "not as the first arc": (arcs("«not» source, queue(x) -> done(x)"), "inhibitor-not", "`no source`"),
    "! before a place": (arcs("«!»source, queue(x) -> done(x)"), "inhibitor-not", "`no source`"),
    "a draw in when": (clauses(" when «uniform(0.0..1.0)» < 0.5"), "draw-not-allowed", "each with a `weight`"),
    "exp in when": (clauses(" when «exp(1)» < 0.5"), "draw-not-allowed", "in the transition before"),
    "a coin in when": (clauses(" when «coin»(0.5)"), "unknown-function", "choice(true: p, false: 1 - p)"),
    "median recorded": (GO + "measure m = now at go record «median»\n", "no-such-figure", "`p50`"),
    "median expected": (GO + "measure m = now at go\nexpect «m.median» < 3\n", "no-such-figure", "`p50`"),
    "avg": (GO + "measure m = now at go record «avg»\n", "no-such-figure", "`mean`"),
    "stdev": (GO + "measure m = now at go record «stdev»\n", "no-such-figure", "`std`"),
    "maximum": (GO + "measure m = now at go record «maximum»\n", "no-such-figure", "`max`"),
    "no arrow": (arcs("queue(x) «done»(x)"), "missing-arrow", "inputs -> outputs"),
    "no arrow before takes": (arcs("queue(x), source «takes» 3 us"), "missing-arrow", "`-> nothing`"),
    "> as an arrow": (arcs("queue(x) «>» done(x)"), "arrow-sign", "`->`"),
    "=> as an arrow": (arcs("queue(x) «=>» done(x)"), "foreign-symbol", "`->`"),
    "a blank in the arrow": (arcs("queue(x) «- >» done(x)"), "split-sign", "`->`"),
    "a blank in =>": (arcs("queue(x) «= >» done(x)"), "foreign-symbol", "`->`"),
    "a blank in >=": (clauses(" when x.kind «> =» 3"), "split-sign", "`>=`"),
    "a blank in ==": (clauses(" when x.kind «= =» 3"), "split-sign", "`==`"),
    "a blank in ..": (places("place a : 0«. .»3 = 1"), "split-sign", "`..`"),
    "→ as an arrow": (arcs("queue(x) «→» done(x)"), "foreign-symbol", "`->`"),
    "no takes": (clauses(" «3» us"), "missing-takes", "`takes 3 us`"),
    "no takes before exp": (clauses(" «exp»(3 us)"), "missing-takes", "`takes exp(3 us)`"),
    "@ for takes": (clauses(" «@» 3 us"), "foreign-time", "`takes`"),
    "@+ for takes": (clauses(" «@+» 3 us"), "foreign-time", "`takes`"),
    "within for after": (clauses(" «within» 3 us"), "misspelt-clause", "`after`"),
    "timeout for after": (clauses(" «timeout» 3 us"), "misspelt-clause", "`after`"),
    "delay for takes": (clauses(" «delay» 3 us"), "misspelt-clause", "`takes`"),
    "let for const": ("net a\nplace b\n«let» n = 3\n", "not-a-declaration", "`const`"),
    "if for when": (clauses(" «if» x.kind > 3"), "condition-late", "`when …`"),
    "if after an output": (arcs("queue(x) -> done(x) «if» 2 > 1, source"), "condition-late", "`if … then done(x)`"),
    "if at the end": (clauses(" takes 3 us «if» 2 > 1"), "condition-late", "`transition go if …:`"),
    "a if b else c in a place": (places("place a : int = 3 if 2 > 1 «else» 4"), "if-after-value", "then a else b"),
    "2x.size": (clauses(" when «2x».kind > 3"), "unknown-unit", "`2 * x`"),
    "2 x": (clauses(" when «2 x».kind > 3"), "unknown-unit", "`2 * x`"),
    "2n": (GO + "const n = 3\nconst m = «2n»\n", "unknown-unit", "`2 * n`"),
    "2(n + 1)": (GO + "const n = 3\nconst m = «2(n + 1)»\n", "not-callable", "`2 * (…)`"),
    "-- on a line": (f"net a\n«-- a place starts»\n{GO[10:]}", "foreign-comment", "`#`"),
    "-- after a transition": (clauses(" «-- x»"), "foreign-comment", "`#`"),
    "// on a line": (f"net a\n«// a place starts»\n{GO[10:]}", "slash-comment", "`#`"),
    "/* x */": (clauses(" «/* x */»"), "foreign-comment", "`#`"),
    "/* on lines */": (f"net a\n«/* a place»\n   transition */\n{GO[10:]}", "foreign-comment", "`#`"),
    "? : in takes": (clauses(" takes x.kind > 3 «?» 1 us : 2 us"), "conditional-operator", "then a else b"),
    "? : in const": (GO + "const n = 2 > 1 «?» 1 : 2\n", "conditional-operator", "then a else b"),
    "a if b else c": (GO + "const n = 1 «if» 2 > 1 else 2\n", "if-after-value", "then a else b"),
    "1`x in an arc": (arcs("«1`»x -> done(x)"), "multiset", "`place(x)`"),
    "1`3 ++ 2`5": (places("place a : int = «1`»3 ++ 2`5"), "multiset", "`= 3, 5, 5`"),
    "colset": ("«colset INT =» int;\nvar x : INT;\n", "file-foreign", "docs/interchange.md"),
    "test before a place": (arcs("queue(x), «test» source -> done(x)"), "arc-word-unknown", "`read`"),
    "keep before a place": (arcs("source, «keep» queue(x) -> done(x)"), "arc-word-unknown", "`queue -> queue`"),
    "keep before a number": (arcs("«keep» 2 * source -> source"), "arc-word-unknown", "`2 * source -> 2 * source`"),
    "keep before any": (arcs("source, «keep» any queue(x) -> source"), "arc-word-unknown", "`queue -> queue`"),
    "every before a place": (arcs("source, «every» queue(x) -> done(x)"), "arc-word-unknown", "`all`"),
    "read with all": (arcs("source, read «all» queue(x) -> each done(x)"), "all-with-word", "`all place(…)`"),
    "a number with all": (arcs("source, 2 * «all» queue(x) -> each done(x)"), "all-with-word", "`all place(…)`"),
    "all of all": (arcs("source, «all» all queue(x) -> each done(x)"), "all-with-word", "`all place(…)`"),
    "all in the outputs": (arcs("source, all queue(x) -> «all» done(x)"), "input-only", "`each done(…)`"),
    "each in the inputs": (arcs("source, «each» queue(x) -> done(x)"), "output-only", "`all queue(…)`"),
    "each as the first arc": (arcs("«each» queue(x) -> done(x)"), "output-only", "`all queue(…)`"),
    "a number behind each": (arcs("source, all queue(x) -> each «2» * done(x)"), "each-not-first", "twice"),
    "a number before each": (arcs("source, all queue(x) -> 2 * «each» done(x)"), "each-not-first", "twice"),
    "if behind each": (arcs("source, all queue(x) -> each «if» x.kind > 2 then idle"), "each-not-first", "when"),
    "read( )": (arcs("«read(queue(x))», source -> source"), "arc-in-parentheses", "`read queue(x)`"),
    "no( )": (arcs("«no(done)», source -> source"), "arc-in-parentheses", "`no done`"),
    "each( )": (arcs("source, all queue(x) -> «each(done(x))»"), "arc-in-parentheses", "`each done(x)`"),
    "2 place": (arcs("«2 source» -> source"), "arc-not-place", "`2 * source`"),
    "--> as an arrow": (arcs("queue(x) «-->» done(x)"), "foreign-symbol", "`->`"),
    "a unit behind a name": (clauses(" let n = 3 takes n «us»"), "unit-after-value", "`* 1 us`"),
    "a unit behind a bracket": (clauses(" takes (x.kind + 1) «us»"), "unit-after-value", "`* 1 us`"),
    "count of nothing": (arcs("source, all queue(x) -> voq[«count(y in queue)»](x)"), "over-without-value", ": true)`"),
    "rate of a transition": (clauses(" «rate» 3"), "rate-clause", "`after exp(1 / r)`"),
    "@+ at an arc": (arcs("queue(x) -> done(x)«@+»3 us"), "foreign-time", "`takes`"),
    "a field without its token": (clauses(" takes «size» / 1 Gbps"), "unknown-name", "`x.size`"),
    "a field measured": (GO + "measure m = rate(go, «size»)\n", "unknown-name", "`x.size`"),
    "run for": (GO + "run «for» 100 us\n", "run-until", "`run until 100 us`"),
    "a PRISM model": ("«dtmc»\nmodule die\n s : bool;\n [] s -> (s'=false);\nendmodule\n", "file-foreign", "import"),
    "a PRISM module": ("module M\n s : [0..7];\n [] s=0 -> 1 : «(s'=»1);\nendmodule\n", "file-foreign", "import"),
    "priority of a token": (clauses(" priority «x».kind"), "variable-not-allowed", "priority 1`"),
    "weight of a token": (clauses(" weight «x».kind"), "variable-not-allowed", "weight 1`"),
    "two brackets": (places("place v[0..3]«[»0..2]"), "two-brackets", "`place v[0..3, 0..2]`"),
    "two variables": (
        places("module M\n  port v[«i in» 0..3, j in 0..3]\nend"), "array-variable", "`port v[0..3, 0..3]`"),
    "two sizes": (places("place v[«4», 2]"), "array-size", "`place v[0..3, 0..1]`"),
    "a variable in an array": (places("module M\n  port v[«i in» 0..3]\nend"), "array-variable", "`port v[0..3]`"),
    "a size of an array": (places("place v[«4»]"), "array-size", "`place v[0..3]`"),
    "curly quotes of a name": (places("place «“a”» = token\ntransition t: a -> b"), "name-in-quotes", "`a`"),
    "curly quotes of a file": ("net a\nimport «“part.net”»\n" + GO[10:], "foreign-quotes", '`"part.net"`'),
    "single quotes of a name": (places("place «'a'» = token\ntransition t: a -> b"), "name-in-quotes", "`a`"),
    "end as a name": (places("place «end» = token\ntransition t: end -> b"), "reserved-name", "`my_end`"),
    "in as a name": (
        places("place «in» = token\ntransition t: in -> b\ntransition u: b -> in"), "reserved-name", "`my_in`"),
    "unit as a place that arcs name": (
        places("place «unit» : int\ntransition t: unit(x) -> b, unit(x)  takes 5\ntransition u: b, unit(x) -> unit(x)"),
        "reserved-name", "`my_unit`"),
    "port as a place before a clause": (
        places("place «port»\ntransition t: b -> port  takes 5"), "reserved-name", "`my_port`"),
    "when as a name": (places("place «when»\ntransition t: b -> when"), "reserved-name", "`my_when`"),
    "now as a field": (
        places("type P = { «now»: int }\nplace a : P\ntransition t: a(x) -> b when x.now > 3"),
        "reserved-name", "`my_now`"),
    "place as a transition": (places("place a = token\ntransition «place»: a -> b"), "reserved-name", "`my_place`"),
    "bytes of a token": (arcs("idle -> done({ size: «64», kind: 1 })"), "type-mismatch", "`64 B`"),
    "bytes of a parameter": (GO + "param length : Bytes = «64»\n", "type-mismatch", "`64 B`"),
    "bytes compared": (clauses(" when «x.size > 64»"), "dimension-mismatch", "`64 B`"),
    "a frequency": (GO + "param clock : Freq = «100»\n", "type-mismatch", "`100 MHz`"),
    "a rate": (GO + "param line : Rate = «10»\n", "type-mismatch", "`10 Gbps`"),
    "a time": (clauses(" takes «3»"), "type-mismatch", "`3 us`"),
    # of CPN Tools, SimPy and other languages
    "a guard in brackets": (
        f"{HEAD}transition go [«x.kind > 4»]: queue(x) -> done(x)\n", "guard-in-brackets", "end: `when x.kind > 4`"),
    "a guard in parentheses": (
        f"{HEAD}transition go («tokens(done) == 0»): queue(x) -> done(x)\n", "guard-in-brackets", "`when tokens(done)"),
    "a guard before the colon": (
        f"{HEAD}transition go «when» x.kind > 4: queue(x) -> done(x)\n",
        "clause-too-early", "outputs  when x.kind > 4`"),
    "a time before the arrow": (arcs("queue(x) «takes» 3 us -> done(x)"), "clause-too-early", "outputs  takes 3 us`"),
    "a guard behind an arc": (arcs("queue(x) -> «done(x) [x.kind > 4]»"), "arc-not-place", "`when x.kind > 4`"),
    "a guard among the arcs": (arcs("queue(x), «x.kind > 4» -> done(x)"), "threshold-without-no", "`when x.kind > 4`"),
    "a number among the arcs": (arcs("queue(x), «idle >= 1» -> done(x)"), "threshold-without-no", "`when tokens(idle)"),
    "a guard as the pattern": (arcs("queue(«x.kind > 4») -> done(x)"), "pattern-condition", "`queue(x)`"),
    "a size of transitions": (
        f"{HEAD}transition t[«4»]: idle -> idle\n", "index-without-name", "`transition t[i in 0..3]`"),
    "a range of transitions": (
        f"{HEAD}transition t[«0..3»]: idle -> idle\n", "index-without-name", "`transition t[i in 0..3]`"),
    "an index without a range": (f"{HEAD}transition t[«n»]: idle -> idle\n", "index-without-name", "t[n in 0..3]`"),
    "an index with a colon": (f"{HEAD}transition t[«n: 0..7»]: idle -> idle\n", "index-without-name", "t[n in 0..7]`"),
    "a size of measures": (f"{GO}measure m[«2»] = rate(go)\n", "index-without-name", "`measure m[i in 0..1]`"),
    "for behind a transition": (arcs("voq[i](x) -> done(x) «for» i in 0..3"), "loop-elsewhere", "go[i in 0..3]`"),
    "two brackets of a transition": (
        f"{HEAD}transition t[i in 0..3]«[»j in 0..1]: voq[i](x) -> done(x)\n",
        "two-brackets", "[i in 0..3, j in 0..1]`"),
    "range()": (f"{HEAD}transition t[i in «range(4)»]: voq[i](x) -> done(x)\n", "range-form", "`0..3`"),
    "range() from 1": (places("place a : int = i for i in «range(1, 4)»"), "range-form", "`1..3`"),
    "range() to a name": (places("param n = 4\nplace a[«range(n)»]"), "range-form", "`0..n-1`"),
    "range() as a type": (places("place a : «range(4)»"), "range-form", "`0..3`"),
    "range() in an expression": (places("const n = sum(i in «range»(4): i)"), "unknown-function", "a..b"),
    "a number for a range": (f"{HEAD}transition t[i in «4»]: voq[i](x) -> done(x)\n", "range-form", "`0..3`"),
    "a slice": (places("place a : int = i for i in «0:3»"), "range-form", "`0..3`"),
    "a half-open range": (places("place a[«0..<4»]"), "range-form", "`0..3`"),
    "three points": (places("place a[«0...3»]"), "range-form", "`0..3`"),
    "a range with to": (places("place a[«0 to 3»]"), "range-form", "`0..3`"),
    "bounds in brackets": (places("param n = 3 in «[1, 9]»"), "range-form", "`1..9`"),
    "= for in": (places("place a : int = i for i «=» 0..3"), "loop-without-in", "`i in 0..3`"),
    "priority =": (clauses(" takes 3 us priority «=» 2"), "sign-after-word", "`priority 2`"),
    "weight:": (clauses(" weight«:» 3"), "sign-after-word", "`weight 3`"),
    "when:": (clauses(" when«:» x.kind > 3"), "sign-after-word", "`when x.kind > 3`"),
    "cap =": (places("place a : int cap «=» 3 = 4"), "sign-after-word", "`cap 3`"),
    "draw:": (clauses(" draw«:» s ~ exp(3 us)"), "sign-after-word", "`draw s ~ exp(3 us)`"),
    "time:": ("net a\ntime«:» ms\nplace b\n", "sign-after-word", "`time ms`"),
    "run:": (GO + "run«:» until 100 us\n", "sign-after-word", "`run until 100 us`"),
    "until =": (GO + "run until «=» 100 us\n", "sign-after-word", "`until 100 us`"),
    "expect:": (GO + "expect«:» rate(go) < 3 Hz\n", "sign-after-word", "`expect rate(go) < 3 Hz`"),
    "a comma before a clause": (clauses(" takes 3 us«,» priority 2"), "comma-before-clause", "remove it"),
    "preempt": (clauses(" takes 3 us «preempt»"), "unknown-clause", "`after …  resume`"),
    "preempt behind the outputs": (clauses(" «preempt»"), "unknown-clause", "`after …  resume`"),
    "immediate": (clauses(" «immediate»"), "unknown-clause", "without `takes`"),
    "break in a transition": (clauses(" takes 3 us «break»"), "unknown-clause", "`while …`"),
    "& between arcs": (arcs("queue(x) «&» source -> done(x)"), "arcs-joined", "`,`"),
    "&& between arcs": (arcs("queue(x) «&&» source -> done(x)"), "arcs-joined", "`,`"),
    "and between arcs": (arcs("queue(x), source -> done(x) «and» idle"), "arcs-joined", "`,`"),
    "++ between arcs": (arcs("queue(x) «++» source -> done(x)"), "arcs-joined", "`,`"),
    "+ between arcs": (arcs("source -> «idle + source»"), "arc-not-place", "`idle, source`"),
    "arcs in braces": (arcs("«{queue(x), source}» -> done(x)"), "arcs-in-brackets", "`queue(x), source`"),
    "arcs in parentheses": (arcs("«(queue(x), source)» -> done(x)"), "arcs-in-brackets", "`queue(x), source`"),
    "or between inputs": (arcs("queue(x) «or» source -> done(x)"), "input-chosen", "one transition for each"),
    "| between outputs": (arcs("queue(x) -> done(x) «|» idle"), "output-chosen", "`weight 1`"),
    "a probability before an output": (
        arcs("source -> source, 0.3«:» idle, 0.7: idle"), "output-chosen", "`weight 0.7`"),
    "probabilities without an arrow": (
        arcs("source, 0.3«:» idle, 0.7: idle"), "output-chosen", "`weight 0.7`"),
    "a probability behind an output": (
        arcs("source -> idle«:» 30%, source: 70%"), "output-chosen", "(true: 30%, false: 70%)"),
    "a probability times an output": (arcs("source -> «0.3» * idle, 0.7 * source"), "output-chosen", "`weight 0.7`"),
    "a choice of outputs": (arcs("source -> «choice(idle: 1, source: 2)»"), "output-chosen", "`weight 2`"),
    "a probability as a condition": (
        arcs("source -> if «0.3» then idle"), "type-mismatch", "`draw first ~ choice(true: 0.3"),
    "n++": (arcs("num(n) -> num(«n++»)"), "token-changed", "`num(n + 1)`"),
    "--n": (arcs("num(n) -> num(«++n»)"), "token-changed", "`num(n + 1)`"),
    "n += 2": (arcs("num(n) -> num(n), «n += 2»"), "token-changed", "`num(n + 2)`"),
    "n = n + 1": (arcs("num(n) -> num(«n = n + 1»)"), "token-changed", "`num(n + 1)`"),
    "n := n - 1": (arcs("num(n) -> num(«n := n - 1»)"), "token-changed", "`num(n - 1)`"),
    "a field counted up": (arcs("queue(x) -> done(«x.kind++»)"), "token-changed", "`done(x with {kind: x.kind + 1})`"),
    "a field set": (arcs("queue(x) -> done(x), «x.kind = 3»"), "token-changed", "`done(x with {kind: 3})`"),
    "no takes before a quotient": (clauses(" «x».size / 1 Gbps"), "missing-takes", "`takes x.size / 1 Gbps`"),
    "takes misspelt before a quotient": (clauses(" «takse» x.size / 1 Gbps"), "misspelt-clause", "`takes`"),
    "takes misspelt before brackets": (clauses(" «tekes» (x.size + 3 B) / 1 Gbps"), "misspelt-clause", "`takes`"),
    "takes misspelt before a number": (clauses(" «takse» 3 us + 2 us"), "misspelt-clause", "`takes`"),
    "when misspelt": (clauses(" «wehn» x.kind + 3 > 1"), "misspelt-clause", "`when`"),
    "no takes before min": (clauses(" «min»(3 us, 4 us)"), "missing-takes", "`takes min(3 us, 4 us)`"),
    "no takes before a sum": (clauses(" «3» us + 2 us"), "missing-takes", "`takes 3 us + 2 us`"),
    "a colon for takes": (clauses(" «:» 3 us"), "missing-takes", "`takes 3 us`"),
    "no takes before a name": ("param d = 3 us\n" + arcs("idle -> «source d»"), "missing-comma", "`takes d`"),
    "a time among the outputs": (arcs("idle -> source, «exp(3 us)»"), "time-as-arc", "`takes exp(3 us)`"),
    "elif": (
        clauses(" takes if x.kind > 3 then 1 us «elif» x.kind > 2 then 2 us else 3 us"),
        "elif-in-expression", "`else if`"),
    "elif behind a number": (
        places("const n = if 2 > 1 then 3 «elif» 3 > 1 then 4 else 5"), "elif-in-expression", "`else if`"),
    "a chained expectation": (
        GO + "expect 1 Hz < rate(go) «<» 2 Hz\n",
        "expect-two", "`expect rate(go) > 1 Hz` and `expect rate(go) < 2 Hz`"),
    "an expectation with and": (
        GO + "expect rate(go) > 1 Hz «and» rate(go) < 2 Hz\n", "expect-two", "`expect rate(go) < 2 Hz`"),
    "an expectation with in": (GO + "expect rate(go) «in» 1 Hz..2 Hz\n", "expect-two", "`expect rate(go) <= 2 Hz`"),
    "an array of ints": (places("place a : «int[]»"), "type-of-list", "`: int[4]`"),
    "a list of ints": (places("place a : «list»"), "unknown-type", "`place p : int = 1, 2, 3`"),
    "an int in a range": (places("place a : «int in 0..3»"), "type-of-range", "`0..3`"),
    "texts as a type": (places('place a : «"red" | "green"»'), "type-of-names", "`red | green`"),
    "time as a type": (places("place a : «time»"), "unknown-type", "`Time`"),
    "a text as a parameter": (places('param policy = «"fifo"»'), "text-as-value", "`type Name = fifo | other`"),
    "a text for a name": (places('type D = red | green\nconst d = «"red"»\nplace a : D = d'), "text-as-value", "`red`"),
    "initial tokens in braces": (places("place a : int = «{1, 2}»"), "initial-in-brackets", "`1, 2`"),
    "initial tokens in brackets": (places("place a : int = «[1, 2]»"), "type-mismatch", "`1, 2`"),
    "tokens for token": (places("place a = 3 * «tokens»"), "unknown-name", "`token`"),
    "a value of a black token": (arcs("queue(x) -> done(x), «idle(now)»"), "pattern-on-black", "`place idle : Time`"),
    "expovariate": (clauses(" takes «expovariate»(1/4)"), "unknown-function", "`exp(4 us)`"),
    "random.expovariate": (clauses(" takes «random.expovariate»(250 Hz)"), "unknown-function", "`exp(1 / 250 Hz)`"),
    "numpy.random.exponential": (clauses(" takes «np.random.exponential»(4)"), "unknown-function", "exp(mean)"),
    "exp of a frequency": ("param rate = 5 Hz\n" + clauses(" takes «exp(rate)»"), "type-mismatch", "`exp(1 / rate)`"),
    "exp of a fraction": (clauses(" takes «exp(1/4)»"), "type-mismatch", "`exp(4 us)`"),
    "exp of lambda": (
        "param lambda = 0.25\n" + clauses(" takes «exp(lambda)»"), "type-mismatch", "`exp(1 us / lambda)`"),
    "a frequency for a time": ("param f = 5 Hz\n" + clauses(" takes «2 * f»"), "type-mismatch", "`2 / f`"),
    "bytes through bytes": ("param line = 10 GB\n" + clauses(" takes «x.size / line»"), "type-mismatch", "`10 GBps`"),
    "bytes times a rate": (clauses(" takes «x.size * 1 Gbps»"), "type-mismatch", "`x.size / 1 Gbps`"),
    "a rate through bytes": (clauses(" takes «1 Gbps / x.size»"), "type-mismatch", "`x.size / 1 Gbps`"),
    "a number through a rate": (clauses(" takes «1500 / 1 Gbps»"), "type-mismatch", "`1500 B`"),
    "bytes through bytes in a sum": (clauses(" takes «3 us + x.size / 10 GB»"), "dimension-mismatch", "`10 GBps`"),
    "Gbit/s": (clauses(" takes x.size / «100 Gbit/s»"), "unit-per-time", "`100 Gbps`"),
    "MB/s": (GO + "param r = «100 MB/s»\n", "unit-per-time", "`100 MBps`"),
    "1/s": (GO + "param r = «10/s»\n", "unit-per-time", "`10 Hz`"),
    "bytes for bits": (clauses(" takes x.size / «100 Gbit»"), "unknown-unit", "`100 Gb`"),
    "a colon behind while": (steps("while n < 3«:»\n    wait 1 us\n  end"), "colon-of-block", "remove it"),
    "a colon behind if": (steps("if n < 3«:»\n    wait 1 us\n  end"), "colon-of-block", "`then`"),
    "n++ as a step": (steps("«n++»"), "set-missing", "`set n = n + 1`"),
    "set n++": (steps("set n«++»"), "set-changed", "`set n = n + 1`"),
    "set n -= 2": (steps("set n «-=» 2"), "set-changed", "`set n = n - 2`"),
    "wait =": (steps("wait «=» 3 us"), "sign-after-word", "`wait 3 us`"),
    "and in take": (steps("take source «and» queue(x)"), "arcs-joined", "`,`"),
    "a time without for": (steps("use «source 3» us"), "missing-comma", "`for 3 us`"),
    "elif in a step": (
        steps("wait if n < 1 then 1 us «elif» n < 2 then 2 us else 3 us"), "elif-in-expression", "else if"),
    "three keys of two kinds": (
        clauses(" prefer least «(x.size, x.kind, x.size)»"), "too-many-keys", "next to one another"),
    "prefer without least": (clauses(" prefer «x.size»"), "preference-form", "`prefer least x.size`"),
    "prefer without least, two keys": (
        clauses(" prefer «(x.size, x.kind)»  when true"), "preference-form", "`prefer least (x.size, x.kind)`"),
}  # fmt: skip


@pytest.mark.parametrize("name", CASES)
def test_one_mistake_gives_one_error_with_its_place_and_remedy(name: str, tmp_path: Path) -> None:
    marked, identifier, remedy = CASES[name]
    text = marked.replace("«", "").replace("»", "")
    path = tmp_path / "first.net"
    path.write_text(text, encoding="utf-8")
    (tmp_path / "part.net").write_text("module M(n: int = 1)\nend\n", encoding="utf-8")
    found, sources = language.check_with_sources(str(path))
    errors = [one for one in found if one.severity == "error"]
    assert [one.id for one in errors] == [identifier], render_all(errors, sources)
    span = errors[0].span
    assert span is not None
    before, _, rest = marked.partition("«")
    culprit = rest.partition("»")[0]
    line, column = before.count("\n") + 1, len(before) - before.rfind("\n")
    assert (span.line, span.column, span.end_column) == (line, column, column + len(culprit))
    hints = [line for line in render_all(errors, sources).splitlines() if "hint:" in line]
    assert any(remedy in line for line in hints), hints


@pytest.mark.parametrize("text", ["a - -b", "a--b", "a -(-b)"])
def test_two_signs_of_arithmetic_are_no_comment(text: str) -> None:
    checked = f"net n\nconst a = 3\nconst b = 2\nconst c = {text}\nplace p = c * token\ntransition t: p -> p\n"
    assert parse(checked, "n.net")[1] == []


def test_a_net_may_use_the_words_of_other_tools() -> None:
    assert parse("net n\nplace mdp = token\nplace q\ntransition t:\n  mdp\n  -> q\n", "n.net")[1] == []
