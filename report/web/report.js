"use strict";
// Buffers come as columns: a list with an entry for each buffer, or one value for all.
function decode(columns) {
  const {count, texts, shapes, more} = columns, found = new Array(count);
  const [name, constant, of, dtype, shape, size, pool, unplaced, offset, first, ticks, line, data] = ["name",
    "constant", "function", "dtype", "shape", "size", "pool", "unplaced", "offset", "first", "ticks",
    "line", "data"].map((key) => Array.isArray(columns[key]) ? columns[key] : new Array(count).fill(columns[key]));
  for (let i = 0; i < count; ++i) {
    const live = first[i] < 0 ? [] : [[first[i], first[i] + ticks[i]]];
    found[i] = {name: name[i], kind: constant[i] ? "constant" : "workspace", function: texts[of[i]],
                dtype: texts[dtype[i]], shape: shapes[shape[i]], size_bytes: size[i],
                pool: texts[pool[i]] || null, unplaced: texts[unplaced[i]], offset: offset[i], live,
                line: line[i], data: data[i] < 0 ? null : report.constants[data[i]]};
  }
  for (const [i, rest] of Object.entries(more)) found[i].live.push(...rest);
  return found;
}

const report = JSON.parse(document.getElementById("report").textContent);
const buffers = decode(report.columns);
const tip = document.getElementById("tip");
const bytes = (n) => n.toLocaleString("en");

// In the unit that is right for `most`.
function short(n, most = n) {
  const units = ["B", "KiB", "MiB", "GiB", "TiB"];
  let unit = 0;
  while (most >= 10240 && unit < units.length - 1) { n /= 1024; most /= 1024; ++unit; }
  if (unit === 0) return bytes(Math.round(n)) + " B";
  return (n >= 100 ? n.toFixed(0) : n.toFixed(1).replace(".0", "")) + " " + units[unit];
}

function make(tag, props = {}, ...children) {
  const element = document.createElement(tag);
  for (const [key, value] of Object.entries(props)) {
    if (key === "class") element.className = value;
    else if (key.startsWith("on")) element.addEventListener(key.slice(2), value);
    else element.setAttribute(key, value);
  }
  element.append(...children);
  return element;
}

// The ends of names often tell them apart.
const cut = (name, most) => name.length <= most ? name
  : name.slice(0, Math.ceil(0.6 * most)) + "\u2026" + name.slice(-Math.floor(0.4 * most));
// The short form of an operator's name. Different names have different forms.
const label = (name) => Object.hasOwn(report.labels, name) ? report.labels[name] : name;

function lifetime(b) {
  if (b.live.length === 0) return b.kind === "constant" ? "always" : "";
  const text = b.live.slice(0, 3).map((r) => bytes(r[0]) + "\u2013" + bytes(r[1])).join(", ");
  return b.live.length > 3 ? text + " and " + (b.live.length - 3) + " more" : text;
}

function stepAt(tick) {
  return report.steps.find((s) => s.live[0] <= tick && tick < s.live[1]);
}

// A constant's data: its uses, its compressed size, its section and its storage.
function aboutData(d) {
  const rows = [];
  if (d.base) rows.push("bytes of " + d.base + " from " + bytes(d.base_offset) + " on");
  if (d.uses > 1) rows.push("stored once for " + bytes(d.uses) + " uses");
  if (d.compressed_bytes !== undefined && d.size_bytes > 0) {
    rows.push("LZ4 makes it about " + compresses(d) + " of its size");
  }
  if (d.bytes_read > 0) rows.push(bytes(d.bytes_read) + " bytes read a run");
  const where = [d.section, storageOf(d)].filter(Boolean).join(", ");
  if (where) rows.push(where);
  if (d.hash) rows.push(d.hash);
  return rows;
}
const storageOf = (d) => [d.storage, d.codec,
  d.codec && d.stored_bytes !== undefined && bytes(d.stored_bytes) + " bytes", d.load && "loaded into " + d.load].filter(Boolean).join(", ");
const compresses = (d) => (100 * d.compressed_bytes / d.size_bytes).toFixed(0) + " %";
const isShared = (b) => b.data !== null && (b.data.uses > 1 || Boolean(b.data.base));

// Two buffers that share bytes: the one that is read for the last time, and the one that is written.
const overlaps = (report.overlaps || []).map(
  (o) => ({...o, buffers: [buffers[o.dying], buffers[o.begun]]}));
for (const {buffers: [dying, begun]} of overlaps) begun.isPale = !dying.isPale;
const overlapsIn = (pool) => overlaps.filter((o) => o.buffers[1].pool === pool);
const signed = (n) => n < 0 ? "\u2212" + bytes(-n) : bytes(n);

