// The graph of operators: a row for each, in order, with inputs above and outputs below. A rail is a value between
// operators, from its first writer to its last reader.
const kMostRows = 2000, kMostLanes = 12, kMostLinks = 12;

class Graph {
  constructor(to) {
    this.to = to;
    const inputs = tensors.filter((t, i) => report.tensors[i].kind === "input" && usersOf.has(t));
    const outputs = tensors.filter((t, i) => report.tensors[i].kind === "output" && usersOf.has(t));
    this.things = [...inputs, ...report.steps.slice(0, kMostRows), ...outputs];
    this.first = inputs.length;
    this.rowOf = new Map();
    inputs.forEach((t, i) => this.rowOf.set(t, i));
    report.steps.slice(0, kMostRows).forEach((s, i) => this.rowOf.set(s, this.first + i));
    outputs.forEach((t, i) => { if (!this.rowOf.has(t)) this.rowOf.set(t, this.things.length - outputs.length + i); });
    this.rails = this.findRails(new Set(inputs), new Set(outputs));
    this.height = matchMedia("(pointer: coarse)").matches ? 36 : 26;
    this.live = this.highest();
    this.build();
  }

  // The most live bytes of all pools while each operator runs.
  highest() {
    const rows = buffers.filter((b) => b.kind === "workspace" && b.pool !== null && b.live.length > 0);
    const curve = liveCurve(rows, overlaps);
    let at = 0, live = 0;
    return report.steps.map((step) => {
      let most = 0;
      while (at < curve.length && curve[at][0] <= step.live[0]) live = curve[at++][1];
      most = live;
      while (at < curve.length && curve[at][0] < step.live[1]) most = Math.max(most, live = curve[at++][1]);
      return most;
    });
  }

  // Values with the rows of their writers and readers, and a lane that is free from the first to the last.
  findRails(inputs, outputs) {
    const rails = [];
    for (const [value, users] of usersOf) {
      if (value.kind === "constant") continue;
      const writers = [], readers = [];
      if (inputs.has(value)) writers.push(this.rowOf.get(value));
      for (const [step, role] of users) {
        if (!this.rowOf.has(step) || usesOf.get(step).get(value) === "own") continue;
        (role === "write" ? writers : readers).push(this.rowOf.get(step));
      }
      if (outputs.has(value)) readers.push(this.things.lastIndexOf(value));
      const rows = [...writers, ...readers];
      const from = Math.min(...rows), to = Math.max(...rows);
      if (rows.length > 1 && to > from) rails.push({value, writers, readers, from, to});
    }
    // Long rails first among those that begin together, so that short ones end inside of them.
    rails.sort((a, b) => a.from - b.from || b.to - a.to);
    const busy = [];
    for (const rail of rails) {
      let lane = busy.findIndex((until) => until <= rail.from);
      if (lane < 0) lane = busy.length;
      busy[lane] = rail.to;
      rail.lane = lane;
    }
    this.lanes = Math.max(1, busy.length);
    // An operator stands on the lane of what it writes, otherwise of what it reads.
    this.laneOf = new Array(this.things.length).fill(0);
    const stands = new Array(this.things.length).fill(false);
    for (const rail of rails) for (const row of rail.readers) if (!stands[row]) this.laneOf[row] = rail.lane;
    for (const rail of rails) for (const row of rail.writers) {
      if (stands[row] && rail.lane > this.laneOf[row]) continue;
      this.laneOf[row] = rail.lane;
      stands[row] = true;
    }
    return rails;
  }

  x(lane) { return 10 + Math.min(lane, kMostLanes) * Math.min(13, 110 / Math.min(this.lanes, kMostLanes)); }
  y(row) { return (row + 0.5) * this.height; }

  // Along its lane, with a branch to each operator on another lane.
  pathOf(rail) {
    const x = this.x(rail.lane), bend = 0.8 * this.height;
    const branch = (row, way) => {
      const there = this.x(this.laneOf[row]), y = this.y(row), end = y + way * bend;
      return there === x ? "" : `M${there} ${y}C${there} ${(y + end) / 2} ${x} ${(y + end) / 2} ${x} ${end}`;
    };
    const begins = this.laneOf[rail.from] !== rail.lane, ends = this.laneOf[rail.to] !== rail.lane;
    const top = this.y(rail.from) + (begins ? bend : 0), bottom = this.y(rail.to) - (ends ? bend : 0);
    return `M${x} ${top}V${Math.max(top, bottom)}` + rail.writers.map((row) => branch(row, row === rail.to ? -1 : 1)).join("") +
      rail.readers.filter((row) => row > rail.from).map((row) => branch(row, -1)).join("");
  }

