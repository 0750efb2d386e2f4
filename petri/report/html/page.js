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

  const unpack = async () => {
    const bytes = Uint8Array.from(atob(read("plotly")), (c) => c.charCodeAt(0));
    const script = document.createElement("script");
    script.textContent = await new Response(new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"))).text();
    document.head.append(script);
  };
  const failed = (error) => {
    console.error(error);
    for (const plot of plots) {
      plot.classList.remove("waiting");
      plot.classList.add("failed");
      plot.textContent = "This browser cannot draw the figure; the tables contain its numbers.";
    }
  };
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
    addEventListener("beforeprint", () => {
      for (const more of document.querySelectorAll("details")) more.open = true;
      theme = "light";
      drawAll();
      for (const plot of plots) Plotly.relayout(plot, { width: Math.min(onPaper(plot), plot.clientWidth) });
    });
    addEventListener("afterprint", () => {
      redraw(dark.matches ? "dark" : "light");
      for (const plot of plots) Plotly.relayout(plot, { width: null, autosize: true });
    });
  }).catch(failed);
})();
