#include "report/html_page.h"

namespace tenon {

const std::string_view kHtmlMapScript = R"js(
const colour = (name) => getComputedStyle(document.documentElement).getPropertyValue(name).trim();

function parse(hex) {
  return [1, 3, 5].map((at) => parseInt(hex.slice(at, at + 2), 16));
}

// 64 shades from little to much, by the logarithm of the size: a colour each for tensors that go from
// operator to operator, for what operators use while they run, and for constants.
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

function shadeOf(b, most, shades) {
  const part = 1 - Math.log2(most / Math.max(b.size_bytes, 1)) / 10;
  return shades[kindOf(b)][Math.max(0, Math.min(63, Math.round(63 * part)))];
}

// The colour of text on a shade.
function inkOn(shade) {
  const [red, green, blue] = shade.slice(4, -1).split(",").map(Number);
  return red * 0.3 + green * 0.6 + blue * 0.1 > 140 ? "#15202b" : "#ffffff";
}

const kHover = "rgb(214,36,127)";

// What the pointer is on, in a map or in a table, shows in all maps.
const maps = [];
let over = null;
function pointAt(b) {
  if (b === over) return;
  over = b;
  maps.forEach((m) => m.draw());
}

// Round distances between marks of an axis of bytes.
function markStep(range) {
  let step = 1;
  while (range / step > 8) step *= 2;
  return step;
}

function fit(canvas, height) {
  const ratio = devicePixelRatio || 1, width = canvas.clientWidth;
  canvas.style.height = height + "px";
  canvas.width = Math.round(width * ratio);
  canvas.height = Math.round(height * ratio);
  const g = canvas.getContext("2d");
  g.setTransform(ratio, 0, 0, ratio, 0, 0);
  g.clearRect(0, 0, width, height);
  g.font = "12px system-ui, sans-serif";
  return [g, width];
}

// How many bytes are live: [tick, bytes] wherever that changes.
function liveCurve(rows) {
  const changes = new Map();
  for (const b of rows) for (const [lower, upper] of b.live) {
    changes.set(lower, (changes.get(lower) || 0) + b.size_bytes);
    changes.set(upper, (changes.get(upper) || 0) - b.size_bytes);
  }
  let live = 0;
  return [...changes].sort((a, b) => a[0] - b[0]).map(([tick, change]) => [tick, live += change]);
}

class AddressMap {
  constructor(name, pool) {
    this.pool = pool;
    this.rows = buffers.filter((b) => b.pool === name && b.live.length > 0);
    this.curve = liveCurve(this.rows);
    this.steps = report.steps.length > 1 ? report.steps : [];
    this.byStep = this.steps.length > 1;
    this.reset();
    this.canvas = make("canvas", {role: "img", "aria-label":
      "Addresses over time of the pool " + name + "; the table below has the same data"});
    this.canvas.addEventListener("mousemove", (e) => this.hover(e));
    this.canvas.addEventListener("mouseleave", () => { showTip(null, null); pointAt(null); });
    this.canvas.addEventListener("click", () => { if (over && !this.moved) showRow(over); });
    this.canvas.addEventListener("wheel", (e) => this.zoom(e), {passive: false});
    this.canvas.addEventListener("mousedown", (e) => { this.dragged = e.clientX; this.moved = false; });
    addEventListener("mouseup", () => { this.dragged = null; });
    this.canvas.addEventListener("dblclick", () => { this.reset(); this.draw(); });
  }

  reset() { this.from = 0; this.to = 1; }

  // Ticks to [0, 1]: as they are, or with the same width for every operator.
  place(tick) {
    if (!this.byStep) return tick / report.ticks;
    const steps = this.steps, count = steps.length;
    if (tick < steps[0].live[0]) return 0;
    let low = 0, high = count - 1;
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if (steps[middle].live[0] <= tick) low = middle; else high = middle - 1;
    }
    const [begin, end] = steps[low].live;
    return (low + Math.min(1, (tick - begin) / Math.max(1, end - begin))) / count;
  }
  x(tick) {
    return this.left + (this.place(tick) - this.from) / (this.to - this.from) * this.width;
  }
  y(address) { return this.top + this.height * (1 - address / this.most); }

