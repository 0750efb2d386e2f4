"""Nets in which something is decided."""

ADMISSION = """net admission
time min
param value = 5
place street = token
place door
place line
place clerk = token
place served
transition arrive: street -> street, door      takes exp(1 min)
transition admit:  door -> line                decide
transition refuse: door -> nothing             decide
transition serve:  line, clerk -> clerk, left  takes exp(1 min)
place left
transition leave:  left -> nothing
measure gain = value * count(admit) - mean(tokens(line) + firings(serve)) * elapsed / 1 min
run until 1000 min
"""

ASSIGNMENT = """net assignment
time h
type Kind  = quote | claim | appeal
type Clerk = ann | bob | eve
type Task  = { kind: Kind, size: 1..2, born: Time }
const hours = [1.0, 1.5, 2.0]
const skill = [0.5, 0.7, 0.9]
place desk[k in Kind] = token
place queue : Task
place free  : Clerk = all
transition come[k in Kind]: desk[k] -> desk[k], queue({kind: k, size: s, born: end})
  draw s ~ uniform(1..2)
  takes exp(3 h)
transition assign: queue(t), free(c) -> free(c)
  draw part ~ uniform(0.5..1)
  takes exp(t.size * part * hours[t.kind] * skill[c] * 1 h)
  decide
  prefer least t.born
measure done    = count(assign)
measure waiting = mean(queue) * elapsed / 1 h
run until 200 h
"""
