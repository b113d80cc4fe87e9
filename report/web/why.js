const percent = (part, whole) => (100 * part / Math.max(1, whole)).toFixed(1) + " %";
const place = (at) => at.line ? "line " + at.line : "tick " + bytes(at.tick);
function placeIn(at) {
  if (at.step === undefined) return place(at);
  const name = label(report.steps[at.step].label);
  const step = report.steps[at.step], text = name + ", " + place(at);
  if (!graph) return make("span", {title: step.label}, text);
  return make("button", {class: "link", title: step.label, onclick: () => choose(step), onmouseenter: () => pointAt(step),
                         onmouseleave: () => pointAt(null)}, text);
}

// Rows of [cells], the pointer on one shows its buffer. A cell is text, a number or an element.
function plainTable(heads, rows) {
  const cell = (tag, v, i) => make(tag, {class: typeof v === "number" || heads[i][1] ? "number" : "",
    ...(tag === "td" && heads[i][0] ? {"data-name": heads[i][0]} : {})}, typeof v === "number" ? bytes(v) : v);
  return make("div", {class: "scroll"}, make("table", {class: "plain rows-below"},
    make("thead", {}, make("tr", {}, ...heads.map(([text], i) => cell("th", text, i)))),
    make("tbody", {}, ...rows.map(({cells, buffer}) => make("tr", buffer ? {
      onmousemove: (e) => { showTip(e, buffer); pointAt(buffer); },
      onmouseleave: () => { showTip(null, null); pointAt(null); },
    } : {}, ...cells.map((v, i) => v && v.tagName === "TD" ? v : cell("td", v, i)))))));
}

function changeText(c) {
  const name = buffers[c.buffers[0]].name;
  switch (c.change) {
    case "gone": return "remove buffer " + name;
    case "half": return "halve buffer " + name;
    case "not_kept": return "do not keep buffer " + name + " from " + place(c.from) + " to " + place(c.to);
    case "early": return "let buffer " + name + " die before " + place(c.to);
    case "in_place": return "let buffer " + name + " reuse the bytes of " + buffers[c.buffers[1]].name;
    default: return c.steps === 1
      ? "remove the operator\u2019s own workspace (" + counted(c.buffers.length, "buffer") + ")"
      : "remove the own workspace of the " + c.steps + " highest operators";
  }
}

// A saving, drawn as a part of the largest one.
function gainCell(saved, most, whole, name) {
  if (saved === 0) return make("td", {class: "number", "data-name": name}, "0");
  const bar = make("i");
  bar.style.width = 100 * saved / Math.max(1, most) + "%";
  return make("td", {class: "gain number", "data-name": name}, make("span", {class: "amount"}, bytes(saved)),
              make("span", {class: "share"}, percent(saved, whole)), make("span", {class: "bar"}, bar));
}

const kFixed = "saved if this and the rows above shrink";

// The changes that would lower the peak, and the peak that then follows.
function whyPanel(pool) {
  const why = pool.why, most = pool.peak.live_bytes, shown = [];
  for (const c of why.changes) {
    if (shown.length === 8) break;
    // A change that saves no more than a part of it is not shown.
    const same = (o) => o.bound_bytes === c.bound_bytes && o.buffers.length === 1 &&
      c.buffers.includes(o.buffers[0]);
    if (!shown.some(same)) shown.push(c);
  }
  // As in report/why_text.cc.
  const tied = why.steps.filter((s) => s.live_bytes >= most).length;
  const none = "No single change lowers it: " + (tied < 2 ? "other moments are as high."
    : tied + " operators are as high, and all of them must shrink.");
  const panel = make("div", {class: "why"}), largest = (savings) => Math.max(1, ...savings);
  const gain = largest(shown.map((c) => c.saved_bytes));
  const changes = shown.length ? plainTable(
    [["change"], ["new peak", true], ["gain", true]],
    shown.map((c) => ({cells: [changeText(c), c.bound_bytes, gainCell(c.saved_bytes, gain, most, "gain")],
                       buffer: buffers[c.buffers[0]]})))
    : make("div", {class: "grey"}, none);
  const tight = pool.size_bytes <= most;
  const heading = tight ? "What would lower the peak" : "What would lower the live bytes, " + short(most);
  const looser = "The pool needs " + short(pool.size_bytes) + (pool.proven_optimal
    ? ", because no arrangement of these buffers is tighter." : ": the plan leaves holes.");
  panel.append(make("div", {}, make("h3", {}, heading), ...(tight ? [] : [make("div", {class: "grey"}, looser)]), changes));
  // The peak that is left when an operator and all above it are fixed is that of the next one.
  const gains = why.steps.slice(1, 9).map((next) => most - next.live_bytes), whole = largest(gains);
  if (why.steps.length > 1) {
    const rows = why.steps.slice(0, 8).map((s, i) => ({cells: [placeIn(s.at), s.live_bytes,
      i < gains.length ? gainCell(gains[i], whole, most, kFixed) : ""]}));
    panel.append(make("div", {}, make("h3", {}, "Highest operators"),
                      plainTable([["operator"], ["live", true], [kFixed, true]], rows)));
  }
  return panel;
}

