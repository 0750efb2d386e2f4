"use strict";
// Completion: words that the language server would offer, in a list at the cursor.
const offers = at("offers");
const position = () => { const before = text.value.slice(0, text.selectionStart).split("\n"); return [before.length, before.at(-1).length + 1]; };
function complete() { if (ready) ask("complete", { at: position() }); }
function offer({ word, items }) {
  offers.hidden = !items.length;
  if (offers.hidden) return;
  offers.replaceChildren(...items.map(([label, note]) => {
    const one = document.createElement("li"), small = document.createElement("small");
    small.textContent = note;
    one.append(label, small);
    one.setAttribute("role", "option");
    one.onpointerdown = (event) => { event.preventDefault(); accept(one); };
    one.dataset.label = label;
    one.dataset.from = text.selectionStart - word.length;
    return one;
  }));
  mostLikely(offers.firstChild);
  const style = getComputedStyle(text), pen = document.createElement("canvas").getContext("2d"), box = text.getBoundingClientRect();
  pen.font = style.font;
  const [line, column] = position(), letter = pen.measureText("0").width, height = parseFloat(style.lineHeight), pad = parseFloat(style.paddingLeft);
  const top = box.top + pad + line * height - text.scrollTop, left = box.left + pad + (column - 1 - word.length) * letter - text.scrollLeft;
  offers.style.left = `${Math.max(Math.min(left, innerWidth - offers.offsetWidth - 8), 0)}px`;
  offers.style.top = `${top + offers.offsetHeight > innerHeight ? top - height - offers.offsetHeight : top}px`;
}
function mostLikely(one) {
  if (!one) return;
  offers.querySelector("[aria-selected]")?.removeAttribute("aria-selected");
  one.setAttribute("aria-selected", "true");
  one.scrollIntoView({ block: "nearest" });
}
function accept(one) {
  text.setRangeText(one.dataset.label, Number(one.dataset.from), text.selectionStart, "end");
  text.oninput();
}
text.onblur = () => { offers.hidden = true; };
text.onkeydown = (event) => {
  if (event.key === " " && event.ctrlKey) { event.preventDefault(); complete(); }
  if (offers.hidden || event.ctrlKey || event.metaKey) return;
  const one = offers.querySelector("[aria-selected]");
  const keys = { ArrowDown: () => mostLikely(one.nextSibling), ArrowUp: () => mostLikely(one.previousSibling),
    Enter: () => accept(one), Tab: () => accept(one), Escape: () => { offers.hidden = true; } };
  if (!keys[event.key]) return;
  event.preventDefault(); event.stopPropagation();
  keys[event.key]();
};