  build() {
    const {things, height} = this, total = things.length * height;
    const svg = makeSvg("svg", {class: "rails", width: this.x(Math.min(this.lanes - 1, kMostLanes)) + 12, height: total,
                                "aria-hidden": "true"});
    this.paths = new Map();
    for (const rail of this.rails) {
      const path = makeSvg("path", {d: this.pathOf(rail)});
      this.paths.set(rail.value, path);
      svg.append(path);
    }
    this.dots = things.map((thing, row) => {
      const x = this.x(this.laneOf[row]), y = this.y(row);
      const dot = isStep(thing) ? makeSvg("circle", {cx: x, cy: y, r: 5}) : makeSvg("rect", {x: x - 4, y: y - 4, width: 8, height: 8});
      svg.append(dot);
      return dot;
    });
    const most = Math.max(1, ...this.live);
    this.rows = things.map((thing, row) => this.makeRow(thing, row, most));
    this.list = make("div", {class: "rows", role: "listbox", tabindex: "0", "aria-label":
      "Operators in order. The arrow keys choose one, Escape none.", onkeydown: (e) => this.pressKey(e)}, svg, ...this.rows);
    this.list.style.setProperty("--row", height + "px");
    this.list.style.setProperty("--rails", this.x(Math.min(this.lanes - 1, kMostLanes)) + 14 + "px");
    this.panel = make("div", {class: "chosen", "aria-live": "polite"});
    const count = report.steps.length;
    this.to.append(make("section", {class: "card graph"},
      make("div", {class: "head"}, make("h2", {}, "Operators"), make("span", {class: "facts"}, bytes(count) + " in order" +
        (count > kMostRows ? ", the first " + bytes(kMostRows) : "")), make("span", {class: "facts right"}, "live bytes")),
      this.list, this.panel));
    this.marks = [];
    this.fillPanel();
  }

  makeRow(thing, row, most) {
    const props = {class: "row", role: "option", id: "row-" + row, "aria-selected": "false",
                   onmousemove: (e) => { this.tip(e, thing); pointAt(thing); },
                   onmouseleave: () => { showTip(null, null); pointAt(null); },
                   onclick: () => choose(chosen === thing ? null : thing)};
    if (!isStep(thing)) {
      const kind = row < this.first ? "input" : "output";
      return make("div", {...props, "aria-label": kind + " " + thing.name + ", " + bytes(thing.size_bytes) + " bytes"},
                  make("span", {class: "n"}), make("span", {class: "name io"}, make("span", {}, kind + " " + thing.name)));
    }
    const index = row - this.first, live = this.live[index];
    const bar = make("i");
    bar.style.width = 100 * live / most + "%";
    return make("div", {...props, "aria-label": sentence(thing), class: live === most ? "row peak-row" : "row"},
                make("span", {class: "n"}, String(index + 1)), make("span", {class: "name"}, ...nameParts(label(thing.label))),
                make("span", {class: "live"}, bar));
  }

  tip(event, thing) {
    if (!isStep(thing)) { showTip(event, thing); return; }
    placeTip(event, label(thing.label), factsOf(thing, this.live));
  }

  pressKey(event) {
    if (event.ctrlKey || event.altKey || event.metaKey) return;
    const at = this.rowOf.has(chosen) ? this.rowOf.get(chosen) : -1, last = this.things.length - 1;
    const to = {ArrowDown: at + 1, ArrowUp: at < 0 ? last : at - 1, PageDown: at + 10, PageUp: at - 10, Home: 0, End: last}[event.key];
    if (to === undefined && event.key !== "Escape") return;
    event.preventDefault();
    choose(to === undefined ? null : this.things[Math.max(0, Math.min(last, to))]);
  }

  // Marks rows and rails. A value marks its users; an operator marks itself and its rails.
  paint() {
    for (const mark of this.marks) mark.removeAttribute("data-mark");
    this.marks = [];
    const set = (element, role) => {
      if (!element) return;
      element.setAttribute("data-mark", role);
      this.marks.push(element);
    };
    const now = over ?? chosen;
    if (now === null) return;
    const at = (thing, role) => {
      const row = this.rowOf.get(thing);
      if (row === undefined) return;
      set(this.rows[row], role);
      set(this.dots[row], role);
    };
    at(now, "self");
    if (isStep(now)) {
      for (const [value, role] of usesOf.get(now)) set(this.paths.get(value), role);
      return;
    }
    set(this.paths.get(now), "self");
    for (const [step, role] of usersOf.get(now) || []) at(step, role);
  }
  draw() {}

  choose() {
    const row = this.rowOf.get(chosen) ?? this.rowOf.get(usersOf.has(chosen) ? [...usersOf.get(chosen).keys()][0] : null);
    if (this.current) this.current.setAttribute("aria-selected", "false");
    this.current = row === undefined ? null : this.rows[row];
    if (this.current) {
      this.current.setAttribute("aria-selected", "true");
      this.list.setAttribute("aria-activedescendant", this.current.id);
      const top = row * this.height, list = this.list;
      if (top < list.scrollTop || top + this.height > list.scrollTop + list.clientHeight) {
        list.scrollTop = Math.max(0, top - list.clientHeight / 3);
      }
    }
    this.fillPanel();
  }