function distances(o) {
  return o.allowed.map(([first, last]) => first === null ? signed(last) + " or less"
    : last === null ? signed(first) + " or more"
    : first === last ? signed(first) : signed(first) + " to " + signed(last)).join(", ");
}

function showOverlapTip(event, o) {
  const [dying, begun] = o.buffers;
  placeTip(event, dying.name + " and " + begun.name + " share " + bytes(o.shared_bytes) + " bytes", [
    label(o.function) + " reads " + dying.name + " for the last time and writes " + begun.name,
    "distance " + signed(o.distance) + "; safe: " + distances(o),
    ...(o.bound ? ["bound by: " + o.bound] : []),
  ]);
}

// Lines about a buffer, or about an input or output outside of pools.
function aboutValue(b) {
  const rows = [bytes(b.size_bytes) + " bytes" + (b.dtype ? ", " + b.dtype + " [" + b.shape.join(", ") + "]" : "")];
  if (b.live === undefined) return [...rows, b.kind + " that the caller owns"];
  rows.push(b.pool === null ? b.unplaced : b.pool + ", offset " + bytes(b.offset) + " to " + bytes(b.offset + b.size_bytes));
  if (b.live.length > 0) {
    let text = "live in ticks " + lifetime(b);
    const first = stepAt(b.live[0][0]), last = stepAt(b.live[b.live.length - 1][1] - 1);
    if (first && last) {
      text += first === last ? ": " + label(first.label)
                             : ": " + label(first.label) + " \u2192 " + label(last.label);
    }
    rows.push(text);
  }
  if (b.data) rows.push(...aboutData(b.data));
  for (const o of overlaps) {
    if (!o.buffers.includes(b)) continue;
    const other = o.buffers[o.buffers[0] === b ? 1 : 0];
    rows.push("shares " + bytes(o.shared_bytes) + " bytes with " + other.name + " in " + label(o.function));
  }
  if (b.function) rows.push("in " + b.function + (b.line ? ", line " + b.line : ""));
  return rows;
}

function showTip(event, b) {
  if (!b) { tip.hidden = true; return; }
  placeTip(event, b.name, aboutValue(b));
}

function placeTip(event, title, rows) {
  tip.replaceChildren(make("b", {}, title), ...rows.map((r) => make("div", {class: "grey"}, r)));
  tip.hidden = false;
  const box = tip.getBoundingClientRect();
  const right = event.clientX + 16 + box.width > innerWidth;
  tip.style.left = Math.max(4, right ? event.clientX - box.width - 12 : event.clientX + 16) + "px";
  tip.style.top = Math.max(4, Math.min(event.clientY + 16, innerHeight - box.height - 8)) + "px";
}

function tile(name, value, note) {
  return make("div", {class: "tile"}, make("div", {class: "name"}, name),
              make("div", {class: "value"}, value), make("div", {class: "note"}, note));
}

// The memory that a device needs, and the part of its declared pools that is left.
function fillTotals(tiles, work, constants) {
  const {stack, ram_bytes: ram, code_bytes: code} = report, known = stack && stack.deepest_bytes !== undefined;
  const on_stack = stack ? (known ? stack.deepest_bytes : stack.local_array_bytes) : 0;
  tiles.append(tile("RAM", short(ram), bytes(ram) + " bytes: workspace " + bytes(report.workspace_bytes) +
    ", inputs and outputs " + bytes(report.io_bytes) + (known ? ", stack about " : ", arrays on the stack ") + bytes(on_stack)));
  const flash = report.constant_bytes + (code || 0);
  tiles.append(tile("Flash", short(flash), bytes(flash) + " bytes: " + (code ? "code " + bytes(code) + " and " : "") +
    bytes(constants) + " constants" + (code ? "" : ", without code")));
  const limited = work.filter((p) => p.capacity_bytes !== undefined);
  if (limited.length > 0) {
    const sum = (key) => limited.reduce((all, p) => all + p[key], 0), free = sum("free_bytes"), all = sum("capacity_bytes");
    tiles.append(tile("Headroom", short(free), bytes(free) + " bytes free of " + bytes(all) + " in pools, " + percent(free, all)));
  } else {
    tiles.append(tile("Headroom", "\u2013", "unknown: --workspace-pools=ram:64K gives the size of the RAM"));
  }
}

