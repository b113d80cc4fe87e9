// Round distances between marks of an axis of bytes.
function markStep(range) {
  let step = 1;
  while (range / step > 8) step *= 2;
  return step;
}

// The number of live bytes: [tick, bytes] at each change. Bytes of two buffers count once.
function liveCurve(rows, shared) {
  const ticks = new Float64Array([...rows, ...shared].reduce((count, b) => count + 2 * b.live.length, 0));
  let count = 0;
  for (const list of [rows, shared])
    for (const b of list) for (const range of b.live) for (const tick of range) ticks[count++] = tick;
  ticks.sort();
  const curve = [];
  let last = -1;
  for (const tick of ticks) if (tick !== last) curve.push([last = tick, 0]);
  const at = new Map(curve.map((point) => [point[0], point]));
  for (const b of rows) for (const [lower, upper] of b.live) {
    at.get(lower)[1] += b.size_bytes;
    at.get(upper)[1] -= b.size_bytes;
  }
  for (const o of shared) for (const [lower, upper] of o.live) {
    at.get(lower)[1] -= o.shared_bytes;
    at.get(upper)[1] += o.shared_bytes;
  }
  let live = 0;
  for (const point of curve) point[1] = live += point[1];
  return curve;
}

class AddressMap extends Picture {
  constructor(name, pool) {
    super("Addresses over time of the pool " + name + ": " + bytes(pool.size_bytes) + " bytes for " +
          bytes(pool.buffers) + " buffers" +
          (pool.peak ? ", at most " + bytes(pool.peak.live_bytes) + " of them live" : "") +
          (pool.lower_bound_bytes > 0 ? ", lower bound " + bytes(pool.lower_bound_bytes) : "") +
          (pool.free_bytes !== undefined ? ", " + bytes(pool.free_bytes) + " bytes of the capacity free" : "") +
          "; the table below has the same data");
    this.hasTime = true;
    this.pool = pool;
    this.rows = buffers.filter((b) => b.pool === name && b.live.length > 0);
    this.overlaps = overlapsIn(name);
    this.curve = liveCurve(this.rows, this.overlaps);
    this.steps = report.steps.length > 1 ? report.steps : [];
    this.byStep = this.steps.length > 1;
    this.name = name;
    this.reset();
    this.canvas.addEventListener("wheel", (e) => this.zoom(e), {passive: false});
    // The places of pressed pointers: a mouse, or fingers.
    this.pointers = new Map();
    this.canvas.addEventListener("pointerdown", (e) => this.press(e));
    this.canvas.addEventListener("pointermove", (e) => this.pull(e));
    for (const end of ["pointerup", "pointercancel"]) addEventListener(end, (e) => this.release(e));
    this.canvas.setAttribute("tabindex", "0");
    this.canvas.addEventListener("keydown", (e) => this.pressKey(e));
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

  render() {
    const labels = this.byStep && this.labelled();
    this.left = 84; this.top = 30;
    this.height = "print" in document.documentElement.dataset ? 290 : 420;
    // A capacity is shown unless the plan would be small below it.
    const {size_bytes: size, capacity_bytes: capacity} = this.pool;
    this.limit = capacity <= 1.6 * size ? capacity : 0;
    this.most = Math.max(1, size, this.limit) * 1.02;
    const [g, width] = this.fit(this.top + this.height + (labels ? 150 : 44));
    this.width = width - this.left - 14;
    const shades = this.shades = allShades();
    const biggest = this.biggest = this.rows.reduce((most, b) => Math.max(most, b.size_bytes), 1);
    this.axes(g, labels);
    g.save();
    g.beginPath();
    g.rect(this.left, this.top - 4, this.width, this.height + 5);
    g.clip();
    const card = colour("--card");
    g.strokeStyle = card;
    const small = [];
    for (const b of this.rows) {
      const shade = shadeOf(b, biggest, shades);
      for (const [lower, upper] of b.live) {
        const x = this.x(lower), w = Math.max(1, this.x(upper) - x);
        const y = this.y(b.offset + b.size_bytes), h = Math.max(1, this.y(b.offset) - y);
        if (x + w < this.left || x > this.left + this.width) continue;
        const box = [x, y, w, h, b, shade];
        this.boxes.push(box);
        if (w <= 3 || h <= 3) { small.push(box); continue; }
        g.fillStyle = shade;
        g.fillRect(x, y, w, h);
        g.strokeRect(x + 0.5, y + 0.5, w - 1, h - 1);
      }
    }
    this.fillSmall(g, small);
    this.findBands();
    for (const band of this.bands) this.hatch(g, band);
    this.names(g, this.boxes);
    this.trace();
    this.lines(g);
    g.restore();
    this.marks(g);
  }

  // Filled boxes are written, outlined ones read, and dashed outlines are scratch memory. For an operator, all
  // others are paler.
  mark(g) {
    const step = shownStep();
    const boxes = this.boxes.filter((box) => marked.has(box[4]));
    const shown = boxes.map((box) => [...box.slice(0, 5), isFilled(box[4]) ? kHover : box[5]]);
    g.save();
    g.beginPath();
    g.rect(this.left, this.top - 4, this.width, this.height + 5);
    g.clip();
    if (step) {
      g.fillStyle = colour("--card");
      g.globalAlpha = 0.6;
      g.fillRect(this.left, this.top - 4, this.width, this.height + 5);
      g.globalAlpha = 0.14;
      g.fillStyle = kHover;
      const from = this.x(step.live[0]);
      g.fillRect(from, this.top, Math.max(2, this.x(step.live[1]) - from), this.height);
      g.globalAlpha = 1;
    }
    for (const [x, y, w, h, , shade] of shown) {
      g.fillStyle = shade;
      g.fillRect(x, y, Math.max(w, 2), Math.max(h, 2));
    }
    for (const band of this.bands) if (band[4].buffers.some((b) => marked.has(b))) this.hatch(g, band);
    this.names(g, shown);
    if (!this.ridge) this.lines(g);
    g.strokeStyle = kHover;
    g.lineWidth = 3;
    for (const [x, y, w, h, b] of shown) {
      if (isFilled(b)) continue;
      g.setLineDash(marked.get(b) === "own" ? [5, 3] : []);
      g.strokeRect(x + 1.5, y + 1.5, Math.max(1, w - 3), Math.max(1, h - 3));
    }
    g.setLineDash([]);
    g.restore();
    if (step) this.marks(g);
    const here = step || (boxes.length > 0 && stepAt(boxes[0][4].live[0][0]));
    if (here && this.byStep && this.labelled()) this.stepLabel(g, here, colour("--text"));
  }

  // The places where two buffers share bytes: x, y, width, height, overlap. Also the points from
  // which others cover a buffer, and the buffers with stripes.
  findBands() {
    this.bands = [];
    this.covered = new Map();
    this.hatched = new Set(this.overlaps.flatMap((o) => o.buffers));
    for (const o of this.overlaps) {
      const [a, b] = o.buffers;
      const lower = Math.max(a.offset, b.offset);
      const upper = Math.min(a.offset + a.size_bytes, b.offset + b.size_bytes);
      for (const [from, to] of o.live) {
        const x = this.x(from), y = this.y(upper);
        const w = Math.max(1, this.x(to) - x), h = Math.max(1, this.y(lower) - y);
        if (x + w < this.left || x > this.left + this.width) continue;
        this.bands.push([x, y, w, h, o]);
        this.covered.set(a, Math.min(x, this.covered.get(a) ?? x));
      }
    }
  }

  // Stripes in the colours of both buffers, and a dashed line along the edges of the one below.
  hatch(g, [x, y, w, h, o]) {
    const [dying, begun] = o.buffers;
    const ink = (b) => isFilled(b) ? kHover : shadeOf(b, this.biggest, this.shades);
    g.save();
    g.beginPath();
    g.rect(x, y, w, h);
    g.clip();
    g.fillStyle = ink(begun);
    g.fillRect(x, y, w, h);
    g.strokeStyle = ink(dying);
    g.lineWidth = 4;
    g.beginPath();
    // The stripes of all places continue each other.
    const gap = 11.5, first = (x + y) - (x + y) % gap;
    for (let sum = first; sum < x + y + w + h + gap; sum += gap) {
      g.moveTo(sum - y + 4, y - 4);
      g.lineTo(sum - y - h - 4, y + h + 4);
    }
    g.stroke();
    g.restore();
    g.save();
    g.beginPath();
    g.rect(x, this.top, w, this.height);
    g.clip();
    const lines = (b, dash) => {
      g.setLineDash(dash);
      g.beginPath();
      for (const at of [b.offset, b.offset + b.size_bytes]) { g.moveTo(x, this.y(at)); g.lineTo(x + w, this.y(at)); }
      g.stroke();
    };
    g.strokeStyle = colour("--card");
    g.lineWidth = 1.5;
    lines(begun, []);
    lines(dying, [5, 4]);
    g.setLineDash([]);
    g.restore();
  }

  bandAt(x, y) {
    return this.bands.findLast(([bx, by, w, h]) => x >= bx && x < bx + w && y >= by && y < by + h);
  }

  // The names of boxes that are large enough for them, along the longer side.
  names(g, boxes) {
    for (const [x, y, w, h, b, shade] of boxes) {
      if ((h < 16 || w < 20) && (w < 15 || h < 20)) continue;
      const begin = Math.max(x, this.left);
      const end = Math.min(x + w, this.left + this.width, this.covered.get(b) ?? Infinity);
      const long = g.measureText(b.name).width + 12;
      const hatched = this.hatched.has(b);
      if (h >= 16 && end - begin >= long) {
        if (hatched) {
          g.fillStyle = shade;
          g.fillRect(begin + 3, y + 3, long - 6, Math.min(h - 6, 30));
        }
        g.fillStyle = inkOn(shade);
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
        if (hatched) {
          g.fillStyle = shade;
          g.fillRect(-3, -11, long - 6, 15);
        }
        g.fillStyle = inkOn(shade);
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
      g.fillText(short(at, this.most), this.left - 8, y + 4);
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
    // Whole numbers at their own places; a short range has fewer.
    const total = this.byStep ? this.steps.length : report.ticks;
    for (let i = 0, last = -1; i <= 8; ++i) {
      const number = Math.floor((this.from + (this.to - this.from) * i / 8) * total + 1e-6);
      const part = (number / total - this.from) / (this.to - this.from);
      if (number === last || part < 0) continue;
      g.textAlign = part > 0.97 ? "right" : "center";
      g.fillText(bytes(last = number), this.left + this.width * part, bottom + 18);
    }
    g.textAlign = "center";
    g.fillText(this.byStep ? "operators in order" : report.entry ? "ticks: statements in order" : "ticks of the problem",
               this.left + this.width / 2, bottom + 36);
    g.textAlign = "left";
  }

  stepLabels(g, bottom, muted, line) {
    this.steps.forEach((s) => {
      const x = Math.round(this.x(s.live[0])) + 0.5;
      if (x >= this.left && x <= this.left + this.width) {
        g.strokeStyle = line;
        g.beginPath(); g.moveTo(x, this.top); g.lineTo(x, bottom); g.stroke();
      }
      this.stepLabel(g, s, muted);
    });
  }

  stepLabel(g, s, ink) {
    const middle = (this.x(s.live[0]) + this.x(s.live[1])) / 2;
    if (middle < this.left - 1 || middle > this.left + this.width + 1) return;
    g.save();
    g.translate(middle + 3, this.top + this.height + 12);
    g.rotate(-Math.PI / 4.2);
    g.textAlign = "right";
    g.fillStyle = ink;
    // Left of the map there is room for a part of the text only.
    const name = label(s.label);
    let shown = name;
    for (let most = name.length - 1; most > 6 && g.measureText(shown).width * 0.75 > middle - 4; --most) shown = cut(name, most);
    g.fillText(shown, 0, 4);
    g.restore();
  }

  // Labels at the lines.
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
    if (this.limit > size) {
      g.fillStyle = colour("--muted");
      g.fillText("capacity: " + short(this.limit) + ", " + bytes(this.pool.free_bytes) + " bytes free", this.left + 4,
                 this.y(this.limit) - 7);
    }
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
    if (this.ridge) {
      g.fillStyle = colour("--curve");
      for (const [x, top, end] of this.ridge) g.fillRect(x, top, 1, end - top);
    } else {
      // With a rim, so that it shows on every colour, unless the rim would cover the content below.
      g.lineJoin = "round";
      if (this.wide) {
        g.strokeStyle = colour("--card");
        g.lineWidth = 4.5;
        g.stroke(this.path);
      }
      g.strokeStyle = colour("--curve");
      g.lineWidth = this.wide ? 1.75 : 1.25;
      g.stroke(this.path);
    }
    g.lineWidth = 1.25;
    const level = (at, dash, shade) => {
      g.strokeStyle = shade;
      g.setLineDash(dash);
      g.beginPath(); g.moveTo(this.left, this.y(at)); g.lineTo(right, this.y(at)); g.stroke();
    };
    if (this.limit > this.pool.size_bytes) level(this.limit, [2, 3], colour("--muted"));
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

  // The live bytes as a path with every change. If there are more changes than points, as columns
  // from the maximum at one point to the maximum at the next.
  trace() {
    const right = this.left + this.width;
    let seen = 0;
    for (const [tick] of this.curve) {
      const x = this.x(tick);
      if (x >= this.left && x <= right) ++seen;
    }
    this.wide = seen * 12 < this.width;
    this.ridge = seen * 2 < this.width ? null : this.columns(right);
    let y = this.y(0), data = `M${this.left} ${round(y)}`;
    this.path = new Path2D();
    if (this.ridge) return;
    for (const [tick, live] of this.curve) {
      const x = this.x(tick);
      data += `H${round(x)}`;
      y = this.y(live);
      data += `V${round(y)}`;
    }
    this.path = new Path2D(data);
    this.path.data = data;
  }

  columns(right) {
    const tops = new Float64Array(Math.ceil(right - this.left) + 1).fill(-1);
    let live = 0, from = 0;
    const reach = (to) => {
      for (let i = Math.max(0, from); i <= Math.min(to, tops.length - 1); ++i) tops[i] = Math.max(tops[i], live);
      from = to;
    };
    for (const [tick, next] of this.curve) {
      reach(Math.floor(this.x(tick) - this.left));
      live = next;
      reach(from);
    }
    const found = [];
    let last = this.y(0);
    tops.forEach((top, i) => {
      if (top < 0) return;
      const y = this.y(top);
      found.push([this.left + i, Math.min(y, last), Math.max(y, last) + 1.25]);
      last = y;
    });
    return found;
  }

  hover(event) {
    if (this.pointers.size > 0) return;
    const place = this.canvas.getBoundingClientRect();
    const band = this.bandAt(event.clientX - place.left, event.clientY - place.top);
    if (!band) return super.hover(event);
    showOverlapTip(event, band[4]);
    pointAt(band[4].buffers[1]);
  }

  press(event) {
    this.pointers.set(event.pointerId, event.clientX);
    this.moved = false;
  }

  release(event) { this.pointers.delete(event.pointerId); }

  // One pointer pans. Two pointers zoom around their middle.
  pull(event) {
    const last = this.pointers.get(event.pointerId);
    if (last === undefined) return;
    const before = this.spread();
    this.pointers.set(event.pointerId, event.clientX);
    this.moved = this.moved || Math.abs(event.clientX - last) > 1;
    const after = this.spread(), places = [...this.pointers.values()];
    if (places.length === 1) this.panBy((last - event.clientX) / this.width);
    else if (before > 0 && after > 0)
      this.zoomBy(before / after, this.partAt(places.reduce((sum, x) => sum + x, 0) / places.length));
  }

  spread() {
    const places = [...this.pointers.values()];
    return Math.max(...places) - Math.min(...places);
  }

  pressKey(event) {
    if (event.ctrlKey || event.altKey || event.metaKey) return;
    const act = {
      ArrowLeft: () => this.panBy(-0.1), ArrowRight: () => this.panBy(0.1),
      "+": () => this.zoomBy(0.5), "=": () => this.zoomBy(0.5), "-": () => this.zoomBy(2),
      Home: () => { this.reset(); this.drawSoon(); },
    }[event.key];
    if (!act) return;
    event.preventDefault();
    act();
  }

  // By a part of the visible time.
  panBy(part) {
    const by = Math.max(-this.from, Math.min(1 - this.to, part * (this.to - this.from)));
    this.from += by; this.to += by;
    this.drawSoon();
  }

  // The part of the visible time at a place of the window.
  partAt(x) {
    const box = this.canvas.getBoundingClientRect();
    return Math.max(0, Math.min(1, (x - box.left - this.left) / this.width));
  }

  // Around the middle, or around the pointer.
  zoomBy(factor, part = 0.5) {
    const at = this.from + part * (this.to - this.from);
    const span = Math.min(1, Math.max(1e-4, (this.to - this.from) * factor));
    this.from = Math.max(0, Math.min(1 - span, at - part * span));
    this.to = this.from + span;
    this.drawSoon();
  }

  zoom(event) {
    if (!event.ctrlKey && !event.shiftKey) return;
    event.preventDefault();
    const turn = event.deltaY || event.deltaX;
    this.zoomBy(turn > 0 ? 1.25 : 0.8, this.partAt(event.clientX));
  }
}
