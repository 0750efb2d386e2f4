"""Files of other tools: what cannot be read, and what is said otherwise in a net of this language."""

from __future__ import annotations

from petri.wording.entry import Wording

WORDING: dict[str, Wording] = {
    "foreign-unknown": Wording(
        "`{path}` is in no format that can be imported",
        "the formats are {known:and:}; a net of this language needs no import: `pnsim run {path}`",
    ),
    "foreign-file-too-large": Wording("`{path}` is too large to be imported: the limit is {limit}"),
    "foreign-net-too-large": Wording("the net is too large for a text of this language, which has at most {limit}"),
    "foreign-too-large": Wording(
        "the file has more than {most} {what}, which is too much to be imported",
        "import a smaller instance of the model, with fewer parts",
    ),
    "foreign-too-deep": Wording("elements are nested more than {most} deep here"),
    "foreign-nested": Wording("something in this file is nested too deeply"),
    "foreign-xml": Wording("this is not XML: {reason}"),
    "foreign-entity": Wording(
        "the entity `{name}` is declared here, and files with entities of their own are not read",
        "write the text of the entity where it is used",
    ),
    "foreign-no-net": Wording("the file contains no net"),
    "foreign-first-net": Wording(
        "the file contains several nets, and `{name}` is imported", "with --net, one of {others:or}"
    ),
    "foreign-unknown-net": Wording("the file contains no net `{name}`", "its nets are {known:and}"),
    "foreign-class": Wording("`{text}` is not a set of colours that can be imported"),
    "foreign-no-value": Wording("`{name}` has no value in the file: it is {value} here", "set it: `--set {name}=…`"),
    "foreign-expression": Wording("`{text}` cannot be read: {reason}"),
    "foreign-distribution": Wording("the distribution `{name}`, with these parameters, cannot be imported"),
    "foreign-line": Wording("`{text}` cannot be read"),
    "foreign-intervals": Wording(
        "intervals of time have no probabilities: a time between two bounds is uniform here, "
        "an open one is exponential of mean 1 from its beginning"
    ),
    "foreign-no-time": Wording("this transition has no distribution"),
    "foreign-rewards": Wording("these rewards are not imported: {names:and}"),
    "foreign-unused": Wording("these constants of the file are not constants of the net: {names:and}"),
    "foreign-measures": Wording("the file contains {count:formula} of measures, which are not imported"),
    "foreign-construct": Wording("{what} cannot be said in a net of this language"),
    "foreign-set-size": Wording("a set of values has from 1 to {most} of them"),
    "foreign-sort": Wording("this value does not belong to the set that is expected here"),
    "foreign-not-one": Wording("`{what}` contains {count:thing} here instead of one"),
    "foreign-no-inscription": Wording("this arc of a place with coloured tokens has no inscription"),
    "foreign-subtraction": Wording("what is subtracted here is not known to be there"),
    "foreign-subtractions": Wording(
        "an input arc that takes all values but several cannot be said in a net of this language"
    ),
    "foreign-bag-too-large": Wording("`all` stands for too many tokens here"),
    "foreign-kind": Wording(
        "models of the kind `{kind}` cannot be imported", "only those of the kind `ctmc` have one time for each command"
    ),
    "foreign-unreadable": Wording("`{path}` is a file of {origin}, which cannot be imported: {reason}"),
    "foreign-strings": Wording(
        "the language has no strings: tokens of {names:and} are black, and products are imported without them"
    ),
    "foreign-monitors": Wording(
        "these monitors are not imported: {names:and}", "measures say the like: `mean(place)`, `count(transition)`"
    ),
    "foreign-weights": Wording(
        "GreatSPN gives a weight to each binding, and this language to each transition, whose bindings share it: "
        "beside others of their priority, {names:and} may fire with another probability",
        "the figures are the same where one binding is enabled at a time, or the other transitions are independent",
    ),
    "foreign-no-id": Wording("this {kind} has no id"),
    "foreign-twice": Wording("there are two nodes `{name}`"),
    "foreign-circle": Wording("`{name}` refers to itself"),
    "foreign-unknown-name": Wording("there is no `{name}` in this file"),
    "foreign-arc-ends": Wording("the arc from `{source}` to `{target}` does not join a place and a transition"),
    "foreign-arc-nothing": Wording("the arc from `{source}` to `{target}` has the number 0, and is left out"),
    "foreign-arc-kind": Wording("arcs of the kind `{kind}` cannot be imported"),
    "foreign-number": Wording("`{text}` is not a number of tokens", "write a whole number from 0 to {most}"),
    "foreign-untimed": Wording(
        "{origin} says nothing of times here: each transition fires after a random time of mean 1"
    ),
    "export-construct": Wording("{format} cannot say {what}"),
    "export-times": Wording("PNML says nothing of times, priorities and weights: those of {names:and} are left out"),
    "export-bounds": Wording(
        "these places have no capacity, and at most {bound:token} here: {names:and}", "give them a capacity: `cap 20`"
    ),
}
