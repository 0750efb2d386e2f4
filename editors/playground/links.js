"use strict";
// Links that carry a net, and the start of the page.
const bytes = (stream) => new Response(stream).arrayBuffer().then((found) => new Uint8Array(found));

async function share() {
  const given = { name, text: text.value, ...Object.fromEntries(Object.entries(settings()).filter(([, value]) => value)) };
  const packed = await bytes(new Blob([JSON.stringify(given)]).stream().pipeThrough(new CompressionStream("deflate-raw")));
  const letters = btoa(Array.from(packed, (byte) => String.fromCharCode(byte)).join(""));
  history.replaceState(null, "", "#" + letters.replace(/\+/g, "-").replace(/\//g, "_").replace(/=+$/, ""));
  try {
    await navigator.clipboard.writeText(location.href);
    state("The link is in the clipboard and in the address bar.");
  } catch { state("The link is in the address bar."); }
}

// Shows the net of a link. It runs when the reader presses Run. Why there is none stays until the reader does something else:
// the net that is there meanwhile is checked as well.
async function unpack() {
  const letters = location.hash.slice(1);
  refused = "";
  if (!letters) return;
  pending = true;
  try {
    const packed = Uint8Array.from(atob(letters.replace(/-/g, "+").replace(/_/g, "/")), (letter) => letter.charCodeAt(0));
    const reader = new Blob([packed]).stream().pipeThrough(new DecompressionStream("deflate-raw")).getReader();
    const parts = [];
    for (let size = 0, part; !(part = await reader.read()).done; parts.push(part.value)) {
      if ((size += part.value.length) > MOST_TEXT) throw Error("it is too long");
    }
    const given = JSON.parse(await new Blob(parts).text());
    name = /^[\w/]{1,80}$/.test(given.name) ? given.name : "first";
    text.value = String(given.text);
    for (const field of FIELDS) at(field).value = String(given[field] ?? "");
    at("settings").open = FIELDS.some((field) => given[field]);
    if (ready) at("names").value = name;
    changed();
  } catch (error) { pending = false; state(refused = `The link does not hold a net: ${error.message}`); }
}

window.onhashchange = unpack;
unpack().finally(start);