function fillSummary() {
  const pools = Object.entries(report.pools);
  const work = pools.filter(([, p]) => p.kind === "workspace").map(([, p]) => p);
  // The name of the file says more than `main` does.
  const file = report.source.split("/").pop();
  const title = "Memory of " + (file && file !== "-" && file !== "<stdin>" ? file : report.entry || report.source);
  document.title = title;
  document.getElementById("title").textContent = title;
  document.getElementById("subtitle").textContent =
    [report.source, report.algorithm && "planned by " + report.algorithm].filter(Boolean).join(" \u00b7 ");
  const tiles = document.getElementById("tiles");
  const constants = buffers.filter((b) => b.kind === "constant").length;
  if (report.entry) fillTotals(tiles, work, constants);
  if (!report.entry && (constants > 0 || report.constant_bytes > 0)) {
    tiles.append(tile("Constants", short(report.constant_bytes),
                      bytes(report.constant_bytes) + " bytes, " + constants + " tensors"));
  }
  tiles.append(tile("Workspace", short(report.workspace_bytes),
                    bytes(report.workspace_bytes) + " bytes, " +
                    bytes(buffers.length - constants) + " buffers"));
  const counted = report.accountings && report.accountings.io_counted;
  if (counted && counted.fits) {
    tiles.append(tile("With inputs and outputs", short(counted.workspace_bytes),
                      bytes(counted.workspace_bytes) + " bytes of workspace" +
                      (counted.proven_optimal ? ", optimal" : "")));
  } else if (counted) {
    tiles.append(tile("With inputs and outputs", "\u2013", "more than the pools have"));
  }
  const bound = work.reduce((sum, p) => sum + p.lower_bound_bytes, 0);
  if (bound > 0) {
    const optimal = work.every((p) => p.proven_optimal);
    const over = report.workspace_bytes - bound;
    tiles.append(tile("Lower bound", short(bound), optimal
      ? make("span", {class: "good"}, report.spill ? "\u2713 met for this choice of pools"
                                                   : "\u2713 met: no plan is smaller")
      : "plan is " + (100 * over / bound).toFixed(2) + " % above"));
  }
  if (report.spill) {
    const spill = report.spill;
    const least = spill.bytes === spill.bound_bytes;
    tiles.append(tile("Spilled", short(spill.bytes), bytes(spill.buffers) + " buffers are not in their best pool, " +
                      (least ? "the least possible" : "bound " + bytes(spill.bound_bytes) + " bytes")));
  }
  const stack = report.stack;
  if (stack && stack.deepest_bytes !== undefined) {
    tiles.append(tile("Stack, about", short(stack.deepest_bytes), stack.deepest_path.map(label).join(" \u2192 ") +
      (stack.unknown.length > 0 ? "; without " + stack.unknown.join(", ") : "")));
  }
  if (report.tensors.length > 0) {
    tiles.append(tile("Inputs and outputs", short(report.io_bytes), report.tensors.map(
      (t) => t.name + " " + t.dtype + " [" + t.shape.join(", ") + "]").join("; ")));
  }
}

// Rows are elements, and too many of them make the page slow: large tables grow by steps, on paper too,
// and show a single row by its name.
const kRowsAtFirst = 200, kRowsAtOnce = 2000;

// The rows that tables show now, and functions that show a missing one.
const rowOf = new Map(), finders = [];
function showRow(b) {
  if (!rowOf.has(b)) finders.forEach((find) => find(b));
  const row = rowOf.get(b);
  if (!row) return;
  row.scrollIntoView({block: "center", behavior: "smooth"});
  row.classList.add("found");
  setTimeout(() => row.classList.remove("found"), 2500);
}

