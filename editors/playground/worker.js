// pnsim in a thread of the page. It answers one message at a time; a run goes on in slices, so that "stop" is heard between them.
const MOST_MEMORY = 200e6;
let playground, pyodide, running = null, last = null, sliders = null, looking = false, game = null, waiting = false;

const tell = (is, more = {}) => postMessage({ is, ...more });
const plain = (found) => { const made = found.toJs({ dict_converter: Object.fromEntries }); found.destroy(); return made; };
const runs = () => pyodide.pyimport("running");
const settings = (asked) => pyodide.toPy(asked.settings);

async function start(base) {
  tell("loading", { what: "Python" });
  const { loadPyodide } = await import(base + "pyodide/pyodide.mjs");
  const pack = fetch(base + "pnsim.zip").then((answer) => { if (!answer.ok) throw Error(`${answer.status} for pnsim.zip`); return answer.arrayBuffer(); });
  pyodide = await loadPyodide({ indexURL: base + "pyodide/" });
  tell("loading", { what: "pnsim" });
  pyodide.unpackArchive(await pack, "zip", { extractDir: "/pnsim" });
  pyodide.runPython("import os, sys; sys.path.insert(0, '/pnsim'); os.rename('/pnsim/net', '/net')");
  const modules = pyodide.pyimport("compiled"), kept = await keptFor(await pack);
  const taken = modules.take(kept ? new Uint8Array(kept) : null);
  tell("loading", { what: "the language" });
  playground = pyodide.pyimport("playground");
  tell("ready", { names: plain(playground.names()) });
  setTimeout(() => { runs(); if (!taken) keep(modules.found()); }, 0); // while the reader looks at the net
}

// Modules that Python has compiled stay in the browser for the next visit, by the hash of what they were compiled from;
// where the browser keeps nothing, as without https, it compiles them again.
let cache, address;
async function keptFor(pack) {
  try {
    cache = await caches.open("pnsim");
    const hash = new Uint8Array(await crypto.subtle.digest("SHA-256", pack));
    address = new URL(`compiled-${Array.from(hash, (byte) => byte.toString(16)).join("-")}`, location.origin).href;
    return await (await cache.match(address))?.arrayBuffer();
  } catch { return undefined; }
}
async function keep(found) {
  const made = found.toJs();
  found.destroy();
  try {
    for (const old of await cache.keys()) await cache.delete(old);
    await cache.put(address, new Response(made));
  } catch { /* it is full, or refused */ }
}

// Runs slices, of a run before those of the sliders, and lets messages in before the next one.
const channel = new MessageChannel();
channel.port2.onmessage = () => { waiting = false; attempt(running?.asked, step); };
const goOn = () => { if (!waiting) channel.port1.postMessage(0); waiting = true; };
function step() {
  if (running) stepRun(running);
  else if (sliders && looking) {
    const [more, answer] = plain(sliders.step());
    if (answer) tell("slid", { answer });
    if (more) goOn();
  }
}

function stepRun({ asked, run }) {
  goOn();
  if (pyodide._module.HEAPU8.length > MOST_MEMORY) run.stop();
  if (run.step()) { tell("running", { number: asked.number, share: run.share }); return; }
  const text = run.shown(asked.width), facts = plain(run.facts());
  last?.destroy();
  last = run; running = null;
  tell("ran", { number: asked.number, text, ...facts });
}

function end() { running?.run.destroy(); running = null; }

function attempt(asked, work) {
  try { work(asked); } catch (error) {
    end();
    const raised = error.type && pyodide.runPython("import sys; getattr(sys, 'last_exc', None)"); // the error itself, of Python
    const text = raised ? playground.told(raised) : String(error);
    if (asked?.id) tell("answer", { id: asked.id, failed: text }); else tell("failed", { number: asked?.number, text });
  }
}

// What a frame, or the page for it, asks: each answer is a text.
const pages = () => pyodide.pyimport("pages");
const answers = {
  report: () => last ? pages().report(last) : null,
  sliders: (asked) => {
    sliders?.destroy();
    sliders = pages().Sliders(asked.name, asked.text, settings(asked));
    looking = true;
    goOn();
    return sliders.page();
  },
  part: ({ path }) => sliders.ask(path) ?? null,
  game: (asked) => { game?.destroy(); game = pages().Play(asked.name, asked.text, settings(asked)); return game.page(); },
  play: ({ asked: [firings, which, count = 1] }) => game.play(firings, which ?? undefined, count), // null would not be None
};

const works = {
  text: (asked) => tell("text", { name: asked.name, text: playground.original(asked.name) }),
  check: (asked) => tell("checked", { number: asked.number, ...plain(playground.check(asked.name, asked.text, settings(asked))) }),
  complete: (asked) => {
    const [word, items] = plain(pyodide.pyimport("completing").offers(asked.name, asked.text, ...asked.at));
    tell("offers", { number: asked.number, word, items });
  },
  draw: (asked) => tell("drawn", { number: asked.number, svg: runs().drawing(asked.name, asked.text, settings(asked)) }),
  run: (asked) => { end(); running = { asked, run: runs().Run(asked.name, asked.text, settings(asked)) }; goOn(); },
  exact: (asked) => tell("ran", { number: asked.number, text: runs().exact(asked.name, asked.text, settings(asked), asked.width), hashes: [] }),
  answer: (asked) => tell("answer", { id: asked.id, text: answers[asked.what](asked) }),
  rewrite: (asked) => { sliders?.rewrite(asked.name, asked.text); goOn(); },
  wish: ({ body }) => { sliders?.wish(body); goOn(); },
  look: ({ on, again }) => {
    if (!sliders) return;
    if (again) sliders.version = 0;
    if (on !== looking) sliders.look(on);
    looking = on;
    goOn();
  },
  stop: () => running?.run.stop(),
};

onmessage = ({ data }) => {
  if (data.do === "start") start(data.base).catch((error) => tell("lost", { text: String(error) }));
  else attempt(data, works[data.do]);
};
