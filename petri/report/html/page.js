"use strict";
(() => {
  const read = (id) => JSON.parse(document.getElementById(id).textContent);
  const dark = matchMedia("(prefers-color-scheme: dark)");

  /* ---------------------------------------------------------------- the net's picture */

  const wire = (net) => {
    const view = net.querySelector(".view"), sheet = net.querySelector(".sheet");
    const width = Number(net.dataset.width);
    let zoom = 1;
    const fitting = () => Math.min(1, Math.max((view.clientWidth - 24) / width, 0.05));
    const whole = () => {
      const height = sheet.getBoundingClientRect().height / zoom;
      const room = parseFloat(getComputedStyle(view).maxHeight) || view.clientHeight;
      return Math.min(fitting(), (room - 24) / height);
    };
    const set = (value, x = view.clientWidth / 2, y = view.clientHeight / 2) => {
      const before = zoom;
      zoom = Math.min(Math.max(value, 0.05), 6);
      const left = (view.scrollLeft + x) * zoom / before - x, top = (view.scrollTop + y) * zoom / before - y;
      sheet.style.setProperty("--zoom", zoom);
      view.scrollTo(left, top);
    };
    const steps = { in: () => set(zoom * 1.25), out: () => set(zoom / 1.25), fit: () => set(whole()), full: () => set(1) };
    net.querySelector(".tools").hidden = false;
    for (const button of net.querySelectorAll("button")) button.addEventListener("click", steps[button.dataset.step]);
    view.addEventListener("keydown", (event) => {
      const step = { "+": "in", "=": "in", "-": "out", "0": "fit", "1": "full" }[event.key];
      if (step && !event.ctrlKey && !event.metaKey) { steps[step](); event.preventDefault(); }
    });
    view.addEventListener("wheel", (event) => {
      if (!event.ctrlKey && !event.metaKey) return;
      const box = view.getBoundingClientRect();
      set(zoom * Math.exp(-event.deltaY / 300), event.clientX - box.left, event.clientY - box.top);
      event.preventDefault();
    }, { passive: false });
    let held = null;
    view.addEventListener("pointerdown", (event) => {
      if (event.pointerType !== "mouse" || event.button !== 0) return;
      held = { x: event.clientX + view.scrollLeft, y: event.clientY + view.scrollTop, from: event };
    });
    view.addEventListener("pointermove", (event) => {
      if (!event.buttons) held = null;  // the button was let go elsewhere
      if (!held) return;
      if (!view.hasPointerCapture(event.pointerId)) {  // not before it moves: a click is for what is below
        if (Math.hypot(event.clientX - held.from.clientX, event.clientY - held.from.clientY) < 4) return;
        view.setPointerCapture(event.pointerId);
        view.classList.add("held");
      }
      view.scrollTo(held.x - event.clientX, held.y - event.clientY);
    });
    for (const end of ["pointerup", "pointercancel"]) {
      view.addEventListener(end, () => { held = null; view.classList.remove("held"); });
    }
    /* A picture much wider than the page starts at a readable size instead of fitting the width. */
    set(Math.max(fitting(), 0.5));
    view.scrollTo((view.scrollWidth - view.clientWidth) / 2 * (fitting() < 0.5 ? 0 : 1), 0);
  };
  document.querySelectorAll(".net").forEach(wire);
  window.pnsim = { wire };  // for pages that change while they are looked at

  /* ---------------------------------------------------------------- figures */

  const plots = [...document.querySelectorAll(".plot")];
  if (!plots.length) return;
  const figures = read("figures"), themes = read("themes");
  const touch = matchMedia("(pointer: coarse)").matches;
  let theme = dark.matches ? "dark" : "light";

  const themed = (value) => {
    if (typeof value === "string") return value.startsWith("@") && themes[theme][value] || value;
    if (Array.isArray(value)) return value.length && typeof value[0] === "number" ? value : value.map(themed);
    if (value && typeof value === "object") {
      return Object.fromEntries(Object.entries(value).map(([key, one]) => [key, themed(one)]));
    }
    return value;
  };
  const axis = () => themed({
    gridcolor: "@rule", linecolor: "@soft", zerolinecolor: "@rule", tickcolor: "@rule", ticks: "outside", ticklen: 4,
    automargin: true,
  });
  const layout = (own, width) => {
    const made = themed(own), narrow = width < 560;
    for (const key of Object.keys(made)) {
      if (/^[xy]axis\d*$/.test(key)) {
        made[key] = { ...axis(), ...made[key] };
        if (made[key].title) made[key].title = { standoff: 8, ...made[key].title };
      }
    }
    return {
      paper_bgcolor: "rgba(0,0,0,0)", plot_bgcolor: "rgba(0,0,0,0)", margin: { l: 12, r: 16, t: 14, b: 12 },
      font: { family: getComputedStyle(document.body).fontFamily, size: narrow ? 12 : 13, color: themes[theme]["@ink"] },
      legend: { orientation: "h", yref: "container", y: 0, yanchor: "bottom", x: 0, xanchor: "left", bgcolor: "rgba(0,0,0,0)" },
      modebar: themed({ bgcolor: "rgba(0,0,0,0)", color: "@soft", activecolor: "@ink" }),
      hoverlabel: themed({ bgcolor: "@sheet", bordercolor: "@rule", font: { color: "@ink" }, namelength: -1 }),
      dragmode: touch ? false : "zoom",
      ...made,
    };
  };
  const config = {
    displaylogo: false, responsive: true, displayModeBar: touch ? false : "hover",
    modeBarButtons: [["zoomIn2d", "zoomOut2d", "resetScale2d", "toImage"]], toImageButtonOptions: { format: "svg" },
  };
  const draw = (plot) => {
    const figure = figures[plot.dataset.figure];
    plot.classList.remove("waiting");
    plot.dataset.drawn = theme;
    return Plotly.react(plot, themed(figure.data), layout(figure.layout || {}, plot.clientWidth), config);
  };
  /* Paper is narrower than the screen, and pixels of a figure do not shrink: sheets are some 640 pixels wide. */
  const onPaper = (plot) => (plot.closest(".pair")?.children.length > 1 ? 310 : 640);
  const drawAll = () => { for (const plot of plots) if (plot.dataset.drawn !== theme) draw(plot); };
  const redraw = (wanted) => {
    theme = wanted;
    for (const plot of plots) if (plot.dataset.drawn && plot.dataset.drawn !== theme) draw(plot);
  };

  window.pnsim.figure = (plot, figure) => {
    figures[plot.dataset.figure] = figure;
    if (plot.dataset.drawn) draw(plot);
  };

  const packed = () => Uint8Array.from(atob(read("plotly")), (c) => c.charCodeAt(0));
  const start = (source) => {
    if (window.Plotly) return;
    const script = document.createElement("script");
    script.textContent = source;
    document.head.append(script);
  };
  const unpack = async () => {
    start(await new Response(new Blob([packed()]).stream().pipeThrough(new DecompressionStream("gzip"))).text());
  };
  /* The same at once, for whoever prints before the browser is ready; ten times as slow. A gzip file of one member
     (RFC 1952), without a name, whose codes are read bit by bit (RFC 1951). */
  const unpackAtOnce = () => {
    if (window.Plotly) return;
    const bytes = packed(), out = new Uint8Array(new DataView(bytes.buffer).getUint32(bytes.length - 4, true));
    let from = 10, to = 0, bit = 0;
    const bits = (wanted) => {
      let value = 0;
      for (let n = 0; n < wanted; n++) {
        value |= (bytes[from] >> bit & 1) << n;
        if (++bit === 8) { bit = 0; from++; }
      }
      return value;
    };
    const codes = (lengths) => {
      const counts = Array(16).fill(0), symbols = [];
      for (const length of lengths) counts[length]++;
      for (let length = 1; length < 16; length++) lengths.forEach((own, symbol) => { if (own === length) symbols.push(symbol); });
      return { counts, symbols };
    };
    const symbol = ({ counts, symbols }) => {
      for (let length = 1, code = 0, first = 0, index = 0; length < 16; length++) {
        code |= bits(1);
        if (code - first < counts[length]) return symbols[index + code - first];
        index += counts[length];
        first = first + counts[length] << 1;
        code <<= 1;
      }
      throw new Error("wrong code");
    };
    const fixed = () => [codes(Array.from({ length: 288 }, (_, n) => n < 144 ? 8 : n < 256 ? 9 : n < 280 ? 7 : 8)), codes(Array(30).fill(5))];
    const dynamic = () => {
      const literals = bits(5) + 257, distances = bits(5) + 1, given = bits(4) + 4, own = Array(19).fill(0), lengths = [];
      [16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1, 15].slice(0, given).forEach((n) => { own[n] = bits(3); });
      const code = codes(own);
      while (lengths.length < literals + distances) {
        const found = symbol(code);
        if (found < 16) lengths.push(found);
        else if (found === 16) lengths.push(...Array(bits(2) + 3).fill(lengths.at(-1)));
        else lengths.push(...Array(found === 17 ? bits(3) + 3 : bits(7) + 11).fill(0));
      }
      return [codes(lengths.slice(0, literals)), codes(lengths.slice(literals))];
    };
    for (let last = 0; !last;) {
      last = bits(1);
      const kind = bits(2);
      if (!kind) {
        if (bit) { bit = 0; from++; }
        const length = bytes[from] | bytes[from + 1] << 8;
        out.set(bytes.subarray(from + 4, from + 4 + length), to);
        from += 4 + length;
        to += length;
        continue;
      }
      const [literal, distance] = kind === 1 ? fixed() : dynamic();
      for (let found; (found = symbol(literal)) !== 256;) {
        if (found < 256) { out[to++] = found; continue; }
        const more = found < 265 || found === 285 ? 0 : (found - 261) >> 2;
        const length = (found < 265 ? found - 254 : found === 285 ? 258 : ((found - 261) % 4 + 4 << more) + 3) + bits(more);
        const far = symbol(distance), further = far < 4 ? 0 : (far >> 1) - 1;
        const back = (far < 4 ? far + 1 : (far % 2 + 2 << further) + 1) + bits(further);
        for (let n = 0; n < length; n++, to++) out[to] = out[to - back];
      }
    }
    start(new TextDecoder().decode(out));
  };
  let broken = false;
  const failed = (error) => {
    console.error(error);
    broken = true;
    for (const plot of plots) {
      plot.classList.remove("waiting");
      plot.classList.add("failed");
      plot.textContent = "This browser cannot draw the figure; the tables contain its numbers.";
    }
  };
  addEventListener("beforeprint", () => {
    for (const more of document.querySelectorAll("details")) more.open = true;
    if (broken) return;
    unpackAtOnce();
    theme = "light";
    drawAll();
    for (const plot of plots) Plotly.relayout(plot, { width: Math.min(onPaper(plot), plot.clientWidth) });
  });
  addEventListener("afterprint", () => {
    if (broken) return;
    redraw(dark.matches ? "dark" : "light");
    for (const plot of plots) Plotly.relayout(plot, { width: null, autosize: true });
  });
  unpack().then(() => {
    const seen = new IntersectionObserver((entries) => {
      for (const entry of entries) {
        if (!entry.isIntersecting) continue;
        seen.unobserve(entry.target);
        if (!entry.target.dataset.drawn) draw(entry.target);
      }
    }, { rootMargin: "800px" });
    for (const plot of plots) seen.observe(plot);
    /* The others are drawn while nothing else is to be done, or soon in any case: whoever prints finds all of them. */
    const lazy = window.requestIdleCallback;
    const idle = lazy ? (then) => lazy(then, { timeout: 200 }) : (then) => setTimeout(then, 50);
    const drawNext = () => {
      const plot = plots.find((one) => !one.dataset.drawn);
      if (plot) { draw(plot); idle(drawNext); }
    };
    idle(drawNext);
    dark.addEventListener("change", () => redraw(dark.matches ? "dark" : "light"));
  }).catch(failed);
})();
