const colour = (name) => getComputedStyle(document.documentElement).getPropertyValue(name).trim();

function parse(hex) {
  return [1, 3, 5].map((at) => parseInt(hex.slice(at, at + 2), 16));
}

// 64 shades from small to large, by the logarithm of the size. There is one colour for tensors
// between operators, one for operators' scratch memory, and one for constants.
function kindOf(b) {
  if (b.kind === "constant") return "constant";
  return b.function && report.entry && b.function !== report.entry ? "scratch" : "tensor";
}

function makeShades(kind) {
  const low = parse(colour("--low-" + kind)), high = parse(colour("--high-" + kind));
  return Array.from({length: 64}, (_, i) =>
    "rgb(" + low.map((c, k) => Math.round(c + (high[k] - c) * i / 63)).join(",") + ")");
}

const allShades = () => ({tensor: makeShades("tensor"), scratch: makeShades("scratch"),
                          constant: makeShades("constant")});

// The second of two buffers that share bytes is paler, so that both are visible.
function shadeOf(b, most, shades) {
  const part = 1 - Math.log2(most / Math.max(b.size_bytes, 1)) / 10;
  const shade = Math.max(0, Math.min(63, Math.round(63 * part)));
  return shades[kindOf(b)][b.isPale ? Math.max(0, shade - 22) : shade];
}

// The colour of text on a shade.
function inkOn(shade) {
  const [red, green, blue] = shade.slice(4, -1).split(",").map(Number);
  return red * 0.3 + green * 0.6 + blue * 0.1 > 140 ? "#15202b" : "#ffffff";
}

const kHover = "rgb(214,36,127)";

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
    this.recorded = new SvgContext(this.canvas.clientWidth, this.canvas.clientHeight, this.kept.getContext("2d"));
    this.recorded.ruler.font = kFont;
    this.boxes = [];
    this.render();
    const text = this.recorded.text(this.canvas.getAttribute("aria-label"));
    this.recorded = null;
    this.draw();
    return text;
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
