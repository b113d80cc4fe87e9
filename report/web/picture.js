const colour = (name) => getComputedStyle(document.documentElement).getPropertyValue(name).trim();

function parse(hex) {
  return [1, 3, 5].map((at) => parseInt(hex.slice(at, at + 2), 16));
}

// The kind of a buffer: a tensor between operators, an operator's scratch memory, or a constant.
function kindOf(b) {
  if (b.kind === "constant") return "constant";
  return b.function && report.entry && b.function !== report.entry ? "scratch" : "tensor";
}

// Neighbours have two hues in turn: tensors and scratch memory by the time at which they begin, constants by address.
// Buffers that share bytes also differ.
(() => {
  const before = new Map(overlaps.map((o) => [o.buffers[1], o.buffers[0]])), last = new Map();
  const first = (b) => b.live.length > 0 ? b.live[0][0] : -1;
  for (const b of [...buffers].sort((a, b) => first(a) - first(b) || a.offset - b.offset)) {
    const key = kindOf(b) + " " + b.pool, partner = before.get(b);
    b.hue = partner && partner.hue !== undefined ? 1 - partner.hue : 1 - (last.get(key) ?? 1);
    last.set(key, b.hue);
  }
})();

const rgb = (hex) => "rgb(" + parse(hex).join(",") + ")";
const kKinds = ["tensor", "scratch", "constant"];
// The colours of the theme: for each kind of buffer, those of both hues.
const allFills = () => Object.fromEntries(kKinds.map(
  (kind) => [kind, ["a", "b"].map((hue) => rgb(colour("--" + kind + "-" + hue)))]));
const fillOf = (b, fills) => fills[kindOf(b)][b.hue];
const markFill = () => rgb(colour("--mark"));