  draw() {
    const labels = this.byStep && this.labelled();
    this.left = 84; this.top = 30;
    this.height = "print" in document.documentElement.dataset ? 290 : 420;
    this.most = Math.max(1, this.pool.size_bytes) * 1.02;
    const [g, width] = fit(this.canvas, this.top + this.height + (labels ? 150 : 44));
    this.width = width - this.left - 14;
    const shades = allShades();
    const biggest = this.rows.reduce((most, b) => Math.max(most, b.size_bytes), 1);
    this.axes(g, labels);
    g.save();
    g.beginPath();
    g.rect(this.left, this.top - 4, this.width, this.height + 5);
    g.clip();
    const card = colour("--card");
    this.boxes = [];
    for (const b of this.rows) {
      const shade = b === over ? kHover : shadeOf(b, biggest, shades);
      for (const [lower, upper] of b.live) {
        const x = this.x(lower), w = Math.max(1, this.x(upper) - x);
        const y = this.y(b.offset + b.size_bytes), h = Math.max(1, this.y(b.offset) - y);
        if (x + w < this.left || x > this.left + this.width) continue;
        this.boxes.push([x, y, w, h, b, shade]);
        g.fillStyle = shade;
        g.fillRect(x, y, w, h);
        if (w > 3 && h > 3) {
          g.strokeStyle = card;
          g.strokeRect(x + 0.5, y + 0.5, w - 1, h - 1);
        }
      }
    }
    this.names(g);
    this.lines(g);
    g.restore();
    this.marks(g);
  }

  // Names of what is large enough to hold them, along the longer side.
  names(g) {
    for (const [x, y, w, h, b, shade] of this.boxes) {
      const begin = Math.max(x, this.left), end = Math.min(x + w, this.left + this.width);
      const long = g.measureText(b.name).width + 12;
      g.fillStyle = inkOn(shade);
      if (h >= 16 && end - begin >= long) {
        g.fillText(b.name, begin + 6, y + Math.min(h / 2 + 4, 16));
        if (h >= 34 && end - begin >= g.measureText(short(b.size_bytes)).width + 12) {
          g.globalAlpha = 0.75;
          g.fillText(short(b.size_bytes), begin + 6, y + 31);
          g.globalAlpha = 1;
        }
      } else if (end - begin >= 15 && h >= long) {
        g.save();
        g.translate((begin + end) / 2 + 4, y + h - 6);
        g.rotate(-Math.PI / 2);
        g.fillText(b.name, 0, 0);
        g.restore();
      }
    }
  }

  labelled() { return this.steps.length <= (this.canvas.clientWidth - 98) / 13 / (this.to - this.from); }

  axes(g, labels) {
    const muted = colour("--muted"), line = colour("--line");
    g.lineWidth = 1;
    const step = markStep(this.most);
    g.textAlign = "right";
    for (let at = 0; at <= this.most; at += step) {
      const y = Math.round(this.y(at)) + 0.5;
      g.strokeStyle = line;
      g.beginPath(); g.moveTo(this.left, y); g.lineTo(this.left + this.width, y); g.stroke();
      g.fillStyle = muted;
      g.fillText(short(at), this.left - 8, y + 4);
    }
    g.textAlign = "left";
    const bottom = this.top + this.height;
    g.fillStyle = muted;
    g.save();
    g.translate(14, this.top + this.height / 2);
    g.rotate(-Math.PI / 2);
    g.textAlign = "center";
    g.fillText("address in the pool", 0, 0);
    g.restore();
    if (labels) {
      this.stepLabels(g, bottom, muted, line);
      return;
    }
    for (let i = 0; i <= 8; ++i) {
      const part = this.from + (this.to - this.from) * i / 8;
      g.textAlign = i === 8 ? "right" : "center";
      g.fillText(bytes(Math.round(part * (this.byStep ? this.steps.length : report.ticks))),
                 this.left + this.width * i / 8, bottom + 18);
    }
    g.textAlign = "center";
    g.fillText(this.byStep ? "operators in order" : report.entry ? "statements in order (ticks)" : "time (ticks)",
               this.left + this.width / 2, bottom + 36);
    g.textAlign = "left";
  }

