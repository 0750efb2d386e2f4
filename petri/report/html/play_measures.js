/* Declared measures from the start up to each event, as the engine has them without a warm-up.

run: {net, happened, events, when, levels(place): its tokens after each event, size of the initial marking}. */
const measuresOf = ({ net, happened, events, when, levels }) => {
  const known = new Map(), length = events.length + 1;
  const instant = (n) => n ? when[n - 1] : 0;
  const column = (of) => Float64Array.from({ length }, (_, n) => of(n));
  const running = (step) => { let sum = 0; return column((n) => sum += n ? step(n) : 0); };
  /* From values after each event: their integral up to each, in ticks. */
  const integral = (values) => running((n) => values[n - 1] * (instant(n) - instant(n - 1)));
  const over = (a, b) => column((n) => b[n] ? a[n] / b[n] : NaN);
  const ticks = () => column(instant);
  const some = (values) => values.map((x) => x > 0 ? 1 : 0);
  const fired = (n, t) => events[n - 1] >= 0 && happened[events[n - 1]].t === t;
  const progress = (t) => running((n) => {
    const event = events[n - 1], one = happened[event < 0 ? ~event : event];
    return one.t !== t || one.end <= one.start ? 0 : event < 0 ? -1 : 1;
  });
  const arrivals = (p) => running((n) => {
    const event = events[n - 1], one = happened[event < 0 ? ~event : event];
    return event >= 0 && one.end > one.start ? 0
      : one.given.reduce((sum, [to, count]) => sum + (to === p ? count : 0), 0);
  });
  const at = (n, e) => {
    const one = happened[events[n - 1]], world = { now: one.start, end: one.end, size: () => { throw new Error("tokens"); } };
    return valueOf(e, one.variables, world);
  };
  const sum = ({ transition, quantity }) => running((n) => fired(n, transition) ? quantity ? Number(at(n, quantity)) : 1 : 0);
  const sampled = (samples, field) => {
    let most = NaN, least = NaN, count = 0, total = 0;
    return column((n) => {
      for (const one of n ? samples : []) {
        if (!fired(n, one.transition) || one.condition && !at(n, one.condition)) continue;
        const x = Number(at(n, one.value));
        count++; total += x;
        most = x <= most ? most : x; least = x >= least ? least : x;
      }
      return { count, sum: total, mean: count ? total / count : NaN, max: most, min: least }[field];
    });
  };
  const arithmetics = { neg: (a) => -a, add: (a, b) => a + b, sub: (a, b) => a - b, mul: (a, b) => a * b,
    div: (a, b) => b ? a / b : NaN, min2: Math.min, max2: Math.max };
  const lasting = (t) => {  // of a transition that races, clocks count instead, which the page does not have
    if (net.transitions[t].races) throw new Error("clocks");
    return progress(t);
  };
  const figures = {
    const: (value) => column(() => value),
    elapsed: () => ticks().map((x) => x * net.tick),
    counter: (probe) => sum(net.probes[probe]),
    sample: ([probe, field]) => sampled([net.probes[probe], ...net.probes[probe].others], field),
    firings: (t) => running((n) => fired(n, t) ? 1 : 0),
    in_progress: (t) => over(integral(lasting(t)), ticks()),
    active: (t) => over(integral(some(lasting(t))), ticks()),
    mean: (p) => over(integral(levels(p)), ticks()),
    max: (p) => levels(p).map(((most) => (level) => most = Math.max(most, level))(0)),
    occupied: (p) => over(integral(some(levels(p))), ticks()),
    arrivals,
    sojourn: (p) => over(integral(levels(p)).map((x) => x * net.tick), arrivals(p)),
    busy: (p) => over(integral(levels(p)), ticks()).map(((start) => (x) => start ? 1 - x / start : NaN)(levels(p)[0])),
  };
  /* The values of a formula; throws for one that needs what the page does not have. */
  const values = (term) => {
    const { op, args, value } = term, key = JSON.stringify(term);
    if (known.has(key)) return known.get(key);
    const of = args.map(values), operate = arithmetics[op];
    if (!operate && !figures[op]) throw new Error(op);
    const found = operate ? column((n) => operate(...of.map((one) => one[n]))) : figures[op](value);
    known.set(key, found);
    return found;
  };
  return values;
};
