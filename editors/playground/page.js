"use strict";
// The page: a text, what pnsim says of it, and its run. The simulator is in worker.js, and its Python in playground.py.
const at = (id) => document.getElementById(id);
const CHECK_AFTER = 300, UNHEARD = 2000, LONGEST = 31000; // ms
const MOST_TEXT = 1000000; // characters that a link may bring
const FIELDS = ["set", "until", "replications", "seed", "max_firings"];
const text = at("text");
const FRAMES = ["game", "sliders", "report"], PANELS = ["figures", "drawing", ...FRAMES];
let worker, ready = false, name = "first", number = 0, timer, guard, drawn = null, pending = false, refused = "";

const settings = () => Object.fromEntries(FIELDS.map((field) => [field, at(field).value.trim()]));
const ask = (work, more = {}) => worker.postMessage({ do: work, number, name, text: text.value, settings: settings(), ...more });
const state = (words) => { at("state").textContent = words; };

// ---------------------------------------------------------------- the worker

// A worker from a blob is bound by the policy of this page; one that is loaded by its address would not be.
function start() {
  const base = new URL(".", document.baseURI.split("#")[0]).href;
  const address = URL.createObjectURL(new Blob([`import ${JSON.stringify(base + "worker.js")};`], { type: "text/javascript" }));
  worker = new Worker(address, { type: "module" });
  worker.onmessage = ({ data }) => hear[data.is](data);
  worker.onerror = (event) => state(`The simulator could not be loaded: ${event.message || "the worker did not start"}`);
  worker.postMessage({ do: "start", base });
}

// What does not hear "stop" between slices (a long look at one marking) is ended with the whole worker, and a new one loaded.
function restart(why) {
  worker.terminate();
  idle();
  ready = false;
  for (const one of FRAMES) shown[one] = null;
  at("run").disabled = at("exact").disabled = true;
  at("figures").textContent = why;
  start();
}

const hear = {
  loading: ({ what }) => state(`Loading ${what} …`),
  lost: (found) => state(`The simulator could not be loaded: ${found.text}`),
  ready: ({ names }) => {
    ready = true;
    at("names").replaceChildren(...names.map((one) => new Option(one)));
    at("names").disabled = at("run").disabled = at("exact").disabled = false;
    at("names").value = names.includes(name) ? name : "first";
    if (text.value || pending) changed();
    else ask("text", { name });
  },
  text: (found) => { text.value = found.text; changed(); },
  checked: (found) => {
    if (found.number !== number) return;
    state(refused || found.summary);
    mark(found.problems);
    at("problems").replaceChildren(...found.problems.map(problem));
    if (found.wrong) return;
    if (!at("drawing").hidden) draw();
    for (const one of FRAMES) if (!at(one).hidden) embed(one);
  },
  offers: (found) => { if (found.number === number) offer(found); },
  running: (found) => { if (found.share) at("share-done").value = found.share; },
  ran: (found) => { idle(); show(at("figures"), found.text); at("figures").dataset.hashes = found.hashes.join(" "); state("done"); },
  drawn: (found) => {
    const image = new Image();
    image.alt = "The drawing of the net";
    image.onload = () => URL.revokeObjectURL(image.src);
    image.src = URL.createObjectURL(new Blob([found.svg], { type: "image/svg+xml" }));
    at("drawing").replaceChildren(image);
    drawn = found.number;
  },
  answer: ({ id, text, failed }) => {
    const { done, fail } = asked.get(id);
    asked.delete(id);
    if (failed === undefined) done(text); else fail(Error(failed));
  },
  slid: ({ answer }) => slide?.(JSON.parse(answer)),
  failed: (found) => { idle(); show(at("figures"), found.text); select("figures"); state("not run"); },
};

// ---------------------------------------------------------------- showing

