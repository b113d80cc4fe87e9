// Runs a page's scripts without a browser: page.js PAGE.html REPORT.json. Elements only remember what
// they are given, which is enough to ask the page what it knows, draws, and says.
"use strict";
const fs = require("fs");
const vm = require("vm");

class FakeContext {
  constructor() { this.fills = []; this.texts = []; this.images = 0; }
  fillRect(x, y, w, h) { this.fills.push([x, y, w, h, this.fillStyle]); }
  fillText(text) { this.texts.push(text); }
  drawImage() { ++this.images; }
  measureText(text) { return {width: 7 * text.length}; }
}
for (const name of ["setTransform", "clearRect", "save", "restore", "beginPath", "rect", "clip", "moveTo",
                    "lineTo", "stroke", "fill", "strokeRect", "translate", "rotate", "setLineDash",
                    "putImageData"]) {
  FakeContext.prototype[name] = () => {};
}

class FakeElement {
  constructor(tag) {
    this.tagName = tag.toUpperCase();
    this.children = []; this.style = {setProperty() {}}; this.scrollTop = 0; this.dataset = {}; this.handlers = {}; this.attributes = {};
    this.classList = {add() {}, remove() {}};
    this.value = "";
  }
  append(...children) { this.children.push(...children.filter((c) => c !== "")); }
  prepend(...children) { this.children.unshift(...children); }
  replaceChildren(...children) { this.children = children; }
  setAttribute(name, value) { this.attributes[name] = value; }
  getAttribute(name) { return this.attributes[name]; }
  removeAttribute(name) { delete this.attributes[name]; }
  click() { files.push([this.attributes.download, this.attributes.href]); }
  addEventListener(type, handler) { this.handlers[type] = handler; }
  scrollIntoView() {}
  get clientWidth() { return 1200; }
  get clientHeight() { return parseInt(this.style.height) || 0; }
  getBoundingClientRect() { return {left: 0, top: 0, width: 1200, height: this.clientHeight}; }
  getContext() { return this.context ||= new FakeContext(); }
  get textContent() {
    return this.text !== undefined ? this.text
        : this.children.map((c) => c instanceof FakeElement ? c.textContent : String(c)).join(" ");
  }
  set textContent(text) { this.text = text; }
}

// Files that the page gives to the browser.
const files = [];

const html = fs.readFileSync(process.argv[2], "utf8");
const data = html.match(/<script type="application\/json" id="report">\n(.*)\n<\/script>/)[1];
const script = html.match(/<script>\n([\s\S]*?)<\/script>/)[1];
const elements = new Map([["report", new FakeElement("script")]]);
elements.get("report").textContent = data;
const root = new FakeElement("html");
const page = vm.createContext({
  document: {
    documentElement: root,
    createElement: (tag) => new FakeElement(tag),
    createElementNS: (space, tag) => new FakeElement(tag),
    getElementById: (id) => {
      if (!elements.has(id)) elements.set(id, new FakeElement("div"));
      return elements.get(id);
    },
    querySelectorAll: () => [],
  },
  getComputedStyle: () => ({getPropertyValue: (name) => ({"--mark": "#d6247f", "--tensor-b": "#339966"})[name] || "#336699"}),
  matchMedia: () => ({matches: false, addEventListener() {}}),
  addEventListener() {}, requestAnimationFrame: (f) => f(), setTimeout() {},
  URL: {createObjectURL: (blob) => blob.text, revokeObjectURL() {}}, Blob: class { constructor(parts) { this.text = parts.join(""); } },
  devicePixelRatio: 1, innerWidth: 1400, innerHeight: 900,
  Path2D: class { moveTo() {} lineTo() {} },
  ImageData: class { constructor(w, h) { this.data = new Uint8ClampedArray(4 * w * h); } },
});
vm.runInContext(script + "\nthis.all = {buffers, maps, AddressMap, ConstantMap, report, graph};", page);
const {buffers, maps, AddressMap, ConstantMap, report, graph} = page.all;
const over = () => vm.runInContext("over", page);

