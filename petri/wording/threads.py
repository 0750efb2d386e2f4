"""Threads and services."""

from __future__ import annotations

from petri.wording.entry import Replace, Wording

WORDING: dict[str, Wording] = {
    "thread-range": Wording(
        "the range of `{variable}` depends on another index of the thread",
        "let it run over all values, and leave elements out by a condition, such as `if {variable} <= i`",
    ),
    "label-twice": Wording("two steps are called `{name}`", "give one of them another label"),
    # the order of steps
    "thread-begins": Wording(
        "the thread `{name}` must begin with `take`", "an activation of a thread begins with the tokens that it takes"
    ),
    "step-unreachable": Wording(
        "this step is never reached", "the loop before it never ends, since its condition is always true"
    ),
    "branch-begins-at-once": Wording(
        "this branch of `choose` waits for no token: it can begin at once, and does not wait for the other branches",
        "begin it with `take`, `hold` or `use`",
        "for a time limit, write `or after {time}` before what is done when it is over",
        "to choose by chance, give each branch a weight: `choose weight 3 … or weight 1 …`",
        "to begin it only where no other branch can, write `or priority -1`",
    ),
    "limit-unknown-label": Wording(
        "no step of the thread `{thread}` is called `{name}`",
        Replace("did you mean `{suggestion}`?"),
        "write `{name}:` before the step with which it goes on when the time is over",
    ),
    "limit-at-start": Wording(
        "the first step of a thread has no time limit: without its tokens there is no activation yet",
        "begin the thread with what starts it, and write the limit at the step that waits",
    ),
    "clock-at-start": Wording(
        "the thread `{name}` begins with this choice, so it has no time limit: no activation waits yet",
        "begin the thread with the tokens that start it, and let the `choose` follow",
    ),
    "do-without-unless": Wording(
        "this `do` has no `unless`: nothing interrupts its steps",
        "write `unless ARCS` before the `end`, and behind it what is done then",
    ),
    "do-never-waits": Wording(
        "the steps of this `do` neither wait nor last, so nothing can interrupt them",
        "leave out `do`, or put the steps that wait into it",
    ),
    "unless-binds-again": Wording(
        "`{name}` has a value within the `do` already, which is not known behind `unless`", "use another name"
    ),
    "call-in-do": Wording(
        "a call cannot be interrupted: its request is with the service until the reply comes",
        "put the `call` before or behind the `do`",
        "or put the request into a place, and `take` the answer from another",
    ),
    "each-never-ends": Wording(
        "this loop never ends: it gives back to `{place}` what it takes",
        "take only the tokens that are wanted, `for each {place}(x) when …`, or give them to another place",
        "to visit those that are there now, write `repeat tokens({place})`, and `take` one in each turn",
    ),
    "limit-to-start": Wording(
        "`{name}` is the first step of the thread, with which new activations begin",
        "name a step that an activation reaches",
    ),
    "limit-into-choice": Wording(
        "`{name}` is a step with which a branch of `choose` begins: the others could begin there as well",
        "put a step before the `choose` that does something, and name that one",
    ),
    "limit-held": Wording(
        "the thread holds `{place}` at only one of the two steps: the one with the time limit, and `{name}`",
        "hold it before both or behind both, and release it so, too",
    ),
    "limit-without-value": Wording(
        "the steps from `{name}` on use {values:and}, which this step does not know yet when its time is over",
        "give them values before this step: `let … = …`, and `set` them behind it",
    ),
    # values
    "value-of-block": Wording(
        "`{name}` is known only in the block that binds it",
        "bind it before the block, and change it there with `set {name} = …`",
    ),
    "let-again": Wording("`{name}` has a value already", "to change it, write `set {name} = …`"),
    "set-unknown": Wording(
        "`{name}` has no value yet", "did you mean `{suggestion}`?", "write `let {name} = …` for a new value"
    ),
    "set-other-type": Wording(
        "`{text}` is {found}, but `{name}` is {wanted}",
        Replace("write `{whole}`"),
        "or give `{name}` a value of type {found} where it gets its first one",
    ),
    "set-of-held": Wording(
        "`{name}` says which token of `{place}` the thread holds", "release `{place}` first, or use another name"
    ),
    "repeat-not-whole": Wording(
        "`{text}` is {kind}, but a number of repetitions is a whole number", "write `repeat ceil({text})`"
    ),
    # what a thread holds
    "held-at-end": Wording(
        "the thread `{name}` holds `{place}`, and ends without giving it back",
        "write `release {place}` where the thread no longer needs it",
        "write `take` for tokens that are not given back",
    ),
    "held-differs": Wording(
        "`{place}` is released in this block, but held before it",
        "release it before or after the block: a block that may be left out or repeated ends with what it began with",
    ),
    "held-in-block": Wording(
        "`{place}` is still held when its block ends", "write `release {place}` at the end of the block"
    ),
    "release-not-held": Wording(
        "the thread does not hold `{place}` here",
        "it holds {held:and}",
        "write `hold {place}` before, or `give` to put tokens there",
    ),
    "release-with-value": Wording(
        "`release` gives the same tokens back, so it takes no value", Replace("write `release {place}`")
    ),
    # services
    "call-of-place": Wording(
        "`{name}` is not a service",
        "declare it as one, `service {name} : {{ … }}`, and let a transition `reply`",
        "to put a token there without waiting for a reply, write `give`",
    ),
    "call-unknown": Wording("there is no service `{name}`", "declare it: `service {name} : {{ … }}`"),
    "reply-pattern": Wording(
        "`{text}` does not name parts of the reply", "write `-> {{field}}` or `-> {{field: name}}`"
    ),
    "reply-not-request": Wording(
        "`{text}` needs the request that is answered",
        "take it from the place of the service, `dram(r)`, and give it back, `reply(r)`",
    ),
    "request-without-caller": Wording(
        "a request comes from a thread that waits for its reply",
        "write `call …` in a thread; a transition can only pass a request on, and `reply` to it",
    ),
    "service-not-record": Wording(
        "a request is a record, not {kind}", "write `service name : {{ bytes: Bytes }}`, or no type at all"
    ),
    "service-field": Wording("the field `{field}` cannot hold a request", "keep the request in a place of its own"),
    "service-field-taken": Wording(
        "the field `{field}` is used twice", "choose another name; `caller` is taken as well"
    ),
    "service-unserved": Wording(
        "nobody serves `{name}`: no transition takes its requests",
        "write `transition serve: {name}(r), … -> reply(r), … takes TIME`",
    ),
    "service-without-reply": Wording(
        "no transition replies to the requests of `{name}`, so its callers wait forever",
        "write `reply(r)` where the request `r` is done",
    ),
    "measure-of-thread": Wording("`{text}` is a thread", "name one of its steps: {inside:or}"),
}

LABELS: dict[str, str] = {"bound-here": "bound here", "held-here": "held since here"}