// Shows a text with the colours of a terminal. All of it becomes text nodes, whatever is in it.
function show(element, colourful) {
  let classes = [];
  element.replaceChildren(...colourful.split(/\x1b\[([\d;]*)m/).map((part, index) => {
    if (index % 2) {
      const codes = part.split(";").filter((code) => code && code !== "0");
      classes = codes.length === part.split(";").length ? [...classes, ...codes] : codes;
      return "";
    }
    const span = document.createElement("span");
    span.className = classes.map((code) => "a" + code).join(" ");
    span.textContent = part;
    return span;
  }));
}

function problem(found) {
  const box = document.createElement("div"), one = document.createElement("pre");
  box.className = found.severity;
  one.tabIndex = 0;
  show(one, found.text);
  one.onclick = () => { if (found.line) go(found.line); };
  one.onkeydown = (event) => { if (event.key === "Enter") one.onclick(); };
  box.append(one, ...found.fixes.map(([title, from, to, written]) => {
    const button = document.createElement("button");
    button.textContent = title;
    button.onclick = () => {
      const start = place(...from);
      text.setRangeText(written, start, place(...to), "end");
      text.focus();
      text.oninput();
    };
    return button;
  }));
  return box;
}

const place = (line, column) => text.value.split("\n").slice(0, line - 1).join("\n").length + (line > 1) + column - 1;

function go(line) {
  const before = place(line, 1);
  text.focus();
  text.setSelectionRange(before, before);
  text.scrollTop = (line - 4) * parseFloat(getComputedStyle(text).lineHeight);
}

// Numbers the lines; those with an error or a warning stand out.
function mark(problems = []) {
  const worst = new Map();
  for (const { line, severity } of problems) if (worst.get(line) !== "error") worst.set(line, severity);
  const numbers = text.value.split("\n").flatMap((_, index) => {
    const tag = { error: "b", warning: "i" }[worst.get(index + 1)] || "span";
    const one = document.createElement(tag);
    one.textContent = index + 1;
    return [one, "\n"];
  });
  at("lines").replaceChildren(...numbers, "\n\n");
  at("lines").scrollTop = text.scrollTop;
}

function select(panel) {
  for (const one of PANELS) {
    at(one).hidden = one !== panel;
    at("to-" + one).setAttribute("aria-selected", one === panel);
  }
  document.body.classList.toggle("wide", FRAMES.includes(panel));
  ask("look", { on: panel === "sliders" });
  if (panel === "drawing") draw();
  if (FRAMES.includes(panel)) embed(panel);
}

// ---------------------------------------------------------------- doing

function changed() {
  number += 1;
  mark();
  clearTimeout(timer);
  timer = setTimeout(() => { if (ready) ask("check"); }, CHECK_AFTER);
}

function draw() { if (ready && drawn !== number) ask("draw"); }

function run(work = "run") {
  if (!ready || !at("stop").hidden) return;
  select("figures");
  const letter = Math.max(at("figures").clientWidth / width(), 40);
  at("figures").textContent = "";
  at("stop").hidden = at("share-done").hidden = false;
  at("run").hidden = at("exact").hidden = true;
  at("share-done").value = 0;
  state("running");
  at("figures").scrollIntoView({ block: "nearest" });
  ask(work, { width: Math.min(Math.floor(letter) - 1, 140) });
  guard = setTimeout(() => restart("It was stopped after 31 seconds."), LONGEST);
}

function width() {
  const probe = document.createElement("span");
  probe.textContent = "0".repeat(50);
  at("figures").replaceChildren(probe);
  return probe.getBoundingClientRect().width / 50;
}

function idle() {
  clearTimeout(guard);
  at("stop").hidden = at("share-done").hidden = true;
  at("run").hidden = at("exact").hidden = false;
}

function stop() {
  ask("stop");
  clearTimeout(guard);
  guard = setTimeout(() => restart("It was stopped; it has no figures."), UNHEARD);
}

// ---------------------------------------------------------------- the reader

text.oninput = (event) => {
  drawn = null;
  refused = "";
  offers.hidden = true;
  changed();
  if (/[\w.]$/.test(event?.data ?? "")) complete();
};
text.onscroll = () => { at("lines").scrollTop = text.scrollTop; };
FIELDS.forEach((field) => { at(field).oninput = changed; });
at("names").onchange = () => {
  name = at("names").value;
  refused = "";
  FIELDS.forEach((field) => { at(field).value = ""; });
  history.replaceState(null, "", location.pathname + location.search);
  ask("text", { name });
};
at("run").onclick = () => run();
at("exact").onclick = () => run("exact");
at("stop").onclick = stop;
at("share").onclick = share;
for (const one of PANELS) at("to-" + one).onclick = () => select(one);
document.onkeydown = (event) => {
  if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) { event.preventDefault(); run(); }
  if (event.key === "Escape" && !at("stop").hidden) stop();
};