  stepLabels(g, bottom, muted, line) {
    const here = over && over.live.length ? stepAt(over.live[0][0]) : null;
    this.steps.forEach((s) => {
      const x = this.x(s.live[0]), middle = (x + this.x(s.live[1])) / 2;
      if (middle < this.left - 1 || middle > this.left + this.width + 1) return;
      g.strokeStyle = line;
      g.beginPath(); g.moveTo(Math.round(x) + 0.5, this.top); g.lineTo(Math.round(x) + 0.5, bottom); g.stroke();
      g.save();
      g.translate(middle + 3, bottom + 12);
      g.rotate(-Math.PI / 4.2);
      g.textAlign = "right";
      g.fillStyle = s === here ? colour("--text") : muted;
      let text = label(s.label);
      if (text.length > 28) text = text.slice(0, 17) + "\u2026" + text.slice(-10);
      g.fillText(text, 0, 4);
      g.restore();
    });
    g.textAlign = "left";
  }

  // What the lines mean, where they are.
  marks(g) {
    const size = this.pool.size_bytes, bound = this.pool.lower_bound_bytes;
    const right = this.left + this.width;
    // On a ground of its own, where buffers may be below.
    const note = (text, y, ink) => {
      const long = g.measureText(text).width + 8;
      g.fillStyle = colour("--card");
      g.globalAlpha = 0.85;
      g.fillRect(right - long, y - 12, long, 16);
      g.globalAlpha = 1;
      g.fillStyle = ink;
      g.fillText(text, right - 4, y);
    };
    g.textAlign = "right";
    g.fillStyle = colour("--text");
    const met = bound > 0 && bound === size;
    g.fillText((met ? "pool size = lower bound: " : "pool size: ") + short(size), right, this.y(size) - 7);
    if (bound > 0 && !met) {
      const below = this.y(bound) - this.y(size) < 34;
      note("lower bound: " + short(bound), this.y(bound) + (below ? 16 : -6), colour("--good"));
    }
    g.textAlign = "left";
    const peak = this.pool.peak;
    if (!peak) return;
    const x = (this.x(peak.tick) + this.x(peak.tick + 1)) / 2;
    if (x < this.left || x > right) return;
    g.fillStyle = colour("--curve");
    const text = "peak: " + short(peak.live_bytes) + " live";
    g.textAlign = x > right - 240 ? "right" : "left";
    g.fillText(text, x + (x > right - 240 ? -9 : 9), this.top - 16);
    g.beginPath();
    g.moveTo(x - 5, this.top - 24); g.lineTo(x + 5, this.top - 24); g.lineTo(x, this.top - 14);
    g.fill();
    g.textAlign = "left";
  }

  // Live bytes over time, the bound, the size, the peak.
  lines(g) {
    const right = this.left + this.width;
    g.beginPath();
    let y = this.y(0);
    g.moveTo(this.left, y);
    for (const [tick, live] of this.curve) {
      const x = this.x(tick);
      g.lineTo(x, y);
      y = this.y(live);
      g.lineTo(x, y);
    }
    // With a rim, so that it shows on every colour, where that would not cover what is below.
    const seen = this.curve.filter(([tick]) => this.x(tick) >= this.left && this.x(tick) <= right).length;
    g.lineJoin = "round";
    if (seen * 12 < this.width) {
      g.strokeStyle = colour("--card");
      g.lineWidth = 4.5;
      g.stroke();
    }
    g.strokeStyle = colour("--curve");
    g.lineWidth = seen * 12 < this.width ? 1.75 : 1.25;
    g.stroke();
    g.lineWidth = 1.25;
    const level = (at, dash, shade) => {
      g.strokeStyle = shade;
      g.setLineDash(dash);
      g.beginPath(); g.moveTo(this.left, this.y(at)); g.lineTo(right, this.y(at)); g.stroke();
    };
    level(this.pool.size_bytes, [], colour("--text"));
    if (this.pool.lower_bound_bytes > 0) level(this.pool.lower_bound_bytes, [6, 4], colour("--good"));
    if (this.pool.peak) {
      const begin = this.x(this.pool.peak.tick), end = this.x(this.pool.peak.tick + 1);
      g.strokeStyle = colour("--curve");
      g.setLineDash([3, 3]);
      g.beginPath(); g.moveTo((begin + end) / 2, this.top - 14); g.lineTo((begin + end) / 2, this.top + this.height);
      g.stroke();
    }
    g.setLineDash([]);
  }