// The effects of planning options on the workspace.
function optionCard(options) {
  const rows = options.map((o) => {
    const delta = !o.fits ? make("td", {class: "number"}, "nothing fits")
      : make("td", {class: "number " + (o.saved_bytes > 0 ? "down" : o.saved_bytes < 0 ? "up" : "")},
             o.saved_bytes === 0 ? "same" : (o.saved_bytes > 0 ? "\u2212" : "+") +
             bytes(Math.abs(o.saved_bytes)) + ", " + percent(Math.abs(o.saved_bytes), o.without_bytes));
    const size = (n, is_planned) => is_planned ? n : "\u2013";
    return {cells: [make("code", {}, o.option), o.in_use ? "in use" : "not in use",
                    size(o.without_bytes, o.fits || !o.in_use), size(o.with_bytes, o.fits || o.in_use), delta]};
  });
  return make("section", {class: "card diff"},
    make("div", {class: "head"}, make("h2", {}, "Options that change the workspace"),
         make("span", {class: "facts"}, "each figure is that of a plan")),
    plainTable([["option"], [""], ["without", true], ["with", true], ["change", true]], rows));
}

// The differences from an older report.
function diffCard(diff) {
  const delta = (before, after) => {
    const by = (after || 0) - (before || 0);
    return make("td", {class: "number " + (by < 0 ? "down" : by > 0 ? "up" : "")}, by === 0 ? "same"
      : (by > 0 ? "+" : "\u2212") + bytes(Math.abs(by)) + (before ? ", " + percent(Math.abs(by), before) : ""));
  };
  const pair = ([before, after]) => [before === null ? "\u2013" : before, after === null ? "\u2013" : after,
                                     delta(before, after)];
  const sizes = [];
  for (const [name, p] of Object.entries(diff.pools)) {
    sizes.push({cells: [name, ...pair(p.size_bytes)]});
    const [before, after] = p.peak;
    if (before || after) {
      sizes.push({cells: ["live at its peak" + (after && after.line ? ", line " + after.line : ""),
                          ...pair([before && before.live_bytes, after && after.live_bytes])]});
    }
  }
  sizes.push({cells: ["all constants", ...pair(diff.constant_bytes)]},
             {cells: ["all workspace", ...pair(diff.workspace_bytes)]},
             {cells: ["inputs and outputs", ...pair(diff.io_bytes)]});
  const card = make("section", {class: "card diff"},
    make("div", {class: "head"}, make("h2", {}, "Against " + diff.before),
         make("span", {class: "facts"}, bytes(diff.same) + " buffers and constants as before, " +
              bytes(diff.buffers.length) + " not")),
    plainTable([["bytes"], ["before", true], ["after", true], ["change", true]], sizes));
  if (diff.buffers.length > 0) {
    const rows = diff.buffers.map((c) => {
      const now = c.after === null ? null : buffers[c.after], one = now || c.before;
      return {name: one.name, function: one.function, thing: now, changes: c.changes.join(", ") +
                (now && c.before && now.name !== c.before.name ? " from " + c.before.name : ""),
              before: c.before, size: now, by: (now ? now.size_bytes : 0) - (c.before ? c.before.size_bytes : 0)};
    });
    const where = (b) => !b ? "" : b.pool === null ? whereOf(b) : b.pool + " + " + bytes(b.offset);
    const list = table("Changed since " + diff.before, rows, [
      {title: "name", value: (r) => r.name},
      {title: "changed", value: (r) => r.changes},
      {title: "bytes before", value: (r) => r.before ? r.before.size_bytes : -1, kind: "number"},
      {title: "after", value: (r) => r.thing ? r.thing.size_bytes : -1, kind: "number"},
      {title: "growth", value: (r) => Math.abs(r.by), raw: (r) => r.by, kind: "number", first: true, signed: true,
       text: (r) => r.by === 0 ? "" : (r.by > 0 ? "+" : "\u2212") + bytes(Math.abs(r.by))},
      {title: "place before", value: (r) => where(r.before)},
      {title: "place after", value: (r) => where(r.thing)},
      {title: "function", value: (r) => r.function, kind: "wide"},
    ]);
    document.getElementById("tables").prepend(list);
  }
  return card;
}
