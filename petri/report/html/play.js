(async () => {
  const packed = Uint8Array.from(atob(JSON.parse($("trace").textContent)), (c) => c.charCodeAt(0));
  const stream = new Blob([packed]).stream().pipeThrough(new DecompressionStream("gzip"));
  const net = JSON.parse(await new Response(stream).text());
  const { places, transitions } = net;
  /* The page that this one is a frame of, if it has the engine: there the reader fires what is enabled. */
  const engine = parent === window ? null : parent.pnsimGame;

  /* ---------------------------------------------------------------- values as text */

  const trimmed = (x, digits) => {
    if (typeof x === "bigint" || Number.isSafeInteger(x)) return x.toLocaleString("en-US");
    const text = x.toPrecision(digits);
    return text.includes("e") ? text : text.includes(".") ? text.replace(/\.?0+$/, "") : text;
  };
  const quantity = (value, dimension, digits = 6) => {
    const unit = net.units[dimension];
    if (!unit) return trimmed(value, digits);
    value = Number(value);
    const size = Math.abs(value) * unit.factor;
    const plain = unit.units.find(([one]) => one === 1) ?? unit.units.at(-1);
    const [one, name] = size ? unit.units.find(([least]) => size >= least * (1 - 1e-9)) ?? unit.units.at(-1) ?? [1, ""]
      : plain ?? [1, ""];
    return `${trimmed(Number((value * unit.factor / one).toPrecision(12)), digits)} ${name}`.trim();
  };
  const time = (ticks) => quantity(ticks, "Time", 8);
  const shown = (value, kind) => kind.labels.length ? kind.labels[value] ?? String(value) : quantity(value, kind.dimension);
  const named = (kinds, values, between) => {  // the elements of a vector, which follow one another, behind its name
    const groups = [];
    kinds.forEach((kind, i) => {
      if (values[i] == null) return;
      const name = kind.name.replace(/\[[^[]*\]$/, ""), last = groups.at(-1), text = shown(values[i], kind);
      if (last?.vector && last.name === name && name !== kind.name) last.texts.push(text);
      else groups.push({ name, vector: name !== kind.name, texts: [text] });
    });
    return groups.map(({ name, vector, texts }) =>
      `${name}${name && between}${vector ? `[${texts.join(", ")}]` : texts[0]}`).join(", ");
  };
  const tokenText = (place, values) => values.length ? named(places[place].slots, values, " ") : "token";
  /* What a firing or a candidate has bound, and what its transition calls by a name (`let`); `world` as far as it is known. */
  const boundText = (t, values, world) => {
    const { variables, lets } = transitions[t];
    const known = (e) => e.op === "var" ? values[e.value] != null : (e.op !== "end" || "end" in world) && e.args.every(known);
    const none = values.length > 0 && values.every((value) => value == null);
    const found = lets.map(({ e }) => !none && known(e) ? valueOf(e, values, world) : null);
    return named([...variables, ...lets], [...values, ...found], " = ");
  };
  const firingText = (one) => boundText(one.t, one.variables, { now: one.start, end: one.end });

  /* ---------------------------------------------------------------- the trace */

  /* {t, start, end, variables, taken, given}; t is -1 of a row of a stream, and of tokens on the way, which the firing
     before has sent, -2 less the number of its transition. */
  /* changes: for each event the places that it changes, each with the number of its black tokens or with its row as runs:
     from a seat on of the row before, or from -1 - k on of those that it gives. */
  let happened, events, when, changes, initial, clocksOf, started, verdicts, game = null;
  const read = ({ rows: packed, until, clocks, paces, verdicts: judged, ...trace }) => {
    Object.assign(net, { until, paces });
    const rows = packed.map(exactly);
    happened = [];
    for (let at = 0, start = 0; at < rows.length;) {
      const t = rows[at++];
      start += rows[at++];
      const end = start + rows[at++];
      const width = t < 0 ? 0 : transitions[t].variables.length;
      const variables = rows.slice(at, at += width);
      const taken = [], given = [];
      for (let n = rows[at++]; n > 0; n--) taken.push([rows[at++], rows[at++]]);
      for (let n = rows[at++]; n > 0; n--) {
        const place = rows[at++], count = rows[at++], slots = places[place].slots.length;
        given.push([place, count, rows.slice(at, at += slots)]);
      }
      happened.push({ t, start, end, variables, taken, given, sent: [], from: null });
      if (t < -1) happened.findLast((one) => one.t >= 0).sent.push(happened.length - 1);
    }
    ({ initial, events } = trace);
    when = events.map((i) => i < 0 ? happened[~i].end : happened[i].start);
    let n = 0;
    const next = () => trace.changes[n++], times = (count, make) => Array.from({ length: count }, make);
    changes = events.map(() => times(next(), () => {
      const place = next(), count = next();
      return [place, black(place) ? count : times(count, () => [next(), next()])];
    }));
    verdicts = transitions.map(() => []);
    for (const [n, t, found] of judged) verdicts[t].push([n, found]);
    clocksOf = transitions.map(() => []);
    started = new Map();  // a firing that is the end of a clock, and the number of events with which it has started
    for (const span of clocks) {
      span.tokens = span.tokens.map((v) => v.map(exactly));
      clocksOf[span.t].push(span);
      if (span.fired >= 0) started.set(span.fired, 0);
    }
    events.forEach((event, n) => { if (started.has(event)) started.set(event, n + 1); });
  };
  const isSent = (i) => happened[i].t < -1, sender = (i) => isSent(i) ? -2 - happened[i].t : happened[i].t;
  const black = (p) => places[p].slots.length === 0;
  read(net);
  const starts = initial.map((row) => typeof row === "number" ? row : row.length);
  const first = () => initial.map((row) => typeof row === "number" ? row : row.map((v) => ({ v: v.map(exactly), at: 0, by: -1 })));
  let marking, held, done, now;
  const size = (p) => typeof marking[p] === "number" ? marking[p] : marking[p].length;
  /* What event n gives to a place. */
  const gift = (n, place) => givers(n).flatMap((i) => happened[i].given.filter(([to]) => to === place)
    .flatMap(([, count, v]) => Array.from({ length: count }, () => ({ v, at: when[n], by: i }))));
  const givers = (n) => {
    const event = events[n];
    return event < 0 ? [~event] : [event, ...happened[event].sent].filter((i) => happened[i].end <= when[n]);
  };
  const apply = () => {
    const n = done++, event = events[n];
    now = when[n];
    if (event < 0) held.splice(held.indexOf(~event), 1);
    else {
      const one = happened[event], from = one.taken.filter(([place]) => !black(place)).map(([place, seat]) => [place, marking[place][seat]]);
      for (const i of [event, ...one.sent]) {
        happened[i].from ??= from;
        if (happened[i].end > one.start) held.push(i);
      }
    }
    for (const [place, after] of changes[n]) {
      const row = marking[place], given = black(place) || after.every(([seat]) => seat >= 0) ? null : gift(n, place);
      marking[place] = black(place) ? after
        : after.flatMap(([seat, count]) => seat < 0 ? given.slice(-1 - seat, count - 1 - seat) : row.slice(seat, seat + count));
    }
  };
  let every, frames;
  const keep = () => frames.push({ now, held: [...held], marking: marking.map((r) => typeof r === "number" ? r : [...r]) });
  const replay = () => {
    every = Math.max(256, Math.ceil(events.length / 256));
    frames = []; marking = first(); held = []; done = now = 0;
    keep();
    while (done < events.length) { apply(); if (done % every === 0) keep(); }
  };
  const jump = (target) => {
    target = Math.min(Math.max(target, 0), events.length);
    if (target < done || target - done > every) {
      const frame = frames[Math.floor(target / every)];
      ({ now } = frame);
      held = [...frame.held];
      marking = frame.marking.map((r) => typeof r === "number" ? r : [...r]);
      done = Math.floor(target / every) * every;
    }
    while (done < target) apply();
    clock = now;
  };
  replay();
  const at = (instant) => {  // the number of events up to an instant
    let low = 0, high = when.length;
    while (low < high) { const mid = (low + high) >> 1; if (when[mid] <= instant) low = mid + 1; else high = mid; }
    return low;
  };
  let clock = 0;  // model time as shown: it also runs between events

  /* ---------------------------------------------------------------- clocks (C1 to C5) */

  const settled = () => done === events.length || when[done] > now;  // whether the instant is over (C2)
  const latest = (list, over) => {  // the last of what happened at instants
    let low = 0, high = list.length;
    while (low < high) { const mid = (low + high) >> 1; if (over(list[mid][0])) low = mid + 1; else high = mid; }
    return list[low - 1];
  };
  /* The clocks of a transition now: {tokens, time, count, left: ticks at this pace, share: of its time that has passed}. */
  const clocksNow = (t) => {
    const done_ = settled(), over = (at) => at < now || at === now && done_, found = [];
    const pace = net.paces[t] && latest(net.paces[t], over);
    for (const { tokens, time: set, changes, over: end, fired } of clocksOf[t]) {
      if (fired >= 0 ? done >= started.get(fired) : end !== null && over(end)) continue;
      const change = latest(changes, over);
      if (!change || set === null && !change[1]) continue;
      const [at, count, value] = change, one = { tokens, time: set, count, paced: Boolean(pace) };
      if (!count) { one.left = value; one.share = 1 - value / set; }
      else if (pace) {
        const [since, virtual, speed] = pace, work = Math.max(value - virtual - speed * (clock - since), 0);
        one.left = work && !speed ? Infinity : work && work / speed;
        one.share = 1 - work / set;
      } else {
        one.left = Math.max(value - clock, 0);
        one.share = set === null ? (clock - at) / (value - at) : 1 - one.left / set;
      }
      one.share = Math.min(Math.max(one.share || 0, 0), 1);
      found.push(one);
    }
    return found;
  };
  const runningClocks = (t) => clocksNow(t).filter((one) => one.count);
  const clockText = ({ time: set, count, left, paced }) => {
    const short_ = (ticks) => quantity(ticks, "Time", 4), of = set === null ? "" : ` of ${short_(set)}`;
    if (!count) return `kept: ${short_(left)}${of} left`;
    if (left === Infinity) return "stands still";
    if (!left) return "has run down";
    return paced && set !== null ? `${short_(left)} left at this speed, set to ${short_(set)}` : `${short_(left)}${of} left`;
  };
  const same = (a, b) => a.length === b.length && a.every((v, n) => v.every((x, slot) => x === b[n][slot]));
  const clockLine = (name, one) => {
    const line = make("div", undefined, "firing timed"), bar = make("progress"), label = make("span", name);
    bar.value = one.share;
    label.title = name;
    line.append(label, bar, make("span", clockText(one), "soft"));
    return line;
  };
  const parts = () => clocksOf.filter((list) => list.some((span) => span.time === null)).length;  // of the common clock (C4)
  const clockName = (t, { tokens, time: set, count }) => {
    const at = transitions[t].inputs.filter((arc) => !black(arc.place)).map((arc) => arc.place);
    const shared = set === null && parts() > 1 ? "as one with all exponential ones" : count > 1 ? "as one" : "";
    const text = tokens.map((v, n) => tokenText(at[n], v)).join("; ") || shared && `${count} clock${count > 1 ? "s" : ""} ${shared}`;
    return transitions[t].name + (text ? ` (${text})` : "");
  };

  /* ---------------------------------------------------------------- what stands against a transition, as recorded */

  const coming = (place) => held.flatMap((i) => happened[i].given).reduce((sum, [to, n]) => sum + (to === place ? n : 0), 0);
  const MOST = 200;
  /* The candidates: {variables, arc: the input arc that finds nothing, wrong: what is not met, tokens of one with a clock}. */
  const candidates = (t) => latest(verdicts[t], (n) => n <= done)[1].map(([variables, arc, wrong, tokens]) =>
    ({ variables: variables.map(exactly), arc, wrong, tokens: tokens.map((v) => v.map(exactly)) }));

  /* ---------------------------------------------------------------- the drawing */

  let view = 0;
  const sheets = net.views.map((one, index) => {
    const sheet = $(`view-${index}`), root = sheet.shadowRoot, live = new Map();
    for (const [id, [x, y, kind, width, height]] of Object.entries(one.nodes)) {
      const node = root.getElementById(id);
      const group = document.createElementNS(SVG, "g");
      group.setAttribute("class", "live");
      node.append(group);
      node.setAttribute("tabindex", "-1");
      node.style.cursor = "pointer";
      node.addEventListener("click", (event) => { event.stopPropagation(); chooseNode(index, id); });
      live.set(id, { node, group, x, y, kind, width, height, last: "" });
    }
    root.querySelector("svg").addEventListener("click", () => choose(null));
    const inside = new Map([...live.keys()].map((id) => [id, { places: [], transitions: [] }]));
    one.place.forEach((id, p) => id && inside.get(id).places.push(p));
    one.transition.forEach((id, t) => id && inside.get(id).transitions.push(t));
    return { sheet, live, inside };
  });
  const draw = (name, attributes, text) => {
    const one = document.createElementNS(SVG, name);
    for (const [key, v] of Object.entries(attributes)) one.setAttribute(key, v);
    if (text !== undefined) one.textContent = text;
    return one;
  };
  const seats = [[], [[0, 0]], [[-5, 0], [5, 0]], [[-5, 4], [5, 4], [0, -5]], [[-5, -5], [5, -5], [-5, 5], [5, 5]]];
  const short = (n) => n < 10000 ? String(n) : n.toExponential(0).replace("+", "");
  const drawNode = (one, tokens, coloured, shares) => {
    const { group, x, y, kind, width, height } = one;
    const ring = shares.length ? 1 - Math.max(...shares) : -1;
    const key = `${tokens} ${shares.length} ${ring.toFixed(3)}`;
    if (key === one.last) return;
    one.last = key;
    group.replaceChildren();
    const cls = coloured ? "coloured" : "token";
    if (kind === "module") {
      if (tokens) group.append(draw("text", { class: "note", x: x + width / 2 - 6, y: y - height / 2 - 4, "text-anchor": "end",
        "font-size": 11 }, `● ${short(tokens)}`));
    } else if (tokens && tokens < seats.length) {
      for (const [dx, dy] of seats[tokens]) group.append(draw("circle", { class: cls, cx: x + dx, cy: y + dy, r: 3.4 }));
    } else if (tokens) {
      group.append(draw("text", { class: cls, x, y: y + 4, "text-anchor": "middle", "font-size": tokens < 1000 ? 12 : 9 },
        short(tokens)));
    }
    if (ring >= 0) {  // firings in progress and clocks that run: a clock for the nearest to its end, and their number
      const cx = kind === "module" ? x - width / 2 + 9 : x, cy = kind === "module" ? y - height / 2 - 8 : y, r = 7;
      const angle = 2 * Math.PI * Math.min(1 - ring, 0.9999);
      group.append(draw("circle", { cx, cy, r: r + 1.5, class: "clock" }));
      group.append(draw("path", { class: "hand", d: `M${cx},${cy} L${cx},${cy - r} A${r},${r} 0 ${angle > Math.PI ? 1 : 0} 1 ${
        cx + r * Math.sin(angle)},${cy - r * Math.cos(angle)} Z` }));
      if (shares.length > 1) group.append(draw("text", { class: "note", x: cx + 11, y: cy + 4, "font-size": 10 },
        `${shares.length}`));
    }
  };
  const part = (i) => (clock - happened[i].start) / (happened[i].end - happened[i].start);  // of a firing, done
  const drawView = () => {
    const { live, inside } = sheets[view];
    const running = new Map();
    const runs = (t, share) => { running.has(t) ? running.get(t).push(share) : running.set(t, [share]); };
    for (const i of held) if (!isSent(i)) runs(happened[i].t, part(i));
    clocksOf.forEach((list, t) => { if (list.length) for (const one of runningClocks(t)) runs(t, one.share); });
    const able = new Set(game ? possible().filter(([, , waits]) => !waits).map(([t]) => t) : []);
    const last = done ? events[done - 1] : null;
    const lit = last === null ? -1 : sender(last < 0 ? ~last : last);
    for (const [id, one] of live) {
      const { places: ps, transitions: ts } = inside.get(id);
      drawNode(one, ps.reduce((sum, p) => sum + size(p), 0), ps.some((p) => !black(p)), ts.flatMap((t) => running.get(t) ?? []));
      one.node.classList.toggle("lit", ts.includes(lit));
      one.node.classList.toggle("can", ts.some((t) => able.has(t)));
      one.node.classList.toggle("picked", picked !== null && (picked.kind === "p" ? ps : ts).includes(picked.number));
    }
  };
  const showView = (index) => {
    sheets.forEach(({ sheet }, n) => { sheet.hidden = n !== index; });
    view = index;
    const path = net.views[index].path, crumbs = $("crumbs");
    crumbs.replaceChildren();
    [[], ...path.map((_, n) => path.slice(0, n + 1))].forEach((part_, n, all) => {
      const target = net.views.findIndex((one) => one.path.join(".") === part_.join("."));
      const button = make("button", n ? part_[n - 1].replace("[*]", "") : net.name);
      button.disabled = n === all.length - 1 || target < 0;
      button.addEventListener("click", () => { showView(target); render(); });
      crumbs.append(button);
    });
    crumbs.hidden = net.views.length === 1;
    for (const one of sheets[index].live.values()) one.last = "";
  };

  /* ---------------------------------------------------------------- what is picked */

  let picked = null;  // {kind: "p" | "t", number, all: the elements that the node stands for}
  const pickName = () => picked && `${picked.kind}:${(picked.kind === "p" ? places : transitions)[picked.number].name}`;
  const choose = (pick) => { picked = pick; if (pick?.kind === "p") spark(); render(); link(); };
  const chooseNode = (index, id) => {
    const module = net.views[index].modules[id];
    if (module) {
      const target = net.views.findIndex((one) => one.path.join(".") === module);
      if (target >= 0) { showView(target); render(); return; }
    }
    const { places: ps, transitions: ts } = sheets[index].inside.get(id);
    if (ps.length) choose({ kind: "p", number: ps[0], all: ps });
    else if (ts.length) {
      const mine = game ? possible().map(([t, , waits], which) => !waits && ts.includes(t) ? which : -1).filter((which) => which >= 0) : [];
      if (mine.length === 1 && picked?.kind === "t" && ts.includes(picked.number)) ask(firings(), mine[0]);
      else choose({ kind: "t", number: ts[0], all: ts });
    }
  };
  const reveal = () => {  // shows the drawing in which the picked part is
    if (!picked) return;
    const here = (one) => (picked.kind === "p" ? one.place : one.transition)[picked.number];
    const index = net.views.findIndex((one) => here(one) && !one.modules[here(one)]);
    if (index >= 0 && index !== view) { showView(index); render(); }
  };
  const find = (name) => {
    const kind = name[0], list = kind === "p" ? places : transitions;
    const number = list.findIndex((one) => one.name === name.slice(2));
    return number < 0 ? null : { kind, number, all: [number] };
  };
  const titled = (text, doc) => {
    const box = $("pick");
    box.replaceChildren(make("h2", text));
    if (doc) box.append(make("p", doc, "doc"));
    if (picked.all.length > 1) {
      const select = make("select");
      const list = picked.kind === "p" ? places : transitions;
      for (const n of picked.all) {
        const option = make("option", list[n].name);
        option.value = n; option.selected = n === picked.number;
        select.append(option);
      }
      select.addEventListener("change", () => choose({ ...picked, number: Number(select.value) }));
      box.append(select);
    }
    return box;
  };
  const table = (rows_) => {
    const one = make("table");
    for (const cells of rows_) {
      const row = make("tr", undefined, cells.cls);
      for (const cell of cells) { const td = make("td"); td.append(cell); row.append(td); }
      one.append(row);
    }
    return one;
  };
  const firingButton = (i) => {
    const button = make("button", sender(i) < 0 ? "its file" : `${transitions[sender(i)].name} (firing ${i + 1})`, "link");
    button.addEventListener("click", () => go(events.indexOf(isSent(i) ? ~i : i) + 1));
    return button;
  };
  const way = (token) => {  // where a token has been: the firings that gave it and those before it
    const list = make("ol");
    for (let one = token, place = picked.number, n = 0; one && n < 20; n++) {
      const item = make("li", `${time(one.at)} in ${places[place].name}: ${tokenText(place, one.v)}, given by `);
      if (one.by < 0) { item.textContent = `0: in ${places[place].name} from the start`; list.append(item); break; }
      item.append(firingButton(one.by));
      list.append(item);
      const from = happened[one.by].from ?? [];
      const same = from.find(([, before]) => before.v.some((v) => one.v.includes(v))) ?? from[0];
      [place, one] = same ?? [0, null];
    }
    return list;
  };
  const showPlace = () => {
    const place = places[picked.number], box = titled(place.name, place.doc), there = marking[picked.number];
    const facts = [place.discipline === "key" ? "by key" : place.discipline, place.room].filter(Boolean).join(", ");
    box.append(make("p", `${size(picked.number).toLocaleString("en-US")} tokens${facts ? `, ${facts}` : ""}`));
    if (typeof there === "number") return;
    const list = make("div", undefined, "tokens");
    there.slice(0, 100).forEach((token) => {
      const details = make("details"), summary = make("summary", tokenText(picked.number, token.v));
      summary.append(make("span", ` ${time(clock - token.at)} old`, "soft"));
      details.append(summary);
      details.addEventListener("toggle", () => { if (details.open) details.append(way(token)); }, { once: true });
      list.append(details);
    });
    box.append(list);
    if (there.length > 100) box.append(make("p", `and ${there.length - 100} more`, "soft"));
  };
  const showTransition = () => {
    const t = picked.number, one = transitions[t], box = titled(one.name, one.doc), found = candidates(t);
    const fit = found.filter((c) => c.arc === one.inputs.length && !c.wrong.length);
    const clocks = one.races ? clocksNow(t) : [], able = one.races ? "" : " can fire";
    const ends = held.filter((i) => happened[i].t === t).map((i) => happened[i].end);
    if (ends.length) {
      const next = time(Math.min(...ends));
      box.append(make("p", ends.length > 1 ? `${ends.length} firings in progress, the next ends at ${next}` : `fires until ${next}`, "good"));
    }
    box.append(make("p", fit.length ? `enabled: ${fit.length} of ${found.length} candidates${able}`
      : ends.length ? "no further firing can start" : "not enabled", fit.length ? "good" : ends.length ? "soft" : "bad"));
    const lines = [], complete = found.filter((c) => c.arc === one.inputs.length);
    const verdict = (name, reached, wrong, there) => {
      const text = !reached ? "· not looked at" : !wrong ? "✓" : reached === 1 ? "✗" : `✗ for ${wrong} of ${reached}`;
      const line = [name, there, text];
      line.cls = reached && wrong === reached ? "culprit" : "";
      lines.push(line);
    };
    const there = (p) => `${size(p)}`;
    one.inputs.forEach((arc, n) => {
      const reached = found.filter((c) => c.arc >= n);
      verdict(one.input_texts[n], reached.length, reached.filter((c) => c.arc === n).length, there(arc.place));
    });
    const of = (what) => complete.filter((c) => c.wrong.includes(what)).length;
    one.inhibitors.forEach((arc, n) => verdict(one.inhibitor_texts[n], complete.length, of(`inhibitor ${n}`), there(arc.place)));
    one.guards.forEach((guard, n) => verdict(`guard ${guard.text}`, complete.length, of(`guard ${n}`), ""));
    const limited = [...new Set(one.outputs.flatMap((arc) => arc.places))].filter((p) => places[p].capacity !== null);
    for (const p of limited) {
      const on = coming(p);
      verdict(`room in ${places[p].name} (${places[p].room})`, complete.length, of(`room ${p}`), there(p) + (on ? ` + ${on}` : ""));
    }
    box.append(table(lines));
    const told = new Set(), clockCell = (why, own) => {
      const cell = make("span"), bar = make("progress");
      bar.value = own.share;
      cell.append(`${why} ${clockText(own)}`, bar);
      return cell;
    };
    if (found.length > 1 || boundText(t, found[0].variables, { now })) {
      const listed = found.slice(0, 12).map((c) => {
        const why = c.arc < one.inputs.length ? `✗ ${one.input_texts[c.arc]}`
          : c.wrong.length ? `✗ ${c.wrong.map((w) => w.startsWith("guard") ? `guard ${one.guards[w.slice(6)].text}`
            : w.startsWith("error") ? w : w.startsWith("room") ? `room in ${places[w.slice(5)].name}` : one.inhibitor_texts[w.slice(10)]).join("; ")}`
          : !one.races ? "✓ can fire" : !settled() && !clocksOf[t].some((k) => k.time === null)
            && !clocks.some((k) => k.count && same(k.tokens, c.tokens)) ? "✓ its clock is set when this instant is over" : "✓";
        const own = c.tokens && clocks.find((k) => k.time !== null && same(k.tokens, c.tokens));
        if (own) told.add(own);
        const line = [boundText(t, c.variables, { now }) || "–", own ? clockCell(why, own) : why];
        line.cls = why[0] === "✗" ? "culprit" : "";
        return line;
      });
      box.append(make("h3", `${found.length >= MOST ? `${MOST} or more` : found.length} candidate${found.length > 1 ? "s" : ""}`),
        table(listed));
    }
    const others = clocks.filter((k) => !told.has(k));
    if (others.length) box.append(make("h3", others.length > 1 ? "Clocks" : "Clock"), ...others.slice(0, 12).map((k) => clockLine(clockName(t, k), k)));
    if (others.length > 12) box.append(make("p", `and ${others.length - 12} more`, "soft"));
    const rival = one.races ? -1 : transitions.findIndex((other, n) => n !== t && fit.length && !other.races && other.priority > one.priority
      && candidates(n).some((c) => c.arc === other.inputs.length && !c.wrong.length));
    if (rival >= 0) box.append(make("p", `It waits: ${transitions[rival].name} has a higher priority.`, "bad"));
  };
  const showHeld = () => {
    const box = $("held");
    const sent = held.filter(isSent).length, own = held.length - sent;
    box.replaceChildren(make("h2", `${own} firing${own === 1 ? "" : "s"} in progress${sent ? `, ${sent} output${sent === 1 ? "" : "s"} on the way` : ""}`));
    const soonest = [...held].sort((a, b) => happened[a].end - happened[b].end).slice(0, 12);
    for (const i of soonest) {
      const one = happened[i], line = make("div", undefined, "firing"), bar = make("progress");
      bar.value = part(i);
      const bound = isSent(i) ? one.given.map(([to]) => `to ${places[to].name}`).join(", ") : firingText(one);
      const name = make("span", transitions[sender(i)].name + (bound ? ` (${bound})` : ""));
      name.title = name.textContent;
      line.append(name, bar, make("span", `until ${time(one.end)}`, "soft"));
      box.append(line);
    }
    if (held.length > soonest.length) box.append(make("p", `and ${held.length - soonest.length} more`, "soft"));
    const clocks = clocksOf.flatMap((list, t) => list.length ? clocksNow(t).map((k) => [t, k]) : []);
    if (!clocks.length) return;
    const rank = ([, k]) => k.count ? k.left : Infinity, kept = clocks.filter(([, k]) => !k.count).length;
    clocks.sort((a, b) => rank(a) - rank(b) || 0);
    box.append(make("h2", `${clocks.length - kept} clock${clocks.length - kept === 1 ? "" : "s"} running${kept ? `, ${kept} kept` : ""}`),
      ...clocks.slice(0, 12).map(([t, k]) => clockLine(clockName(t, k), k)));
    if (clocks.length > 12) box.append(make("p", `and ${clocks.length - 12} more`, "soft"));
  };
  /* Nothing is picked: the places that have filled most since the start. */
  const showFull = () => {
    const more = places.map((place, p) => [size(p) - starts[p], p]).filter(([n]) => n > 0).sort((a, b) => b[0] - a[0] || a[1] - b[1]);
    const box = $("pick");
    box.replaceChildren(make("h2", more.length ? "What has filled since the start" : "Nothing has filled since the start"));
    box.append(table(more.slice(0, 10).map(([n, p]) => {
      const button = make("button", places[p].name, "link");
      button.addEventListener("click", () => choose({ kind: "p", number: p, all: [p] }));
      return [button, `${size(p)}${places[p].room ? ` (${places[p].room})` : ""}`, `+${n}`];
    })), make("p", "Choose a place or a transition of the drawing.", "soft"));
  };
  let shownFile = null;
  const showSource = () => {
    const last = done ? events[done - 1] : null;
    const subject = picked ? (picked.kind === "p" ? places : transitions)[picked.number]
      : last === null ? null : transitions[sender(last < 0 ? ~last : last)];
    const span = subject?.span, box = $("source");
    if (!span || net.sources[span.file] === undefined) return;
    if (shownFile !== span.file) {
      shownFile = span.file;
      const list = make("ol");
      for (const line of net.sources[span.file].split("\n")) list.append(make("li", line || " "));
      box.replaceChildren(make("h2", span.file.split(/[\\/]/).at(-1)), list);
    }
    box.querySelectorAll(".now").forEach((line) => line.classList.remove("now"));
    const lines = box.querySelectorAll("li");
    for (let n = span.line; n <= span.end_line; n++) lines[n - 1]?.classList.add("now");
    const line = lines[span.line - 1], list = box.querySelector("ol");
    if (line) list.scrollTop = line.offsetTop - list.clientHeight / 3;
  };

  /* ---------------------------------------------------------------- the line of time */

  const slider = $("slider"), canvas = $("spark");
  let levels = null;
  /* The tokens of a place after each event. */
  const levelsOf = (p) => {
    const values = new Float64Array(events.length + 1);
    let level = values[0] = starts[p] ?? 0;
    changes.forEach((all, n) => {
      for (const [place, after] of all) if (place === p) level = black(p) ? after : after.reduce((sum, [, count]) => sum + count, 0);
      values[n + 1] = level;
    });
    return values;
  };
  const spark = () => {
    const p = picked?.kind === "p" ? picked.number : levels?.p ?? 0, values = levelsOf(p);
    levels = { p, values, most: values.reduce((a, b) => Math.max(a, b), 1) };
    drawSpark();
  };
  const drawSpark = () => {
    if (!levels || !places.length) return;
    const ratio = devicePixelRatio || 1, width = canvas.clientWidth, height = canvas.clientHeight;
    canvas.width = width * ratio; canvas.height = height * ratio;
    const pen = canvas.getContext("2d"), colours = getComputedStyle(document.documentElement);
    pen.scale(ratio, ratio);
    pen.fillStyle = colours.getPropertyValue("--fill");
    const { values, most } = levels;
    for (let x = 0; x < width; x++) {
      const from = Math.floor(x / width * values.length), to = Math.max(Math.floor((x + 1) / width * values.length), from + 1);
      let high = 0;
      for (let n = from; n < to && n < values.length; n++) if (values[n] > high) high = values[n];
      const h = high / most * (height - 2);
      pen.fillRect(x, height - h, 1, h);
    }
    pen.fillStyle = colours.getPropertyValue("--accent");
    pen.fillRect(done / Math.max(events.length, 1) * (width - 1), 0, 1.5, height);
    $("spark-name").textContent = `${places[levels.p].name}: ${size(levels.p)} of at most ${most}`;
  };

  /* ---------------------------------------------------------------- playing, where there is an engine */

  const firings = () => events.slice(0, done).reduce((sum, event) => sum + (event >= 0 && happened[event].t >= 0), 0);
  const possible = () => game.could[firings()] ?? [];  // what could fire where the page stands
  const ask = async (...asked) => {
    const focused = [...$("fire").querySelectorAll("button")].indexOf(document.activeElement);
    game = JSON.parse(await engine.play(...asked));
    read(game); replay(); measure(); spark();
    go(events.length);
    if (focused >= 0) (([...$("fire").querySelectorAll("button")].filter((one, n) => n >= focused && !one.disabled)[0]) ?? $("back")).focus();
  };
  const showGame = () => {
    const n = firings(), could = possible(), box = $("fire"), row = make("div", undefined, "row");
    const button = (text, wanted, ...asked) => {
      const one = make("button", text);
      one.type = "button"; one.disabled = !wanted;
      one.addEventListener("click", () => ask(...asked));
      return one;
    };
    const free = could.some(([, , waits]) => !waits);
    row.append(button("By chance", free, n, null), button("10 by chance", free, n, null, 10));
    box.replaceChildren(make("h2", n < game.could.length - 1 ? `What could fire after ${n} firings` : "What can fire"), row);
    const mine = ([t]) => picked?.kind === "t" && picked.all.includes(t);
    const listed = could.map((one, which) => [one, which]).sort(([a], [b]) => mine(b) - mine(a));
    box.append(table(listed.slice(0, 50).map(([[t, variables, waits], which]) => {
      const text = boundText(t, variables.map(exactly), { now: clock });
      return [button(transitions[t].name, !waits, n, which), waits ? `${text} waits: lower priority` : text];
    })));
    if (listed.length > 50) box.append(make("p", `and ${listed.length - 50} more`, "soft"));
    if (!could.length) box.append(make("p", game.ended, "bad"));
    if (game.branches.length) box.append(make("h3", "What you left"), table(game.branches.map(([parted, length], number) =>
      [button(`${length} firings`, true, -1, number), `other from firing ${parted + 1} on`])));
  };

  /* ---------------------------------------------------------------- going */

  let going = false, before = 0, owed = 0;
  const render = () => {
    slider.max = events.length;
    slider.value = done;
    $("clock").textContent = time(clock);
    $("count").textContent = `event ${done.toLocaleString("en-US")} of ${events.length.toLocaleString("en-US")}`;
    const last = done ? events[done - 1] : null, one = last === null ? null : happened[last < 0 ? ~last : last];
    const text = one && one.t >= 0 ? firingText(one) : "";
    $("event").textContent = one === null ? "the initial marking" : one.t === -1 ? "a row of a recording arrives"
      : one.t < 0 ? `an output of ${transitions[sender(~last)].name} arrives`
      : `${transitions[one.t].name}${text ? ` (${text})` : ""} ${last < 0 ? "ends" : one.end > one.start ? "starts" : "fires"}`;
    drawView(); drawSpark(); showHeld(); showSource();
    if (game) showGame();
    if (!picked) showFull();
    else if (picked.kind === "p") showPlace();
    else showTransition();
    $("play").textContent = going ? "Pause" : "Play";
  };
  let linking = 0;
  const link = () => {
    clearTimeout(linking);
    linking = setTimeout(() => {
      const pick = picked ? `&pick=${encodeURIComponent(pickName())}` : "";
      history.replaceState(null, "", `#t=${done}${pick}`);
    }, 150);
  };
  const go = (target) => { jump(target); render(); link(); };
  /* Figures from the start up to each event: of a place, of a transition, or a declared measure. */
  let values;
  const measure = () => { values = measuresOf({ net, happened, events, when, levels: levelsOf }); };
  measure();
  const figures = { count: ["firings", transitions], max: ["max", places], mean: ["mean", places] };
  const figure = (name, of) => {
    const [op, list] = figures[name], number = list.findIndex((one) => one.name === of);
    return number < 0 ? undefined : values({ op, args: [], value: number });
  };
  const measured = (name) => {
    const one = net.measures.find((measure) => measure.name === name);
    try { return one && { ...one, values: values(one.term) }; } catch { return undefined; }
  };
  const canFire = (t) => candidates(t).some((c) => c.arc === transitions[t].inputs.length && !c.wrong.length);
  const condition = () => {
    const text = $("break").value.trim();
    if (!text) return null;
    const able = /^(not\s+)?enabled\s+(\S+)$/.exec(text);
    if (able) {
      const t = transitions.findIndex((one) => one.name === able[2]);
      return t < 0 ? undefined : () => canFire(t) === !able[1];
    }
    const fires = transitions.findIndex((one) => one.name === text);
    if (fires >= 0) return () => { const e = events[done - 1]; return e >= 0 && happened[e].t === fires; };
    const found = /^(\S+?)\s*(<=|>=|==|=|<|>)\s*(-?[\d.]+(?:e[+-]?\d+)?)\s*(\S*)$/.exec(text);
    if (!found) return undefined;
    const compare = { "<=": (a, b) => a <= b, ">=": (a, b) => a >= b, "<": (a, b) => a < b, ">": (a, b) => a > b };
    const holds = compare[found[2]] ?? ((a, b) => a === b);
    if (found[1] === "t") {
      const unit = net.units.Time, size_ = unit?.units.find(([, name]) => name === found[4])?.[0];
      if (unit?.units.length && !size_) return undefined;
      const ticks = Number(found[3]) * (size_ ?? 1) / (unit?.factor ?? 1);
      return () => holds(clock, ticks);
    }
    const asked = /^(count|max|mean)\((\S+)\)$/.exec(found[1]);
    if (asked) {
      const values = figure(asked[1], asked[2]);
      return values && (() => holds(values[done], Number(found[3])));
    }
    const measure = measured(found[1]);
    if (measure) {
      const size_ = found[4] === "" && (!measure.units.length || Number(found[3]) === 0) ? 1
        : found[4] === "%" ? 0.01 : measure.units.find(([, name]) => name === found[4])?.[0];
      const bound = Number(found[3]) * size_ / measure.factor;
      return size_ && (() => holds(measure.values[done], bound));
    }
    const place = places.findIndex((one) => one.name === found[1]);
    return place < 0 ? undefined : () => holds(size(place), Number(found[3]));
  };
  const stop = () => { going = false; render(); link(); };
  const frame = (instant) => {
    if (!going) return;
    const passed = Math.min(instant - before, 250) / 1000, [mode, rate] = $("speed").value.split(" ");
    const stopsAt = condition();
    before = instant;
    const target = mode === "time" ? clock + passed * Number(rate) : Infinity;
    owed = mode === "time" ? Infinity : owed + passed * Number(rate);
    while (done < events.length && owed >= 1 && when[done] <= target) {
      apply();
      clock = now;
      owed--;
      if (stopsAt?.()) { stop(); return; }
    }
    if (mode === "time") clock = Math.min(target, net.until);
    if (mode === "time" && stopsAt?.()) { stop(); return; }
    if (done >= events.length && (mode !== "time" || clock >= net.until)) { stop(); return; }
    render();
    requestAnimationFrame(frame);
  };
  const toggle = () => {
    going = !going;
    if (going && done >= events.length) jump(0);
    owed = 0; before = performance.now();
    if (going) requestAnimationFrame(frame);
    render(); link();
  };
  const actions = { first: () => go(0), back: () => go(done - 1), play: toggle, step: () => go(done + 1), last: () => go(events.length) };
  for (const [id, action] of Object.entries(actions)) $(id).addEventListener("click", () => { if (id !== "play") going = false; action(); });
  slider.addEventListener("input", () => { going = false; go(Number(slider.value)); });
  $("break").addEventListener("input", () => {
    const wrong = condition() === undefined;
    $("break").classList.toggle("wrong", wrong);
    $("break").setCustomValidity(wrong ? `This is not a condition on this net. ${$("break").title}` : "");
  });
  $("break").addEventListener("keydown", (event) => {
    if (event.key !== "Enter" || !$("break").reportValidity()) return;
    const met = condition();
    if (!met) return;
    going = false;
    let holds = false;
    while (done < events.length && !holds) { apply(); clock = now; holds = met(); }
    stop();
    if (!holds) $("event").textContent = `${$("break").value.trim()} does not hold from there to the end`;
  });
  const asked = [...net.measures.map((one) => `${one.name} >= `), ...transitions.map((one) => one.name),
    ...transitions.map((one) => `enabled ${one.name}`), ...places.map((one) => `${one.name} >= 1`)];
  for (const one of asked) { const option = make("option"); option.value = one; $("conditions").append(option); }
  const keys = { ArrowRight: "step", ArrowLeft: "back", " ": "play", Home: "first", End: "last" };
  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || /^(INPUT|SELECT|TEXTAREA)$/.test(event.target.tagName)
      && event.target !== slider) return;
    if (event.key === " " && event.target.matches("button:focus-visible, summary")) return;  // it presses what has the focus
    if (event.key === "Escape") choose(null);
    else if (event.key === "PageDown") go(done + 100);
    else if (event.key === "PageUp") go(done - 100);
    else if (keys[event.key]) { if (keys[event.key] !== "play") going = false; actions[keys[event.key]](); }
    else if (event.key === "n" || event.key === "p") {  // the next place or transition
      const list = [...places.map((_, n) => ["p", n]), ...transitions.map((_, n) => ["t", n])];
      const here = picked ? list.findIndex(([kind, n]) => kind === picked.kind && n === picked.number) : -1;
      const [kind, number] = list[(here + (event.key === "n" ? 1 : -1) + list.length) % list.length];
      choose({ kind, number, all: [number] });
      reveal();
    } else return;
    event.preventDefault();
  });
  addEventListener("resize", drawSpark);
  const follow = () => {
    const hash = new URLSearchParams(location.hash.slice(1));
    const pick = hash.get("pick");
    picked = pick ? find(pick) : null;
    const instant = hash.has("at") ? Number(hash.get("at")) / net.tick : NaN;  // in the net's unit of time
    if (instant >= 0) { jump(at(instant)); clock = Math.min(instant, net.until); }
    else if (hash.has("t")) jump(Math.trunc(Number(hash.get("t")) || 0));
    else if (!picked) {  // the first firing
      const n = events.findIndex((event) => event >= 0 && happened[event].t >= 0), t = happened[events[n]]?.t;
      if (n >= 0) { jump(n + 1); picked = { kind: "t", number: t, all: [t] }; }
    }
    reveal(); spark(); render();
  };
  addEventListener("hashchange", follow);
  jump(0);
  if (places.length) levels = { p: Math.max(places.findIndex((one) => one.capacity !== null), 0) };
  showView(0);
  follow();
  if (engine) await ask(0, null, 0);
  document.documentElement.dataset.ready = "1";
  window.tokenGame = { go, after: at, clocks: clocksNow, before: (firing) => events.indexOf(firing), state: () => ({ done, now, sizes: places.map((_, p) => size(p)), held: held.length }),
    tokens: (p) => typeof marking[p] === "number" ? marking[p] : marking[p].map((one) => one.v.map((x) => typeof x === "bigint" ? String(x) : x)),
    measure: (name) => measured(name)?.values[done],
    enabled: (t) => { const n = transitions[t].inputs.length; return candidates(t).filter((c) => c.arc === n && !c.wrong.length).length; } };
})();