  hover(event) {
    if (this.dragged != null) {
      this.moved = this.moved || Math.abs(event.clientX - this.dragged) > 1;
      const shift = (this.dragged - event.clientX) / this.width * (this.to - this.from);
      this.dragged = event.clientX;
      const by = Math.max(-this.from, Math.min(1 - this.to, shift));
      this.from += by; this.to += by;
      this.draw();
      return;
    }
    const box = this.canvas.getBoundingClientRect();
    const x = event.clientX - box.left, y = event.clientY - box.top;
    let found = null;
    for (const [bx, by, w, h, b] of this.boxes || []) {
      if (x >= bx && x < bx + w && y >= by && y < by + h) { found = b; break; }
    }
    showTip(event, found);
    pointAt(found);
  }

  // About the middle, or about where the pointer is.
  zoomBy(factor, part = 0.5) {
    const at = this.from + part * (this.to - this.from);
    const span = Math.min(1, Math.max(1e-4, (this.to - this.from) * factor));
    this.from = Math.max(0, Math.min(1 - span, at - part * span));
    this.to = this.from + span;
    this.draw();
  }

  zoom(event) {
    if (!event.ctrlKey && !event.shiftKey) return;
    event.preventDefault();
    const box = this.canvas.getBoundingClientRect();
    const part = Math.max(0, Math.min(1, (event.clientX - box.left - this.left) / this.width));
    const turn = event.deltaY || event.deltaX;
    this.zoomBy(turn > 0 ? 1.25 : 0.8, part);
  }
}

// Constants as tiles with areas as their bytes, in rows as square as they come (Bruls, Huizing and
// van Wijk, "Squarified Treemaps", 2000).
class Tiles {
  constructor(name) {
    this.rows = buffers.filter((b) => b.pool === name && b.size_bytes > 0)
      .sort((a, b) => b.size_bytes - a.size_bytes);
    this.canvas = make("canvas", {role: "img", "aria-label": "Sizes of the constants in the pool " + name});
    this.canvas.addEventListener("mousemove", (e) => this.hover(e));
    this.canvas.addEventListener("mouseleave", () => { showTip(null, null); pointAt(null); });
    this.canvas.addEventListener("click", () => { if (over) showRow(over); });
  }

  layout(width, height) {
    const total = this.rows.reduce((sum, b) => sum + b.size_bytes, 0) || 1;
    const scale = width * height / total;
    let x = 0, y = 0, w = width, h = height, at = 0;
    this.boxes = [];
    while (at < this.rows.length && w > 0.5 && h > 0.5) {
      const side = Math.min(w, h);
      let sum = 0, count = 0, worst = Infinity;
      while (at + count < this.rows.length) {
        const area = this.rows[at + count].size_bytes * scale, next = sum + area;
        const largest = this.rows[at].size_bytes * scale, thick = next / side;
        const ratio = Math.max(largest / thick / thick, thick * thick / area);
        if (ratio > worst) break;
        worst = ratio; sum = next; ++count;
      }
      const thick = sum / side;
      let along = 0;
      for (let i = 0; i < count; ++i) {
        const long = this.rows[at + i].size_bytes * scale / thick;
        this.boxes.push(w >= h ? [x, y + along, thick, long, this.rows[at + i]]
                               : [x + along, y, long, thick, this.rows[at + i]]);
        along += long;
      }
      if (w >= h) { x += thick; w -= thick; } else { y += thick; h -= thick; }
      at += count;
    }
  }

  draw() {
    const [g, width] = fit(this.canvas, 200);
    this.layout(width, 200);
    const shades = allShades(), biggest = this.rows.length ? this.rows[0].size_bytes : 1;
    for (const [x, y, w, h, b] of this.boxes) {
      const shade = b === over ? kHover : shadeOf(b, biggest, shades);
      g.fillStyle = shade;
      g.fillRect(x, y, Math.max(0.5, w - 1), Math.max(0.5, h - 1));
      const text = b.name.replace(/_let$/, "");
      if (h < 18 || w < 40) continue;
      g.fillStyle = inkOn(shade);
      g.save();
      g.beginPath(); g.rect(x, y, w - 6, h); g.clip();
      g.fillText(text, x + 6, y + 15);
      if (h > 36) g.fillText(short(b.size_bytes), x + 6, y + 31);
      g.restore();
    }
  }

  hover(event) {
    const box = this.canvas.getBoundingClientRect();
    const x = event.clientX - box.left, y = event.clientY - box.top;
    const found = (this.boxes || []).find(([bx, by, w, h]) => x >= bx && x < bx + w && y >= by && y < by + h);
    const b = found ? found[4] : null;
    showTip(event, b);
    pointAt(b);
  }
}
)js";

}  // namespace tenon
