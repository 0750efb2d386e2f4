(() => {
  let state = {}, settings = null, picked = null;

  /* The page that this one is a frame of, if it has the engine; else a server answers. */
  const host = parent === window ? null : parent.pnsimLive;

  /* ---------------------------------------------------------------- to the server: only the newest wish counts */

  let waiting = null, sending = false;
  const wish = (change) => {
    waiting = { ...waiting, ...change };
    if (!sending) send();
  };
  const send = async () => {
    sending = true;
    while (waiting) {
      const body = JSON.stringify(waiting);
      waiting = null;
      try {
        if (host) host.wish(body);
        else await fetch("wish", { method: "POST", headers: { "Content-Type": "application/json" }, body });
      } catch { lost(); }
    }
    sending = false;
  };
  const ask = async (path) => {
    if (host) return host.ask(path);
    const found = await fetch(path);
    return found.ok ? found.text() : null;
  };
  const lost = () => { $("progress").textContent = "pnsim does not answer: start it again for a new address"; };

  if (host) document.addEventListener("click", async (event) => {  // there are no addresses behind the links
    const link = event.target.closest("a[href]:not([href^='#'], [href^='blob:'])");
    if (!link) return;
    event.preventDefault();
    const path = link.getAttribute("href"), text = await ask(path), svg = path.startsWith("picture");
    if (text === null) return;
    const one = make("a");
    one.href = URL.createObjectURL(new Blob([text], { type: svg ? "image/svg+xml" : "text/html" }));
    if (link.hasAttribute("download")) one.download = `${state.net}.${svg ? "svg" : "html"}`;
    else one.target = "_blank";
    one.click();
  });

  /* ---------------------------------------------------------------- parameters */

  const rows = new Map();  // name: {row, show}
  const written = (value, { whole, unit }) => `${whole ? Math.round(value) : Number(value.toPrecision(10))} ${unit}`.trim();
  let chosen = false;  // the parameter of the curve; until then it is the one that was turned last
  let turned = 0;  // when a parameter was turned or, at the start, the page opened [ms]; null once its figures are shown
  const turn = (name, text) => {
    settings = { ...settings, [name]: text };
    turned = performance.now();
    stale();
    const curve = !chosen && state.names?.length ? { parameter: name, measure: state.measure || state.names[0] } : {};
    wish({ settings, ...curve });
  };
  const stale = () => document.body.classList.toggle("stale", !same(settings, state.settings ?? {}));
  const same = (a, b) => JSON.stringify(Object.entries(a).sort()) === JSON.stringify(Object.entries(b).sort());
  const field = (knob, label) => {
    const one = make("input");
    one.type = "text"; one.spellcheck = false; one.autocomplete = "off";
    one.setAttribute("aria-label", label);
    one.addEventListener("change", () => turn(knob.name, one.value.trim()));
    return one;
  };
  const slider = (knob, text) => {
    const one = make("input"), log = knob.logarithmic;
    one.type = "range";
    one.setAttribute("aria-label", knob.name);
    const to = (value) => log ? Math.log(value / knob.low) / Math.log(knob.high / knob.low) * 200 : value;
    const from = (at) => log ? Number((knob.low * (knob.high / knob.low) ** (at / 200)).toPrecision(3)) : at;
    Object.assign(one, log ? { min: 0, max: 200, step: 1 } : { min: knob.low, max: knob.high, step: knob.step });
    one.addEventListener("input", () => {
      text.value = written(from(Number(one.value)), knob);
      one.setAttribute("aria-valuetext", text.value);
      turn(knob.name, text.value);
    });
    const show = ({ value, text: said }) => {
      const at = to(value);
      if (!log) { one.min = Math.min(knob.low, value); one.max = Math.max(knob.high, value); }
      one.value = at;
      one.setAttribute("aria-valuetext", said);
    };
    return { one, show };
  };
  const parts = {
    range: (knob) => {
      const text = field(knob, `${knob.name}, as text`), { one, show } = slider(knob, text), ends = make("div", undefined, "ends");
      ends.append(...[knob.low, knob.high].map((end) => make("span", written(Number(end.toPrecision(3)), knob))));
      return { inputs: [text, one, ends], show: (now) => { if (document.activeElement !== text) text.value = now.text; show(now); } };
    },
    text: (knob) => {
      const text = field(knob, knob.name);
      return { inputs: [text], show: (now) => { if (document.activeElement !== text) text.value = now.text; } };
    },
    check: (knob) => {
      const one = make("input");
      one.type = "checkbox";
      one.setAttribute("aria-label", knob.name);
      one.addEventListener("change", () => turn(knob.name, String(one.checked)));
      return { inputs: [one], show: (now) => { one.checked = now.text === "true"; } };
    },
    choice: (knob) => {
      const one = make("select");
      one.setAttribute("aria-label", knob.name);
      fill(one, knob.choices.map((text) => [text, text]), knob.text);
      one.addEventListener("change", () => turn(knob.name, one.value));
      return { inputs: [one], show: (now) => { one.value = now.text; } };
    },
  };
  const frame = ({ value, text, ...rest }) => JSON.stringify(rest);
  let frames = null;
  const showKnobs = (knobs) => {
    const wanted = knobs.map(frame).join();
    if (wanted !== frames) {
      frames = wanted;
      rows.clear();
      $("knobs").replaceChildren(...knobs.map((knob) => {
        const row = make("div", undefined, "knob"), { inputs, show } = parts[knob.kind](knob);
        row.append(make("code", knob.name), ...inputs);
        if (knob.doc) row.append(make("div", knob.doc, "doc"));
        const refusal = make("div", "", "doc refusal");
        const effects = make("div", undefined, "effects");
        row.append(refusal, effects);
        rows.set(knob.name, { row, show, input: inputs[0], refusal, effects });
        return row;
      }));
      if (!knobs.length) $("knobs").append(make("p", "The net has no parameters.", "note"));
    }
    for (const knob of knobs) {
      const { row, show, input, refusal } = rows.get(knob.name);
      row.classList.toggle("turned", knob.name in settings);
      const wrong = Boolean(state.problem) && settings[knob.name] !== state.settings[knob.name];
      input.classList.toggle("wrong", wrong);
      input.setAttribute("aria-invalid", String(wrong));
      refusal.textContent = wrong ? state.problem.split("\n")[0].replace(/^error\[[^\]]*\]: /, "") : "";
      if (settings[knob.name] === state.settings[knob.name]) show(knob);  // else it is turned at this moment
    }
  };
  /* What each parameter changes: a bar from the middle to each side, with the ends of its interval. */
  const bar = ([mean, low, high]) => {
    const one = make("div", undefined, "bar");
    for (const [cls, from, to] of [["change", Math.min(mean, 0), Math.max(mean, 0)], ["error", low, high]]) {
      const part = make("div", undefined, cls);
      part.style.left = `${50 * (1 + from)}%`;
      part.style.width = `${50 * (to - from)}%`;
      one.append(part);
    }
    return one;
  };
  const effect = ({ change, by, that, bar: ends, certain }) => {
    const one = make("div", undefined, certain ? "effect" : "effect noise"), said = make("span", by);
    if (that) said.title = that;
    one.append(make("span", change), said);
    if (ends) one.append(bar(ends));
    return one;
  };
  const showEffects = () => {
    const { measure, rows: found = {}, note = "" } = state.effects ?? {};
    $("effects").hidden = !state.names.length || !state.knobs.length;
    fill($("affected"), state.names.map((name) => [name, name]), measure || $("affected").value || state.names[0]);
    $("affected-note").textContent = note;
    for (const [name, { effects }] of rows) {
      const shown = JSON.stringify(found[name] ?? []);
      if (effects.dataset.shown === shown) continue;
      effects.dataset.shown = shown;
      effects.replaceChildren(...(found[name] ?? []).map(effect));
    }
  };
  const affect = () => wish({ effects: $("effects").open ? $("affected").value : "" });
  $("effects").addEventListener("toggle", affect);
  $("affected").addEventListener("change", affect);
  const showTuned = () => {
    const { running = false, note = "", html = "", best = {} } = state.tuned ?? {}, few = state.knobs.length <= 3;
    $("tuning").hidden = !state.searches || !state.names.length || !state.knobs.length;
    fill($("aimed"), state.names.map((name) => [name, name]), $("aimed").value || state.names[0]);
    const names = JSON.stringify(state.knobs.map(({ name }) => name));
    if ($("varied").dataset.options !== names) {
      $("varied").dataset.options = names;
      $("varied").replaceChildren(...state.knobs.map(({ name }, index) => {
        const one = make("option", name);
        one.selected = few || index === 0;
        return one;
      }));
    }
    $("seek").textContent = running ? "Stop" : "Start";
    $("take-best").disabled = !Object.keys(best).length || Object.entries(best).every(([name, text]) => settings[name] === text);
    $("tuned-note").textContent = note;
    fragment($("tuned"), html);
  };
  $("seek").addEventListener("click", () => wish(state.tuned?.running ? { aim: "" } : {
    aim: $("aim").value, aimed: $("aimed").value, varied: [...$("varied").selectedOptions].map((one) => one.value) }));
  $("take-best").addEventListener("click", () => {
    settings = { ...settings, ...state.tuned.best };
    turned = performance.now();
    stale();
    wish({ settings });
  });
  $("bounds").addEventListener("toggle", () => wish({ bounds: $("bounds").open }));
  $("reset").addEventListener("click", () => { settings = {}; turned = performance.now(); stale(); wish({ settings }); });
  $("pin").addEventListener("click", () => wish({ pinned: !state.pinned }));

  /* ---------------------------------------------------------------- figures */

  const fragment = (box, html) => {  // made and escaped by the server
    if (box.dataset.shown === html) return;
    box.dataset.shown = html;
    box.innerHTML = html;
  };
  const fill = (select, options, chosen) => {
    const wanted = JSON.stringify(options);
    if (select.dataset.options !== wanted) {
      select.dataset.options = wanted;
      select.replaceChildren(...options.map(([value, text]) => { const one = make("option", text); one.value = value; return one; }));
    }
    if (document.activeElement !== select) select.value = chosen;
  };
  const plot = (box, figure) => {
    const hidden = box.hidden, inner = box.querySelector(".plot");
    box.hidden = !figure;
    if (figure && box.dataset.shown !== JSON.stringify(figure)) {
      box.dataset.shown = JSON.stringify(figure);
      window.pnsim.figure(inner, figure);
    }
    if (figure && hidden && inner.dataset.drawn) Plotly.Plots.resize(inner);  // it was drawn without a width
  };
  const showCharts = () => {
    fill($("measure"), state.names.map((name) => [name, name]), state.measure || state.names[0]);
    fill($("parameter"), [["", "no parameter"], ...state.knobs.map(({ name }) => [name, name])], state.parameter);
    const series = state.names.map((name) => name.split(".")[0]), places = state.places ?? [];
    fill($("course"), [["", "the places that vary most"], ...[...new Set([...series, ...places])].map((name) => [name, name])],
      state.course);
    $("curve-note").hidden = Boolean(state.curve);
    plot($("curve"), state.curve);
    plot($("over-time"), state.over_time?.[1]);
  };
  /* Over two parameters: a press on a point sets both sliders. */
  const options = (names) => names.map((name) => [name, name]);
  const spread = () => wish({ surface: $("surface").open ? $("spread").value : "", across: $("across").value,
    up: $("up").value, within: Number($("within").value) });
  for (const id of ["spread", "across", "up", "within"]) $(id).addEventListener("change", spread);
  $("surface").addEventListener("toggle", spread);
  const takePoint = (...at) => {
    const { names, values } = state.surface;
    settings = { ...settings, ...Object.fromEntries(names.map((name, line) => [name, values[line][at[line]]])) };
    turned = performance.now();
    stale();
    wish({ settings });
  };
  $("surface-table").addEventListener("click", ({ target }) => {
    const at = target.closest("[data-at]")?.dataset.at;
    if (at) takePoint(...at.split(",").map(Number));
  });
  const showSurface = () => {
    const names = state.knobs.filter(({ kind }) => kind !== "text").map(({ name }) => name), found = state.surface;
    $("surface").hidden = names.length < 2 || !state.names.length;
    if (names.length < 2) return;
    fill($("spread"), options(state.names), $("spread").value || state.names[0]);
    fill($("across"), options(names), names.includes($("across").value) ? $("across").value : names[0]);
    fill($("up"), options(names), names.includes($("up").value) ? $("up").value : names[1]);
    $("surface-note").textContent = found?.note ?? ($("across").value === $("up").value ? "Choose two parameters." : "");
    if ($("surface-table").dataset.shown !== (found?.html ?? "")) {
      const focused = document.activeElement.closest?.("#surface-table [data-at]")?.dataset.at;
      fragment($("surface-table"), found?.html ?? "");
      if (focused) $("surface-table").querySelector(`[data-at="${focused}"]`)?.focus();
    }
    plot($("surface-chart"), found?.figure);
    const box = $("surface-chart").querySelector(".plot");
    if (!box.on || box.dataset.followed) return;
    box.dataset.followed = "1";
    box.on("plotly_click", ({ points: [point] }) => takePoint(Math.round(point.x), Math.round(point.y)));
  };

  /* Parameters that are drawn: a field for each, with the range of its slider at first. */
  const draw = () => {
    const draws = {};
    for (const row of $("draws").children) {
      const [check, text] = row.querySelectorAll("input");
      if (check.checked) draws[check.value] = text.value.trim();
    }
    wish({ drawn: $("drawn").open ? $("drawn-measure").value : "", draws });
  };
  $("drawn").addEventListener("toggle", draw);
  $("drawn-measure").addEventListener("change", draw);
  $("draws").addEventListener("change", draw);
  const showDrawn = () => {
    const ranges = Object.entries(state.ranges ?? {}), found = state.drawn;
    $("drawn").hidden = !ranges.length || !state.names.length;
    fill($("drawn-measure"), options(state.names), $("drawn-measure").value || state.names[0]);
    const names = JSON.stringify(ranges.map(([name]) => name));
    if ($("draws").dataset.names !== names) {
      $("draws").dataset.names = names;
      $("draws").replaceChildren(...ranges.map(([name, range], index) => {
        const row = make("div", undefined, "draw"), label = make("label"), check = make("input"), text = make("input");
        check.type = "checkbox"; check.value = name; check.checked = index === 0;
        text.type = "text"; text.value = range; text.spellcheck = false; text.autocomplete = "off";
        text.setAttribute("aria-label", `${name}, its range`);
        label.append(check, make("code", name));
        row.append(label, text);
        return row;
      }));
    }
    $("drawn-note").textContent = found?.note ?? "";
    if ($("drawn-table").dataset.shown !== (found?.html ?? "")) {
      const open = $("draws-listed")?.open;
      fragment($("drawn-table"), found?.html ?? "");
      if (open) $("draws-listed").open = true;
    }
    plot($("drawn-chart"), found?.figure);
    $("drawn-last").textContent = found?.last ? `${found.last}:` : "";
    $("drawn-command").textContent = found?.command ?? "";
  };
  $("measure").addEventListener("change", () => wish({ measure: $("measure").value }));
  $("parameter").addEventListener("change", () => {
    chosen = true;
    wish({ measure: $("measure").value, parameter: $("parameter").value });
  });
  $("colours").addEventListener("change", () => {
    for (const one of document.querySelectorAll("[data-colours]")) one.hidden = one.dataset.colours !== $("colours").value;
    wish({ colours: $("colours").value });
  });
  $("course").addEventListener("change", () => wish({ course: $("course").value }));

  /* ---------------------------------------------------------------- the drawing */

  let picture = null;
  const drawings = () => [...$("drawing").querySelectorAll(".sheet")].map((sheet) => sheet.shadowRoot);
  const showPicture = async () => {
    if (state.picture === undefined || state.picture === null || state.picture === picture) return;
    picture = state.picture;
    const html = await ask("net");
    if (html === null) return;
    const parsed = new DOMParser().parseFromString(html, "text/html");
    for (const template of parsed.querySelectorAll("template[shadowrootmode]")) {
      template.parentNode.attachShadow({ mode: "open" }).append(template.content);
      template.remove();
    }
    $("drawing").replaceChildren(...parsed.body.childNodes);
    for (const net of $("drawing").querySelectorAll(".net")) window.pnsim.wire(net);
    for (const root of drawings()) {
      const style = make("style", "g.node{cursor:pointer}g.node:focus-visible{outline:2px solid;outline-offset:2px}"
        + ".picked .place,.picked .timed,.picked .immediate{stroke-width:3.5}");
      root.append(style);
      for (const node of root.querySelectorAll("g.node")) {
        if (node.querySelector(".module")) continue;
        node.setAttribute("tabindex", "0");
        node.setAttribute("role", "button");
        node.addEventListener("click", () => pick(node.id));
        node.addEventListener("keydown", (event) => {
          if (event.key === "Enter" || event.key === " ") { pick(node.id); event.preventDefault(); }
        });
      }
    }
    showLoads();
  };
  const shapeOf = (node) => node.querySelector(".place:not(.behind), .timed:not(.behind), .immediate:not(.behind), .module:not(.behind)");
  const showLoads = () => {
    for (const root of drawings()) {
      for (const heat of root.querySelectorAll(".heat")) {  // of other colours
        if (!state.colours || heat.parentNode.id in state.loads) continue;
        heat.setAttribute("fill-opacity", 0);
        const title = heat.parentNode.querySelector("title");
        if (title) title.textContent = title.dataset.doc ?? "";
      }
      for (const [id, [share, text]] of Object.entries(state.loads ?? {})) {
        const node = root.getElementById(id), shape = node && shapeOf(node);
        if (!shape) continue;
        let heat = node.querySelector(".heat");
        if (!heat) {
          heat = document.createElementNS(SVG, shape.tagName);
          for (const { name, value } of shape.attributes) heat.setAttribute(name, value);
          heat.setAttribute("class", "heat");
          shape.after(heat);
        }
        const part = Math.min(Math.max(share, 0), 1);
        heat.setAttribute("fill-opacity", (0.08 + 0.8 * part).toFixed(2));
        if (shape.classList.contains("module")) {
          heat.setAttribute("y", Number(shape.getAttribute("y")) + Number(shape.getAttribute("height")) - 7);
          heat.setAttribute("height", "5.4");
          heat.setAttribute("width", Math.max(Number(shape.getAttribute("width")) * part, 1));
        }
        let title = node.querySelector("title");
        if (!title) { title = document.createElementNS(SVG, "title"); node.prepend(title); }
        title.dataset.doc ??= title.textContent;
        title.textContent = [title.dataset.doc.replace(/[. ]+$/, ""), text].filter(Boolean).join(". ");
      }
      for (const node of root.querySelectorAll("g.node")) node.classList.toggle("picked", node.id === picked);
    }
  };
  /* The token game opens with what is chosen, at the instant in the field, which a click on the chart over time fills. */
  let pickedName = null, unitOf = 1;
  const showGame = () => {
    const instant = parseFloat($("instant").value), there = instant >= 0 ? instant * unitOf : null;
    const hash = new URLSearchParams();
    if (there !== null) hash.set("at", there);
    if (pickedName) hash.set("pick", pickedName);
    $("game").href = `play.html${there === null ? "" : `?at=${there}`}#${hash}`;
  };
  $("instant").addEventListener("input", showGame);
  const showInstant = () => {
    const { unit, size } = state.clock;
    unitOf = size;
    $("instant-unit").textContent = unit;
    showGame();
    const plot = $("over-time").querySelector(".plot");
    if (!plot.on || plot.dataset.followed) return;
    plot.dataset.followed = "1";
    plot.on("plotly_click", ({ points: [point] }) => {
      $("instant").value = Number(point.x.toPrecision(6));
      showGame();
      $("game").focus();
    });
  };
  let asked = 0, follow = false;
  const pick = async (id) => {
    picked = id;
    follow = true;
    showLoads();
    await showPart();
  };
  const showPart = async () => {
    if (!picked) return;
    const turnOf = ++asked, found = await ask(`part?id=${encodeURIComponent(picked)}`);
    const part = JSON.parse(found);
    if (turnOf !== asked || !part) return;  // it has no figures yet
    const { name, html, kind } = part;
    fragment($("part"), html);
    pickedName = `${kind}:${name}`;
    showGame();
    if (follow && kind === "p") wish({ course: name });
    follow = false;
  };

  /* ---------------------------------------------------------------- the text */

  let text = null;
  const showText = async () => {
    if (text === state.text) return;
    text = state.text;
    const found = await ask("text");
    if (found === null) return;
    const { doc, lines } = JSON.parse(found);
    $("doc").textContent = doc;
    $("lines").replaceChildren(...lines.map((line) => make("li", line || " ")));
  };
  for (const button of document.querySelectorAll("[data-copy]")) {
    button.addEventListener("click", async () => {
      const box = $(button.dataset.copy);
      try { await navigator.clipboard.writeText(box.textContent); button.textContent = "Copied"; }
      catch { getSelection().selectAllChildren(box); button.textContent = "Selected"; }
      setTimeout(() => { button.textContent = "Copy"; }, 1500);
    });
  }

  /* ---------------------------------------------------------------- from the server */

  const showProblem = () => {  // lines of the net and the carets below them keep their columns; others fit the screen
    const box = $("problem"), text = state.problem ?? "";
    box.hidden = !text;
    if (box.dataset.shown === text) return;
    box.dataset.shown = text;
    box.replaceChildren(...text.split("\n").map((line) => make("span", `${line}\n`, /^ *\d* \|/.test(line) ? "source" : "")));
  };
  const show = (now) => {
    const before = state;
    state = now;
    showProblem();
    if (state.slow) $("progress").textContent = "reading the net …";
    $("pin").setAttribute("aria-pressed", String(Boolean(state.pinned)));
    $("pin").textContent = state.pinned ? "Unpin" : "Pin this setting";
    if (!state.knobs) return;
    if (settings === null) $("effects").open = Boolean(state.effects);
    settings ??= state.settings;
    if (before.text !== undefined && before.text !== state.text) settings = state.settings;
    stale();
    document.querySelector("h1").textContent = state.net;
    if (!state.slow) $("progress").textContent = state.progress;
    showKnobs(state.knobs);
    showEffects();
    showTuned();
    fragment($("measured"), state.measures);
    fragment($("said"), state.said);
    fragment($("bounded"), state.bounded ?? "");
    if (turned !== null && same(settings, state.settings)) {
      $("took").textContent = `first figures after ${Math.round(performance.now() - turned)} ms`;
      turned = null;
    }
    $("strip").replaceChildren(...state.strip.map(([name, text]) => {
      const one = make("span");
      one.append(make("code", name), ` ${text}`);
      return one;
    }));
    $("comparison").hidden = !state.compared;
    fragment($("compared"), state.compared ?? "");
    for (const [name, copy] of Object.entries(state.copies)) $(`take-${name}`).textContent = copy;
    showCharts();
    showSurface();
    showDrawn();
    showPicture();
    showLoads();
    showText();
    showInstant();
    if (before.count !== state.count || !same(before.settings ?? {}, state.settings)) showPart();
    document.documentElement.dataset.count = state.count;
    document.documentElement.dataset.ready = "1";
  };
  let events = null;
  const listen = () => {
    if (host) { host.listen(show); return; }
    events?.close();
    events = new EventSource("events");
    events.addEventListener("message", (event) => show(JSON.parse(event.data)));
    events.addEventListener("error", () => lost());
  };
  const hide = () => {  // nothing runs for a page that nobody sees
    host?.hush();
    events?.close();
    events = null;
  };
  document.addEventListener("visibilitychange", () => { if (document.hidden) hide(); else listen(); });
  addEventListener("pagehide", hide);
  addEventListener("pageshow", (event) => { if (event.persisted) listen(); });
  if (!document.hidden) listen();
})();