// A table that sorts by a click on a column's head. `columns`: title, value of a row, "number"? A
// value of -1 is shown as nothing, except in a `signed` column.
function table(title, rows, columns) {
  let order = columns.findIndex((c) => c.first), down = true, most = kRowsAtFirst, wanted = "";
  const body = make("tbody");
  const sortBy = (i) => {
    down = order === i ? !down : columns[i].kind === "number";
    order = i;
    draw();
  };
  const heads = columns.map((c, i) => make("th", {class: c.kind || "", scope: "col", tabindex: "0",
    title: "sort by " + c.title, onclick: () => sortBy(i),
    onkeydown: (e) => { if (e.key === "Enter") sortBy(i); }}, c.title));
  const many = rows.length > kRowsAtOnce;
  const more = make("button", {class: "more", onclick: () => {
    most = many ? most + kRowsAtOnce : Infinity;
    draw();
  }});
  const search = make("input", {type: "search", placeholder: "filter by name or function",
    "aria-label": "filter", oninput: () => { wanted = search.value.toLowerCase(); draw(); }});
  function wantedRows() {
    const value = columns[order].value;
    return rows.filter((b) => !wanted || (b.name + " " + b.function).toLowerCase().includes(wanted))
      .sort((a, b) => {
        const x = value(a), y = value(b);
        const way = typeof x === "number" ? x - y : x < y ? -1 : x > y ? 1 : 0;
        return down ? -way : way;
      });
  }
  function draw() {
    const shown = wantedRows();
    heads.forEach((h, i) => h.setAttribute(
      "aria-sort", i !== order ? "none" : down ? "descending" : "ascending"));
    rows.forEach((b) => rowOf.delete(b));
    body.replaceChildren(...shown.slice(0, most).map((b) => {
      const row = make("tr", {onmouseenter: () => pointAt(b.buffer || b), onclick: () => { if (graph && usersOf.has(b.buffer || b)) choose(b.buffer || b); }, onmouseleave: () => pointAt(null)},
                       ...columns.map((c) => {
        const v = c.value(b);
        return make("td", {class: c.kind || ""},
                    v === -1 && !c.signed ? "" : c.text ? c.text(b) : typeof v === "number" ? bytes(v) : v);
      }));
      rowOf.set(b, row);
      return row;
    }));
    more.hidden = shown.length <= most;
    more.textContent = many ? "show more of " + bytes(shown.length) : "show all " + bytes(shown.length);
  }
  draw();
  finders.push((b) => {
    if (!rows.includes(b)) return;
    search.value = wanted = many ? b.name.toLowerCase() : "";
    if (!many) most = Infinity;
    draw();
  });
  return make("section", {class: "card"},
    make("div", {class: "head"}, make("h2", {}, title),
         make("span", {class: "facts"}, bytes(rows.length)), make("span", {class: "tools"}, search,
           saveButton("CSV", "save the rows of the table as CSV", () => saveFile(fileName() + "_" + title.toLowerCase() + ".csv",
             "text/csv", csvOf(columns, wantedRows()))))),
    make("div", {class: "scroll"}, make("table", {}, make("thead", {}, make("tr", {}, ...heads)), body)),
    more);
}

function overlapTable() {
  const rows = overlaps.map((o) => ({...o, name: o.buffers[1].name, buffer: o.buffers[1]}));
  return table("Overlaps", rows, [
    {title: "operator", value: (o) => label(o.function)},
    {title: "reads last", value: (o) => o.buffers[0].name},
    {title: "writes", value: (o) => o.name},
    {title: "shared bytes", value: (o) => o.shared_bytes, kind: "number", first: true},
    {title: "distance", value: (o) => o.distance, kind: "number", signed: true, text: (o) => signed(o.distance)},
    {title: "safe distances", value: distances},
    {title: "accesses that bind", value: (o) => o.bound || "", kind: "wide"},
  ]);
}

function fillTables() {
  const to = document.getElementById("tables");
  const common = [
    {title: "name", value: (b) => b.name},
    {title: "bytes", value: (b) => b.size_bytes, kind: "number", first: true},
    {title: "pool", value: (b) => b.pool === null ? b.unplaced : b.pool},
    {title: "offset", value: (b) => b.pool === null ? -1 : b.offset, kind: "number"},
  ];
  const rest = [
    {title: "type", value: (b) => b.dtype ? b.dtype + " [" + b.shape.join(", ") + "]" : ""},
    {title: "line", value: (b) => b.line || -1, kind: "number"},
    {title: "function", value: (b) => b.function, kind: "wide"},
  ];
  const data = [
    {title: "read a run", value: (b) => b.data ? b.data.bytes_read : -1, kind: "number"},
    {title: "LZ4", value: (b) => b.data && b.data.compressed_bytes !== undefined && b.size_bytes > 0
      ? b.data.compressed_bytes / b.size_bytes : -1, kind: "number", text: (b) => compresses(b.data)},
    {title: "shared", value: (b) => !b.data ? "" : b.data.base ? "in " + b.data.base + " + " +
      bytes(b.data.base_offset) : b.data.uses > 1 ? b.data.uses + " uses" : ""},
    {title: "section", value: (b) => b.data && b.data.section || ""},
    {title: "as", value: (b) => b.data ? storageOf(b.data) : ""},
  ];
  const hash = {title: "hash", value: (b) => b.data && b.data.hash ? b.data.hash.slice(5, 17) : ""};
  const live = {title: "live (ticks)", value: (b) => b.live.length ? b.live[0][0] : -1, text: lifetime,
                raw: (b) => b.live.map((r) => r.join("-")).join(" ")};
  const work = buffers.filter((b) => b.kind === "workspace");
  const constants = buffers.filter((b) => b.kind === "constant");
  const some = (columns, rows) => columns.filter((c) => c.first || rows.some(
    (b) => c.value(b) !== "" && c.value(b) !== -1));
  if (overlaps.length) to.append(overlapTable());
  if (work.length) to.append(table("Workspace buffers", work, some([...common, live, ...rest], work)));
  if (constants.length) to.append(table("Constants", constants, some([...common, ...data, ...rest, hash], constants)));
}