  // Describes the choice, with buttons for everything that it is linked to.
  fillPanel() {
    const panel = this.panel, now = chosen;
    panel.hidden = false;
    if (now === null) {
      panel.setAttribute("data-empty", "");
      panel.replaceChildren(make("p", {class: "hint"}, "Choose an operator to see its buffers, or a buffer on the map to " +
        "see its operators. A filled mark is written, an outline is read, a dashed outline is scratch memory."));
      return;
    }
    panel.removeAttribute("data-empty");
    const button = (thing) => make("button", {class: "link", title: thing.name || thing.label, onclick: () => choose(thing),
      onmouseenter: () => pointAt(thing), onmouseleave: () => pointAt(null)},
      isStep(thing) ? (report.steps.indexOf(thing) + 1) + " " + label(thing.label) : mapName(thing) + " \u00b7 " + short(thing.size_bytes));
    const line = (title, things) => things.length === 0 ? "" : make("p", {}, make("span", {class: "grey"}, title + " "),
      ...things.slice(0, kMostLinks).map(button), things.length > kMostLinks ? "and " + bytes(things.length - kMostLinks) + " more" : "");
    const close = make("button", {class: "close", title: "choose nothing", "aria-label": "choose nothing",
                                  onclick: () => choose(null)}, "\u00d7");
    const parts = isStep(now) ? [
      make("b", {}, (report.steps.indexOf(now) + 1) + " " + label(now.label)),
      ...(label(now.label) === now.label ? [] : [make("div", {class: "grey"}, now.label)]),
      ...factsOf(now, this.live).map((fact) => make("div", {class: "grey"}, fact)),
      line("reads", valuesOf(now, "read", false)), line("writes", valuesOf(now, "write", false)),
      line("scratch", valuesOf(now, "own", false)), line("constants", valuesOf(now, "read", true)),
    ] : [
      make("b", {}, now.name), ...aboutValue(now).map((fact) => make("div", {class: "grey"}, fact)),
      line("written by", stepsOf(now, "write")), line("read by", stepsOf(now, "read")),
      buffers.includes(now) ? make("button", {onclick: () => showRow(now)}, "row in the table") : "",
    ];
    panel.replaceChildren(close, ...parts.filter((part) => part !== ""));
  }
}

// The number at the end of a name stays visible when there is no room for all of it.
function nameParts(name) {
  const number = name.match(/ #\w+$/);
  return number ? [make("span", {}, name.slice(0, number.index)), make("b", {}, number[0])] : [make("span", {}, name)];
}

function makeSvg(tag, props) {
  const element = document.createElementNS("http://www.w3.org/2000/svg", tag);
  for (const [key, value] of Object.entries(props)) element.setAttribute(key, value);
  return element;
}

// Costs of an operator, as lines.
function factsOf(step, live) {
  const at = report.steps.indexOf(step), rows = [];
  const costs = [step.macs && bytes(step.macs) + " MACs", step.instructions && bytes(step.instructions) + " instructions",
                 step.code_bytes && bytes(step.code_bytes) + " bytes of code",
                 step.weight_bytes && bytes(step.weight_bytes) + " bytes of weights",
                 step.activation_bytes && bytes(step.activation_bytes) + " bytes of activations",
                 step.scratch_bytes && bytes(step.scratch_bytes) + " bytes of scratch memory"].filter(Boolean);
  if (step.line) costs.push("line " + step.line);
  if (costs.length) rows.push(costs.join(" \u00b7 "));
  rows.push("at most " + bytes(live[at] || 0) + " bytes live, ticks " + bytes(step.live[0]) + "\u2013" + bytes(step.live[1] - 1));
  return rows;
}

const names = (values) => values.length > 6 ? values.slice(0, 6).map((v) => v.name).join(", ") + " and " +
  (values.length - 6) + " more" : values.map((v) => v.name).join(", ");

// An operator in words.
function sentence(step) {
  const parts = [["reads", valuesOf(step, "read", false)], ["writes", valuesOf(step, "write", false)],
                 ["has scratch memory", valuesOf(step, "own", false)]].filter(([, values]) => values.length > 0);
  return (report.steps.indexOf(step) + 1) + ", " + label(step.label) +
    parts.map(([verb, values]) => ", " + verb + " " + names(values)).join("");
}

// A click on a buffer of a map or of a bar.
let graph = null;
function clickOn(b) {
  if (graph && b !== null) choose(chosen === b ? null : b); else if (b) showRow(b);
}

(() => {
  const to = document.getElementById("graph");
  const linked = report.steps.length > 0 && [...usesOf.values()].some((uses) => uses.size > 0);
  if (!linked) return;
  document.getElementById("model").className = "linked";
  document.documentElement.dataset.linked = "";
  graph = new Graph(to);
  maps.push(graph);
})();
