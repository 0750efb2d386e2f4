// pnsim in a thread of the page. It answers one message at a time; a run goes on in slices, so that "stop" is heard between them.
const MOST_MEMORY = 200e6;
let playground, pyodide, running = null;

const tell = (is, more = {}) => postMessage({ is, ...more });
const plain = (found) => { const made = found.toJs({ dict_converter: Object.fromEntries }); found.destroy(); return made; };
const settings = (asked) => pyodide.toPy(asked.settings);

async function start(base) {
  tell("loading", { what: "Python" });
  const { loadPyodide } = await import(base + "pyodide/pyodide.mjs");
  const pack = fetch(base + "pnsim.zip").then((answer) => { if (!answer.ok) throw Error(`${answer.status} for pnsim.zip`); return answer.arrayBuffer(); });
  pyodide = await loadPyodide({ indexURL: base + "pyodide/" });
  tell("loading", { what: "pnsim" });
  pyodide.unpackArchive(await pack, "zip", { extractDir: "/pnsim" });
  pyodide.runPython("import os, sys; sys.path.insert(0, '/pnsim'); os.rename('/pnsim/net', '/net')");
  tell("loading", { what: "the language" });
  playground = pyodide.pyimport("playground");
  tell("ready", { names: plain(playground.names()) });
}

// Runs a slice, and lets messages in before the next one.
const channel = new MessageChannel();
channel.port2.onmessage = () => attempt(running?.asked, step);
function step(asked) {
  if (!running) return;
  if (pyodide._module.HEAPU8.length > MOST_MEMORY) running.run.stop();
  if (running.run.step()) {
    tell("running", { number: asked.number, share: running.run.share });
    channel.port1.postMessage(0);
    return;
  }
  const text = running.run.shown(asked.width), facts = plain(running.run.facts());
  end();
  tell("ran", { number: asked.number, text, ...facts });
}

function end() { running?.run.destroy(); running = null; }

function attempt(asked, work) {
  try { work(asked); } catch (error) {
    end();
    const last = error.type && pyodide.runPython("import sys; getattr(sys, 'last_exc', None)"); // the error itself, of Python
    tell("failed", { number: asked?.number, text: last ? playground.told(last) : String(error) });
  }
}

const works = {
  text: (asked) => tell("text", { name: asked.name, text: playground.original(asked.name) }),
  check: (asked) => tell("checked", { number: asked.number, ...plain(playground.check(asked.name, asked.text, settings(asked))) }),
  draw: (asked) => tell("drawn", { number: asked.number, svg: playground.drawing(asked.name, asked.text, settings(asked)) }),
  run: (asked) => { end(); running = { asked, run: playground.Run(asked.name, asked.text, settings(asked)) }; channel.port1.postMessage(0); },
  stop: () => running?.run.stop(),
};

onmessage = ({ data }) => {
  if (data.do === "start") start(data.base).catch((error) => tell("lost", { text: String(error) }));
  else attempt(data, works[data.do]);
};