// The columns say what the JSON report says.
const wanted = JSON.parse(fs.readFileSync(process.argv[3], "utf8")).buffers;
const keys = ["name", "kind", "function", "dtype", "shape", "size_bytes", "pool", "live"];
const same = wanted.filter((b, i) => keys.every(
  (key) => JSON.stringify(b[key]) === JSON.stringify(buffers[i][key])) &&
  (b.pool === null || b.offset === buffers[i].offset) && (b.line || 0) === buffers[i].line).length;
console.log(`${same} of ${wanted.length} buffers as in the JSON, the page has ${buffers.length}`);

for (const map of maps.filter((m) => m instanceof AddressMap)) {
  const most = map.curve.reduce((high, [, live]) => Math.max(high, live), 0);
  console.log(`live bytes reach ${most}, the peak is ${map.pool.peak.live_bytes}`);
  // At bytes that two buffers share, the pointer finds both.
  if (map.bands.length > 0) {
    console.log(`${map.bands.length} places where buffers overlap:`);
    for (const [x, y, w, h] of map.bands) {
      map.canvas.handlers.mousemove({clientX: x + w / 2, clientY: y + h / 2});
      console.log("  " + elements.get("tip").textContent);
    }
    const apart = map.bands.filter(([, , , , o]) => o.buffers[0].hue !== o.buffers[1].hue);
    console.log(`of the buffers of a place, one has another colour in ${apart.length}`);
  }
  // In a box of more than a few points, the pointer finds its buffer.
  const large = map.boxes.filter(([, , w, h]) => w > 3 && h > 3);
  let found = 0, said = 0;
  for (const [x, y, w, h, b] of large) {
    map.canvas.handlers.mousemove({clientX: x + w / 2, clientY: y + h / 2});
    found += over() === b ? 1 : 0;
    const tip = elements.get("tip");
    said += !tip.hidden && tip.children[0].textContent === b.name ? 1 : 0;
  }
  console.log(`${map.boxes.length} boxes; of ${large.length} large ones the pointer finds ${found}, the tip names ${said}`);
  const covered = map.boxes.filter(([x, y, w, h]) => map.pick(x + w / 2, y + h / 2) !== null).length;
  console.log(`${covered} boxes are found, or one over them`);
  const drawn = map.canvas.context;
  console.log(`the last one is marked: ${drawn.fills.some(([, , , , ink]) => ink === "rgb(214,36,127)")}`);
  const fills = drawn.fills.length;
  map.canvas.handlers.mouseleave({});
  console.log(`nothing is drawn again to unmark it: ${drawn.fills.length === fills && drawn.images > 0}`);
  map.canvas.handlers.mousemove({clientX: 2, clientY: 2});
  console.log(`beside the boxes is ${over()}`);
  map.zoomBy(0.25);
  console.log(`zoomed to ${map.from} to ${map.to}`);
  const press = (key) => map.canvas.handlers.keydown({key, preventDefault() {}});
  press("ArrowRight");
  console.log(`after the right arrow ${map.from.toFixed(3)} to ${map.to.toFixed(3)}`);
  press("Home");
  press("x");
  // Two fingers move apart around the middle of the map.
  const middle = map.left + map.width / 2, hand = map.canvas.handlers;
  hand.pointerdown({pointerId: 1, clientX: middle - 100});
  hand.pointerdown({pointerId: 2, clientX: middle + 100});
  hand.pointermove({pointerId: 1, clientX: middle - 300});
  hand.pointermove({pointerId: 2, clientX: middle + 300});
  map.release({pointerId: 2});
  console.log(`after a pinch ${(map.to - map.from).toFixed(3)} of the time is visible`);
  const from = map.from;
  hand.pointermove({pointerId: 1, clientX: middle - 300 - map.width / 10});
  map.release({pointerId: 1});
  console.log(`one finger pans by ${((map.from - from) / (map.to - map.from)).toFixed(3)} of it`);
}
// Every byte of a constant pool is on a line, at its place.
for (const map of maps.filter((m) => m instanceof ConstantMap)) {
  let wide = 0, found = 0;
  for (const b of map.rows) {
    const parts = map.parts(b, 1000), line = map.line;
    const covered = parts.reduce((sum, [, , w]) => sum + w, 0) / 1000 * line;
    const from = (parts[0][1] + parts[0][0] / 1000) * line;
    if (Math.abs(covered - b.size_bytes) < 1e-6 && Math.abs(from - b.offset) < 1e-6) ++wide;
  }
  const boxes = map.boxes.filter(([, , w]) => w > 3);
  for (const [x, y, w, h, b] of boxes) {
    map.canvas.handlers.mousemove({clientX: x + 1, clientY: y + h - 1});
    // Something that lies within it may be seen there.
    const seen = over();
    if (seen && seen.offset >= b.offset && seen.offset + seen.size_bytes <= b.offset + b.size_bytes) ++found;
  }
  console.log(`${map.rows.length} constants on ${map.lines} lines, ${wide} where they are; ` +
              `the pointer finds ${found} of ${boxes.length}`);
  map.canvas.handlers.mouseleave({});
}
// The graph: a row for each operator, linked with the maps in both directions.
if (graph) {
  const marks = (elements) => elements.map((e) => e.attributes["data-mark"] || "-").join(" ");
  const state = () => `rows ${marks(graph.rows)}; rails ${marks([...graph.paths.values()])}`;
  const boxes = () => maps.filter((m) => m instanceof AddressMap).map((m) => {
    const before = m.canvas.context.fills.length;
    m.mark(m.canvas.context);
    return m.canvas.context.fills.slice(before).filter(([, , , , ink]) => ink === "rgb(214,36,127)").length;
  });
  const key = (name) => graph.list.handlers.keydown({key: name, preventDefault() {}});
  console.log(`graph of ${graph.rows.length} rows on ${graph.lanes} lanes`);
  for (const row of graph.rows) console.log("  " + row.attributes["aria-label"]);
  const hovered = graph.rows[graph.first];
  hovered.handlers.mousemove({clientX: 1, clientY: 1});
  console.log(`the pointer on operator 1: ${state()}`);
  hovered.handlers.mouseleave({});
  console.log(`afterwards: ${state()}`);
  for (const name of ["Home", "ArrowDown", "ArrowDown"]) key(name);
  console.log(`the keys choose: ${state()}; filled ${boxes()}`);
  console.log("panel: " + graph.panel.textContent.replace(/\s+/g, " "));
  const buttons = graph.panel.children.flatMap((c) => c.children || []).filter((c) => c.tagName === "BUTTON");
  if (buttons.length > 0) buttons[buttons.length - 1].handlers.click();
  console.log(`its last button: ${state()}`);
  console.log("panel: " + graph.panel.textContent.replace(/\s+/g, " "));
  key("Escape");
  console.log(`Escape: ${state()}`);
}
// Files to save.
for (const map of maps) if (map.svg && map.rows.length < 1000) fs.writeFileSync(process.argv[2] + "." + map.name + ".svg", map.svg());
const csv = (element) => (element.attributes && element.attributes.title === "save the rows of the table as CSV" ? [element] : [])
  .concat(...(element.children || []).map(csv));
for (const button of csv(elements.get("tables"))) {
  button.handlers.click();
  const [name, text] = files.pop();
  console.log(`${name}: ${text.split("\r\n").slice(0, 2).join(" | ")}`);
}
console.log("pools: " + elements.get("pools").textContent.replace(/\s+/g, " "));
console.log("tables: " + elements.get("tables").textContent.replace(/\s+/g, " "));
