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
function table(title, rows, columns, facts = bytes(rows.length)) {
  let order = columns.findIndex((c) => c.first), down = !columns[order].up, most = kRowsAtFirst, wanted = "";
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
  const search = make("input", {type: "search", placeholder: "filter by name or function", size: "26",
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
  function rowFor(b) {
    const thing = b.thing || b;
    const linked = () => graph && (usersOf.has(thing) || isStep(thing));
    const row = make("tr", {onmouseenter: () => pointAt(thing), onmouseleave: () => pointAt(null),
                            onclick: () => { if (linked()) choose(thing); }});
    row.append(...columns.map((c) => {
      const v = c.value(b);
      const text = v === -1 && !c.signed ? "" : c.text ? c.text(b) : typeof v === "number" ? bytes(v) : v;
      return make("td", {class: c.kind || "", ...(text === "" ? {} : {"data-name": c.title})}, text);
    }));
    return row;
  }
  function draw() {
    const shown = wantedRows();
    heads.forEach((h, i) => h.setAttribute(
      "aria-sort", i !== order ? "none" : down ? "descending" : "ascending"));
    rows.forEach((b) => rowOf.delete(b));
    body.replaceChildren(...shown.slice(0, most).map((b) => {
      const row = rowFor(b);
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
         make("span", {class: "facts"}, facts), make("span", {class: "tools"}, search,
           saveButton("CSV", "save the rows of the table as CSV", () => saveFile(fileName() + "_" + title.toLowerCase() + ".csv",
             "text/csv", csvOf(columns, wantedRows()))))),
    make("div", {class: "scroll"}, make("table", {class: "rows-below"}, make("thead", {}, make("tr", {}, ...heads)), body)),
    more);
}

// The costs of each operator, as `tenon report --layers` says.
function operatorTable() {
  const total = (key) => report.steps.reduce((sum, s) => sum + (s[key] || 0), 0);
  const macs = total("macs"), instructions = total("instructions"), code = total("code_bytes");
  const rows = report.steps.map((step, i) => ({thing: step, at: i + 1, name: label(step.label), function: step.label}));
  const figure = (title, key) => ({title, value: (r) => r.thing[key] || 0, kind: "number"});
  const share = (key, all, title) => {
    const text = (r) => (100 * (r.thing[key] || 0) / Math.max(1, all)).toFixed(1);
    return {title, kind: "number", value: (r) => r.thing[key] || 0, text, raw: text};
  };
  return table("Operators", rows, [
    {title: "#", value: (r) => r.at, kind: "number", first: true, up: true},
    {title: "operator", value: (r) => r.name},
    ...(macs > 0 ? [figure("MACs", "macs"), share("macs", macs, "% of MACs")] : []), figure("weights", "weight_bytes"),
    figure("activations", "activation_bytes"), figure("scratch", "scratch_bytes"),
    ...(code > 0 ? [figure("code", "code_bytes")] : []),
    ...(instructions > 0 ? [figure("instructions", "instructions"), share("instructions", instructions, "% of instructions")] : []),
  ], counted(rows.length, "operator") + (macs > 0 ? ", " + bytes(macs) + " multiplications (MACs)" : "") + "; sizes in bytes");
}

function overlapTable() {
  const rows = overlaps.map((o) => ({...o, name: o.buffers[1].name, thing: o.buffers[1]}));
  return table("Overlaps", rows, [
    {title: "operator", value: (o) => label(o.function)},
    {title: "reads last", value: (o) => o.buffers[0].name},
    {title: "writes", value: (o) => o.name},
    {title: "shared bytes", value: (o) => o.shared_bytes, kind: "number", first: true},
    {title: "distance", value: (o) => o.distance, kind: "number", signed: true, text: (o) => signed(o.distance)},
    {title: "safe distances", value: distances},
    ...(hasLines ? [{title: "accesses that bind", value: boundOf, kind: "wide"}] : []),
  ]);
}

function fillTables() {
  const to = document.getElementById("tables");
  const common = [
    {title: "name", value: (b) => b.name},
    {title: "bytes", value: (b) => b.size_bytes, kind: "number", first: true},
    {title: "pool", value: whereOf},
    {title: "offset", value: (b) => b.pool === null ? -1 : b.offset, kind: "number"},
  ];
  const rest = [
    {title: "type", value: (b) => b.dtype ? b.dtype + " [" + b.shape.join(", ") + "]" : ""},
    {title: "written by", value: (b) => stepsOf(b, "write").map((s) => label(s.label)).join(", ")},
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
  if (report.steps.length) to.append(operatorTable());
  if (overlaps.length) to.append(overlapTable());
  if (work.length) to.append(table("Workspace buffers", work, some([...common, live, ...rest], work)));
  if (constants.length) to.append(table("Constants", constants, some([...common, ...data, ...rest, hash], constants)));
}
