function peakPanel(pool) {
  const peak = pool.peak;
  const bar = make("div", {class: "bar"});
  const parts = [];
  for (const index of peak.live.slice(0, 400)) {
    const b = buffers[index];
    const part = make("span", {});
    part.style.flex = b.size_bytes + " 1 0";
    parts.push([part, b]);
    part.addEventListener("mousemove", (e) => { showTip(e, b); pointAt(b); });
    part.addEventListener("mouseleave", () => { showTip(null, null); pointAt(null); });
    part.addEventListener("click", () => clickOn(b));
    bar.append(part);
  }
  let fills, inked = [];
  const ruler = make("canvas").getContext("2d");
  const fill = (part, b) => {
    const ink = marked.has(b) ? markFill() : fillOf(b, fills);
    part.style.background = ink;
    part.style.color = inkOn(ink);
  };
  // The longest text that fits whole, or none.
  const write = () => {
    const rooms = parts.map(([part]) => part.clientWidth - 12);
    ruler.font = kFont;
    parts.forEach(([part, b], i) => {
      part.textContent = [mapName(b) + " \u00b7 " + short(b.size_bytes), mapName(b)].find(
        (text) => ruler.measureText(text).width <= rooms[i]) || "";
    });
  };
  maps.push({
    draw: () => {
      fills = allFills();
      for (const [part, b] of parts) fill(part, b);
      write();
    },
    paint: () => {
      const now = parts.filter(([, b]) => marked.has(b));
      for (const [part, b] of [...inked, ...now]) fill(part, b);
      inked = now;
    },
  });
  const step = stepAt(peak.tick);
  const where = "Peak at tick " + bytes(peak.tick) + " of " + bytes(report.ticks) + (step ? ", in " + label(step.label) : "") +
    (peak.line ? ", line " + peak.line : "") + ": " + counted(peak.live.length, "buffer") + " with ";
  return make("div", {class: "peak"}, make("div", {}, where, sized(peak.live_bytes), " live"), bar,
              peak.statement ? make("code", {}, peak.statement) : "");
}

const kClick = graph ? "chooses a buffer" : "finds the row";

// Constants: the map of their places, and their sizes next to each other.
function constantCard(name, pool, card, head) {
  const map = new ConstantMap(name, pool), tiles = new Tiles(name, "the pool " + name, distinctIn(name));
  head.append(make("span", {class: "tools"}, svgButton(map, name)));
  maps.push(map, tiles);
  const facts = [];
  if (pool.saved_bytes > 0) facts.push(bytes(pool.saved_bytes) + " bytes saved: " + bytes(pool.used_bytes) +
    " in " + bytes(pool.buffers) + " uses, stored in " + bytes(pool.stored_bytes));
  const padding = pool.size_bytes - pool.stored_bytes;
  if (pool.stored_bytes > 0 && padding > 0) facts.push(bytes(padding) + " bytes of padding");
  if (pool.compressed_bytes < pool.stored_bytes) {
    facts.push("LZ4 would make it about " + short(pool.compressed_bytes));
  }
  card.append(make("div", {class: "facts"}, facts.join(" \u00b7 ")), map.canvas, make("div", {class: "legend"},
    make("span", {}, make("span", {class: "swatch constant"}), "constants: neighbours have two colours"),
    ...(map.rows.some(isShared) ? [make("span", {}, make("span", {class: "swatch shared"}), "stored once for several uses")]
                                : []),
    ...(padding > 0 ? [make("span", {}, make("span", {class: "swatch padding"}), "padding")] : []),
    make("span", {class: "hint"}, "addresses from left to right, line by line; below, areas as sizes; a click " + kClick)),
    tiles.canvas);
  return card;
}

// Constants in no pool have no addresses yet: the linker places them.
function unplacedCard() {
  const rows = distinctOutside();
  if (rows.length === 0) return "";
  const tiles = new Tiles(null, "flash", rows), all = sumOf(rows, "size_bytes");
  tiles.rows.forEach((b, i) => { b.hue = i % 2; });
  maps.push(tiles);
  return make("section", {class: "card"},
    make("div", {class: "head"}, make("h2", {}, [...new Set(rows.map(whereOf))].slice(0, 4).join(", ")),
         make("span", {class: "facts"}, counted(rows.length, "constant") + " \u00b7 ", sized(all)),
         make("span", {class: "tools"}, svgButton(tiles, "flash"))),
    tiles.canvas, make("div", {class: "legend"}, make("span", {class: "hint"}, "areas as sizes; the linker chooses the addresses; a click " + kClick)));
}

const fileName = () => (report.source.split("/").pop() || "report").replace(/\.\w+$/, "");
const svgButton = (picture, name) => saveButton("SVG", "save the map as SVG, as it is shown",
  () => saveFile(fileName() + "_" + name + ".svg", "image/svg+xml", picture.svg()));

// The unit of the clock.
const kTick = report.entry ? "A tick is a statement, in the order in which the model runs. The statements of a loop count once."
                           : "Ticks are the times of the problem.";

