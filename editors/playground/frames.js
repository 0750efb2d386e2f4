"use strict";
// Pages of pnsim as frames of this one: token game, sliders, report.
const asked = new Map(), shown = {};  // questions under way; of which text each frame is
let slide = null;
const answered = (what, more) => new Promise((done, fail) => {
  const id = crypto.randomUUID();
  asked.set(id, { done, fail });
  ask("answer", { id, what, ...more });
});

window.pnsimLive = {
  wish: (body) => ask("wish", { body }),
  ask: (path) => answered("part", { path }),
  listen: (show) => { slide = show; ask("look", { on: true, again: true }); }, // what came before it listened
  hush: () => ask("look", { on: false }),
};
window.pnsimGame = { play: (...given) => answered("play", { asked: given }) };

// Makes the page of a panel, unless it is there: of the text as it is, the report of the last run.
async function embed(panel) {
  const set = JSON.stringify([name, settings()]), of = panel === "report" ? at("figures").dataset.hashes : set + text.value;
  if (!ready || shown[panel] === of) return;
  const rewritten = panel === "sliders" && shown[panel]?.startsWith(set);
  shown[panel] = of;
  if (rewritten) { ask("rewrite"); return; }
  at(panel).textContent = "…";
  if (panel === "sliders") slide = null; // of the frame that goes
  try {
    const html = await answered(panel);
    if (html === null) throw Error("Press Run: the report is of the last run.");
    const frame = document.createElement("iframe");
    frame.title = at("to-" + panel).textContent;
    frame.src = URL.createObjectURL(new Blob([html], { type: "text/html" }));
    at(panel).replaceChildren(frame);
    if (panel !== "report") return;
    const save = document.createElement("a");
    Object.assign(save, { textContent: "Save the report", href: frame.src, download: `${name.split("/").at(-1)}.html` });
    at(panel).prepend(save);
  } catch (error) {
    shown[panel] = null;
    const why = document.createElement("pre");
    show(why, error.message);
    at(panel).replaceChildren(why);
  }
}