// The colour of text on a fill: dark or white, whichever has more contrast.
function inkOn(fill) {
  const [red, green, blue] = fill.slice(4, -1).split(",").map((c) => {
    const part = Number(c) / 255;
    return part <= 0.04 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue > 0.19 ? "#0c1620" : "#ffffff";
}

// The names of buffers on maps. A tensor has the name of the operator that writes it, since files have long names.
const kMapNames = new Map();
for (const step of report.steps) {
  const outputs = valuesOf(step, "write", false);
  outputs.forEach((b, i) => {
    if (!kMapNames.has(b)) kMapNames.set(b, label(step.label) + " out" + (outputs.length > 1 ? " " + (i + 1) : ""));
  });
}
for (const t of tensors) if (t.live !== undefined && !kMapNames.has(t)) kMapNames.set(t, "input " + t.name);
const mapName = (b) => kMapNames.get(b) || b.name;

// A canvas whose picture is kept: `render` draws everything, `mark` only the marked values, over a copy of it.
class Picture {
  constructor(name) {
    this.canvas = make("canvas", {role: "img", "aria-label": name});
    this.kept = make("canvas");
    this.recorded = null;
    this.canvas.addEventListener("mousemove", (e) => this.hover(e));
    this.canvas.addEventListener("click", () => { if (!this.moved) clickOn(over); });
    this.canvas.addEventListener("mouseleave", () => { showTip(null, null); pointAt(null); });
  }

  draw() {
    this.picked = null;
    this.boxes = [];
    this.render();
    this.kept.width = this.canvas.width;
    this.kept.height = this.canvas.height;
    this.kept.getContext("2d").drawImage(this.canvas, 0, 0);
    this.marked = false;
    this.paint();
  }

  // Once a frame, however many events come.
  drawSoon() {
    if (this.due) return;
    this.due = true;
    requestAnimationFrame(() => { this.due = false; this.draw(); });
  }

  // A picture with time shows when an operator runs.
  isMarked() {
    if (this.hasTime && shownStep() !== null) return true;
    for (const value of marked.keys()) if (value.pool === this.name) return true;
    return false;
  }

  // The picture as SVG, without marks.
  svg() {
    this.recorded = new SvgContext(this.canvas.clientWidth, this.canvas.clientHeight, this.ruler());
    this.boxes = [];
    this.render();
    const text = this.recorded.text(this.canvas.getAttribute("aria-label"));
    this.recorded = null;
    this.draw();
    return text;
  }

  // Measures texts before the picture has a size.
  ruler() {
    const ruler = this.kept.getContext("2d");
    ruler.font = kFont;
    return ruler;
  }

  fit(height) {
    if (this.recorded) {
      this.recorded.height = height;
      return [this.recorded, this.recorded.width];
    }
    return fit(this.canvas, height);
  }

  paint() {
    const own = this.isMarked();
    if (!own && !this.marked) return;
    const g = this.canvas.getContext("2d");
    if (this.marked) {
      g.save();
      g.setTransform(1, 0, 0, 1, 0, 0);
      g.globalCompositeOperation = "copy";
      g.drawImage(this.kept, 0, 0);
      g.restore();
    }
    if (own) this.mark(g);
    this.marked = own;
  }

  // Thousands of boxes of a few points each: straight into an image, which is far quicker than one
  // call a box, and as good to look at.
  fillSmall(g, boxes) {
    if (boxes.length < 1000 || g.isSvg) {
      for (const [x, y, w, h, , shade] of boxes) {
        g.fillStyle = shade;
        g.fillRect(x, y, w, h);
      }
      return;
    }
    const {width, height} = this.canvas, ratio = width / this.canvas.clientWidth;
    const image = new ImageData(width, height), points = new Uint32Array(image.data.buffer), ink = new Map();
    for (const [x, y, w, h, , shade] of boxes) {
      let point = ink.get(shade);
      if (point === undefined) {
        const [red, green, blue] = shade.slice(4, -1).split(",").map(Number);
        point = new Uint32Array(new Uint8Array([red, green, blue, 255]).buffer)[0];
        ink.set(shade, point);
      }
      const left = Math.max(0, Math.round(x * ratio)), top = Math.max(0, Math.round(y * ratio));
      const right = Math.min(width, Math.max(left + 1, Math.round((x + w) * ratio)));
      const end = Math.min(height, Math.max(top + 1, Math.round((y + h) * ratio)));
      for (let row = top; row < end; ++row) points.fill(point, row * width + left, row * width + right);
    }
    const layer = make("canvas");
    layer.width = width;
    layer.height = height;
    layer.getContext("2d").putImageData(image, 0, 0);
    g.drawImage(layer, 0, 0, width / ratio, height / ratio);
  }

  // The buffer of the box at a point. The first call notes the box of every point; the last of
  // several boxes wins. If boxes cover too many points, which only nonsense does, each call
  // searches them instead.
  pick(x, y) {
    const width = this.canvas.clientWidth, height = this.canvas.clientHeight;
    if (x < 0 || y < 0 || x >= width || y >= height) return null;
    if (!this.picked) {
      this.picked = new Int32Array(width * height);
      let work = 0;
      this.boxes.forEach(([bx, by, w, h], i) => {
        const left = Math.max(0, Math.floor(bx)), right = Math.min(width, Math.ceil(bx + w));
        const top = Math.max(0, Math.floor(by)), end = Math.min(height, Math.ceil(by + h));
        work += Math.max(0, right - left) * Math.max(0, end - top);
        if (work > 3e7) return;
        for (let row = top; row < end; ++row) this.picked.fill(i + 1, row * width + left, row * width + right);
      });
      if (work > 3e7) this.picked = [];
    }
    if (this.picked.length > 0) {
      const i = this.picked[Math.floor(y) * width + Math.floor(x)];
      return i > 0 ? this.boxes[i - 1][4] : null;
    }
    const found = this.boxes.findLast(([bx, by, w, h]) => x >= bx && x < bx + w && y >= by && y < by + h);
    return found ? found[4] : null;
  }

  hover(event) {
    const box = this.canvas.getBoundingClientRect();
    const b = this.pick(event.clientX - box.left, event.clientY - box.top);
    showTip(event, b);
    pointAt(b);
  }
}

const kFont = "12px system-ui, sans-serif";
function fit(canvas, height) {
  const ratio = devicePixelRatio || 1, width = canvas.clientWidth;
  canvas.style.height = height + "px";
  canvas.width = Math.round(width * ratio);
  canvas.height = Math.round(height * ratio);
  const g = canvas.getContext("2d");
  g.setTransform(ratio, 0, 0, ratio, 0, 0);
  g.clearRect(0, 0, width, height);
  g.font = kFont;
  return [g, width];
}