function poolCard(name, pool) {
  const facts = [pool.kind, sized(pool.size_bytes), counted(pool.buffers, "buffer")];
  if (pool.alignment > 0) facts.push("alignment " + pool.alignment);
  if (pool.lower_bound_bytes > 0) facts.push(sized(pool.lower_bound_bytes, "lower bound " + short(pool.lower_bound_bytes)));
  if (pool.capacity_bytes !== undefined) {
    facts.push(sized(pool.capacity_bytes, "capacity " + short(pool.capacity_bytes)), sized(pool.free_bytes, short(pool.free_bytes) + " free"));
  }
  if (pool.proven_optimal) facts.push(make("span", {class: "good"}, "\u2713 optimal"));
  const head = make("div", {class: "head"}, make("h2", {}, name), make("span", {class: "facts"},
    ...facts.flatMap((fact, i) => i === 0 ? [fact] : [" \u00b7 ", fact])));
  const card = make("section", {class: "card"}, head);
  if (pool.kind === "constant") return constantCard(name, pool, card, head);
  const map = new AddressMap(name, pool);
  if (map.rows.length === 0) {
    card.append(make("div", {class: "facts"}, "No lifetimes are known for this pool."));
    return card;
  }
  maps.push(map);
  const tools = make("span", {class: "tools"});
  head.append(tools);
  if (map.steps.length > 1) {
    const choice = make("select", {"aria-label": "time axis", onchange: () => {
      map.byStep = choice.value === "steps";
      map.reset();
      map.draw();
    }}, make("option", {value: "steps"}, "time by operator"),
        make("option", {value: "ticks"}, "time by statement"));
    tools.append(choice);
  }
  const button = (text, title, act) => make("button", {title, "aria-label": title, onclick: act}, text);
  tools.append(make("span", {class: "buttons"},
    button("+", "zoom in", () => map.zoomBy(0.5)), button("\u2212", "zoom out", () => map.zoomBy(2)),
    button("all", "show all", () => { map.reset(); map.draw(); })), svgButton(map, name));
  const mark = (name, style, text) => {
    const line = make("i", {});
    line.style.borderTopStyle = style;
    line.style.borderTopColor = "var(" + name + ")";
    return make("span", {}, line, text);
  };
  card.append(map.canvas, make("div", {class: "legend"},
    ...["tensor", "scratch"].filter((kind) => map.rows.some((b) => kindOf(b) === kind)).map(
      (kind) => make("span", {}, make("span", {class: "swatch " + kind}),
                     kind === "scratch" ? "an operator's own workspace"
                     : (report.entry ? "tensors between operators" : "buffers") + ": neighbours in time have two colours")),
    ...(map.overlaps.length > 0 ? [make("span", {}, make("span", {class: "swatch overlap"}),
      "overlap: an output reuses a dying input (dashed edge)")] : []),
    mark("--text", "solid", "size of the pool"), mark("--bound", "dashed", "lower bound"),
    mark("--curve", "solid", "live bytes"), mark("--curve", "dotted", "peak"),
    make("span", {class: "hint"}, "shift + wheel or two fingers zoom, drag pans, a click " + kClick + "; keys: arrows, +, \u2212, Home. " + kTick)));
  if (pool.peak) card.append(peakPanel(pool));
  if (pool.why) card.append(whyPanel(pool));
  return card;
}

(() => {
  fillSummary();
  fillTables();
  const to = document.getElementById("pools");
  if (report.diff) to.append(diffCard(report.diff));
  if (report.options) to.append(optionCard(report.options));
  const pools = Object.entries(report.pools)
    .sort((a, b) => (a[1].kind === "constant") - (b[1].kind === "constant"));
  for (const [name, pool] of pools) to.append(poolCard(name, pool));
  to.append(unplacedCard());
  addEventListener("keydown", (e) => { if (e.key === "Escape" && chosen !== null) choose(null); });
  const drawAll = () => maps.forEach((m) => m.draw());
  // The choice of colours holds for all reports. Browsers may refuse to store it.
  const dark = matchMedia("(prefers-color-scheme: dark)"), root = document.documentElement;
  const storage = (use) => { try { return use(localStorage); } catch { return null; } };
  const kept = storage((s) => s.getItem("tenon-theme"));
  let chosenTheme = kept === "dark" || kept === "light" ? kept : null;
  const show = () => {
    root.dataset.theme = "print" in root.dataset ? "light" : chosenTheme || (dark.matches ? "dark" : "light");
    drawAll();
  };
  show();
  addEventListener("resize", drawAll);
  dark.addEventListener("change", show);
  document.getElementById("theme").addEventListener("click", () => {
    chosenTheme = root.dataset.theme === "dark" ? "light" : "dark";
    storage((s) => s.setItem("tenon-theme", chosenTheme));
    show();
  });
  // On paper: light, and with all rows.
  addEventListener("beforeprint", () => {
    root.dataset.print = "";
    document.querySelectorAll("button.more:not([hidden])").forEach((b) => b.click());
    show();
  });
  addEventListener("afterprint", () => {
    delete root.dataset.print;
    show();
  });
})();
